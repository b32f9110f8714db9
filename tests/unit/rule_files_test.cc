// Rule files: how they are read, and that the built-in tables are what theirs say.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "rules/digest.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/places.h"

namespace rule_files_test {

namespace {

using namespace muster;
using model::Compare;
using model::FactValue;

struct Loaded {
  model::Module module;
  Diagnostics diagnostics;
};

Loaded load(std::string text) {
  Loaded out;
  Sources sources;
  const std::uint32_t file = sources.add("test.muster", std::move(text));
  if (const auto tree = syntax::parse(sources, file, out.diagnostics)) {
    out.module = sema::check({*tree}, sources, {}, out.diagnostics);
  }
  return out;
}

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string messages(const std::string& text) {
  std::string out;
  for (const Diagnostic& d : load(text).diagnostics.sorted())
    out += std::string(info(d.code).name) + ": " + d.message + " (" + d.primary_label + ")\n";
  return out;
}

// A rule file around one row's `when`.
std::string rule_file(const std::string& when) {
  return "rules r { version = \"1.0.0\"\n fact nodes { type = int min = 1 }\n fact metal { type = bool default = false "
         "}\n"
         "fact kind { type = sym values = [train, serve] default = train }\n threshold most { value = 4 source = "
         "\"us\" }\n"
         "table t { hit = first\n row T-1 { reason = \"r\" when " +
         when + " }\n row T-2 { reason = \"r\" when true { out = b } } } }";
}

}  // namespace

TEST_CASE("the built-in tables are those of the files", "[profiles]") {
  for (const std::string_view name : rules::profile_names()) {
    const std::string rules = muster::tests::source_folder() + "/rules/";
    const Loaded file =  // the add-ons are rules that the profiles extend
        load(file_text(rules + "addons.muster") + file_text(rules + "profiles/" + std::string(name) + ".muster"));
    REQUIRE(file.diagnostics.empty());
    REQUIRE(file.module.policies.size() == 2);
    const model::Policy &a = file.module.policies[1], b = rules::profile(name);
    CHECK(rules::canonical_text(a) == rules::canonical_text(b));
    CHECK(rules::profile_cases(name) == file_text(rules + "profiles/" + std::string(name) + ".tests.muster"));
    const auto same_terms = [](const std::vector<model::Term>& x, const std::vector<model::Term>& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& p, const auto& q) {
        return p.fact == q.fact && p.compare == q.compare && p.values == q.values && p.text == q.text;
      });
    };
    const auto same_sets = [](const auto& x, const auto& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto& p, const auto& q) {
        return p.output == q.output && p.value == q.value && p.prepend == q.prepend;
      });
    };
    CHECK(a.name == b.name);
    CHECK(a.version == b.version);
    REQUIRE(a.facts.size() == b.facts.size());
    for (std::size_t i = 0; i < a.facts.size(); ++i) {
      const model::FactDeclaration &x = a.facts[i], &y = b.facts[i];
      INFO(x.name);
      CHECK((x.name == y.name && x.type == y.type && x.values == y.values && x.min == y.min && x.max == y.max));
      CHECK((x.fallback == y.fallback && x.default_from == y.default_from));
    }
    REQUIRE(a.thresholds.size() == b.thresholds.size());
    for (std::size_t i = 0; i < a.thresholds.size(); ++i) {
      const model::Threshold &x = a.thresholds[i], &y = b.thresholds[i];
      INFO(x.name);
      CHECK((x.name == y.name && x.value == y.value && x.values == y.values && x.min == y.min && x.max == y.max &&
             x.source == y.source));
    }
    REQUIRE(a.tables.size() == b.tables.size());
    for (std::size_t i = 0; i < a.tables.size(); ++i) {
      CHECK((a.tables[i].name == b.tables[i].name && a.tables[i].hit == b.tables[i].hit));
      REQUIRE(a.tables[i].rows.size() == b.tables[i].rows.size());
      for (std::size_t j = 0; j < a.tables[i].rows.size(); ++j) {
        const model::Row &x = a.tables[i].rows[j], &y = b.tables[i].rows[j];
        INFO(x.id);
        CHECK((x.id == y.id && x.reason == y.reason && x.cite == y.cite && same_terms(x.when, y.when) &&
               same_sets(x.sets, y.sets)));
      }
    }
    REQUIRE(a.invariants.size() == b.invariants.size());
    for (std::size_t i = 0; i < a.invariants.size(); ++i) {
      const model::Invariant &x = a.invariants[i], &y = b.invariants[i];
      INFO(x.id);
      CHECK((x.id == y.id && x.locked == y.locked && x.text == y.text && same_terms(x.when, y.when) &&
             same_terms({x.then}, {y.then})));
    }
  }
}

TEST_CASE("conditions of a rule file", "[profiles]") {
  const Loaded file =
      load(rule_file("not metal and nodes > $most and not kind in [serve] and kind != serve { out = a }"));
  REQUIRE(messages(rule_file("metal { out = a }")).empty());
  REQUIRE(file.diagnostics.empty());
  const auto& when = file.module.policies[0].tables[0].rows[0].when;
  REQUIRE(when.size() == 4);
  CHECK((when[0].compare == Compare::equal && when[0].values[0] == FactValue(false)));
  CHECK((when[1].compare == Compare::greater && when[1].values[0] == FactValue(std::int64_t{4}) &&
         when[1].text == "nodes > $most"));
  CHECK((when[2].compare == Compare::not_in && when[3].compare == Compare::not_equal));
  CHECK(file.module.policies[0].tables[0].rows[1].when.empty());
}

TEST_CASE("what is wrong in a rule file is named", "[profiles]") {
  const auto starts = [](const std::string& when, const std::string& wanted) {
    const std::string got = messages(rule_file(when));
    INFO(when << " gave " << got);
    CHECK(got.substr(0, wanted.size()) == wanted);
    CHECK(std::count(got.begin(), got.end(), '\n') == 1);
  };
  starts("metal or nodes > 1 { out = a }", "rule-condition: the condition of a rule cannot use `or` (write two rows)");
  starts("not (metal and nodes > 1) { out = a }", "rule-condition: `not` can only precede a fact or `… in […]`");
  starts("nodes + 1 > 2 { out = a }", "rule-condition: the left side of a comparison must be a fact");
  starts("4 < nodes { out = a }", "rule-condition: the left side of a comparison must be a fact");
  starts("nodes in 2..4 { out = a }",
         "rule-condition: `in` requires a list in a rule (write a range with `>=` and `<=`)");
  starts("node > 1 { out = a }", "unknown-fact: `node` is not a declared fact or an output of an earlier table");
  starts("out == b { out = a }", "unknown-fact: `out` is not a declared fact");  // set by this very table
  starts("nodes > $mots { out = a }", "unknown-variable: threshold `mots` is not declared");
  starts("nodes > many { out = a }", "wrong-type: `nodes` is a whole number, found `many`");
  starts("kind > train { out = a }", "wrong-type: `kind` is a symbol; only numbers can be ordered");
  starts("kind == trian { out = a }", "unknown-symbol: `trian` is not a value of `kind`");
  starts("kind { out = a }", "wrong-type: `kind` is a symbol and is not compared with a value");
  starts("nodes { out = a }", "wrong-type: `nodes` is a whole number and is not compared with a value");
  starts("metal { nodes = 4 }", "duplicate-name: `nodes` is a fact; rows can only set outputs");
  starts("metal { out = 4 }", "wrong-type: `out` is a whole number in another row");
  starts("metal { out = concat(\"x\", out) }", "unknown-fact: `out` is not set by an earlier table");
  starts("metal { out = concat(out, \"x\") }", "wrong-type: an output must be a constant or");
  starts("metal { out = a  out = b }", "duplicate-key: `out` is set twice");
}

}  // namespace rule_files_test
