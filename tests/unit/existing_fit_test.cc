// Job scripts and manifests as what they ask of a site: sizes, nodes, queues, and what of it cannot be told.
#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "driver/existing_files.h"
#include "lint/fit_as_read.h"
#include "tests/catch.h"

namespace existing_fit_test_unit {

using namespace muster;
using plan::Verdict;

namespace {

constexpr std::string_view lab = R"(
fleet lab {
  pool h100 {
    nodes = "n[01-64]"
    gpu   { model = h100  memory = 80GB  count = 8 }
    node  { cpus = 112  memory = 2000GiB }
  }
  pool l40s {
    nodes = "l[01-04]"
    gpu   { model = l40s  memory = 48GB  count = 4 }
    node  { cpus = 64  memory = 500GiB }
    taint dedicated { effect = NoSchedule }
  }
}
site lab {
  fleet = lab
  plane batch {
    kind    = slurm
    version = "23.11"
    queue gpu { pools = ["h100"]  max-time = 24h  max-nodes = 32  default = true }
    queue viz { pools = ["l40s"]  tolerates = ["dedicated"] }
  }
  plane pods {
    kind      = kubernetes
    gang      = volcano
    namespace = "ml"
    queue train { default = true }
  }
}
)";

struct Site {
  Sources sources;
  Diagnostics diagnostics;
  model::Module module;

  explicit Site(std::string_view text = lab) {
    sources.add("lab.muster", std::string(text));
    auto tree = syntax::parse(sources, 1, diagnostics);
    for (const Diagnostic& d : diagnostics.sorted()) UNSCOPED_INFO(d.message);
    REQUIRE(tree);
    module = sema::check({std::move(*tree)}, sources, {}, diagnostics);
    for (const Diagnostic& d : diagnostics.sorted()) UNSCOPED_INFO(d.message);
    REQUIRE(!diagnostics.has_errors());
  }
  const model::Site& site() const { return module.sites.at(0); }
  const model::Fleet& fleet() const { return module.fleets.at(0); }

  std::vector<targets::AsRead> read(const std::string& name, const std::string& text) {
    auto file = driver::existing_file(name, text);
    REQUIRE(file);
    file->file = sources.add(name, text);
    return driver::read_existing(*file, sources, "", site(), &fleet(), {}, diagnostics);
  }
  plan::Fit fit(const std::string& name, const std::string& text) {
    const auto read = this->read(name, text);
    REQUIRE(read.size() == 1);
    return lint::fit_as_read(read[0], site(), fleet());
  }
};

std::string script(const std::string& options) {
  std::string out = "#!/bin/bash\n";
  for (std::size_t at = 0; at < options.size();) {
    const std::size_t end = std::min(options.find(' ', at), options.size());
    out += "#SBATCH " + options.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out + "srun python train.py\n";
}

Verdict fits(const std::string& options) { return plan::startable(Site().fit("job.sbatch", script(options))); }

std::string why(const plan::Fit& fit) {
  for (const plan::Level* level : {&fit.policy, &fit.capacity})
    if (level->verdict != Verdict::fits) return level->certificate ? level->certificate->text : level->note;
  return "";
}

std::string job(std::int64_t pods, std::int64_t gpus, const std::string& more = "") {
  return "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: pretrain}\nspec:\n  minAvailable: " +
         std::to_string(pods) + "\n  queue: train\n  tasks:\n  - name: worker\n    replicas: " + std::to_string(pods) +
         "\n    template:\n      spec:\n" + more +
         "        containers:\n        - name: main\n          image: a\n          resources: {limits: "
         "{nvidia.com/gpu: " +
         std::to_string(gpus) + ", cpu: 8, memory: 64Gi}}\n";
}

Verdict fits_pods(const std::string& manifest) { return plan::startable(Site().fit("job.yaml", manifest)); }

}  // namespace

TEST_CASE("a script fits the nodes of its partition", "[fit][existing]") {
  CHECK(fits("--nodes=32 --gpus-per-node=8") == Verdict::fits);
  CHECK(fits("--nodes=33 --gpus-per-node=8") == Verdict::does_not_fit);  // max-nodes
  CHECK(fits("--nodes=1 --gpus-per-node=9") == Verdict::does_not_fit);
  CHECK(fits("--nodes=1 --gpus-per-node=h100:8") == Verdict::fits);
  CHECK(fits("--partition=viz --nodes=4 --gres=gpu:4") == Verdict::fits);
  CHECK(fits("--partition=viz --nodes=5 --gres=gpu:4") == Verdict::does_not_fit);
  CHECK(fits("--partition=viz --gres=gpu:h100:1") == Verdict::does_not_fit);
  CHECK(fits("--partition=vis") == Verdict::does_not_fit);
  CHECK(fits("--time=24:00:00") == Verdict::fits);
  CHECK(fits("--time=24:01:00") == Verdict::does_not_fit);
}

TEST_CASE("Slurm takes as many nodes as the tasks and GPUs of a script need", "[fit][existing]") {
  CHECK(fits("--ntasks=3584 --cpus-per-task=1") == Verdict::fits);  // 32 nodes of 112
  CHECK(fits("--ntasks=3585 --cpus-per-task=1") == Verdict::does_not_fit);
  CHECK(fits("--ntasks=1 --cpus-per-task=112") == Verdict::fits);
  CHECK(fits("--ntasks=1 --cpus-per-task=113") == Verdict::does_not_fit);
  CHECK(fits("--nodes=1 --mem=2000G") == Verdict::fits);
  CHECK(fits("--nodes=1 --mem=2001G") == Verdict::does_not_fit);
  CHECK(fits("--nodes=1 --ntasks=100 --mem-per-cpu=20G") == Verdict::fits);
  CHECK(fits("--nodes=1 --ntasks=101 --mem-per-cpu=20G") == Verdict::does_not_fit);
  const plan::Fit fit = Site().fit("job.sbatch", script("--ntasks=16 --gpus-per-task=1 --cpus-per-task=4"));
  CHECK(fit.verdict == Verdict::fits);
  CHECK(fit.placements.size() == 2);
}

TEST_CASE("what neither script nor site says leaves the fit unknown", "[fit][existing]") {
  CHECK(fits("--nodes=1 --constraint=skylake") == Verdict::unknown);
  CHECK(fits("--nodes=99 --constraint=skylake") == Verdict::does_not_fit);
  CHECK(fits("--nodes={{nodes}}") == Verdict::unknown);
  CHECK(why(Site().fit("job.sbatch", script("--constraint=skylake"))).find("skylake") != std::string::npos);
}

TEST_CASE("each node of a script by its name", "[fit][existing]") {
  CHECK(fits("--nodelist=n[01-02] --nodes=2") == Verdict::fits);
  CHECK(fits("--nodelist=n[98-99] --nodes=2") == Verdict::does_not_fit);
  CHECK(fits("--nodes=32 --exclude=n[01-32]") == Verdict::fits);
  CHECK(fits("--nodes=32 --exclude=n[01-33]") == Verdict::does_not_fit);
}

TEST_CASE("an array fits where one of its tasks does", "[fit][existing]") {
  const plan::Fit fit = Site().fit("job.sbatch", script("--array=0-999 --nodes=1 --gpus-per-node=8"));
  CHECK(plan::startable(fit) == Verdict::fits);
  CHECK(fit.at_once.in_all == 1000);
  CHECK(fit.at_once.room == 64);
}

TEST_CASE("a gang of pods fits as a whole", "[fit][existing]") {
  CHECK(fits_pods(job(64, 8)) == Verdict::fits);
  CHECK(fits_pods(job(65, 8)) == Verdict::does_not_fit);
  CHECK(fits_pods(job(512, 1)) == Verdict::fits);
  CHECK(fits_pods(job(800, 8)) == Verdict::does_not_fit);
  const std::string text = why(Site().fit("job.yaml", job(800, 8)));
  CHECK(text.find("800") != std::string::npos);
}

TEST_CASE("a gang may start with its minimum", "[fit][existing]") {
  std::string text = job(800, 8);
  text.replace(text.find("minAvailable: 800"), 17, "minAvailable: 60");
  CHECK(fits_pods(text) == Verdict::fits);
}

TEST_CASE("selectors and taints of pods choose the pools", "[fit][existing]") {
  const std::string l40s = "        nodeSelector: {nvidia.com/gpu.product: NVIDIA-L40S}\n";
  const std::string tolerates = "        tolerations: [{key: dedicated, operator: Exists}]\n";
  CHECK(fits_pods(job(4, 4, l40s)) == Verdict::does_not_fit);
  CHECK(fits_pods(job(4, 4, l40s + tolerates)) == Verdict::fits);
  CHECK(fits_pods(job(5, 4, l40s + tolerates)) == Verdict::does_not_fit);
  CHECK(fits_pods(job(1, 8, "        nodeSelector: {rack: a}\n")) == Verdict::unknown);
  CHECK(fits_pods(job(65, 8, "        nodeSelector: {rack: a}\n")) == Verdict::does_not_fit);
  CHECK(fits_pods(job(64, 8, "        nodeSelector: {kubernetes.io/arch: arm64}\n")) == Verdict::does_not_fit);
}

TEST_CASE("pods that are kept apart take a node each", "[fit][existing]") {
  CHECK(fits_pods(job(64, 1, "        hostNetwork: true\n")) == Verdict::fits);
  CHECK(fits_pods(job(65, 1, "        hostNetwork: true\n")) == Verdict::does_not_fit);
}

TEST_CASE("pods that start one by one need room for one", "[fit][existing]") {
  const std::string batch =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: eval}\nspec:\n  completions: 4000\n  parallelism: 4000\n"
      "  template:\n    spec:\n      containers:\n      - name: main\n        image: a\n        command: [python, "
      "a.py]\n"
      "        resources: {limits: {nvidia.com/gpu: 1}}\n";
  const plan::Fit fit = Site().fit("job.yaml", batch);
  CHECK(plan::startable(fit) == Verdict::fits);
  CHECK(fit.at_once.in_all == 4000);
}

TEST_CASE("a queue that the site does not have takes no object", "[fit][existing]") {
  std::string text = job(1, 1);
  text.replace(text.find("queue: train"), 12, "queue: trian");
  CHECK(fits_pods(text) == Verdict::does_not_fit);
  CHECK(why(Site().fit("job.yaml", text)).find("`train`") != std::string::npos);
}

TEST_CASE("muster files are told from existing ones", "[existing]") {
  CHECK_FALSE(driver::existing_file("a.muster", "#SBATCH --nodes=1\n"));
  CHECK_FALSE(driver::existing_file("-", "workload a { script = <<<bash\n#SBATCH x\n>>> }\n"));
  const auto kind = [](const std::string& name, const std::string& text) {
    const auto file = driver::existing_file(name, text);
    REQUIRE(file);
    return file->kind;
  };
  CHECK(kind("-", "#!/bin/bash\n#SBATCH --nodes=1\n") == lint::Input::script);
  CHECK(kind("a.yaml", "apiVersion: v1\nkind: Pod\n") == lint::Input::manifest);
  CHECK(kind("a.pbs", "#!/bin/bash\n#PBS -l select=1\npython a.py\n") == lint::Input::script);
  CHECK(driver::existing_file("a.lsf", "#!/bin/bash\n#BSUB -n 1\npython a.py\n")->by_import);
  CHECK_FALSE(driver::existing_file("a.sh", "#!/bin/bash\n#SBATCH -n 1\npython a.py\n")->by_import);
  CHECK_FALSE(driver::existing_file("a.muster.yaml", "apiVersion: v1\nkind: Pod\n"));
}

// 240 scripts and manifests of all shapes, each asked alone and after all others.
TEST_CASE("a file gets the answer that it gets alone, whatever was asked of the fleet before", "[fit][existing]") {
  Site lab;
  plan::FleetState state(&lab.fleet());
  std::vector<targets::AsRead> all;
  const auto add = [&](const std::string& name, const std::string& text) {
    for (targets::AsRead& read : lab.read(name, text)) all.push_back(std::move(read));
  };
  for (int i = 0; i < 120; ++i) {
    const std::string n = std::to_string(i), nodes = std::to_string(1 + i % 37), gpus = std::to_string(i % 10);
    const std::string more = i % 5 == 0   ? " --nodelist=n[01-40]"
                             : i % 5 == 1 ? " --exclude=n07"
                             : i % 5 == 2 ? " --partition=viz"
                             : i % 5 == 3 ? " --cpus-per-task=" + std::to_string(1 + i)
                                          : "";
    add(n + ".sbatch", script("--nodes=" + nodes + " --gpus-per-node=" + gpus + more));
    add(n + ".yaml", job(1 + i % 70, i % 10));
  }
  REQUIRE(all.size() == 240);
  int fit = 0, other = 0;
  for (int round = 0; round < 2; ++round)
    for (const targets::AsRead& read : all) {
      const plan::Fit alone = lint::fit_as_read(read, lab.site(), lab.fleet());
      const plan::Fit after = lint::fit_as_read(read, lab.site(), lab.fleet(), &state);
      INFO(read.workload.name << ": " << why(alone) << " / " << why(after));
      CHECK(alone.verdict == after.verdict);
      CHECK(why(alone) == why(after));
      const auto names = [](const plan::Fit& of) {
        std::string out;
        for (const plan::PlacedNode& node : of.placements) out += node.node + " ";
        return out;
      };
      CHECK(names(alone) == names(after));
      CHECK(alone.leaf_switches == after.leaf_switches);
      ++(alone.verdict == Verdict::fits ? fit : other);
    }
  CHECK(fit > 100);
  CHECK(other > 100);
}

}  // namespace existing_fit_test_unit
