// What `why` reads of outputs that a terminal cut: the same cause or none, and never another.
#include <random>
#include <set>
#include <string>

#include "compiler/base/source.h"
#include "tests/catch.h"
#include "tests/unit/why_scene.h"
#include "why/causes/causes.h"
#include "why/causes/match.h"
#include "why/decide/decide.h"
#include "why/read/lines.h"
#include "why/read/read.h"

namespace why_cut_test {

using namespace muster;
using namespace why_scene;

std::set<std::string> codes_of(const std::string& text) { return codes({text}); }

// A text that a pattern is of, with a value for each of its names.
std::string text_of(std::string_view pattern) {
  std::string out = "at 12:00 ";
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*') {
      out += " ";
    } else if (pattern[i] == '{' && pattern.substr(i, 2) == "{{") {
      out += '{';
      ++i;
      if (const std::size_t end = pattern.find('}', i); end != std::string_view::npos) out += "value", i = end;
    } else if (pattern[i] == '{') {
      out += "value";
      i = pattern.find('}', i);
    } else {
      out += pattern[i];
    }
  }
  return out + " and more";
}

std::set<std::string> ids_in(why::Where where, const std::string& text) {
  why::Case facts;
  why::add_messages(why::name(where), text, {1, 1}, facts);
  std::set<std::string> out;
  const std::size_t head = why::name(where).size() + 1;
  for (const auto& [key, known] : facts.all())
    if (key.find('.', head) == std::string::npos) out.insert(key.substr(head));
  return out;
}

TEST_CASE("why: a message that is cut is itself or nothing") {
  std::mt19937 random(7);
  std::size_t found = 0, tried = 0;
  for (const why::Message& message : why::messages()) {
    const std::string text = text_of(message.pattern);
    const std::set<std::string> whole = ids_in(message.where, text);
    INFO(message.pattern << " in " << text);
    REQUIRE(whole.contains(std::string(message.id)));
    for (int draw = 0; draw < 40; ++draw) {
      // The end, or a part in the middle, is cut away.
      const std::size_t from = random() % text.size(), length = draw % 2 == 0 ? text.size() : random() % 20;
      std::string damaged = text.substr(0, from) + std::string(why::cut);
      if (from + length < text.size()) damaged += text.substr(from + length);
      ++tried;
      for (const std::string& id : ids_in(message.where, damaged)) {
        INFO(damaged << " is " << id);
        CHECK(whole.contains(id));
        found += whole.contains(id) ? 1 : 0;
      }
    }
  }
  CHECK(found * 4 > tried);  // it is found where enough of it is left
}

TEST_CASE("why: a value that is cut is not known") {
  const auto values = [](std::string_view pattern, std::string_view text) {
    std::string out;
    const auto found = why::match_cut(pattern, text);
    if (!found || !found->is_enough) return std::string("no");
    for (const auto& [name, value] : found->values) out += std::string(name) + "=" + value + ";";
    return out;
  };
  const std::string pattern =
      "insufficient quota for {resource} in flavor {flavor}, request ({asked}) > maximum ({most})";
  const std::string cut(why::cut);
  CHECK(values(pattern, "insufficient quota for nvid" + cut + " in flavor h100, request (32) > maximum (16)") ==
        "flavor=h100;asked=32;most=16;");
  CHECK(values(pattern, "insufficient quota for gpu in flavor h1" + cut + "00, request (32) > maximum (16)") ==
        "resource=gpu;asked=32;most=16;");
  CHECK(values(pattern, "insufficient quota for gpu in flavor h100, requ" + cut) == "no");
  CHECK(values(pattern, "insufficient memory for gpu" + cut) == "no");
  CHECK(values("No module named '{module}'", "No module named 'ap" + cut) == "");
  why::Case facts;
  facts.set("a", "16" + cut);
  facts.offer("b", "x" + cut);
  CHECK_FALSE(facts.knows("a"));
  CHECK_FALSE(facts.knows("b"));
}

std::string each_line_cut(const std::string& text, std::size_t width) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += text.substr(begin, std::min(end - begin, width)) + "\n";
    begin = end + 1;
  }
  return out;
}

// A pod as YAML and its events as JSON, whose texts are longer than a terminal is wide.
std::string pod_and_events(const std::string& message, const std::string& folded) {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: fit\n  namespace: lab\n  uid: "
         "0b7a7dbe-3a51-4b0e-9e1f-6c2d8f1d7a01-of-the-first-cluster-of-the-lab-in-the-west\n  annotations:\n    "
         "example.com/owner: the-team-of-the-lab-that-trains-the-large-models-in-the-west-region\nspec:\n  "
         "containers:\n"
         "  - image: registry.example.com/a/very/long/path/of/an/image/of/the/team/that/trains:1.4.0\n    name: main\n"
         "    resources:\n      limits:\n        nvidia.com/gpu: \"16\"\nstatus:\n  conditions:\n  - message: '" +
         folded +
         "'\n    reason: Unschedulable\n    status: \"False\"\n    type: PodScheduled\n  phase: Pending\n\n"
         "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        {\n            \"kind\": \"Event\",\n            "
         "\"involvedObject\": {\n                \"kind\": \"Pod\",\n                \"name\": \"fit\"\n            "
         "},\n"
         "            \"message\": \"" +
         message +
         "\",\n            \"metadata\": {\n                \"name\": "
         "\"fit.18ec1c3b59c286b6-that-is-a-name-that-a-server-has-made-for-the-event\",\n                "
         "\"namespace\": \"lab\"\n            },\n            \"reason\": \"FailedScheduling\",\n            \"type\": "
         "\"Warning\"\n        }\n    ],\n    \"kind\": \"List\"\n}\n";
}

TEST_CASE("why: documents that are cut are read for what is left of them") {
  const std::string said =
      "0/5 nodes are available: 5 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/5 nodes are "
      "available: 5 Preemption is not helpful for scheduling.";
  const std::string folded =
      "0/5 nodes are available: 5 Insufficient nvidia.com/gpu. no new claims\n      to deallocate, preemption: 0/5 "
      "nodes are available: 5 Preemption is not helpful\n      for scheduling.";
  const std::string text = pod_and_events(said, folded);
  REQUIRE(codes_of(text) == std::set<std::string>{"k8s/never-fits-gpus-per-node"});
  for (std::size_t width = 20; width < 170; ++width)
    for (const std::string& code : codes_of(each_line_cut(text, width))) {
      INFO(width << " is " << code);
      CHECK((code.empty() || code == "k8s/never-fits-gpus-per-node"));
      if (width >= 80) CHECK(code == "k8s/never-fits-gpus-per-node");
    }
}

TEST_CASE("why: a hole in what the scheduler says may have another reason in it") {
  const std::string said =
      "0/5 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 4 Insufficient nvidia.com/gpu. "
      "preemption: 0/5 nodes are available: 1 Preemption is not helpful for scheduling, 4 No preemption victims found "
      "for incoming pod.";
  const auto asked = [](const std::string& message) {
    return codes_of(
        "Name:         fit\nNamespace:    lab\nStatus:       Pending\nContainers:\n  c:\n    Image:  fit:1\n"
        "Events:\n  Type     Reason  Age  From  Message\n  ----     ------  ---  ----  -------\n  Warning  "
        "FailedScheduling  2m  default-scheduler  " +
        message + "\n");
  };
  const std::set<std::string> whole = asked(said);
  for (std::size_t from = 0; from < said.size(); ++from)
    for (const std::size_t length : {std::size_t{1}, std::size_t{6}, std::size_t{25}, said.size()}) {
      std::string damaged = said.substr(0, from) + std::string(why::cut);
      if (from + length < said.size()) damaged += said.substr(from + length);
      for (const std::string& code : asked(damaged)) {
        INFO(damaged << " is " << code);
        CHECK((code.empty() || whole.contains(code)));
      }
    }
}

TEST_CASE("why: lines are cut where outputs of several kinds end at one column") {
  const auto cut_lines = [](const std::string& text) {
    std::size_t out = 0;
    for (const why::Line& line : why::clean_lines(text)) out += why::is_cut(line.text) ? 1 : 0;
    return out;
  };
  const std::string row(70, 'x'), other(70, 'y');
  CHECK(cut_lines("A\n" + row + "\n" + row + "\n\nB\n" + other + "\n") == 3);
  // The rows of one table are as wide as each other, and so are those of the same table again.
  CHECK(cut_lines("A\n" + row + "\n" + row + "\n" + row + "\n") == 0);
  CHECK(cut_lines("A\n" + row + "\n" + row + "\n\nA\n" + row + "\n" + other + "\n") == 0);
  // What closes is whole.
  CHECK(cut_lines("A\n" + row + ")\n" + row + ")\n\nB\n" + other + ")\n") == 0);
  CHECK(cut_lines("A\n" + row + "\n\nB\n" + other + "\n\nC\n" + row + row + "\n") == 0);
  CHECK(cut_lines("A\n" + row + "\n\nB\n" + other + "\n") == 0);
  // A table fills up its last column.
  CHECK(cut_lines("A\n" + row + "\nshort" + std::string(65, ' ') + "\n" + row + "\n\nB\n" + other + "\n") == 3);
}

TEST_CASE("why: each submission that is refused has its own cause") {
  struct Told {
    std::string text, code;
  };
  const Told all[] = {
      {"sbatch: error: Batch job submission failed: Access denied to requested reservation\n",
       "slurm/reservation-access-denied"},
      {"sbatch: error: Batch script contains DOS line breaks (\\r\\n)\nsbatch: error: instead of expected UNIX line "
       "breaks "
       "(\\n).\n",
       "slurm/dos-line-breaks"},
      {"sbatch: error: invalid partition specified: bacth\nsbatch: error: Batch job submission failed: Invalid "
       "partition "
       "name specified\n",
       "slurm/partition-unknown"},
      {"error: resource mapping not found for name: \"x\" namespace: \"\" from \"job.yaml\": no matches for kind "
       "\"TrainJobs\" in version \"v1\"\nensure CRDs are installed first\n",
       "k8s/kind-unknown"},
      {"Error from server (Forbidden): error when creating \"job.yaml\": pods \"train\" is forbidden: no PriorityClass "
       "with name high was found\n",
       "k8s/priority-class-missing"}};
  for (const Told& one : all)
    for (const Told& other : all)
      for (const std::string between : {"", "\n", "$ kubectl get nodes\n"}) {
        INFO(one.text << between << other.text);
        const bool joined = between.empty() && one.code == "slurm/dos-line-breaks" && other.text.starts_with("sbatch");
        const auto found = codes_of(one.text + between + other.text);
        if (!joined) CHECK(found == std::set<std::string>{one.code, other.code});
        for (const std::string& code : found) CHECK((code.empty() || code == one.code || code == other.code));
      }
  // What is pasted twice was refused once; a manifest ends where an error begins.
  for (const Told& one : all) {
    why::Facts facts;
    CHECK(ask({one.text + "\n" + one.text}, facts).size() == 1);
    CHECK(codes_of("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n\n" + one.text) ==
          std::set<std::string>{one.code});
  }
  // Of several it is not known whose the script is.
  const std::string nodes =
      "NODELISTSTATE       CPUS(A/I/O/T)   ALLOCMEM    MEMORY    GRES            GRES_USED\ng1      idle "
      "       0/64/0/64       0           512000    gpu:a100:4      gpu:a100:0(IDX:N/A)\n";
  const std::string script = "#!/bin/bash\n#SBATCH --nodes=1 --gpus-per-node=8\nsrun train\n";
  const std::string refused =
      "sbatch: error: Batch job submission failed: Requested node configuration is not available\n";
  CHECK(codes_of(script + "\n" + nodes + "\n" + refused) == std::set<std::string>{"slurm/never-fits-gpus-per-node"});
  CHECK(codes_of(script + "\n" + nodes + "\n" + refused + all[0].text) == std::set<std::string>{"", all[0].code});
}

TEST_CASE("why: JSON that is cut is read behind the cut, too") {
  const std::string said = "MountVolume.SetUp failed for volume \\\"cfg\\\" : configmap \\\"settings\\\" not found";
  const std::string text =
      "Name:         fit\nNamespace:    lab\nLabels:       "
      "a-long-label-of-the-team-that-is-longer-than-a-terminal=with-a-value-that-is-long-too-and-more\nStatus:       "
      "Pending\nContainers:\n  c:\n    Image:  fit:1\n\n{\n    "
      "\"apiVersion\": \"v1\",\n    \"items\": [\n        {\n            \"action\": \"a long word of the program that "
      "has brackets { [ ( in it and goes on\",\n            \"kind\": \"Event\",\n            \"involvedObject\": {\n"
      "                \"kind\": \"Pod\",\n                \"name\": \"fit\",\n                \"uid\": "
      "\"0b7a7dbe-3a51-4b0e-9e1f-6c2d8f1d7a01-0b7a7dbe-3a51-4b0e-9e1f-6c2d8f1d7a01\"\n            },\n            "
      "\"message\": \"" +
      said +
      "\",\n            \"note\": \"a long text of the program, with } and ] in it, to the "
      "end\",\n"
      "            \"reason\": \"FailedMount\",\n            \"type\": \"Warning\"\n        }\n    ],\n    \"kind\": "
      "\"List\"\n}\n";
  REQUIRE(codes_of(text).contains("k8s/volume-mount-failed"));
  bool any = false;
  for (std::size_t width = 62; width < 102; ++width) {
    const auto found = codes_of(each_line_cut(text, width));
    for (const std::string& code : found) CHECK((code.empty() || code == "k8s/volume-mount-failed"));
    any |= width < 95 && found.contains("k8s/volume-mount-failed");
  }
  CHECK(any);
}

TEST_CASE("why: an amount that is cut is not an amount") {
  const auto text = [](const std::string& gpus) {
    return "JobId=7 JobName=fit\n   JobState=PENDING Reason=Resources Dependency=(null)\n   Partition=batch\n   "
           "NumNodes=1 NumCPUs=1 NumTasks=1 CPUs/Task=1\n   "
           "ReqTRES=cpu=1,mem=40G,node=1,billing=11111111111,gres/gpu=" +
           gpus +
           "\n\nPARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nbatch*       up   infinite      3 "
           "  "
           "idle g1-g2-g3-g4-g5-g6-g7-g8-x\nlong         up   infinite      3   idle g1-g2-g3-g4-g5-g6-g7-g8-y\n";
  };
  const auto asked = [](const std::string& pasted) {
    why::Facts facts;
    std::string out;
    for (const why::Finding& finding : ask({pasted}, facts)) out += finding.subject.facts.get("ask.gpus");
    return out;
  };
  CHECK(asked(text("16")) == "16");
  CHECK(asked(each_line_cut(text("16"), 62)) == "");
}

TEST_CASE("why: a line at the edge of a terminal may go on") {
  const std::string whole = "sbatch: error: Batch job submission failed: Access denied to requested reservation";
  CHECK(codes_of(whole + "\n") == std::set<std::string>{"slurm/reservation-access-denied"});
  CHECK(codes_of(whole.substr(0, 80) + "\n") == std::set<std::string>{"slurm/reservation-access-denied"});
  CHECK(codes_of(whole.substr(0, 78) + "\n") == std::set<std::string>{""});
  const std::string line = "rank 3 of the job on the node in the row: RuntimeError: CUDA error: out of memory";
  CHECK(codes_of(line.substr(0, 80) + "\n") == codes_of(line + "\n"));
}

TEST_CASE("why: a long output of cut lines is read in the time of its length") {
  std::string text = "a\n";
  for (int i = 0; i < 30000; ++i)
    text += "Requested n; CUDA error: o; Access deni; ModuleNotFo; No module n; oom_kill ev" +
            std::to_string(100 + i % 900) + (i % 50 == 0 ? "\n\nhead " + std::to_string(i) + "\n" : "\n");
  why::Facts facts;
  const auto found = ask({text}, facts);
  CHECK(found.size() == 1);
}

}  // namespace why_cut_test
