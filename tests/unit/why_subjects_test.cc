// Each set of pods, namespace and vendor has its own answer of `why`.
#include <map>
#include <string>
#include <vector>

#include "compiler/base/text.h"
#include "tests/catch.h"
#include "tests/unit/why_scene.h"
#include "why/report/text.h"

namespace why_subjects_test {

using namespace muster;
using namespace why_scene;

// What pods may have: the status of their row, the cause that it is of, and the message of their event.
struct Told {
  std::string status, code, event;
};

const std::vector<Told>& all_told() {
  static const std::vector<Told> all = {
      {"OOMKilled", "k8s/container-oom", {}},
      {"ImagePullBackOff", "", {}},
      {"Pending", "k8s/volume-mount-failed",
       R"(MountVolume.SetUp failed for volume "cfg" : configmap "settings" not found)"},
      {"Pending", "k8s/untolerated-taint",
       "0/3 nodes are available: 3 node(s) had untolerated taint(s). preemption: 0/3 nodes are available: 3 Preemption "
       "is not helpful for scheduling."}};
  return all;
}

std::string table_row(std::initializer_list<std::string> cells) {
  std::string out;
  for (const std::string& cell : cells) out += padded(cell, 20);
  return out + "\n";
}

std::string reason_of(const Told& told) { return told.event.starts_with("Mount") ? "FailedMount" : "FailedScheduling"; }

TEST_CASE("why: what is said of one set of pods is not said of another") {
  const auto listed = [&](const std::string& name, const Told& told) {
    return table_row({name + "-0", "0/1", told.status, "0", "5m"});
  };
  const auto event = [&](const std::string& name, const Told& told) {
    return told.event.empty() ? std::string()
                              : table_row({"2m", "Warning", reason_of(told), "pod/" + name + "-0", told.event});
  };
  for (const Told& one : all_told())
    for (const Told& other : all_told()) {
      const std::string events = event("fit", one) + event("solve", other);
      const std::string text =
          table_row({"NAME", "READY", "STATUS", "RESTARTS", "AGE"}) + listed("fit", one) + listed("solve", other) +
          (events.empty() ? "" : "\n" + table_row({"LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"}) + events);
      INFO(text);
      CHECK(by_subject(text) == std::map<std::string, std::string>{{"fit", one.code}, {"solve", other.code}});
      // Of a kubectl that was refused, nothing is in the cluster.
      const auto refused = by_subject(
          "Error from server (BadRequest): error when creating \"job.yaml\": Job in version \"v1\" cannot be handled "
          "as a Job: strict decoding error: unknown field \"spec.paralelism\"\n\n" +
          text);
      CHECK(refused.at("fit") == one.code);
      CHECK(refused.at("") == "k8s/field-unknown");
    }
}

TEST_CASE("why: what is said of one namespace is not said of another") {
  const std::string head = table_row({"NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE"});
  const std::string well = table_row({"monitor", "fit-0", "1/1", "Running", "0", "9d"});
  const auto listed = [](const std::string& space, const Told& told) {
    return table_row({space, "fit-0", "0/1", told.status, "0", "5m"});
  };
  const auto events = [](const std::string& space, const Told& told) {
    return told.event.empty() ? std::string()
                              : "\nName:         fit-0\nNamespace:    " + space +
                                    "\nStatus:       Pending\nContainers:\n  c:\n    Image:  fit:1\nEvents:\n  Type    "
                                    " Reason  Age  From  Message\n" +
                                    "  ----     ------  ---  ----  -------\n  Warning  " + reason_of(told) +
                                    "  2m  default-scheduler  " + told.event + "\n";
  };
  for (const Told& one : all_told())
    for (const Told& other : all_told()) {
      const std::string text =
          head + well + listed("bio", one) + listed("lab", other) + events("bio", one) + events("lab", other);
      INFO(text);
      CHECK(by_subject(text) == std::map<std::string, std::string>{{"bio/fit", one.code}, {"lab/fit", other.code}});
      why::Facts facts;
      const auto asked = ask({text}, facts, "lab/fit");
      REQUIRE(asked.size() == 1);
      CHECK(asked[0].code == other.code);
      // A table that prints no namespace is of the one that has its names; "fit-0" is in two.
      const auto unknown = by_subject(events("bio", all_told()[2]) + events("lab", all_told()[3]) + "\n" +
                                      table_row({"NAME", "READY", "STATUS", "RESTARTS", "AGE"}) +
                                      table_row({"fit-0", "0/1", "OOMKilled", "0", "5m"}));
      CHECK(unknown ==
            std::map<std::string, std::string>{{"bio/fit", all_told()[2].code}, {"lab/fit", all_told()[3].code}});
    }
}

TEST_CASE("why: the vendor of a GPU changes nothing") {
  const auto said = [](const std::string& gpu) {
    return by_subject(
        "Name:             fit\nNamespace:        team\nStatus:           Pending\nContainers:\n  c:\n    "
        "Limits:\n      " +
        gpu +
        ":  16\nEvents:\n  Type     Reason            Age   From               Message\n  ----     "
        "------            ----  ----               -------\n  Warning  FailedScheduling  3s    "
        "default-scheduler  0/3 nodes are available: 3 Insufficient " +
        gpu + ". preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.\n");
  };
  CHECK(said("nvidia.com/gpu") == std::map<std::string, std::string>{{"fit", "k8s/never-fits-gpus-per-node"}});
  CHECK(said("amd.com/gpu") == said("nvidia.com/gpu"));
  // A gang of pods, whose scheduler does not name the resource: it is what the pods ask for.
  const auto gang = [](const std::string& gpu) {
    std::string out =
        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\nmetadata: {name: train-35, namespace: lab}\nspec: "
        "{minMember: 3}\nstatus:\n  phase: Pending\n  conditions:\n  - {type: Unschedulable, status: \"True\", reason: "
        "NotEnoughResources, message: \"3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 "
        "minAvailable; Pending: 1 Unschedulable, 2 Schedulable\"}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: "
        "train-worker-0, namespace: lab, annotations: {scheduling.k8s.io/group-name: train-35}}\nspec:\n  "
        "schedulerName: volcano\n  containers:\n  - {name: main, resources: {limits: {" +
        gpu + ": 8}}}\nstatus: {phase: Pending}\n\n";
    for (const char* node : {"n1", "n2"})
      out += "Name:               " + std::string(node) +
             "\nRoles:              <none>\nTaints:             <none>\nUnschedulable:      false\nAllocatable:\n  "
             "cpu:             96\n  " +
             gpu +
             ":  8\nNon-terminated Pods:          (0 in total)\nAllocated resources:\n  Resource        Requests  "
             "Limits\n  --------        --------  ------\n  cpu             0 (0%)    0 (0%)\n  " +
             gpu + "  0         0\n\n";
    return by_subject(out);
  };
  CHECK(gang("nvidia.com/gpu") == std::map<std::string, std::string>{{"train", "volcano/gang-never-fits"}});
  CHECK(gang("amd.com/gpu") == gang("nvidia.com/gpu"));
}

std::string described_node(const std::string& name, int all, int held) {
  const std::string gpu = "nvidia.com/gpu";
  return "Name:               " + name +
         "\nRoles:              <none>\nTaints:             <none>\nUnschedulable:      false\nAllocatable:\n  cpu:    "
         " "
         "        96\n" +
         (all > 0 ? "  " + gpu + ":  " + std::to_string(all) + "\n" : "") +
         "Non-terminated Pods:          (0 in total)\nAllocated resources:\n  Resource        Requests  Limits\n  "
         "--------        --------  ------\n  cpu             0 (0%)    0 (0%)\n" +
         (all > 0 ? "  " + gpu + "  " + std::to_string(held) + "         " + std::to_string(held) + "\n" : "") + "\n";
}

TEST_CASE("why: what GPUs a pod waits for is counted, whatever the release of Kubernetes says of it") {
  const auto pod = [](int asked, const std::string& verdict) {
    return "Name:         fit\nNamespace:    lab\nStatus:       Pending\nContainers:\n  c:\n    Limits:\n      "
           "nvidia.com/gpu:  " +
           std::to_string(asked) +
           "\nEvents:\n  Type     Reason  Age  From  Message\n  ----     ------  ---  ----  -------\n  Warning  "
           "FailedScheduling  2m  default-scheduler  0/2 nodes are available: 2 Insufficient nvidia.com/gpu." +
           verdict + "\n\n";
  };
  // Releases before 1.36 say that preemption finds no victims of nodes that are too small, too, or say nothing.
  for (const std::string verdict :
       {"", " preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."})
    for (const int all : {0, 4, 8})
      for (const int held : {0, 3, 4, 8})
        for (const int asked : {1, 2, 4, 5, 8, 16}) {
          if (held > all || all - held >= asked) continue;  // it would be placed
          const std::string text =
              pod(asked, verdict) + described_node("n1", all, held) + described_node("n2", all, held);
          const std::string code = all == 0                    ? "k8s/device-plugin-missing"
                                   : asked > all               ? "k8s/never-fits-gpus-per-node"
                                   : 2 * (all - held) >= asked ? "k8s/resources-fragmented"
                                                               : "k8s/resources-busy";
          INFO(text);
          CHECK(by_subject(text) == std::map<std::string, std::string>{{"fit", code}});
        }
  // Of a node that two outputs show differently it is not known what is held there.
  const std::string twice =
      pod(4, "") + described_node("n1", 8, 8) + described_node("n2", 8, 8) + described_node("n2", 8, 0);
  CHECK(by_subject(twice) == std::map<std::string, std::string>{{"fit", ""}});
  // Without the nodes it is not known.
  const auto alone = by_subject(pod(4, ""));
  CHECK(alone == std::map<std::string, std::string>{{"fit", ""}});
}

TEST_CASE("why: what a scheduler counts is read wherever a person left it") {
  why::Facts facts;
  const std::string whole = "0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: ml}.";
  CHECK(why::text_of(ask({whole + "\n"}, facts), files()).find("printed   " + whole) != std::string::npos);
  for (const std::string before : {"", "  ", " Warning FailedScheduling  40s (x2 over 40s)  default-scheduler  ",
                                   "it says: ", "pod/fit   Warning   "}) {
    const auto found =
        by_subject(before + "0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: ml}.\n");
    INFO(before);
    CHECK(found == std::map<std::string, std::string>{{"", "k8s/untolerated-taint"}});
  }
}

TEST_CASE("why: a quota of a namespace is never or later by its numbers") {
  for (const int asked : {1, 8, 9, 16})
    for (const int used : {0, 4, 8}) {
      why::Facts facts;
      const auto found =
          ask({"LAST SEEN   TYPE      REASON         OBJECT      MESSAGE\n2m          Warning   FailedCreate   job/fit "
               "    Error "
               "creating: pods \"fit-x\" is forbidden: exceeded quota: team, requested: "
               "limits.cpu=2,requests.nvidia.com/gpu=" +
               std::to_string(asked) + ", used: limits.cpu=2,requests.nvidia.com/gpu=" + std::to_string(used) +
               ", limited: limits.cpu=16,requests.nvidia.com/gpu=8\n"},
              facts);
      INFO(asked << " of 8, " << used << " used");
      REQUIRE(found.size() == 1);
      CHECK(found[0].code == "k8s/namespace-quota");
      CHECK(found[0].verdict == (asked > 8 ? why::Verdict::never : why::Verdict::later));
    }
}

}  // namespace why_subjects_test
