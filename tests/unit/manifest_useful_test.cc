// Findings that are right but no reason to change a file: lint has them in profile strict only, or not at all.
#include <string>

#include "lint/rule.h"
#include "tests/unit/linted.h"

namespace manifest_useful_test {

using namespace muster;
using tests::Linted;
using tests::TempFolder;
using tests::written;

namespace {

// The severities of a rule's findings, for profile default: "" where there are none, or strict alone has them.
std::string severities(Linted&& linted, std::string_view id) {
  std::string out;
  for (const lint::Result& r : linted.results())
    if (lint::about(r.finding).id == id && r.finding.verdict == lint::Verdict::wrong &&
        r.finding.since != lint::Profile::strict)
      out += (out.empty() ? "" : " ") + std::string(severity_name(r.finding.severity));
  return out;
}

std::string found(const std::string& text, std::string_view id, const std::string& name = "a.yaml") {
  const TempFolder folder;
  std::filesystem::create_directories((folder.path() / name).parent_path());
  return severities(Linted(written(folder, name, text)), id);
}

std::string pod(const std::string& container, const std::string& more = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: main\n" + container + more;
}

std::string gpus(const std::string& resource) { return "    resources: {limits: {" + resource + "}}\n"; }

std::string job(const std::string& container) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      restartPolicy: "
         "Never\n      containers:\n      - name: main\n" +
         container;
}

}  // namespace

TEST_CASE("the tag of an image matters where it computes or serves", "[lint][manifest]") {
  const std::string one = gpus("nvidia.com/gpu: 1");
  CHECK(found(pod("    image: pytorch/pytorch\n" + one), "K8S001") == "warning");
  CHECK(found(pod("    image: busybox\n    command: [sleep, '10']\n"), "K8S001") == "");
  for (const char* blank : {"your-registry/train:latest", "docker.io/your-name/train"})
    CHECK(found(pod("    image: " + std::string(blank) + "\n" + one), "K8S001") == "");
  CHECK(found(pod("    image: tailor-registry.io/train\n" + one), "K8S001") == "warning");
  CHECK(found(pod("    image: ubuntu\n    args: [sleep, infinity]\n" + one), "K8S001") == "");
  CHECK(found(pod("    image: vllm/vllm-openai:latest\n    command: [vllm, serve, a/b]\n"), "K8S001") == "warning");
  CHECK(found(pod("    image: ubuntu\n    command: [bash, -c, 'nvidia-smi; trap exit TERM; sleep infinity & wait']\n" +
                  one),
              "K8S001") == "");
  CHECK(found(pod("    image: ubuntu\n    command: [bash, -c, 'sleep 5; ./train']\n" + one), "K8S001") == "warning");
  CHECK(found("apiVersion: v1\nkind: PodTemplate\nmetadata: {name: a}\ntemplate:\n  spec:\n    containers:\n    - "
              "{name: a, "
              "image: perl, resources: {limits: {nvidia.com/gpu: 1}}}\n",
              "K8S001") == "");
  const std::string with_helper =
      pod("    image: a/train:1\n" + one, "  initContainers:\n  - {name: get, image: curl}\n");
  CHECK(found(with_helper, "K8S001") == "");
}

TEST_CASE("a small example on CPUs may have any image", "[lint][manifest]") {
  const auto ranks = [](const std::string& resources) {
    return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n  pytorchReplicaSpecs:\n    "
           "Worker:\n"
           "      replicas: 2\n      template:\n        spec:\n          containers:\n          - name: pytorch\n      "
           "      image: "
           "a/mnist\n            command: [torchrun, a.py]\n            resources: {limits: {" +
           resources + "}}\n";
  };
  CHECK(found(ranks("cpu: 1"), "K8S001") == "");
  CHECK(found(ranks("nvidia.com/gpu: 1"), "K8S001") == "warning");
}

TEST_CASE("the version of an image may be in its name", "[lint][manifest]") {
  const std::string one = gpus("nvidia.com/gpu: 1");
  CHECK(found(pod("    image: us-docker.pkg.dev/a/tgi-cu124.2-3.ubuntu2204.py311\n" + one), "K8S001") == "");
  CHECK(found(pod("    image: us-docker.pkg.dev/a/tgi-cu124.2-3:latest\n" + one), "K8S001") == "");
  CHECK(found(pod("    image: a/tgi2\n" + one), "K8S001") == "warning");
  CHECK(found(pod("    image: a/tgi2:latest\n" + one), "K8S001") == "warning");
}

TEST_CASE("an image with capital letters is left to fill in", "[lint][manifest]") {
  const std::string one = gpus("nvidia.com/gpu: 1");
  for (const char* image : {"IMG_PLACEHOLDER", "PLACEHOLDER_IMAGE", "IMAGE_NAME", "replaced-by-kustomize",
                            "123.dkr.ecr.us-east-1.amazonaws.com/IMAGE"})
    CHECK(found(pod("    image: " + std::string(image) + "\n" + one), "K8S001") == "");
  CHECK(found(pod("    image: REGION-docker.pkg.dev/PROJECT_ID/a/serve:latest\n" + one), "K8S001") == "warning");
}

TEST_CASE("a list of images that are allowed is no pod", "[lint][manifest]") {
  CHECK(found("apiVersion: auto.gke.io/v1\nkind: WorkloadAllowlist\nmetadata: {name: a}\nmatchingCriteria:\n"
              "  containers:\n  - name: a\n    image: a/train:latest\n    resources: {limits: {nvidia.com/gpu: 1}}\n",
              "K8S001") == "");
}

TEST_CASE("CPU and memory matter where pods share a node", "[lint][manifest]") {
  CHECK(found(pod("    image: a:1\n" + gpus("nvidia.com/gpu: 1")), "K8S005") == "warning");
  CHECK(found(pod("    image: a:1\n" + gpus("google.com/tpu: 4")), "K8S005") == "");
  CHECK(found(pod("    image: a/gpu-burn:1\n" + gpus("nvidia.com/gpu: 1")), "K8S005") == "");
  CHECK(
      found(
          "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: gpu-test\n    image: a:1\n" +
              gpus("nvidia.com/gpu: 1"),
          "K8S005") == "");
  CHECK(
      found("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - {name: smoke-test, image: b:1}\n"
            "  - name: main\n    image: a:1\n" +
                gpus("nvidia.com/gpu: 1"),
            "K8S005") == "warning");
  CHECK(found(pod("    image: a/gpu-stress-test:1\n" + gpus("nvidia.com/gpu: 1")), "K8S005") == "");
  CHECK(found(pod("    image: a/neuronburn:1\n    command: [torchrun, burn.py]\n" + gpus("aws.amazon.com/neuron: 1")),
              "K8S005") == "");
  CHECK(found(pod("    image: a:1\n    command: [nvidia-smi]\n" + gpus("nvidia.com/gpu: 1")), "K8S005") == "");
  CHECK(found(pod("    image: a:1\n    command: [bash, -c, 'nvidia-smi; python a.py --b c --d e --f g']\n" +
                  gpus("nvidia.com/gpu: 1")),
              "K8S005") == "warning");
}

TEST_CASE("a script that prints and sleeps is no work", "[lint][manifest]") {
  const std::string one = "        resources: {limits: {nvidia.com/gpu: 1}}\n";
  const auto script = [&](const std::string& text) {
    return job("        image: ubuntu\n        command: [bash, -c]\n        args: ['" + text + "']\n" + one);
  };
  for (const char* rule : {"K8S001", "K8S005", "K8S006"}) {
    CHECK(found(script("echo start; sleep 600; echo $X"), rule) == "");
    CHECK(found(script("while true; do sleep infinity; done;"), rule) == "");
    CHECK(found(script("while true; do ./train; done;"), rule) == "warning");
    CHECK(found(script("echo start; /opt/train; sleep 600"), rule) == "warning");
    CHECK(found(script("sleep 5 && python3 train.py"), rule) == "warning");
    CHECK(found(job("        image: ubuntu\n        args: [sleep, infinity]\n" + one), rule) == "");
  }
}

TEST_CASE("a volume that a comment names is left out on purpose", "[lint][manifest]") {
  const auto with = [](const std::string& comment) {
    return found(pod("    image: a:1\n",
                     "  volumes:\n" + comment + "  - {name: db-data, persistentVolumeClaim: {claimName: a}}\n"),
                 "K8S004");
  };
  CHECK(with("") == "warning");
  CHECK(with("  # - name: db-data\n") == "info");
  CHECK(with("  # the db-database is elsewhere\n") == "warning");
}

TEST_CASE("replicas of 0 switch an autoscaler off", "[lint][manifest]") {
  const auto scaled = [](const std::string& replicas) {
    return found("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: " + replicas +
                     "\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n"
                     "      containers: [{name: a, image: 'a:1'}]\n---\napiVersion: autoscaling/v2\n"
                     "kind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n  maxReplicas: 10\n"
                     "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}\n",
                 "SRV002");
  };
  CHECK(scaled("1") == "error");
  CHECK(scaled("0") == "");
}

TEST_CASE("what SOPS encrypted is no object of its own form", "[lint][manifest]") {
  const std::string secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: 'ENC[b]'}\nsops:\n";
  CHECK(found(secret + "  mac: ENC[AES256_GCM,data:a]\n", "K8S017") == "");
  CHECK(found(secret + "  max: 1\n", "K8S017") == "error");
}

TEST_CASE("a manifest with a name or a line to fill in is a form", "[lint][manifest]") {
  const std::string rest = "    image: b/a\n" + gpus("nvidia.com/gpu: 1");
  const auto named = [&](const std::string& name) {
    std::string text = pod(rest);
    return text.replace(text.find("name: a"), 7, "name: " + name);
  };
  CHECK(found(named("MODEL_NAME"), "K8S001") == "");
  const TempFolder folder;
  CHECK(Linted(written(folder, "a.yaml", named("MODEL_NAME"))).count("SLM022") == 1);
  CHECK(found(named("model-name"), "K8S001") == "warning");
  const std::string open = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {team: ${TEAM}, a: b}\n";
  CHECK(found(open, "E0901") == "");
  CHECK(found("#@ load(\"@ytt:md5\", \"md5\")\n" + pod(rest), "K8S001") == "");
  CHECK(found(pod(rest) + "# see `#@ load(`\n", "K8S001") == "warning");
  CHECK(found(pod(rest + "    workingDir: #{folder}#\n"), "K8S001") == "");  // Azure DevOps writes the value
  CHECK(found(pod(rest + "    workingDir: #{folder}\n"), "K8S001") == "warning");
  CHECK(found(pod(rest + "    workingDir: # {folder}#\n"), "K8S001") == "warning");
  CHECK(found(pod("    image: b/a:latest  # Replace with your image\n" + gpus("nvidia.com/gpu: 1")), "K8S001") == "");
  const std::string broken =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    a: b\n    <ANNOTATION>\nspec: {}\n";
  CHECK(found(broken, "E0901") == "");
  CHECK(Linted(written(folder, "b.yaml", broken)).count("SLM022") == 1);
}

TEST_CASE("an autoscaler may need the replicas of a kind that muster does not know", "[lint][manifest]") {
  const auto scaled = [](const std::string& kind, const std::string& spec) {
    return "apiVersion: a.example/v1\nkind: " + kind + "\nmetadata: {name: a}\nspec:\n  replicas: 5\n" + spec +
           "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n"
           "  maxReplicas: 10\n  scaleTargetRef: {apiVersion: a.example/v1, kind: " +
           kind + ", name: a}\n";
  };
  CHECK(found(scaled("Balancer", ""), "SRV002") == "");
  CHECK(found(scaled("Server", "  template:\n    spec:\n      containers: [{name: a, image: 'a:1'}]\n"), "SRV002") ==
        "error");
}

TEST_CASE("a benchmark needs no deadline", "[lint][manifest]") {
  const std::string eight = "        resources: {limits: {nvidia.com/gpu: 8}}\n";
  CHECK(found(job("        image: a/nccl-tests:1\n" + eight), "K8S006") == "");
  CHECK(found(job("        image: a:1\n        command: [mpirun, ./all_reduce_perf]\n" + eight), "K8S006") == "");
  CHECK(found(job("        image: a:1\n        command: [torchrun, a.py]\n" + eight), "K8S006") == "warning");
  CHECK(found(job("        image: a:1\n        command: [bash, -c, './all_reduce_perf && torchrun a.py']\n" + eight),
              "K8S006") == "warning");
}

TEST_CASE("a burn-in test shares no memory, a benchmark of collectives does", "[lint][manifest]") {
  CHECK(found(pod("    image: a/gpu-burn:1\n" + gpus("nvidia.com/gpu: 4")), "K8S003") == "");
  CHECK(found(pod("    image: a/nccl-tests:1\n" + gpus("nvidia.com/gpu: 4")), "K8S003") == "warning");
}

TEST_CASE("a notebook has one user, who waits", "[lint][manifest]") {
  const auto served = [](const std::string& image) {
    return "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {selector: {app: a}, ports: [{port: 80}]}\n---\n"
           "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {app: a}}\n"
           "  template:\n    metadata: {labels: {app: a}}\n    spec:\n      containers:\n      - name: main\n        "
           "image: " +
           image + "\n        resources: {limits: {nvidia.com/gpu: 1}}\n";
  };
  CHECK(found(served("tensorflow/tensorflow:2.13.0-gpu-jupyter"), "SRV001") == "");
  CHECK(found(served("tensorflow/serving:2.13.0-gpu"), "SRV001") == "warning");
}

TEST_CASE("privileges are needed for the devices of a node, and not with a device plugin", "[lint][manifest]") {
  const std::string volume = "  volumes:\n  - {name: ib, hostPath: {path: /dev/infiniband}}\n";
  const std::string container =
      "    image: a:1\n    securityContext: {privileged: true}\n    volumeMounts: [{name: ib, mountPath: "
      "/dev/infiniband}]\n";
  CHECK(found(pod(container + gpus("nvidia.com/gpu: 8"), volume), "SEC002") == "");
  CHECK(found(pod(container + gpus("nvidia.com/gpu: 8, nvidia.com/rdma-vf: 8"), volume), "SEC002") == "warning");
  const std::string locks =
      "    image: a:1\n    securityContext: {privileged: true, capabilities: {add: [IPC_LOCK]}}\n";
  CHECK(found(pod(locks + gpus("amd.com/gpu: 8"), "  hostNetwork: true\n"), "SEC002") == "");
  CHECK(found(pod(locks + gpus("amd.com/gpu: 8")), "SEC002") == "warning");
}

TEST_CASE("memory that is not mounted is not missed with the memory of the node", "[lint][manifest]") {
  const std::string volume = "  volumes:\n  - {name: shm, emptyDir: {medium: Memory}}\n";
  CHECK(found(pod("    image: a:1\n", volume), "K8S004") == "warning");
  CHECK(found(pod("    image: a:1\n", volume + "  hostIPC: true\n"), "K8S004") == "info");
}

TEST_CASE("a pod with a volume that nothing mounts starts, so no kind of volume is an error", "[lint][manifest]") {
  for (const std::string kind : {"emptyDir: {}", "emptyDir: {medium: Memory}", "persistentVolumeClaim: {claimName: a}",
                                 "secret: {secretName: a}", "configMap: {name: a}", "nfs: {server: a, path: /a}",
                                 "projected: {sources: []}", "downwardAPI: {items: []}", "image: {reference: 'a:1'}"}) {
    INFO(kind);
    CHECK(found(pod("    image: a:1\n", "  volumes:\n  - {name: v, " + kind + "}\n"), "K8S004") == "warning");
  }
}

TEST_CASE("values that are left to fill in have any shape", "[lint][manifest]") {
  const auto volume = [](const std::string& handle) {
    return "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\nspec:\n  csi: {driver: efs.csi.aws.com, "
           "volumeHandle: " +
           handle + "}\n";
  };
  CHECK(found(volume("[FileSystemId]"), "K8S018") == "");
  CHECK(found(volume("{}"), "K8S018") == "");
  CHECK(found(volume("[a, b]"), "K8S018") == "error");
  CHECK(found(volume("12"), "K8S018") == "error");
  CHECK(found(pod("    image: a:1\n" + gpus("FILLED_BY_VALIDATOR: 1")), "K8S024") == "");
  CHECK(found(pod("    image: a:1\n" + gpus("nvidia.com/gpus: 1")), "K8S024") == "error");
}

TEST_CASE("a definition for old clusters says so by its folder", "[lint][manifest]") {
  const std::string text =
      "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n";
  CHECK(found(text, "K8S019", "crd/v1beta1/a.yaml") == "");
  CHECK(found(text, "K8S019", "crd/bases/a.yaml") == "error");
  CHECK(found("apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\n", "K8S019", "crd/v1beta1/a.yaml") ==
        "error");
}

TEST_CASE("a file that is named after a version is for clusters of that time", "[lint][manifest]") {
  const std::string text = "apiVersion: extensions/v1beta1\nkind: DaemonSet\nmetadata: {name: a}\nspec: {}\n";
  CHECK(found(text, "K8S019", "static/extensions-v1beta1-plugin.yaml") == "");
  CHECK(found(text, "K8S019", "extensions-v1beta1/plugin.yaml") == "error");
  CHECK(found(text, "K8S019", "plugin-v1beta1.yaml") == "error");
  CHECK(found("apiVersion: v1\nkind: Deployment\nmetadata: {name: a}\n", "K8S019", "a-v1.yaml") == "error");
}

TEST_CASE("only a list is extended by its own name and other texts are filled in", "[lint][manifest]") {
  const auto variable = [](const std::string& name) {
    return pod("    image: a:1\n    env: [{name: " + name + ", value: '${" + name + "}:9004'}]\n");
  };
  CHECK(found(variable("LD_LIBRARY_PATH"), "K8S029") == "warning");
  CHECK(found(variable("no_proxy"), "K8S029") == "warning");
  CHECK(found(variable("SCHEDULER_ENDPOINT"), "K8S029") == "");
}

TEST_CASE("an autoscaler with a target alone is a stub for patches", "[lint][manifest]") {
  const auto scaler = [](const std::string& more) {
    return "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n  scaleTargetRef: "
           "{apiVersion: apps/v1, kind: Deployment, name: a}\n" +
           more;
  };
  CHECK(found(scaler(""), "SRV003") == "");
  CHECK(found(scaler("  minReplicas: 2\n"), "SRV003") == "warning");
  CHECK(found(scaler("  metrics: []\n"), "SRV003") == "warning");
}

TEST_CASE("a pod that is told its rank is one node of several objects", "[lint][manifest]") {
  const auto launch = [](const std::string& more) {
    return pod("    image: a:1\n    command: [torchrun, --nnodes=2, --nproc-per-node=8" + more + ", train.py]\n" +
               gpus("nvidia.com/gpu: 8"));
  };
  CHECK(found(launch(", --node-rank=0"), "PAR001") == "");
  CHECK(found(launch(", --node_rank=$(RANK)"), "PAR001") == "error");
  CHECK(found(launch(""), "PAR001") == "error");
}

TEST_CASE("a script of the image may share no memory", "[lint][manifest]") {
  const auto runs = [](const std::string& script) {
    return found(pod("    image: a:1\n    command: [bash, -c, '" + script + "']\n" + gpus("nvidia.com/gpu: 8")),
                 "K8S003");
  };
  CHECK(runs("source /root/run.sh") == "");
  CHECK(runs("cd a; python3 train.py") == "warning");
  CHECK(found(pod("    image: a:1\n" + gpus("nvidia.com/gpu: 8")), "K8S003") == "warning");
}

TEST_CASE("a server over several pods is not judged by the GPUs of one", "[lint][manifest]") {
  const auto server = [](const std::string& options) {
    return pod("    image: a:1\n    command: [vllm, serve, a, " + options + "]\n" + gpus("nvidia.com/gpu: 1"));
  };
  CHECK(found(server("--data-parallel-size, '2'"), "PAR004") == "error");
  CHECK(found(server("--data-parallel-size, '2', --data-parallel-rank, '0'"), "PAR004") == "");
  const std::string leader = "bash multi-node-serving.sh leader --ray_cluster_size=2; vllm serve a -tp 1 -pp 2";
  CHECK(found(pod("    image: a:1\n    command: [sh, -c, '" + leader + "']\n" + gpus("nvidia.com/gpu: 1")), "PAR004") ==
        "");
}

TEST_CASE("what is called a benchmark is a trial", "[lint][manifest]") {
  const std::string gpu = "        resources: {limits: {nvidia.com/gpu: 1}}\n";
  const auto runs = [&](const std::string& command) {
    return found(job("        image: a:1\n        command: [bash, -c, '" + command + "']\n" + gpu), "K8S006");
  };
  CHECK(runs("python src/run_benchmark.py --config=a") == "");
  CHECK(runs("cd mlperf; ./run_and_time.sh") == "");
  CHECK(runs("python train.py cudnn.benchmark=True") == "warning");
  CHECK(runs("torchrun train.py --benchmark") == "warning");
  const std::string volume = "  volumes:\n  - {name: shm, emptyDir: {medium: Memory}}\n";
  const auto memory = [&](const std::string& image) {
    return found(pod("    image: " + image +
                         "\n    volumeMounts: [{name: shm, mountPath: /dev/shm}]\n    resources: {requests: {memory: "
                         "1Gi}, limits: {nvidia.com/gpu: 8}}\n",
                     volume),
                 "K8S007");
  };
  CHECK(memory("a/nccl-tests:1") == "");
  CHECK(memory("a/train:1") == "warning");
}

TEST_CASE("a helper on the GPUs of its node needs privileges", "[lint][manifest]") {
  const std::string volume = "  volumes:\n  - {name: lib, hostPath: {path: /home/kubernetes/bin/nvidia}}\n";
  const std::string daemon =
      "    image: a:1\n    securityContext: {privileged: true}\n    volumeMounts: [{name: lib, mountPath: "
      "/usr/local/nvidia/lib64}]\n";
  const std::string work = "  - {name: b, image: 'b:1', resources: {limits: {nvidia.com/gpu: 8}}}\n";
  CHECK(found(pod(daemon, work + volume), "SEC002") == "");
  CHECK(found(pod(daemon + gpus("nvidia.com/gpu: 8"), volume), "SEC002") == "warning");
  CHECK(found(pod("    image: a:1\n    securityContext: {privileged: true}\n", work + volume), "SEC002") == "warning");
}

TEST_CASE("clients of MPS share memory with its server on the node", "[lint][manifest]") {
  CHECK(found(pod("    image: a:1\n" + gpus("nvidia.com/gpu-10gb: 1"), "  hostIPC: true\n"), "SEC002") == "");
  CHECK(found(pod("    image: a:1\n" + gpus("nvidia.com/gpu: 1"), "  hostIPC: true\n"), "SEC002") == "warning");
}

TEST_CASE("a version in capital letters is left to fill in", "[lint][manifest]") {
  CHECK(found("apiVersion: DAEMONSET_API\nkind: DaemonSet\nmetadata: {name: a}\n", "K8S019") == "");
}

TEST_CASE("a spread over a number of domains is wanted", "[lint][manifest]") {
  const auto ranks = [](const std::string& more) {
    return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  completionMode: Indexed\n  completions: 4\n "
           " "
           "parallelism: 4\n  template:\n    spec:\n      restartPolicy: Never\n      topologySpreadConstraints:\n     "
           " - "
           "{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
           "{matchLabels: {a: b}}" +
           more +
           "}\n      containers:\n      - {name: a, image: 'a:1', command: [torchrun, --nnodes=4, a.py], resources: "
           "{limits: {nvidia.com/gpu: 8}}}\n";
  };
  CHECK(found(ranks(""), "SCH008") == "warning");
  CHECK(found(ranks(", minDomains: 2"), "SCH008") == "");
}

TEST_CASE("what greets on a GPU is a trial of its queue", "[lint][manifest]") {
  const std::string gpu = gpus("nvidia.com/gpu: 1");
  const std::string echo = "    image: busybox\n    command: [echo]\n    args: [hello]\n" + gpu;
  const std::string hello = "    image: a/helloworld-go\n" + gpu;
  for (const std::string& container : {echo, hello}) {
    CHECK(found(pod(container), "K8S001") == "");
    CHECK(found(pod(container), "K8S005") == "");
  }
  const std::string train = "    image: busybox\n    command: [sh, -c, 'echo a; python train.py']\n" + gpu;
  CHECK(found(pod(train), "K8S001") == "warning");
  CHECK(found(pod(train), "K8S005") == "warning");
  const auto knative = [](const std::string& image) {
    return "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n    "
           " "
           " containers:\n      - image: " +
           image + "\n        resources: {limits: {nvidia.com/gpu: 1}}\n";
  };
  CHECK(found(knative("a/helloworld-go:1"), "SRV003") == "");
  CHECK(found(knative("a/server:1"), "SRV003") == "warning");
}

TEST_CASE("a gang does not wait for tasks that wait for it", "[lint][manifest]") {
  const auto text = [](const std::string& least, const std::string& after) {
    const std::string spec =
        "    template:\n      spec:\n        containers:\n        - {name: a, image: 'a:1', command: "
        "[mpirun, a]}\n";
    return "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\nspec:\n  minAvailable: " + least +
           "\n  schedulerName: volcano\n  plugins: {mpi: []}\n  tasks:\n  - replicas: 1\n    name: head\n" + after +
           spec + "  - replicas: 4\n    name: worker\n" + spec;
  };
  const std::string after = "    dependsOn: {name: [worker]}\n";
  CHECK(found(text("4", ""), "SCH002") == "error");
  CHECK(found(text("4", after), "SCH002") == "");
  CHECK(found(text("3", after), "SCH002") == "error");
}

TEST_CASE("a kind is named as not checked only where it may start programs", "[lint][manifest]") {
  CHECK(found("apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: a}\nspec: {secretName: a}\n",
              "K8S016") == "");
  CHECK(found("apiVersion: kubeai.org/v1\nkind: Model\nmetadata: {name: a}\nspec: {url: 'hf://a/b', resourceProfile: "
              "'nvidia-gpu-l4:1'}\n",
              "K8S016") == "info");
  CHECK(found("apiVersion: kaito.sh/v1beta1\nkind: Workspace\nmetadata: {name: a}\nresource: {instanceType: a}\n",
              "K8S016") == "info");
}

TEST_CASE("KubeRay mounts memory also for a kind that holds a Ray cluster", "[lint][manifest]") {
  CHECK(
      found(
          "apiVersion: orchestration.aibrix.ai/v1alpha1\nkind: RayClusterFleet\nmetadata: {name: a}\nspec:\n"
          "  template:\n    spec:\n      headGroupSpec:\n        template:\n          spec:\n            containers:\n"
          "            - {name: head, image: 'a:1', resources: {limits: {nvidia.com/gpu: 2}}}\n",
          "K8S003") == "");
}

TEST_CASE("a name in braces is left to fill in, and is no broken YAML", "[lint][manifest]") {
  const TempFolder folder;
  Linted linted(written(folder, "a.yaml", pod("    image: {username}/server:latest\n")));
  CHECK(linted.usable());
  CHECK(linted.count("SLM022") == 1);
  Linted terraform(written(folder, "c.yaml", pod("    image: a:1\n%{ if debug }\n    tty: true\n%{ endif }\n")));
  CHECK(terraform.usable());
  CHECK(terraform.count("SLM022") == 1);
  Linted broken(written(folder, "b.yaml", pod("    image: {a: b\n")));
  CHECK_FALSE(broken.usable());
}

TEST_CASE("published keys and patterns are no secrets", "[lint][manifest]") {
  const auto variable = [](const std::string& name, const std::string& value) {
    return pod("    image: a:1\n    env:\n    - name: " + name + "\n      value: '" + value + "'\n");
  };
  const std::string key = "tq/K1SZFPTOtr/KBHBeksoGMGw==";
  CHECK(
      found(variable(
                "AZURE_STORAGE_CONNECTION_STRING",
                "AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6" +
                    key),
            "SEC001") == "");
  CHECK(found(variable("AZURE_STORAGE_CONNECTION_STRING",
                       "AccountName=abc;AccountKey=Qby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6" + key),
              "SEC001") == "error");
  CHECK(found(variable("AWS_SECRET_ACCESS_KEY", "minioadmin"), "SEC001") == "");
  CHECK(found(variable("DB_PASSWORD", "sunflower"), "SEC001") == "warning");
  CHECK(found(variable("DATABASE_URL", "postgres://ada:engine@db/a"), "SEC001") == "warning");
  CHECK(found(variable("DATABASE_URL", "postgres://airflow:airflow@db/a"), "SEC001") == "");
  CHECK(found(variable("POSTGRES_PASSWORD", "postgres"), "SEC001") == "info");
  // What anybody would try first gives nothing away.
  CHECK(found(variable("DB_PASSWORD", "minioadmin"), "SEC001") == "info");
  CHECK(found(variable("DB_PASSWORD", "immich'\n    - name: DB_USER\n      value: 'immich"), "SEC001") == "info");
  CHECK(found(variable("PATTERN", "-----BEGIN (?:[A-Z ]+)?PRIVATE KEY-----"), "SEC001") == "");
  CHECK(found(variable("KEY", "-----BEGIN RSA PRIVATE KEY-----"), "SEC001") == "error");
  CHECK(found(variable("API_KEY", "sk-kFJ12nKsFakefVmGpj3QzX65s4RbN2xJqWzPYCjYu7wT3BFake"), "SEC001") == "");
}

}  // namespace manifest_useful_test
