// The built-in profiles: faithful where frozen, complete and sound.
#include "rules/profiles.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "cli/seed_json.h"
#include "plan/decide/decide.h"
#include "rules/engine.h"
#include "tests/catch.h"

namespace profiles_test {

namespace {

using namespace muster;
using model::Compare;
using model::FactValue;
using rules::NamedValue;
using rules::Outcome;

Outcome outcome_of(const model::Policy& policy, const std::vector<NamedValue>& facts) {
  auto result = rules::evaluate(policy, facts);
  if (const auto* error = std::get_if<rules::EvaluationError>(&result)) FAIL(error->text);
  return std::get<Outcome>(std::move(result));
}

// ---- the finite abstraction: one value for every class of values that no term tells apart

void split(const model::Term& term, const std::string& fact, std::set<std::int64_t>& starts) {
  if (term.fact != fact) return;
  for (const FactValue& value : term.values) {
    const std::int64_t n = std::get<std::int64_t>(value);
    const bool before = term.compare == Compare::less || term.compare == Compare::at_least;
    const bool after = term.compare == Compare::greater || term.compare == Compare::at_most;
    if (!after) starts.insert(n);
    if (!before) starts.insert(n + 1);
  }
}

std::vector<FactValue> classes(const model::Policy& policy, const model::FactDeclaration& fact) {
  if (fact.type == model::FactType::boolean) return {false, true};
  if (fact.type == model::FactType::symbol) return {fact.values.begin(), fact.values.end()};
  std::set<std::int64_t> starts{*fact.min};
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      for (const model::Term& term : row.when) split(term, fact.name, starts);
  for (const model::Invariant& invariant : policy.invariants) {
    for (const model::Term& term : invariant.when) split(term, fact.name, starts);
    split(invariant.then, fact.name, starts);
  }
  return {starts.lower_bound(*fact.min), starts.end()};
}

// Calls `visit` with every cell and returns their number.
std::size_t each_cell(const model::Policy& policy, const std::function<void(const std::vector<NamedValue>&)>& visit) {
  std::vector<std::vector<FactValue>> values;
  std::vector<NamedValue> cell;
  for (const model::FactDeclaration& fact : policy.facts) {
    values.push_back(classes(policy, fact));
    cell.push_back({fact.name, values.back().front()});
  }
  std::vector<std::size_t> at(values.size(), 0);
  for (std::size_t count = 1;; ++count) {
    visit(cell);
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == values[i].size()) {
      at[i] = 0;
      cell[i].value = values[i][0];
      ++i;
    }
    if (i == at.size()) return count;
    cell[i].value = values[i][at[i]];
  }
}

// How many cells give each answer: "requires kuberay" to 8960.
using Counts = std::map<std::string, std::size_t>;

struct Proof {
  std::size_t cells = 0;
  Counts answers;
};

std::string text_of(const Counts& counts) {
  std::string out;
  for (const auto& [answer, count] : counts) out += answer + ": " + std::to_string(count) + "\n";
  return out;
}

void count_answers(const Outcome& outcome, Counts& counts) {
  for (const char* name : {"control-plane", "runtime", "layout"})
    if (const FactValue* value = outcome.output(name)) ++counts[name + (" " + model::to_string(*value))];
  for (const auto& [name, values] : outcome.collected)
    for (const std::string& value : values) ++counts[name + " " + value];
}

// Every cell has an answer that keeps every invariant, and every row fires somewhere.
Proof prove(const model::Policy& policy) {
  Proof proof;
  std::set<const model::Row*> fired;
  std::size_t broken = 0;
  proof.cells = each_cell(policy, [&](const std::vector<NamedValue>& cell) {
    const Outcome outcome = outcome_of(policy, cell);
    for (const rules::Fired& f : outcome.fired) fired.insert(f.row);
    broken += rules::broken_invariants(policy, outcome).size();
    count_answers(outcome, proof.answers);
  });
  CHECK(broken == 0);
  for (const model::Table& table : policy.tables) {
    for (const model::Row& row : table.rows) {
      INFO(row.id);
      CHECK(fired.count(&row) == 1);
      CHECK_FALSE(row.reason.empty());
      CHECK_FALSE(row.cite.empty());
    }
  }
  return proof;
}

// ---- the labeller, written again from its text

struct Labeller {
  std::int64_t nodes = 1;
  bool coupled = false, metal = false, services = false, tenants = false, python = false, edge = false;

  std::vector<NamedValue> facts() const {
    return {{"nodes", nodes},          {"tightly-coupled", coupled},
            {"bare-metal", metal},     {"long-lived-services", services},
            {"multi-tenant", tenants}, {"python-native-pipeline", python},
            {"edge-or-dev", edge}};
  }

  std::string json() const {
    const bool gang = coupled && nodes > 1;
    const std::string primary = gang && metal ? "slurm" : python ? "ray" : edge ? "k3s" : "kubernetes";
    std::string addon = primary == "slurm" ? "topology.conf for rail-aware placement" : "GPU Operator";
    if (primary == "ray") addon = std::string("KubeRay on ") + (edge ? "k3s" : "kubernetes");
    const bool on_kube = primary == "kubernetes" || primary == "k3s" || (primary == "ray" && !edge);
    if (on_kube && gang) addon = "Volcano/Kueue/KAI gang scheduler (REQUIRED) + " + addon;
    std::string out = "{\"primary\": \"" + primary + "\", \"addon\": \"" + addon + "\"";
    if (primary == "slurm" && services)
      out += ", \"hybrid\": \"partition nodes: Slurm pool + K8s pool, clear boundary\"";
    return out + "}";
  }
};

Labeller labeller(std::int64_t nodes, unsigned bits) {
  const auto bit = [&](unsigned i) { return (bits >> i & 1) != 0; };
  return {nodes, bit(0), bit(1), bit(2), bit(3), bit(4), bit(5)};
}

// The facts of one line of the recorded answers: {"facts": {"nodes": 1, "edge_or_dev": false, …}, …
std::vector<NamedValue> recorded_facts(const std::string& line) {
  std::vector<NamedValue> out;
  std::size_t at = line.find('{', 1) + 1;
  const std::size_t end = line.find('}');
  while (at < end) {
    const std::size_t open = line.find('"', at), close = line.find('"', open + 1);
    std::string name = line.substr(open + 1, close - open - 1);
    std::replace(name.begin(), name.end(), '_', '-');
    const std::size_t stop = std::min(line.find(',', close), end);
    const std::string value = line.substr(close + 3, stop - close - 3);
    const bool flag = value == "true" || value == "false";
    out.push_back(
        {std::move(name), flag ? FactValue(value == "true") : FactValue(static_cast<std::int64_t>(std::stoll(value)))});
    at = stop + 1;
  }
  return out;
}

bool has(const Outcome& outcome, const std::string& output, const std::string& value) {
  const auto* values = outcome.collection(output);
  return values != nullptr && std::find(values->begin(), values->end(), value) != values->end();
}

std::string text_of(const Outcome& outcome, std::string_view output) {
  return model::to_string(*outcome.output(output));
}

// All that the two profiles share, as one text.
std::string answer(const Outcome& outcome) {
  std::string out;
  for (const char* name : {"control-plane", "runtime", "layout"}) out += text_of(outcome, name) + " ";
  for (const char* name : {"requires", "advice"}) {
    out += "| ";
    for (const std::string& value : *outcome.collection(name)) out += value + " ";
  }
  return out;
}

}  // namespace

TEST_CASE("seed: the 256 recorded answers, byte for byte", "[profiles]") {
  const char* shared = std::getenv("MUSTER_SHARED");
  if (shared == nullptr || *shared == '\0') {
    WARN("MUSTER_SHARED is not set: the recorded answers of the labeller are not compared");
    CHECK(std::getenv("CI") == nullptr);  // there it must be
    return;
  }
  std::ifstream in(std::string(shared) + "/seeds/labeller-256.jsonl");
  REQUIRE(in);
  const model::Policy seed = rules::profile("seed");
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    const std::string wanted = line.substr(0, line.find("\"recommend\": ") + 13) +
                               cli::seed_json(outcome_of(seed, recorded_facts(line))) + "}";
    REQUIRE(wanted == line);
  }
  CHECK(lines == 256);
}

TEST_CASE("seed, edge 5: the same facts give the same bytes, in any order", "[profiles]") {
  const model::Policy seed = rules::profile("seed"), again = rules::profile("seed");
  for (unsigned bits = 0; bits < 64; ++bits) {
    auto facts = labeller(8, bits).facts();
    const std::string first = cli::seed_json(outcome_of(seed, facts));
    for (std::size_t turns = 0; turns < facts.size(); ++turns) {
      std::rotate(facts.begin(), facts.begin() + 1, facts.end());
      REQUIRE(cli::seed_json(outcome_of(again, facts)) == first);
    }
  }
}

TEST_CASE("seed, edge 7: the labeller written again agrees everywhere", "[profiles]") {
  const model::Policy seed = rules::profile("seed");
  for (std::int64_t nodes = 0; nodes <= 512; ++nodes) {
    for (unsigned bits = 0; bits < 64; ++bits) {
      const Labeller l = labeller(nodes, bits);
      REQUIRE(cli::seed_json(outcome_of(seed, l.facts())) == l.json());
    }
  }
}

TEST_CASE("seed: every cell has an answer and every row fires", "[profiles]") {
  CHECK(prove(rules::profile("seed")).cells == 128);
}

TEST_CASE("greenfield differs from seed where it says so, and nowhere else", "[profiles]") {
  const model::Policy greenfield = rules::profile("greenfield");
  std::map<std::string, int> counts;
  for (const std::int64_t nodes : {1, 2, 8, 16}) {
    for (unsigned bits = 0; bits < 64; ++bits) {
      const Labeller l = labeller(nodes, bits);
      const Outcome outcome = outcome_of(greenfield, l.facts());
      const std::string seed = l.json();
      const auto stated = [&](std::string_view text) { return seed.find(text) != std::string::npos; };
      const std::string host = stated("\"slurm\"")                     ? "slurm"
                               : stated("on k3s") || stated("\"k3s\"") ? "k3s"
                                                                       : "kubernetes";
      const bool gang = has(outcome, "requires", "gang-scheduler"), ray = text_of(outcome, "runtime") == "ray";
      counts["gang for Ray on k3s"] += gang && ray && host == "k3s" && !stated("REQUIRED");
      counts["gang otherwise"] += gang != stated("REQUIRED") && !(ray && host == "k3s");
      counts["other host"] += text_of(outcome, "control-plane") != host;
      counts["ray-on-slurm"] += has(outcome, "requires", "ray-on-slurm");
      counts["ray lost or won"] += ray != stated("\"ray\"") && host != "slurm";
      counts["gpu-stack"] += has(outcome, "requires", "gpu-stack") && !stated("GPU Operator");
      counts["gpu-stack lost"] += !has(outcome, "requires", "gpu-stack") && stated("GPU Operator");
      counts["tenants"] +=
          has(outcome, "requires", "quota-admission") || has(outcome, "requires", "slurmdbd-fairshare");
      counts["hybrid"] += (text_of(outcome, "layout") == "partitioned") != stated("hybrid");
      counts["consider-hybrid"] += has(outcome, "advice", "consider-hybrid");
    }
  }
  CHECK(counts["gang for Ray on k3s"] == 12);
  CHECK(counts["other host"] == 0);
  CHECK(counts["ray-on-slurm"] == 24);
  CHECK(counts["gpu-stack"] == 128);
  CHECK(counts["tenants"] == 128);
  CHECK(counts["hybrid"] == 0);
  CHECK(counts["gang otherwise"] == 0);
  CHECK(counts["ray lost or won"] == 0);
  CHECK(counts["gpu-stack lost"] == 0);
  CHECK(counts["consider-hybrid"] == 24);
}

// The counts were worked out apart from the rule files, by a program that knows the design only.
TEST_CASE("greenfield: no gap, no overlap, no broken invariant, no dead row", "[profiles]") {
  const Proof proof = prove(rules::profile("greenfield"));
  CHECK(proof.cells == 8 * 5 * 512);  // 2 × 2 × 2 classes of numbers, 5 of existing, 9 facts of two values
  CHECK(proof.answers == Counts{{"advice consider-hybrid", 1280},
                                {"advice edge-ignored", 1280},
                                {"advice k3s-envelope", 5120},
                                {"advice keep-working-slurm", 1792},
                                {"advice serving-layer", 6720},
                                {"advice slurm-also-fits", 720},
                                {"control-plane k3s", 4480},
                                {"control-plane kubernetes", 13440},
                                {"control-plane slurm", 2560},
                                {"layout partitioned", 1280},
                                {"layout single", 19200},
                                {"requires arch-image", 10240},
                                {"requires fabric-attachment", 1280},
                                {"requires gang-scheduler", 5120},
                                {"requires gpu-stack", 19200},
                                {"requires kuberay", 8960},
                                {"requires nvlink-domain", 10240},
                                {"requires quota-admission", 8960},
                                {"requires ray-on-slurm", 1280},
                                {"requires slurm-topology", 2560},
                                {"requires slurmdbd-fairshare", 1280},
                                {"requires topology-aware-placement", 2560},
                                {"runtime native", 10240},
                                {"runtime ray", 10240}});
}

TEST_CASE("default: no gap, no overlap, no broken invariant, no dead row", "[profiles]") {
  const Proof proof = prove(rules::profile("default"));
  CHECK(proof.cells == 8 * 5 * 512 * 7);  // and 7 kinds
  CHECK(text_of(proof.answers) == text_of(Counts{{"advice consider-hybrid", 7936},
                                                 {"advice edge-ignored", 1792},
                                                 {"advice k3s-envelope", 13312},
                                                 {"advice plane-missing", 48128},
                                                 {"advice serving-layer", 17600},
                                                 {"advice slurm-also-fits", 1456},
                                                 {"control-plane k3s", 6272},
                                                 {"control-plane kubernetes", 54656},
                                                 {"control-plane none", 28672},
                                                 {"control-plane slurm", 53760},
                                                 {"layout partitioned", 12544},
                                                 {"layout single", 130816},
                                                 {"requires arch-image", 57344},
                                                 {"requires fabric-attachment", 5888},
                                                 {"requires gang-scheduler", 19968},
                                                 {"requires gpu-stack", 73472},
                                                 {"requires kuberay", 30464},
                                                 {"requires nvlink-domain", 57344},
                                                 {"requires quota-admission", 30464},
                                                 {"requires ray-on-slurm", 26880},
                                                 {"requires slurm-topology", 16896},
                                                 {"requires slurmdbd-fairshare", 26880},
                                                 {"requires topology-aware-placement", 11776},
                                                 {"runtime native", 71680},
                                                 {"runtime ray", 71680}}));
}

TEST_CASE("default without a site is greenfield", "[profiles]") {
  const model::Policy standard = rules::profile("default"), greenfield = rules::profile("greenfield");
  std::size_t compared = 0;
  each_cell(standard, [&](const std::vector<NamedValue>& cell) {
    std::vector<NamedValue> facts;
    bool unknown = false;
    for (const NamedValue& fact : cell) {
      if (fact.name == "existing") unknown = fact.value == FactValue(std::string("unknown"));
      if (fact.name != "kind") facts.push_back(fact);
    }
    if (!unknown) return;
    ++compared;
    REQUIRE(answer(outcome_of(standard, cell)) == answer(outcome_of(greenfield, facts)));
  });
  CHECK(compared == 8 * 512 * 7);
}

TEST_CASE("a class answers for all its numbers", "[profiles]") {
  const model::Policy policy = rules::profile("default");
  std::uint64_t state = 1;  // any cell will do; the same on every run
  const auto draw = [&](std::size_t n) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state >> 33) % n;
  };
  for (std::int64_t n = 1; n <= 4096; ++n) {
    std::vector<NamedValue> cell, representative;
    for (const model::FactDeclaration& fact : policy.facts) {
      const auto values = classes(policy, fact);
      const bool number = fact.type == model::FactType::integer;
      const FactValue value =
          number ? FactValue(static_cast<std::int64_t>(draw(2) == 0 ? n : 1 + draw(512))) : values[draw(values.size())];
      cell.push_back({fact.name, value});
      const auto above = number ? std::upper_bound(values.begin(), values.end(), value) : values.end();
      representative.push_back({fact.name, number ? *std::prev(above) : value});
    }
    REQUIRE(answer(outcome_of(policy, cell)) == answer(outcome_of(policy, representative)));
  }
}

}  // namespace profiles_test
