// A sample of what the judge `emitted` runs whole.
#include <algorithm>
#include <cstdlib>

#include "lint/rule.h"
#include "tests/catch.h"
#include "tests/emitted/judge.h"
#include "tests/places.h"

namespace emitted_test {

using namespace muster;

TEST_CASE("no rule that a workload cannot break fires on what muster emits", "[emitted]") {
  emitted::Options options;
  options.root = muster::tests::source_folder();
  options.specs = 60;
  options.step = 29;
  const emitted::Report report = emitted::judge(options);
  for (const std::string& fault : report.faults) {
    INFO(fault);
    CHECK(false);
  }
  CHECK(report.examples > 0);
  CHECK(report.generated > 40);
  CHECK(report.files > 200);
}

TEST_CASE("the faults that muster makes impossible", "[emitted]") {
  for (const std::string_view id :
       {"SLM001", "SLM003", "SLM004", "SLM018", "SLM019", "SLM020", "SLM021", "K8S002", "K8S003", "K8S004", "K8S005",
        "SCH001", "SCH002", "SCH003", "SCH006", "SCH008", "SRV002", "SRV003"}) {
    INFO(id);
    const auto rules = lint::all_rules();
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const lint::Rule& r) { return r.id == id; });
    REQUIRE(rule != rules.end());
    CHECK(emitted::is_impossible(static_cast<lint::RuleId>(rule - rules.begin())));
  }
}

TEST_CASE("a recorded case becomes a workload that states its facts", "[emitted]") {
  const std::string spec = emitted::spec_of(
      "{\"facts\": {\"nodes\": 16, \"tightly_coupled\": true, \"bare_metal\": true, \"long_lived_services\": false}}",
      7);
  CHECK(spec.starts_with("workload case-7 {\n  kind = train\n  nodes = 16\n"));
  CHECK(spec.find("tightly-coupled = true\n    bare-metal = true\n    long-lived-services = false") !=
        std::string::npos);
}

}  // namespace emitted_test
