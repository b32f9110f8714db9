// The rules of workloads, on the cases of their pages: `spec-fires` has findings of the rule and nothing else above an
// info, `spec-clean` none of it and nothing above an info. Each file brings its site, if it has one.
#include <algorithm>
#include <set>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "lint/rules/spec/spec.h"
#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/unit/applied_fix.h"
#include "tests/unit/rule_cases.h"

namespace muster::lint::spec_rules_test {
namespace {

using tests::case_text;

// The findings of a file's workloads, its diagnostics beside.
struct Linted {
  Sources sources;
  model::Module module;
  Diagnostics diagnostics;
  std::vector<Finding> findings;

  // A file with that text, and those that the cases of the rule's page find beside them.
  Linted(std::string_view rule, const std::string& text) {
    std::vector<ast::File> files;
    const auto add = [&](const std::string& name, const std::string& held) {
      auto tree = syntax::parse(sources, sources.add(name, held), diagnostics);
      REQUIRE(tree);
      files.push_back(std::move(*tree));
    };
    add("case.muster", text);
    for (const lint::tool::File& file : tests::rule_page(rule).beside) add(file.name, file.text);
    const std::vector<model::Policy> profiles = {rules::addons(), rules::profile("default")};
    module = sema::check(files, sources, {{}, profiles}, diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
    const model::Policy& policy = module.policies.empty() ? profiles.back() : module.policies.back();
    const model::Fleet* fleet = module.fleets.empty() ? nullptr : &module.fleets.front();
    plan::FleetState state(fleet);
    REQUIRE_FALSE(module.sites.empty());
    for (const model::Workload& workload : module.workloads) {
      plan::PlanRequest request{{&workload, &module.sites.front(), fleet, &state}};
      request.workloads = module.workloads, request.site_given = true, request.policy = &policy;
      const plan::PlanResult result = plan::make_plan(request, diagnostics);
      check_workload({{sources, &module.sites.front(), fleet}, workload, request, result, policy, findings});
    }
  }

  // "CKP001 warning 12", of what is wrong; infos of the rule alone.
  std::vector<std::string> wrong(std::string_view rule) const {
    std::vector<std::string> out;
    for (const Finding& f : findings)
      if (f.verdict == Verdict::wrong && (f.severity != Severity::info || info(f.rule).id == rule))
        out.push_back(std::string(info(f.rule).id) + ": " + f.message);
    return out;
  }
};

// What the front end and the planner find by themselves: spec_lint_test.cc has these.
bool of_workloads(const Rule& rule) {
  if (rule.id.starts_with("SPC") || rule.id.starts_with("SUP") || rule.id == "SCH013" || rule.id == "SCH014")
    return false;
  return rule.places.has(Place::spec) || rule.places.has(Place::target_block);
}

// Those whose page has a spec. That each rule that can occur in one has, spec_lint_test.cc sees.
std::vector<Rule> specs() {
  std::vector<Rule> out;
  for (const Rule& rule : all_rules())
    if (of_workloads(rule) && tests::find_case(tests::rule_page(rule.id), "spec-fires") != nullptr) out.push_back(rule);
  return out;
}

}  // namespace

TEST_CASE("a rule of workloads fires on its wrong spec alone", "[lint][spec]") {
  for (const Rule& rule : specs()) {
    INFO(rule.id);
    const Linted wrong(rule.id, case_text(rule.id, "spec-fires")), fine(rule.id, case_text(rule.id, "spec-clean"));
    const auto found = wrong.wrong(rule.id);
    CHECK_FALSE(found.empty());
    for (const std::string& line : found) CHECK(line.substr(0, 6) == rule.id);
    CHECK(fine.wrong(rule.id) == std::vector<std::string>{});
    for (const Finding& f : wrong.findings) {
      CHECK(f.primary.known());
      CHECK_FALSE(f.subject.empty());
      CHECK_FALSE(f.path.empty());
      CHECK(std::all_of(f.labels.begin(), f.labels.end(), [](const Label& l) { return l.span.known(); }));
    }
  }
}

TEST_CASE("a fix of a workload's finding ends it", "[lint][spec]") {
  std::set<std::string> fixed;
  for (const Rule& rule : specs()) {
    const std::string wrong = case_text(rule.id, "spec-fires");
    const Linted before(rule.id, wrong);
    for (const Finding& f : before.findings) {
      if (!f.fix || info(f.rule).id != rule.id) continue;
      fixed.insert(std::string(rule.id));
      const std::string text = applied(wrong, *f.fix);
      INFO(rule.id << "\n" << text);
      CHECK(Linted(rule.id, text).wrong(rule.id).empty());
      CHECK(f.fix->safe == (info(f.rule).fix == FixKind::safe));
      const Linted after(rule.id, text);
      CHECK(std::none_of(after.findings.begin(), after.findings.end(),  // nothing is left to mend
                         [&](const Finding& g) { return g.fix && info(g.rule).id == rule.id; }));
    }
  }
  CHECK(fixed == std::set<std::string>{"CKP003", "PAR004", "SLM007"});
}

}  // namespace muster::lint::spec_rules_test
