// What starts again: each kind of pods with each `retry` and number of nodes, by the fields of the object; and the
// table of failures.
#include <set>
#include <string>

#include "targets/failures.h"
#include "tests/unit/pods_scene.h"

namespace pods_retry_test {

using namespace muster;
using namespace muster::test;

namespace {

struct Kind {
  std::string target, workload, gang;
  std::string counts;  // the key that has the number of retries, once
  bool gangs = true;   // several nodes restart together
};

const Kind kinds[] = {
    {"kubernetes", "kind = train\ncommand = [\"t\"]\n", "kueue", "backoffLimit", false},
    {"jobset", "kind = train\ncommand = [\"t\"]\n", "kueue", "maxRestarts"},
    {"kueue", "kind = train\ncommand = [\"t\"]\n", "kueue", "maxRestarts"},
    {"volcano", "kind = train\ncommand = [\"t\"]\n", "volcano", "maxRetry"},
    {"pytorchjob", "kind = train\nlaunch { runner = torchrun }\ncommand = [\"t.py\"]\n", "kueue", "backoffLimit",
     false},
    {"trainjob", "kind = train\nlaunch { runner = torchrun }\ncommand = [\"t.py\"]\n", "kueue", "maxRestarts"},
    {"mpijob", "kind = mpi\nlaunch { runner = mpi  processes = 8 }\ncommand = [\"t\"]\n", "kueue", "backoffLimit"},
    {"kuberay", "kind = rl\nlaunch { runner = ray  version = \"2.49\" }\ncommand = [\"t\"]\n", "kueue", "backoffLimit"},
};
const std::string retries[] = {"", "retry { limit = 0 }\n", "retry { limit = 3 }\n", "retry = default\n"};
const std::string sizes[] = {"nodes = 1\n", "nodes = 4\n", "nodes = 2..4\n"};

// Every text of a key, anywhere in the objects.
void collect(const data::Node& node, std::string_view key, std::multiset<std::string>& out) {
  for (const data::Node& item : node.items) collect(item, key, out);
  for (const data::Member& member : node.members) {
    if (member.key == key && member.value.is_scalar()) out.insert(member.value.text);
    collect(member.value, key, out);
  }
}

std::multiset<std::string> all(const Manifests& made, std::string_view key) {
  std::multiset<std::string> out;
  for (const data::Node& object : made.objects) collect(object, key, out);
  return out;
}

bool only(const std::multiset<std::string>& found, std::string_view text) {
  return found.count(std::string(text)) == found.size();
}

// Without a retry: no pod, Job or gang starts again.
void starts_nothing_again(const Manifests& made, bool of_cluster) {
  CHECK(only(all(made, "restartPolicy"), "Never"));
  CHECK((of_cluster || !all(made, "restartPolicy").empty()));
  for (const char* key : {"backoffLimit", "backoffLimitPerIndex", "maxRestarts"}) CHECK(only(all(made, key), "0"));
  CHECK(all(made, "action").count("RestartJob") == 0);
  CHECK(made.text().find("failurePolicy") == std::string::npos);
}

Manifests made_of(const Kind& kind, const std::string& retry, const std::string& size) {
  Pods scene;
  scene.plane = "gang = " + kind.gang;
  scene.workload = kind.workload + "software = torch\ngpu = H100:8\n" + size + retry;
  return lower(scene, kind.target);
}

}  // namespace

TEST_CASE("retry: every kind of pods restarts the whole, or nothing, or refuses it") {
  int variants = 0;
  for (const Kind& kind : kinds)
    for (const std::string& size : sizes)
      for (const std::string& retry : retries) {
        ++variants;
        const Manifests made = made_of(kind, retry, size);
        INFO(kind.target << " " << size << retry << made.stated() << made.text());
        const bool again = retry.find('3') != std::string::npos, one = size == sizes[0], range = size == sizes[2];
        const bool elastic = range && kind.target == "pytorchjob";
        if (again && !kind.gangs && !one && !elastic) {
          CHECK_FALSE(made.ok());
          CHECK(made.stated().find("restarts single pods, not") != std::string::npos);
          continue;
        }
        REQUIRE(made.ok());
        if (!again) {
          starts_nothing_again(made, kind.target == "trainjob" && retry == retries[3]);
          continue;
        }
        const auto counted = all(made, kind.counts);
        CHECK(counted.count(elastic ? "7" : kind.target == "pytorchjob" || kind.target == "volcano" ? "4" : "3") == 1);
        // A Job of a gang fails as a whole; what restarts is counted once.
        if (kind.counts == "maxRestarts") CHECK(only(all(made, "backoffLimit"), "0"));
      }
  CHECK(variants == 96);
}

TEST_CASE("trainjob: a runtime of its own, unless the cluster decides what restarts") {
  const Kind& kind = kinds[5];
  const Manifests own = made_of(kind, retries[0], sizes[1]);
  REQUIRE(own.object("TrainingRuntime") != nullptr);
  CHECK(own.object("TrainJob")->at("spec.runtimeRef.name")->text ==
        own.object("TrainingRuntime")->at("metadata.name")->text);
  CHECK(own.object("TrainJob")->at("spec.runtimeRef.kind")->text == "TrainingRuntime");
  const Manifests left = made_of(kind, retries[3], sizes[1]);
  CHECK(left.object("TrainingRuntime") == nullptr);
  CHECK(left.object("TrainJob")->at("spec.runtimeRef.name")->text == "torch-distributed");
  CHECK_FALSE(made_of(kind, "retry { limit = 3  on = [timeout] }\n", sizes[1]).ok());
}

TEST_CASE("failures: a cell for each kind, failure and setting, or a refusal") {
  const auto failures = targets::failures();
  const auto settings = targets::retry_settings();
  CHECK(failures.size() == 6);
  std::set<std::string_view> names;
  for (const targets::FailureKind& kind : targets::failure_kinds()) {
    INFO(kind.name);
    CHECK(names.insert(kind.name).second);
    CHECK(targets::find_target(kind.target) != nullptr);
    REQUIRE(kind.cells.size() == failures.size());
    for (std::size_t i = 0; i < failures.size(); ++i) {
      INFO(failures[i].name);
      REQUIRE(kind.cells[i].size() == settings.size());
      CHECK_FALSE(kind.cells[i][0].end.empty());  // without `retry` each is written
      for (const targets::FailureCell& cell : kind.cells[i]) CHECK(cell.restarts.empty() == cell.runs.empty());
    }
  }
  for (const targets::PlayedEnd& end : targets::played_ends()) CHECK(end.source.starts_with("https://"));
}

}  // namespace pods_retry_test
