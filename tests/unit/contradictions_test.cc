// The contradictions of the documents behind the rules: each is pinned by a test of that name, and what no other test
// says stands here.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "plan/decide/facts.h"
#include "rules/chart.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/plan_fixture.h"
#include "tests/unit/rule_cases.h"

namespace contradictions_test {

namespace {

using namespace muster;
namespace fs = std::filesystem;

const fs::path root = muster::tests::source_folder();

std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What stands between `opening` and the next quote, at the beginning of lines.
void add_names(const std::string& text, const std::string& opening, std::set<std::string>& names) {
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    const std::size_t begin = at + opening.size();
    names.insert(text.substr(begin, text.find('"', begin) - begin));
  }
}

// Tests of this program, named cases of the profiles and of the pages of rules (`SLM001 fires`), and manifests of lint
// by their file names.
std::set<std::string> all_tests() {
  std::set<std::string> names;
  for (const char* folder : {"tests/unit", "tests/property"})
    for (const auto& entry : fs::directory_iterator(root / folder))
      if (entry.path().extension() == ".cc") add_names(file_text(entry.path()), "TEST_CASE(\"", names);
  for (const std::string_view profile : rules::profile_names())
    add_names(std::string(rules::profile_cases(profile)), "case \"", names);
  for (const tests::RulePage& page : tests::rule_pages())
    for (const tests::RuleCase& test : page.cases) names.insert(page.id + " " + test.name);
  for (const auto& entry : fs::directory_iterator(root / "tests/lint/manifests")) names.insert(entry.path().filename());
  return names;
}

// What stands in backticks.
std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find('`'); at != std::string::npos; at = text.find('`', at + 1)) {
    const std::size_t end = text.find('`', at + 1);
    if (end == std::string::npos) break;
    out.push_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

std::vector<std::string> satisfiers(const std::string& requirement) {
  std::vector<std::string> out;
  for (const model::Addon& addon : rules::addons().addons)
    if (std::find(addon.satisfies.begin(), addon.satisfies.end(), requirement) != addon.satisfies.end())
      out.push_back(addon.name);
  return out;
}

std::string needs(const std::string& name) {
  for (const model::Addon& addon : rules::addons().addons)
    if (addon.name == name) return addon.needs;
  return "there is no such add-on";
}

// All that the rows of the profiles say to people.
std::string texts() {
  std::string out;
  for (const std::string_view name : rules::profile_names())
    for (const model::Table& table : rules::profile(name).tables)
      for (const model::Row& row : table.rows) out += row.reason + "\n" + row.cite + "\n";
  return out;
}

std::set<std::string> values_of(const model::Policy& policy, const std::string& output) {
  std::set<std::string> out;
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      for (const model::Assignment& set : row.sets)
        if (set.output == output) out.insert(model::to_string(set.value));
  return out;
}

}  // namespace

TEST_CASE("every contradiction is pinned by a test that exists", "[profiles]") {
  const std::set<std::string> tests = all_tests();
  const std::string document = file_text(root / "tests/unit/contradictions.md");
  for (int i = 1; i <= 49; ++i) {
    const std::string id = std::string("| ") + (i < 10 ? "0" : "") + std::to_string(i) + " | ";
    INFO(id);
    const std::size_t begin = document.find(id);
    REQUIRE(begin != std::string::npos);
    const std::string line = document.substr(begin, document.find('\n', begin) - begin);
    const auto names = quoted(line.substr(line.rfind(" | ", line.size() - 3)));
    CHECK_FALSE(names.empty());
    for (const std::string& name : names) {
      INFO(name);
      CHECK(tests.count(name) == 1);
    }
  }
}

TEST_CASE("the fifteen named cases are there, the eleventh as a refusal", "[profiles]") {
  const std::set<std::string> tests = all_tests();
  const auto begins = [&](const std::string& prefix) {
    return std::any_of(tests.begin(), tests.end(), [&](const std::string& name) { return name.starts_with(prefix); });
  };
  for (int i = 1; i <= 15; ++i) {
    INFO(i);
    CHECK(begins(i == 11 ? "case 11: " : std::to_string(i) + ": "));
  }
}

TEST_CASE("add-ons are the union of the lists, each with its condition", "[profiles]") {
  CHECK(satisfiers("gang-scheduler") ==
        std::vector<std::string>{"volcano", "kai-scheduler", "yunikorn", "kueue", "coscheduling", "kube-scheduler"});
  CHECK(needs("kueue").find("quota alone does not start a gang as a whole") != std::string::npos);
  CHECK(needs("kube-scheduler").find("the site states") == 0);
  CHECK(needs("volcano").find("with KubeRay, batchScheduler.name = volcano") != std::string::npos);
  for (const std::string_view name : rules::profile_names())
    for (const std::string& requirement : values_of(rules::profile(name), "requires")) {
      INFO(requirement);
      // The two that the site's own description satisfies.
      const bool described = requirement == "topology-aware-placement" || requirement == "fabric-attachment";
      CHECK((described || !satisfiers(requirement).empty()));
    }
}

TEST_CASE("every row of the guide's matrix has its rules", "[profiles]") {
  const std::string document = file_text(root / "tests/unit/contradictions.md");
  const std::string matrix = document.substr(document.find("## The matrix of the guide"));
  for (int i = 1; i <= 6; ++i) {
    INFO(i);
    const std::size_t begin = matrix.find("\n| " + std::to_string(i) + ": ");
    REQUIRE(begin != std::string::npos);
    const auto ids = quoted(matrix.substr(begin + 1, matrix.find('\n', begin + 1) - begin - 1));
    CHECK_FALSE(ids.empty());
    for (const char* name : {"greenfield", "default"}) {
      std::set<std::string> rows;
      for (const model::Table& table : rules::profile(name).tables)
        for (const model::Row& row : table.rows) rows.insert(row.id);
      for (const std::string& id : ids) {
        INFO(name << " " << id);
        CHECK(rows.contains(id));
      }
    }
  }
}

TEST_CASE("the chart has an arrow for every row that chooses", "[profiles]") {
  for (const std::string_view name : rules::profile_names()) {
    const model::Policy policy = rules::profile(name);
    const std::string chart = rules::flow_chart(policy);
    std::size_t arrows = 0;
    for (const model::Table& table : policy.tables)
      for (const model::Row& row : table.rows) {
        if (table.hit == model::Hit::collect || row.sets.empty()) continue;
        INFO(row.id);
        CHECK(chart.find("-->|\"" + row.id + ": ") != std::string::npos);
        ++arrows;
      }
    CHECK(arrows > 5);
  }
  const std::string chart = rules::flow_chart(rules::profile("default"));
  CHECK(chart.find("CP-040: coupled == multi-node and not bare-metal and not edge-or-dev") != std::string::npos);
}

TEST_CASE("facts and answers are closed lists, without the size of a model", "[profiles]") {
  const model::Policy policy = rules::profile("default");
  std::vector<std::string> facts;
  for (const model::FactDeclaration& fact : policy.facts) facts.push_back(fact.name);
  CHECK(facts == std::vector<std::string>{"nodes", "workers", "fleet-nodes", "existing", "kind", "tightly-coupled",
                                          "bare-metal", "long-lived-services", "multi-tenant", "python-native-pipeline",
                                          "edge-or-dev", "pool-fabric", "spans-nvlink-domain", "pool-arch"});
  CHECK(values_of(policy, "control-plane") == std::set<std::string>{"slurm", "kubernetes", "k3s", "none"});
  CHECK(values_of(policy, "runtime") == std::set<std::string>{"native", "ray"});
  CHECK(values_of(policy, "layout") == std::set<std::string>{"single", "partitioned"});
}

TEST_CASE("no row rests on the drawing, the simulation or a second word", "[profiles]") {
  const std::string stated = texts();
  for (const char* word : {"head-of-line", "backfill", "simulation", "drawing", "GPU-hours", "proof"}) {
    INFO(word);
    CHECK(stated.find(word) == std::string::npos);
  }
  CHECK(stated.find("starts the pods of a gang one by one, and two gangs can deadlock") != std::string::npos);
  CHECK(stated.find("Slurm on Kubernetes (Slinky, Soperator)") != std::string::npos);
}

TEST_CASE("a pipeline is Python native where a role runs on Ray, and nowhere else", "[profiles]") {
  model::Workload workload = test::workload(model::Kind::train, 2, 8);
  const auto asked = [&] {
    plan::FactRequest request;
    request.workload = &workload;
    Diagnostics diagnostics;
    const plan::Facts facts = plan::derive_facts(request, diagnostics);
    return model::to_string(facts.find("python-native-pipeline")->value);
  };
  CHECK(asked() == "false");
  workload.roles[0].launch.runner.value = model::Runner::ray;
  CHECK(asked() == "true");
}

}  // namespace contradictions_test
