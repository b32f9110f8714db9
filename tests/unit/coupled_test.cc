// Gangs of coupled workloads: on every kind of object, provider, launcher and number of nodes, what is written starts
// with all of its pods, or nothing is written. The sizes are read from the documents here, by code of the test's own.
#include "compiler/base/text.h"
#include "compiler/model/coupling.h"
#include "lint/rules/manifest/manifest.h"
#include "targets/kubernetes/read/manifest.h"
#include "tests/unit/pods_scene.h"

namespace coupled_test {

using namespace muster;
using namespace muster::test;
using data::Node;

namespace {

std::int64_t number(const Node* node) { return node == nullptr ? 0 : whole_number(node->text).value_or(0); }

std::int64_t number_at(const Node& object, std::string_view path, std::int64_t otherwise = 0) {
  const Node* found = object.at(path);
  return found == nullptr ? otherwise : number(found);
}

std::string text_at(const Node& object, std::string_view path, std::string_view key) {
  const Node* map = object.at(path);
  const Node* found = map == nullptr ? nullptr : map->get(key);
  return found == nullptr ? std::string() : found->text;
}

// The pods that an object starts with, by the documentation of its kind. A launcher of mpirun asks for nothing.
std::int64_t pods_of(const Node& object) {
  const std::string kind = object.get("kind")->text, version = object.get("apiVersion")->text;
  std::int64_t sum = 0;
  if (version == "batch/v1") return number_at(object, "spec.parallelism", 1);
  if (version.starts_with("batch.volcano.sh")) {
    for (const Node& task : object.at("spec.tasks")->items) sum += number(task.get("replicas"));
    return sum;
  }
  if (kind == "JobSet") {
    for (const Node& job : object.at("spec.replicatedJobs")->items)
      sum += number_at(job, "replicas", 1) * number_at(job, "template.spec.parallelism", 1);
    return sum;
  }
  if (kind == "PyTorchJob") {
    for (const data::Member& role : object.at("spec.pytorchReplicaSpecs")->members)
      sum += number(role.value.get("replicas"));
    return sum;
  }
  if (kind == "TrainJob") return number_at(object, "spec.trainer.numNodes");
  if (kind == "MPIJob") return number_at(object, "spec.mpiReplicaSpecs.Worker.replicas");
  if (kind == "RayJob") {
    sum = 1;
    const Node* groups = object.at("spec.rayClusterSpec.workerGroupSpecs");
    for (const Node& group : groups == nullptr ? std::vector<Node>{} : groups->items)
      sum += number(group.get("replicas")) * number_at(group, "numOfHosts", 1);
    return sum;
  }
  if (kind == "LeaderWorkerSet") return number_at(object, "spec.leaderWorkerTemplate.size");
  return 0;
}

// The pod templates below a node.
void add_templates(const Node& node, std::vector<const Node*>& out) {
  if (node.at("spec.containers") != nullptr) out.push_back(&node);
  for (const Node& item : node.items) add_templates(item, out);
  for (const data::Member& member : node.members) add_templates(member.value, out);
}

// The sum of `"minMember":N` in the annotation by which YuniKorn learns of a gang.
std::int64_t task_groups(const std::string& annotation) {
  std::int64_t sum = 0;
  const std::string key = "\"minMember\":";
  for (std::size_t at = annotation.find(key); at != annotation.npos; at = annotation.find(key, at + 1)) {
    const std::size_t begin = at + key.size();
    const std::size_t end = annotation.find_first_not_of("0123456789", begin);
    sum += whole_number(annotation.substr(begin, end - begin)).value_or(0);
  }
  return sum;
}

// With how many pods the provider starts the workload's object, by its documentation; 1: each alone.
std::int64_t gang_size(const std::vector<Node>& objects, const Node& main) {
  const std::int64_t all = pods_of(main);
  if (main.get("apiVersion")->text.starts_with("batch.volcano.sh")) return number_at(main, "spec.minAvailable", all);
  for (const Node& object : objects)
    if (object.get("kind")->text == "PodGroup")
      return std::max(number_at(object, "spec.minMember"), number_at(object, "spec.schedulingPolicy.gang.minCount"));
  // Where they name no number, the controller of the Job and the operator take all pods.
  if (main.at("spec.scheduling.schedulingPolicy.gang") != nullptr)
    return number_at(main, "spec.scheduling.schedulingPolicy.gang.minCount", all);
  if (main.at("spec.runPolicy.schedulingPolicy") != nullptr)
    return number_at(main, "spec.runPolicy.schedulingPolicy.minAvailable", all);
  const std::string kind = main.get("kind")->text;
  if (!text_at(main, "metadata.labels", "kueue.x-k8s.io/queue-name").empty()) return all;
  if (!text_at(main, "metadata.labels", "ray.io/gang-scheduling-enabled").empty()) return all;
  if (kind == "RayJob" && !text_at(main, "metadata.labels", "volcano.sh/queue-name").empty()) return all;
  if (!text_at(main, "metadata.labels", "kai.scheduler/queue").empty()) {
    const std::string least = text_at(main, "metadata.annotations", "kai.scheduler/batch-min-member");
    if (!least.empty()) return whole_number(least).value_or(0);
    return kind == "Job" || kind == "JobSet" ? 1 : all;
  }
  std::vector<const Node*> templates;
  add_templates(main, templates);
  for (const Node* pod : templates)
    if (text_at(*pod, "metadata.annotations", "yunikorn.apache.org/task-groups") != "")
      return task_groups(text_at(*pod, "metadata.annotations", "yunikorn.apache.org/task-groups"));
  return 1;
}

const Node& main_of(const std::vector<Node>& objects) {
  for (const Node& object : objects)
    if (pods_of(object) > 0) return object;
  return objects.front();
}

struct Launch {
  std::string_view name, text;
  bool coupled = true;
};

// Ways to start processes that wait for each other, and two that do not.
constexpr Launch launches[] = {
    {"torchrun", "launch { runner = torchrun }  command = [\"t.py\"]"},
    {"accelerate", "launch { runner = accelerate }  command = [\"t.py\"]"},
    {"processes", "launch { runner = processes }  command = [\"t\"]"},
    {"mpi", "launch { runner = mpi }  command = [\"a\"]"},
    {"ray", "launch { runner = ray  version = \"2.49\" }  command = [\"python\", \"t.py\"]"},
    {"command torchrun", "command = [\"torchrun\", \"--nnodes=8\", \"--rdzv-endpoint=head:1\", \"t.py\"]"},
    {"command deepspeed", "command = [\"deepspeed\", \"--num_nodes\", \"8\", \"t.py\"]"},
    {"shell accelerate", "command = [\"bash\", \"-c\", \"cd /w && accelerate launch --num_machines 8 t.py\"]"},
    {"script torchrun", "script = <<<bash\n  set -e\n  python -m torch.distributed.run --nnodes=8 \\\n    t.py\n>>>"},
    {"variable", "env { MASTER_ADDR = \"w-0.w\" }  command = [\"t\"]"},
    {"none", "command = [\"t\"]", false},
    {"one node each", "command = [\"torchrun\", \"--standalone\", \"--nproc-per-node=8\", \"t.py\"]", false},
};

constexpr std::string_view providers[] = {"none",     "kueue",        "volcano",       "kai",
                                          "yunikorn", "coscheduling", "kube-scheduler"};
constexpr std::string_view targets_of_pods[] = {"kubernetes", "jobset",  "pytorchjob", "trainjob",
                                                "mpijob",     "volcano", "kuberay"};

Pods scene_of(std::string_view kind, const Launch& launch, std::string_view provider, std::int64_t nodes,
              std::string_view gang) {
  Pods scene;
  scene.plane = "version = \"1.37\"\ngang = " + std::string(provider);
  if (provider == "kube-scheduler") scene.plane += "\ngates = [generic-workload, workload-with-job]";
  scene.site += "queue other { }\n";
  scene.fleet = "";
  scene.workload = "kind = " + std::string(kind) + "\nsoftware = torch\ngpus = 8\nnodes = " + std::to_string(nodes) +
                   "\n" + (gang.empty() ? "" : "gang = " + std::string(gang) + "\n") + std::string(launch.text);
  return scene;
}

struct Count {
  int whole = 0, alone = 0, refused = 0;
};

// What becomes of a workload on a target; `broken` has what is neither whole nor refused.
void judge(const Pods& scene, std::string_view target, bool coupled, Count& count, std::string& broken) {
  const Manifests out = lower(scene, target);
  if (!out.ok()) {
    ++count.refused;
    return;
  }
  const Node& object = main_of(out.objects);
  const std::int64_t pods = pods_of(object), size = gang_size(out.objects, object);
  ++(size == pods ? count.whole : count.alone);
  const bool wrong = coupled ? size != pods : size != 1 && size != pods;
  if (wrong)
    broken += std::string(target) + ": " + std::to_string(size) + " of " + std::to_string(pods) + "\n" +
              scene.workload + "\n" + scene.plane + "\n";
}

}  // namespace

TEST_CASE("coupled: what is written starts with all pods, or nothing is written", "[coupled]") {
  Count unset, none, apart;
  std::string broken;
  std::int64_t turn = 0;
  for (const std::string_view kind : {"train", "batch", "rl"})
    for (const Launch& launch : launches)
      for (const std::string_view provider : providers)
        for (const std::string_view target : targets_of_pods) {
          const std::int64_t nodes = 2 + turn++ % 8;
          const bool is_coupled = kind != "batch" || launch.coupled;
          judge(scene_of(kind, launch, provider, nodes, ""), target, true, unset, broken);
          if (kind != "batch") continue;
          Count& of = is_coupled ? none : apart;
          judge(scene_of(kind, launch, provider, nodes, "none"), target, is_coupled, of, broken);
        }
  INFO(broken);
  CHECK(broken.empty());
  // Refusing is not passing: each provider takes some of each launcher.
  INFO("unset " << unset.whole << " whole, " << unset.refused << " refused; none " << none.refused << " refused; apart "
                << apart.alone << " alone, " << apart.whole << " whole");
  CHECK(unset.alone == 0);
  CHECK(unset.whole > 400);
  CHECK(none.whole + none.alone == 0);
  CHECK(none.refused == 10 * 7 * 7);
  CHECK(apart.alone > 20);
}

TEST_CASE("coupled: a launcher that starts with one node may have its pods one by one", "[coupled]") {
  for (const std::string_view provider : providers) {
    const auto ranged = [&](const Launch& launch, const std::string& range) {
      Pods scene = scene_of("batch", launch, provider, 1, "none");
      scene.workload.replace(scene.workload.find("nodes = 1"), 9, "nodes = " + range);
      return lower(scene, launch.name == "ray" ? "kuberay" : "kubernetes");
    };
    INFO(provider);
    CHECK(ranged(launches[0], "1..8").ok());
    CHECK(ranged(launches[4], "1..8").stated().find("starts each alone") == std::string::npos);
    CHECK(ranged(launches[0], "2..8").stated().find("starts each alone") != std::string::npos);
    CHECK(ranged(launches[4], "2..8").stated().find("starts each alone") != std::string::npos);
  }
}

// `gang = replica`: the copies of a job of one node wait for nothing.
TEST_CASE("coupled: replicas that start by themselves are no gang", "[coupled]") {
  std::size_t seen = 0;
  for (const std::string kind : {"train", "batch"})
    for (const std::string target : {"volcano", "jobset", "kubernetes"})
      for (const int replicas : {2, 3, 8})
        for (const std::string program :
             {"command = [\"./train\"]", "launch { runner = torchrun }  command = [\"a.py\"]"}) {
          const Manifests got =
              lower(Pods{.plane = target == "volcano" ? "gang = volcano" : "gang = kueue",
                         .site = "queue main { name = \"q\"  default = true }\n",
                         .workload = "kind = " + kind +
                                     "  time-limit = 1h  image = \"a:1\"  gpus = 2  gang = replica  replicas = " +
                                     std::to_string(replicas) + "  " + program},
                    target);
          INFO(kind << " " << target << " " << replicas << " " << program << "\n" << got.text() << got.stated());
          REQUIRE(got.ok());
          CHECK(got.text().find("the whole gang was admitted") == std::string::npos);
          if (target == "volcano") CHECK(got.text().find("minAvailable: 1\n") != std::string::npos);
          ++seen;
        }
  CHECK(seen == 36);
}

TEST_CASE("coupled: the command line says whether a launcher spans nodes", "[coupled]") {
  struct Case {
    std::string_view text, launcher;
  };
  constexpr Case cases[] = {
      {"torchrun --nnodes=2 t.py", "torchrun"},
      {"torchrun --nnodes $N t.py", "torchrun"},
      {"torchrun --nnodes=1 t.py", ""},
      {"torchrun --nproc_per_node=8 t.py", ""},
      {"torchrun --standalone --nnodes=1 t.py", ""},
      {"/opt/bin/torchrun --master_addr=head t.py", "torchrun"},
      {"torchrun --master_addr=localhost t.py", ""},
      {"python3 -m torch.distributed.launch --nnodes=4 t.py", "torchrun"},
      {"exec accelerate launch --num_machines=2 t.py", "accelerate"},
      {"accelerate launch t.py", ""},
      {"accelerate config", ""},
      {"deepspeed t.py", "deepspeed"},
      {"deepspeed --num_nodes=1 t.py", ""},
      {"horovodrun -np 16 -H a:8,b:8 python t.py", "horovodrun"},
      {"ray start --head", "ray"},
      {"ray status", ""},
      {"# torchrun --nnodes=2 t.py\npython t.py", ""},
      {"cd /w && torchrun \\\n  --nnodes=2 \\\n  t.py", "torchrun"},
      {"torchrun t.py; echo --nnodes=2", ""},
      {"echo done", ""},
  };
  for (const Case& one : cases) {
    INFO(one.text);
    const shell::Body body = shell::read_body({one.text, 0, 0, static_cast<std::uint32_t>(one.text.size())});
    CHECK(model::launcher_over_nodes(body) == one.launcher);
  }
}

// The rule about gangs that is sure to be broken, without a site.
std::string gang_rule(const std::string& text) {
  Sources sources;
  const std::uint32_t file = sources.add("x.yaml", text);
  const targets::kubernetes::Manifest manifest = targets::kubernetes::read_manifest(sources, file);
  std::vector<lint::Finding> findings;
  lint::check_manifest(manifest, {sources, nullptr, nullptr}, findings);
  for (const lint::Finding& f : findings)
    if (f.verdict != lint::Verdict::unclear && f.since < lint::Profile::strict)
      for (const lint::RuleId rule : {lint::RuleId::gang_required, lint::RuleId::gang_min_too_small})
        if (f.rule == rule) return std::string(lint::info(rule).id);
  return {};
}

TEST_CASE("coupled: lint of what is written, and of its twin without the gang", "[coupled]") {
  // `least`: what the scheduler of a plain Job of 8 ranks starts together; "": nothing says so.
  struct Case {
    std::string_view marks, pod_marks, pod, group, rule;
  };
  constexpr Case cases[] = {
      {"", "", "", "", "SCH001"},
      {"", "", "schedulerName: volcano", "", "SCH001"},
      {"annotations: {scheduling.volcano.sh/queue-name: q}", "", "schedulerName: volcano", "", "SCH001"},
      {"", "annotations: {scheduling.volcano.sh/queue-name: q}", "schedulerName: volcano", "", "SCH001"},
      {"annotations: {scheduling.volcano.sh/group-min-member: \"8\"}", "", "schedulerName: volcano", "", ""},
      {"annotations: {scheduling.volcano.sh/group-min-member: \"3\"}", "", "schedulerName: volcano", "", "SCH002"},
      {"", "annotations: {scheduling.k8s.io/group-name: g}", "schedulerName: volcano", "volcano 8", ""},
      {"", "annotations: {scheduling.k8s.io/group-name: g}", "schedulerName: volcano", "volcano 5", "SCH002"},
      {"", "annotations: {scheduling.k8s.io/group-name: g}", "schedulerName: volcano", "", ""},
      {"labels: {kueue.x-k8s.io/queue-name: q}", "", "", "", ""},
      {"labels: {kai.scheduler/queue: q}", "", "schedulerName: kai-scheduler", "", "SCH001"},
      {"labels: {kai.scheduler/queue: q}, annotations: {kai.scheduler/batch-min-member: \"8\"}", "",
       "schedulerName: kai-scheduler", "", ""},
      {"labels: {kai.scheduler/queue: q}, annotations: {kai.scheduler/batch-min-member: \"1\"}", "",
       "schedulerName: kai-scheduler", "", "SCH002"},
      {"", "labels: {applicationId: a, queue: root.q}", "schedulerName: yunikorn", "", "SCH001"},
      {"", "annotations: {yunikorn.apache.org/task-groups: '[{\"name\": \"a\", \"minMember\": 8}]'}",
       "schedulerName: yunikorn", "", ""},
      {"", "annotations: {yunikorn.apache.org/task-groups: '[{\"name\": \"a\", \"minMember\": 5}]'}",
       "schedulerName: yunikorn", "", "SCH002"},
      {"", "labels: {scheduling.x-k8s.io/pod-group: g}", "schedulerName: scheduler-plugins-scheduler", "plugins 8", ""},
      {"", "labels: {scheduling.x-k8s.io/pod-group: g}", "schedulerName: scheduler-plugins-scheduler", "plugins 7",
       "SCH002"},
      {"", "", "schedulerName: scheduler-plugins-scheduler", "", "SCH001"},
  };
  constexpr std::string_view runs[] = {
      "command: [torchrun, --nnodes=8, --nproc_per_node=8, --rdzv_endpoint=a-0.a:1, t.py]",
      "command: [deepspeed, --num_nodes=8, t.py]",
      "command: [bash, -c, \"accelerate launch --num_machines 8 t.py\"]",
      "command: [python, t.py], env: [{name: MASTER_ADDR, value: a-0.a}]",
      "command: [python, t.py, --head, a-0.a]",
  };
  int right = 0;
  for (const Case& one : cases)
    for (const std::string_view run : runs) {
      std::string text = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: n" +
                         (one.marks.empty() ? "" : ", " + std::string(one.marks)) +
                         "}\nspec:\n  completionMode: Indexed\n  completions: 8\n  parallelism: 8\n"
                         "  template:\n    metadata: {" +
                         std::string(one.pod_marks) + "}\n    spec: {restartPolicy: Never, " + std::string(one.pod) +
                         (one.pod.empty() ? "" : ", ") + "containers: [{name: t, image: \"r/x:1\", " +
                         std::string(run) + ", resources: {limits: {nvidia.com/gpu: 8}}}]}\n";
      if (!one.group.empty())
        text += "---\napiVersion: scheduling." +
                std::string(one.group.starts_with("volcano") ? "volcano.sh/v1beta1" : "x-k8s.io/v1alpha1") +
                "\nkind: PodGroup\nmetadata: {name: g, namespace: n}\nspec: {minMember: " + one.group.back() + "}\n";
      INFO(text);
      const std::string found = gang_rule(text);
      CHECK(found == one.rule);
      right += found == one.rule;
    }
  CHECK(right == 19 * 5);
}

}  // namespace coupled_test
