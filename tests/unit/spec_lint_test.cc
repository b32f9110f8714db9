// Lint of muster files: the cases on the pages of the rules, and what holds for all of them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "driver/lint_run.h"
#include "lint/diagnosed.h"
#include "lint/report/report.h"
#include "tests/catch.h"
#include "tests/unit/rule_cases.h"

namespace spec_lint_test {

using namespace muster;
using namespace muster::lint;
using tests::TempFolder;
namespace fs = std::filesystem;

namespace {

driver::LintSettings all_rules_on(const fs::path& file) {
  driver::LintSettings out;
  out.files = {file.string()};
  std::string unknown;
  out.selection = select_rules({}, {}, true, unknown, Profile::strict);
  return out;
}

// A run over one file or folder.
struct Linted {
  driver::LintSettings options;
  driver::LintRun run;

  explicit Linted(const fs::path& path) : Linted(all_rules_on(path)) {}
  explicit Linted(driver::LintSettings given) : options(std::move(given)), run(options) {
    if (run.prepare()) run.lint({});
  }

  std::size_t count(std::string_view id, State state = State::open) {
    const auto& results = run.outcome().results;
    return static_cast<std::size_t>(std::count_if(results.begin(), results.end(), [&](const Result& r) {
      return about(r.finding).id == id && r.state == state;
    }));
  }
  bool usable() { return !run.session().diagnostics().has_errors(); }
};

fs::path write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

bool stands_for_faults(const Rule& rule) {
  const auto codes = codes_of(static_cast<RuleId>(&rule - all_rules().data()));
  return !codes.empty() && (rule.id == "SPC001" || rule.id == "SPC002" || rule.id == "SPC003");
}

}  // namespace

TEST_CASE("each muster file of a rule's page finds what its lines are marked with, and no more", "[lint][spec]") {
  const TempFolder folder;
  std::size_t count = 0;
  for (const tests::RulePage& page : tests::rule_pages())
    for (const tests::RuleCase& test : page.cases) {
      if (test.form != "muster") continue;
      ++count;
      INFO(page.id << " " << test.name);
      Linted linted(tests::written_beside(page, folder, tests::case_text(test)));
      const std::string above = tests::site_above(test);
      CHECK(tests::found(linted.run.outcome().results, linted.run.session().sources(), page.id) ==
            tests::expected(test, static_cast<std::size_t>(std::count(above.begin(), above.end(), '\n'))));
    }
  CHECK(count >= 180);
}

TEST_CASE("each rule that can occur in a spec has cases, and keeps to them", "[lint][spec]") {
  const TempFolder folder;
  for (const Rule& rule : all_rules()) {
    if (rule.id.starts_with("SUP")) continue;
    if (!rule.places.has(Place::spec)) continue;  // target_block_lint_test.cc has those of `target` blocks
    INFO(rule.id);
    const tests::RulePage& page = tests::rule_page(rule.id);
    const auto linted = [&](const std::string& text) { return Linted(tests::written_beside(page, folder, text)); };
    Linted wrong = linted(tests::case_text(rule.id, "spec-fires")),
           fine = linted(tests::case_text(rule.id, "spec-clean"));
    CHECK(wrong.count(rule.id) > 0);
    CHECK(fine.count(rule.id) == 0);
    CHECK(fine.usable());
    CHECK(wrong.usable() != stands_for_faults(rule));
    if (stands_for_faults(rule)) continue;  // nothing accepts them
    Linted allowed = linted(tests::allowed_text(page, "spec"));
    CHECK(allowed.usable());
    CHECK(allowed.count(rule.id) == 0);
    CHECK(allowed.count(rule.id, State::suppressed) > 0);
    CHECK(allowed.count("SUP002") == 0);
  }
}

TEST_CASE("`allow` blocks are held against rules, dates and use", "[lint][spec]") {
  const TempFolder folder;
  const auto allowing = [&](const std::string& allow) {
    return write(folder.path() / "a.muster",
                 "workload a { kind = batch  time-limit = 1h  command = [\"train.py\"]\n" + allow + "\n}\n");
  };
  Linted unknown(allowing("  allow SLM999 { reason = \"x\" }"));
  CHECK(unknown.count("SUP004") == 1);
  CHECK(unknown.count("SPC005") == 1);
  Linted unused(allowing("  allow SLM008 { reason = \"x\" }  allow SPC005 { reason = \"y\" }"));
  CHECK(unused.count("SUP002") == 1);
  CHECK(unused.count("SPC005", State::suppressed) == 1);
  driver::LintSettings later = all_rules_on(allowing("  allow SPC005 { reason = \"y\"  until = \"2026-01-31\" }"));
  later.as_of = "2026-02-01";
  Linted expired(later);
  CHECK(expired.count("SUP003") == 1);
  CHECK(expired.count("SPC005") == 1);
  later.as_of = "2026-01-31";
  CHECK(Linted(later).count("SPC005", State::suppressed) == 1);
  CHECK_FALSE(Linted(allowing("  allow SPC005 { }")).usable());  // no reason
}

TEST_CASE("an `allow` of a role is for that role, of a pool or a site for what runs there", "[lint][spec]") {
  const TempFolder folder;
  const std::string roles =
      "workload a {\n  kind = train  time-limit = 1h\n  allow SPC005 { reason = \"all\" }\n"
      "  role x { command = [\"train.py\"] }\n  role y { command = [\"eval.py\"] }\n}\n";
  Linted both(write(folder.path() / "roles.muster", roles));
  CHECK(both.count("SPC005") == 0);
  CHECK(both.count("SUP002") == 0);
  const std::string site =
      "fleet f {\n  pool p { nodes = 2  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 96  memory = 1TB "
      "}"
      "\n    allow SLM008 { reason = \"of the pool\" } }\n}\n"
      "site s { fleet = f  plane hpc { kind = slurm  version = \"24.11\" }  queue q { default = true }\n"
      "  allow SCH013 { reason = \"of the site\" } }\n"
      "workload a { kind = train  nodes = 2  gpus = 8  launch { runner = torchrun }  command = [\"train.py\"] }\n"
      "workload b { kind = train  nodes = 3  gpus = 8  launch { runner = torchrun }  command = [\"train.py\"] }\n";
  Linted placed(write(folder.path() / "site.muster", site));
  CHECK(placed.count("SLM008") == 0);
  CHECK(placed.count("SLM008", State::suppressed) == 2);
  CHECK(placed.count("SCH013", State::suppressed) == 1);
  CHECK(placed.count("SUP002") == 0);
}

TEST_CASE("a broken file is left out and said so in every report, the rest is still judged", "[lint][spec]") {
  const TempFolder folder;
  write(folder.path() / "bad.muster", "workload a { kind = batch  comand = [\"x\"]  time-limit = 10 }\n");
  write(folder.path() / "good.muster", "workload b { kind = batch  command = [\"train.py\"] }\n");
  write(folder.path() / "zero.muster", "workload c { nonsense\n");
  Linted linted(folder.path());
  CHECK_FALSE(linted.usable());
  CHECK(linted.count("SPC005") == 1);
  CHECK(linted.count("SPC001") == 1);  // E0201, by the rule that stands for it
  CHECK(linted.count("SPC003") == 1);
  CHECK(linted.run.outcome().left_out.size() == 2);
  const View view{linted.run.outcome(), linted.run.session().sources(), "0"};
  for (const Format& format : all_formats()) {
    const std::string text = whole(format.write, view);
    INFO(format.name << "\n" << text);
    if (format.name == "short" || format.name == "stats") continue;  // for people; standard error has it · counts
    CHECK(text.find("bad.muster") != std::string::npos);
    CHECK(text.find("zero.muster") != std::string::npos);
  }
}

TEST_CASE("a fault is accepted by nothing", "[lint][spec]") {
  const TempFolder folder;
  driver::LintSettings options = all_rules_on(write(folder.path() / "a.muster",
                                                    "# muster: allow SPC001 -- no\n"
                                                    "workload a { kind = batch  comand = [\"x\"] }\n"));
  std::string unknown;
  options.selection = select_rules({"SUP"}, {}, true, unknown);
  Linted linted(options);
  CHECK(linted.count("SPC001") == 1);
}

TEST_CASE("any-of: what an option that is passed over lacks breaks nothing, and is said", "[lint][spec]") {
  const TempFolder folder;
  Linted linted(
      write(folder.path() / "a.muster",
            "site s { plane hpc { kind = slurm  version = \"24.11\" }  queue q { default = true } }\n"
            "workload a {\n  kind = train  time-limit = 1h\n  launch { runner = torchrun }\n"
            "  command = [\"train.py\", \"--tensor-model-parallel-size=8\", \"--pipeline-model-parallel-size=3\"]\n"
            "  any-of { option one { nodes = 3  gpus = 8 }  option two { nodes = 4  gpus = 8 } }\n}\n"));
  REQUIRE(linted.count("PAR001") == 1);
  for (const Result& r : linted.run.outcome().results)
    if (about(r.finding).id == "PAR001") CHECK(r.finding.severity == Severity::warning);
}

TEST_CASE("a file with a site of its own is decided by that one, the others by --site", "[lint][spec]") {
  const TempFolder folder;
  const std::string job = "workload a { kind = batch  command = [\"./a\"] }\n";
  const std::string queue = "plane hpc { kind = slurm  version = \"24.11\" }  queue q { default = true ";
  write(folder.path() / "specs/own.muster", "site own { " + queue + " default-time = 1h } }\n" + job);
  write(folder.path() / "specs/other.muster", job);
  driver::LintSettings options = all_rules_on(folder.path() / "specs");
  options.site_file = write(folder.path() / "site.muster", "site lab { " + queue + "} }\n").string();
  Linted linted(options);
  REQUIRE(linted.count("SLM008") == 1);
  CHECK(linted.usable());
  for (const Result& r : linted.run.outcome().results)
    if (about(r.finding).id == "SLM008")
      CHECK(linted.run.session().sources().name(r.finding.primary.file).ends_with("other.muster"));
}

TEST_CASE("a folder of policy gives its site and its waivers, one that cannot be used is an error", "[lint][spec]") {
  const TempFolder folder;
  write(folder.path() / "policy/site.muster",
        "site lab { rules = \"rules.muster\"  plane hpc { kind = slurm  version = \"24.11\" }  queue q { default = "
        "true } }\n");
  write(folder.path() / "policy/rules.muster",
        "rules lab {\n  version = \"1.0.0\"\n  extends = [default]\n"
        "  waive SPC005 { subject = \"other/*\"  reason = \"r\"  owner = \"o\"  expires = \"2099-01-01\" }\n}\n");
  driver::LintSettings options =
      all_rules_on(write(folder.path() / "specs/a.muster", "workload a { kind = batch  command = [\"train.py\"] }\n"));
  options.policy_folder = (folder.path() / "policy").string();
  Linted linted(options);
  CHECK(linted.usable());
  CHECK(linted.run.base().policy().name == "lab");
  CHECK(linted.count("SLM008") == 1);
  CHECK(linted.count("SPC005") == 1);  // the subject is another one
  write(folder.path() / "policy/rules.muster",
        "rules lab {\n  version = \"1.0.0\"\n  extends = [default]\n"
        "  waive SPC005 { reason = \"r\"  owner = \"o\"  expires = \"2099-01-01\" }\n}\n");
  CHECK(Linted(options).count("SPC005", State::suppressed) == 1);
  write(folder.path() / "policy/more.muster", "site second { plane hpc { kind = slurm  version = \"24.11\" } }\n");
  CHECK_FALSE(Linted(options).usable());
  write(folder.path() / "policy/more.muster", "site { oops\n");
  CHECK_FALSE(Linted(options).usable());
  options.policy_folder = (folder.path() / "specs/none").string();
  CHECK_FALSE(Linted(options).usable());
}

TEST_CASE("each diagnostic that a rule stands for is of that rule alone", "[lint][spec]") {
  std::set<Code> seen;
  for (std::size_t i = 0; i < all_rules().size(); ++i)
    for (const Code code : codes_of(static_cast<RuleId>(i))) CHECK(seen.insert(code).second);
  CHECK(rule_for(Code::unknown_key) == RuleId::unknown_key);
  CHECK_FALSE(rule_for(Code::not_utf8));
}

}  // namespace spec_lint_test
