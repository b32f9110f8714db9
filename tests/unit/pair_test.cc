// A script and a manifest of the same job as one workload, and existing files as workloads for a site.
#include "driver/pair.h"

#include "driver/port_existing.h"
#include "tests/catch.h"
#include "tests/unit/import_scene.h"

namespace pair_test {

using namespace muster;

namespace {

struct Pairing {
  Sources sources;
  Diagnostics diagnostics;
  driver::Pair pair;
  std::string text;

  Pairing(const std::string& script, const std::string& manifest) {
    driver::Importer importer(sources, diagnostics, {});
    importer.read({"train.sbatch", true}, sources.add("train.sbatch", script));
    importer.read({"train.yaml", true}, sources.add("train.yaml", manifest));
    REQUIRE_FALSE(diagnostics.has_errors());
    pair = driver::pair_of(importer.files()[0], importer.files()[1], importer.site());
    pair.site.name = "site";
    text = tests::one_line(
        syntax::format({sema::to_syntax(pair.workload, diagnostics), sema::to_syntax(pair.site, diagnostics)}, {}));
  }

  bool has(std::string_view part) const { return text.find(part) != std::string::npos; }
  // "a | b" of a key that they say differently; "" where they say the same.
  std::string difference(std::string_view key) const {
    for (const driver::PairDifference& d : pair.differences)
      if (d.key == key) return d.script + " | " + d.manifest;
    return "";
  }
};

std::string script(const std::string& directives, const std::string& body) {
  return tests::with_directives("#SBATCH ", "--job-name=train\n--gpus-per-node=1\n--cpus-per-task=4\n" + directives,
                                body);
}

std::string job(const std::string& container, const std::string& labels = "{}") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, labels: " + labels +
         "}\nspec:\n  backoffLimit: 0\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
         "        - name: main\n          command: [python, a.py]\n"
         "          resources: {limits: {nvidia.com/gpu: 1, cpu: 4}}\n" +
         container;
}

constexpr const char* image = "          image: registry.example.org/llm:1\n";

}  // namespace

TEST_CASE("modules and an image are one software of two planes") {
  const Pairing both(script("", "module load cuda\npython a.py\n"), job(image));
  CHECK(both.has("software = cuda"));
  CHECK_FALSE(both.has("image = \"registry.example.org/llm:1\" nodes"));
  CHECK(both.has("software cuda { modules = [\"cuda\"] }"));
  CHECK(both.has("software cuda { image = \"registry.example.org/llm:1\" }"));
  // A script that loads nothing has an empty one, which loads nothing.
  const Pairing plain(script("", "python a.py\n"), job(image));
  CHECK(plain.has("software = train"));
  CHECK(plain.has("software train {}"));
}

TEST_CASE("queues are those of their planes, and secrets of one variable are one") {
  const Pairing both(script("--partition=gpu", "export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz012345\npython a.py\n"),
                     job(std::string(image) +
                             "          env: [{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}]\n",
                         "{kueue.x-k8s.io/queue-name: team}"));
  CHECK(both.has("queue = [gpu, team]"));
  CHECK(both.has("secret hf-token { env = \"HF_TOKEN\" }"));
  CHECK(both.has("name = \"hub\" key = \"token\" env = \"HF_TOKEN\""));
  CHECK(both.pair.workload.roles.front().secrets.size() == 1);
}

TEST_CASE("what the two say differently is listed, and the script's is kept") {
  const Pairing both(script("--time=60", "export A=1\nexport B=2\npython a.py --lr 1\n"),
                     job(std::string(image) + "          env: [{name: A, value: \"1\"}, {name: B, value: \"3\"}]\n"));
  CHECK(both.difference("env.A").empty());
  CHECK(both.difference("env.B") == "2 | 3");
  CHECK(both.difference("time-limit") == "1h | ");
  CHECK(both.difference("command") == "[\"python\", \"a.py\", \"--lr\", \"1\"] | [\"python\", \"a.py\"]");
  CHECK(both.difference("gpus").empty());
  CHECK(both.has("B = 2"));
  CHECK(both.difference("title").empty());
  CHECK(both.pair.workload.name == "train");
}

TEST_CASE("a value that looks like a secret is not in the list") {
  const Pairing both(script("", "python a.py --token hf_abcdefghijklmnopqrstuvwxyz012345\n"), job(image));
  CHECK(both.difference("command").find("hf_abcdef") == std::string::npos);
  CHECK_FALSE(both.difference("command").empty());
}

TEST_CASE("an existing file in the names of a site") {
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add(
      "train.sbatch", script("--partition=gpu\n--qos=high",
                             "module load cuda\nexport WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567\n"
                             "python a.py\n"));
  model::Site site;
  site.name = "lab";
  site.planes.emplace_back();
  site.planes.front().name = "slurm";
  site.planes.front().set_kind(model::PlaneKind::slurm);
  model::Queue queue;
  queue.name = "long", queue.plane_name = "gpu";
  site.queues.push_back(queue);
  model::SiteSecret secret;
  secret.name = "wandb", secret.env = model::unplaced(std::string("WANDB_API_KEY"));
  site.secrets.push_back(secret);
  const driver::Ported ported = driver::port({{file, lint::Input::script}}, site, "", {}, false, sources, diagnostics);
  REQUIRE(ported.files.size() == 1);
  const std::string text = tests::one_line(sources.text(ported.files[0].file));
  CHECK(text.find("queue = long") != std::string::npos);
  CHECK(text.find("secret wandb {") != std::string::npos);
  CHECK(text.find("software { modules = [\"cuda\"] }") != std::string::npos);
  REQUIRE(diagnostics.size() == 1);
  const Diagnostic warning = diagnostics.sorted()[0];
  CHECK(warning.code == Code::ported);
  CHECK(std::any_of(warning.notes.begin(), warning.notes.end(), [](const std::string& note) {
    return note.find("QOS") != std::string::npos &&
           note.find("queue `long` of site `lab` decides") != std::string::npos;
  }));
}

namespace {

// An object or a script for a site of one plane of pods: the file that it becomes, and the notes of the warning.
std::string ported_to_pods(const std::string& bytes, lint::Input kind, std::string_view target) {
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add(kind == lint::Input::script ? "a.sbatch" : "a.yaml", bytes);
  model::Site site;
  site.name = "pods";
  site.planes.emplace_back();
  site.planes.front().name = "pods";
  site.planes.front().set_kind(model::PlaneKind::kubernetes);
  const driver::Ported ported = driver::port({{file, kind}}, site, target, {}, false, sources, diagnostics);
  REQUIRE(ported.files.size() == 1);
  std::string out(sources.text(ported.files[0].file));
  for (const Diagnostic& d : diagnostics.sorted())
    for (const std::string& note : d.notes) out += note + "\n";
  return tests::one_line(out);
}

}  // namespace

TEST_CASE("what only the target of the original reads is named with another") {
  const std::string text = script("--hint=compute_bound", "python a.py\n");
  CHECK(ported_to_pods(text, lint::Input::script, "jobset").find("only target slurm has it") != std::string::npos);
  CHECK(ported_to_pods(text, lint::Input::script, "slurm").find("only target slurm") == std::string::npos);
}

TEST_CASE("an elastic job of another kind keeps the nodes that it starts with") {
  const std::string job =
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {nprocPerNode: \"2\", elasticPolicy: "
      "{minReplicas: 1, maxReplicas: 5}, pytorchReplicaSpecs: {Worker: {replicas: 3, restartPolicy: Never, template: "
      "{spec: {containers: [{name: pytorch, image: \"a:1\", command: [torchrun, a.py]}]}}}}}\n";
  const std::string other = ported_to_pods(job, lint::Input::manifest, "trainjob");
  CHECK(other.find("nodes = 3") != std::string::npos);
  CHECK(other.find("lost: spec.elasticPolicy") != std::string::npos);
  CHECK(other.find("only target pytorchjob has it") != std::string::npos);
  const std::string same = ported_to_pods(job, lint::Input::manifest, "pytorchjob");
  CHECK(same.find("nodes = 3") != std::string::npos);
  CHECK(same.find("maxReplicas: 5") != std::string::npos);
}

}  // namespace pair_test
