// The rules of sites and fleets by themselves, on the cases `site-fires` and `site-clean` of their pages.
#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/unit/linted.h"
#include "tests/unit/rule_cases.h"

namespace site_lint_test {

using namespace muster;
using namespace muster::lint;
using tests::Linted;
using tests::TempFolder;
using tests::written;
namespace fs = std::filesystem;

namespace {

// What makes a file unusable, and what suppressions lack, has cases of its own.
bool of_sites(const Rule& rule) {
  return rule.places.has(Place::site) && !rule.id.starts_with("SPC") && !rule.id.starts_with("SUP");
}

std::string wrong_site(std::string_view rule) { return tests::case_text(rule, "site-fires"); }
std::string fine_site(std::string_view rule) { return tests::case_text(rule, "site-clean"); }

constexpr const char* service =
    "\nworkload NAME {\n  kind = serve\n  gpu = H100:1\n  cpus = 8\n  memory = 64GiB\n  replicas = 2\n"
    "  image = \"example.com/x:1\"\n  command = [\"serve\"]\n  port http { number = 8000 }\n"
    "  probe readiness { http = \"/\"  port = http }\n  account = \"blue\"\n}\n";
std::string named(std::string text, const std::string& name) { return text.replace(text.find("NAME"), 4, name); }

}  // namespace

TEST_CASE("each rule of sites fires on its wrong site alone", "[lint][site]") {
  const TempFolder folder;
  for (const Rule& rule : all_rules()) {
    INFO(rule.id);
    const tests::RulePage& page = tests::rule_page(rule.id);
    CHECK((tests::find_case(page, "site-fires") != nullptr) == of_sites(rule));
    if (!of_sites(rule)) continue;
    Linted wrong(written(folder, "wrong.muster", wrong_site(rule.id))),
        fine(written(folder, "fine.muster", fine_site(rule.id))),
        allowed(written(folder, "allowed.muster", tests::allowed_text(page, "site")));
    REQUIRE(wrong.usable());
    CHECK(fine.usable());
    CHECK(allowed.usable());
    CHECK(wrong.count(rule.id) == 1);
    for (const Result& r : wrong.results()) {
      CHECK(about(r.finding).id == rule.id);
      CHECK(r.finding.subject == "site/lab");
      CHECK(r.finding.primary.known());
      CHECK_FALSE(r.finding.path.empty());
    }
    CHECK(fine.results().empty());
    CHECK(allowed.count(rule.id) == 0);
    CHECK(allowed.count(rule.id, State::suppressed) == 1);
  }
}

TEST_CASE("releases and flags of a site that do not go together", "[lint][site][gates]") {
  const std::string fine = fine_site("SIT005");
  const auto message = [&](const std::string& from, const std::string& to) {
    const TempFolder folder;
    std::string text = fine;
    text.replace(text.find(from), from.size(), to);
    Linted linted(written(folder, "site.muster", text));
    REQUIRE(linted.usable());
    return linted.results().size() == 1 ? linted.results()[0].finding.message : std::string();
  };
  CHECK(message("\"1.7\"", "\"1.6\"") ==
        "`--batch-scheduler=kubernetes-was-v1alpha2` requires version 1.7 of "
        "`kuberay`, but plane `pods` declares 1.6");
  for (const char* version : {"\"1.35\"", "\"1.37\""})
    CHECK(message("\"1.36\"", version).starts_with("KubeRay writes gangs as scheduling.k8s.io/v1alpha2"));
  CHECK(message("\"0.17\"", "\"0.16\"").starts_with("Kueue places TrainJobs by `podTemplateOverrides`"));
  CHECK(message("\"0.17\"", "\"0.18\"").empty());
}

TEST_CASE("what is wrong with a site is said once, not for each workload", "[lint][site]") {
  const TempFolder folder;
  for (const char* rule : {"DEC003", "QTA001"}) {
    INFO(rule);
    Linted two(written(folder, "two.muster", wrong_site(rule) + named(service, "a") + named(service, "b")));
    REQUIRE(two.usable());
    CHECK(two.count(rule) == 1);

    // The same with the site of --site, of which nothing else is said.
    const fs::path site = written(folder, "site.muster", wrong_site(rule));
    const fs::path jobs = folder.path() / "jobs";
    fs::create_directories(jobs);
    std::ofstream(jobs / "a.muster") << named(service, "a");
    std::ofstream(jobs / "b.muster") << named(service, "b");
    driver::LintSettings options = tests::all_rules_on(jobs);
    options.site_file = site.string();
    Linted given(options);
    REQUIRE(given.usable());
    CHECK(given.count(rule) == 1);
    for (const Result& r : given.results())
      if (about(r.finding).id == rule) CHECK(given.sources().name(r.finding.primary.file) == site.string());

    // One that accepts it does not accept it for the other.
    std::ofstream(jobs / "a.muster") << [&] {
      std::string text = named(service, "a");
      return text.insert(text.find("  kind"), "  allow " + std::string(rule) + " { reason = \"shown\" }\n");
    }();
    CHECK(Linted(options).count(rule) == 1);
  }
}

TEST_CASE("names and words of a site are held against each place that has them", "[lint][site]") {
  const TempFolder folder;
  const std::string fine = fine_site("QTA001");
  const auto with = [&](std::string_view what, const std::string& put) {
    std::string text = fine;
    text.replace(text.find(what), what.size(), put);
    return written(folder, "a.muster", text);
  };
  CHECK(Linted(with("quota h100", "quota h10")).count("SIT001") == 1);
  CHECK(Linted(with("per-node = 8", "per-node = 8  pools = [h10, h100]")).count("SIT001") == 1);
  CHECK(Linted(with("kind      = kubernetes", "kind = kubernetes  pools = [h100, h200]")).count("SIT001") == 1);
  CHECK(Linted(with("leaf-size = 8", "leaf-size = 8  taint spot { effect = NoSchedule }")).count("SIT002") == 1);
  Linted near(with("quota h100", "quota h10"));
  for (const Result& r : near.results())
    if (about(r.finding).id == "SIT001") CHECK((r.finding.fix && r.finding.fix->edits[0].text == "h100"));
  CHECK(Linted(written(folder, "b.muster", "site a { plane p { kind = slurm  pools = [x] } }\n")).results().empty());
}

TEST_CASE("what a site lacks for a gang is said once, as the error that it is", "[lint][site]") {
  const TempFolder folder;
  const std::string job =
      "\nworkload NAME {\n  kind = train\n  time-limit = 1h\n  nodes = 2\n  gpu = H100:8\n  software = torch\n"
      "  launch { runner = torchrun }\n  command = [\"train.py\"]\n}\n";
  for (const char* rule : {"NET001", "SCH001"}) {
    INFO(rule);
    std::string site = wrong_site(rule);
    site.insert(site.rfind('}'), "  software torch { image = \"example.com/torch@sha256:1\" }\n");
    Linted alone(written(folder, "a.muster", site));
    REQUIRE(alone.count(rule) == 1);
    Linted both(written(folder, "a.muster", site + named(job, "a") + named(job, "b")));
    REQUIRE(both.count(rule) == 1);
    for (const Result& r : both.results()) {
      if (about(r.finding).id != rule) continue;
      CHECK(r.finding.severity == Severity::error);
      CHECK(both.sources().text(r.finding.primary).starts_with("main"));  // the plane, where it is mended
      const auto& labels = r.finding.labels;
      CHECK(
          std::any_of(labels.begin(), labels.end(), [](const Label& label) { return label.text == "required here"; }));
    }
    // A comment at the workload accepts it for that one, and so does an `allow`.
    fs::create_directories(folder.path() / "jobs");
    std::string allowed = named(job, "a");
    allowed.insert(allowed.find("  nodes = 2") + 11, "  # muster: allow " + std::string(rule) + " -- shown");
    driver::LintSettings options = tests::all_rules_on(written(folder, "jobs/a.muster", allowed));
    options.site_file = written(folder, "site.muster", site).string();
    Linted given(options);
    CHECK(given.count(rule) == 0);
    CHECK(given.count(rule, State::suppressed) == 1);
    CHECK(given.count("SUP002") == 0);
    // With the site among the files, in any order, it stays the error that it is for one of them.
    written(folder, "jobs/b.muster", named(job, "b"));
    for (const char* name : {"jobs/0.muster", "jobs/z.muster"}) {
      const fs::path own = written(folder, name, site);
      options.files = {(folder.path() / "jobs").string()};
      options.site_file = own.string();
      Linted all(options);
      CHECK(all.count(rule) == 1);
      for (const Result& r : all.results())
        if (about(r.finding).id == rule && r.state == State::open) CHECK(r.finding.severity == Severity::error);
      fs::remove(own);
    }
  }
}

TEST_CASE("a fleet alone is held against what no site can mend", "[lint][site]") {
  const TempFolder folder;
  const auto fleet = [&](const std::string& away) {
    return written(folder, "fleet.muster",
                   "fleet lab {\n  pool a { nodes = \"n[1-2]\"  node { cpus = 8  memory = 64GiB } " + away +
                       " }\n  pool b { nodes = 2  node { cpus = 8  memory = 64GiB } }\n}\n");
  };
  CHECK(Linted(fleet("")).results().empty());
  CHECK(Linted(fleet("drained = \"n1\"")).results().empty());
  CHECK(Linted(fleet("drained = \"n1\"  spare = \"n1\"")).results().empty());
  for (const char* away : {"drained = \"n[1-2]\"", "drained = \"n1\"  spare = \"n2\""}) {
    INFO(away);
    Linted linted(fleet(away));
    REQUIRE(linted.results().size() == 1);
    CHECK(about(linted.results()[0].finding).id == "SIT002");
    CHECK(linted.results()[0].finding.subject == "fleet/lab");
    CHECK(Linted(fleet(away + std::string("  allow SIT002 { reason = \"shown\" }"))).count("SIT002") == 0);
  }
}

TEST_CASE("what a site patches into each pod is read at its line", "[lint][site]") {
  const TempFolder folder;
  const std::string fine = fine_site("SEC002");
  const auto with = [&](const std::string& what, const std::string& put) {
    std::string text = fine;
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return written(folder, "a.muster", text.replace(at, what.size(), put));
  };
  const std::string context = "          securityContext: {capabilities: {add: [IPC_LOCK]}}";
  Linted host(with("        containers:", "        hostIPC: true\n        hostPID: false\n        containers:"));
  REQUIRE(host.count("SEC002") == 1);
  for (const Result& r : host.results())
    if (about(r.finding).id == "SEC002") CHECK(host.sources().text(r.finding.primary) == "hostIPC: true");
  CHECK(Linted(with(context, context + "\n        initContainers:\n        - name: setup\n          securityContext:\n"
                                       "            privileged: true"))
            .count("SEC002") == 1);
  CHECK(Linted(with("    gang      = kueue", "    gang      = kueue\n    pod = \"{spec: {hostPID: true}}\""))
            .count("SEC002") == 1);
  CHECK(Linted(with(context, "          securityContext: {privileged: false}")).count("SEC002") == 0);
}

}  // namespace site_lint_test
