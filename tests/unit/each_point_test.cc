// `depends-on NAME { each = true }`: two sweeps point by point, where their tasks have the same ids.
#include <string>
#include <vector>

#include "targets/slurm/slurm.h"
#include "tests/unit/checked.h"
#include "tests/unit/pods_scene.h"
#include "tests/unit/slurm_scene.h"

namespace each_point_test {

using namespace muster;

namespace {

// The axes of a sweep, and the ids that its tasks have: found by hand.
struct Sweep {
  std::string block;
  std::vector<int> ids;
};

const Sweep sweeps[] = {{"sweep { axes { seed = 0..2 } }", {0, 1, 2}},
                        {"sweep { axes { rank = [0, 1, 2] } }", {0, 1, 2}},
                        {"sweep { axes { rate = [0.1, 0.2, 0.3] } }", {0, 1, 2}},
                        {"sweep { max-parallel = 1  axes { name = [\"a\", \"b\", \"c\"] } }", {0, 1, 2}},
                        {"sweep { axes { seed = 1..3 } }", {1, 2, 3}},
                        {"sweep { axes { seed = [3, 1, 2] } }", {3, 1, 2}},
                        {"sweep { axes { seed = 0..3 } }", {0, 1, 2, 3}},
                        {"sweep { axes { a = [1, 2]  b = [1, 2] } }", {0, 1, 2, 3}},
                        {"sweep { zip = true  axes { a = [5, 6, 7]  b = [1, 2, 3] } }", {0, 1, 2}},
                        {"", {}}};

std::string two(const std::string& first, const std::string& then, const std::string& order) {
  return "workload first { kind = batch  cpus = 1  command = [\"a\"]  " + first + " }\n" +
         "workload second { kind = batch  cpus = 1  command = [\"b\"]  " + then + "  depends-on first { " + order +
         " } }\n";
}

}  // namespace

TEST_CASE("points wait for points only where every task finds its own") {
  for (const Sweep& first : sweeps)
    for (const Sweep& then : sweeps) {
      INFO(first.block << " and " << then.block);
      const test::Checked each(two(first.block, then.block, "each = true"));
      CHECK(each.diagnostics.has_errors() == (first.ids.empty() || first.ids != then.ids));
      CHECK_FALSE(test::Checked(two(first.block, then.block, "each = false")).diagnostics.has_errors());
      for (const Diagnostic& d : each.diagnostics.sorted()) CHECK_FALSE(d.notes.empty());
    }
}

TEST_CASE("the word between two arrays is Slurm's own, and only after a success") {
  for (const std::string on : {"success", "finish", "failure", "start"})
    for (const bool each : {false, true}) {
      const std::string order = std::string(each ? "each = true  " : "") + "on = " + on;
      const test::Checked checked(two(sweeps[0].block, sweeps[0].block, order));
      REQUIRE_FALSE(checked.diagnostics.has_errors());
      const auto& all = checked.module.workloads;
      const targets::Submission jobs[] = {{&all[0], "first.sbatch"}, {&all[1], "second.sbatch"}};
      Diagnostics diagnostics;
      const auto script = targets::slurm::submit_script(jobs, diagnostics);
      REQUIRE(script);
      INFO(script->content);
      CHECK((script->content.find("aftercorr:$job1") != std::string::npos) == each);
      test::Scene scene;
      scene.command({"b"}).size(1, 0, 1);
      scene.workload.depends_on = all[1].depends_on;
      CHECK(test::lower(scene).ok() == (!each || on == "success"));
    }
}

TEST_CASE("what cannot order points refuses to") {
  for (const targets::Target& target : targets::all_targets()) {
    if (target.capabilities.plane != model::PlaneKind::kubernetes) continue;
    INFO(target.name);
    test::Pods scene;
    scene.workload = "kind = batch  image = \"x\"  cpus = 1  memory = 1GiB  command = [\"a\"]\n" + sweeps[0].block +
                     "  depends-on first { each = true }\n}\nworkload first { kind = batch  image = \"x\"  cpus = 1  "
                     "memory = 1GiB  command = [\"b\"]\n" +
                     sweeps[0].block;
    CHECK_FALSE(test::lower(scene, std::string(target.name)).ok());
  }
}

}  // namespace each_point_test
