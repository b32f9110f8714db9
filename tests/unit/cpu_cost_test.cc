// What work costs by GPUs, CPUs and nodes, and that what a fleet does not say is not known.
#include <optional>
#include <string>

#include "plan/steps/make_plan.h"
#include "review/cost.h"
#include "review/describe.h"
#include "review/total.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/loss/compile.h"
#include "tests/unit/review_scene.h"

namespace cpu_cost_test {

using namespace muster;
using review::Workload;

namespace {

struct Prices {
  int gpu = 0, cpu = 0, node = 0;  // thousandths; 0: the fleet does not say
};

std::string key(const char* name, int thousandths) {
  if (thousandths == 0) return {};
  return std::string(" cost-per-") + name + "-hour = " + std::to_string(thousandths / 1000) + "." +
         std::to_string(1000 + thousandths % 1000).substr(1) + "\n";
}

Workload described(const Prices& prices, const std::string& body) {
  const std::string fleet =
      "fleet f {\n pool a {\n nodes = 32\n gpu { model = h100  memory = 80GB  count = 8 }\n"
      " node { cpus = 64  memory = 1TB }\n" +
      key("gpu", prices.gpu) + key("cpu", prices.cpu) + key("node", prices.node) + " }\n}\n";
  const loss::Checked checked = loss::check_at(
      {"s", fleet + "site s {\n fleet = f\n plane p { kind = slurm }\n queue main { default = true }\n}\n"},
      "workload w {\n image = \"x:1\"\n command = [\"run\"]\n kind = batch\n" + body + "\n}\n");
  for (const Diagnostic& d : checked.diagnostics.sorted()) UNSCOPED_INFO(d.message);
  REQUIRE(checked.ok());
  const model::Policy policy = rules::profile("default");
  Diagnostics diagnostics;
  const plan::PlanResult result = plan::make_plan(loss::request_for(checked, 0, policy, std::nullopt), diagnostics);
  return review::describe(checked.module.workloads.at(0), result, checked.sources);
}

struct Work {
  std::string body;
  std::int64_t gpus, cpus;            // in one hour
  std::optional<std::int64_t> nodes;  // nullopt: others may use them
};

}  // namespace

TEST_CASE("review: cost counts GPUs, CPUs and nodes that have a price", "[review][cost]") {
  const Work works[] = {
      {"cpus = 16\n memory = 8GiB\n time-limit = 10h", 0, 160, std::nullopt},
      {"cpus = 2\n memory = 8GiB\n replicas = 200\n time-limit = 1h", 0, 400, std::nullopt},
      {"nodes = 4\n cpus = 64\n resources { exclusive = true }\n time-limit = 2h", 0, 512, 8},
      {"nodes = 2\n gpus = 8\n cpus = 64\n time-limit = 3h", 48, 384, 6},
      {"gpus = 1\n cpus = 8\n time-limit = 5h", 5, 40, std::nullopt},
  };
  int good = 0, all = 0;
  for (const int gpu : {0, 2500})
    for (const int cpu : {0, 45})
      for (const int node : {0, 12'000})
        for (const Work& work : works) {
          const Workload found = described({gpu, cpu, node}, work.body);
          const bool is_known = (node > 0 || (work.gpus > 0 ? gpu : cpu) > 0) && !(node > 0 && !work.nodes);
          std::optional<std::int64_t> micros;
          if (is_known) micros = 1000 * (work.gpus * gpu + work.cpus * cpu + (work.nodes ? *work.nodes * node : 0));
          INFO(work.body << " at " << gpu << " " << cpu << " " << node);
          CHECK(found.cost.micros == micros);
          CHECK(found.cost.cpu_seconds == work.cpus * 3600);
          good += found.cost.micros == micros && found.cost.cpu_seconds == work.cpus * 3600, ++all;
        }
  CHECK(good == all);
  CHECK(all == 40);
}

TEST_CASE("review: a total has CPU-hours of what runs without GPUs", "[review][cost]") {
  const auto review_of = [](const Prices& prices) {
    return review::review_of({}, {described(prices, "cpus = 16\n memory = 8GiB\n time-limit = 10h")});
  };
  CHECK(review::total_text(review_of({0, 50, 0})) == "+160 CPU-hours without GPUs, +8.00");
  CHECK(review::total_text(review_of({2500, 0, 0})) == "+160 CPU-hours without GPUs");
  const auto limit = *review::limit_of("cpu-hours>100");
  CHECK(review::check(limit, review::total_of_change(review_of({}))) == review::Kept::exceeded);
  const auto cost = *review::limit_of("cost>1");
  CHECK(review::check(cost, review::total_of_change(review_of({2500, 0, 0}))) == review::Kept::unknown);
}

}  // namespace cpu_cost_test
