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

TEST_CASE("the last value of a variable counts") {
  CHECK(lifted(one_gpu, "export A=1\nexport A=2\npython a.py\n").has("env { A = 2 }"));
  CHECK(lifted(one_gpu, "export A=1\nA=3 python a.py\n").has("env { A = 3 }"));
  CHECK(lifted(one_gpu, "A=1\nexport A\npython a.py\n").has("env { A = 1 }"));
  CHECK_FALSE(lifted(one_gpu, "f() {\n  A=1\n}\nexport A\npython a.py\n").has("A = 1"));
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
  CHECK_FALSE(lifted(chdir, "cd $SLURM_SUBMIT_DIR\npython a.py\n").has("workdir"));
}

TEST_CASE("folders that are made before the program") {
  CHECK(lifted(one_gpu, "mkdir -p out || exit 1\npython a.py\n").has("setup = <<<bash mkdir -p out >>>"));
  CHECK(lifted(one_gpu, "[ ! -d out ] && mkdir out\npython a.py\n").has("setup = <<<bash mkdir -p out >>>"));
  CHECK(lifted(one_gpu, "[ -d out ] && mkdir out/x\npython a.py\n").grade() == "lifted with script");
  CHECK(lifted(one_gpu, "[ -d out ] && mkdir out\npython a.py\n").grade() == "lifted with script");
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
  CHECK(lifted(nodes, "touch ready\nif true; then B=1; fi\n" + step).grade() == "lifted with compat");
  for (const char* once : {"read X < config\n", "mapfile X < config\n", "for X in a b; do touch $X; done\n",
                           "f() {\n  touch x\n  X=1\n}\nf\n", "printf -v X %s a > log\n", "X=$(date)\n"})
    CHECK(lifted(nodes, once + step).grade() == "wrapped");
  const auto head = lifted(nodes,
                           "H=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\nrm -f $H.lock\n"
                           "if true; then B=1; fi\nsrun python a.py $H $B\n");
  CHECK(head.has("setup = <<<bash H=$MASTER_ADDR if [ \"$SLURM_NODEID\" = 0 ]; then rm -f $H.lock fi >>>"));
}

}  // namespace lift_values_test
