// Arrays, mail and options in Slurm's own words.
#include "tests/catch.h"
#include "tests/unit/slurm_scene.h"

namespace slurm_sweep_test {

using namespace muster;
using namespace muster::test;

namespace {

model::Text axis_text(std::string axis) { return {"", {{model::RefersTo::axis, std::move(axis), 0, {}}}}; }

Scene sweep_over(std::vector<std::string> values) {
  Scene scene;
  scene.command({"run"}).size(1, 0, 1);
  scene.workload.sweep.emplace();
  scene.workload.sweep->axes.push_back({"seed", std::move(values), {}});
  scene.role().env.push_back({"SEED", axis_text("seed"), {}});
  return scene.wrote({model::Field::sweep_axes, "seed"}).wrote({model::Field::env, "SEED"});
}

Scene with_raw(std::string name, std::string value, bool flag = false) {
  Scene scene;
  scene.script("true\n").runner(model::Runner::batch_script).size(2, 4, 16);
  scene.workload.targets.push_back({"slurm", {{name, {std::move(value), {}}, flag}}, {}});
  return scene.wrote({model::Field::target, "slurm." + name});
}

}  // namespace

TEST_CASE("one axis of whole numbers keeps its values as task ids") {
  Scene scene = sweep_over({"0", "2", "4", "9"});
  scene.workload.sweep->max_parallel = model::Located<std::int64_t>{2, {}};
  scene.role().launch.contract.value = model::Contract::full;
  const Result result = lower(scene);
  CHECK(result.has("#SBATCH --array=0-4:2,9%2\n"));
  CHECK(result.has("#SBATCH --output=%x-%A_%a.out\n"));
  CHECK(result.has("MUSTER_ID=$SLURM_ARRAY_JOB_ID "));
  CHECK(result.has("MUSTER_POINT=$SLURM_ARRAY_TASK_ID"));
  CHECK(result.has("\nexport SEED=$SLURM_ARRAY_TASK_ID\n"));
  for (const auto& [values, array] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{{{"7"}, "7"},
                                                                     {{"1", "2"}, "1-2"},
                                                                     {{"1", "5"}, "1,5"},
                                                                     {{"3", "1", "2"}, "1-3"},
                                                                     {{"1", "3", "4", "5"}, "1,3-5"}}) {
    Scene other = sweep_over(values);
    CHECK(lower(other).has("#SBATCH --array=" + array + "\n"));
  }
}

TEST_CASE("other axes are a table, the last axis fastest") {
  Scene scene = sweep_over({"a b", "$x"});
  scene.workload.sweep->axes.push_back({"rate", {"0.1", "007"}, {}});
  scene.role().env.push_back({"RATE", axis_text("rate"), {}});
  const Result grid = lower(scene);
  CHECK(grid.has("#SBATCH --array=0-3\n"));
  CHECK(
      grid.has("\nseed_values=('a b' '$x') rate_values=(0.1 007)\nexport SEED=${seed_values[SLURM_ARRAY_TASK_ID / 2]} "
               "RATE=${rate_values[SLURM_ARRAY_TASK_ID % 2]}\n"));
  scene.workload.sweep->zip = true;
  const Result zip = lower(scene);
  CHECK(zip.has("#SBATCH --array=0-1\n"));
  CHECK(zip.has("\nexport SEED=${seed_values[SLURM_ARRAY_TASK_ID]} RATE=${rate_values[SLURM_ARRAY_TASK_ID]}\n"));
}

TEST_CASE("mail goes to Slurm in its own words") {
  Scene scene;
  scene.command({"run"}).size(1, 0, 1).wrote(model::Field::notify_on).wrote(model::Field::notify_email);
  scene.workload.notify.emplace();
  scene.workload.notify->email.push_back({"a@example.com", {}});
  scene.workload.notify->on = {{model::NotifyOn::end, {}}, {model::NotifyOn::time_80, {}}};
  CHECK(lower(scene).has("#SBATCH --mail-type=END,TIME_LIMIT_80\n#SBATCH --mail-user=a@example.com\n"));
}

TEST_CASE("a raw option replaces what muster alone chose, and never what the user wrote") {
  Scene twice = with_raw("nodes", "2-4");
  CHECK(lower(twice).refusals().find("repeats `") != std::string::npos);
  Scene tasks = with_raw("ntasks", "7");
  CHECK(lower(tasks).has("#SBATCH --nodes=2\n"));  // the user wrote the nodes, and not how many tasks
  CHECK_FALSE(lower(tasks).has("--ntasks-per-node"));
  tasks.workload.written.erase(tasks.workload.written.begin() + 2, tasks.workload.written.begin() + 5);
  const Result result = lower(tasks);
  CHECK(result.has("#SBATCH --ntasks=7\n"));
  CHECK_FALSE(result.has("--nodes"));
  CHECK_FALSE(result.has("--ntasks-per-node"));
  Scene gpus = with_raw("gpus", "8");
  CHECK(lower(gpus).has("#SBATCH --gpus-per-node=4\n"));  // as well as what the user wrote
  CHECK(lower(gpus).has("#SBATCH --gpus=8\n"));
  Scene flag = with_raw("hold", "true", true);
  CHECK(lower(flag).has("#SBATCH --hold\n"));
  Scene other = with_raw("gres", "lscratch:10");
  CHECK(lower(other).has("#SBATCH --gpus-per-node=4\n"));
  CHECK(lower(other).has("#SBATCH --gres=lscratch:10\n"));
  other.plane().gpu_request = model::GpuRequest::gres;
  CHECK(lower(other).has("#SBATCH --gres=gpu:4,lscratch:10\n"));  // a job has one
  Scene bad = with_raw("x y", "1");
  CHECK(lower(bad).refusals().find("not a valid name of an sbatch option") != std::string::npos);
  Scene elsewhere = with_raw("nice", "1");
  elsewhere.workload.targets[0].target = "pbs";
  elsewhere.workload.written.back().field.detail = "pbs.nice";
  const Result quiet = lower(elsewhere);
  CHECK_FALSE(quiet.has("--nice"));
  CHECK(quiet.lowered.loss.covers({model::Field::target, "pbs.nice"}));
}

}  // namespace slurm_sweep_test
