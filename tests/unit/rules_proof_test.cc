// The proof of policies: what it finds, that its two ways agree, and that no slip in the built-in rules passes.
#include <cstdio>
#include <map>
#include <set>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "rules/cases.h"
#include "rules/diff.h"
#include "rules/digest.h"
#include "rules/explain.h"
#include "rules/profiles.h"
#include "rules/verify.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/unit/rules_mutants.h"

namespace rules_proof_test {

namespace {

using namespace muster;
using model::FactValue;
using rules::Evidence;
using rules::Finding;
using rules::NamedValue;

model::Module read(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  const auto tree = syntax::parse(sources, sources.add("test.muster", text), diagnostics);
  REQUIRE(tree);
  model::Module out = sema::check({*tree}, sources, {}, diagnostics);
  for (const Diagnostic& d : diagnostics.sorted()) FAIL(d.message);
  return out;
}

// Two tables over nodes and a word, to be broken.
model::Policy small(const std::string& rows, const std::string& more = "") {
  return read(
             "rules r { version = \"1.0.0\"\n fact nodes { type = int min = 1 }\n fact quiet { type = bool default = "
             "false "
             "}\n fact size { type = sym values = [s, m, l] default = s }\n table plane { hit = unique\n" +
             rows + "\n}\n" + more + "}")
      .policies.at(0);
}

std::string row(const std::string& id, const std::string& when, const std::string& sets) {
  return "row " + id + " { reason = \"r\" when " + when + " { " + sets + " } }\n";
}

// "gap plane 3 nodes=1, size=m".
std::string found(const model::Policy& policy) {
  std::string out;
  for (const Finding& f : rules::verify(policy).findings) {
    out += (out.empty() ? "" : "; ") + std::string(rules::name(f.kind)) + " " + f.subject;
    if (f.witness) out += " " + std::to_string(f.cells) + " " + rules::describe(policy, *f.witness);
  }
  return out;
}

const std::string whole = row("A", "nodes <= 4", "plane = a") + row("B", "nodes > 4 and size != l", "plane = b") +
                          row("C", "nodes > 4 and size == l and not quiet", "plane = c") +
                          row("D", "nodes > 4 and size == l and quiet", "plane = d");

// Whether one of the three nets catches a mutant: a named case, or the proof.
bool caught(const model::Policy& policy, const std::vector<model::Case>& cases) {
  const rules::Space space(policy);
  for (const model::Case& test : cases)
    if (!rules::run(policy, space, test).failures.empty()) return true;
  return !rules::verify(policy).findings.empty();
}

}  // namespace

TEST_CASE("the proof names what is wrong, with the first cell and how many", "[rules]") {
  CHECK(found(small(whole)).empty());
  CHECK(
      found(small(row("A", "nodes <= 4", "plane = a") + row("B", "nodes > 4 and size != l and quiet", "plane = b"))) ==
      "gap plane 4 nodes=5; dead-fact quiet; dead-fact size");
  CHECK(found(small(whole + row("E", "nodes > 7 and size == m and quiet", "plane = e"))) ==
        "overlap plane 1 nodes=8, quiet=true, size=m");
  CHECK(found(small(row("A", "true", "plane = a") + row("B", "quiet and size == l", "plane = a"))).find("overlap") ==
        0);
  const std::string unread = found(small(row("A", "nodes <= 4", "plane = a") + row("B", "nodes > 4", "plane = b")));
  CHECK(unread == "dead-fact quiet; dead-fact size");
  const std::string table = "table more { hit = collect\n";
  CHECK(found(small(whole, table + row("M", "plane == z", "tags = x") + "}")) == "unreachable M; unknown-value M");
  CHECK(found(small(whole, table + row("M", "plane != z", "tags = x") + "}")) == "unknown-value M");
  CHECK(found(small(whole, "table late { hit = first\n" + row("L1", "quiet", "late = x") +
                               row("L2", "true", "late = y") + row("L3", "size == m", "late = z") + "}")) ==
        "unreachable L3");
}

TEST_CASE("the proof keeps invariants", "[rules]") {
  const auto invariant = [](const std::string& text) { return "invariant I { when " + text + " }"; };
  CHECK(found(small(whole, invariant("nodes > 4 and quiet { assert plane in [b, d], \"t\" }"))).empty());
  CHECK(found(small(whole, invariant("nodes > 4 { assert plane in [b, d], \"t\" }"))) ==
        "broken-invariant I 1 nodes=5, size=l");
  CHECK(found(small(whole, invariant("plane == a and nodes > 4 { assert quiet, \"t\" }"))) == "idle-invariant I");
  const std::string tags =
      "table more { hit = collect\n" + row("M", "nodes > 4", "tags = x") + row("N", "quiet", "tags = y") + "}";
  CHECK(found(small(whole, tags + invariant("plane == d { assert tags == y, \"t\" }"))).empty());
  CHECK(found(small(whole, tags + invariant("plane == c { assert tags == y, \"t\" }"))) ==
        "broken-invariant I 1 nodes=5, size=l");
  CHECK(found(small(whole, tags + invariant("tags == y { assert quiet, \"t\" }"))).empty());
  CHECK(found(small(whole, tags + invariant("tags != y { assert not quiet, \"t\" }"))).empty());
}

// Boxes are trusted above 2^20 cells because below they say the same of everything, faulty policies among them.
TEST_CASE("cells and boxes find the same", "[rules]") {
  std::size_t compared = 0, faulty = 0;
  const auto agree = [&](const model::Policy& policy) {
    const rules::Space space(policy);
    const auto boxes = rules::by_boxes(policy, space);
    REQUIRE(boxes);
    const Evidence cells = rules::by_enumeration(policy, space);
    CHECK(cells.cells == boxes->cells);
    CHECK(cells.gaps == boxes->gaps);
    CHECK(cells.overlaps == boxes->overlaps);
    CHECK(cells.reached == boxes->reached);
    CHECK(cells.asked == boxes->asked);
    CHECK(cells.broken == boxes->broken);
    CHECK(cells.reactions == boxes->reactions);
    ++compared;
    faulty += cells.gaps.empty() && cells.overlaps.empty() && cells.broken.empty() ? 0 : 1;
  };
  for (const std::string_view name : rules::profile_names()) agree(rules::profile(name));
  for (const char* name : {"seed", "greenfield"}) {
    const model::Policy policy = rules::profile(name);
    const auto mutants = MutantMaker(policy).all();
    for (std::size_t i = 0; i < mutants.size(); i += name[0] == 's' ? 1 : 8) agree(mutants[i].policy);
  }
  CHECK(compared > 50);
  CHECK(faulty > 10);
}

TEST_CASE("a space beyond 2^20 cells is proven by boxes", "[rules]") {
  std::string facts, rows;
  for (int i = 0; i < 30; ++i) {
    facts += "fact f" + std::to_string(i) + " { type = bool default = false }\n";
    rows += "row R" + std::to_string(i) + " { reason = \"r\" when f" + std::to_string(i) + " { tags = t" +
            std::to_string(i) + " } }\n";
  }
  const model::Policy policy =
      read("rules r { version = \"1.0.0\"\n" + facts + "table t { hit = collect\n" + rows + "} }").policies.at(0);
  const rules::Verification result = rules::verify(policy);
  CHECK(result.cells == std::uint64_t{1} << 30);
  CHECK_FALSE(result.enumerated);
  CHECK(result.findings.empty());
  CHECK(result.depends.at(0).second.size() == 30);
}

TEST_CASE("the built-in profiles are proven, and every named case holds", "[rules]") {
  const std::map<std::string_view, std::uint64_t> cells = {{"seed", 128}, {"greenfield", 20'480}, {"default", 143'360}};
  for (const std::string_view name : rules::profile_names()) {
    INFO(name);
    const model::Policy policy = rules::profile(name);
    const rules::Verification result = rules::verify(policy);
    CHECK(result.cells == cells.at(name));
    CHECK(result.findings.empty());
    const rules::Space space(policy);
    std::vector<rules::CaseResult> results;
    for (const model::Case& test : read(std::string(rules::profile_cases(name))).cases) {
      INFO(test.name);
      results.push_back(rules::run(policy, space, test));
      CHECK(results.back().failures.empty());
      CHECK_FALSE(test.expect.empty());
    }
    CHECK(rules::coverage(policy, space, results, "").missing.empty());
  }
}

// Every row deleted, every condition widened or dropped, every threshold moved. A mutant that answers every cell as
// the policy does is no fault: the difference by boxes proves it.
TEST_CASE("no slip in the built-in rules passes", "[rules]") {
  std::size_t total = 0, same = 0;
  for (const std::string_view name : rules::profile_names()) {
    const model::Policy policy = rules::profile(name);
    const auto cases = read(std::string(rules::profile_cases(name))).cases;
    REQUIRE_FALSE(caught(policy, cases));
    for (const Mutant& mutant : MutantMaker(policy).all()) {
      if (++total % tests::case_step != 0) continue;
      if (caught(mutant.policy, cases)) continue;
      const auto diff = rules::diff(policy, mutant.policy);
      INFO(name << ": " << mutant.what);
      REQUIRE(diff);
      CHECK(diff->items.empty());
      ++same;
    }
  }
  std::printf("rules: %zu mutants, %zu of them change no answer, none of the others survives\n", total, same);
  CHECK(total > 500);
  CHECK(same < 40);
}

TEST_CASE("a case fails on a wrong value and on a row that is gone", "[rules]") {
  model::Policy policy = small(whole);
  const rules::Space space(policy);
  model::Case test{"c", {{"nodes", FactValue(std::int64_t{5})}}, {{"plane", {"b"}}}, {"B"}, {}};
  CHECK(rules::run(policy, space, test).failures.empty());
  test.expect[0].second = {"a"};
  CHECK(rules::run(policy, space, test).failures == std::vector<std::string>{"`plane` is `b`, not `a`"});
  test.expect[0].second = {"b"};
  test.rows = {"GONE"};
  CHECK(rules::run(policy, space, test).failures == std::vector<std::string>{"row `GONE` does not apply"});
}

TEST_CASE("sha256 is that of FIPS 180-4", "[rules]") {
  CHECK(rules::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(rules::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(rules::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST_CASE("the build wrote the digest of each built-in profile", "[rules]") {
  for (const std::string_view name : rules::profile_names()) {
    const model::Policy policy = rules::profile(name);
    CHECK(policy.known_digest == rules::sha256(rules::canonical_text(policy)));
    CHECK(rules::digest(policy) == policy.known_digest);
  }
}

TEST_CASE("the digest changes with every part of a policy that counts", "[rules]") {
  model::Policy policy = rules::profile("default");
  policy.known_digest.clear();  // it is changed below
  std::set<std::string> digests{rules::digest(policy)};
  for (const Mutant& mutant : MutantMaker(policy).all()) digests.insert(rules::digest(mutant.policy));
  model::Policy reworded = policy;
  reworded.tables[0].rows[0].reason += "!";
  digests.insert(rules::digest(reworded));
  CHECK(digests.size() == MutantMaker(policy).all().size() + 2);
}

TEST_CASE("a difference is boxes and a step", "[rules]") {
  const model::Policy before = small(whole);
  model::Policy after = before;
  after.version = "1.0.1";
  after.tables[0].rows[0].reason = "better";
  auto diff = rules::diff(before, after);
  REQUIRE(diff);
  CHECK((diff->items.empty() && diff->needed == rules::Step::patch && diff->taken == rules::Step::patch));
  after = small(row("A", "nodes <= 3", "plane = a") + row("B", "nodes > 3 and size != l", "plane = b") +
                row("C", "nodes > 3 and size == l and not quiet", "plane = c") +
                row("D", "nodes > 3 and size == l and quiet", "plane = d"));
  diff = rules::diff(before, after);
  REQUIRE(diff);
  CHECK((diff->needed == rules::Step::major && diff->taken == rules::Step::none));
  REQUIRE(diff->items.size() == 3);
  CHECK((diff->items[0].from == "a" && diff->items[0].to == "b" && diff->items[0].cells == 4));
  CHECK(diff->items[0].boxes == std::vector<std::string>{"nodes = 4 and size in [s, m]"});
  CHECK(diff->items[1].boxes == std::vector<std::string>{"nodes = 4 and not quiet and size = l"});
  model::Policy more = rules::profile("default");
  more.tables.back().rows.pop_back();
  diff = rules::diff(rules::profile("default"), more);
  REQUIRE(diff);
  CHECK(diff->needed == rules::Step::minor);
}

}  // namespace rules_proof_test
