// How near the pods of a replica are kept, in the words of each gang provider.
#include "targets/carriage.h"
#include "tests/unit/pods_scene.h"

namespace pods_topology_test {

using namespace muster;
using namespace muster::test;

namespace {

Pods gang(const std::string& more) {
  Pods scene;
  scene.workload = "kind = train\nsoftware = torch\ncommand = [\"./run\"]\nnodes = 4\ngpu = H100:8\n" + more;
  return scene;
}

// A leaf on a plane with this provider.
Pods with_leaves(const std::string& text, const std::string& provider) {
  Pods scene;
  scene.workload = "kind = train\nsoftware = torch\n" + text;
  scene.plane = "gang = " + provider + "\nlevel leaf { label = \"example.com/leaf\"  tier = 2 }\noperator jobset {}";
  return scene;
}

std::string role(const std::string& name, const std::string& nodes, const std::string& more = {}) {
  return "role " + name + " { command = [\"./run\"]  " + more + "  resources { nodes = " + nodes +
         "  gpus = 8  gpu = h100 } }\n";
}

char outcome_of(const Manifests& out, const std::string& field) {
  for (const targets::LossEntry& entry : out.lowered.loss.entries())
    if (to_string(entry.field) == field) return targets::outcome(entry);
  return '?';
}

}  // namespace

TEST_CASE("pods: a required topology is the provider's words or refused") {
  Pods scene = gang("topology { within = leaf  required = true }\n");
  CHECK(lower(scene, "jobset").stated().find("does not declare the node label for a leaf") != std::string::npos);
  scene.plane = "gang = kueue\nlevel leaf { label = \"example.com/leaf\"  tier = 2 }";
  CHECK(lower(scene, "jobset").has("kueue.x-k8s.io/podset-required-topology: example.com/leaf"));
  scene.plane = "gang = volcano\nlevel leaf { label = \"example.com/leaf\"  tier = 2 }";
  CHECK(lower(scene, "jobset").has("highestTierAllowed: 2"));
  CHECK(lower(gang("topology { within = fleet }\nport http { number = 80  public = true }\n"), "jobset").ok());
  scene.plane = "gang = yunikorn";
  CHECK(lower(scene, "jobset").stated().find("YuniKorn does not place by topology") != std::string::npos);
}

TEST_CASE("pods: a leader and its workers are placed in one domain of Kueue") {
  const std::string group = "kueue.x-k8s.io/podset-group-name: gang";
  const auto count = [&](const Manifests& out) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = out.text().find(group, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  const std::string topology = "topology { within = leaf  required = true }\n";
  Pods one = gang(topology);
  one.plane = "gang = kueue\nlevel leaf { label = \"example.com/leaf\" }";
  CHECK(count(lower(one, "jobset")) == 0);
  CHECK(count(lower(one, "pytorchjob")) == 1);  // in the template that both share
  one.plane += "\noperator kueue { version = \"0.12\" }\noperator training-operator {}";
  CHECK(lower(one, "pytorchjob").stated().find("in one domain since release 0.13") != std::string::npos);
}

// All pods of a group are of one flavor: a group of roles that have no pool in common never starts.
TEST_CASE("pods: only roles that have nodes in common are of one group of Kueue") {
  struct Asked {
    std::string text;
    std::set<std::string> pools;
  };
  const std::string quotas =
      "tenant t { namespace = \"default\"  accounts = [\"t\"]  quota a { gpus = 64 }  quota b { gpus = 64 }  quota c { "
      "cpus = "
      "400 } }\n";
  const std::vector<Asked> all = {{"gpus = 8  gpu = h100", {"a"}},
                                  {"gpus = 8  gpu = h200", {"b"}},
                                  {"gpus = 8  gpu = [h100, h200]", {"a", "b"}},
                                  {"cpus = 2", {"a", "b", "c"}}};
  const auto pods = [](const std::string& name, const std::string& nodes, const std::string& asked) {
    return "role " + name + " { command = [\"./run\"]  resources { nodes = " + nodes + "  " + asked + " } }\n";
  };
  int grouped = 0;
  for (const std::string more : {"fleet = f\n", "", "fleet = f\nquotas"})
    for (const Asked& lead : all)
      for (const Asked& rest : all) {
        INFO(more << lead.text << " | " << rest.text);
        const bool limited = more.find("quotas") != std::string::npos;
        Pods scene = with_leaves(pods("lead", "1", lead.text) + pods("rest", "3", rest.text), "kueue");
        scene.fleet = limited ? "fleet = f\n" + quotas : more;
        scene.workload += limited ? "account = t\n" : "";
        scene.pool =
            "gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  memory = 1TB }\n}\npool b {\nnodes = "
            "\"b[1-8]\"\ngpu { model = h200  memory = 141GB  count = 8 }  node { cpus = 64  memory = 1TB }\n}\npool c "
            "{\nnodes = \"c[1-8]\"\nnode { cpus = 64  memory = 1TB }\n";
        const Manifests made = lower(scene, "jobset");
        INFO(made.stated());
        REQUIRE(made.ok());
        if (!made.has("podset-group-name")) continue;
        ++grouped;
        // With quotas each pool is a flavor, of which the pods without GPUs get that of nodes without them.
        CHECK((!limited || (lead.pools.size() == 3) == (rest.pools.size() == 3)));
        CHECK(std::any_of(lead.pools.begin(), lead.pools.end(),
                          [&](const auto& pool) { return rest.pools.contains(pool); }));
      }
  CHECK(grouped >= 4);
}

TEST_CASE("pods: with Kueue each role is kept near by itself, as it asks") {
  const std::string near = "topology { within = leaf  required = true }", words = "podset-required-topology";
  const auto annotations = [&](const Manifests& out) {
    std::vector<bool> has;
    for (const data::Node& job : out.object("JobSet")->at("spec.replicatedJobs")->items) {
      const data::Node* found = job.at("template.spec.template.metadata.annotations");
      has.push_back(found != nullptr && found->get("kueue.x-k8s.io/" + words) != nullptr);
    }
    return has;
  };
  const Manifests both = lower(with_leaves(near + "\n" + role("a", "2") + role("b", "3"), "kueue"), "jobset");
  INFO(both.stated());
  CHECK(annotations(both) == std::vector{true, true});
  CHECK_FALSE(both.has("podset-group-name"));
  CHECK(annotations(lower(with_leaves(role("a", "2", near) + role("b", "3"), "kueue"), "jobset")) ==
        std::vector{true, false});
  // One pod is in a leaf wherever it is.
  CHECK(annotations(lower(with_leaves(near + "\n" + role("a", "1") + role("b", "3"), "kueue"), "jobset")) ==
        std::vector{false, true});
}

TEST_CASE("pods: with Kueue each replica has a required domain of its own") {
  const std::string topology = "command = [\"./run\"]\ngang = all\nreplicas = 3\ntopology { within = leaf  required = ";
  const Manifests hard = lower(with_leaves(topology + "true }\nnodes = 2\ngpu = H100:8\n", "kueue"), "jobset");
  INFO(hard.stated());
  CHECK(hard.has("kueue.x-k8s.io/podset-slice-required-topology: example.com/leaf"));
  CHECK(hard.has("kueue.x-k8s.io/podset-slice-size: \"2\""));
  CHECK_FALSE(hard.has("podset-required-topology"));
  const std::string older = "kueue\noperator kueue { version = \"0.12\" }";
  CHECK(lower(with_leaves(topology + "true }\nnodes = 2\ngpu = H100:8\n", older), "jobset")
            .stated()
            .find("cannot give each replica or segment its own domain") != std::string::npos);
  const Manifests soft = lower(with_leaves(topology + "false }\nnodes = 2\ngpu = H100:8\n", "kueue"), "jobset");
  CHECK(soft.has("kueue.x-k8s.io/podset-preferred-topology: example.com/leaf"));
  CHECK(outcome_of(soft, "topology.within") == '~');
}

TEST_CASE("pods: who keeps only whole gangs in one domain is not asked to do so for a part of one") {
  const std::string near = "topology { within = leaf  required = true }";
  const std::string native =
      "kube-scheduler\nversion = \"1.37\"\ngates = [generic-workload, gang-scheduling, "
      "topology-aware-workload-scheduling]";
  for (const std::string& provider : {std::string("volcano"), std::string("kai"), native}) {
    INFO(provider);
    const auto says = [&](const std::string& text) { return lower(with_leaves(text, provider), "jobset").stated(); };
    const std::string sentence = "would keep the whole gang in one leaf, but `topology` asks for one leaf for each";
    CHECK(says(role("a", "2", near) + role("b", "3")).find(sentence) != std::string::npos);
    CHECK(says("command = [\"./run\"]\ngang = all\nreplicas = 2\n" + near + "\nnodes = 2\ngpu = H100:8\n")
              .find(sentence) != std::string::npos);
    CHECK(says("command = [\"./run\"]\n" + near + "\nnodes = 2\ngpu = H100:8\n").find(sentence) == std::string::npos);
  }
}

}  // namespace pods_topology_test
