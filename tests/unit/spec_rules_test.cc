// The rules of workloads, on tests/lint/specs/RULE: `wrong.muster` has findings of the rule and nothing else above an
// info, `fine.muster` none of it and nothing above an info. Each file brings its site, if it has one.
#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "lint/rules/spec/spec.h"
#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/applied_fix.h"
#include "tests/unit/site_file.h"

namespace muster::lint::spec_rules_test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(muster::tests::source_folder()) / "tests/lint/specs";

// The findings of a file's workloads, its diagnostics beside.
struct Linted {
  Sources sources;
  model::Module module;
  Diagnostics diagnostics;
  std::vector<Finding> findings;

  // `text` stands for what the file holds.
  explicit Linted(const fs::path& path, const std::string& text = "") {
    std::vector<ast::File> files;
    for (const fs::path& file : {path, path.parent_path() / "rules.muster"}) {
      if (!fs::exists(file)) continue;
      const std::string held = files.empty() && !text.empty() ? text : file_text(file);
      auto tree = syntax::parse(sources, sources.add(file.filename().string(), held), diagnostics);
      REQUIRE(tree);
      files.push_back(std::move(*tree));
    }
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

std::vector<fs::path> fixtures() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "wrong.muster")) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("a rule of workloads fires on its wrong spec alone", "[lint][spec]") {
  for (const fs::path& path : fixtures()) {
    const std::string rule = path.filename().string();
    if (find_rule(rule) == nullptr || !of_workloads(*find_rule(rule))) continue;
    INFO(rule);
    const Linted wrong(path / "wrong.muster"), fine(path / "fine.muster");
    const auto found = wrong.wrong(rule);
    CHECK_FALSE(found.empty());
    for (const std::string& line : found) CHECK(line.substr(0, 6) == rule);
    CHECK(fine.wrong(rule) == std::vector<std::string>{});
    for (const Finding& f : wrong.findings) {
      CHECK(f.primary.known());
      CHECK_FALSE(f.subject.empty());
      CHECK_FALSE(f.path.empty());
      CHECK(std::all_of(f.labels.begin(), f.labels.end(), [](const Label& l) { return l.span.known(); }));
    }
  }
}

TEST_CASE("every rule that can occur in a spec has its specs", "[lint][spec]") {
  std::set<std::string> there;
  for (const fs::path& path : fixtures()) there.insert(path.filename().string());
  for (const Rule& rule : all_rules()) {
    INFO(rule.id);
    if (of_workloads(rule) && rule.places.has(Place::spec)) CHECK(there.count(std::string(rule.id)) == 1);
  }
}

TEST_CASE("a fix of a workload's finding ends it", "[lint][spec]") {
  std::set<std::string> fixed;
  for (const fs::path& path : fixtures()) {
    const std::string rule = path.filename().string();
    if (find_rule(rule) == nullptr || !of_workloads(*find_rule(rule))) continue;
    const Linted before(path / "wrong.muster");
    for (const Finding& f : before.findings) {
      if (!f.fix || info(f.rule).id != rule) continue;
      fixed.insert(rule);
      const std::string text = applied(file_text(path / "wrong.muster"), *f.fix);
      INFO(rule << "\n" << text);
      CHECK(Linted(path / "wrong.muster", text).wrong(rule).empty());
      CHECK(f.fix->safe == (info(f.rule).fix == FixKind::safe));
      const Linted after(path / "wrong.muster", text);
      CHECK(std::none_of(after.findings.begin(), after.findings.end(),  // nothing is left to mend
                         [&](const Finding& g) { return g.fix && info(g.rule).id == rule; }));
    }
  }
  CHECK(fixed == std::set<std::string>{"CKP003", "PAR004", "SLM007"});
}

}  // namespace muster::lint::spec_rules_test
