// Names of a manifest that its operator or the cluster gives: kept for the same kind, a run reference where one means
// the same, refused elsewhere. Each name of the table in each place where a manifest can read it.
#include <map>

#include "targets/kubernetes/operator_names.h"
#include "tests/catch.h"
#include "tests/unit/again_scene.h"

namespace manifest_names_test {

using namespace muster;
using tests::Again;

namespace {

// Kinds with the names that they give to their pods. `$(NAME)` of some is known when the file is written.
struct Row {
  std::string kind, name;
  std::string known;      // the value in its place on the same kind; "": `$(NAME)` stays
  bool elsewhere = true;  // another target has the value
};

const Row rows[] = {
    {"job", "JOB_COMPLETION_INDEX", "", true},
    {"jobset", "JOB_COMPLETION_INDEX", "", true},
    {"pytorchjob", "RANK", "", true},
    {"pytorchjob", "MASTER_ADDR", "", true},
    {"pytorchjob", "MASTER_PORT", "", true},
    {"pytorchjob", "WORLD_SIZE", "", true},
    {"torchrun", "RANK", "PET_NODE_RANK", true},
    {"torchrun", "MASTER_ADDR", "a-master-0", true},
    {"torchrun", "WORLD_SIZE", "2", true},
    {"elastic", "PET_RDZV_ENDPOINT", "", false},
    {"elastic", "PET_RDZV_BACKEND", "", false},
    {"trainjob", "PET_NODE_RANK", "JOB_COMPLETION_INDEX", true},
    {"trainjob", "PET_NNODES", "2", true},
    {"trainjob", "PET_MASTER_ADDR", "a-node-0-0.a", true},
    {"lws", "LWS_LEADER_ADDRESS", "", true},
    {"lws", "LWS_GROUP_SIZE", "2", true},
    {"lws", "LWS_WORKER_INDEX", "", true},
    {"volcano", "VC_TASK_INDEX", "", true},
    {"volcano", "VC_WORKER_HOSTS", "", false},
    {"volcano", "VC_WORKER_NUM", "", false},
    {"job", "REDIS_SERVICE_HOST", "", false},
    {"lws", "KUBERNETES_SERVICE_HOST", "", false},
    {"pytorchjob", "SITE_OWN_NAME", "", false},
    {"volcano", "SITE_OWN_NAME", "", false},
};

std::string pods(const std::string& container) { return "{spec: {containers: [" + container + "]}}"; }

// An object of the kind whose container starts so.
std::string object(const std::string& kind, const std::string& starts) {
  const std::string gpu = ", resources: {limits: {nvidia.com/gpu: 1}}}";
  const auto container = [&](const std::string& name) { return "{name: " + name + ", image: x, " + starts + gpu; };
  if (kind == "job")
    return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {completions: 2, parallelism: 2, "
           "completionMode: Indexed, template: {spec: {restartPolicy: Never, containers: [" +
           container("c") + "]}}}\n";
  if (kind == "jobset")
    return "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\nspec: {replicatedJobs: [{name: "
           "node, template: {spec: {completions: 2, parallelism: 2, completionMode: Indexed, backoffLimit: 0, "
           "template: "
           "{spec: {restartPolicy: Never, containers: [" +
           container("c") + "]}}}}}]}\n";
  if (kind == "pytorchjob" || kind == "torchrun")
    return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {pytorchReplicaSpecs: {Master: "
           "{replicas: 1, template: " +
           pods(container("pytorch")) + "}, Worker: {replicas: 1, template: " + pods(container("pytorch")) + "}}}\n";
  if (kind == "elastic")
    return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {elasticPolicy: {minReplicas: 1, "
           "maxReplicas: 4, rdzvBackend: c10d}, pytorchReplicaSpecs: {Worker: {replicas: 2, template: " +
           pods(container("pytorch")) + "}}}\n";
  if (kind == "trainjob")
    return "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec: {runtimeRef: {name: "
           "torch-distributed}, trainer: {image: x, numNodes: 2, " +
           starts + ", resourcesPerNode: {limits: {nvidia.com/gpu: 1}}}}\n";
  if (kind == "lws")
    return "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: a}\nspec: {replicas: 1, "
           "leaderWorkerTemplate: {size: 2, restartPolicy: RecreateGroupOnPodRestart, workerTemplate: " +
           pods(container("c")) + "}}\n";
  return "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\nspec: {minAvailable: 2, "
         "schedulerName: "
         "volcano, plugins: {env: [], svc: []}, tasks: [{name: worker, replicas: 2, template: {spec: {restartPolicy: "
         "Never, containers: [" +
         container("c") + "]}}}]}\n";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// `$(NAME)` as a word, in a word, in `args`.
std::string starts(const Row& row, int place) {
  const std::string first = row.kind == "torchrun" ? "torchrun, t.py" : "python, t.py";
  const std::string name = "$(" + row.name + ")";
  if (place == 0) return "command: [" + first + ", \"" + name + "\"]";
  if (place == 1) return "command: [" + first + ", \"--at=" + name + "/x\"]";
  return "command: [" + first + "], args: [\"--at\", \"" + name + "\"]";
}

}  // namespace

TEST_CASE("`$(NAME)` of the operator keeps its meaning, or is refused with its name", "[manifest-import][names]") {
  int cases = 0;
  for (const Row& row : rows)
    for (int place = 0; place < 3; ++place) {
      ++cases;
      Again again(object(row.kind, starts(row, place)));
      INFO(row.kind << " " << row.name << " place " << place << "\n" << again.workload << again.why);
      REQUIRE(again.imported());
      const std::string same = again.same_kind();
      INFO(same << again.why);
      CHECK_FALSE(has(same, "$$(" + row.name));
      CHECK(has(same, row.known.empty() ? "$(" + row.name + ")" : row.known));
      CHECK_FALSE(has(same, "/bin/sh"));
      const std::string slurm = again.on_slurm();
      INFO(slurm << again.why);
      if (row.kind == "lws" || row.elsewhere) {
        CHECK_FALSE(has(slurm, "$(" + row.name + ")"));
      }
      if (row.elsewhere) CHECK((!slurm.empty() || row.kind == "lws"));
      else {
        CHECK(slurm.empty());
        CHECK(has(again.why, row.name));
      }
    }
  CHECK(cases == 72);
}

TEST_CASE("a text of a shell finds the names of the operator elsewhere, or is refused", "[manifest-import][names]") {
  int cases = 0;
  for (const Row& row : rows) {
    if (row.name == "SITE_OWN_NAME") continue;  // of a text, `$NAME` may be the image's
    for (const std::string read : {"$" + row.name, "${" + row.name + "}", "\\\"$" + row.name + "\\\""}) {
      ++cases;
      const std::string program = row.kind == "torchrun" ? "torchrun t.py --at=" : "python t.py --at=";
      Again again(object(row.kind, "command: [bash, -c, \"cd /x; " + program + read + "; echo done\"]"));
      INFO(row.kind << " " << row.name << " " << read << "\n" << again.workload << again.why);
      REQUIRE(again.imported());
      const std::string same = again.same_kind();
      INFO(same << again.why);
      CHECK(has(same, row.name));
      CHECK_FALSE(has(same, "- name: " + row.name));  // the operator sets it
      const std::string slurm = again.on_slurm();
      INFO(slurm << again.why);
      if (!row.elsewhere) {
        CHECK(slurm.empty());
        CHECK(has(again.why, row.name));
        CHECK(has(again.why, "line 1 of the script"));
      } else if (!slurm.empty()) {
        CHECK(has(slurm, row.name + "="));
      }
    }
  }
  CHECK(cases == 66);
}

TEST_CASE("a name that the text sets, gives a default or only tests is its own", "[manifest-import][names]") {
  for (const std::string text : {"VC_WORKER_HOSTS=a; echo $VC_WORKER_HOSTS", "echo ${VC_WORKER_HOSTS:-none}",
                                 "[ -n \\\"$VC_WORKER_HOSTS\\\" ] && x", "# $VC_WORKER_HOSTS\\necho a",
                                 "for VC_WORKER_HOSTS in a b; do echo $VC_WORKER_HOSTS; done"}) {
    Again again(object("volcano", "command: [bash, -c, \"cd /x; " + text + "; echo done\"]"));
    INFO(text << "\n" << again.workload);
    REQUIRE(again.imported());
    CHECK_FALSE(has(again.workload, "gives"));
  }
}

TEST_CASE("a field of the pod that has the rank is the rank", "[manifest-import][names]") {
  const std::string field =
      "env: [{name: RANK, valueFrom: {fieldRef: {fieldPath: \"metadata.annotations['batch.kubernetes.io/job-completion-"
      "index']\"}}}], ";
  for (const std::string starts :
       {"command: [python, t.py, \"$(RANK)\"]", "command: [bash, -c, \"cd /x; run $RANK; y\"]"}) {
    Again again(object("jobset", field + starts));
    INFO(again.workload);
    CHECK(has(again.workload, "RANK = \"${run.node-rank}\""));
    CHECK(has(again.same_kind(), "job-completion-index"));
    CHECK(has(again.on_slurm(), "RANK=\"$SLURM_NODEID\""));
    CHECK_FALSE(has(again.same_kind(), "MUSTER_NODE_RANK"));
  }
}

TEST_CASE("files, programs and hosts of the cluster are refused elsewhere", "[manifest-import][names]") {
  const std::pair<std::string, std::string> texts[] = {
      {"cat /etc/volcano/worker.host", "/etc/volcano"},
      {"mkdir -p /var/run/sshd; /usr/sbin/sshd -D", "sshd"},
      {"ping a-worker-1.a", "a-worker-1.a"},
      {"ping a-worker-0", "a-worker-0"},
  };
  for (const auto& [text, name] : texts) {
    Again again(object("volcano", "command: [bash, -c, \"cd /x; " + text + "; echo done\"]"));
    INFO(text << "\n" << again.workload << again.why);
    REQUIRE(again.imported());
    CHECK(has(again.same_kind(), text));
    CHECK(again.on_slurm().empty());
    CHECK(has(again.why, name));
  }
  Again server(object("volcano", "command: [/usr/sbin/sshd, -D]"));
  CHECK(server.on_slurm().empty());
  CHECK(has(server.why, "sshd"));
  Again head(object("volcano", "command: [python, t.py, a-worker-0.a]"));
  CHECK(has(head.workload, "${run.head}"));
}

}  // namespace manifest_names_test
