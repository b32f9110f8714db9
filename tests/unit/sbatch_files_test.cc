// What a batch script says, line by line, of a workload and a site that are given as text.
#include <algorithm>

#include "tests/catch.h"
#include "tests/unit/pods_scene.h"

namespace sbatch_files_test {

using namespace muster;
using test::Manifests;
using test::Pods;

namespace {

Manifests script(const std::string& workload, const std::string& plane = "version = \"24.05\"",
                 const std::string& site = "job-dir = \"/s\"  queue main { default = true }\n",
                 const std::string& target = "slurm") {
  return lower(Pods{.kind = "slurm",
                    .plane = plane,
                    .site = site,
                    .pool = "gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 188  memory = 1TB }\n",
                    .workload = workload},
               target);
}

// What the loss report says of a field: "exact --nodes=2", "approximated nothing: why".
std::string became(const Manifests& of, std::string_view field) {
  using enum targets::LossEntry::Status;
  for (const targets::LossEntry& entry : of.lowered.loss.entries()) {
    if (to_string(entry.field) != field) continue;
    const std::string status = entry.status == exact          ? "exact "
                               : entry.status == approximated ? "approximated "
                               : entry.status == read         ? "read "
                                                              : "refused ";
    return status + entry.as + (entry.note.empty() ? "" : ": " + entry.note);
  }
  return "";
}

bool has_line(const Manifests& of, std::string_view line) {
  return ("\n" + of.text()).find("\n" + std::string(line) + "\n") != std::string::npos;
}

const std::string two_roles =
    "kind = rl  time-limit = 1h\n"
    "role a { nodes = 4  gpus = 8  TOPOLOGY  command = [\"a\"] }\n"
    "role b { nodes = B  gpus = 8  TOPOLOGY  command = [\"b\"] }\n";

std::string with(std::string text, std::string_view word, std::string_view value) {
  for (std::size_t at; (at = text.find(word)) != std::string::npos;) text.replace(at, word.size(), value);
  return text;
}

}  // namespace

TEST_CASE("each role of a job has a domain of its own", "[sbatch]") {
  const std::string domains = with(two_roles, "TOPOLOGY", "topology { within = nvlink-domain  required = true }");
  const std::string block = "version = \"24.11\"  topology = block";
  const Manifests alike = script(with(domains, " B", " 4"), block);
  CHECK(has_line(alike, "#SBATCH --nodes=8"));
  CHECK(has_line(alike, "#SBATCH --segment=4"));
  CHECK(became(alike, "role.a.topology.within") == "exact --segment=4");
  CHECK(became(alike, "role.b.topology.within") == "exact --segment=4");
  CHECK(became(alike, "role.b.resources.nodes") == "exact --nodes=8");

  const Manifests unlike = script(with(domains, " B", " 2"), block);
  CHECK(has_line(unlike, "#SBATCH hetjob"));
  CHECK(has_line(unlike, "#SBATCH --segment=4"));
  CHECK(has_line(unlike, "#SBATCH --segment=2"));
  CHECK(became(unlike, "role.b.topology.within") == "exact --segment=2");

  // Slurm divides no segment, so what is only preferred is none.
  const Manifests preferred =
      script(with(with(two_roles, "TOPOLOGY", "topology { within = nvlink-domain }"), " B", " 4"), block);
  CHECK_FALSE(preferred.has("--segment"));
  CHECK(became(preferred, "role.a.topology").starts_with("approximated nothing"));
}

TEST_CASE("as many leaf switches as there are parts", "[sbatch]") {
  const std::string leaves = with(two_roles, "TOPOLOGY", "topology { within = leaf }");
  const Manifests roles = script(with(leaves, " B", " 2"), "topology = tree");
  CHECK(has_line(roles, "#SBATCH --switches=2"));
  CHECK(became(roles, "role.b.topology").starts_with("approximated --switches=2"));
  CHECK(has_line(script("kind = train  nodes = 2  replicas = 3  gpus = 8  command = [\"a\"]\n"
                        "topology { within = leaf }",
                        "topology = tree"),
                 "#SBATCH --switches=3"));
}

TEST_CASE("roles have log files of their own", "[sbatch]") {
  const std::string roles = with(with(two_roles, "TOPOLOGY", ""), " B", " 2");
  const Manifests output = script(roles + "logs { output = \"{name}/{role}-{id}.out\" }");
  CHECK(has_line(output, "#SBATCH --output=%x-%j.out"));
  CHECK(output.has(" a > w/a-\"$SLURM_JOB_ID\".out 2>&1 &\n"));
  CHECK(output.has(" b > w/b-\"$SLURM_JOB_ID\".out 2>&1 &\n"));
  CHECK(became(output, "logs.output") == "exact a redirection of each role");

  const Manifests error = script(roles + "logs { output = \"all\"  error = \"{role}.err\"  append = true }");
  CHECK(has_line(error, "#SBATCH --output=all"));
  CHECK(error.has(" b 2>> b.err &\n"));
  CHECK_FALSE(error.has("--error"));

  CHECK(has_line(script(roles + "logs { output = \"{{role}\" }"), "#SBATCH --output={role}"));
  CHECK(script(roles + "logs { output = \"{role}.{task}\" }").stated().find("{role} {name} {id}") != std::string::npos);
  CHECK(has_line(script("kind = batch  gpus = 1  command = [\"a\"]  logs { output = \"{role}\" }"),
                 "#SBATCH --output=main"));
}

TEST_CASE("a step asks for no more CPUs than the job was given", "[sbatch]") {
  const std::string work =
      "kind = train  nodes = 2  gpus = 8  launch { runner = processes }  preflight { gpu-health = true }\n"
      "setup = <<<bash\n:\n>>>\ncommand = [\"a\"]";
  const Manifests file = script(work + "  cpus = 188");
  CHECK(has_line(file, "#SBATCH --cpus-per-task=23"));
  CHECK(file.has("--ntasks-per-node=1 --cpus-per-task=184 "));
  CHECK(file.has("--ntasks-per-node=8 --cpus-per-task=23 "));
  CHECK_FALSE(file.has("=188"));  // MUSTER_CPUS neither
  CHECK(became(file, "resources.cpus") ==
        "approximated --cpus-per-task=23: 8 tasks per node get 184 CPUs, because each has as many as the others");
}

TEST_CASE("without a time limit the queue's default is asked for, never its maximum", "[sbatch]") {
  const std::string work = "kind = batch  gpus = 1  command = [\"a\"]";
  const Manifests given =
      script(work, "", "queue main { default = true  max-time = 7d  default-time = 2h }  job-dir = \"/s\"\n");
  CHECK(has_line(given, "#SBATCH --time=0-02:00:00"));
  CHECK(became(given, "time-limit") == "exact --time=0-02:00:00, the default-time of queue main");
  const Manifests open = script(work, "", "queue main { default = true  max-time = 7d }  job-dir = \"/s\"\n");
  CHECK_FALSE(open.has("--time"));
  CHECK(became(open, "time-limit").starts_with("read : nothing is written: the default of the partition"));
  const Manifests own = script(work + "  target slurm { time = \"3:00:00\" }");
  CHECK(became(own, "time-limit") == "");
}

TEST_CASE("a job is started again only where the workload says so", "[sbatch]") {
  const std::string work = "kind = batch  gpus = 1  command = [\"a\"]\n";
  CHECK(has_line(script(work), "#SBATCH --no-requeue"));
  CHECK(has_line(script(work + "retry { limit = 0 }"), "#SBATCH --no-requeue"));
  CHECK(has_line(script(work + "retry { limit = 2 }"), "#SBATCH --requeue"));
  const Manifests left = script(work + "retry = default");
  CHECK_FALSE(left.has("requeue"));
  CHECK(became(left, "retry").starts_with("read : nothing is written"));
  CHECK_FALSE(script(work + "target slurm { requeue = true }").has("--no-requeue"));
}

TEST_CASE("an interactive job stays open, and says how to connect", "[sbatch]") {
  const std::string shell = "kind = dev  gpus = 1  time-limit = 1h  dev { interface = shell }\n";
  for (const char* command : {"", "command = [\"/bin/zsh\"]"}) {
    const Manifests open = script(shell + command);
    INFO(open.text() << open.stated());
    CHECK(open.text().ends_with("sleep infinity\n"));
    CHECK(open.has(*command != '\0' ? "--overlap --pty /bin/zsh\"" : "--overlap --pty bash\""));
  }
  CHECK(script(shell + "command = [\"work\"]").text().ends_with("\nwork\n"));

  const std::string notebook = "kind = dev  gpus = 1  time-limit = 1h  dev { interface = jupyter }\n";
  const Manifests jupyter = script(notebook + "command = [\"jupyter\", \"lab\"]  port web { number = 9999 }");
  CHECK(has_line(jupyter,
                 "echo \"to connect: ssh -N -J $SLURM_SUBMIT_HOST -L 9999:localhost:9999 $SLURMD_NODENAME, "
                 "then http://localhost:9999\""));
  CHECK(script(notebook).text().ends_with("\njupyter lab --no-browser\n"));
}

TEST_CASE("GPUs that are counted by tasks come with the number of the tasks", "[sbatch]") {
  const auto with = [](const std::string& keys, const std::string& options) {
    return script("kind = batch  command = [\"a\"]\n" + keys + "\ntarget slurm { gpus-per-task = 2  " + options + " }");
  };
  for (const char* nodes : {"", "nodes = 1"}) {
    CHECK(has_line(with(nodes, ""), "#SBATCH --nodes=1"));
    CHECK(has_line(with(nodes, ""), "#SBATCH --ntasks-per-node=1"));
    CHECK_FALSE(with(nodes, "ntasks = 4").has("--ntasks-per-node"));
    CHECK_FALSE(with(nodes, "gpus = 4").has("--ntasks-per-node"));
  }
  CHECK_FALSE(script("kind = batch  gpus = 2  command = [\"a\"]").has("--ntasks-per-node"));
}

TEST_CASE("options of a target block that sbatch rejects are refused", "[sbatch]") {
  const std::string work = "kind = batch  gpus = 1  command = [\"a\"]\n";
  const auto refused = [&](const std::string& options) {
    return script(work + "target slurm { " + options + " }").stated();
  };
  CHECK(refused("label = true").find("`--label` is an option of srun") != std::string::npos);
  CHECK(refused("mem-per-cpu = \"much\"").find("much") != std::string::npos);
  CHECK(refused("tiem = \"1:00\"") != "");
  CHECK(refused("nice = 5") == "");
  CHECK(refused("our-plugin = \"x\"") == "");  // what no Slurm has may be a plugin's
  CHECK(became(script(work + "target slurm { nice = 5 }"), "target.slurm.nice") == "exact --nice=5");
  CHECK(became(script(work + "target slurm { foo = 1 }"), "target.slurm.foo").starts_with("approximated --foo=1"));
  const Manifests bad = script(work + "target slurm { hint = \"bogus\" }");
  CHECK_FALSE(became(bad, "target.slurm.hint").starts_with("exact"));
  for (const char* wrong : {"hint = \"bogus\"", "switches = \"none\"", "gres-flags = \"bogus\"",
                            "distribution = \"bogus\"", "profile = \"bogus\"", "threads-per-core = \"x\"",
                            "tmp = \"much\"", "cpu-freq = \"bogus\"", "sockets-per-node = \"x\"", "wait-all-nodes = 3"})
    CHECK(refused(wrong).find("does not take") != std::string::npos);
  for (const char* right : {"hint = \"nomultithread\"", "switches = \"1@30\"", "gres-flags = \"enforce-binding\"",
                            "distribution = \"block:cyclic,Pack\"", "profile = \"task,energy\"", "threads-per-core = 1",
                            "tmp = \"4G\"", "cpu-freq = \"high-high:performance\"", "sockets-per-node = \"1-2\"",
                            "distribution = \"plane=4\"", "wait-all-nodes = 1"})
    CHECK(refused(right) == "");
}

TEST_CASE("torchrun's workers have the time that `stop` gives", "[sbatch]") {
  const std::string work = "kind = train  nodes = 2  gpus = 8  time-limit = 4h  command = [\"train.py\"]\n";
  const Manifests term = script(work + "launch { runner = torchrun }  stop { lead = 10m }");
  CHECK(term.has(" TORCH_ELASTIC_SHUTDOWN_TIMEOUT=600"));
  CHECK_FALSE(term.has("trap ''"));
  CHECK(became(term, "stop.lead").find("before PyTorch 2.12") != std::string::npos);
  const Manifests user = script(work + "launch { runner = torchrun }  stop { lead = 10m  signal = USR1 }");
  CHECK(user.has("TORCHELASTIC_SIGNALS_TO_HANDLE=SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIGUSR1"));
  CHECK(user.has("node='trap '\\'''\\'' USR1; exec \"$@\"'\n"));
  CHECK(script(work + "launch { runner = accelerate }  stop { lead = 10m }").has("TORCH_ELASTIC_SHUTDOWN_TIMEOUT=600"));
  CHECK_FALSE(script(work + "launch { runner = torchrun }  stop { lead = 20s }").has("TORCH"));
  CHECK_FALSE(script(work + "launch { runner = processes }  stop { lead = 10m }").has("TORCH"));
}

TEST_CASE("waiting for a role has an end", "[sbatch]") {
  const std::string roles =
      "kind = rl  time-limit = 4h\n"
      "role a { gpus = 8  primary = true  depends-on b { on = ready }  command = [\"a\"] }\n"
      "role b { gpus = 8  port api { number = 8000 }  command = [\"b\"]  probe readiness { http = \"/health\" }\n";
  const Manifests usual = script(roles + "}");
  CHECK(usual.has("\nend=$((SECONDS + 3600))\nuntil curl --noproxy '*' --silent"));
  CHECK(usual.has("command -v curl > /dev/null || {"));
  CHECK(script(roles + "probe startup { http = \"/health\"  every = 20s  failures = 60 } }")
            .has("\nend=$((SECONDS + 1200))\n"));
}

TEST_CASE("the command of a probe runs in the role's container and has its timeout", "[sbatch]") {
  const std::string roles =
      "kind = rl  time-limit = 4h  image = \"r/r:1\"\n"
      "role a { gpus = 8  depends-on b { on = ready }  command = [\"a\"] }\n"
      "role b { gpus = 8  command = [\"b\"]\n"
      "  probe startup { command = [\"ok\"]  every = 20s  failures = 60 }\n"
      "  probe readiness { command = [\"ok\", \"a b\"]  timeout = 3s  failures = 2 } }";
  const Manifests file = script(roles, "version = \"24.05\"  containers = pyxis");
  CHECK(file.has("until srun --overlap --nodes=1 --ntasks=1 --relative=1 --container-image=r/r:1 "));
  CHECK(file.has(" timeout -s KILL 3 ok 'a b'; do sleep 10; done\n  : > \"$dir/ready.b.${SLURM_RESTART_COUNT:-0}\""));
  CHECK(file.has("\nend=$((SECONDS + 1200))\nuntil [ -e \"$dir/ready.b.${SLURM_RESTART_COUNT:-0}\" ]; do\n"));
  CHECK(became(file, "role.b.probe.startup.failures").starts_with("approximated the longest wait"));
  CHECK(became(file, "role.b.probe.readiness.failures").starts_with("approximated nothing"));
}

TEST_CASE("checks and tasks use no more CPUs than the job has", "[sbatch]") {
  const std::string work = "kind = train  nodes = 2  gpus = 8  command = [\"a\"]\n";
  const std::string check = "launch { runner = torchrun }  preflight { nccl = required }  cpus = ";
  const Manifests few = script(work + check + "4");
  CHECK(few.has("--ntasks-per-node=1 --cpus-per-task=4"));
  CHECK(few.has("all_reduce_perf -g 8 "));
  // 8 tasks of 3 CPUs would be 16 cores of two threads, and the job has 12.
  CHECK(script(work + check + "24").has("--ntasks=16 --ntasks-per-node=8 --cpus-per-task=2 "));
  CHECK(script(work + check + "16").has("--ntasks-per-node=8 --cpus-per-task=2"));
  CHECK(script(work + "launch { runner = processes }  cpus = 4").stated().find("each of 8 tasks of a node a CPU") !=
        std::string::npos);
}

TEST_CASE("a shell for a person stays open", "[sbatch]") {
  const std::string work = "kind = dev  gpus = 1  time-limit = 1h  dev { interface = shell }\n";
  for (const char* shell : {"[\"bash\"]", "[\"bash\", \"-l\"]", "[\"/bin/bash\", \"-i\"]"})
    CHECK(script(work + "command = " + shell).text().ends_with("\nsleep infinity\n"));
  CHECK(script(work + "launch { runner = torchrun }  command = [\"bash\"]").stated().find("not a shell to type in") !=
        std::string::npos);
}

TEST_CASE("one container waits for the nodes of a Ray cluster", "[sbatch]") {
  const Manifests file = script(
      "kind = rl  nodes = 2  gpus = 8  image = \"r/r:1\"  launch { runner = ray }  command = [\"python\", \"a\"]",
      "version = \"24.05\"  containers = pyxis", "job-dir = \"/s\"  queue main { default = true }\n", "ray-on-slurm");
  const std::string text = file.text();
  INFO(text << file.stated());
  CHECK(file.has(" ]; do sleep 5; done' &\nwait -n || {"));
  const auto times = [&](std::string_view word) {
    int n = 0;
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++n;
    return n;
  };
  CHECK(times("--container-image") == 4);  // head, workers, who waits, driver
  CHECK(times("ray status") == 1);
}

TEST_CASE("Slurm chooses how many nodes of a range a job has", "[sbatch]") {
  const std::string work = "kind = train  gpus = 8  command = [\"a\"]\n";
  const Manifests file = script(work + "nodes = 1..6  launch { runner = processes  contract = full }");
  INFO(file.text() << file.stated());
  CHECK(has_line(file, "#SBATCH --nodes=1-6"));
  CHECK(file.has("\nsrun --nodes=\"$SLURM_NNODES\" --ntasks-per-node=8 "));
  CHECK(file.has(" MUSTER_NODES=$SLURM_NNODES "));
  CHECK(file.has(" WORLD_SIZE=\"$((SLURM_NNODES * 8))\" "));
  CHECK(became(file, "resources.nodes") == "exact --nodes=1-6");
  const Manifests ray = lower(
      Pods{.kind = "slurm", .plane = "", .workload = work + "nodes = 2..6  launch { runner = ray }"}, "ray-on-slurm");
  CHECK(ray.has("srun --nodes=\"$((SLURM_NNODES - 1))\" --ntasks=\"$((SLURM_NNODES - 1))\""));
  CHECK(has_line(script(work + "nodes = 2..4  replicas = 2"), "#SBATCH --nodes=4"));
}

TEST_CASE("preemptible work may run where nothing is taken back", "[sbatch]") {
  const std::string work = "kind = batch  gpus = 1  preemptible = true  command = [\"a\"]";
  const Manifests slurm = script(work);
  CHECK(slurm.ok());
  CHECK(became(slurm, "preemptible").starts_with("read : a permission"));
  const Manifests pods = lower(Pods{.workload = work + "  image = \"a:1\""});
  CHECK(pods.ok());
  CHECK(became(pods, "preemptible").starts_with("read : a permission"));
}

TEST_CASE("interactive pods: as many as were asked for, and they stay", "[sbatch]") {
  const std::string work = "kind = dev  gpus = 8  image = \"a:1\"  dev { interface = shell }\n";
  const Manifests several = lower(Pods{.workload = work + "nodes = 2  command = [\"sleep\", \"1h\"]"});
  INFO(several.text() << several.stated());
  REQUIRE(several.object("Job") != nullptr);
  CHECK(several.object("Job")->at("spec.completions")->text == "2");
  CHECK(several.text().find("exec -it job/") != std::string::npos);
  const Manifests one = lower(Pods{.workload = work + "command = [\"zsh\"]"});
  REQUIRE(one.object("Pod") != nullptr);
  CHECK(one.has("sleep"));
  CHECK(one.text().find(" -- zsh\n") != std::string::npos);
}

TEST_CASE("torchrun's workers have the time that `stop` gives in pods too", "[sbatch]") {
  const Manifests pods = lower(Pods{.workload = "kind = train  nodes = 2  gpus = 8  image = \"a:1\"  time-limit = 4h\n"
                                                "launch { runner = torchrun }  stop { grace = 2m }\n"
                                                "command = [\"train.py\"]"},
                               "jobset");
  INFO(pods.stated());
  CHECK(pods.has("- name: TORCH_ELASTIC_SHUTDOWN_TIMEOUT\n                      value: \"120\"\n"));
  CHECK(became(pods, "stop.grace").starts_with("approximated terminationGracePeriodSeconds: before PyTorch"));
}

TEST_CASE("names of Slurm that no pod has are reported", "[sbatch]") {
  const auto compat = [](const std::string& name) {
    return lower(Pods{.workload = "kind = batch  image = \"a:1\"  launch { compat = slurm }\n"
                                  "script = <<<bash\n  a $" +
                                  name + "\n>>>"});
  };
  CHECK(became(compat("SLURM_JOB_ID"), "launch.compat").starts_with("exact"));
  CHECK(became(compat("SLURM_JOB_PARTITION"), "script") ==
        "refused : line 1 of the text reads `SLURM_JOB_PARTITION`, which nothing sets on pods");
}

}  // namespace sbatch_files_test
