// Gangs of Kubernetes itself: which form is written where, and what cannot be one.
#include "tests/unit/pods_scene.h"

namespace native_gang_test {

using namespace muster;
using namespace muster::test;

namespace {

const std::string run = "command = [\"run\"]\n";
const std::string both = "generic-workload, workload-with-job";

// A plane of a version, with gates; `more` follows.
std::string plane(const std::string& version, const std::string& gates, const std::string& more = "") {
  return "gang = kube-scheduler\nversion = \"" + version + "\"\ngates = [" + gates + "]\n" + more;
}

Pods scene_of(const std::string& plane, const std::string& more = "", const std::string& kind = "train") {
  Pods scene;
  scene.plane = plane;
  scene.site += "priority high { class = \"urgent\" }\n";
  scene.workload = "kind = " + kind + "\nsoftware = torch\nnodes = 4\ngpu = H100:8\n" + run + more;
  return scene;
}

std::string refusal(const Pods& scene, std::string_view target) {
  const Manifests out = lower(scene, target);
  return out.ok() ? "" : out.stated();
}

bool refused_for(const Pods& scene, std::string_view target, std::string_view why) {
  const std::string stated = refusal(scene, target);
  INFO(target << ": " << stated);
  const bool found = stated.find(why) != std::string::npos;
  CHECK(found);
  return found;
}

// The diagnostics of a site with such a plane.
std::string of_site(const std::string& plane) {
  Sources sources;
  Diagnostics diagnostics;
  sources.add("site.muster", "site s {\n  plane pods {\n kind = kubernetes\n" + plane + "\n}\n}\n");
  auto file = syntax::parse(sources, 1, diagnostics);
  REQUIRE(file);
  sema::check({*file}, sources, {}, diagnostics);
  std::string out;
  for (const Diagnostic& d : diagnostics.sorted()) out += d.message + "\n";
  return out;
}

}  // namespace

TEST_CASE("native gangs: a Job says it itself where the Job controller makes the group") {
  const Manifests out = lower(scene_of(plane("1.37", both), "priority = high\n"));
  INFO(out.stated() << out.text());
  REQUIRE(out.ok());
  CHECK(out.object("PodGroup") == nullptr);
  const data::Node* scheduling = out.object("Job")->at("spec.scheduling");
  REQUIRE(scheduling != nullptr);
  CHECK(scheduling->at("schedulingPolicy.gang")->is_map());
  CHECK(scheduling->at("schedulingPolicy.gang")->members.empty());  // of all pods that run at once
  CHECK(out.object("Job")->at("spec.parallelism")->text == "4");
  CHECK(scheduling->at("disruptionMode.all")->is_map());
  CHECK(out.pod("Job")->get("schedulingGroup") == nullptr);  // it would switch the controller's own group off
  CHECK(out.pod("Job")->get("priorityClassName")->text == "urgent");
  CHECK_FALSE(out.has("schedulerName"));
}

TEST_CASE("native gangs: else a PodGroup of all pods, which each of them names") {
  const std::string roles = "kind = rl\nsoftware = torch\npriority = high\nrole a {\n nodes = 2\n gpus = 8\n" + run +
                            "}\nrole b {\n replicas = 3\n gpus = 1\n" + run + "}\n";
  for (const auto& [target, kind, pods] : {std::tuple{"kubernetes", "Job", "4"}, std::tuple{"jobset", "JobSet", "4"},
                                           std::tuple{"jobset", "JobSet", "5"}}) {
    Pods scene = scene_of(plane("1.37", "generic-workload"), "priority = high\n");
    if (std::string(pods) == "5") scene.workload = roles;
    const Manifests out = lower(scene, target);
    INFO(out.stated() << out.text());
    REQUIRE(out.ok());
    const data::Node* group = out.object("PodGroup");
    REQUIRE(group != nullptr);
    CHECK(group->get("apiVersion")->text == "scheduling.k8s.io/v1beta1");
    CHECK(group->at("spec.schedulingPolicy.gang.minCount")->text == pods);
    CHECK(group->at("spec.disruptionMode.all")->is_map());
    CHECK(group->at("spec.priorityClassName")->text == "urgent");
    const std::string name = group->at("metadata.name")->text;
    CHECK(name == out.object(kind)->at("metadata.name")->text);
    std::vector<const data::Node*> specs;
    if (const data::Node* jobs = out.object(kind)->at("spec.replicatedJobs"))
      for (const data::Node& job : jobs->items) specs.push_back(job.at("template.spec.template.spec"));
    else specs.push_back(out.pod(kind));
    for (const data::Node* spec : specs) CHECK(spec->at("schedulingGroup.podGroupName")->text == name);
    CHECK(out.object(kind)->at("spec.scheduling") == nullptr);
  }
}

TEST_CASE("native gangs: Kubernetes 1.36 spells it otherwise, and preempts whole only with a gate") {
  const Manifests out = lower(scene_of(plane("1.36", "generic-workload, gang-scheduling"), "priority = high\n"));
  INFO(out.stated() << out.text());
  REQUIRE(out.ok());
  const data::Node* group = out.object("PodGroup");
  REQUIRE(group != nullptr);
  CHECK(group->get("apiVersion")->text == "scheduling.k8s.io/v1alpha2");
  CHECK(group->at("spec.schedulingPolicy.gang.minCount")->text == "4");
  CHECK(group->at("spec.disruptionMode") == nullptr);
  CHECK(group->at("spec.priorityClassName") == nullptr);
  CHECK(out.pod("Job")->at("schedulingGroup.podGroupName") != nullptr);
  const Manifests whole =
      lower(scene_of(plane("1.36", "generic-workload, gang-scheduling, workload-aware-preemption, workload-with-job"),
                     "priority = high\n"));
  REQUIRE(whole.ok());
  CHECK(whole.object("PodGroup")->at("spec.disruptionMode")->text == "PodGroup");
  CHECK(whole.object("PodGroup")->at("spec.priorityClassName")->text == "urgent");
  CHECK(whole.object("Job")->at("spec.scheduling") == nullptr);  // a field of 1.37
}

TEST_CASE("native gangs: one required domain, with its gate") {
  const std::string level = "level leaf { label = \"example.com/leaf\" }";
  const std::string within = "topology { within = leaf  required = true }\n";
  const std::string gates = ", topology-aware-workload-scheduling";
  const Manifests by_job = lower(scene_of(plane("1.37", both + gates, level), within));
  INFO(by_job.stated());
  REQUIRE(by_job.ok());
  const auto key = [](const data::Node& spec) {
    return spec.at("schedulingConstraints.topology")->items.at(0).get("key")->text;
  };
  CHECK(key(*by_job.object("Job")->at("spec.scheduling")) == "example.com/leaf");
  const Manifests by_group = lower(scene_of(plane("1.37", "generic-workload" + gates, level), within), "jobset");
  REQUIRE(by_group.ok());
  CHECK(key(*by_group.object("PodGroup")->get("spec")) == "example.com/leaf");
  refused_for(scene_of(plane("1.37", both, level), within), "jobset", "does not declare the gate for topologies");
  refused_for(scene_of(plane("1.37", both + gates), within), "jobset", "does not declare the node label for a leaf");
  const Manifests preferred = lower(scene_of(plane("1.37", both + gates, level), "topology { within = leaf }\n"));
  REQUIRE(preferred.ok());
  CHECK_FALSE(preferred.has("schedulingConstraints"));
}

TEST_CASE("native gangs: what cannot be one is refused") {
  const std::string on = plane("1.37", both);
  refused_for(scene_of(on), "pytorchjob", "which a PyTorchJob does not pass on");
  refused_for(scene_of(on), "trainjob", "`podGroupPolicy`");
  refused_for(scene_of(on, "launch { runner = mpi }\n", "mpi"), "mpijob", "which a MPIJob does not pass on");
  refused_for(scene_of(on + "operator jobset { version = \"0.11\" }\n"), "jobset", "requires version 0.12");
  CHECK(refusal(scene_of(on + "operator jobset { version = \"0.12\" }\n"), "jobset").empty());
  // Of a file that is not written nobody is told that nothing is needed for a field.
  const Manifests none = lower(scene_of(on, "topology { within = leaf }\n"), "pytorchjob");
  CHECK_FALSE(none.ok());
  for (const targets::LossEntry& entry : none.lowered.loss.entries()) CHECK(entry.note != "no constraint is needed");
  const std::string port = "port http { number = 80 }\n";
  refused_for(scene_of(on, port + "replicas = 2\n", "serve"), "lws", "share a pod template");
  const Manifests one = lower(scene_of(on, port, "serve"), "lws");
  INFO(one.stated());
  REQUIRE(one.ok());
  CHECK(one.object("PodGroup")->at("spec.schedulingPolicy.gang.minCount")->text == "4");
  for (const char* part : {"leaderTemplate", "workerTemplate"})
    CHECK(one.object("LeaderWorkerSet")->at("spec.leaderWorkerTemplate")->get(part)->at("spec.schedulingGroup") !=
          nullptr);
  refused_for(scene_of(on + "operator lws { version = \"0.8\" }\n", port, "serve"), "lws", "requires version 0.9");
  Pods later = scene_of(on);
  later.workload = "kind = rl\nsoftware = torch\nrole a {\n gpus = 1\n" + run + "}\nrole b {\n gpus = 1\n" + run +
                   "depends-on a { on = started }\n}\n";
  refused_for(later, "jobset", "this role's pods come later");
}

TEST_CASE("native gangs: a Ray cluster is one if it does not grow, and no upgrade makes a second") {
  const std::string on = plane("1.37", both), ray = "launch { runner = ray }\n";
  const Manifests out = lower(scene_of(on, ray, "rl"), "kuberay");
  INFO(out.stated());
  REQUIRE(out.ok());
  CHECK(out.object("PodGroup")->at("spec.schedulingPolicy.gang.minCount")->text == "4");  // the head is one of them
  CHECK(out.object("RayJob")->at("spec.rayClusterSpec.headGroupSpec.template.spec.schedulingGroup") != nullptr);
  refused_for(scene_of(on + "operator kuberay { version = \"1.6\" }\n", ray, "rl"), "kuberay", "requires version 1.7");
  Pods grows = scene_of(on, "", "rl");
  grows.workload = "kind = rl\nsoftware = torch\nnodes = 2..4\ngpu = H100:8\n" + run + ray;
  refused_for(grows, "kuberay", "this cluster cannot grow");
  Pods service = scene_of(on);
  service.workload = "kind = serve\nsoftware = torch\nnodes = 2\ngpus = 8\n" + ray +
                     "serve { config = <<<yaml\n applications: []\n>>>\n}\n";
  refused_for(service, "kuberay", "which a RayService does not pass on");
}

TEST_CASE("native gangs: pods that start one by one stay so") {
  const std::string sweep = "kind = sweep\nsoftware = torch\ngpus = 1\n" + run + "sweep { axes { s = 1..3 } }\n";
  Pods scene = scene_of(plane("1.37", both));
  scene.workload = sweep;
  const Manifests out = lower(scene);
  INFO(out.stated());
  REQUIRE(out.ok());
  CHECK(out.object("PodGroup") == nullptr);
  CHECK(out.object("Job")->at("spec.scheduling") == nullptr);
  // The Job controller of 1.36 would make a gang of all points.
  scene.plane = plane("1.36", "generic-workload, gang-scheduling, workload-with-job");
  refused_for(scene, "kubernetes", "starts all pods of such a Job together");
  scene.workload = sweep + "";
  scene.workload.insert(scene.workload.find("axes"), "max-parallel = 2  ");
  CHECK(refusal(scene, "kubernetes").empty());
}

TEST_CASE("native gangs: a site has a version for them, and the gates") {
  CHECK(of_site(plane("1.37", "generic-workload")).empty());
  CHECK(of_site(plane("1.36", "generic-workload, gang-scheduling")).empty());
  CHECK(of_site("gang = kube-scheduler\nversion = \"1.37\"").find("requires the gate `generic-workload`") !=
        std::string::npos);
  CHECK(of_site(plane("1.36", "generic-workload")).find("requires the gate `gang-scheduling` in version 1.36") !=
        std::string::npos);
  CHECK(of_site(plane("1.35", "generic-workload, gang-scheduling")).find("requires version 1.36") != std::string::npos);
  CHECK(of_site("gang = kueue\nversion = \"1.30\"").empty());
  CHECK(of_site("gates = [generic-work]").find("generic-work") != std::string::npos);
}

}  // namespace native_gang_test
