// What a lifted script gives its program: the values of its variables, its folder, and what the shell did before.
#include "tests/unit/lift_scene.h"

namespace lift_values_test {

using namespace muster;

namespace {

using tests::lifted;
using tests::one_gpu;
using tests::two_nodes;

constexpr const char* torchrun = "srun torchrun --nnodes 2 --nproc_per_node 8 a.py\n";

}  // namespace

TEST_CASE("variables that sound like the runner's, and which it does not set, stay") {
  const auto two =
      lifted(two_nodes, "export NNODES=2\nexport GPUS_PER_NODE=8\nexport RANK=0\n" + std::string(torchrun));
  CHECK(two.grade() == "lifted");
  CHECK(two.has("NNODES = 2"));
  CHECK(two.has("GPUS_PER_NODE = 8"));
  CHECK_FALSE(two.has("RANK ="));
  CHECK(lifted(two_nodes, std::string("export PET_MAX_RESTARTS=3\n") + torchrun).because("option of torchrun"));
}

TEST_CASE("an address or a port is the run's where the script works out just that") {
  const auto here =
      lifted(one_gpu, "export MASTER_ADDR=$(hostname)\nexport MASTER_PORT=$((10000 + SLURM_JOBID))\npython a.py\n");
  CHECK(here.grade() == "lifted");
  CHECK(here.has("MASTER_ADDR = \"${run.head}\""));
  CHECK(here.has("MASTER_PORT = \"${run.port}\""));
  CHECK(lifted(one_gpu, "export MASTER_ADDR=$(cat server.txt)\npython a.py\n").grade() == "lifted with script");
  CHECK(lifted(one_gpu, "export MASTER_PORT=$(./choose)\npython a.py\n").grade() == "lifted with script");
}

TEST_CASE("an address with something beside it is not the runner's") {
  const std::string step =
      "srun torchrun --nnodes 2 --nproc_per_node 8 --rdzv_backend c10d --rdzv_endpoint $E a.py > log\n";
  const std::string loop = "for i in 1; do :; done\n";
  const auto whole = lifted(two_nodes, "E=$(scontrol show hostnames | head -n 1)\n" + loop + step);
  CHECK(whole.has("E=$MASTER_ADDR"));
  CHECK(lifted(two_nodes, "E=\"$(scontrol show hostnames | head -n 1):29511\"\n" + loop + step).grade() == "wrapped");
}

TEST_CASE("the last value of a variable counts") {
  CHECK(lifted(one_gpu, "export A=1\nexport A=2\npython a.py\n").has("env { A = 2 }"));
  CHECK(lifted(one_gpu, "export A=1\nA=3 python a.py\n").has("env { A = 3 }"));
  CHECK(lifted(one_gpu, "A=1\nexport A\npython a.py\n").has("env { A = 1 }"));
  CHECK_FALSE(lifted(one_gpu, "f() {\n  A=1\n}\nexport A\npython a.py\n").has("A = 1"));
}

TEST_CASE("a meeting place of one node that is not the usual one is named") {
  const std::string start = "torchrun --nproc_per_node=1 --rdzv_endpoint=";
  const auto fate = [&](const std::string& place) {
    return lifted(one_gpu, start + place + " a.py\n").fate("--rdzv_endpoint");
  };
  CHECK(fate("localhost:29400") == "dropped");
  CHECK(fate("0.0.0.0:29400") == "mended");
  CHECK(fate("localhost:0") == "mended");
  CHECK(fate("localhost:$PORT") == "mended");
}

TEST_CASE("a file that only a shell writes goes with the number of its descriptor") {
  const auto text =
      lifted(two_nodes, "for i in 1; do :; done\nsrun python -u a.py --n 2 > ${SLURM_JOBID}.out 2> $SLURM_JOBID.err\n");
  CHECK(text.grade() == "lifted with script");
  CHECK(text.has("python -u a.py --n 2 >>>"));
}

TEST_CASE("lines that mean another thing in another folder keep a later `cd` in the text") {
  CHECK(lifted(one_gpu, "source ./env.sh\ncd /data\npython a.py\n").because("depends on the folder"));
  CHECK(lifted(one_gpu, "source /opt/env.sh\ncd /data\npython a.py\n").has("workdir = \"/data\""));
}

TEST_CASE("what prints the software is in front of it") {
  CHECK_FALSE(lifted(one_gpu, "pip list\nmodule load cuda\npython a.py > log\n").has("software = cuda"));
  CHECK(lifted(one_gpu, "date\nmodule load cuda\npython a.py > log\n").has("software = cuda"));
}

TEST_CASE("a step of a job that has its nodes alone sees the GPUs that are asked for") {
  const std::string alone = "--nodes=2\n--ntasks-per-node=1\n--exclusive";
  CHECK(lifted(alone, "export NCCL_DEBUG=info\nsrun python a.py\n").fate("gpus") == "mended");
  CHECK(lifted(alone, "srun ./solve\n").fate("gpus") == "mended");
  CHECK(lifted("--nodes=1\n--exclusive", "torchrun --nproc_per_node=4 a.py\n").fate("gpus").empty());  // no step
}

TEST_CASE("a variable that Slurm exports is changed without `export`") {
  CHECK(lifted(one_gpu, "CUDA_VISIBLE_DEVICES=0\npython a.py\n").has("CUDA_VISIBLE_DEVICES = 0"));
  CHECK_FALSE(lifted(one_gpu, "OTHER=0\npython a.py\n").has("OTHER"));
}

TEST_CASE("secrets in front of the program and in addresses are not copied") {
  const auto front = lifted(one_gpu, "HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz012345 python a.py\n");
  CHECK(front.has("secret hf-token { env = \"HF_TOKEN\" }"));
  CHECK_FALSE(front.has("hf_abc"));
  const auto address = lifted(one_gpu, "export DB=postgres://me:s3cr3tpass@db/x\npython a.py\n");
  CHECK_FALSE(address.has("s3cr3tpass"));
  CHECK(lifted(one_gpu, "export MAX_TOKENS=512\nexport TOKEN_PATH=/x\npython a.py\n").has("MAX_TOKENS = 512"));
}

TEST_CASE("a folder is below that of --chdir") {
  const std::string chdir = std::string(one_gpu) + "\n--chdir=/work";
  CHECK(lifted(chdir, "python a.py\n").has("workdir = \"/work\""));
  CHECK(lifted(chdir, "cd code\npython a.py\n").has("workdir = \"/work/code\""));
  CHECK(lifted(chdir, "cd /other\npython a.py\n").has("workdir = \"/other\""));
  CHECK(lifted(one_gpu, "cd /other\npython a.py\n").fate("logs") == "mended");
  CHECK(lifted(std::string(one_gpu) + "\n--output=/l/%j", "cd /other\npython a.py\n").fate("logs").empty());
  CHECK(lifted(one_gpu, "cd $HOME/x\npython a.py\n").fate("logs").empty());
  CHECK(lifted(chdir, "python a.py\n").fate("logs").empty());
  CHECK(lifted(chdir, "cd $1\npython a.py\n").because("below the one before"));
  CHECK(lifted(one_gpu, "cd $1\npython a.py\n").has("workdir = $arg1"));
  CHECK_FALSE(lifted(chdir, "cd $SLURM_SUBMIT_DIR\npython a.py\n").has("workdir"));
}

TEST_CASE("folders that are made before the program") {
  CHECK(lifted(one_gpu, "mkdir -p out || exit 1\npython a.py\n").has("setup = <<<bash mkdir -p out >>>"));
  CHECK(lifted(one_gpu, "[ ! -d out ] && mkdir out\npython a.py\n").has("setup = <<<bash mkdir -p out >>>"));
  CHECK(lifted(one_gpu, "[ -d out ] && mkdir out/x\npython a.py\n").grade() == "lifted with script");
  CHECK(lifted(one_gpu, "[ -d out ] && mkdir out\npython a.py\n").grade() == "lifted with script");
}

TEST_CASE("what ends the script where the program goes on is in the report") {
  const auto fate = [](const std::string& body, const char* what) { return lifted(one_gpu, body).fate(what); };
  CHECK(fate("set -u\npython a.py\n", "set") == "mended");
  CHECK(fate("set -euo pipefail\npython a.py\n", "set") == "mended");
  CHECK(fate("set -e\npython a.py\n", "set") == "dropped");
  CHECK(fate("mkdir -p out\npython a.py\n", "setup") == "mended");
  CHECK(fate("set -e\nmkdir -p out\npython a.py\n", "setup") == "lifted");
  CHECK(fate("set -xe\nmkdir -p out\npython a.py\n", "setup") == "lifted");
  CHECK(fate("set -e\nmkdir out/a\npython a.py\n", "setup") == "mended");  // with `-p`
}

TEST_CASE("a tool that eval sets up leaves what the script knows") {
  for (const char* hook :
       {"eval \"$(conda shell.bash hook)\"", "eval \"$(/home/$(whoami)/bin/conda shell.bash hook)\""}) {
    const auto head = lifted("--nodes=2\n--ntasks-per-node=1\n--gpus-per-node=4",
                             "a=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n" + std::string(hook) +
                                 "\nconda activate e\nexport MY_HEAD=$a\nsrun python a.py\n");
    INFO(hook);
    CHECK(head.has("${run.head}"));
    CHECK_FALSE(head.has("env.a"));
  }
}

TEST_CASE("a folder that may be no word at all stays the shell's") {
  CHECK(lifted(one_gpu, "cd $WORKING_DIR\npython a.py\n").because("may be empty"));
  CHECK(lifted(one_gpu, "cd $SCRATCH\npython a.py\n").grade() == "lifted");
  CHECK(lifted(one_gpu, "cd $WORKING_DIR/x\npython a.py\n").grade() == "lifted");
}

TEST_CASE("a last backslash is not a word, and counts of tasks stay those of the job") {
  const auto open = lifted(one_gpu, "python a.py > log\npython b.py --x 1 \\\n");
  CHECK(open.has("python b.py --x 1 "));
  CHECK_FALSE(open.has("\\"));
  const auto threads =
      lifted("--nodes=1\n--ntasks-per-node=6\n--gpus-per-node=1", "sh << EOF\n./a -n $SLURM_NTASKS\nEOF\n");
  CHECK(threads.has("./a -n 6"));
  const std::string one_task = "--nodes=1\n--ntasks=1\n--gpus-per-node=1\n--array=1-2";
  const auto counts = lifted(one_task, "python a.py $SLURM_NTASKS ${SLURM_NTASKS:-3} $SLURM_ARRAY_JOB_ID > log\n");
  CHECK(counts.grade() == "lifted with compat");
  CHECK(counts.has("python a.py 1 ${SLURM_NTASKS:-3} $SLURM_ARRAY_JOB_ID"));
}

TEST_CASE("what only prints may run a program inside") {
  CHECK(lifted(one_gpu, "echo \"at $(date)\"\npython a.py\n").grade() == "lifted");
  CHECK(lifted(one_gpu, "echo \"made $(python make.py)\"\npython a.py\n").grade() == "lifted with script");
  CHECK(lifted(one_gpu, "if true; then\n  echo $(./make)\nfi\npython a.py\n").grade() == "lifted with script");
}

TEST_CASE("set has options or changes the arguments") {
  CHECK(lifted(one_gpu, "set -euo pipefail\nset +x\npython a.py\n").grade() == "lifted");
  CHECK(lifted(one_gpu, "set -- a b\npython a.py\n").grade() == "lifted with script");
}

TEST_CASE("what a plane has one of") {
  const std::string directives = tests::with_directives("#SBATCH ", "--nodes=2\n--ntasks-per-node=4", "");
  const tests::Lifted other(directives + "mpirun -np 8 ./lmp\n", {.mpi = model::Mpi::pmix, .may_login = true});
  CHECK(other.grade() == "wrapped");
  const tests::Lifted same(directives + "mpirun -np 8 ./lmp\n", {.mpi = model::Mpi::mpirun, .may_login = true});
  CHECK(same.grade() == "lifted");
  const tests::Lifted login("#!/bin/bash -l\n#SBATCH --gpus-per-node=1\npython a.py\n",
                            {.mpi = {}, .may_login = false});
  CHECK(login.grade() == "lifted with script");
  CHECK(login.has("script-flags = [\"-l\"]"));
  CHECK_FALSE(login.has("login-shell"));
}

TEST_CASE("a step of another job is no part of this one") {
  CHECK(lifted("--ntasks=1", "srun --jobid=$SLURM_JOB_ID python a.py\n").grade() == "lifted");
  CHECK(lifted("--ntasks=1", "srun --jobid=4711 python a.py\n").because("may be another job"));
}

TEST_CASE("what is done once must not change what the step sees") {
  const std::string nodes = "--nodes=2\n--ntasks-per-node=4";
  const std::string step = "srun python a.py $X\n";
  CHECK(lifted(nodes, "touch ready\nif true; then B=1; fi\n" + step).grade() == "lifted with script");
  for (const char* once : {"read X < config\n", "mapfile X < config\n", "for X in a b; do touch $X; done\n",
                           "f() {\n  touch x\n  X=1\n}\nf\n", "printf -v X %s a > log\n", "X=$(date)\n"})
    CHECK(lifted(nodes, once + step).grade() == "wrapped");
  const auto head = lifted(nodes,
                           "H=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\nrm -f $H.lock\n"
                           "if true; then B=1; fi\nsrun python a.py $H $B\n");
  CHECK(head.has("setup = <<<bash H=$MASTER_ADDR if [ \"$MUSTER_NODE_RANK\" = 0 ]; then rm -f $H.lock fi true >>>"));
}

TEST_CASE("a folder that was found before a cd is not that of the program") {
  CHECK(lifted(one_gpu, "OUT=$(pwd)\ncd /code\npython a.py --out $OUT\n").because("from before a `cd`"));
  CHECK(lifted(one_gpu, "cd /code\npython a.py --out $PWD\n").grade() == "lifted");
  CHECK(lifted(one_gpu, "OUT=$(pwd)\npython a.py --out $OUT\n").grade() == "lifted");
}

TEST_CASE("a variable that Slurm may not set is no word without quotes") {
  CHECK(lifted(one_gpu, "python a.py -i $SLURM_ARRAY_TASK_ID --out x\n").because("may be several words"));
  CHECK(lifted(one_gpu, "python a.py -i $SLURM_JOB_ID\n").grade() == "lifted");
  CHECK(lifted("--array=1-3\n--gpus-per-node=1", "python a.py -i $SLURM_ARRAY_TASK_ID\n").grade() == "lifted");
}

TEST_CASE("a step that goes leaves a line where the program sees something else") {
  const auto alone = lifted("--nodes=1\n--exclusive\n--gres=gpu:2", "srun python a.py\n");
  CHECK(alone.fate("gpus") == "mended");
  CHECK(lifted("--nodes=1\n--gres=gpu:2", "srun python a.py\n").fate("gpus").empty());
  CHECK(lifted("--ntasks=1", "srun --mpi=pmi2 python a.py\n").fate("--mpi") == "mended");
}

TEST_CASE("lists and numbers of the nodes") {
  const std::string hosts = "export HOSTS=`scontrol show hostnames \"$SLURM_JOB_NODELIST\"`\n";
  const std::string count = "export COUNT=$(scontrol show hostnames $SLURM_JOB_NODELIST | wc -l)\n";
  const auto mpi = lifted("--nodes=2\n--ntasks-per-node=1", hosts + count + "mpirun -n $COUNT -perhost 1 ./a\n");
  CHECK(mpi.grade() == "lifted");
  CHECK(mpi.has("env { COUNT = 2 }"));
  CHECK(mpi.fate("export") == "lost");
  CHECK(lifted("--nodes=2\n--ntasks-per-node=1", count + "mpirun -n $COUNT -perhost 2 ./a\n").grade() == "wrapped");
  CHECK(lifted("--nodes=2\n--ntasks-per-node=4", "mpirun -np 8 -map-by slot ./a\n").grade() == "lifted");
  const auto text =
      lifted("--nodes=2\n--ntasks-per-node=1", hosts + count + "if true; then B=1; fi\nsrun python a.py $B\n");
  CHECK(text.has("export COUNT=2"));
  CHECK_FALSE(text.has("HOSTS"));
}

TEST_CASE("the name of a meeting is the job's in all tasks") {
  const auto one = lifted(two_nodes,
                          "nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )\nnodes_array=($nodes)\n"
                          "head=${nodes_array[0]}\nip=$(srun --nodes=1 --ntasks=1 -w \"$head\" hostname --ip-address)\n"
                          "srun torchrun --nproc_per_node 8 --rdzv_id $RANDOM --rdzv_endpoint $ip:29500 a.py\n");
  CHECK(one.grade() == "lifted with script");
  CHECK(one.has("ip=$MASTER_ADDR torchrun --nproc_per_node 8 --rdzv_id $MUSTER_ID --rdzv_endpoint $ip:29500 a.py"));
  CHECK(one.fate("rdzv-id") == "mended");
  CHECK(lifted(two_nodes, "srun python a.py --seed $RANDOM\n").grade() == "wrapped");
}

TEST_CASE("variables of Slurm in a text are those of every target where each of them is one") {
  const std::string nodes = "--nodes=2\n--ntasks-per-node=4\n--cpus-per-task=2";
  const std::string text = "if true; then B=1; fi\n";
  const auto all = lifted(nodes, text +
                                     "srun bash -c \"python a.py $SLURM_NNODES \\$SLURM_PROCID \\${SLURM_LOCALID} "
                                     "\\$SLURM_NODEID $SLURM_JOB_ID -t $SLURM_CPUS_PER_TASK\"\n");
  CHECK(all.grade() == "lifted with script");
  CHECK(all.has("python a.py 2 \\${RANK} \\${LOCAL_RANK} \\${MUSTER_NODE_RANK} ${MUSTER_ID} -t 2"));
  CHECK_FALSE(all.has("compat"));
  for (const char* left : {"$SLURM_JOB_PARTITION", "${SLURM_NNODES:-1}", "$((SLURM_NNODES * 2))"})
    CHECK(lifted(nodes, text + "srun python a.py $SLURM_NNODES \"" + left + "\"\n").grade() == "lifted with compat");
  CHECK(lifted("--array=1-3", text + "python a.py $SLURM_JOB_ID\n").grade() == "lifted with compat");
}

}  // namespace lift_values_test
