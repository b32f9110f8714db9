// Targets of pods: what the manifests say, read back.
#include "tests/unit/pods_scene.h"

#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "targets/kubernetes/names.h"
#include "targets/kubernetes/tree.h"
#include "tests/temp_folder.h"

namespace pods_test {

using namespace muster;
using namespace muster::test;
using targets::kubernetes::quantity;

namespace {

// What the kubelet makes of `command`, `args` and `env` (third_party/forked/golang/expansion), with no variable set.
std::string expanded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) out += text[i];
    else if (text[i + 1] == '$') out += '$', ++i;
    else if (text[i + 1] == '(' && text.find(')', i) != std::string_view::npos) {
      const std::size_t end = text.find(')', i);
      const std::string_view name = text.substr(i + 2, end - i - 2);
      const bool odd = std::any_of(name.begin(), name.end(), [](char c) { return std::strchr(" $(<>|&;\"'/*", c); });
      out += odd || name.empty() ? text.substr(i, end + 1 - i) : "<replaced>";
      i = end;
    } else out += text[i];
  }
  return out;
}

// In single quotes of the language nothing is escaped.
const std::vector<std::string> hostile = {"$(HOME)",      "$$(HOME)",   "$$",   "a$$b",  "$(",  "$",  "yes",  "no",
                                          "on",           "010",        "0x1F", "1_000", "1e3", "~",  "null", "1:30",
                                          "- a",          "a: b",       "a #b", "*x",    "&x",  "!x", "%x",   "@x",
                                          "`x`",          "{{ x }}",    "[x]",  " x ",   "\t",  "\"", "\\",   "é",
                                          "\xE2\x80\xA8", "2026-01-01", ".5",   "+1",    "-",   "--", "=",    "0o10",
                                          "0b1",          ".inf",       ".nan", "<<",    "y",   "N",  "TRUE"};

std::string quoted(const std::string& value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\' || c == '$') out += '\\';
    if (c == '\t') out += "\\t";
    else out += c;
  }
  return out + "\"";
}

const data::Node* variable(const data::Node& container, std::string_view name) {
  for (const data::Node& v : container.get("env")->items)
    if (v.get("name")->text == name) return v.get("value");
  return nullptr;
}

Pods batch(const std::string& more = "") {
  Pods scene;
  scene.workload = "kind = batch\nsoftware = torch\ncommand = [\"run\"]\n" + more;
  return scene;
}

Pods gang(const std::string& more = "") {
  Pods scene;
  scene.workload =
      "kind = train\nsoftware = torch\nnodes = 4\ngpu = H100:8\nlaunch { runner = torchrun }\ncommand = "
      "[\"train.py\"]\n" +
      more;
  return scene;
}

Pods service(const std::string& more = "") {
  Pods scene;
  scene.plane = "gang = kueue\nscaler = keda\nmetrics = \"http://prometheus:9090\"";
  scene.workload =
      "kind = serve\nsoftware = torch\ngpus = 1\nport http { number = 8000 }\nserve { port = http  engine = vllm  "
      "model = \"m\" }\n" +
      more;
  return scene;
}

}  // namespace

TEST_CASE("pods: hostile words come back from YAML and from Kubernetes' own expansion") {
  Pods scene = batch();
  std::string words, env;
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    words += ", " + quoted(hostile[i]);
    env += "V" + std::to_string(i) + " = " + quoted(hostile[i]) + "\n";
  }
  scene.workload = "kind = batch\nsoftware = torch\ncommand = [\"run\"" + words + "]\nenv {\n" + env + "}\n";
  const Manifests out = lower(scene);
  INFO(out.stated());
  REQUIRE(out.ok());
  const data::Node& container = out.container("Job");
  const std::vector<data::Node>& args = container.get("command")->items;
  REQUIRE(args.size() == hostile.size() + 1);
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    INFO(hostile[i]);
    CHECK(args[i + 1].kind == data::Node::Kind::text);
    CHECK(expanded(args[i + 1].text) == hostile[i]);
    const data::Node* value = variable(container, "V" + std::to_string(i));
    REQUIRE(value != nullptr);
    CHECK(value->kind == data::Node::Kind::text);
    CHECK(expanded(value->text) == hostile[i]);
  }
}

TEST_CASE("pods: a script is a word of the command, byte by byte, and a long one is in a ConfigMap") {
  Pods scene;
  scene.workload =
      "kind = batch\nsoftware = torch\nscript = <<<bash\n  # $(date) $$ %x\n  echo \"$HOME\"\n\n    indented: "
      "[1\n>>>\n";
  const Manifests out = lower(scene);
  INFO(out.stated());
  REQUIRE(out.ok());
  CHECK(out.object("ConfigMap") == nullptr);
  const std::vector<data::Node>& words = out.container("Job").get("command")->items;
  REQUIRE(words.size() == 3);
  CHECK(words[0].text == "bash");
  CHECK(expanded(words[2].text) == "  # $(date) $$ %x\n  echo \"$HOME\"\n\n    indented: [1\n");
  for (const std::string text : {std::string(33'000, 'x'), std::string(40'000, '#')}) {
    Pods other;
    other.workload = "kind = batch\nsoftware = torch\nscript = <<<bash\n" + text + "\n>>>\n";
    const Manifests file = lower(other);
    INFO(file.stated());
    REQUIRE(file.ok());
    CHECK(file.object("ConfigMap")->at("data.script")->text == text + "\n");
    CHECK(file.object("ConfigMap")->at("data.start")->text.ends_with("exec bash /job/script\n"));
  }
}

TEST_CASE("pods: names carry the digest of the document, or what was asked for") {
  const std::string first = lower(batch()).object("Job")->at("metadata.name")->text;
  CHECK(first.size() == std::string("w-").size() + 8);
  CHECK(lower(batch()).object("Job")->at("metadata.name")->text == first);
  CHECK(lower(batch("env { A = 1 }\n")).object("Job")->at("metadata.name")->text != first);
  Pods scene = batch();
  scene.options.run = "Try_2";
  CHECK(lower(scene).object("Job")->at("metadata.name")->text == "w-try-2");
  scene.options = {.source = {}, .run = {}, .names = targets::Names::fixed};
  CHECK(lower(scene).object("Job")->at("metadata.name")->text == "w");
  scene.options.names = targets::Names::generate;
  const Manifests generated = lower(scene);
  CHECK(generated.object("Job")->at("metadata.name") == nullptr);
  CHECK(generated.object("Job")->at("metadata.generateName")->text == "w-");
  CHECK(generated.lowered.submit.starts_with("kubectl create "));
  CHECK(lower(service()).object("Deployment")->at("metadata.name")->text == "w");
  scene = batch();
  scene.name = std::string(60, 'a');
  CHECK(lower(scene).stated().find("a DNS label has at most 63") != std::string::npos);
}

TEST_CASE("pods: a gang needs a provider, and gets its words") {
  Pods scene = gang();
  scene.plane = "";
  CHECK(lower(scene, "jobset").stated().find("has no gang scheduler") != std::string::npos);
  CHECK(lower(scene, "kueue").has("kueue.x-k8s.io/queue-name: main"));  // the target's name wins
  const std::pair<const char*, const char*> words[] = {{"kueue", "kueue.x-k8s.io/queue-name: main"},
                                                       {"volcano", "minMember: 4"},
                                                       {"kai", "kai.scheduler/batch-min-member: \"4\""},
                                                       {"yunikorn", "\\\"minMember\\\":4"},
                                                       {"coscheduling", "scheduling.x-k8s.io/pod-group: w-"}};
  for (const auto& [provider, word] : words) {
    scene.plane = "gang = " + std::string(provider);
    for (const char* target : {"jobset", "kubernetes"}) {
      const Manifests out = lower(scene, target);
      INFO(provider << " " << target << "\n" << out.stated() << out.text());
      CHECK(out.has(word));
      CHECK(out.has("# to check that the whole gang was admitted: kubectl "));
    }
  }
}

TEST_CASE("pods: a gang on KAI needs a release that makes one of the kind") {
  struct Since {
    const char *target, *last_without, *first;
  };
  const std::string annotation = "kai.scheduler/batch-min-member";
  for (const Since& row : {Since{"kubernetes", "0.14", "0.15"}, Since{"jobset", "0.12", "0.13"}})
    for (const std::string name : {"kai", "kai-scheduler"}) {
      Pods scene = gang();
      const std::string plane = "gang = kai\noperator " + name + " { version = \"";
      scene.plane = plane + row.last_without + "\" }\noperator jobset {}";
      const std::string sentence = std::string(" on KAI requires version ") + row.first;
      CHECK(lower(scene, row.target).stated().find(sentence) != std::string::npos);
      scene.plane = plane + row.first + "\" }\noperator jobset {}";
      const Manifests out = lower(scene, row.target);
      INFO(row.target << " " << name << " " << out.stated());
      CHECK(out.ok());
      CHECK(out.has(annotation + ": \"4\"") == (std::string_view(row.first) == "0.15"));  // that reads it
    }
}

TEST_CASE("pods: Kueue does not count the devices of claims on each node") {
  Pods scene = gang("topology { within = leaf }\n");
  scene.plane = "gpu-request = dra\nversion = \"1.34\"\ngang = kueue\nlevel leaf { label = \"example.com/leaf\" }";
  const Manifests out = lower(scene, "jobset");
  INFO(out.stated() << out.text());
  CHECK(out.has("resources.deviceClassMappings"));
  CHECK(out.has("its pods may still wait for nodes"));
}

TEST_CASE("pods: one amount makes the pod Guaranteed, init containers too, a range does not") {
  Pods scene = batch(
      "gpus = 1\ncpus = 8\nmemory = 64GiB\ncode { git { url = \"https://example.com/a.git\"  rev = \"main\" } }\n");
  scene.site += "code { by = git }\n";
  const Manifests out = lower(scene);
  INFO(out.stated());
  REQUIRE(out.ok());
  const data::Node& resources = *out.container("Job").get("resources");
  CHECK(resources.at("limits.cpu")->text == "8");
  CHECK(resources.at("limits.memory")->text == "64Gi");
  CHECK(resources.get("requests") == nullptr);  // the API server takes the limits
  CHECK(resources.get("limits")->get("nvidia.com/gpu")->text == "1");
  const data::Node& init = out.pod("Job")->get("initContainers")->items.at(0);
  CHECK(init.at("resources.limits.cpu")->text == "8");
  CHECK(init.at("resources.limits.memory")->text == "64Gi");
  const Manifests range = lower(batch("cpus = 2..10\n"));
  CHECK(range.container("Job").at("resources.requests.cpu")->text == "2");
  CHECK(range.container("Job").at("resources.limits.cpu")->text == "10");
}

TEST_CASE("pods: GPUs by claim, slices and AMD by their names") {
  Pods scene = batch("gpu = H100:2\n");
  scene.plane = "gpu-request = dra\nversion = \"1.34\"";
  CHECK(lower(scene)
            .object("ResourceClaimTemplate")
            ->at("spec.spec.devices.requests")
            ->items[0]
            .at("exactly.count")
            ->text == "2");
  scene.plane = "gpu-request = dra\nversion = \"1.33\"";
  CHECK(lower(scene).stated().find("requires Kubernetes 1.34") != std::string::npos);
  scene = batch("resources { gpu-slice = \"1g.10gb\" }\n");
  scene.pool =
      "gpu { model = h100  memory = 80GB  count = 8  slices = [\"1g.10gb\"] }  node { cpus = 64  memory = 1TB }\n";
  CHECK(lower(scene).has("nvidia.com/mig-1g.10gb: 1"));
  scene = batch("gpu = MI300X:8\n");
  scene.pool = "gpu { model = mi300x  memory = 192GB  count = 8  vendor = amd }  node { cpus = 64  memory = 1TB }\n";
  CHECK(lower(scene).has("amd.com/gpu: 8"));
  CHECK(lower(scene).has("amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM"));
}

TEST_CASE("pods: an autoscaler owns the number of replicas") {
  const Manifests fixed = lower(service("replicas = 3\n"));
  INFO(fixed.stated());
  CHECK(fixed.object("Deployment")->at("spec.replicas")->text == "3");
  CHECK(fixed.object("PodDisruptionBudget") != nullptr);
  CHECK(fixed.object("Service")->at("spec.ports")->items.at(0).get("port")->text == "8000");
  Pods scene = service("replicas = 1..4\nscale { metric = requests-waiting  target = 5  cooldown = 5m }\n");
  const Manifests keda = lower(scene);
  INFO(keda.stated());
  REQUIRE(keda.ok());
  CHECK(keda.object("Deployment")->at("spec.replicas") == nullptr);
  CHECK(keda.object("ScaledObject")->at("spec.minReplicaCount")->text == "1");
  CHECK(keda.object("ScaledObject")
            ->at("spec.triggers")
            ->items.at(0)
            .at("metadata.query")
            ->text.find("pod=~\"w-[a-z0-9]+-[a-z0-9]{5}\"") != std::string::npos);  // not those of `w-large`
  CHECK(keda.has("prometheus.io/scrape: \"true\""));
  scene.workload.replace(scene.workload.find("1..4"), 4, "0..4");
  CHECK(lower(scene).stated().find("at zero replicas nothing starts one again") != std::string::npos);
  scene.plane = "scaler = hpa";
  CHECK(lower(scene).stated().find("keeps at least one replica") != std::string::npos);
  scene.workload += "";
  Pods hpa = service("replicas = 1..4\nscale { metric = requests-waiting  target = 5 }\n");
  hpa.plane = "scaler = hpa";
  CHECK(lower(hpa).object("HorizontalPodAutoscaler")->at("spec.maxReplicas")->text == "4");
  CHECK(lower(hpa).object("Deployment")->at("spec.replicas") == nullptr);
  hpa.plane = "";
  CHECK(lower(hpa).stated().find("does not scale services") != std::string::npos);
}

TEST_CASE("pods: replicas follow the CPUs that they request, and not to zero") {
  const auto by_cpu = [](const std::string& replicas, const std::string& scaler) {
    Pods scene = service("replicas = " + replicas + "\ncpus = 4\nscale { metric = cpu  target = 80 }\n");
    scene.plane = "scaler = " + scaler;
    return scene;
  };
  CHECK(lower(by_cpu("1..4", "keda")).object("ScaledObject")->at("spec.triggers")->items.at(0).at("type")->text ==
        "cpu");
  CHECK(lower(by_cpu("0..4", "keda")).stated().find("does not scale to zero by `cpu`") != std::string::npos);
  for (const std::string scaler : {"keda", "hpa"}) {
    Pods scene = service("replicas = 1..4\nscale { metric = cpu  target = 80 }\n");
    scene.plane = "scaler = " + scaler;
    scene.fleet = "";
    const Manifests out = lower(scene);
    INFO(scaler << " " << out.stated());
    CHECK(out.stated().find("CPUs that a pod requests, and it has none") != std::string::npos);
  }
}

TEST_CASE("pods: what cannot be carried is refused by its sentence") {
  const auto stated = [](const Pods& scene, std::string_view target = "kubernetes") {
    return lower(scene, target).stated();
  };
  Pods scene = batch("mount data { path = \"/data\" }\n");
  scene.site += "storage data { path = \"/mnt/data\" }\n";
  CHECK(stated(scene).find("is a path on the nodes, which pods cannot reach") != std::string::npos);
  CHECK(stated(batch("code = \".\"\n")).find("does not declare how code reaches the nodes (`code`)") !=
        std::string::npos);
  CHECK(stated(gang("retry { limit = 2 }\n")).find("a Job restarts single pods, not a gang") != std::string::npos);
  scene = gang("fabric = required\nenv { NCCL_DEBUG = \"INFO\" }\n");
  scene.site += "fabric infiniband { env { NCCL_DEBUG = \"WARN\" } }\n";
  CHECK(stated(scene, "jobset").find("`NCCL_DEBUG` is set by the workload and by") != std::string::npos);
  CHECK(stated(batch("stop { signal = INT }\n")).find("`INT` does not reach the program") != std::string::npos);
  CHECK(lower(batch("stop { signal = USR1 }\n")).has("trap 'kill -USR1 "));
  CHECK(stated(batch("secret TOKEN { env = \"TOKEN\" }\n")).find("has no secret `TOKEN`") != std::string::npos);
  scene = batch();
  scene.workload = "kind = batch\ncommand = [\"run\"]\n";
  CHECK(stated(scene).find("a pod requires an image") != std::string::npos);
}

TEST_CASE("pods: retries of a JobSet are told apart by why a Job failed") {
  const Manifests some = lower(gang("retry { limit = 3 }\n"), "jobset");
  INFO(some.stated());
  REQUIRE(some.ok());
  const data::Node& policy = *some.object("JobSet")->at("spec.failurePolicy");
  CHECK(policy.get("maxRestarts")->text == "3");
  CHECK(policy.get("rules")->items.at(0).get("onJobFailureReasons")->items.size() == 2);
  CHECK(some.text().find("DisruptionTarget") != std::string::npos);
  const Manifests all =
      lower(gang("retry { limit = 3  on = [failure, timeout, node-failure, preemption] }\n"), "jobset");
  CHECK(all.object("JobSet")->at("spec.failurePolicy.rules") == nullptr);
}

TEST_CASE("pods: roles wait for each other and know their addresses") {
  Pods scene;
  scene.workload =
      "kind = rl\nsoftware = torch\nrole train { nodes = 2  gpus = 8  primary = true  command = [\"a\", "
      "\"\\$MUSTER_ADDR_SERVE\"]  "
      "depends-on serve { on = ready } }\n"
      "role serve { gpus = 8  command = [\"b\"]  probe readiness { command = [\"ok\"] } }\n";
  const Manifests out = lower(scene, "jobset");
  INFO(out.stated());
  REQUIRE(out.ok());
  const std::vector<data::Node>& jobs = out.object("JobSet")->at("spec.replicatedJobs")->items;
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].get("name")->text == "serve");
  CHECK(jobs[1].get("dependsOn")->items.at(0).get("status")->text == "Ready");
  CHECK(out.object("JobSet")->at("spec.successPolicy.targetReplicatedJobs")->items.at(0).text == "train");
  const std::size_t address = out.text().find("- name: MUSTER_ADDR_SERVE\n");
  REQUIRE(address != std::string::npos);
  CHECK(out.text().find("value: w-", address) < address + 80);
  for (const std::string provider : {"volcano", "kai", "coscheduling"}) {
    scene.plane = "gang = " + provider;
    INFO(provider);
    CHECK(lower(scene, "jobset").stated().find("but a JobSet creates those of `train` later") != std::string::npos);
  }
}

TEST_CASE("pods: secrets in files alone need no ConfigMap") {
  Pods scene = batch("secret HF_TOKEN { file = \"keys/token\" }\n");
  scene.site += "secret HF_TOKEN { name = \"hf\"  key = \"token\" }\n";
  const Manifests out = lower(scene);
  INFO(out.stated());
  REQUIRE(out.ok());
  CHECK(out.object("ConfigMap") == nullptr);
}

// Runs the container's lines of sh as a pod would, below a folder in place of /job-tmp, and returns their exit code.
static int run_pod(const Manifests& out, const std::string& environment) {
  const tests::TempFolder temporary;
  const std::string folder = temporary.path();
  const std::vector<data::Node>& words = out.container("Job").get("command")->items;
  REQUIRE(words.size() == 3);
  std::string text = expanded(words[2].text);
  for (std::size_t at = 0; (at = text.find("/job-tmp", at)) != std::string::npos; at += folder.size())
    text.replace(at, 11, folder);
  std::ofstream(folder + "/start") << text;
  const std::string command =
      "cd " + folder + " && MUSTER_NODE_ADDR=here MUSTER_ID=7 " + environment + " timeout 20 setsid sh ./start";
  const int status = std::system((command + " > out 2>&1").c_str());
  return WEXITSTATUS(status);
}

TEST_CASE("pods: the prelude ends as the program does") {
  const std::string base = "kind = batch\nsoftware = torch\n";
  Pods one;
  one.workload =
      base + "command = [\"sh\", \"-c\", \"test $MUSTER_WORLD_SIZE = 1 && test -s $MUSTER_HOSTFILE && exit 3\"]\n";
  Pods many;
  many.workload = base +
                  "gpus = 4\nlaunch { runner = processes }\ncommand = [\"sh\", \"-c\", \"sleep 0.$RANK; test "
                  "$LOCAL_RANK != 2 || exit 5; sleep 15\"]\n";
  for (Pods* scene : {&one, &many}) {
    for (std::size_t at = 0; (at = scene->workload.find('$', at)) != std::string::npos; at += 2)
      scene->workload.insert(at, "\\");
  }
  CHECK(run_pod(lower(one), "") == 3);
  CHECK(run_pod(lower(many), "") == 5);
  Pods done = batch("gpus = 2\nlaunch { runner = processes }\n");
  done.workload.replace(done.workload.find("\"run\""), 5, "\"true\"");
  CHECK(run_pod(lower(done), "") == 0);
}

// A probe of each capability: the row says whether the target takes it.
TEST_CASE("targets: the rows of capabilities are true") {
  const auto takes = [](const targets::Target& target, const std::string& workload) {
    Pods scene;
    scene.kind = target.capabilities.plane_name();
    scene.name = "work";  // dstack's names have two letters
    const bool pods = scene.kind == "kubernetes";
    const bool batch = scene.kind == "slurm", broker = scene.kind == "skypilot";
    scene.plane = pods ? "gang = kueue\nscaler = hpa" : batch ? "mpi = pmix" : broker ? "infra = [\"k8s/lab\"]" : "";
    if (!pods) scene.site = "software torch { venv = \"/t\" }\n";
    scene.workload = "software = torch\n" + workload;
    return lower(scene, target.name).ok();
  };
  const std::string ray = "launch { runner = ray }\n", two = "nodes = 2\ngpus = 8\ncommand = [\"a\"]\n",
                    one = "gpus = 1\ncommand = [\"a\"]\n";
  for (const targets::Target& target : targets::all_targets()) {
    INFO(target.name);
    const targets::Capabilities& can = target.capabilities;
    std::string runner;
    for (const std::string& each : {std::string(), ray, std::string("launch { runner = mpi }\n")})
      if (takes(target, "kind = train\n" + each + two)) {
        runner = each;
        break;
      }
    CHECK(can.ray == takes(target, "kind = train\n" + ray + two));
    CHECK(can.mpi == takes(target, "kind = mpi\nlaunch { runner = mpi }\n" + two));
    CHECK(can.arrays == takes(target, "kind = sweep\n" + runner + one + "sweep { axes { s = 1..3 } }\n"));
    CHECK(can.roles == takes(target, "kind = rl\n" + runner + "role a {\n" + one + "}\nrole b {\n" +
                                         (runner == ray ? "gpus = 1\n" : one) + "}\n"));
    // A broker scales by requests, and probes what it serves.
    const bool broker = muster::model::traits_of(can.plane).family == muster::model::PlaneFamily::service;
    const std::string served = broker ? "port http { number = 80 }\nprobe readiness { http = \"/\" }\n" : "",
                      metric = broker ? "requests-per-second" : "cpu";
    CHECK(can.scale == takes(target, "kind = serve\n" + runner + one + served +
                                         "replicas = 1..2\nscale { metric = " + metric + "  target = 50 }\n"));
    const bool gang = can.gang || can.provider;
    CHECK(can.requeue == takes(target, "kind = " + std::string(gang ? "train\n" : "batch\n") + runner +
                                           (gang ? two : one) + "retry { limit = 2 }\n"));
  }
}

TEST_CASE("pods: quantities are exact and short") {
  CHECK(quantity(Size{64LL << 30}) == "64Gi");
  CHECK(quantity(Size{80'000'000'000}) == "80G");
  CHECK(quantity(Size{1500}) == "1500");
  CHECK(quantity(Size{0}) == "0");
}

TEST_CASE("pods: a patch is merged by name, and says nothing else than what is there") {
  using targets::kubernetes::list, targets::kubernetes::map, targets::kubernetes::text;
  data::Node into =
      map({{"a", text("x")}, {"containers", list({map({{"name", text("main")}, {"image", text("i")}})})}});
  CHECK(targets::kubernetes::merge(into, map({{"containers", list({map({{"name", text("*")}, {"tty", text("t")}})})}}))
            .empty());
  CHECK(into.get("containers")->items.at(0).get("tty")->text == "t");
  CHECK(targets::kubernetes::merge(into, map({{"a", text("y")}})) == std::vector<std::string>{"a"});
  CHECK(targets::kubernetes::merge(into, map({{"containers", list({map({{"name", text("side")}})})}})).empty());
  CHECK(into.get("containers")->items.size() == 2);
}

TEST_CASE("pods: names of objects") {
  using namespace targets::kubernetes;
  CHECK(is_dns_label("a-1"));
  for (const char* bad : {"", "1a", "a-", "A", "a.b", "a_b"}) CHECK_FALSE(is_dns_label(bad));
  CHECK(is_dns_name("1a.b-c"));
  CHECK_FALSE(is_dns_name("a..b"));
  CHECK(is_label_key("example.com/team"));
  CHECK_FALSE(is_label_key("/team"));
  CHECK_FALSE(is_label_key("a/b/c"));
}

}  // namespace pods_test
