// Why not, and what would change it: against brute force over the answers of the engine.
#include <map>
#include <set>

#include "rules/explain.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/effort.h"

namespace rules_explain_test {

namespace {

using namespace muster;
using model::FactValue;
using rules::NamedValue;
using rules::Outcome;

std::uint32_t draw(std::uint64_t& state, std::size_t n) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<std::uint32_t>((state >> 33) % n);
}

// The engine's answers, cell by cell, worked out once: texts of all that a user is told.
class Answers {
 public:
  explicit Answers(const model::Policy& policy) : policy_(policy), space_(policy) {
    rules::Cell cell(space_.dimensions().size(), 0);
    do texts_.push_back(number(text(space_.values(cell))));
    while (next(cell));
  }

  const rules::Space& space() const { return space_; }
  std::size_t of(const rules::Cell& cell) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < cell.size(); ++i) at = at * space_.dimensions()[i].classes.size() + cell[i];
    return texts_[at];
  }

 private:
  bool next(rules::Cell& cell) const {
    for (std::size_t i = cell.size(); i-- > 0; cell[i] = 0)
      if (++cell[i] < space_.dimensions()[i].classes.size()) return true;
    return false;
  }

  std::string text(const std::vector<NamedValue>& facts) const {
    const auto outcome = std::get<Outcome>(rules::evaluate(policy_, facts));
    std::string out;
    for (const char* name : {"control-plane", "runtime", "layout"})
      out += model::to_string(*outcome.output(name)) + " ";
    for (const char* name : {"requires", "advice"})
      for (const std::string& value : *outcome.collection(name)) out += std::string(name) + value + " ";
    return out;
  }

  std::size_t number(const std::string& text) { return numbers_.try_emplace(text, numbers_.size()).first->second; }

  const model::Policy& policy_;
  rules::Space space_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::size_t> texts_;
};

// Facts and classes that they are changed to.
using Changes = std::map<std::string, std::uint32_t>;

// Every change of one to three facts that alters the answer while no part of it does, the plain way: all of them are
// tried, and then all parts of each.
std::set<Changes> brute_force(const Answers& answers, const rules::Cell& cell) {
  const auto dimensions = answers.space().dimensions();
  std::vector<std::vector<std::pair<std::size_t, std::uint32_t>>> altering;
  std::vector<std::pair<std::size_t, std::uint32_t>> chosen;
  const std::size_t base = answers.of(cell);
  const auto alters = [&](const auto& changes) {
    rules::Cell changed = cell;
    for (const auto& [fact, number] : changes) changed[fact] = number;
    return answers.of(changed) != base;
  };
  const auto minimal = [&](const auto& changes) {
    for (unsigned part = 1; part + 1 < 1U << changes.size(); ++part) {
      std::vector<std::pair<std::size_t, std::uint32_t>> some;
      for (std::size_t i = 0; i < changes.size(); ++i)
        if ((part >> i & 1) != 0) some.push_back(changes[i]);
      if (alters(some)) return false;
    }
    return true;
  };
  std::set<Changes> out;
  const auto visit = [&](const auto& self, std::size_t from) -> void {
    if (!chosen.empty() && alters(chosen) && minimal(chosen)) {
      Changes changes;
      for (const auto& [fact, number] : chosen) changes[dimensions[fact].fact] = number;
      out.insert(changes);
    }
    if (chosen.size() == 3) return;
    for (std::size_t fact = from; fact < dimensions.size(); ++fact)
      for (std::uint32_t n = 0; n < dimensions[fact].classes.size(); ++n) {
        if (n == cell[fact]) continue;
        chosen.emplace_back(fact, n);
        self(self, fact + 1);
        chosen.pop_back();
      }
  };
  visit(visit, 0);
  return out;
}

}  // namespace

TEST_CASE("flips are those of brute force on 5,000 random points", "[rules]") {
  std::uint64_t state = 3;
  for (const auto& [name, points] : {std::pair("greenfield", 4'000u), std::pair("default", 1'000u)}) {
    const model::Policy policy = rules::profile(name);
    const Answers answers(policy);
    const rules::Space& space = answers.space();
    for (std::size_t i = 0; i < points; i += tests::case_step) {
      rules::Cell cell;
      for (const rules::Dimension& d : space.dimensions()) cell.push_back(draw(state, d.classes.size()));
      const rules::Flips found = rules::flips(policy, space.values(cell));
      REQUIRE(found.complete);
      std::set<Changes> flips;
      for (const rules::Flip& flip : found.items) {
        Changes changes;
        for (const rules::Change& c : flip.changes) changes[c.fact] = space.class_of(*space.find(c.fact), c.to);
        flips.insert(changes);
      }
      REQUIRE(flips.size() == found.items.size());
      REQUIRE(flips == brute_force(answers, cell));
    }
  }
}

TEST_CASE("a flip moves the facts that follow it, to the nearest value", "[rules]") {
  const model::Policy policy = rules::profile("greenfield");
  const std::vector<NamedValue> facts = {{"nodes", std::int64_t{8}}, {"tightly-coupled", true}};
  const rules::Flips found = rules::flips(policy, facts);
  REQUIRE_FALSE(found.items.empty());
  const rules::Change& first = found.items[0].changes.at(0);
  CHECK((first.fact == "nodes" && first.to == FactValue(std::int64_t{1})));  // workers go down with it
  REQUIRE(found.items[0].outputs.size() == 1);
  CHECK(found.items[0].outputs[0].from == "gang-scheduler, topology-aware-placement");
  const rules::Flips plane = rules::flips(policy, facts, "control-plane");
  REQUIRE(plane.items.size() == 2);
  CHECK(plane.items[0].changes[0].fact == "bare-metal");
  CHECK(plane.items[1].changes[0].fact == "edge-or-dev");
}

TEST_CASE("why not lists the rows that would, the nearest first", "[rules]") {
  const model::Policy policy = rules::profile("greenfield");
  const auto outcome =
      std::get<Outcome>(rules::evaluate(policy, {{"nodes", std::int64_t{8}}, {"tightly-coupled", true}}));
  const auto rows = rules::why_not(policy, outcome, "slurm");
  REQUIRE(rows.size() == 1);
  CHECK((rows[0].row->id == "CP-010" && rows[0].failing == 1 && !rows[0].holds));
  REQUIRE(rows[0].terms.size() == 2);
  CHECK(
      (rows[0].terms[0].holds && rows[0].terms[0].reading == "coupled=multi-node" && rows[0].terms[0].by == "CO-020"));
  CHECK((!rows[0].terms[1].holds && rows[0].terms[1].reading == "bare-metal=false"));
  const auto k3s = rules::why_not(policy, outcome, "control-plane=k3s");
  REQUIRE(k3s.size() == 2);
  CHECK(k3s[0].row->id == "CP-020");
  CHECK(rules::why_not(policy, outcome, "CP-040").at(0).holds);
  CHECK(rules::why_not(policy, outcome, "runtime=kubernetes").empty());
}

}  // namespace rules_explain_test
