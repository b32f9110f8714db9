#include <algorithm>

#include "tests/catch.h"
#include "tests/unit/slurm_scene.h"

namespace slurm_launch_test {

using namespace muster;
using namespace muster::test;
using model::Located;
using model::RetryOn;
using model::Runner;

namespace {

Scene with_runner(Runner runner, std::int64_t nodes) {
  Scene scene;
  scene.command({"train.py", "--lr", "1e-4"}).size(nodes, 8, 96).runner(runner);
  return scene;
}

bool refuses(Scene& scene, std::string_view sentence) {
  return lower(scene).refusals().find(sentence) != std::string::npos;
}

}  // namespace

TEST_CASE("runner none: in the batch shell, or one a node") {
  Scene one = with_runner(Runner::none, 1);
  CHECK(lower(one).has("\ntrain.py --lr 1e-4\n"));
  Scene four = with_runner(Runner::none, 4);
  CHECK(lower(four).has(
      "srun --nodes=4 --ntasks-per-node=1 --cpus-per-task=96 --kill-on-bad-exit=1 train.py --lr 1e-4\n"));
  one.role().program->value = model::Argv{"time", "x"};
  CHECK(lower(one).has("\nenv time x\n"));  // the program, not the shell's keyword
}

TEST_CASE("runner torchrun: one agent a node, which is told all it needs") {
  Scene scene = with_runner(Runner::torchrun, 4);
  scene.role().launch.args = {{"--max-restarts=0", {}}};
  scene.role().args = {{"more", {}}};
  scene.wrote(model::Field::launch_args).wrote(model::Field::args);
  const Result result = lower(scene);
  CHECK(
      result.has("\n  torchrun --nnodes=4 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_id=\"$SLURM_JOB_ID\" \\\n"
                 "    --rdzv_endpoint=\"${nodes[0]}:$port\" --max-restarts=0 train.py --lr 1e-4 more\n"));
  CHECK(result.has("#SBATCH --ntasks-per-node=1\n"));
  Scene one = with_runner(Runner::torchrun, 1);
  CHECK(lower(one).has("\ntorchrun --standalone --nproc_per_node=8 train.py --lr 1e-4\n"));
  one.role().launch.args = {{"--rdzv_endpoint=a:1", {}}};
  CHECK(lower(one).has("\ntorchrun --nproc_per_node=8 --rdzv_endpoint=a:1 train.py --lr 1e-4\n"));
}

TEST_CASE("a script calls the launcher itself") {
  Scene scene;
  scene.script("torchrun train.py \"$@\"\n").size(2, 8, 96).runner(Runner::torchrun);
  scene.role().args = {{"a b", {}}};
  scene.wrote(model::Field::args);
  CHECK(lower(scene).has(" bash -c \"$script\" pretrain 'a b'\n"));
  CHECK(lower(scene).has("\nexport PET_NNODES=2 PET_NPROC_PER_NODE=8 PET_RDZV_BACKEND=c10d PET_RDZV_ID=$SLURM_JOB_ID"));
  CHECK(lower(scene).has(" PET_RDZV_ENDPOINT=${nodes[0]}:$port\n"));
  scene.role().launch.args = {{"--x", {}}};
  scene.wrote(model::Field::launch_args);
  CHECK(refuses(scene, "the script starts the launcher itself"));
}

TEST_CASE("the shell stops at errors where something can fail before the program") {
  Scene alone, scene;
  alone.size(1, 0, 1).command({"./work"});
  CHECK(lower(alone).text().ends_with("%x-%j.out\n./work\n"));
  scene.size(1, 0, 1).script("python train.py $MUSTER_NAME\n");
  CHECK(lower(scene).has("\nexport MUSTER_NAME=pretrain\npython train.py"));
  CHECK_FALSE(lower(scene).has("set -eo"));
  // A user's bytes stay, also those that are a line of muster's.
  const std::string line = "set +eo pipefail  # the script says itself where it stops\n";
  scene.role().env.push_back({"A", {"x\n" + line + "y"}, {}});
  scene.wrote({model::Field::env, "A"}).script(line + line);
  const auto several = lower(scene);
  INFO(several.text());
  CHECK(several.has("\nset -eo pipefail\nexport A='x\n" + line + "y'\n" + line + line + line));
}

TEST_CASE("the variables that the text names are set, and no others") {
  Scene scene;
  scene.script("echo $MUSTER_NAME ${MUSTER_NODES} $MUSTER_OF_MINE\n").size(1, 8, 96);
  CHECK(lower(scene).has("\nexport MUSTER_NAME=pretrain MUSTER_NODES=1\n"));
  scene.script("python train.py\n");
  CHECK_FALSE(lower(scene).has("MUSTER_"));
  for (const char* builds : {"env | grep MUSTER_\n", "eval echo \\$MUSTER_NODE_$1\n", "os.environ[\"MUSTER\" + x]\n"}) {
    scene.script(builds);
    CHECK(lower(scene).has(" MUSTER_WORLD_SIZE=1 "));
  }
  scene.role().launch.contract.value = model::Contract::none;
  scene.wrote(model::Field::launch_contract);
  CHECK(refuses(scene, "sets no variable of muster's, but the text names MUSTER_*"));
  scene.script("echo $MUSTER_PORT\n");
  CHECK(refuses(scene, "but the text names MUSTER_PORT"));
  scene.role().launch.contract.value = model::Contract::full;
  scene.script("true\n");
  CHECK(lower(scene).has(" MUSTER_WORLD_SIZE=1 "));
}

TEST_CASE("a name that the script has for itself is refused") {
  for (const char* name : {"port", "nodes", "learner_nodes"}) {
    Scene scene = with_runner(Runner::torchrun, 2);
    scene.role().env = {{name, "1", {}}};
    scene.wrote({model::Field::env, name});
    CHECK(refuses(scene, "is a variable of the job script itself"));
  }
}

TEST_CASE("a variable that torchrun's options would overrule is refused") {
  Scene scene = with_runner(Runner::torchrun, 2);
  scene.role().env = {{"PET_RDZV_BACKEND", "etcd", {}}};
  scene.wrote({model::Field::env, "PET_RDZV_BACKEND"});
  CHECK(refuses(scene, "write the option of torchrun in `launch { args }`, which wins"));
  scene.runner(Runner::none);
  CHECK(lower(scene).has("export PET_RDZV_BACKEND=etcd\n"));
}

TEST_CASE("interpreters") {
  Scene scene;
  scene.script("print(1)\n", "python").size(1, 0, 1);
  CHECK(lower(scene).has("\npython3 -c \"$script\"\n"));
  scene.script("print 1\n", "zsh");
  CHECK(lower(scene).has("\nzsh -c \"$script\" pretrain\n"));
}

TEST_CASE("runner accelerate") {
  Scene scene = with_runner(Runner::accelerate, 2);
  const Result result = lower(scene);
  CHECK(result.has("\n  sh -c 'exec accelerate launch --machine_rank \"$SLURM_NODEID\" \"$@\"' sh --num_machines 2 "));
  CHECK(result.has(" --main_process_ip \"${nodes[0]}\" --main_process_port \"$port\" train.py --lr 1e-4\n"));
}

TEST_CASE("runners processes and mpi: all ranks by Slurm") {
  Scene scene = with_runner(Runner::processes, 2);
  CHECK(lower(scene).has("srun --nodes=2 --ntasks-per-node=8 --cpus-per-task=12 --kill-on-bad-exit=1"));
  CHECK(lower(scene).has("RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID"));
  CHECK(lower(scene).has("#SBATCH --ntasks-per-node=8\n#SBATCH --cpus-per-task=12\n"));
  scene.role().launch.runner.value = Runner::mpi;
  CHECK(lower(scene).has(" --mpi=pmix"));
  scene.plane().batch()->mpi = model::Mpi::pmi2;
  CHECK(lower(scene).has(" --mpi=pmi2"));
  scene.plane().batch()->mpi = model::Mpi::mpirun;
  CHECK(lower(scene).has("mpirun -np 16 --map-by ppr:8:node"));
}

TEST_CASE("words of a target are for that one, and for all of its plane") {
  const auto lowered = [](Runner runner, const std::string& block) {
    Scene scene = with_runner(runner, 2);
    scene.workload.targets.push_back({block, {{"nice", {"10", {}}, false}}, {}});
    scene.wrote({model::Field::target, block + ".nice"});
    const Result result = lower(scene);
    CHECK(result.lowered.loss.covers({model::Field::target, block + ".nice"}));
    return result.has("#SBATCH --nice=10");
  };
  CHECK(lowered(Runner::ray, "ray-on-slurm"));
  CHECK(lowered(Runner::ray, "slurm"));
  CHECK(lowered(Runner::torchrun, "slurm"));
  CHECK_FALSE(lowered(Runner::torchrun, "ray-on-slurm"));
  CHECK_FALSE(lowered(Runner::ray, "kubernetes"));
}

TEST_CASE("runner ray: a cluster in the job, the program once on the head") {
  Scene scene = with_runner(Runner::ray, 3);
  const Result result = lower(scene);
  CHECK(result.has("ray start --head "));
  CHECK(result.has("srun --nodes=2 --ntasks=2 "));
  CHECK(result.has(" -ge 3 ]; do sleep 5; done"));
  CHECK(result.has("\ntrain.py --lr 1e-4\n"));
  CHECK(result.lowered.documents[0].name == "pretrain.ray-on-slurm.sbatch");
  Diagnostics diagnostics;
  targets::lower(*targets::find_target("slurm"), scene.plan(), {}, diagnostics);
  CHECK(diagnostics.has_errors());
}

TEST_CASE("what has the address of Ray's head is set behind it") {
  Scene scene = with_runner(Runner::ray, 3);
  const model::Text address("", {{model::RefersTo::env, "RAY_ADDRESS", 0, {}}});
  scene.workload.roles[0].env = {{"ip_head", address, {}}, {"A", model::Text("b"), {}}};
  const std::string text = lower(scene).text();
  CHECK(text.find("export A=b\n") < text.find("export RAY_ADDRESS="));
  CHECK(text.find("export RAY_ADDRESS=") < text.find("export ip_head=\"$RAY_ADDRESS\"\nsrun "));
  CHECK(text.find("ip_head") == text.rfind("ip_head"));
  scene.workload.roles[0].env[0].value =
      model::Text("-", {{model::RefersTo::env, "RAY_ADDRESS", 0, {}}, {model::RefersTo::run, "node-rank", 1, {}}});
  CHECK(refuses(scene, "known only where the program runs"));
}

TEST_CASE("runner batch-script: the body once, in the batch shell") {
  Scene scene;
  scene.script("srun hostname\n").size(2, 8, 16).runner(Runner::batch_script);
  CHECK(lower(scene).has("\nexec bash -c \"$script\" pretrain\n"));  // its traps hear what Slurm sends
  scene.command({"x"});
  CHECK(refuses(scene, "requires a `script`"));
}

TEST_CASE("a body of above 96 KiB needs the job folder") {
  Scene scene;
  scene.script(std::string(100'000, '#')).size(2, 0, 1);
  CHECK(refuses(scene, "above 96 KiB"));
  scene.site.job_dir = Located<std::string>{"/shared/jobs", {}};
  const Result result = lower(scene);
  CHECK(result.has("cat > \"$dir/script\" <<'TEXT'\n"));
  CHECK(result.has("TEXT\ntruncate --size=-1 \"$dir/script\"\n"));
  scene.site.job_dir.reset();
  scene.size(1, 0, 1);
  CHECK(lower(scene).has("\nbash \"$dir/script\"\n"));  // one node writes and reads it
  scene.script("foreach x (1 2)\nend\n", "tcsh");
  CHECK(lower(scene).has("\ntcsh \"$dir/script\"\n"));
  scene.role().script_flags = {{"-f", {}}};
  CHECK(lower(scene).has("\ntcsh -f \"$dir/script\"\n"));
  scene.script("true\n", "bash");
  scene.role().script_flags = {{"-l", {}}, {"-x -e", {}}};
  CHECK(lower(scene).has("\nbash -l '-x -e' -c \"$script\""));
}

TEST_CASE("steps export by themselves where the site's jobs do not") {
  Scene scene = with_runner(Runner::none, 2);
  CHECK_FALSE(lower(scene).has("--export"));
  scene.plane().batch()->export_all = false;
  CHECK(lower(scene).has("#SBATCH --export=NONE\n"));
  CHECK(lower(scene).has("--kill-on-bad-exit=1 --export=ALL"));
  scene.role().launch.inherits = Located<model::Inherit>{model::Inherit::all, {}};
  CHECK(lower(scene).has("#SBATCH --export=ALL\n"));
  CHECK_FALSE(lower(scene).has("--kill-on-bad-exit=1 --export=ALL"));
}

TEST_CASE("containers by runtime") {
  Scene scene = with_runner(Runner::torchrun, 2);
  scene.role().image = Located<std::string>{"nvcr.io/nvidia/pytorch:24.05-py3", {}};
  scene.site.storage.push_back({"work", {}, {"/gpfs/work", {}}, false});
  scene.role().mounts.push_back({"work", {"/data", {}}, true, {}, {}});
  scene.wrote(model::Field::image).wrote({model::Field::mount_path, "work"});
  CHECK(refuses(scene, "plane `batch` does not run containers"));
  CHECK(refuses(scene, "not at `/data`"));
  scene.plane().batch()->containers = model::Containers::pyxis;
  CHECK(
      lower(scene).has(" --container-image='nvcr.io#nvidia/pytorch:24.05-py3' "
                       "--container-mounts=/gpfs/work:/data:ro"));
  scene.role().image->value = "ubuntu@sha256:0";
  CHECK(refuses(scene, "by digest"));
  scene.role().image->value = "lab/torch:2";
  scene.plane().batch()->containers = model::Containers::apptainer;
  CHECK(
      lower(scene).has("apptainer exec --nv --bind /gpfs/work:/data:ro "
                       "docker://lab/torch:2 torchrun"));
  scene.plane().batch()->containers = model::Containers::enroot;
  CHECK(refuses(scene, "`.sqsh`"));
  scene.role().image->value = "/img/torch.sqsh";
  scene.role().workdir = Located<model::Text>{"/run", {}};
  scene.role().env = {{"A", "1", {}}};
  scene.wrote(model::Field::workdir).wrote({model::Field::env, "A"});
  CHECK(
      lower(scene).has("--mount /gpfs/work:/data:none:rbind,ro,x-create=auto \"${names[@]/#/--env=}\" /img/torch.sqsh "
                       "sh -c 'cd \"$0\" || exit; exec \"$@\"' /run torchrun"));
  scene.role().env[0].value = "${HOME}";
  CHECK(refuses(scene, "Enroot would change"));
  scene.workload.checkpoint.emplace();
  scene.workload.checkpoint->path = Located<std::string>{"/gpfs/a b", {}};
  scene.role().env[0].value = model::Text("", {{model::RefersTo::checkpoint, "path", 0, {}}});
  CHECK(refuses(scene, "Enroot would change"));
  scene.role().mounts[0].path.value = "/a,b";
  CHECK(refuses(scene, "cannot be empty or contain NUL"));
}

TEST_CASE("scratch without a container is where the plane says") {
  Scene scene = with_runner(Runner::none, 1);
  scene.role().mounts.push_back({"scratch", {"$SCRATCH", {}}, false, {}, {}});
  scene.role().launch.contract.value = model::Contract::full;
  scene.wrote({model::Field::mount_path, "scratch"});
  CHECK(refuses(scene, "does not declare where its nodes have scratch space"));
  scene.plane().batch()->scratch = Located<std::string>{"$SCRATCH", {}};
  CHECK(lower(scene).has(" MUSTER_MOUNT_SCRATCH=${SCRATCH:?}\n"));
}

TEST_CASE("a folder of the job on its nodes, which goes away with it") {
  Scene scene = with_runner(Runner::none, 1);
  scene.role().env = {{"CACHE", model::Text("", {{model::RefersTo::run, "tmp", 0, {}}}), {}}};
  scene.wrote({model::Field::env, "CACHE"});
  CHECK(lower(scene).has("\ntmp=$(mktemp -d \"${TMPDIR:-/tmp}/$SLURM_JOB_ID.XXXXXX\")\ntrap 'rm -rf \"$tmp\"' EXIT\n"));
  scene.plane().batch()->scratch = Located<std::string>{"$SCRATCH", {}};
  CHECK(lower(scene).has("\ntmp=$(mktemp -d \"${SCRATCH:?}/$SLURM_JOB_ID.XXXXXX\")\n"));
  scene.plane().batch()->scratch->value = "/it's";
  CHECK(lower(scene).has("\ntmp=$(mktemp -d '/it'\\''s'\"/$SLURM_JOB_ID.XXXXXX\")\n"));
  scene.plane().batch()->scratch->value = "-x";
  CHECK(lower(scene).has("\ntmp=$(mktemp -d \"./-x/$SLURM_JOB_ID.XXXXXX\")\n"));
  scene.shape.nodes = 2;
  const std::string step = "srun --overlap --nodes=2 --ntasks=2 --ntasks-per-node=1 ";
  CHECK(lower(scene).has("\ntrap '" + step + "rm -rf \"$tmp\"' EXIT\n" + step + "mkdir -p -m 700 \"$tmp\"\n"));
  scene.plane().batch()->containers = model::Containers::apptainer;
  scene.role().image = Located<std::string>{"lab/torch:2", {}};
  scene.wrote(model::Field::image);
  CHECK(lower(scene).has(" --bind \"$tmp\":\"$tmp\" "));
  scene.role().env.clear();
  CHECK_FALSE(lower(scene).has("tmp"));
  scene.role().mounts.push_back({"scratch", {"/cache", {}}, false, Located<std::string>{"it's", {}}, {}});
  scene.wrote({model::Field::mount_path, "scratch"});
  CHECK(lower(scene).has("mkdir -p -m 700 \"$tmp\" \"$tmp\"'/it'\\''s'\n"));
  CHECK(lower(scene).has(" --bind \"$tmp\"'/it'\\''s':/cache "));
}

TEST_CASE("a shell that has a folder to remove stays beside its batch script") {
  Scene scene;
  scene.script("srun hostname\n").size(2, 8, 16).runner(Runner::batch_script);
  scene.role().launch.contract.value = model::Contract::full;
  const Result own = lower(scene);
  CHECK(own.has("rm -rf \"$tmp\"' EXIT\n"));
  CHECK(own.has("\nbash -c \"$script\" pretrain\n"));
  scene.workload.targets.push_back({"slurm", {{"signal", {"B:USR1@60", {}}, false}}, {}});
  scene.wrote({model::Field::target, "slurm.signal"});
  CHECK(lower(scene).has("\nexec bash -c \"$script\" pretrain\n"));  // which that shell would not survive
}

TEST_CASE("software by name and inline") {
  Scene scene = with_runner(Runner::none, 1);
  scene.role().software = Located<model::Software>{model::Software(std::string("torsh")), {}};
  scene.wrote(model::Field::software);
  model::SoftwareSpec spec;
  spec.purge = true;
  spec.modules = {{"cuda/12.6", {}}, {"gcc", {}}};
  spec.venv = Located<std::string>{"/env/torch", {}};
  scene.site.software.push_back({"torch", spec});
  CHECK(refuses(scene, "has no software `torsh`"));
  scene.role().software->value = "torch";
  CHECK(lower(scene).has(
      "\nmodule purge\nmodule load cuda/12.6 gcc\n# shellcheck source=/dev/null\nsource /env/torch/bin/activate\n"));
  spec.prelude = Located<model::Script>{{"python", "x"}, {}};
  scene.role().software->value = spec;
  CHECK(refuses(scene, "runs in the job's shell"));
}

TEST_CASE("code as the site brings it") {
  Scene scene = with_runner(Runner::none, 1);
  scene.role().code = Located<model::Code>{model::Code(std::string("src")), {}};
  scene.wrote(model::Field::code);
  CHECK(lower(scene).has("\ncd src\n"));
  scene.site.code = model::SiteCode{{model::CodeBy::shared_path, {}}, Located<std::string>{"/shared/lab", {}}};
  CHECK(lower(scene).has("\ncd /shared/lab/src\n"));
  scene.role().code->value = model::Git{{"https://example.com/a.git", {}}, {"v1.2", {}}};
  CHECK(refuses(scene, "does not provide code from git"));
  scene.site.code->by.value = model::CodeBy::git;
  CHECK(lower(scene).has("git clone --quiet -- https://example.com/a.git \"$dir/code\"\n"));
  for (const char* rev : {"-x", "a b", "$(x)", ""}) {
    std::get<model::Git>(scene.role().code->value).rev.value = rev;
    CHECK(refuses(scene, "a revision can contain"));
  }
}

TEST_CASE("one loss entry a field") {
  Scene scene = with_runner(Runner::torchrun, 2);
  scene.stop("TERM", 60).retry(2, {RetryOn::failure});
  scene.role().resources.gpu = Located<std::vector<std::string>>{{"h100"}, {}};
  scene.wrote(model::Field::resources_gpu).wrote(model::Field::kind);
  std::vector<std::string> fields;
  const Result result = lower(scene);
  for (const targets::LossEntry& entry : result.lowered.loss.entries()) fields.push_back(to_string(entry.field));
  std::sort(fields.begin(), fields.end());
  CHECK(std::adjacent_find(fields.begin(), fields.end()) == fields.end());
  CHECK(fields.size() == 12);
}

TEST_CASE("stop: the program is told, the shell lives") {
  Scene one = with_runner(Runner::none, 1);
  one.stop("INT", 60);
  CHECK(
      lower(one).has("\nset -m; train.py --lr 1e-4 & pid=$!; set +m\ntrap 'kill -s INT -- \"-$pid\" 2>/dev/null || :' "
                     "USR1; trap : TERM\n"));
  Scene two = with_runner(Runner::none, 2);
  two.stop("TERM", 60);
  CHECK(lower(two).has("trap 'scancel --signal=TERM \"$SLURM_JOB_ID\" || :' USR1; trap : TERM\n"));
  CHECK_FALSE(lower(two).has("set -m"));
}

TEST_CASE("retry: a script requeues its preempted job wherever the program can end before Slurm does") {
  const Runner runners[] = {Runner::none, Runner::torchrun, Runner::processes, Runner::accelerate,
                            Runner::batch_script};
  const std::vector<RetryOn> reasons[] = {
      {RetryOn::node_failure, RetryOn::preemption}, {RetryOn::preemption, RetryOn::failure}, {RetryOn::failure}};
  int variants = 0;
  for (const Runner runner : runners)
    for (const int nodes : {1, 2})
      for (const bool leads : {false, true})
        for (const bool user_signal : {false, true})
          for (const std::int64_t limit : {std::int64_t{0}, std::int64_t{2}, model::Retry::unlimited})
            for (const auto& on : reasons) {
              ++variants;
              Scene scene = with_runner(runner, nodes);
              if (runner == Runner::batch_script) scene.script("srun train.py\n");
              scene.retry(limit, on);
              if (leads) scene.stop("TERM", 60);
              scene.plane().batch()->user_signal = user_signal;
              const bool step = nodes > 1 || runner == Runner::processes || runner == Runner::batch_script;
              const bool asks = limit != 0 && on.size() == 2 && (step || leads);
              const Result result = lower(scene);
              INFO(result.text());
              const auto has = [&](const std::string& part) { return result.text().find(part) != std::string::npos; };
              CHECK(has("PreemptTime") == asks);
              const std::string left = limit == 2 ? "[ \"${SLURM_RESTART_COUNT:-0}\" -lt 2 ] && " : "";
              CHECK(has("trap 'if " + left + "squeue -h -t R -j \"$SLURM_JOB_ID\" -O JobID,PreemptTime |") == asks);
              CHECK_FALSE((asks && has("\nexec ")));  // the shell has to be there at the end
            }
  CHECK(variants == 5 * 2 * 2 * 2 * 3 * 3);
}

TEST_CASE("retry: one trap at the end, also where a folder goes away") {
  Scene scene;
  scene.script("srun train.py\n").size(1, 8, 16).retry(2, {RetryOn::preemption});
  CHECK(lower(scene).has("PreemptTime"));  // a text that starts steps
  CHECK(lower(scene).has("\nbash -c \"$script\""));
  scene.role().env = {{"CACHE", model::Text("", {{model::RefersTo::run, "tmp", 0, {}}}), {}}};
  scene.wrote({model::Field::env, "CACHE"});
  CHECK(lower(scene).has("trap 'rm -rf \"$tmp\"\nif [ "));
  scene.workload.targets.push_back({"slurm", {{"signal", {"B:USR1@60", {}}, false}}, {}});
  scene.wrote({model::Field::target, "slurm.signal"});
  CHECK_FALSE(lower(scene).has("PreemptTime"));  // the text has traps of its own
}

TEST_CASE("retry: what Slurm does itself and what the script does") {
  Scene scene = with_runner(Runner::none, 2);
  scene.retry(2, {RetryOn::node_failure, RetryOn::preemption});
  CHECK(lower(scene).has("#SBATCH --requeue\n#SBATCH --open-mode=append\n"));
  CHECK(lower(scene).has("; then scontrol requeue \"$SLURM_JOB_ID\"; fi' EXIT\n"));
  CHECK(lower(scene).has("if [ \"${SLURM_RESTART_COUNT:-0}\" -gt 2 ]"));
  scene.retry(2, {RetryOn::failure});
  CHECK(lower(scene).has("-lt 2 ] && [ \"$rc\" -ne 0 ] &&\n  squeue -h -t R -j"));
  scene.retry(2, {RetryOn::exit_codes});
  scene.workload.retry->exit_codes = {{3, {}}};
  CHECK(lower(scene).has("[[ \" 3 \" == *\" $code \"* ]]"));
  CHECK(lower(scene).has("set -C; echo \"$rc\""));
  CHECK(lower(scene).has("\nexit \"$code\"\n"));  // not that of a task which was ended
  scene.retry(2, {RetryOn::timeout});
  CHECK(refuses(scene, "it must get a signal before"));
  scene.stop("TERM", 60);
  CHECK(lower(scene).has("&& [ -n \"$stopped\" ] &&\n  squeue -h -t R -j"));
  scene.workload.retry->backoff = Located<Duration>{{1000}, {}};
  CHECK(refuses(scene, "does not support a backoff"));
  scene.retry(model::Retry::unlimited, {RetryOn::node_failure, RetryOn::preemption});
  CHECK(lower(scene).has("#SBATCH --requeue\n"));
  CHECK_FALSE(lower(scene).has("--open-mode"));
  CHECK_FALSE(lower(scene).has("SLURM_RESTART_COUNT:-0}\" -gt"));
  scene.retry(model::Retry::unlimited, {RetryOn::failure});
  CHECK(lower(scene).has("\nif : && [ -z \"$final\" ] && [ \"$rc\" -ne 0 ] &&\n  squeue -h -t R -j"));
}

TEST_CASE("environment names") {
  Scene scene = with_runner(Runner::none, 1);
  scene.role().env = {{"OK", "it's", {}}};
  scene.wrote({model::Field::env, "OK"});
  CHECK(lower(scene).has("\nexport OK='it'\\''s'\n"));
  for (const char* name : {"A-B", "1A", "", "IFS", "RANDOM"}) {
    scene.role().env[0].name = name;
    CHECK_FALSE(lower(scene).ok());
  }
}

TEST_CASE("a line that sbatch would read as another dialect") {
  Scene scene;
  scene.script("#PBS -l nodes=4\n").size(1, 0, 1);
  CHECK(lower(scene).has("#SBATCH --ignore-pbs\n"));
  scene.script("echo #PBS\n");
  CHECK_FALSE(lower(scene).has("--ignore-pbs"));
}

}  // namespace slurm_launch_test
