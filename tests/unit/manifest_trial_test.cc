// Findings that lint leaves out or weakens: of trials, of what was built where it runs, and of files that are kept
// only.
#include <string>

#include "driver/lint_settings.h"
#include "lint/rule.h"
#include "tests/unit/linted.h"

namespace manifest_trial_test {

using namespace muster;
using tests::Linted;
using tests::TempFolder;
using tests::written;

namespace {

// The severities of a rule's findings in profile default, or "".
std::string found(const std::string& text, std::string_view id) {
  const TempFolder folder;
  std::string out;
  Linted linted(written(folder, "a.yaml", text));
  for (const lint::Result& r : linted.results())
    if (lint::about(r.finding).id == id && r.finding.verdict == lint::Verdict::wrong &&
        r.finding.since != lint::Profile::strict)
      out += (out.empty() ? "" : " ") + std::string(severity_name(r.finding.severity));
  return out;
}

std::string pod(const std::string& image, const std::string& more = "", const std::string& gpu = "nvidia.com/gpu") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: main\n    image: " + image +
         "\n    resources: {limits: {" + gpu + ": 1}}\n" + more;
}

std::string variable(const std::string& name, const std::string& value, const std::string& above = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: main\n    image: a:1\n    "
         "env:\n" +
         above + "    - name: " + name + "\n      value: " + value + "\n";
}

}  // namespace

TEST_CASE("an image that only starts a shell does no work", "[lint][manifest]") {
  CHECK(found(pod("nvidia/cuda:12.0-runtime"), "K8S005") == "");
  CHECK(found(pod("pytorch/pytorch:latest"), "K8S001") == "");
  CHECK(found(pod("pytorch/pytorch:latest", "    command: [python, a.py]\n"), "K8S001") == "warning");
  CHECK(found(pod("nvidia/cuda:12.0-runtime", "    command: [python, a.py]\n"), "K8S005") == "warning");
  CHECK(found(pod("nvidia/cuda-serve:1"), "K8S005") == "warning");
}

TEST_CASE("a program that is called a smoke test is one", "[lint][manifest]") {
  CHECK(found(pod("a/b:1", "    command: [python, tests/gpu_smoke_test.py]\n"), "K8S005") == "");
  CHECK(found(pod("a/b:1", "    command: [python, tests/train.py]\n"), "K8S005") == "warning");
}

TEST_CASE("one process on all GPUs needs no shared memory", "[lint][manifest]") {
  const auto four = [](const std::string& image) {
    return found("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: main\n    image: " +
                     image + "\n    command: [python, a.py]\n    resources: {limits: {nvidia.com/gpu: 4}}\n",
                 "K8S003");
  };
  CHECK(four("ollama/ollama:0.9") == "");
  CHECK(four("ghcr.io/ggml-org/llama.cpp:server-cuda") == "");
  CHECK(four("a/vllm:1") == "warning");
}

TEST_CASE("what is saved in the container and then taken away is not lost", "[lint][manifest]") {
  const auto saves = [](const std::string& behind, const std::string& before = "") {
    return found(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      "
        "restartPolicy: Never\n      containers:\n      - name: main\n        image: a:1\n        resources: "
        "{limits: {nvidia.com/gpu: 1}}\n        command: [bash, -c, \"" +
            before + "python a.py --output-dir /output" + behind + "\"]\n",
        "CKP002");
  };
  CHECK(saves("") == "warning");
  CHECK(saves(" && aws s3 sync /output/ s3://b/c") == "");
  CHECK(saves("; gsutil -m cp -r /output gs://b") == "");
  CHECK(saves(" && aws s3 sync /data s3://b/c") == "warning");
  CHECK(saves(" && ls /output") == "warning");
  CHECK(saves("", "aws s3 sync s3://b/c /data && ") == "warning");  // what the program reads
  CHECK(saves(" && aws s3 sync /output s3://b", "aws s3 sync s3://b/c /data && ") == "");
}

TEST_CASE("Gaudi's maker asks for hostIPC", "[lint][manifest]") {
  CHECK(found(pod("a/b:1", "  hostIPC: true\n", "habana.ai/gaudi"), "SEC002") == "");
  CHECK(found(pod("a/b:1", "  hostIPC: true\n"), "SEC002") == "warning");
}

TEST_CASE("an option whose value says the option's name again", "[lint][manifest]") {
  const auto argument = [](const std::string& text) {
    return found(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: main\n    image: "
        "a:1\n    args: [\"" +
            text + "\"]\n",
        "SEC001");
  };
  CHECK(argument("--cookie-secret=my-cookie-secret-of-16-bytes") == "info");
  CHECK(argument("--cookie-secret=9f1c3a77d2be4410a6c59d0e") == "error");
}

TEST_CASE("values that say that there is no secret, or that it is none", "[lint][manifest]") {
  CHECK(found(variable("LLM_API_KEY", "not-needed"), "SEC001") == "");
  CHECK(found(variable("LLM_API_KEY", "no-key-required"), "SEC001") == "");
  CHECK(found(variable("LLM_API_KEY", "nordic-key7"), "SEC001") == "warning");
  CHECK(found(variable("LLM_API_KEY", "ollama-no-key-needed"), "SEC001") == "");
  CHECK(found(variable("LLM_API_KEY", "volcano-nokey-needed"), "SEC001") == "warning");
  CHECK(found(variable("LLM_API_KEY", "my-api-key-12345"), "SEC001") == "info");
  CHECK(found(variable("SECRET_KEY", "chatbot-k8s-demo"), "SEC001") == "info");
  CHECK(found(variable("SECRET_KEY", "review_portal_secret_key_2025"), "SEC001") == "info");
  CHECK(found(variable("SECRET_KEY", "review_portal_signing_2025"), "SEC001") == "error");
  CHECK(found(variable("PGPASSWORD", "mlflow_pwd"), "SEC001") == "info");
  CHECK(found(variable("LLM_API_KEY", "sunny-api-key-73915"), "SEC001") == "error");
  CHECK(found(variable("AUTH_TOKEN", "weaviate-cluster-k8s"), "SEC001") == "warning");
  CHECK(found(variable("AUTH_TOKEN", "weaviate-cluster-k8s-7"), "SEC001") == "error");
  CHECK(found(variable("PGPASSWORD", "keycloak_pass"), "SEC001") == "info");
  CHECK(found(variable("API_KEY", "qdrant_key"), "SEC001") == "");
  CHECK(found(variable("API_KEY", "qdrant_keys"), "SEC001") == "warning");
  CHECK(found(variable("TS_KUBE_SECRET", "tailscale"), "SEC001") == "");
  CHECK(found(variable("TS_KUBE_SECRET", "9f1c3a77d2be4410a6c59d0e"), "SEC001") == "error");
  CHECK(found(variable("TS_SECRET", "tailscale"), "SEC001") == "warning");
  CHECK(found(variable("DB_PASSWORD", "darwin2025  # Change in production!"), "SEC001") == "");
  CHECK(found(variable("DB_PASSWORD", "darwin2025  # of the database"), "SEC001") == "warning");
  CHECK(found(variable("DB_PASSWORD", "darwin2025  # For production, use a Secret"), "SEC001") == "");
  CHECK(found(variable("DB_PASSWORD", "darwin2025  # for production"), "SEC001") == "warning");
}

TEST_CASE("a password that says the user or the server again is a guess away", "[lint][manifest]") {
  const std::string server = "    - name: BASE_URL\n      value: http://ollama.ai.svc:11434/v1\n";
  CHECK(found(variable("OPENAI_API_KEY", "ollama", server), "SEC001") == "info");
  CHECK(found(variable("OPENAI_API_KEY", "ollamas", server), "SEC001") == "warning");
  CHECK(found(variable("OPENAI_API_KEY", "token123"), "SEC001") == "info");
  CHECK(found(variable("OPENAI_API_KEY", "token12345x"), "SEC001") == "info");  // 1234
  CHECK(found(variable("OPENAI_API_KEY", "tokyo529"), "SEC001") == "warning");
  const std::string user = "    - name: DB_USER\n      value: shortener\n";
  CHECK(found(variable("DB_PASSWORD", "shortener123", user), "SEC001") == "info");
  CHECK(found(variable("DB_PASSWORD", "shortener99713", user), "SEC001") == "error");
  CHECK(found(variable("DB_PASSWORD", "short_ener", "    - name: DB_USER\n      value: short_ener\n"), "SEC001") ==
        "info");
  CHECK(found(variable("DB_PASSWORD", "short_ener", user), "SEC001") == "warning");
  const auto url = [](const std::string& password) {
    return found(variable("DATABASE_URL", "postgresql://shortener:" + password + "@db:5432/links"), "SEC001");
  };
  CHECK(url("shortener123") == "info");
  CHECK(url("shortener99713") == "error");
  CHECK(url("harbour") == "warning");
  // A generated password stays one where another variable has it, too.
  const std::string key = "58f31d3d5ebc4e337f484213633e1153";
  const std::string again = "    - name: DATABASE_URL\n      value: postgres://u:" + key + "@db/u\n";
  CHECK(found(variable("POSTGRES_PASSWORD", key, again), "SEC001") == "error error");
  CHECK(found(variable("POSTGRES_PASSWORD", key + "f", "    - name: A\n      value: " + key + "f\n"), "SEC001") ==
        "error");
}

TEST_CASE("an autoscaler reads the average of a metric of pods, whatever the type of the target", "[lint][manifest]") {
  const auto target = [](const std::string& text) {
    return found(
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n"
        "  maxReplicas: 4\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}\n  metrics:\n"
        "  - type: Pods\n    pods: {metric: {name: queue}, target: {" +
            text + "}}\n",
        "SRV007");
  };
  CHECK(target("type: Value, averageValue: 2") == "");
  CHECK(target("type: Value, value: 2") == "error");
  CHECK(target("type: Utilization, averageUtilization: 80") == "error");
}

TEST_CASE("a comment may say that a key is public", "[lint][manifest]") {
  const std::string key = "AK4NQQZV0NKFEJWJUZVPX5XQ0QNTXCGW";
  const std::string other = "    - name: AWS_REGION\n      value: a\n";
  const std::string comment = "    # They are in the manual of the benchmark. They are not secret.\n";
  CHECK(found(variable("AWS_SECRET_ACCESS_KEY", key), "SEC001") == "error");
  CHECK(found(variable("AWS_SECRET_ACCESS_KEY", key, comment + other), "SEC001") == "info");
  CHECK(found(variable("AWS_SECRET_ACCESS_KEY", key, comment + other + other + other), "SEC001") == "error");
}

TEST_CASE("what is no manifest yet, or no manifest", "[lint][manifest]") {
  CHECK(found("apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - port: (dashboard_port)\n",
              "K8S018") == "");
  CHECK(found("apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - port: dashboard_port\n",
              "K8S018") == "error");
  const auto zones = [](const std::string& line) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  tolerations:\n" + line + "\n  containers: []\n";
  };
  const TempFolder folder;
  CHECK(Linted(written(folder, "a.yaml", zones("${ZONES}"))).count("SLM022") == 1);
  CHECK(Linted(written(folder, "b.yaml", zones("ZONES"))).count("SLM022") == 0);
  const std::string object = "Content-Type: application/nodeadm.k8s.io\n\napiVersion: v1\nkind: NodeConfig\n";
  CHECK_FALSE(targets::kubernetes::is_manifest("MIME-Version: 1.0\n\n" + object));
  CHECK(targets::kubernetes::is_manifest(object));
}

TEST_CASE("names between signs that YAML does not allow are to be filled in", "[lint][manifest]") {
  const auto with = [](const std::string& name) {
    const TempFolder folder;
    const std::string text = "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: " + name + "\n";
    return Linted(written(folder, "a.yaml", text)).count("E0901");
  };
  CHECK(with("%USERNAME%") == 0);
  CHECK(with("@USER_NAME@") == 0);
  CHECK(with("%username%") == 1);
  CHECK(with("%USERNAME") == 1);
  CHECK(with("%%") == 1);
}

TEST_CASE("a volume that variables read already is not missing", "[lint][manifest]") {
  const auto with = [](const std::string& volume, const std::string& env) {
    return found(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: main\n    image: a:1\n" + env +
            "  volumes:\n  - name: keys\n    " + volume + "\n",
        "K8S004");
  };
  const std::string env = "    env:\n    - {name: A, valueFrom: {secretKeyRef: {name: keys, key: a}}}\n";
  CHECK(with("secret: {secretName: keys}", env) == "info");
  CHECK(with("secret: {secretName: others}", env) == "warning");
  CHECK(with("configMap: {name: keys}", env) == "warning");
  CHECK(with("configMap: {name: keys}", "    envFrom: [{configMapRef: {name: keys}}]\n") == "info");
  CHECK(with("persistentVolumeClaim: {claimName: keys}", env) == "warning");
}

TEST_CASE("a comment above may say that an image is meant to change", "[lint][manifest]") {
  const auto with = [](const std::string& comment) {
    return found("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: main\n    " +
                     comment + "\n    image: vllm/vllm-openai:latest\n    command: [vllm, serve, m]\n",
                 "K8S001");
  };
  CHECK(with("# Pin a tag in production. `:latest` is fine for a demo.") == "");
  CHECK(with("# The server.") == "warning");
}

TEST_CASE("a benchmark of collectives may take the newest image", "[lint][manifest]") {
  const auto launched = [](const std::string& program) {
    const std::string gpus = "resources: {limits: {nvidia.com/gpu: 8}}";
    return found(
        "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: a}\nspec:\n  mpiReplicaSpecs:\n"
        "    Launcher:\n      template: {spec: {containers: [{name: a, image: 'a/b:latest', command: [mpirun, " +
            program +
            "]}]}}\n    Worker:\n      replicas: 2\n      template: {spec: {containers: [{name: a, image: "
            "'a/b:1', command: [sleep, infinity], " +
            gpus + "}]}}\n",
        "K8S001");
  };
  CHECK(launched("/opt/nccl-tests/build/all_reduce_perf") == "");
  CHECK(launched("python, a.py") == "warning");
}

TEST_CASE("an API of KubeRay had other fields in older releases", "[lint][manifest]") {
  const TempFolder folder;
  const auto cluster = [](const std::string& version, const std::string& field) {
    return "apiVersion: ray.io/" + version + "\nkind: RayCluster\nmetadata: {name: a}\nspec:\n  headGroupSpec:\n    " +
           field + ": 1\n    rayStartParams: {}\n    template: {spec: {containers: [{name: a, image: 'a:1'}]}}\n";
  };
  CHECK(found(cluster("v1alpha1", "replicas"), "K8S017") == "");
  CHECK(found(cluster("v1", "replicas"), "K8S017") == "error");
  CHECK(found(cluster("v1alpha1", "replica"), "K8S017") == "error");
  const auto linted = [&](const std::string& operators) {
    written(folder, "site.muster",
            "site s {\n  plane pods { kind = kubernetes  version = \"1.31\"" + operators + " }\n}\n");
    driver::LintSettings settings = tests::all_rules_on(written(folder, "a.yaml", cluster("v1alpha1", "replicas")));
    settings.site_file = (folder.path() / "site.muster").string();
    return Linted(settings);
  };
  CHECK(linted("").count("K8S017") == 1);  // it cannot tell
  CHECK(linted("  operator kuberay { version = \"0.6\" }").count("K8S017") == 0);
  CHECK(linted("  operator kuberay { version = \"0.6\" }").count("K8S008") == 0);
  CHECK(linted("  operator kuberay { version = \"1.4\" }").count("K8S017") == 0);
  CHECK(linted("  operator kuberay { version = \"1.4\" }").count("K8S008") == 1);
}

TEST_CASE("a file whose head says that it is deprecated is kept, not applied", "[lint][manifest]") {
  const TempFolder folder;
  const std::string text = pod("a/b:latest", "    command: [vllm, serve, m]\n");
  const auto in_folder = [&](const std::string& head, std::string_view id) {
    written(folder, "a.yaml", head + text);
    return Linted(folder.path()).count(id);
  };
  CHECK(in_folder("# Old monolith\n# ====\n# DEPRECATED: use b.yaml\n---\n", "K8S001") == 1);  // less strict
  CHECK(in_folder("# Old monolith\n# ====\n# DEPRECATED: use b.yaml\n---\n", "SLM022") == 1);
  CHECK(in_folder("# A server\n", "K8S001") == 1);
  CHECK(in_folder("# the old API is DEPRECATED\n", "K8S001") == 1);
  CHECK(in_folder("kind: Pod\n# DEPRECATED\n---\n", "K8S001") == 1);
  // Whoever names it asks about it.
  CHECK(Linted(written(folder, "a.yaml", "# DEPRECATED\n" + text)).count("K8S001") == 1);
}

}  // namespace manifest_trial_test
