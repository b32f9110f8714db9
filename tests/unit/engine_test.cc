// The rule engine on small policies made by hand.
#include "rules/engine.h"

#include <algorithm>

#include "tests/catch.h"

namespace engine_test {

namespace {

using namespace muster;
using model::Compare;
using model::FactType;
using model::FactValue;
using model::Hit;
using rules::EvaluationError;
using rules::NamedValue;
using rules::Outcome;
using Kind = rules::EvaluationError::Kind;

FactValue word(std::string text) { return text; }
FactValue number(std::int64_t n) { return n; }

model::Term term(std::string fact, Compare compare, std::vector<FactValue> values) {
  return {std::move(fact), compare, std::move(values), {}, {}};
}

model::Row row(std::string id, std::vector<model::Term> when, std::vector<model::Assignment> sets) {
  return {std::move(id), "reason", "cite", std::move(when), std::move(sets), {}};
}

model::FactDeclaration fact(std::string name, FactType type) {
  model::FactDeclaration out;
  out.name = std::move(name);
  out.type = type;
  return out;
}

// nodes 1..100, fleet-nodes from nodes, quiet false, size one of small and large.
model::Policy policy_with(std::vector<model::Table> tables) {
  model::Policy policy;
  policy.name = "tiny";
  policy.facts = {fact("nodes", FactType::integer), fact("fleet-nodes", FactType::integer),
                  fact("quiet", FactType::boolean), fact("size", FactType::symbol)};
  policy.facts[0].min = 1;
  policy.facts[0].max = 100;
  policy.facts[1].default_from = "nodes";
  policy.facts[2].fallback = FactValue(false);
  policy.facts[3].values = {"small", "large"};
  policy.facts[3].fallback = word("small");
  policy.tables = std::move(tables);
  return policy;
}

Outcome good(const model::Policy& policy, const std::vector<NamedValue>& facts) {
  auto result = rules::evaluate(policy, facts);
  if (const auto* error = std::get_if<EvaluationError>(&result)) FAIL(error->text);
  return std::get<Outcome>(result);
}

EvaluationError bad(const model::Policy& policy, const std::vector<NamedValue>& facts) {
  auto result = rules::evaluate(policy, facts);
  REQUIRE(std::holds_alternative<EvaluationError>(result));
  return std::get<EvaluationError>(result);
}

const model::Table by_nodes{
    "plane",
    Hit::unique,
    {row("P-1", {term("nodes", Compare::at_most, {number(4)})}, {{"plane", word("small"), false}}),
     row("P-2", {term("nodes", Compare::greater, {number(4)})}, {{"plane", word("big"), false}})},
    {}};

}  // namespace

TEST_CASE("facts take their defaults", "[engine]") {
  const Outcome outcome = good(policy_with({by_nodes}), {{"nodes", number(7)}});
  REQUIRE(outcome.facts.size() == 4);
  CHECK(outcome.facts[0].value == number(7));
  CHECK(outcome.facts[1].value == number(7));  // default-from
  CHECK(outcome.facts[2].value == FactValue(false));
  CHECK(outcome.facts[3].value == word("small"));
  CHECK(*outcome.output("plane") == word("big"));
  const Outcome given = good(policy_with({by_nodes}), {{"fleet-nodes", number(50)}, {"nodes", number(1)}});
  CHECK(given.facts[1].value == number(50));
  CHECK(*given.output("plane") == word("small"));
}

TEST_CASE("a fact that the policy does not have is an error", "[engine]") {
  const EvaluationError error = bad(policy_with({by_nodes}), {{"nodes", number(1)}, {"node", number(1)}});
  CHECK(error.kind == Kind::unknown_fact);
  CHECK(error.subject == "node");
  CHECK(error.text == "profile `tiny` has no fact `node`; did you mean `nodes`?");
}

TEST_CASE("a required fact is asked for", "[engine]") {
  const EvaluationError error = bad(policy_with({by_nodes}), {});
  CHECK(error.kind == Kind::missing_fact);
  CHECK(error.subject == "nodes");
  CHECK(error.text == "fact `nodes` is not stated and has no default; expected a whole number from 1 to 100");
}

TEST_CASE("types and ranges are checked by name", "[engine]") {
  const model::Policy policy = policy_with({by_nodes});
  const auto text = [&](std::vector<NamedValue> facts) {
    facts.push_back({"nodes", number(1)});
    const EvaluationError error = bad(policy, facts);
    CHECK(error.kind == Kind::bad_value);
    return error.text;
  };
  CHECK(bad(policy, {{"nodes", number(0)}}).text == "fact `nodes` must be a whole number from 1 to 100, found `0`");
  CHECK(bad(policy, {{"nodes", number(101)}}).kind == Kind::bad_value);
  CHECK(bad(policy, {{"nodes", FactValue(true)}}).kind == Kind::bad_value);
  CHECK(text({{"quiet", word("yes")}}) == "fact `quiet` must be true or false, found `yes`");
  CHECK(text({{"size", word("huge")}}) == "fact `size` must be one of `small` or `large`, found `huge`");
}

TEST_CASE("unique wants exactly one row", "[engine]") {
  model::Table gap = by_nodes, overlap = by_nodes;
  gap.rows.pop_back();
  overlap.rows[0].when.clear();
  const EvaluationError none = bad(policy_with({gap}), {{"nodes", number(9)}});
  CHECK(none.kind == Kind::gap);
  CHECK(none.subject == "plane");
  CHECK(none.text == "table `plane`: no row applies for nodes=9");
  const EvaluationError two = bad(policy_with({overlap}), {{"nodes", number(9)}});
  CHECK(two.kind == Kind::overlap);
  CHECK(two.text == "table `plane`: rows `P-1` and `P-2` all apply for nodes=9");
  CHECK(*good(policy_with({overlap}), {{"nodes", number(4)}}).output("plane") == word("small"));
}

TEST_CASE("collect is a sorted union, whatever the order of rows", "[engine]") {
  model::Table table{"requires",
                     Hit::collect,
                     {row("R-1", {}, {{"requires", word("zeta"), false}}),
                      row("R-2", {term("nodes", Compare::greater, {number(1)})}, {{"requires", word("alpha"), false}}),
                      row("R-3", {term("nodes", Compare::greater, {number(2)})}, {{"requires", word("zeta"), false}})},
                     {}};
  const std::vector<std::string> both{"alpha", "zeta"};
  const Outcome forward = good(policy_with({table}), {{"nodes", number(3)}});
  CHECK(*forward.collection("requires") == both);
  CHECK(forward.fired.size() == 3);
  CHECK(forward.output("requires") == nullptr);
  std::reverse(table.rows.begin(), table.rows.end());
  CHECK(*good(policy_with({table}), {{"nodes", number(3)}}).collection("requires") == both);
  // Nothing collected is an empty set, not an absent one.
  table.rows.resize(2);
  CHECK(good(policy_with({table}), {{"nodes", number(1)}}).collection("requires")->empty());
}

TEST_CASE("first takes the first row and can put text in front", "[engine]") {
  const model::Table first{"base",
                           Hit::first,
                           {row("B-1", {term("nodes", Compare::greater, {number(4)})}, {{"addon", word("big"), false}}),
                            row("B-2", {}, {{"addon", word("small"), false}, {"extra", word("x"), false}})},
                           {}};
  const model::Table front{
      "front",
      Hit::first,
      {row("F-1", {term("addon", Compare::equal, {word("big")})}, {{"addon", word("very "), true}}),
       row("F-0", {}, {})},
      {}};
  const model::Policy policy = policy_with({first, front});  // an outcome borrows the rows
  const Outcome big = good(policy, {{"nodes", number(5)}});
  CHECK(big.outputs.size() == 1);
  CHECK(*big.output("addon") == word("very big"));
  CHECK(big.fired[1].row->id == "F-1");
  const Outcome small = good(policy, {{"nodes", number(4)}});
  CHECK(*small.output("addon") == word("small"));
  CHECK(small.fired[1].row->id == "F-0");
  model::Table no_last = front;
  no_last.rows.pop_back();
  CHECK(bad(policy_with({first, no_last}), {{"nodes", number(4)}}).kind == Kind::gap);
}

TEST_CASE("of a collected output, == and in say has", "[engine]") {
  const model::Table table{
      "requires",
      Hit::collect,
      {row("R-1", {}, {{"requires", word("a"), false}}), row("R-2", {}, {{"requires", word("b"), false}})},
      {}};
  model::Policy policy = policy_with({table});
  const auto broken = [&](Compare compare, std::vector<FactValue> values) {
    policy.invariants = {{"I-1", true, {}, term("requires", compare, std::move(values)), "text", {}}};
    return !rules::broken_invariants(policy, good(policy, {{"nodes", number(1)}})).empty();
  };
  CHECK_FALSE(broken(Compare::equal, {word("a")}));
  CHECK(broken(Compare::equal, {word("c")}));
  CHECK_FALSE(broken(Compare::in, {word("c"), word("b")}));
  CHECK(broken(Compare::not_equal, {word("b")}));
  CHECK_FALSE(broken(Compare::not_equal, {word("c")}));
  CHECK(broken(Compare::not_in, {word("c"), word("b")}));
}

TEST_CASE("an invariant is asked only where its condition holds", "[engine]") {
  model::Policy policy = policy_with({by_nodes});
  policy.invariants = {{"I-1",
                        false,
                        {term("nodes", Compare::greater, {number(50)})},
                        term("plane", Compare::equal, {word("small")}),
                        "text",
                        {}}};
  CHECK(rules::broken_invariants(policy, good(policy, {{"nodes", number(50)}})).empty());
  const auto broken = rules::broken_invariants(policy, good(policy, {{"nodes", number(51)}}));
  REQUIRE(broken.size() == 1);
  CHECK(broken[0]->id == "I-1");
}

}  // namespace engine_test
