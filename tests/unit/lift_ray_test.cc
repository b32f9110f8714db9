// Ray's own template of a batch script as runner `ray`, and what is more than the template.
#include <algorithm>

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
  const tests::Lifted secret =
      script("redis_password=$(uuidgen)\nexport redis_password\n" + head + start + workers + program);
  CHECK(secret.grade() == "lifted");
  CHECK_FALSE(secret.has("redis_password"));
  CHECK(secret.fate("export") == "lost");
}

namespace {

std::string with(std::string text, const std::string& what, const std::string& other) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += other.size())
    text.replace(at, what.size(), other);
  return text;
}

}  // namespace

TEST_CASE("what Ray's runner does another way is named") {
  const std::string whole = head + start + workers + program;
  const auto cpus = [&](const std::string& count) {
    return script(with(whole, "--block", "--num-cpus=" + count + " --block")).fate("num-cpus");
  };
  CHECK(cpus("8").empty());
  CHECK(cpus("${SLURM_CPUS_PER_TASK}").empty());
  CHECK(cpus("4") == "mended");
  CHECK(cpus("$(nproc)") == "mended");
  CHECK(script(whole).fate("num-cpus") == "mended");
  const tests::Lifted log = script(with(whole, "--block &", "--block > ray.log 2>&1 &"));
  CHECK(log.has("runner = ray"));
  CHECK(log.fate("logs") == "mended");
  CHECK(script(with(whole, "--block", "--dashboard-host=0.0.0.0 --block")).fate("dashboard-host") == "mended");
  const tests::Lifted late = script(head + start + workers + "export MODE=x\nmodule load cuda\n" + program);
  CHECK(late.has("MODE = \"x\""));
  CHECK(std::count_if(late.made.lines.begin(), late.made.lines.end(), [](const targets::ImportLine& line) {
          return line.note == "the nodes of Ray find it, too";
        }) == 2);
  const tests::Lifted stop = script(whole + "ray stop\n");
  CHECK(stop.has("command = [\"python\", \"-u\", \"tune.py\", \"--steps\", \"3\"]"));
  CHECK(stop.fate("exit code") == "mended");
}

TEST_CASE("the reason of a script with Ray is Ray's") {
  const tests::Lifted more = script(head + with(start, "--block", "--resources={}") + workers + program);
  CHECK(more.grade() == "wrapped");
  CHECK(more.because("`ray start` has `--resources`"));
}

TEST_CASE("what is more than Ray's template stays as it is") {
  const auto lifts = [&](std::string text, const std::string& what, const std::string& other) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), other);
    return script(text).has("runner = ray");
  };
  const std::string whole = head + start + workers + program;
  CHECK(lifts(whole, "--block", "--block"));
  CHECK_FALSE(lifts(whole, "--block", "--resources={}"));  // another cluster
  CHECK_FALSE(lifts(whole, "--block", "--num-gpus 1"));    // other GPUs than the job's
  CHECK_FALSE(lifts(whole, "--ntasks=1 -w $head_node ray", "--ntasks=2 -w $head_node ray"));  // two heads
  CHECK_FALSE(lifts(whole, "--nodes=1 --ntasks=1 -w $head_node ray", "-w $head_node ray"));   // on all nodes
  CHECK_FALSE(lifts(whole, "i <= worker_num", "i < worker_num"));                             // a node without a worker
  CHECK_FALSE(lifts(whole, "SLURM_JOB_NUM_NODES - 1", "SLURM_JOB_NUM_NODES"));
  CHECK_FALSE(lifts(whole, "  sleep 5\n", "  python log.py\n"));  // a program in the loop
  CHECK_FALSE(lifts(whole, workers, ""));                         // Ray on the first node only
  CHECK_FALSE(lifts(whole, "--steps 3", "--address $ip_head"));   // the port would be another
  CHECK_FALSE(lifts(whole, "--steps 3", "--port $port"));
  CHECK_FALSE(lifts(whole, "port=6379\n", "export port=6379\n"));
  CHECK_FALSE(lifts(whole, "sleep 5\ndone\n", "sleep 5\ndone\nexport URL=http://$ip:8265\n"));
  CHECK(lifts(whole, "sleep 5\ndone\n", "sleep 5\ndone\nexport REPORT=1\n"));
  CHECK_FALSE(lifts(whole, "srun --nodes=1 --ntasks=1 -w $head_node", "A=1 srun --nodes=1 --ntasks=1 -w $head_node"));
  CHECK_FALSE(lifts(whole, "  sleep 5\ndone", "  sleep 5\ndone > log"));
  CHECK_FALSE(lifts(whole, workers,
                    "srun -N 3 -n 3 --exclude=$head_node ray start --address $ip_head --block && python b.py &\n"));
  CHECK_FALSE(lifts(whole, "--ntasks=1 -w $node_i", "--ntasks=1 --ntasks-per-node=2 -w $node_i"));
  CHECK_FALSE(lifts(whole, "python -u", "srun python -u"));
  CHECK_FALSE(lifts(whole, "python -u", "torchrun --nproc_per_node=2"));
  CHECK_FALSE(lifts(whole, "--block &", "--block"));                    // the head ends first
  CHECK_FALSE(lifts(whole, "$ip_head --block &", "$ip_head --block"));  // the first worker ends first
  CHECK_FALSE(script(whole, " --ntasks-per-node=2").has("runner = ray"));
  CHECK_FALSE(script(whole, " --distribution=cyclic").has("runner = ray"));
}

}  // namespace lift_ray_test
