// Ray's own template of a batch script as runner `ray`, and what is more than the template.
#include "tests/unit/lift_scene.h"

namespace lift_ray_test {

using namespace muster;

namespace {

const std::string head =
    "nodes=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\")\nnodes_array=($nodes)\nhead_node=${nodes_array[0]}\n"
    "ip=$(srun --nodes=1 --ntasks=1 -w \"$head_node\" hostname --ip-address)\nport=6379\nip_head=$ip:$port\n";
const std::string start =
    "srun --nodes=1 --ntasks=1 -w $head_node ray start --head --node-ip-address=$ip --port=$port --block &\n";
const std::string workers =
    "worker_num=$((SLURM_JOB_NUM_NODES - 1))\nfor ((i = 1; i <= worker_num; i++)); do\n  node_i=${nodes_array[$i]}\n"
    "  srun --nodes=1 --ntasks=1 -w $node_i ray start --address $ip_head --block &\n  sleep 5\ndone\n";
const std::string program = "python -u tune.py --steps 3\n";

tests::Lifted script(const std::string& body, const std::string& more = "") {
  return tests::lifted("--nodes=4 --ntasks-per-node=1 --gpus-per-node=2 --cpus-per-task=8" + more, body,
                       "#!/bin/bash\n");
}

}  // namespace

TEST_CASE("Ray's template is its runner") {
  const tests::Lifted one = script(head + "export ip_head\n" + start + "sleep 10\n" + workers + program);
  CHECK(one.grade() == "lifted");
  CHECK(one.has("launch { runner = ray }"));
  CHECK(one.has("env { ip_head = \"${env.RAY_ADDRESS}\" }"));
  CHECK(one.has("command = [\"python\", \"-u\", \"tune.py\", \"--steps\", \"3\"]"));
  CHECK(one.made.launcher == "Ray, 4 nodes");
  const tests::Lifted step =
      script(head + start + "srun -N 3 -n 3 --exclude=$head_node ray start --address $ip_head --block &\n" + program);
  CHECK(step.has("runner = ray"));
}

TEST_CASE("the other forms of Ray's template") {
  const std::string branch =
      "if [[ \"$ip\" == *\" \"* ]]; then\nIFS=' ' read -ra ADDR <<<\"$ip\"\nif [[ ${#ADDR[0]} -gt 16 ]]; then\n"
      "  ip=${ADDR[1]}\nelse\n  ip=${ADDR[0]}\nfi\necho \"split $ip\"\nfi\n";
  CHECK(script(head + branch + start + workers + program).has("runner = ray"));
  const tests::Lifted alone =
      tests::lifted("--nodes=1 --gpus-per-node=1", "module load cuda\n" + head + start + program, "#!/bin/bash\n");
  CHECK(alone.has("runner = ray"));
  CHECK(alone.has("modules = [\"cuda\"]"));
  CHECK(alone.fate("num-cpus").empty());
  const auto cpus = [&](const std::string& count) {
    return script(head + start.substr(0, start.size() - 3) + " --num-cpus=" + count + " &\n" + workers + program)
        .fate("num-cpus");
  };
  CHECK(cpus("8").empty());
  CHECK(cpus("${SLURM_CPUS_PER_TASK}").empty());
  CHECK(cpus("4") == "mended");
  CHECK(cpus("$(nproc)") == "mended");
  const tests::Lifted secret =
      script("redis_password=$(uuidgen)\nexport redis_password\n" + head + start + workers + program);
  CHECK(secret.grade() == "lifted");
  CHECK_FALSE(secret.has("redis_password"));
  CHECK(secret.fate("export") == "lost");
}

TEST_CASE("what is more than Ray's template stays as it is") {
  const auto with = [&](std::string text, const std::string& what, const std::string& other) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), other);
    return script(text).has("runner = ray");
  };
  const std::string whole = head + start + workers + program;
  CHECK(with(whole, "--block", "--block"));
  CHECK_FALSE(with(whole, "--block", "--resources={}"));  // another cluster
  CHECK_FALSE(with(whole, "--block", "--num-gpus 1"));    // other GPUs than the job's
  CHECK_FALSE(with(whole, "--ntasks=1 -w $head_node ray", "--ntasks=2 -w $head_node ray"));  // two heads
  CHECK_FALSE(with(whole, "--nodes=1 --ntasks=1 -w $head_node ray", "-w $head_node ray"));   // on all nodes
  CHECK_FALSE(with(whole, "i <= worker_num", "i < worker_num"));                             // a node without a worker
  CHECK_FALSE(with(whole, "SLURM_JOB_NUM_NODES - 1", "SLURM_JOB_NUM_NODES"));
  CHECK_FALSE(with(whole, "  sleep 5\n", "  python log.py\n"));  // a program in the loop
  CHECK_FALSE(with(whole, workers, ""));                         // Ray on the first node only
  CHECK_FALSE(with(whole, "--steps 3", "--address $ip_head"));   // the port would be another
  CHECK_FALSE(with(whole, "--steps 3", "--port $port"));
  CHECK_FALSE(with(whole, "port=6379\n", "export port=6379\n"));
  CHECK_FALSE(with(whole, "sleep 5\ndone\n", "sleep 5\ndone\nexport URL=http://$ip:8265\n"));
  CHECK(with(whole, "sleep 5\ndone\n", "sleep 5\ndone\nexport REPORT=1\n"));
  CHECK_FALSE(with(whole, "python -u", "srun python -u"));
  CHECK_FALSE(with(whole, "python -u", "torchrun --nproc_per_node=2"));
  CHECK_FALSE(with(whole, "--block &", "--block"));  // the head ends first
  CHECK_FALSE(script(whole, " --distribution=cyclic").has("runner = ray"));
}

}  // namespace lift_ray_test
