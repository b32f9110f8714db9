// Both sides of each border in targets/kubernetes/gate_rows.cc, and what lowering makes of them.
#include <algorithm>

#include "targets/kubernetes/kinds.h"
#include "tests/catch.h"
#include "tests/unit/gates_scene.h"
#include "tests/unit/pods_scene.h"

namespace gates_test {

using namespace muster;
using namespace muster::test;
using data::Node;
using model::Version;
namespace k8s = targets::kubernetes;

namespace {

std::string api_of(const k8s::Gate& gate) {
  if (gate.group.empty()) return "batch/v1";
  return std::string(gate.group) + (gate.group.find('/') == std::string_view::npos ? "/v1" : "");
}

// An object that says what the row is about.
Node said(const k8s::Gate& gate) {
  const std::string kind(gate.kind.empty() ? "Any" : gate.kind);
  if (gate.mark.empty()) return object_with(api_of(gate), kind, gate.path, gate.value.empty() ? "x" : gate.value);
  Node out = object_with(api_of(gate), kind, "metadata.name");
  Node& marks = k8s::at(k8s::at(out, "metadata"), gate.path.substr(gate.path.find('.') + 1));
  k8s::put(marks, gate.mark, k8s::text("x"));
  return out;
}

bool lacks(const k8s::Gate& gate, Version version) {
  const auto parts = lacking_of(plane_with(gate.component, version), said(gate));
  return std::any_of(parts.begin(), parts.end(), [&](const k8s::Lacking& part) {
    return part.in.since == gate.in.since && part.in.until == gate.in.until;
  });
}

Pods scene_of(const std::string& plane, const std::string& more = "") {
  Pods out;
  out.plane = plane;
  out.site += "gpu h100 { label = \"NVIDIA-H100-80GB-HBM3\" }\n";  // one product, so no affinity
  out.workload =
      "kind = train\n nodes = 2\n gpu = H100:8\n software = torch\n launch { runner = torchrun }\n"
      "command = [\"train.py\"]\n" +
      more;
  return out;
}

Manifests trainjob(const std::string& version, const std::string& more = "", const std::string& plane = "") {
  return lower(scene_of("gang = kueue\n operator trainer { version = \"" + version + "\" }\n" + plane, more),
               "trainjob");
}

bool says(const Manifests& manifests, const std::string& part) {
  INFO(manifests.stated());
  return !manifests.ok() && manifests.stated().find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a release has a field from its first to its last one", "[gates]") {
  for (const k8s::Gate& gate : k8s::object_gates()) {
    INFO(gate.kind << " " << gate.path << " " << gate.mark << " " << gate.value);
    CHECK((gate.in.since != Version{} || gate.in.until != Version{}));
    if (gate.in.since != Version{}) {
      CHECK(lacks(gate, before(gate.in.since)));
      CHECK_FALSE(lacks(gate, gate.in.since));
    }
    if (gate.in.until != Version{}) {
      CHECK_FALSE(lacks(gate, before(gate.in.until)));
      CHECK(lacks(gate, gate.in.until));
    }
  }
}

TEST_CASE("a field of pods is that of the pods in the operator's schema and of the plane", "[gates]") {
  for (const k8s::PodGate& gate : k8s::pod_gates())
    for (const k8s::PodSchema& schema : k8s::pod_schemas()) {
      INFO(gate.path << " " << schema.component << " " << text_of(schema.release));
      model::Plane plane = plane_with(schema.component, schema.release);
      plane.version = {gate.in.since == Version{} ? before(gate.in.until) : gate.in.since, {}};
      std::string api, kind;
      for (const k8s::Gate& row : k8s::object_gates())
        if (row.component == schema.component && !row.kind.empty() && row.kind != "TrainJob") {
          api = api_of(row), kind = row.kind;
          break;
        }
      for (const std::string list : {"", "initContainers[]"}) {
        std::string path(gate.path);
        if (!list.empty() && !path.starts_with("containers[]")) continue;
        if (!list.empty()) path.replace(0, std::string_view("containers[]").size(), list);
        Node object = object_with(api, kind, "spec.some.template.spec." + path);
        Node& spec = k8s::at(k8s::at(k8s::at(k8s::at(object, "spec"), "some"), "template"), "spec");
        if (spec.get("containers") == nullptr)
          k8s::put(spec, "containers", k8s::list({k8s::map({{"name", k8s::text("x")}})}));
        const auto parts = lacking_of(plane, object);
        CHECK(parts.empty() == gate.in.contains(schema.kubernetes));
        // On a Kubernetes that has not got it the operator's release is no help.
        model::Plane old = plane_with("kubernetes", gate.in.since == Version{} ? gate.in.until : before(gate.in.since));
        CHECK(lacking_of(old, object).size() == 1);
      }
    }
}

TEST_CASE("of an operator without a version nothing is missing", "[gates]") {
  model::Plane plane;
  plane.set_kind(model::PlaneKind::kubernetes);
  for (const k8s::Gate& gate : k8s::object_gates()) {
    if (gate.component == "kubernetes") continue;
    INFO(gate.path);
    CHECK(lacking_of(plane, said(gate)).empty());
  }
  for (const k8s::Feature& feature : k8s::features())
    if (feature.component != "kubernetes") CHECK_FALSE(k8s::has_feature(plane, feature.component, feature.name));
  CHECK(k8s::clashes_of(plane).empty());
  CHECK(k8s::kueue_admits(plane, "kubeflow.org/pytorchjob"));
  CHECK(k8s::most_pod_sets(plane) == 18);
}

TEST_CASE("the version of an operator is read as far as it is one", "[gates]") {
  const auto version = [](const char* text, const char* name = "kuberay") {
    model::Plane plane;
    plane.set_kind(model::PlaneKind::kubernetes);
    model::Operator op;
    op.name = "kuberay";
    if (*text != '\0') op.version.emplace().value = text;
    plane.pods()->operators.push_back(op);
    return k8s::version_of(plane, name);
  };
  CHECK(version("v1.2.3") == Version{1, 2});
  CHECK(version("1.10") == Version{1, 10});
  CHECK(version("2") == Version{2, 0});
  CHECK_FALSE(version("latest"));
  CHECK_FALSE(version("1.x"));
  CHECK_FALSE(version(""));
  CHECK_FALSE(version("1.2", "volcano"));
  CHECK(k8s::version_of(plane_with("kai-scheduler", {0, 9}), "kai") == Version{0, 9});
}

TEST_CASE("flags, defaults and clashes begin and end with a release", "[gates]") {
  for (const k8s::Feature& feature : k8s::features()) {
    INFO(feature.component << " " << feature.name);
    const auto has = [&](Version version) {
      return k8s::has_feature(plane_with(feature.component, version), feature.component, feature.name);
    };
    if (feature.in.since != Version{}) CHECK((has(before(feature.in.since)) == false && has(feature.in.since) == true));
    if (feature.in.until != Version{}) CHECK((has(before(feature.in.until)) == true && has(feature.in.until) == false));
  }
  for (const k8s::Clash& clash : k8s::clashes()) {
    INFO(clash.what);
    const auto inside = [](const k8s::Releases& in) { return in.since == Version{} ? before(in.until) : in.since; };
    const auto meet = [&](Version first, Version second, bool flag = true) {
      model::Plane plane = plane_with(clash.first, first);
      declare(plane, clash.second, second);
      if (flag && !clash.flag.empty()) plane.pods()->operators[0].flags.push_back({std::string(clash.flag), {}});
      const auto all = k8s::clashes_of(plane);
      return std::find(all.begin(), all.end(), &clash) != all.end();
    };
    const Version first = inside(clash.of_first), second = inside(clash.of_second);
    CHECK(meet(first, second));
    CHECK(meet(first, second, false) == clash.flag.empty());
    for (const auto& [in, is_first] : {std::pair(clash.of_first, true), std::pair(clash.of_second, false)}) {
      if (in.since != Version{})
        CHECK_FALSE((is_first ? meet(before(in.since), second) : meet(first, before(in.since))));
      if (in.until != Version{}) CHECK_FALSE((is_first ? meet(in.until, second) : meet(first, in.until)));
    }
  }
  CHECK(k8s::most_pod_sets(plane_with("kueue", {0, 17})) == 8);
  CHECK(k8s::most_pod_sets(plane_with("kueue", {0, 18})) == 10);
  CHECK(k8s::most_pod_sets(plane_with("kueue", {0, 19})) == 18);
}

TEST_CASE("Kueue waits for pods by its release where the site does not say", "[gates]") {
  CHECK_FALSE(k8s::waits_for_pods(plane_with("kueue", {0, 18})));
  CHECK(k8s::waits_for_pods(plane_with("kueue", {0, 19})) == true);
  model::Plane off = plane_with("kueue", {0, 19});
  off.pods()->wait_for_pods.emplace().value = false;
  CHECK(k8s::waits_for_pods(off) == false);
}

TEST_CASE("a TrainJob by the release of Trainer", "[gates][kubernetes]") {
  CHECK(trainjob("2.3").has("runtimePatches:"));
  CHECK(trainjob("2.2").has("runtimePatches:"));
  const Manifests one = trainjob("2.1");
  CHECK((one.has("podTemplateOverrides:") && !one.has("runtimePatches") && one.has("app.kubernetes.io/name")));
  const Manifests zero = trainjob("2.0");
  CHECK((zero.has("podSpecOverrides:") && !zero.has("podTemplateOverrides")));
  const std::string limit = "time-limit = 2h\n", grace = "stop { grace = 5m }\n", label = "labels { team = \"a\" }\n";
  CHECK(trainjob("2.2", limit).ok());
  CHECK(says(trainjob("2.1", limit),
             "`activeDeadlineSeconds` requires version 2.2 of `trainer`, but plane `pods` declares 2.1"));
  CHECK(trainjob("2.3", grace).has("terminationGracePeriodSeconds: 300"));
  CHECK(says(trainjob("2.2", grace), "`terminationGracePeriodSeconds` requires version 2.3 of `trainer`"));
  CHECK(says(trainjob("2.1", grace), "for the pods of a TrainJob requires version 2.3 of `trainer`"));
  CHECK(trainjob("2.1", label).has("team: a"));
  CHECK(says(trainjob("2.0", label), "labels for the pods of a TrainJob requires version 2.1 of `trainer`"));
  const std::string hosts = "level leaf { label = \"example.com/leaf\" }\n", topology = "topology { within = leaf }\n";
  CHECK(says(lower(scene_of("gang = kueue\n operator trainer { version = \"2.0\" }\n" + hosts, topology), "trainjob"),
             "annotations for the pods of a TrainJob requires version 2.1"));
}

TEST_CASE("what Kueue and Trainer do not do together is refused", "[gates][kubernetes]") {
  const auto with = [](const std::string& trainer, const std::string& kueue) {
    return lower(scene_of("gang = kueue\n operator trainer { version = \"" + trainer +
                          "\" }\n operator kueue { version = \"" + kueue + "\" }\n"),
                 "trainjob");
  };
  CHECK(with("2.1", "0.16").ok());
  CHECK(with("2.2", "0.17").ok());
  CHECK(with("2.0", "0.14").ok());
  CHECK(says(with("2.1", "0.17"), "admits no TrainJob"));
  CHECK(says(with("2.2", "0.16"), "podTemplateOverrides"));
  CHECK(says(with("2.0", "0.13"), "does not admit a TrainJob by default"));
}

TEST_CASE("kinds that a release of Kueue does not admit by default are refused, or declared", "[gates][kubernetes]") {
  const auto with = [](const std::string& kueue, const std::string& flags = "") {
    return lower(scene_of("gang = kueue\n operator training-operator {}\n operator kueue { version = \"" + kueue +
                          "\"  " + flags + " }\n"),
                 "pytorchjob");
  };
  CHECK(with("0.18").ok());
  CHECK(says(with("0.19"), "does not admit a PyTorchJob by default"));
  CHECK(with("0.19", "flags = [\"kubeflow.org/pytorchjob\"]").ok());
}

TEST_CASE("a field that a release lacks is refused whoever writes it", "[gates][kubernetes]") {
  const std::string own =
      "target jobset { object = <<<yaml\n  spec: {volumeClaimPolicies: [{templates: []}]}\n  >>>\n}\n";
  const auto with = [&](const std::string& version, const std::string& more) {
    return lower(scene_of("gang = kueue\n operator jobset { version = \"" + version + "\" }\n", more), "jobset");
  };
  CHECK(with("0.11", own).ok());
  CHECK(says(with("0.10", own), "`volumeClaimPolicies` requires version 0.11 of `jobset`"));
  const std::string retry = "retry { limit = 2  on = [node-failure] }\n";
  CHECK(with("0.6", retry).has("rules:"));
  CHECK(says(with("0.5", retry), "`rules` requires version 0.6 of `jobset`"));
}

TEST_CASE("a patch of pods sets fields that pods have", "[gates][kubernetes]") {
  const auto with = [](const std::string& patch) {
    return lower(scene_of("gang = kueue\n operator jobset {}\n", "target jobset { pod = \"" + patch + "\" }\n"),
                 "jobset");
  };
  CHECK(with("spec: {hostIPC: true}").has("hostIPC: true"));
  CHECK(says(with("spec: {bogus: 1}"), "sets `spec.bogus`, which pods do not have"));
  CHECK(says(with("foo: 1"), "sets `foo`, which pods do not have"));
}

TEST_CASE("gangs of Ray, of LeaderWorkerSets and of KAI by release", "[gates][kubernetes]") {
  const auto ray = [](const std::string& gang, const std::string& flag, const std::string& version) {
    Pods scene = scene_of("gang = " + gang + "\n operator kuberay { version = \"" + version +
                          "\"  flags = [\"--batch-scheduler=" + flag + "\"] }\n");
    scene.workload =
        "kind = train\n nodes = 2\n gpu = H100:8\n software = torch\n launch { runner = ray }\n"
        "command = [\"train.py\"]\n";
    return lower(scene, "kuberay");
  };
  CHECK(ray("kai", "kai-scheduler", "1.5").ok());
  CHECK(
      says(ray("kai", "kai-scheduler", "1.4"), "`--batch-scheduler=kai-scheduler` requires version 1.5 of `kuberay`"));
  CHECK(ray("coscheduling", "scheduler-plugins", "1.4").ok());
  CHECK(says(ray("coscheduling", "scheduler-plugins", "1.3"), "requires version 1.4 of `kuberay`"));
  CHECK(ray("volcano", "volcano", "1.2").ok());
  CHECK(says(ray("volcano", "volcano", "1.1"), "requires version 1.2 of `kuberay`"));

  const auto lws = [](const std::string& version) {
    Pods scene = scene_of("gang = volcano\n operator lws { version = \"" + version + "\" }\n");
    scene.workload =
        "kind = serve\n nodes = 2\n gpu = H100:8\n software = torch\n command = [\"serve\"]\n"
        "port http { number = 8000 }\n";
    return lower(scene, "lws");
  };
  CHECK(lws("0.7").ok());
  CHECK(says(lws("0.6"), "requires version 0.7 of `lws`"));

  const auto kai = [](const std::string& version, const std::string& target) {
    return lower(scene_of("gang = kai\n operator jobset {}\n operator kai { version = \"" + version + "\" }\n"),
                 target);
  };
  CHECK(kai("0.15", "jobset").has("kai.scheduler/batch-min-member"));
  const Manifests old = kai("0.14", "jobset");
  CHECK((old.ok() && !old.has("batch-min-member")));
  const auto tiers = [](const std::string& version) {
    return lower(
        scene_of("gang = volcano\n level leaf { tier = 1 }\n operator jobset {}\n operator volcano { version = \"" +
                     version + "\" }\n",
                 "topology { within = leaf }\n"),
        "jobset");
  };
  CHECK(tiers("1.12").has("networkTopology:"));
  CHECK(says(tiers("1.11"), "`networkTopology` requires version 1.12 of `volcano`"));
}

}  // namespace gates_test
