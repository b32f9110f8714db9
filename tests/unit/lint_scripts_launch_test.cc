// What lint says of the launch: processes against GPUs, nodes against launchers, steps against each other. Each case
// stands beside one that differs in a word.
#include "lint/check.h"
#include "tests/catch.h"

namespace lint_scripts_launch_test {

using namespace muster;
using namespace muster::lint;

namespace {

// What one rule finds in a script below its `#!` line: "error 3: its message"; "" for nothing. Lines count from 1.
std::string found(std::string_view rule, const std::string& below) {
  Sources sources;
  Diagnostics diagnostics;
  std::string unknown, out;
  const Selection all = select_rules({}, {}, true, unknown, Profile::strict);
  const std::uint32_t file = sources.add("job.sbatch", "#!/bin/bash\n" + below);
  for (const Result& r : check_file(file, Input::script, {{sources, nullptr, nullptr}, all, "", 0}, diagnostics)) {
    if (info(r.finding.rule).id != rule) continue;
    const bool unclear = r.finding.verdict == Verdict::unclear;
    out += (out.empty() ? "" : ", ") + (unclear ? "unclear" : std::string(severity_name(r.finding.severity))) + " " +
           std::to_string(sources.position(file, r.finding.primary.begin).line) + ": " + r.finding.message;
  }
  return out;
}

// Without the message.
std::string at(std::string_view rule, const std::string& below) {
  const std::string all = found(rule, below);
  return all.substr(0, all.find(':'));
}

}  // namespace

TEST_CASE("launch: processes of a launcher against the GPUs of its node", "[lint][launch]") {
  const auto one = [](const std::string& options, const std::string& lines) {
    return found("PAR001", "#SBATCH --nodes=1 " + options + "\n" + lines + "\n");
  };
  CHECK(one("--gpus=1", "torchrun --nproc_per_node=4 t.py") ==
        "error 3: `torchrun` starts 4 processes on a node, but the job has 1 GPU there");
  CHECK(one("--gres=gpu:a100:2", "deepspeed --num_gpus=4 t.py") ==
        "error 3: `deepspeed` starts 4 processes on a node, but the job has 2 GPUs there");
  CHECK(one("--gres=gpu:1", "accelerate launch --num_processes=4 t.py") ==
        "error 3: `accelerate` starts 4 processes on a node, but the job has 1 GPU there");
  CHECK(one("--gpus-per-node=4", "export CUDA_VISIBLE_DEVICES=0,1\ntorchrun --nproc_per_node=4 t.py") ==
        "error 4: `torchrun` starts 4 processes on a node, but `CUDA_VISIBLE_DEVICES` shows them 2 GPUs");
  CHECK(one("--gpus-per-node=4", "CUDA_VISIBLE_DEVICES=0 torchrun --nproc_per_node=4 t.py").starts_with("error 3"));
  CHECK(one("--ntasks=1 --gpus-per-task=2", "srun torchrun --nproc_per_node=4 t.py").starts_with("error 3"));
  CHECK(one("--gpus=4", "torchrun --nproc_per_node=4 t.py").empty());
  CHECK(one("--gpus=1", "torchrun --nproc_per_node=$N t.py").empty());
  CHECK(one("--gpus=1", "torchrun --nproc_per_node=gpu t.py").empty());
  CHECK(one("--gpus=1 --exclusive", "torchrun --nproc_per_node=4 t.py").empty());  // all GPUs of the node
  CHECK(one("--gpus=1", "torchrun --nproc_per_node=4 t.py --backend gloo").empty());
  CHECK(one("--gpus=1", "[ -f x ] && torchrun --nproc_per_node=4 t.py").starts_with("warning 3"));
  CHECK(one("--gpus-per-node=4",
            "for i in 0 1; do export CUDA_VISIBLE_DEVICES=$i; done\n"
            "torchrun --nproc_per_node=4 t.py")
            .empty());
  CHECK(one("--gpus-per-node=2", "torchrun --nproc_per_node=4 t.py\nexport CUDA_VISIBLE_DEVICES=0").empty());
}

TEST_CASE("launch: nodes that a launcher joins against those that run it", "[lint][launch]") {
  const auto two = [](const std::string& line) {
    return found("PAR001", "#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=8\n" + line + "\n");
  };
  CHECK(two("srun torchrun --nnodes=4 --nproc_per_node=8 --rdzv-endpoint=$HEAD:1 t.py") ==
        "error 3: `torchrun` waits for 4 nodes, but the job runs it on 2");
  CHECK(two("export PET_NNODES=4\nsrun torchrun --nproc_per_node=8 t.py").starts_with("error 3"));
  CHECK(two("srun torchrun --nnodes=2 --nproc_per_node=8 t.py").empty());
  CHECK(two("srun torchrun --nnodes=1:4 --nproc_per_node=8 t.py").empty());
  CHECK(two("srun torchrun --nnodes=$SLURM_NNODES --nproc_per_node=8 t.py").empty());
  CHECK(two("srun -N1 -n1 -w $node torchrun --nnodes=4 --nproc_per_node=8 t.py &\nwait").empty());
  CHECK(two("srun accelerate launch --config_file c.yaml --num_processes 16 t.py").empty());
}

TEST_CASE("launch: a model server against the GPUs of the job", "[lint][launch]") {
  const auto server = [](const std::string& options, const std::string& line) {
    return found("PAR004", "#SBATCH " + options + "\n" + line + "\n");
  };
  CHECK(server("--nodes=1 --gres=gpu:2", "vllm serve m --tensor-parallel-size 4") ==
        "error 3: the server uses 4 GPUs, but the job has 2");
  CHECK(server("--nodes=1 --gres=gpu:2", "python -m vllm.entrypoints.openai.api_server -tp 2 -pp 2 &")
            .starts_with("error 3"));
  CHECK(server("--nodes=1 --gres=gpu:4", "vllm serve m --tensor-parallel-size 4").empty());
  CHECK(server("--nodes=1 --gres=gpu:2", "vllm serve m --tensor-parallel-size $TP").empty());
  CHECK(server("--nodes=2 --gres=gpu:2", "vllm serve m --tensor-parallel-size 4").empty());
  CHECK(server("--nodes=1", "vllm serve m --tensor-parallel-size 4").empty());
}

TEST_CASE("launch: several nodes and one that works", "[lint][launch]") {
  const auto idle = [](const std::string& nodes, const std::string& lines) {
    return found("SLM034", "#SBATCH --gpus-per-node=8 --nodes=" + nodes + "\n" + lines + "\n");
  };
  CHECK(idle("3", "torchrun --nproc_per_node=8 t.py") ==
        "warning 3: `torchrun` only runs on one node; the other 2 nodes stay idle");
  CHECK(idle("2", "torchrun --nnodes=2 --nproc_per_node=8 t.py") ==
        "warning 3: `torchrun` waits for 2 nodes, but only the first node of the job runs it");
  CHECK(idle("2", "python t.py").starts_with("warning 3"));
  CHECK(idle("2", "python t.py --model_parallel_size 1").starts_with("warning 3"));
  CHECK(idle("2", "ls | parallel python t.py").empty());
  CHECK(idle("1", "python t.py").empty());
  CHECK(idle("2", "srun python t.py").empty());
  CHECK(idle("2", "srun -N1 -n1 python t.py").starts_with("warning 3"));
  CHECK(idle("2", "srun -N1 -n1 python t.py &\nsrun -N1 -n1 python t.py &\nwait").empty());
  CHECK(idle("2", "ssh $other python t.py &\npython t.py").empty());
  CHECK(idle("2", "./all_nodes\npython t.py").empty());
  // The list of nodes serves to meet at the first, or to start something on each.
  const std::string head = "head=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -1)\n";
  CHECK(idle("2", head + "torchrun --nnodes=2 --nproc_per_node=8 --rdzv_endpoint=$head:29500 t.py")
            .starts_with("warning 4"));
  CHECK(idle("2", head + "srun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_endpoint=$head:29500 t.py").empty());
  CHECK(idle("2", "for n in $SLURM_JOB_NODELIST; do\n$START $n torchrun --nnodes=2 --nproc_per_node=8 t.py\ndone")
            .empty());
  CHECK(idle("2", head + "python t.py --head $head").empty());
}

TEST_CASE("launch: nodes that train apart", "[lint][launch]") {
  const auto apart = [](const std::string& line) {
    return found("SLM035", "#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=8\n" + line + "\n");
  };
  CHECK(apart("srun torchrun --nproc_per_node=8 t.py") ==
        "error 3: each of the 2 nodes trains by itself, with a world of 8 processes instead of 16");
  CHECK(apart("srun torchrun --nnodes=1 --nproc_per_node=8 t.py").empty());  // it says so
  CHECK(apart("srun torchrun --standalone --nproc_per_node=8 t.py").empty());
  CHECK(apart("srun torchrun --nnodes=2 --nproc_per_node=8 t.py").empty());
  CHECK(apart("srun -N1 -n1 torchrun --nproc_per_node=8 t.py").empty());
  CHECK(apart("srun bash -c 'torchrun --nproc_per_node=8 t.py --fold $SLURM_PROCID'").empty());
  CHECK(apart("export PET_NNODES=2\nsrun torchrun --nproc_per_node=8 t.py").empty());
}

TEST_CASE("launch: a rank that is the same everywhere", "[lint][launch]") {
  const auto rank = [](const std::string& line) {
    return found("SLM036", "#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=8\n" + line + "\n");
  };
  CHECK(rank("srun torchrun --nnodes=2 --node_rank=0 --nproc_per_node=8 t.py") ==
        "error 3: each of the 2 nodes runs with `--node-rank` 0");
  CHECK(
      rank("srun accelerate launch --num_machines 2 --machine_rank 0 --num_processes 16 t.py").starts_with("error 3"));
  CHECK(rank("srun python t.py --rank $SLURM_PROCID") ==
        "error 3: the batch script replaces `$SLURM_PROCID` with 0 before `srun` starts its 2 tasks");
  CHECK(rank("srun bash -c \"python t.py --rank ${SLURM_PROCID}\"").starts_with("error 3"));
  CHECK(rank("srun bash -c \"python t.py --rank \\$SLURM_PROCID\"").empty());
  CHECK(rank("srun bash -c 'python t.py --rank $SLURM_PROCID'").empty());
  CHECK(rank("srun -n1 -N1 python t.py --rank $SLURM_PROCID").empty());
  CHECK(rank("srun --output=log.$SLURM_NODEID python t.py").empty());
  CHECK(rank("srun torchrun --nnodes=2 --rdzv-backend=c10d --node_rank=0 --nproc_per_node=8 t.py").empty());
  CHECK(rank("srun torchrun --node_rank=0 --nproc_per_node=8 t.py").empty());  // SLM035
}

TEST_CASE("launch: more tasks than the job has", "[lint][launch]") {
  const auto tasks = [](const std::string& options, const std::string& line) {
    return at("SLM037", "#SBATCH " + options + "\n" + line + "\n");
  };
  CHECK(found("SLM037", "#SBATCH --ntasks=1\nsrun -n 4 ./solve\n") ==
        "warning 3: the step needs 4 CPUs for 4 tasks, but the job has 1 task with 1 CPU");
  CHECK(tasks("--nodes=1", "srun -n 4 ./solve").empty());            // the cluster may give whole nodes
  CHECK(tasks("--ntasks=1 --gpus=2", "srun -n 4 ./solve").empty());  // or CPUs for each GPU
  CHECK(tasks("--ntasks=4", "srun -n 4 ./solve").empty());
  CHECK(tasks("--ntasks=1", "srun -n 2 ./solve").empty());  // a core may have two threads
  CHECK(tasks("--ntasks=1 --cpus-per-task=4", "srun -n 4 ./solve").empty());
  CHECK(tasks("--ntasks=1 --cpus-per-task=4", "srun -n 4 -c 4 ./solve") == "warning 3");
  CHECK(tasks("--ntasks=1 --exclusive", "srun -n 4 ./solve").empty());
  CHECK(tasks("--ntasks=1", "srun --overcommit -n 4 ./solve").empty());
  CHECK(tasks("--ntasks=1", "module load openmpi\nmpirun -np 4 ./solve") == "warning 4");
  CHECK(tasks("--ntasks=1", "module load openmpi\nmpirun --oversubscribe -np 4 ./solve").empty());
  CHECK(tasks("--ntasks=1", "module load intel\nmpirun -np 4 ./solve").empty());
  CHECK(tasks("--ntasks=4", "module load openmpi\nmpirun -np 4 ./solve").empty());
}

TEST_CASE("launch: programs in the background at the end", "[lint][launch]") {
  const auto end = [](const std::string& lines) { return at("SLM038", "#SBATCH --ntasks=2\n" + lines + "\n"); };
  CHECK(end("./a &\n./b &") == "error 4");
  CHECK(end("for i in 1 2; do\n  ./a $i &\ndone") == "error 4");
  CHECK(end("./a &\necho started") == "error 3");
  CHECK(end("if [ -f x ]; then ./a & fi") == "warning 3");
  CHECK(end("./a &\n./b").empty());
  CHECK(end("./a &\nwait").empty());
  CHECK(end("nvidia-smi dmon &").empty());
  CHECK(end("for i in 1 2; do\n  ./a $i &\n  ./b\ndone").empty());
}

TEST_CASE("launch: steps that exclude each other", "[lint][launch]") {
  const auto steps = [](const std::string& options, const std::string& first, const std::string& second) {
    return at("SLM039", "#SBATCH --nodes=1 --ntasks=2 " + options + "\nsrun -n1 " + first + " ./a &\nsrun -n1 " +
                            second + " ./b &\nwait\n");
  };
  CHECK(steps("", "", "") == "warning 4");
  CHECK(steps("", "--exact", "--exact").empty());
  CHECK(steps("", "--overlap", "--overlap").empty());
  CHECK(steps("", "-c1", "-c1").empty());  // implies --exact
  CHECK(steps("--gpus=2", "--exact", "--exact") == "warning 4");
  CHECK(steps("--gpus=2", "--exact --gpus=1", "--exact --gpus=1").empty());
  CHECK(steps("--mem=8G", "--exact", "--exact") == "warning 4");
  CHECK(steps("--mem=8G", "--exact --mem=4G", "--exact --mem=4G").empty());
  CHECK(steps("--mem-per-cpu=1G", "--exact", "--exact").empty());
  CHECK(at("SLM039", "#SBATCH --nodes=2 --ntasks=2\nsrun -N1 -n1 ./a &\nsrun -N1 -n1 ./b &\nwait\n").empty());
  CHECK(at("SLM039", "#SBATCH --nodes=1 --ntasks=2\nsrun -n1 ./a &\nwait\nsrun -n1 ./b &\nwait\n").empty());
  CHECK(at("SLM039", "#SBATCH --nodes=1 --ntasks=4\nfor i in 1 2; do srun -n1 ./a & done\nwait\n") == "warning 3");
  CHECK(at("SLM039", "#SBATCH --nodes=1 --ntasks=2\nsrun -n1 server &\nsleep 9\nsrun -n1 client\n") == "warning 5");
}

TEST_CASE("launch: waiting for a server", "[lint][launch]") {
  const auto wait = [](const std::string& lines) {
    return at("SLM040", "#SBATCH --gres=gpu:1\n" + lines + "\nwait\n");
  };
  CHECK(wait("vllm serve m &\npython ask.py") == "warning 5");
  CHECK(wait("nvidia-smi dmon &\npython train.py &") == "warning 5");
  CHECK(wait("vllm serve m &").empty());  // it is the work
  CHECK(wait("vllm serve m & s=$!\npython ask.py\nkill $s").empty());
  CHECK(wait("python train.py &\npython ask.py").empty());
}

TEST_CASE("launch: units", "[lint][launch]") {
  const auto unit = [](const std::string& option) { return found("SLM041", "#SBATCH " + option + "\n./solve\n"); };
  CHECK(unit("--mem=16") == "warning 2: `--mem=16` is 16 MB, because the unit is missing");
  for (const char* form : {"--mem=1 --account=<account>", "--mem=64", "--mem=512 --gpus=1"})
    CHECK(unit(form).starts_with("warning 2"));
  CHECK(unit("--mem=100").empty());
  CHECK(unit("--mem-per-cpu=4") == "warning 2: `--mem-per-cpu=4` is 4 MB, because the unit is missing");
  CHECK(unit("--time=24") == "warning 2: `--time=24` is 24 minutes, because the unit is missing");
  CHECK(unit("--time=24:00") ==
        "warning 2: `24:00` is 1440 seconds, because a time with one colon is minutes and seconds");
  CHECK(unit("--array=0-9%0") == "warning 2: `%0` is accepted, but no task of the array ever starts");
  for (const char* fine : {"--mem=16G", "--mem=4000", "--mem=0", "--time=30", "--time=24:00:00", "--time=30:00",
                           "--time=1-00:00", "--array=0-9%1", "--time=1:00", "--time=0:20"})
    CHECK(unit(fine).empty());
  CHECK(unit("--time=00:05") ==
        "warning 2: `00:05` is 5 seconds, because a time with one colon is minutes and seconds");
}

TEST_CASE("launch: an option that is set twice", "[lint][launch]") {
  const auto twice = [](const std::string& first, const std::string& second) {
    return at("SLM042", "#SBATCH " + first + "\n#SBATCH " + second + "\n./solve\n");
  };
  CHECK(twice("--mem=4G", "--mem=8G") == "warning 2");
  CHECK(twice("--mem=4G", "--mem=4G").empty());
  CHECK(twice("-J a", "--job-name=b") == "info 2");
  CHECK(twice("-o a", "--output=b") == "info 2");
  CHECK(twice("-exclusive", "--error=b") == "warning 2");
  CHECK(twice("--gres=gpu:1", "--gres=gpu:v100:1").empty());  // the model is added
  CHECK(twice("--gres=gpu:v100:1", "--gres=gpu:1") == "warning 2");
  CHECK(twice("--gres=gpu:1", "--gres=gpu:v100:2") == "warning 2");
  CHECK(twice("--gpus=1", "--gpus=a100:1").empty());
}

TEST_CASE("launch: devices that the job does not have", "[lint][launch]") {
  const auto devices = [](const std::string& options) {
    return at("SLM046", "#SBATCH " + options + "\nexport CUDA_VISIBLE_DEVICES=3,2,1,0\nsrun python train.py\n");
  };
  CHECK(devices("--gpus-per-node=2") == "warning 3");
  CHECK(devices("--gpus-per-node=4").empty());
  CHECK(devices("--gpus-per-task=1 --ntasks=1") == "warning 3");
  CHECK(devices("--gpus-per-task=1").empty());  // the number of tasks may be on the command line
}

TEST_CASE("launch: names of variables", "[lint][launch]") {
  const auto name = [](const std::string& line) { return at("SLM044", "#SBATCH --nodes=2\n" + line + "\n"); };
  CHECK(name("echo $SLURM_JOB_NODELIS") == "warning 3");
  CHECK(name("srun bash -c 'echo ${SLURM_PROC_ID}'") == "warning 3");
  CHECK(name("echo $SLURM_JOB_NODELIST $SLURM_JOBID $SLURM_JOB_ID $SLURM_ARRAY_TASK_MAX").empty());
  CHECK(name("echo ${SLURM_JOB_NODELIS:-none}").empty());
  CHECK(name("SLURM_NODES=2; echo $SLURM_NODES").empty());
  CHECK(name("echo $SLURM_OF_OUR_SITE").empty());
  CHECK(name("SLURM_LOGS=x\nsbatch <<E\n#!/bin/bash\n#SBATCH -n 1\necho $SLURM_LOGS\nE").empty());
  CHECK(name("echo $SLURM_JOB_ID_HET_GROUP_1").empty());
}

TEST_CASE("launch: what a shell of muster's own scripts starts", "[lint][launch]") {
  const auto script = [](const std::string& options, const std::string& run) {
    return "#SBATCH --nodes=2 --gpus-per-node=8 " + options +
           "\nexport PET_NNODES=2 PET_NPROC_PER_NODE=8\nIFS= read -r -d '' script <<'SCRIPT' || :\n"
           "  exec torchrun finetune.py --save \"$1\"\nSCRIPT\n" +
           run + "\n";
  };
  CHECK(found("SLM001", script("--ntasks-per-node=2", "srun bash -c \"$script\" finetune")) ==
        "error 7: 2 tasks per node each start `torchrun`, which starts 8 processes: 16 in total on 8 GPUs");
  CHECK(found("SLM001", script("--ntasks-per-node=1", "srun bash -c \"$script\" finetune")).empty());
  CHECK(at("SLM001",
           "#SBATCH --nodes=2 --ntasks-per-node=8 --gpus-per-node=8\nnode='cd /x; exec \"$@\"'\n"
           "srun sh -c \"$node\" sh torchrun --nproc_per_node=8 t.py\n") == "error 4");
}

// What is not among the options that can be read may be in a word that cannot: nothing is concluded from its absence.
TEST_CASE("launch: a word that cannot be read silences what is concluded from missing options", "[lint][launch]") {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"", "$DIST_ARGS"},
      {"", "${DIST_ARGS}"},
      {"", "\"$DIST_ARGS\""},
      {"", "$@"},
      {"", "\"$@\""},
      {"", "$*"},
      {"", "$1"},
      {"", "$A$B"},
      {"", "${A:-}"},
      {"", "$(cat args)"},
      {"", "`cat args`"},
      {"", "\"${A[@]}\""},
      {"if [ -f x ]; then A=--nnodes=2; else A=; fi\n", "$A"},
      {"case $X in a) A=--nnodes=2 ;; esac\n", "$A"},
      {"A+=(--nnodes=2)\n", "\"${A[@]}\""},
      {"source args.sh\n", "$A"},
      {"A=\"$B\"\n", "$A"},
      {"read -r A < args\n", "$A"},
  };
  const auto all = [](const std::string& rule, const std::string& before, const std::string& line) {
    return found(rule, "#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=8\n" + before + line + "\n");
  };
  const auto server = [](const std::string& before, const std::string& line) {
    return found("PAR004", "#SBATCH --nodes=1 --gres=gpu:2\n" + before + line + "\n");
  };
  std::size_t silent = 0;
  for (const auto& [before, word] : forms) {
    INFO(before << word);
    for (const std::string place :
         {"srun torchrun --nproc_per_node=4 " + word + " t.py", "srun torchrun " + word + " --nproc_per_node=4 t.py",
          "srun python -m torch.distributed.run --nproc_per_node=4 " + word + " t.py"}) {
      INFO(place);
      CHECK(all("SLM035", before, place).empty());
      CHECK(all("SLM002", before, place).empty());
      ++silent;
    }
    CHECK(server(before, "vllm serve m --tensor-parallel-size 4 " + word).empty());
    CHECK(server(before, "vllm serve " + word + " m --tensor-parallel-size 4").empty());
    silent += 2;
  }
  CHECK(silent == forms.size() * 5);
  // What can be read is judged as before.
  CHECK(all("SLM035", "A=t.py\n", "srun torchrun --nproc_per_node=8 $A").starts_with("error"));
  CHECK(all("SLM035", "", "srun torchrun --nproc_per_node=8 $HOME/t.py $ARGS").starts_with("error"));
  CHECK(server("A=--enforce-eager\n", "vllm serve m $A --tensor-parallel-size 4").starts_with("error"));
}

}  // namespace lint_scripts_launch_test
