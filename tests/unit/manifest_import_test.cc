// An object of a manifest as a workload and words of its site: what each field becomes, and that none is passed over.
#include "tests/catch.h"
#include "tests/unit/manifest_scene.h"

namespace manifest_import_test {

using namespace muster;
using namespace muster::targets;
using tests::ManifestImport;

namespace {

std::string job(const std::string& container, const std::string& pod = {}, const std::string& spec = {}) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  backoffLimit: 0\n" + spec +
         "  template:\n    spec:\n      restartPolicy: Never\n" + pod +
         "      containers:\n        - name: main\n          image: \"a:1\"\n" + container;
}

constexpr const char* command = "          command: [python, a.py]\n";

}  // namespace

TEST_CASE("a pod template's common fields become keys", "[manifest-import]") {
  const ManifestImport got(job(
      std::string(command) +
      "          args: [\"--lr\", \"1\"]\n"
      "          workingDir: /src\n"
      "          env: [{name: A, value: \"1\"}]\n"
      "          ports: [{containerPort: 80, name: web}]\n"
      "          resources: {limits: {cpu: 4, memory: 8Gi, nvidia.com/gpu: 2}, requests: {cpu: 2, memory: 8Gi}}\n"));
  CHECK(got.has("command = [\"python\", \"a.py\", \"--lr\", \"1\"]"));
  CHECK(got.has("workdir = \"/src\""));
  CHECK(got.has("A = 1"));
  CHECK(got.has("port web"));
  CHECK(got.has("cpus = 2..4"));
  CHECK(got.has("memory = 8GiB"));
  CHECK(got.has("gpus = 2"));
  CHECK(got.fate("resources.limits[\"nvidia.com/gpu\"]") == "mapped");
  CHECK(got.fate("spec.volumes[/dev/shm]", "muster adds") == "approximated");
}

TEST_CASE("a variable from a secret is a secret of the site", "[manifest-import]") {
  const ManifestImport got(job(std::string(command) +
                               "          env: [{name: T, valueFrom: {secretKeyRef: {name: hf, key: token}}}, "
                               "{name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]\n"));
  CHECK(got.has("secret hf-token { env = \"T\" }"));
  CHECK(got.has("secret hf-token { name = \"hf\" key = \"token\" }"));
  CHECK(got.fate("env[0]") == "moved");
  CHECK(got.fate("env[1]") == "raw");
  CHECK(got.has("fieldPath: status.podIP"));
}

TEST_CASE("the kubelet's `$(X)` is a reference, a `$X` is a text", "[manifest-import]") {
  const ManifestImport got(
      job("          command: [run, \"$(A)\", \"$(B)\", $C, \"$$(A)\"]\n"
          "          env: [{name: A, value: x}]\n"));
  CHECK(got.has("command = [\"run\", \"${env.A}\", \"${env.B}\", '$C', \"$(A)\"]"));
  CHECK(got.has("target kubernetes { gives = \"B\" }"));  // only the cluster can know it
  const ManifestImport value(job(std::string(command) + "          env: [{name: A, value: $HF_TOKEN}]\n"));
  CHECK(value.fate("env[0]", "is the text") == "mapped");
}

TEST_CASE("volumes become storage, scratch space and shared memory", "[manifest-import]") {
  const ManifestImport got(
      job(std::string(command) +
              "          volumeMounts: [{name: d, mountPath: /data, subPath: a, readOnly: true}, {name: s, "
              "mountPath: /tmp/s}, {name: m, mountPath: /dev/shm}, {name: h, mountPath: /models}]\n",
          "      volumes: [{name: d, persistentVolumeClaim: {claimName: lake}}, {name: s, emptyDir: {}}, "
          "{name: m, emptyDir: {medium: Memory, sizeLimit: 2Gi}}, {name: h, hostPath: {path: /mnt/models}}]\n"));
  CHECK(got.has("mount lake { path = \"/data\" mode = ro sub-path = \"a\" }"));
  CHECK(got.has("storage lake { pvc = \"lake\" }"));
  CHECK(got.has("mount scratch"));
  CHECK(got.has("shm = 2GiB"));
  CHECK(got.has("host-path = \"/mnt/models\""));
  CHECK(got.fate("volumes[3]", "type: Directory") == "moved");
}

TEST_CASE("a ConfigMap of the file becomes small files", "[manifest-import]") {
  const ManifestImport got("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a.yaml: \"x: 1\\n\"}\n---\n" +
                           job(std::string(command) + "          volumeMounts: [{name: c, mountPath: /etc/c}]\n",
                               "      volumes: [{name: c, configMap: {name: c}}]\n"));
  CHECK(got.has("file \"/etc/c/a.yaml\""));
  CHECK(got.fate("ConfigMap/c") == "lifted");
}

TEST_CASE("which nodes a pod may have is the site's", "[manifest-import]") {
  const ManifestImport got(
      job(std::string(command) + "          resources: {limits: {nvidia.com/gpu: 1, rdma/hca: 1}}\n",
          "      nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4, pool: big}\n"
          "      tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}, {key: spot, operator: "
          "Exists}]\n"
          "      serviceAccountName: reader\n      priorityClassName: urgent-jobs\n"));
  CHECK(got.has("gpu = l4"));
  CHECK(got.has("gpu l4 { label = \"cloud.google.com/gke-accelerator=nvidia-l4\" }"));
  CHECK(got.has("queue = big"));
  CHECK(got.has("pod = <<<yaml"));
  CHECK(got.has("pool: big"));
  CHECK(got.has("key: spot"));
  CHECK(got.has("rdma/hca"));
  CHECK(got.has("serviceAccountName: reader"));
  CHECK(got.has("priority urgent-jobs { class = \"urgent-jobs\" }"));
  CHECK(got.fate("tolerations[0]") == "mapped");
  CHECK(got.fate("tolerations[1]") == "moved");
}

TEST_CASE("what no key expresses goes into the target block", "[manifest-import]") {
  const ManifestImport got(job(
      std::string(command) + "          imagePullPolicy: Always\n          securityContext: {privileged: true}\n",
      "      hostIPC: true\n      initContainers: [{name: i, image: \"b:1\"}]\n", "  ttlSecondsAfterFinished: 60\n"));
  CHECK(got.has("target kubernetes {"));
  CHECK(got.has("hostIPC: true"));
  CHECK(got.has("imagePullPolicy: Always"));
  CHECK(got.has("ttlSecondsAfterFinished: 60"));
  CHECK(got.fate("hostIPC") == "raw");
  CHECK(got.fate("initContainers") == "raw");
  CHECK(got.fate("ttlSecondsAfterFinished") == "raw");
}

TEST_CASE("what a cluster writes is dropped with a line", "[manifest-import]") {
  const ManifestImport got(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, uid: x, annotations: "
      "{kubectl.kubernetes.io/last-applied-configuration: \"{}\"}, labels: "
      "{app.kubernetes.io/managed-by: Helm}}\nspec: {backoffLimit: 0, template: {spec: {restartPolicy: "
      "Never, containers: [{name: a, image: \"a:1\", command: [x]}]}}}\nstatus: {active: 1}\n");
  for (const char* field : {"metadata.uid", "status", "labels[\"app.kubernetes.io/managed-by\"]",
                            "annotations[\"kubectl.kubernetes.io/last-applied-configuration\"]"})
    CHECK(got.fate(field) == "dropped");
  CHECK_FALSE(got.has("Helm"));
}

TEST_CASE("a text for a shell is a script, or the one command that it is", "[manifest-import]") {
  const ManifestImport script(job("          command: [/bin/bash, -c, \"cd /x && python a.py\"]\n"));
  CHECK(script.has("script = <<<bash"));
  CHECK(script.made.grade == Grade::with_script);
  CHECK(script.fate("command", "found on the PATH") == "kept");
  const ManifestImport one(job("          command: [sh, -c, \"exec python a.py --x 'a b'\"]\n"));
  CHECK(one.has("command = [\"python\", \"a.py\", \"--x\", \"a b\"]"));
  CHECK(one.made.grade == Grade::lifted);
  const ManifestImport taken(
      job("          command: [sh, -c, \"echo $(A); run\"]\n          env: [{name: A, value: x}]\n"));
  CHECK(taken.has("${env.A}"));  // the kubelet fills it in, so it is no script
}

TEST_CASE("torchrun's options that say what the keys say are dropped", "[manifest-import]") {
  const std::string ranks = "  completions: 2\n  parallelism: 2\n  completionMode: Indexed\n";
  const ManifestImport got(
      job("          command: [torchrun, --nnodes=2, --nproc_per_node=4, --rdzv_backend=c10d, --max_restarts=3, a.py]\n"
          "          resources: {limits: {nvidia.com/gpu: 4}}\n",
          "", ranks));
  CHECK(got.has("runner = torchrun"));
  CHECK(got.has("args = [\"--max_restarts=3\"]"));
  CHECK(got.has("command = [\"a.py\"]"));
  CHECK(got.has("nodes = 2"));
  const ManifestImport other(job("          command: [torchrun, --nnodes=3, a.py]\n", "", ranks));
  CHECK_FALSE(other.has("runner = torchrun"));
  CHECK(other.fate("command", "--nnodes=3") != "no line");
}

TEST_CASE("a Job is one pod, ranks, points or copies", "[manifest-import]") {
  const ManifestImport points(job(command, "", "  completions: 6\n  parallelism: 2\n  completionMode: Indexed\n"));
  CHECK(points.has("kind = sweep"));
  CHECK(points.has("max-parallel = 2"));
  const ManifestImport ranks(job(command, "", "  completions: 3\n  parallelism: 3\n  completionMode: Indexed\n"));
  CHECK(ranks.has("nodes = 3"));
  CHECK(ranks.has("gang = none"));
  CHECK(ranks.fate("gang", "do its pods wait") == "question");
  const ManifestImport copies(job(command, "", "  parallelism: 3\n"));
  CHECK(copies.has("replicas = 3"));
  CHECK(ManifestImport(job(command, "", "  parallelism: 99999999999\n")).refused("not a number of pods"));
}

TEST_CASE("a coupled object that names no gang scheduler takes that of the site", "[manifest-import][coupled]") {
  const std::string pod =
      "{spec: {restartPolicy: Never, containers: [{name: pytorch, image: \"a:1\", command: [torchrun, --nnodes=3, "
      "t.py], "
      "resources: {limits: {nvidia.com/gpu: 8}}}]}}";
  const std::string shape =
      "{completions: 3, parallelism: 3, completionMode: Indexed, backoffLimit: 0, template: " + pod + "}";
  const auto object = [](const std::string& version, const std::string& kind, const std::string& spec) {
    return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: a}\nspec: " + spec + "\n";
  };
  const std::string replicas =
      "{Master: {replicas: 1, template: " + pod + "}, Worker: {replicas: 2, template: " + pod + "}}";
  for (const std::string& text :
       {object("batch/v1", "Job", shape),
        object("jobset.x-k8s.io/v1alpha2", "JobSet", "{replicatedJobs: [{name: w, template: {spec: " + shape + "}}]}"),
        object("kubeflow.org/v1", "PyTorchJob", "{pytorchReplicaSpecs: " + replicas + "}")}) {
    const ManifestImport got(text);
    INFO(got.text);
    CHECK(got.has("kind = train"));
    CHECK_FALSE(got.has("gang ="));
    CHECK(got.fate("gang") == "moved");
  }
}

TEST_CASE("Kueue's labels are a queue and the plane's gang scheduler", "[manifest-import]") {
  const ManifestImport got(
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a, labels: "
      "{kueue.x-k8s.io/queue-name: team-a}}\nspec: {suspend: true, replicatedJobs: [{name: w, template: {spec: "
      "{parallelism: 2, completions: 2, backoffLimit: 0, template: {spec: {restartPolicy: Never, "
      "containers: [{name: a, image: \"a:1\", command: [x]}]}}}}}]}\n");
  CHECK(got.has("kind = train"));
  CHECK(got.has("gang = kueue"));
  CHECK(got.has("queue team-a"));
  CHECK(got.has("role w"));
  CHECK(got.fate("spec.suspend") == "dropped");
}

TEST_CASE("a PyTorchJob of equal replicas is one role of all of them", "[manifest-import]") {
  const std::string pod =
      "template: {spec: {containers: [{name: pytorch, image: \"a:1\", imagePullPolicy: Always, command: [torchrun, "
      "a.py]}]}}";
  const ManifestImport got(
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {nprocPerNode: \"2\", "
      "pytorchReplicaSpecs: "
      "{Master: {replicas: 1, restartPolicy: Never, " +
      pod + "}, Worker: {replicas: 3, restartPolicy: Never, " + pod + "}}}\n");
  CHECK(got.has("nodes = 4"));
  CHECK(got.has("processes = 2"));
  CHECK(got.has("imagePullPolicy: Always"));
  CHECK(got.fate("Master.template.spec") == "mapped");
}

TEST_CASE("a Deployment serves, and its Service becomes its ports", "[manifest-import]") {
  const ManifestImport got(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 2, selector: {matchLabels: {app: "
      "a}}, template: "
      "{metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: \"a:1\", args: [--x], ports: "
      "[{containerPort: 80, name: http}], "
      "readinessProbe: {httpGet: {path: /h, port: http}, periodSeconds: 5}}]}}}\n---\napiVersion: v1\nkind: "
      "Service\nmetadata: {name: s}\n"
      "spec: {type: LoadBalancer, selector: {app: a}, ports: [{port: 80}]}\n");
  CHECK(got.has("kind = serve"));
  CHECK(got.has("replicas = 2"));
  CHECK(got.has("args = [\"--x\"]"));
  CHECK(got.has("http = \"/h\""));
  CHECK(got.has("public = true"));
  CHECK(got.fate("spec.selector") == "dropped");
  CHECK(got.fate("Service/s") == "approximated");
}

TEST_CASE("a LeaderWorkerSet is replicas of several nodes", "[manifest-import]") {
  const std::string pod = "{spec: {containers: [{name: w, image: \"a:1\", command: [x]}]}}";
  const ManifestImport got(
      "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: a}\nspec: {replicas: 2, "
      "leaderWorkerTemplate: "
      "{size: 3, workerTemplate: " +
      pod + "}}\n");
  CHECK(got.has("nodes = 3"));
  CHECK(got.has("replicas = 2"));
  CHECK_FALSE(got.has("gang ="));
  CHECK(got.fate("gang") == "moved");
}

TEST_CASE("Ray's head and groups are roles", "[manifest-import]") {
  const std::string pod = "template: {spec: {containers: [{name: ray, image: \"r:1\"}]}}";
  const std::string cluster =
      "{rayVersion: \"2.9.0\", headGroupSpec: {rayStartParams: {dashboard-host: 0.0.0.0}, " + pod +
      "}, workerGroupSpecs: [{groupName: small, replicas: 2, minReplicas: 2, maxReplicas: 2, rayStartParams: {}, " +
      pod + "}]}";
  const ManifestImport job_(
      "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: a}\nspec: {entrypoint: python a.py, rayClusterSpec: " +
      cluster + "}\n");
  CHECK(job_.has("role head"));
  CHECK(job_.has("role small"));
  CHECK(job_.has("command = [\"python\", \"a.py\"]"));
  CHECK(job_.has("version = \"2.9.0\""));
  CHECK(job_.has("dashboard-host"));
  const ManifestImport lab("apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\nspec: " + cluster + "\n");
  CHECK(lab.has("kind = dev"));
  const ManifestImport service(
      "apiVersion: ray.io/v1\nkind: RayService\nmetadata: {name: a}\nspec: {serveConfigV2: \"applications: []\\n\", "
      "rayClusterConfig: " +
      cluster + "}\n");
  CHECK(service.has("config = \"applications: []"));
}

TEST_CASE("tasks of a Volcano Job are roles of one gang", "[manifest-import]") {
  const std::string pod =
      "template: {spec: {restartPolicy: Never, containers: [{name: a, image: \"a:1\", command: [x]}]}}";
  const ManifestImport got(
      "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\nspec: {minAvailable: 3, queue: q, "
      "schedulerName: volcano, "
      "tasks: [{name: ps, replicas: 1, " +
      pod + "}, {name: w, replicas: 2, " + pod + "}]}\n");
  CHECK(got.has("gang = volcano"));
  CHECK(got.has("role ps"));
  CHECK(got.has("role w"));
  CHECK(got.has("queue = q"));
}

TEST_CASE("what cannot be imported is refused with a reason", "[manifest-import]") {
  CHECK(ManifestImport("apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {template: {spec: "
                       "{containers: [{name: a, image: \"a:1\"}]}}}\n")
            .refused("objects of this kind are not imported"));
  CHECK(ManifestImport(job(command, "      nodeSelector: {cloud.google.com/gke-tpu-topology: 2x2}\n")).refused("TPUs"));
  CHECK(ManifestImport("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n").objects == 0);
}

TEST_CASE("no field of an object is without a line", "[manifest-import]") {
  // A field that nobody knows, at each level.
  const ManifestImport got(
      job(std::string(command) + "          unknownA: 1\n", "      hostname: x\n", "  unknownB: {c: 2}\n"));
  for (const char* field : {"unknownA", "hostname", "unknownB"}) {
    CHECK(got.fate(field) != "no line");
  }
}

TEST_CASE("hostile objects end soon", "[manifest-import]") {
  std::string deep = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: ";
  for (int i = 0; i < 5000; ++i) deep += "{a: ";
  CHECK(ManifestImport(deep).objects == 0);
  std::string bomb = "x0: &x0 [a,a,a,a,a,a,a,a,a,a]\n";
  for (int i = 1; i < 9; ++i) {
    bomb += "x" + std::to_string(i) + ": &x" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) bomb += "*x" + std::to_string(i - 1) + ",";
    bomb += "]\n";
  }
  CHECK(ManifestImport(bomb + "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n").objects == 0);
  CHECK(ManifestImport(job(command, "", "  completions: 1000000\n  parallelism: 3\n  completionMode: Indexed\n"))
            .refused("not a number of pods"));
}

}  // namespace manifest_import_test
