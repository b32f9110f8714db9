// The rules of batch scripts on pairs of scripts that differ in one word. lint_scripts_test.cc has a file a rule; here
// stands what nearly is a finding beside what is one.
#include "tests/catch.h"
#include "tests/unit/found_in_script.h"

namespace lint_scripts_nearly_test {

using namespace muster;
using namespace muster::lint;

namespace {

std::string found(std::string_view rule, const std::string& below, const std::string& site = "") {
  return tests::found_in_script(rule, below, site);
}

}  // namespace

TEST_CASE("nearly: a rendezvous at an own address", "[lint][nearly]") {
  const auto at = [](const std::string& options, const std::string& nodes = "2") {
    return found("SLM003", "#SBATCH --nodes=" + nodes + " --gpus-per-node=8 --time=1\nsrun " + options + " train.py\n");
  };
  CHECK(at("torchrun --nnodes=2 --rdzv_endpoint=localhost:29500") == "error 3");
  CHECK(at("torchrun --nnodes=2 --rdzv_endpoint=127.0.0.1") == "error 3");
  CHECK(at("torchrun --nnodes=2 --rdzv_endpoint=0.0.0.0:1") == "error 3");
  CHECK(at("torchrun --nnodes=2 --master_addr=::1") == "error 3");
  CHECK(at("accelerate launch --num_machines=2 --main_process_ip=localhost") == "error 3");
  CHECK(at("torchrun --nnodes=2 --rdzv_endpoint=${HEAD:-localhost}:1") == "warning 3");
  CHECK(at("torchrun --nnodes=2 --rdzv_endpoint=${HEAD:-127.0.0.1}:1") == "warning 3");
  CHECK(at("torchrun --nnodes=2 --rdzv_endpoint=$HEAD:1").empty());
  CHECK(at("torchrun --nnodes=2 --rdzv_endpoint=node1:29500").empty());
  CHECK(at("torchrun --nnodes=1 --rdzv_endpoint=localhost:1").empty());  // each node for itself
  CHECK(at("torchrun --rdzv_endpoint=localhost:1").empty());             // and by default
  CHECK(at("torchrun --nnodes=2 --rdzv_endpoint=localhost:1", "1").empty());
  CHECK(at("python --rdzv_endpoint=localhost:1").empty());
}

TEST_CASE("nearly: a fixed port on a shared node", "[lint][nearly]") {
  const auto at = [](const std::string& options, const std::string& line, const std::string& site = "slurm-24") {
    return found("SLM012", "#SBATCH --partition=gpu --time=1 " + options + "\n" + line + "\n", site);
  };
  CHECK(at("--gpus-per-node=1", "export MASTER_PORT=29500") == "warning 3");
  CHECK(at("--gpus-per-node=7", "export MASTER_PORT=29500") == "warning 3");
  CHECK(at("--gpus-per-node=8", "export MASTER_PORT=29500") == "unclear 3");
  CHECK(at("--gpus-per-node=1", "export MASTER_PORT=29500", "") == "unclear 3");
  CHECK(at("--gpus-per-node=1 --exclusive", "export MASTER_PORT=29500").empty());
  CHECK(at("--gpus-per-node=1 --mem=0", "export MASTER_PORT=29500").empty());
  CHECK(at("--gpus-per-node=1 --mem=8G", "export MASTER_PORT=29500") == "warning 3");
  CHECK(at("--gpus-per-node=8 --array=0-1", "export MASTER_PORT=29500") == "warning 3");
  CHECK(at("--gpus-per-node=8 --array=0-1%1", "export MASTER_PORT=29500") == "unclear 3");
  CHECK(at("--gpus-per-node=8 --array=5", "export MASTER_PORT=29500") == "unclear 3");
  CHECK(at("--gpus-per-node=1", "export MASTER_PORT=1234") == "warning 3");
  CHECK(at("--gpus-per-node=1", "export MASTER_PORT=123").empty());
  CHECK(at("--gpus-per-node=1", "export MASTER_PORT=123456").empty());
  CHECK(at("--gpus-per-node=1", "export MASTER_PORT=2950a").empty());
  CHECK(at("--gpus-per-node=1", "export MASTER_PORT=$((20000 + SLURM_JOB_ID))").empty());
  CHECK(at("--gpus-per-node=1", "export OTHER_PORT=29500").empty());
  CHECK(at("--gpus-per-node=1", "torchrun --master_port=29500 t.py") == "warning 3");
  CHECK(at("--gpus-per-node=1", "accelerate launch --main_process_port 29500 t.py") == "warning 3");
  CHECK(at("--gpus-per-node=1", "python t.py --master_port=29500").empty());
  CHECK(at("--gpus-per-node=1", "torchrun --rdzv_endpoint=$HEAD:29500 t.py") == "warning 3");
  CHECK(at("--gpus-per-node=1", "torchrun --rdzv_endpoint=$HEAD:$PORT t.py").empty());
  CHECK(at("--gpus-per-node=1", "torchrun --rdzv_endpoint=$HEAD t.py").empty());
}

TEST_CASE("nearly: tasks that each start a launcher", "[lint][nearly]") {
  const auto at = [](const std::string& options, const std::string& lines) {
    return found("SLM001", "#SBATCH --nodes=2 --time=1 " + options + "\n" + lines + "\n");
  };
  const std::string run = "srun torchrun --nproc_per_node=8 t.py";
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=2", run) == "error 3");
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=1", run).empty());
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=2", "srun deepspeed --num_gpus=8 t.py") == "error 3");
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=2", "srun accelerate launch --num_processes=16 t.py") == "error 3");
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=8", "srun torchrun --nproc_per_node=1 t.py").empty());
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=2", "srun torchrun --nproc_per_node=4 t.py").empty());  // they share
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=2", "srun torchrun --nproc_per_node=5 t.py") == "error 3");
  CHECK(at("--ntasks-per-node=2", run) == "unclear 3");
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=2", "if [ -f x ]; then " + run + "; fi") == "warning 3");
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=2", "torchrun --nproc_per_node=8 t.py").empty());  // one task runs it
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=2", "export CUDA_VISIBLE_DEVICES=0,1\n" + run).empty());
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=2", "ROCR_VISIBLE_DEVICES=0 " + run).empty());
  CHECK(at("--gpus-per-node=8 --ntasks-per-node=2", "export OTHER_DEVICES=0\n" + run) == "error 4");
}

TEST_CASE("nearly: GPUs without processes", "[lint][nearly]") {
  const auto at = [](std::string_view rule, const std::string& lines, const std::string& options = "") {
    return found(rule, "#SBATCH --nodes=1 --gpus-per-node=4 --time=1 " + options + "\n" + lines + "\n");
  };
  CHECK(at("SLM002", "torchrun --nproc_per_node=2 t.py") == "warning 3");
  CHECK(at("SLM002", "torchrun --nproc_per_node=4 t.py").empty());
  CHECK(at("SLM002", "torchrun --nproc_per_node=1 t.py") == "warning 3");
  CHECK(at("SLM002", "torchrun --nproc_per_node=1 t.py", "--exclusive").empty());  // a whole node on purpose
  CHECK(at("SLM002", "torchrun --nproc_per_node=2 t.py", "--exclusive") == "warning 3");
  CHECK(at("SLM002", "torchrun --nproc_per_node=2 t.py --tensor-model-parallel-size 2").empty());
  CHECK(at("SLM002", "torchrun --nproc_per_node=2 t.py --model_parallel=true").empty());
  CHECK(at("SLM002", "torchrun --nproc_per_node=2 t.py --tensor-model-parallel-size=1") == "warning 3");
  CHECK(at("SLM002", "torchrun --nproc_per_node=2 t.py &\nwait").empty());  // another may run beside it
  CHECK(at("SLM002", "torchrun --nproc_per_node=2 t.py\ntorchrun --nproc_per_node=2 t.py").empty());
  CHECK(at("SLM002", "[ -f x ] && torchrun --nproc_per_node=2 t.py").empty());
  CHECK(at("SLM010", "python t.py") == "info 2");
  CHECK(at("SLM010", "CUDA_VISIBLE_DEVICES=0 python t.py") == "warning 3");
  CHECK(at("SLM010", "srun --ntasks=2 python t.py").empty());
  CHECK(at("SLM010", "./solve").empty());
  for (const char* flag : {"--num_gpus=4",
                           "--num-gpus 4",
                           "--num_gpu=2",
                           "--gpu_num=4",
                           "--n_gpus=4",
                           "--n_gpu=4",
                           "--ngpus 4",
                           "--gpus=4",
                           "trainer.gpus=4",
                           "--gpu_ids=0,1",
                           "--gpu-ids 0,1",
                           "--gpu_id 0,1",
                           "--devices=-1",
                           "--device_ids=0,1",
                           "--gpu=0,1",
                           "NUM_GPUS 4",
                           "--strategy=ddp",
                           "--multiprocessing-distributed",
                           "--data_parallel",
                           "--data-parallel",
                           "--dataparallel",
                           "--multi_gpu",
                           "--multi-gpu",
                           "use_accelerate=True",
                           "--use_accelerate",
                           "--device_map auto",
                           "--model_args parallelize=True",
                           "--max_memory_per_gpu 50GB",
                           "--tensor-parallel-size 4",
                           "--tensor_parallel_size=4"}) {
    INFO(flag);
    CHECK(at("SLM010", std::string("python t.py ") + flag).empty());
  }
  for (const char* flag : {"--gpus=1", "--gpus 0", "--gpus", "gpus 4", "--gpu_count=4", "--strategy=auto",
                           "--use_accelerate=False", "--tensor-parallel-size 1", "--parallelize=0"}) {
    INFO(flag);
    CHECK(at("SLM010", std::string("python t.py ") + flag) == "info 2");
  }
}

TEST_CASE("nearly: CPUs that srun does not inherit", "[lint][nearly]") {
  const auto at = [](const std::string& lines, const std::string& site = "slurm-22", const std::string& cpus = "8") {
    return found("SLM004", "#SBATCH --time=1 --cpus-per-task=" + cpus + "\n" + lines + "\n", site);
  };
  CHECK(at("srun ./a") == "warning 3");
  CHECK(at("srun ./a", "") == "unclear 3");
  CHECK(at("srun ./a", "slurm-24").empty());
  CHECK(at("srun ./a", "slurm-22", "2") == "warning 3");
  CHECK(at("srun ./a", "slurm-22", "1").empty());
  CHECK(at("./a").empty());
  CHECK(at("srun ./a\nsrun ./b") == "warning 3");
  CHECK(at("srun --cpus-per-task=8 ./a").empty());
  CHECK(at("srun -c 8 ./a\nsrun ./b") == "warning 4");
  CHECK(at("srun --cpus-per-gpu=8 ./a").empty());
  CHECK(at("srun --exact ./a").empty());
  CHECK(at("export SRUN_CPUS_PER_TASK=8\nsrun ./a").empty());
  CHECK(at("export OMP_NUM_THREADS=8\nsrun ./a") == "warning 4");
}

TEST_CASE("nearly: an interactive shell, and the folder of the script", "[lint][nearly]") {
  const auto shell = [](const std::string& line) { return found("SLM015", "#SBATCH --time=1\n" + line + "\n"); };
  for (const char* name : {"bash", "sh", "zsh", "csh", "tcsh", "ksh", "bash -i", "bash -l", "/bin/bash --login"}) {
    INFO(name);
    CHECK(shell("srun " + std::string(name)) == "info 3");
  }
  CHECK(shell("srun --pty bash").empty());
  CHECK(shell("srun bash run.sh").empty());
  CHECK(shell("srun bash < run.sh").empty());
  CHECK(shell("cat run.sh | srun bash").empty());
  CHECK(shell("srun bash > log") == "info 3");
  CHECK(shell("bash").empty());
  CHECK(shell("srun fish") == shell("srun bash"));
  CHECK(shell("srun fishing").empty());

  const auto own = [](const std::string& lines) { return found("SLM018", "#SBATCH --time=1\n" + lines + "\n"); };
  for (const char* line : {"cd $(dirname $0)", "cd \"$(dirname \"${0}\")\"", "cd $(dirname ${BASH_SOURCE[0]})",
                           "cd ${0%/*}", "cd \"${BASH_SOURCE%/*}\"", "D=${BASH_SOURCE[0]%/*}; cd $D",
                           "D=\"$(cd \"$(dirname \"$0\")\" && pwd)\"; E=$D/..; python \"$E/t.py\"",
                           "D=$(cd $(dirname $0) && pwd); E=$(cd \"$D/..\" && pwd); cd $E",
                           "D=$(dirname $0); E=$(python $D/t.py); ./solve < $D/input", "python $(dirname $0)/t.py"}) {
    INFO(line);
    CHECK(own(line) == "error 3");
  }
  // What only shows the folder, or looks there besides, needs nothing of it.
  for (const char* line : {"D=${BASH_SOURCE[0]%/*}", "D=$(dirname $0); echo $D", "D=$(dirname $0); test -n \"$D\"",
                           "D=$(cd $(dirname $0) && pwd); E=$(cd \"$D/..\" && pwd)",
                           "PYTHONPATH=\"$(dirname $0)/..\":$PYTHONPATH python t.py",
                           "D=$(dirname $0); E=${SLURM_SUBMIT_DIR:-$D/..}; cd $E",
                           "cd \"${SLURM_SUBMIT_DIR:-$(dirname \"$0\")}\"", "cd ${SLURM_SUBMIT_DIR:-${0%/*}}",
                           "D=\"${SLURM_SUBMIT_DIR:-$(cd \"$(dirname \"$0\")\" && pwd)}\"; python $D/t.py",
                           "D=$(dirname $0); if [ -n \"$SLURM_SUBMIT_DIR\" ]; then D=$SLURM_SUBMIT_DIR; fi; cd $D",
                           "D=$(dirname $0); export PYTHONPATH=$D/..; python t.py"}) {
    INFO(line);
    CHECK(own(line).empty());
  }
  CHECK(own("cd $SLURM_SUBMIT_DIR; . $(dirname $0)/env.sh") == "error 3");
  CHECK(own("cd $(dirname $01)").empty());
  CHECK(own("cd $(dirname $0x)").empty());
  CHECK(own("cd $(dirname $SCRIPT)").empty());
  CHECK(own("echo ${0%.sh}").empty());
  CHECK(own("if [ -f a ]; then cd $(dirname $0); fi") == "warning 3");
  CHECK(own("if [ -z \"$SLURM_JOB_ID\" ]; then cd $(dirname $0); fi").empty());  // a branch may know
  CHECK(own("if [ -f a ]; then cd $(dirname $0); fi\nscontrol show job 1 | grep -o Command=").empty());
  // It asks Slurm where it lies: what it does before it knows is still wrong, what it only notes is not.
  const std::string asks = "\nscontrol show job $SLURM_JOB_ID | grep -o Command=\n";
  for (const char* verb : {"cd ", "pushd ", "source ", ". "}) {
    INFO(verb);
    CHECK(own(verb + std::string("$(dirname $0)") + asks) == "error 3");
    for (const char* form : {"${0%/*}", "\"${BASH_SOURCE%/*}\"", "${BASH_SOURCE[0]%/*}/x"})
      CHECK(own(verb + std::string(form) + asks) == "error 3");
  }
  CHECK(own("D=$(dirname $0)" + asks).empty());
  CHECK(own("D=$(dirname $0)\n[[ $D == */spool/* ]] && D=$SLURM_SUBMIT_DIR").empty());
  CHECK(own("D=$(dirname $0)\ncase $D in *slurmd*) D=. ;; esac").empty());
}

TEST_CASE("nearly: directives that sbatch does not obey", "[lint][nearly]") {
  const auto at = [](const std::string& lines) { return found("SLM019", "#SBATCH --time=1\n" + lines + "\n"); };
  CHECK(at("./a\n#SBATCH --mem=1G\n./b") == "error 4");
  CHECK(at("./a\n#SBATCH --mem=1G") == "warning 4");  // below the last command
  CHECK(at(" #SBATCH --mem=1G\n./a") == "warning 3");
  CHECK(at("#Sbatch --mem=1G\n./a") == "warning 3");
  CHECK(at("./a\n #SBATCH --mem=1G").empty());
  CHECK(at("#sbatch -p gpu job.sh\n./a").empty());  // a command that was switched off
  CHECK(at("cat <<END\n#SBATCH --mem=1G\nEND").empty());
  CHECK(at("cat <<END\n#SBATCH --mem=1G\nEND\n#SBATCH --mem=2G\n./b") == "error 6");
  CHECK(at("./a\n##SBATCH --mem=1G").empty());
  CHECK(at("./a\n#SBATCH --mem=1G\n# and for large cases\n") == "info 4");  // kept for later
  CHECK(at("./a\n#SBATCH --mem=1G\n# and for large cases\n./b\n") == "error 4");
  CHECK(at("./a\n#SBATCH --time=1\n./b") == "info 4");  // set above, the same way
  CHECK(at("./a\n#SBATCH --time=2\n./b") == "error 4");
  CHECK(at("#SBTACH --ntasks=1\n./a") == "info 3");  // the default
  CHECK(at("#SBTACH --nodes=1\n#SBATCH -n 8\n./a") == "warning 3");
  for (const char* slip : {"#SBTACH", "#SBARCH", "#SBATC", "#BATCH", "#SBBATCH"}) {
    INFO(slip);
    CHECK(at(slip + std::string(" --mem=1G\n./a")) == "warning 3");
  }
  for (const char* other : {"#XSBATCH", "#YBATCH", "#SCRATCH", "#BSUB"}) {
    INFO(other);
    CHECK(at(other + std::string(" --mem=1G\n./a")).empty());
  }
  CHECK(at("#SBTACH is read by sbatch\n./a").empty());
  const auto variable = [](const std::string& line) { return found("SLM020", line + "\n./a\n"); };
  CHECK(variable("#SBATCH --time=1 --output=$HOME/x.log") == "error 2");
  CHECK(variable("#SBATCH --time=1 --output=%x.log").empty());
  CHECK(variable("#SBATCH --time=1\n# $HOME").empty());
}

TEST_CASE("nearly: a long option with one hyphen is a slip, no template", "[lint][nearly]") {
  for (const char* option : {"-ntasks", "-n_tasks_per_node", "-nprocs", "-ntasks_per_node"}) {
    INFO(option);
    const std::string text = "#SBATCH --time=1 -n 4\n#SBATCH " + std::string(option) + "\n./a\n";
    CHECK(found("SLM021", text) == "error 3");
    CHECK(found("SLM022", text).empty());
    CHECK(found("SLM042", text).empty());  // nothing is set twice: sbatch stops
  }
  for (const char* option : {"-nTASKS", "-n tasks", "-nxxxx", "-n__tasks__"})
    CHECK(found("SLM022", "#SBATCH --time=1\n#SBATCH " + std::string(option) + "\n./a\n") == "unclear 3");
  CHECK(found("SLM042", "#SBATCH --time=1 -n 4\n#SBATCH -n 8\n./a\n") == "warning 2");
}

TEST_CASE("nearly: a word that Slurm does not know is a slip, no template", "[lint][nearly]") {
  for (const char* option : {"--mail-type=FOO", "--mail-type=me@example.com", "--open-mode=write", "--exclusive=all"}) {
    INFO(option);
    const std::string text = "#SBATCH --time=1 " + std::string(option) + "\n./a\n";
    CHECK(found("SLM021", text) == "error 2");
    CHECK(found("SLM022", text).empty());
  }
  CHECK(found("SLM021", "#SBATCH --time=1 --mail-type=FOO,END\n./a\n").empty());  // SLM048
  CHECK(found("SLM022", "#SBATCH --time=1 --nodes=NODES\n./a\n") == "unclear 2");
  CHECK(found("SLM022", "#SBATCH --time=1 --mail-type={events}\n./a\n") == "unclear 2");
}

TEST_CASE("nearly: folders of logs", "[lint][nearly]") {
  const auto on = [](const std::string& site, const std::string& path, const std::string& lines) {
    return found("SLM016", "#SBATCH --time=1 --output=" + path + "\n" + lines + "\n", site);
  };
  const auto at = [&](const std::string& path, const std::string& lines = "./a") {
    return on("slurm-22", path, lines);
  };
  CHECK(at("logs/a.out") == "info 2");
  CHECK(at("a.out").empty());
  CHECK(at("./a.out").empty());
  CHECK(at("../a.out").empty());
  CHECK(at("././logs/a.out", "mkdir -p logs") == "warning 2");
  CHECK(at("logs/a.out", "mkdir -p ./logs/") == "warning 2");
  CHECK(at("logs/a.out", "mkdir -p other") == "info 2");
  CHECK(at("logs/a.out", "rmdir logs") == "info 2");
  CHECK(at("/logs/a.out").empty());
  CHECK(at("/data/logs/a.out", "mkdir -p /data/logs") == "warning 2");
  CHECK(at("/path/to/logs/a.out") == "warning 2");
  CHECK(at("/path/to/logs/a.out", "./a --data /path/to/data") == "info 2");  // a form
  CHECK(at("logs-%j/a.out") == "warning 2");
  CHECK(at("/logs-%j/a.out").empty());
  // Slurm 23.02 and later create them.
  for (const char* path : {"logs/a.out", "logs-%j/a.out"}) {
    INFO(path);
    CHECK(on("slurm-24", path, "mkdir -p logs").empty());
    CHECK(on("", path, "mkdir -p logs") == "info 2");
  }
  CHECK(on("slurm-24", "/path/to/logs/a.out", "./a") == "warning 2");
}

TEST_CASE("nearly: memory of whole nodes, queues and accounts", "[lint][nearly]") {
  const auto memory = [](const std::string& options, const std::string& site = "slurm-24") {
    return found("SLM009", "#SBATCH --time=1 --partition=gpu " + options + "\n./a\n", site);
  };
  CHECK(memory("--mem=0 --gpus-per-node=7") == "warning 2");
  CHECK(memory("--mem=0 --gpus-per-node=8").empty());
  CHECK(memory("--mem=0 --ntasks-per-node=1 --cpus-per-task=8") == "warning 2");
  CHECK(memory("--mem=0 --ntasks-per-node=12 --cpus-per-task=8").empty());
  CHECK(memory("--mem=0 --cpus-per-task=8 --gpus-per-node=1") == "warning 2");
  CHECK(memory("--mem=0") == "unclear 2");
  CHECK(memory("--mem=0 --gpus-per-node=7", "") == "unclear 2");
  CHECK(memory("--mem=8G --gpus-per-node=7").empty());
  CHECK(memory("--mem=0 --gpus-per-node=7 --exclusive").empty());

  const auto queue = [](const std::string& options, const std::string& site) {
    return found("QTA002", "#SBATCH --time=1 " + options + "\n./a\n", site);
  };
  CHECK(queue("", "slurm-leaves") == "warning 2");  // two queues, none of them the default
  CHECK(queue("", "slurm-24").empty());             // the default
  CHECK(queue("", "slurm-one").empty());            // the only one
  CHECK(queue("", "") == "unclear 2");
  CHECK(queue("--partition=flat", "slurm-leaves").empty());
  CHECK(queue("--qos=x", "slurm-leaves").empty());
  CHECK(queue("--reservation=x", "slurm-leaves").empty());
  const auto account = [](const std::string& options, const std::string& site) {
    return found("QTA001", "#SBATCH --time=1 " + options + "\n./a\n", site);
  };
  CHECK(account("", "slurm-leaves") == "warning 2");
  CHECK(account("--account=red", "slurm-leaves").empty());
  CHECK(account("", "slurm-24").empty());
  CHECK(account("", "") == "unclear 2");
}

TEST_CASE("nearly: switches, degrees and checkpoints of coupled nodes", "[lint][nearly]") {
  const auto job = [](std::string_view rule, const std::string& options, const std::string& line,
                      const std::string& site = "") {
    return found(rule, "#SBATCH " + options + "\n" + line + "\n", site);
  };
  const std::string run = "srun torchrun --nnodes=2 t.py";
  const std::string flat = "--partition=flat --time=1 --nodes=2 --gpus-per-node=8";
  CHECK(job("SLM013", flat, run, "slurm-leaves") == "warning 2");
  CHECK(job("SLM013", flat, run) == "unclear 2");
  CHECK(job("SLM013", flat, run, "slurm-24") == "unclear 2");  // no leaves are declared
  CHECK(job("SLM013", flat, run, "slurm-tree").empty());
  CHECK(job("SLM013", flat, "srun ./solve", "slurm-leaves").empty());
  CHECK(job("SLM013", "--partition=flat --time=1 --nodes=1 --gpus-per-node=8", run, "slurm-leaves").empty());
  CHECK(job("SLM013", "--partition=flat --time=1 --nodes=2", run, "slurm-leaves").empty());
  for (const char* launcher : {"accelerate launch", "deepspeed", "mpirun", "horovodrun"}) {
    INFO(launcher);
    CHECK(job("SLM013", flat, launcher + std::string(" t.py"), "slurm-leaves") == "warning 2");
  }

  const std::string eight = "--time=1 --nodes=2 --gpus-per-node=4";
  const std::string world = "srun torchrun --nnodes=2 --nproc_per_node=4 t.py ";
  CHECK(job("PAR001", eight, world + "--tensor-model-parallel-size 2 --pipeline-model-parallel-size=4").empty());
  CHECK(job("PAR001", eight, world + "--tensor-model-parallel-size 3") == "error 3");
  CHECK(job("PAR001", eight, world + "--tensor_model_parallel_size=4 --context-parallel-size 4") == "error 3");
  CHECK(job("PAR001", eight, world + "--tensor-model-parallel-size $TP").empty());
  CHECK(job("PAR001", eight, world + "--tensor-model-parallel-size 0").empty());
  CHECK(job("PAR001", eight, world + "--expert-model-parallel-size 3").empty());
  CHECK(job("PAR001", eight, "[ -f x ] && " + world + "--tensor-model-parallel-size 3") == "warning 3");
  CHECK(job("PAR002", eight, world + "--tensor-model-parallel-size 8") == "warning 3");
  CHECK(job("PAR002", eight, world + "--tensor-model-parallel-size 4").empty());
  CHECK(job("PAR002", eight, world + "--pipeline-model-parallel-size 8").empty());

  CHECK(job("CKP001", "--time=4:01:00 --nodes=2 --gpus-per-node=8", run) == "unclear 2");
  CHECK(job("CKP001", "--time=4:00:00 --nodes=2 --gpus-per-node=8", run).empty());
  CHECK(job("CKP001", "--time=8:00:00 --nodes=1 --gpus-per-node=8", run).empty());
  CHECK(job("CKP001", "--time=8:00:00 --nodes=2", run).empty());
  CHECK(job("CKP001", "--time=8:00:00 --nodes=2 --gpus-per-node=8", "mpirun ./solve").empty());
  for (const char* word :
       {"checkpoint", "ckpt", "resume", "save", "snapshot", "restart", "output_dir", "output-dir", "Requeue"}) {
    INFO(word);
    CHECK(job("CKP001", "--time=8:00:00 --nodes=2 --gpus-per-node=8", run + " --" + word).empty());
  }
  CHECK(job("CKP002", eight, world + "--save /tmp/x") == "warning 3");
  CHECK(job("CKP002", eight, world + "--save=/tmp/x") == "warning 3");
  CHECK(job("CKP002", eight, world + "--save /shared/x").empty());
  CHECK(job("CKP002", eight, world + "--load /tmp/x").empty());
  CHECK(job("CKP002", eight, world + "--save").empty());
  CHECK(job("CKP002", "--time=1 --nodes=1 --gpus-per-node=4", "torchrun t.py --save /tmp/x").empty());
}

TEST_CASE("nearly: fabrics of a job's nodes, arrays and times", "[lint][nearly]") {
  const std::string run = "\nsrun torchrun --nnodes=2 t.py\n";
  const auto mixed = [&](const std::string& options) {
    return found("NET004", "#SBATCH --time=1 --nodes=2 " + options + run, "slurm-tree");
  };
  CHECK(mixed("--partition=all --gpus-per-node=8") == "warning 2");
  CHECK(mixed("--partition=tree --gpus-per-node=8").empty());
  CHECK(mixed("--partition=tcp --gpus-per-node=8").empty());
  CHECK(mixed("--partition=all --gpus-per-node=h100:8").empty());
  CHECK(mixed("--partition=all --gpus-per-node=8 --constraint=ib").empty());
  CHECK(mixed("--partition=all --gpus-per-node=8 --nodelist=n1,n2").empty());
  CHECK(mixed("--partition=all").empty());

  const auto array = [](const std::string& indices, const std::string& site = "") {
    return found("SLM007", "#SBATCH --time=1 --array=" + indices + "\n./a\n", site);
  };
  CHECK(array("0-1000").starts_with("unclear"));
  CHECK(array("1000").empty());
  CHECK(array("1001") == "unclear 2");
  CHECK(array("0-498").empty());
  CHECK(array("0-499") == "unclear 2");
  CHECK(array("0-499%50").empty());
  CHECK(array("0-49", "slurm-24").empty());
  CHECK(array("0-50", "slurm-24") == "warning 2");
  CHECK(array("0-50%10", "slurm-24").empty());

  const auto time = [](const std::string& options) { return found("SLM005", "#SBATCH " + options + "\n./a\n"); };
  CHECK(time("--time=1:00") == "unclear 2");
  CHECK(time("--time=UNLIMITED").empty());
  CHECK(time("--nodes=1").empty());
}

TEST_CASE("nearly: words of counts and of networks", "[lint][nearly]") {
  const auto typed = [](const std::string& gpus, const std::string& line) {
    return found("SLM011", "#SBATCH --time=1 --gpus-per-node=" + gpus + "\n" + line + "\n");
  };
  CHECK(typed("h100:8", "torchrun --nproc_per_node=$SLURM_GPUS_PER_NODE t.py") == "warning 3");
  CHECK(typed("h100:8", "torchrun --nproc_per_node=${SLURM_GPUS_PER_NODE} t.py") == "warning 3");
  CHECK(typed("h100:8", "torchrun --nproc_per_node=${SLURM_GPUS_PER_NODE##*:} t.py").empty());
  CHECK(typed("8", "torchrun --nproc_per_node=$SLURM_GPUS_PER_NODE t.py").empty());
  CHECK(typed("h100:8", "echo $SLURM_GPUS_PER_NODE").empty());
  CHECK(typed("h100:8", "printf %s $SLURM_GPUS_PER_NODE").empty());
  CHECK(typed("h100:8", "torchrun --nproc_per_node=$SLURM_GPUS_ON_NODE t.py").empty());

  const auto twice = [](const std::string& gpus, const std::string& line) {
    return found("PAR003", "#SBATCH --time=1 --gpus-per-node=" + gpus + "\n" + line + "\n");
  };
  CHECK(twice("8", "torchrun --nproc_per_node=8 t.py") == "info 3");
  CHECK(twice("8", "torchrun --nproc_per_node=4 t.py").empty());
  CHECK(twice("1", "torchrun --nproc_per_node=1 t.py").empty());
  CHECK(twice("8", "torchrun --nproc_per_node=$N t.py").empty());
  CHECK(twice("8", "torchrun --nproc_per_node=gpu t.py").empty());

  const auto net = [](std::string_view rule, const std::string& lines, const std::string& nodes = "2") {
    return found(rule, "#SBATCH --time=1 --gpus-per-node=8 --nodes=" + nodes + "\n" + lines + "\n");
  };
  const std::string run = "srun torchrun --nnodes=2 t.py";
  CHECK(net("NET002", run) == "info 2");
  for (const char* word : {"NCCL_DEBUG", "all_reduce_perf", "nccl-tests", "nccl_tests", "ib_write_bw"}) {
    INFO(word);
    CHECK(net("NET002", run + "\n# " + word).empty());
  }
  CHECK(net("NET002", run, "1").empty());
  CHECK(net("NET003", "export NCCL_IB_DISABLE=1\n" + run) == "warning 3");
  CHECK(net("NET003", "export NCCL_IB_DISABLE=1  # our cluster does not have InfiniBand\n" + run).empty());
  CHECK(net("NET003", "NCCL_NET=Socket " + run) == "warning 3");
  CHECK(net("NET003", "export NCCL_IB_DISABLE=1 FI_PROVIDER=efa\n" + run).empty());  // EFA is no InfiniBand
  CHECK(net("NET003", "export NCCL_IB_DISABLE=1\nFI_EFA_USE_DEVICE_RDMA=1 " + run).empty());
  CHECK(net("NET003", "export NCCL_IB_DISABLE=1 FI_PROVIDER=tcp\n" + run) == "warning 3");
  CHECK(net("NET003", "export NCCL_NET=Socket FI_PROVIDER=efa\n" + run) == "warning 3");
  CHECK(net("NET003", "export NCCL_IB_DISABLE=0\n" + run).empty());
  CHECK(net("NET003", "export NCCL_IB_DISABLE=$X\n" + run).empty());
  CHECK(net("NET003", "export NCCL_IB_DISABLE=1\n" + run, "1").empty());
}

TEST_CASE("nearly: secrets that a script writes out", "[lint][nearly]") {
  const auto at = [](const std::string& line) { return found("SEC001", "#SBATCH --time=1\n" + line + "\n"); };
  CHECK(at("export WANDB_API_KEY=q7wd2rf9zb4hn6js1vc8") == "error 3");
  CHECK(at("export WANDB_API_KEY=q7wd2rf9zb4hn6js1vc") == "warning 3");    // nineteen signs
  CHECK(at("export WANDB_API_KEY=qwedsrftzbuhnijsovc12") == "warning 3");  // two digits
  CHECK(at("export WANDB_API_KEY=12345678901234567ab89") == "warning 3");  // two letters
  CHECK(at("export WANDB_API_KEY=$KEY").empty());
  CHECK(at("WANDB_API_KEY=q7wd2rf9zb4hn6js1vc8 python t.py") == "error 3");
  CHECK(at("wandb login 0123456789abcdefABCDEF0123456789abcdef01") == "error 3");
  CHECK(at("wandb login 0123456789abcdefABCDEF0123456789abcdef0").empty());
  CHECK(at("wandb login 0123456789abcdefABCDEF0123456789abcdefg1").empty());
  CHECK(at("wandb sync 0123456789abcdefABCDEF0123456789abcdef01").empty());
  CHECK(at("other login 0123456789abcdefABCDEF0123456789abcdef01").empty());
  CHECK(at("huggingface-cli login --token hf_q7Wd2Rf9Zb4Hn6Js1Vc8Lm3Px5Gt0Nr") == "error 3");
}

}  // namespace lint_scripts_nearly_test
