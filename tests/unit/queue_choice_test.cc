// Which queue a workload gets where the site's order decides, and what a refusal says of other queues.
#include "plan/decide/queue_choice.h"

#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/plan_text.h"

namespace queue_choice_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;

namespace {

const std::string fleet =
    "fleet f { pool a { nodes = \"a[1-4]\"  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  memory = "
    "1TB } }\npool c { nodes = \"c[1-4]\"  node { cpus = 64  memory = 256GB } } }\n";

std::unique_ptr<Planned> planned(const std::vector<std::string>& queues, const std::string& work) {
  std::string text = fleet + "site s { fleet = f\nplane p { kind = slurm }\n";
  for (std::size_t q = 0; q < queues.size(); ++q) text += "queue q" + std::to_string(q) + " { " + queues[q] + " }\n";
  return plan_text(text + "}\nworkload w { kind = train  command = [\"x\"]  " + work + " }\n");
}

std::string queue_of(const Planned& plan) { return plan.plans[0].queue == nullptr ? "" : plan.plans[0].queue->name; }

std::string text(const plan::Level& level) { return level.certificate ? level.certificate->text : level.note; }

}  // namespace

TEST_CASE("the first queue of the site that can take the workload", "[queue]") {
  // What a queue does not let in: its time, nodes, GPUs, pools, or that it may be taken back.
  const std::vector<std::string> narrow = {"max-time = 1h", "max-nodes = 1", "max-gpus = 8", "pools = [c]",
                                           "preemptible = true"};
  const std::vector<std::string> wide = {"", "max-time = 3h", "max-nodes = 4", "pools = [a]"};
  int right = 0, asked = 0;
  for (const std::string choice : {"", "queue = any  "})
    for (const std::string& first : narrow)
      for (const std::string& second : wide) {
        const auto plan = planned({first, second, ""}, choice + "nodes = 2  gpus = 8  time-limit = 2h");
        CAPTURE(choice, first, second, queue_of(*plan), plan->fit().queue_reason);
        const bool same = queue_of(*plan) == "q1" && plan->fit().verdict == Verdict::fits &&
                          plan->fit().queue_reason.starts_with("queue q1 is the first");
        CHECK(same);
        right += same, ++asked;
      }
  CHECK(right == asked);
  CHECK(asked == 40);
}

TEST_CASE("a default queue is taken where none is named, and all are tried for `any`", "[queue]") {
  const std::vector<std::string> queues = {"", "default = true  max-time = 1h"};
  CHECK(queue_of(*planned(queues, "gpus = 8  time-limit = 30m")) == "q1");
  CHECK(queue_of(*planned(queues, "queue = any  gpus = 8  time-limit = 30m")) == "q0");
  CHECK(queue_of(*planned({"preemptible = true", ""}, "queue = any  preemptible = true  gpus = 8")) == "q0");
  CHECK(planned(queues, "gpus = 8  time-limit = 30m")->fit().queue_reason.empty());
}

TEST_CASE("a refusal names the queue that would take the workload", "[queue]") {
  const auto one = planned({"max-time = 1h", "max-nodes = 1", "max-time = 3d"},
                           "queue = q0  nodes = 2  gpus = 8  "
                           "time-limit = 2h");
  CHECK(one->fit().policy.verdict == Verdict::does_not_fit);
  CHECK(text(one->fit().policy) == "requests 2h; queue q0 allows 1h; `queue = q2` can take it");
  const auto none = planned({"max-time = 1h", "max-nodes = 1"}, "queue = q0  nodes = 2  gpus = 8  time-limit = 2h");
  CHECK(text(none->fit().policy) == "requests 2h; queue q0 allows 1h");
  const auto any = planned({"max-time = 1h", "max-nodes = 1"}, "queue = any  nodes = 2  gpus = 8  time-limit = 2h");
  CHECK(any->fit().policy.verdict == Verdict::does_not_fit);
}

}  // namespace queue_choice_test
