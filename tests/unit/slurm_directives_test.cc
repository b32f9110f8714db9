#include "tests/catch.h"
#include "tests/unit/slurm_scene.h"

namespace slurm_directives_test {

using namespace muster;
using namespace muster::test;
using model::Located;

namespace {

Scene small() {
  Scene scene;
  scene.command({"python", "train.py"}).size(2, 8, 96);
  return scene;
}

std::vector<std::string> directives(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (text.compare(at, 8, "#SBATCH ") == 0) out.push_back(text.substr(at + 8, end - at - 8));
    at = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("the directives are one block after the shebang and one comment") {
  Scene scene = small();
  scene.account = "llm";
  scene.with_queue = true;
  scene.queue.name = "train";
  scene.queue.plane_name = "gpu-long";
  scene.queue.qos = Located<std::string>{"high", {}};
  scene.shape.memory = Size{100'000'000'000};
  scene.workload.time_limit = Located<Duration>{{90'061'000 - 500}, {}};
  const Result result = lower(scene);
  REQUIRE(result.ok());
  CHECK(result.text().starts_with(
      "#!/bin/bash\n# pretrain: compiled by muster from pretrain.muster\n#SBATCH --job-name=pretrain\n"));
  CHECK(directives(result.text()) ==
        std::vector<std::string>{"--job-name=pretrain", "--account=llm", "--partition=gpu-long", "--qos=high",
                                 "--nodes=2", "--ntasks-per-node=1", "--cpus-per-task=96", "--gpus-per-node=8",
                                 "--mem=95368M", "--time=1-01:01:01", "--no-requeue", "--output=%x-%j.out"});
  CHECK(result.lowered.documents[0].name == "pretrain.slurm.sbatch");
  CHECK(result.lowered.submit == "sbatch pretrain.slurm.sbatch");
}

TEST_CASE("all of a node") {
  Scene scene = small();
  scene.shape.cpus.reset();
  scene.shape.all_cpus = scene.shape.all_memory = scene.shape.exclusive = true;
  const Result result = lower(scene);
  CHECK(result.has("#SBATCH --mem=0\n#SBATCH --exclusive\n"));
  CHECK_FALSE(result.has("#SBATCH --cpus-per-task"));
  CHECK(result.has("--cpus-per-task=\"$SLURM_CPUS_ON_NODE\""));
  CHECK_FALSE(result.has("threads"));
  scene.shape.exclusive = false;
  CHECK(lower(scene).refusals().find("requires whole nodes in Slurm") != std::string::npos);
}

TEST_CASE("tasks that divide a node have whole cores") {
  Scene scene = small();
  scene.shape.cpus.reset();
  scene.shape.all_cpus = scene.shape.all_memory = scene.shape.exclusive = true;
  scene.role().launch.runner = {model::Runner::processes, {}};
  scene.role().launch.processes = Located<std::int64_t>{3, {}};
  const Result result = lower(scene);
  CHECK(result.has("threads=$(scontrol show node \"$SLURMD_NODENAME\" | sed -n 's/.*ThreadsPerCore="));
  CHECK(result.has("\ncores=$((SLURM_CPUS_ON_NODE / ${threads:=1}))"));
  CHECK(result.has("--ntasks-per-node=3 --cpus-per-task=\"$((cores < 3 ? 1 : threads * (cores / 3)))\""));
  scene.role().resources.smt = Located<bool>{false, {}};  // Slurm counts cores then
  CHECK(lower(scene).has("--cpus-per-task=\"$((SLURM_CPUS_ON_NODE / 3))\""));
  CHECK_FALSE(lower(scene).has("threads="));
}

TEST_CASE("a GPU type is named where it matters, in the site's words") {
  Scene scene = small();
  scene.pool("h100", "h100", 8, {"n1", "n2"});
  CHECK(lower(scene).has("--gpus-per-node=8\n"));
  scene.role().resources.gpu = Located<std::vector<std::string>>{{"h100"}, {}};
  scene.wrote(model::Field::resources_gpu);
  CHECK(lower(scene).has("--gpus-per-node=h100:8\n"));
  scene.site.gpus.push_back({"h100", Located<std::string>{"nvidia_h100", {}}, {}});
  CHECK(lower(scene).has("--gpus-per-node=nvidia_h100:8\n"));
  scene.plane().gpu_request = model::GpuRequest::gres;
  CHECK(lower(scene).has("--gres=gpu:nvidia_h100:8\n"));
  scene.site.gpus[0] = {"h100", {}, Located<std::string>{"H100&NVL", {}}};
  const Result result = lower(scene);
  CHECK(result.has("--gres=gpu:8\n"));
  CHECK(result.has("--constraint=H100&NVL\n"));
}

TEST_CASE("pools that would match and are not allowed are excluded or refused") {
  Scene scene = small();
  scene.fleet.pools.reserve(2);
  scene.pool("good", "h100", 8, {"n1", "n2"});
  scene.pool("bad", "h100", 8, {"m01", "m02", "m03"});
  CHECK(lower(scene).has("--exclude=m[01-03]\n"));
  scene.shape.not_nodes = {"n2"};
  CHECK(lower(scene).has("--exclude=m[01-03],n2\n"));
  scene.fleet.pools[1].node_names.clear();
  CHECK(lower(scene).refusals().find("cannot exclude pool `bad`") != std::string::npos);
  scene.fleet.pools[1].gpu->model = "a100";
  CHECK(lower(scene).has("--gpus-per-node=h100:8\n"));
}

TEST_CASE("only these nodes") {
  Scene scene = small();
  scene.pool("good", "h100", 8, {"n1", "n2", "n3", "n4"});
  scene.shape.only_nodes = {"n1", "n2"};
  CHECK(lower(scene).has("--nodelist=n[1-2]\n"));
  scene.shape.only_nodes = {"n1", "n2", "n4"};  // --nodelist would ask for all three
  CHECK(lower(scene).has("--exclude=n3\n"));
}

TEST_CASE("Slurm chooses in a range of nodes, a range of CPUs takes one end, and says so") {
  Scene scene = small();
  scene.role().resources.nodes->value.high = 4;
  scene.role().resources.cpus = Located<model::Amount<std::int64_t>>{{false, 48, 96}, {}};
  const Result result = lower(scene);
  CHECK(result.has("--nodes=2-4\n"));
  std::size_t approximated = 0;
  for (const targets::LossEntry& entry : result.lowered.loss.entries())
    approximated += entry.status == targets::LossEntry::Status::approximated;
  CHECK(approximated == 1);
}

TEST_CASE("topology by version and kind") {
  Scene scene = small();
  scene.role().topology.emplace();
  scene.role().topology->within.value = model::Within::leaf;
  scene.wrote(model::Field::topology_within);
  CHECK_FALSE(lower(scene).has("--switches"));
  scene.plane().batch()->topology = model::SlurmTopology::tree;
  CHECK(lower(scene).has("--switches=1\n"));
  scene.role().topology->required = true;
  CHECK(lower(scene).refusals().find("cannot guarantee one leaf switch") != std::string::npos);
  scene.plane().batch()->topology = model::SlurmTopology::block;
  CHECK(lower(scene).refusals() == "`--segment` requires Slurm 24.05; plane `batch` runs Slurm 22.05\n");
  scene.plane().version.value = {24, 11};
  CHECK(lower(scene).has("--segment=2\n"));
}

TEST_CASE("the site's own directives are checked") {
  Scene scene = small();
  const auto with = [&](const std::string& directive) {
    scene.plane().batch()->directives = {{directive, {}}};
    return lower(scene);
  };
  CHECK(with("--mail-type=END,FAIL").has("#SBATCH --mail-type=END,FAIL\n"));
  CHECK(with("--comment=a b").has("#SBATCH --comment=\"a b\"\n"));
  CHECK(with("--gres=nvme:1").has("#SBATCH --gres=nvme:1\n"));
  CHECK_FALSE(with("--gres=gpu:1").ok());
  CHECK_FALSE(with("--nodes=4").ok());
  CHECK_FALSE(with("--mpi=pmix").ok());
  CHECK_FALSE(with("-N4").ok());
  CHECK_FALSE(with("--stepmgr").ok());
}

TEST_CASE("log files lie below the site's folder") {
  Scene scene = small();
  scene.site.log_dir = Located<std::string>{"/logs/50%", {}};
  CHECK(lower(scene).has("--output=/logs/50%%/%x-%j.out\n"));
  scene.workload.logs.emplace();
  scene.workload.logs->output = Located<std::string>{"/abs/{name} {id}.txt", {}};
  scene.workload.logs->error = Located<std::string>{"e.txt", {}};
  scene.wrote(model::Field::logs_output).wrote(model::Field::logs_error);
  const Result result = lower(scene);
  CHECK(result.has("--output=\"/abs/%x %j.txt\"\n"));
  CHECK(result.has("--error=/logs/50%%/e.txt\n"));
}

TEST_CASE("labels, folder, disk, requeue, signal") {
  Scene scene = small();
  scene.workload.labels = {{"team", {"nlp", {}}}, {"paper", {"a b", {}}}};
  scene.role().workdir = Located<model::Text>{"/gpfs/run", {}};
  scene.role().resources.disk = Located<Size>{{1'000'000'000}, {}};
  scene.wrote({model::Field::labels, "team"})
      .wrote({model::Field::labels, "paper"})
      .wrote(model::Field::workdir)
      .wrote(model::Field::resources_disk);
  scene.retry(0, {}).stop("TERM", 300);
  const Result result = lower(scene);
  for (const char* line : {"--comment=\"team=nlp,paper=a b\"\n", "--chdir=/gpfs/run\n", "--tmp=954M\n",
                           "--no-requeue\n", "--signal=B:USR1@300\n"})
    CHECK(result.has(line));
  scene.workload.stop->lead.value.ms = 65'536'000;
  CHECK(lower(scene).refusals().find("at most 65535 seconds") != std::string::npos);
}

TEST_CASE("an option has a value where the version takes one") {
  const auto raw = [](const char* name, const char* value, model::Version version) {
    Scene scene = small();
    scene.plane().version = {version, {}};
    model::RawOption option;
    option.name = name;
    option.flag = *value == '\0';
    option.value.value = value;
    model::TargetOptions block;
    block.target = "slurm";
    block.options.push_back(option);
    scene.workload.targets.push_back(block);
    scene.wrote({model::Field::target, std::string("slurm.") + name});
    return lower(scene);
  };
  CHECK(raw("requeue", "expedite", {25, 11}).has("#SBATCH --requeue=expedite\n"));
  CHECK(raw("requeue", "expedite", {25, 5}).refusals() ==
        "`--requeue` takes a value since Slurm 25.11; plane `batch` runs Slurm 25.05\n");
  CHECK(raw("requeue", "", {25, 5}).has("#SBATCH --requeue\n"));
  CHECK(raw("hold", "now", {25, 11}).refusals() == "`--hold` takes no value\n");
  CHECK(raw("nice", "", {24, 11}).ok());
  CHECK(raw("licenses", "", {24, 11}).refusals() == "`--licenses` requires a value\n");
}

TEST_CASE("every field written has an entry, or the compiler says so") {
  Scene scene = small();
  CHECK(lower(scene).ok());
  scene.wrote(model::Field::scale_metric);
  CHECK(lower(scene).refusals() == "target `slurm` does not account for `scale.metric`\n");
}

}  // namespace slurm_directives_test
