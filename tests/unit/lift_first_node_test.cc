// Scripts of several nodes whose programs run on the first one alone.
#include "tests/unit/lift_scene.h"

namespace lift_first_node_test {

using namespace muster;

namespace {

using tests::lifted;
using tests::two_nodes;

constexpr const char* guard = "[ \"$MUSTER_NODE_RANK\" = 0 ] || exit 0";

std::string grade_of(const std::string& body) { return lifted(two_nodes, body).grade(); }

}  // namespace

TEST_CASE("a program of the batch shell runs on the first node, and the others end") {
  const auto one = lifted(two_nodes, "module load cuda\npython prepare.py > log\ntorchrun --nproc_per_node=8 a.py\n");
  CHECK(one.grade() == "lifted with script");
  CHECK(one.has(guard));
  CHECK(one.has("module load cuda") == false);
  CHECK(one.has("modules = [\"cuda\"]"));
  CHECK(one.has("nodes = 2"));
  CHECK_FALSE(one.has("runner"));
  CHECK_FALSE(one.has("unset SLURM_NTASKS"));
  CHECK(one.fate("text") == "kept");
}

TEST_CASE("tasks that no step starts are CPUs of the node") {
  const auto each = lifted("--nodes=2\n--ntasks-per-node=4\n--cpus-per-task=3\n--gpus-per-node=2", "python a.py\n");
  CHECK(each.has("cpus = 12"));
  CHECK_FALSE(each.has("processes"));
  CHECK(lifted("--nodes=2\n--ntasks-per-node=4\n--gpus-per-node=2", "python a.py\n").has("cpus = 4"));
  CHECK_FALSE(
      lifted("--nodes=2\n--ntasks-per-node=4\n--exclusive\n--gpus-per-node=2", "python a.py\n").has("cpus = 4"));
  const auto own = lifted("--nodes=2\n--ntasks-per-node=2\n--gpus-per-task=1", "python a.py\n");
  CHECK(own.grade() == "wrapped");
}

TEST_CASE("the program finds the variables of the batch shell") {
  CHECK(lifted("--nodes=2\n--gpus-per-node=2", "python a.py\n").has("unset SLURM_NTASKS SLURM_NPROCS"));
  const auto rank = lifted(two_nodes, "python a.py --rank $SLURM_PROCID --world $SLURM_NNODES --tasks $SLURM_NTASKS\n");
  CHECK(rank.grade() == "lifted with script");
  CHECK(rank.has("--rank 0 --world 2 --tasks 2"));
  CHECK(lifted(two_nodes, "python a.py --at $SLURM_JOB_PARTITION\n").grade() == "lifted with compat");
  CHECK(lifted("--nodes=2\n--ntasks-per-node=4", "python a.py --tasks ${SLURM_NTASKS:-1}\n").grade() == "wrapped");
}

TEST_CASE("the first node of the job is the one that runs") {
  const auto address = lifted(
      two_nodes, "export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\npython a.py > log\n");
  CHECK(address.has("export MASTER_ADDR=$(hostname)"));
  CHECK_FALSE(address.has("scontrol"));
  CHECK(grade_of("hosts=$(scontrol show hostnames)\npython a.py $hosts\n") == "wrapped");
  const std::string head = "$(scontrol show hostnames | head -n 1)";
  for (const std::string& body : {"A=" + head + " python a.py\n", "python a.py --addr=" + head + " --lr 2\n",
                                  "A=\"" + head + ":29500\"\npython a.py $A\n",
                                  "export A=" + head + " B=1\npython a.py\n", "export A=" + head + " && python a.py\n"})
    CHECK(grade_of(body) == "wrapped");
}

TEST_CASE("what may start processes on other nodes stays a script of Slurm") {
  for (const char* body :
       {"bash run.sh\n", "./train\n", "$PROGRAM a.py\n", "ssh node2 python a.py\n", "python a.py\nsbatch next.sh\n",
        "deepspeed --hostfile hosts a.py\n", "eval $COMMAND\n", "singularity exec image.sif ./train\n",
        "mpirun -n 16 ./a\npython a.py\n", "srun hostname\npython a.py\n", "python deepy.py train.py\n",
        "python a.py --hosts $SLURM_JOB_NODELIST\n"})
    CHECK(grade_of(body) == "wrapped");
  CHECK(lifted(std::string(two_nodes) + "\n--signal=B:USR1@60", "python a.py\n").grade() == "wrapped");
  CHECK(grade_of("eval \"$(conda shell.bash hook)\"\nconda activate x\npython a.py\n") == "lifted with script");
  CHECK(grade_of("work() {\n  python a.py\n}\nwork\n") == "lifted with script");
}

}  // namespace lift_first_node_test
