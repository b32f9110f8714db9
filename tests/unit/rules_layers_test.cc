// Layers of rules: what a site or a team may change, and what it may not.
#include <algorithm>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "rules/digest.h"
#include "rules/profiles.h"
#include "rules/verify.h"
#include "tests/catch.h"

namespace rules_layers_test {

namespace {

using namespace muster;
using model::FactValue;

struct Loaded {
  std::vector<model::Policy> policies;
  std::string messages;
};

Loaded load(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  Loaded out;
  std::vector<model::Policy> profiles{rules::addons()};
  for (const std::string_view name : rules::profile_names()) profiles.push_back(rules::profile(name));
  sema::CheckOptions options;
  options.profiles = profiles;
  if (const auto tree = syntax::parse(sources, sources.add("test.muster", text), diagnostics))
    out.policies = sema::check({*tree}, sources, options, diagnostics).policies;
  for (const Diagnostic& d : diagnostics.sorted()) out.messages += info(d.code).name + ": " + d.message + "\n";
  return out;
}

std::string layer(const std::string& body, const std::string& extends = "default") {
  return "rules lab { version = \"1.0.0\"\n extends = [" + extends + "]\n" + body + "\n}";
}

model::Policy good(const std::string& text) {
  Loaded loaded = load(text);
  INFO(loaded.messages);
  REQUIRE(loaded.messages.empty());
  return loaded.policies.back();
}

std::string bad(const std::string& body) { return load(layer(body)).messages; }

const model::Row* row_of(const model::Policy& policy, const std::string& id) {
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      if (row.id == id) return &row;
  return nullptr;
}

const std::string edit = " { reason = \"r\"  owner = \"ops\"  expires = \"2027-01-31\" }\n";

}  // namespace

TEST_CASE("a layer without edits answers as the layer below", "[rules]") {
  const model::Policy lab = good(layer(""));
  CHECK(lab.layers == std::vector<std::string>{"default", "lab"});
  CHECK(lab.tables.size() == rules::profile("default").tables.size());
  CHECK(rules::verify(lab).findings.empty());
  CHECK(rules::digest(lab) != rules::digest(rules::profile("default")));  // another name
  CHECK(rules::digest(lab) == rules::sha256(rules::canonical_text(lab)));
}

TEST_CASE("a layer sets thresholds within their bounds, and every condition follows", "[rules]") {
  const model::Policy lab =
      good(layer("threshold k3s-max-fleet-nodes { value = 64 source = \"ours\" }\n threshold serve-plane { value = "
                 "slurm source = \"ours\" }"));
  CHECK(row_of(lab, "CP-021")->when[2].values[0] == FactValue(std::int64_t{64}));
  CHECK(row_of(lab, "SP-050")->sets[0].value == FactValue(std::string("slurm")));
  for (const model::Threshold& t : lab.thresholds)
    CHECK(t.layer == (t.name == "k3s-max-fleet-nodes" || t.name == "serve-plane" ? "lab" : "default"));
  CHECK(bad("threshold k3s-max-fleet-nodes { value = 1801 source = \"s\" }").find("out-of-range: ") == 0);
  CHECK(bad("threshold gang-min-nodes { value = 2 source = \"s\" }").find("out-of-range: ") == 0);
  CHECK(bad("threshold serve-plane { value = k3s source = \"s\" }").find("unknown-symbol: ") == 0);
  CHECK(bad("threshold serve-plane { value = 3 source = \"s\" }").find("wrong-type: ") == 0);
  CHECK(bad("threshold k3s-max-fleet-nodes { value = 9 max = 9999 source = \"s\" }").find("locked-item: ") == 0);
}

TEST_CASE("a layer disables, adds and replaces rows", "[rules]") {
  const std::string added =
      "table advice { hit = collect row LAB-1 { reason = \"r\" when kind == dev { advice = ask-us } } }\n";
  const model::Policy lab =
      good(layer("disable AD-030" + edit + added +
                 "table layout { hit = unique row LY-020 { reason = \"ours\" when control-plane == slurm and not "
                 "long-lived-services { layout = shared } } }"));
  CHECK(row_of(lab, "AD-030") == nullptr);
  REQUIRE(lab.disabled.size() == 1);
  CHECK((lab.disabled[0].owner == "ops" && lab.disabled[0].layer == "lab"));
  CHECK((row_of(lab, "LAB-1")->layer == "lab" && row_of(lab, "LY-020")->reason == "ours"));
  CHECK(rules::verify(lab).findings.empty());
  CHECK(bad("disable AD-999" + edit).find("unknown-name: ") == 0);
  CHECK(bad("disable AD-030 { reason = \"r\"  owner = \"o\"  expires = \"soon\" }").find("bad-date: ") == 0);
  CHECK(bad("disable AD-030 { reason = \"r\" }").find("missing-key: ") == 0);
  CHECK(bad("table layout { hit = collect row X { reason = \"r\" when true { layout = a } } }").find("conflict: ") ==
        0);
  CHECK(bad("table runtime { hit = unique row LY-020 { reason = \"r\" when true { runtime = ray } } }")
            .find("duplicate-name: ") == 0);
}

TEST_CASE("a layer that breaks the whole is found by its proof", "[rules]") {
  const auto first = [](const std::string& body) {
    const auto findings = rules::verify(good(layer(body))).findings;
    REQUIRE_FALSE(findings.empty());
    return std::string(rules::name(findings[0].kind)) + " " + findings[0].subject;
  };
  CHECK(first("disable RT-020" + edit) == "gap runtime");
  CHECK(first("table runtime { hit = unique row LAB-1 { reason = \"r\" when nodes > 9 { runtime = ray } } }") ==
        "overlap runtime");
  CHECK(first("disable RQ-010" + edit) == "broken-invariant INV-001");
  const auto moved = rules::verify(
      good(layer("table control-plane { hit = unique row SP-040 { reason = \"r\" when existing == kubernetes { "
                 "control-plane = slurm } } }")));
  CHECK(std::any_of(moved.findings.begin(), moved.findings.end(), [](const rules::Finding& f) {
    return f.kind == rules::Finding::Kind::broken_invariant && f.subject == "INV-012" && f.witness;
  }));
}

TEST_CASE("what is locked stays", "[rules]") {
  CHECK(bad("disable INV-011" + edit).find("locked-item: ") == 0);
  CHECK(bad("invariant INV-001 { when nodes > 1 { assert requires == x, \"t\" } }").find("locked-item: ") == 0);
  CHECK(load(layer("", "seed")).messages.find("locked-item: ") == 0);
  const std::string base =
      "rules base { version = \"1.0.0\" fact a { type = bool default = false } table t { hit = collect row R { reason "
      "= \"r\" locked = true "
      "when a { out = x } } } }\n";
  CHECK(load(base + layer("disable R" + edit, "base")).messages.find("locked-item: ") == 0);
  CHECK(load(base + layer("table t { hit = collect row R { reason = \"r\" when a { out = y } } }", "base"))
            .messages.find("locked-item: ") == 0);
}

TEST_CASE("layers stand on layers, in the order of extends", "[rules]") {
  const std::string site =
      "rules site { version = \"1.0.0\" extends = [default] threshold serve-plane { value = slurm source = \"s\" } }\n";
  const model::Policy team = good(site + layer("threshold serve-plane { value = kubernetes source = \"t\" }", "site"));
  CHECK(team.layers == std::vector<std::string>{"default", "site", "lab"});
  CHECK(row_of(team, "SP-050")->sets[0].value == FactValue(std::string("kubernetes")));
  CHECK(load(layer("", "nowhere")).messages == "unknown-name: unknown rules `nowhere`\n");
  CHECK(load("rules a { version = \"1.0.0\" extends = [b] } rules b { version = \"1.0.0\" extends = [a] }")
            .messages.find("cycle: ") == 0);
  CHECK(load(layer("", "default, greenfield")).messages.find("conflict: ") == 0);
  std::string deep = "rules l0 { version = \"1.0.0\" extends = [default] }\n";
  for (int i = 1; i < 20; ++i)
    deep += "rules l" + std::to_string(i) + " { version = \"1.0.0\" extends = [l" + std::to_string(i - 1) + "] }\n";
  CHECK(load(deep).messages.find("rules-too-large: ") == 0);
}

TEST_CASE("sets that are empty and conditions that nothing meets", "[rules]") {
  const auto row = [](const std::string& when) {
    return bad("table advice { hit = collect row LAB-1 { reason = \"r\" when " + when + " { advice = x } } }");
  };
  CHECK(row("nodes > 4").empty());
  CHECK(row("kind in []").find("empty-set: ") == 0);
  CHECK(row("nodes > 8 and nodes < 4").find("impossible-condition: ") == 0);
  CHECK(row("nodes > 8 and nodes < 10").empty());
  CHECK(row("nodes > 8 and nodes < 9").find("impossible-condition: ") == 0);
  CHECK(row("nodes < 1").find("impossible-condition: ") == 0);
  CHECK(row("kind == dev and kind != dev").find("impossible-condition: ") == 0);
  CHECK(row("edge-or-dev and not edge-or-dev").find("impossible-condition: ") == 0);
  CHECK(row("runtime == ray and runtime == native").find("impossible-condition: ") == 0);
  CHECK(row("layout in [single] and not layout in [single]").find("impossible-condition: ") == 0);
}

TEST_CASE("what a threshold excludes is a finding, not a file that cannot be read", "[rules]") {
  const std::string text =
      "rules r { version = \"1.0.0\"\n fact nodes { type = int min = 1 }\n"
      "threshold least { value = 0 source = \"s\" }\n"
      "table t { hit = unique row A { reason = \"r\" when nodes > $least { out = x } }\n"
      "row B { reason = \"r\" when nodes <= $least { out = y } } } }";
  const auto findings = rules::verify(good(text)).findings;
  REQUIRE_FALSE(findings.empty());
  CHECK((findings[0].kind == rules::Finding::Kind::unreachable && findings[0].subject == "B"));
}

TEST_CASE("tables that read each other have no order", "[rules]") {
  const std::string text =
      "rules r { version = \"1.0.0\" fact a { type = bool default = false }\n"
      "table t { hit = first row T { reason = \"r\" when out2 == x { out = x } } }\n"
      "table u { hit = first row U { reason = \"r\" when out == x { out2 = x } } } }";
  CHECK(load(text).messages.find("table-order: `out2` is set by the later table `u`") == 0);
}

}  // namespace rules_layers_test
