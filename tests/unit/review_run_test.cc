// Whole reviews of two folders: what is not known stays unknown, what kustomizations make is counted, each workload is
// counted once, and whose site judges.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "driver/review_run.h"
#include "lint/select.h"
#include "review/total.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace review_run_test {

using namespace muster;
using review::Kept;
namespace fs = std::filesystem;

namespace {

class Trees {
 public:
  // A file of both sides, or of one where the other text is empty.
  Trees& put(const std::string& path, const std::string& base, const std::string& head) {
    for (const auto& [side, text] : {std::pair("base", &base), std::pair("head", &head)}) {
      fs::create_directories(folder_.path() / side);
      if (text->empty()) continue;
      const fs::path file = folder_.path() / side / path;
      fs::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << *text;
    }
    return *this;
  }
  Trees& put(const std::string& path, const std::string& both) { return put(path, both, both); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  review::Review review(std::vector<std::string> sites = {}, bool policy_from = false, bool whole = false) const {
    driver::ReviewQuestion question;
    question.base = path("base"), question.head = path("head");
    for (std::string& site : sites) question.judges.sites.push_back(path(site));
    if (policy_from) question.judges.policy_from = path("base");
    question.settings.as_of = "2026-01-01";
    std::string unknown;
    question.settings.selection = lint::select_rules({}, {}, false, unknown);
    question.whole = whole;
    driver::ReviewRun run(question);
    auto out = run.run();
    for (const driver::Reported& reported : run.reported())
      for (const Diagnostic& d : reported.found) UNSCOPED_INFO(d.message);
    REQUIRE(out);
    return std::move(*out);
  }

 private:
  tests::TempFolder folder_;
};

Kept kept(const review::Review& review, const std::string& budget) {
  return review::check(*review::limit_of(budget), review::total_of_change(review));
}

std::optional<std::int64_t> gpus_added(const review::Review& review) {
  return review::total_of_change(review).gpus.value;
}

std::string container(int gpus, const std::string& image = "a/b:1") {
  return "{containers: [{name: c, image: \"" + image +
         "\", resources: {limits: {nvidia.com/gpu: " + std::to_string(gpus) + "}}}]}";
}

std::string object(const std::string& api, const std::string& kind, const std::string& spec) {
  return "apiVersion: " + api + "\nkind: " + kind + "\nmetadata: {name: t}\nspec: " + spec + "\n";
}

// Objects whose number of pods something else decides, by a number of their own and an image.
std::vector<std::function<std::string(int, const std::string&)>> open_objects() {
  return {
      [](int n, const std::string& image) {
        return object("ray.io/v1", "RayCluster",
                      "{enableInTreeAutoscaling: true, headGroupSpec: {template: {spec: " + container(0, image) +
                          "}}, workerGroupSpecs: [{groupName: w, replicas: 1, minReplicas: 1, maxReplicas: " +
                          std::to_string(n) + ", template: {spec: " + container(8, image) + "}}]}");
      },
      [](int n, const std::string& image) {
        return object("apps/v1", "Deployment",
                      "{selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: " +
                          container(4, image) + "}}") +
               "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: t}\nspec: "
               "{scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: t}, minReplicas: 1, maxReplicas: " +
               std::to_string(n) + "}\n";
      },
      [](int n, const std::string& image) {
        return object("apps/v1", "DaemonSet",
                      "{selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: " +
                          container(n, image) + "}}");
      },
  };
}

const std::string slurm_site =
    "fleet f {\n pool a { nodes = 8  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  memory = 1TB }\n"
    "  cost-per-gpu-hour = 2 }\n}\nsite s {\n fleet = f\n plane batch { kind = slurm }\n"
    " queue main { name = \"gpu\"  default = true  max-time = 24h }\n tenant lab { accounts = [\"lab\"]  quota a { "
    "gpus = 64 } }\n}\n";

const std::string pods_site =
    "fleet g {\n pool p { nodes = 8  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  memory = 1TB }\n"
    "  cost-per-gpu-hour = 3 }\n}\nsite k {\n fleet = g\n plane main { kind = kubernetes  gang = kueue  namespace = "
    "\"ml\" }\n"
    " queue main { name = \"main\"  default = true  max-nodes = 2 }\n tenant ml { namespace = \"ml\"  quota p { gpus = "
    "16 } }\n}\n";

const std::string script = "#!/bin/bash\n#SBATCH --partition=gpu --time=1:00:00 --gpus-per-node=8 --nodes=";

}  // namespace

TEST_CASE("review: an amount that is not known on either side is not zero", "[review][unknown]") {
  std::size_t shown = 0;
  for (const auto& write : open_objects())
    for (const int from : {1, 2, 3, 5})
      for (const int to : {4, 6, 7, 8}) {
        Trees trees;
        trees.put("a.yaml", write(from, "a/b:1"), write(to, "a/b:1"));
        const review::Review changed = trees.review();
        INFO(write(to, "a/b:1"));
        const bool unknown = kept(changed, "gpus>100000") == Kept::unknown;
        const bool counted = gpus_added(changed).value_or(0) != 0;
        CHECK((unknown || counted));
        CHECK(review::total_text(changed) != "+0 GPU-hours");
        ++shown;
      }
  CHECK(shown == open_objects().size() * 16);
  // What cannot change an amount does not make it unknown.
  for (const auto& write : open_objects()) {
    Trees trees;
    trees.put("a.yaml", write(4, "a/b:1"), write(4, "a/b:2"));
    INFO(write(4, "a/b:2"));
    CHECK(kept(trees.review(), "gpus>0") == Kept::kept);
  }
}

TEST_CASE("review: an overlay counts as its objects with its patches", "[review][overlay]") {
  const std::string job =
      "{parallelism: 2, completions: 2, activeDeadlineSeconds: 3600, template: {spec: " + container(8) + "}}";
  const std::string deployment =
      "{replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: " + container(8) +
      "}}";
  struct Kind {
    std::string api, kind, spec, key;
  };
  const std::vector<Kind> kinds = {{"batch/v1", "Job", job, "parallelism"},
                                   {"apps/v1", "Deployment", deployment, "replicas"},
                                   {"apps/v1", "StatefulSet", deployment, "replicas"}};
  const auto count = [](const Kind& kind, int n) {
    std::string out = kind.key + ": " + std::to_string(n);
    return kind.kind == "Job" ? out + ", completions: " + std::to_string(n) : out;
  };
  const auto operations = [](const Kind& kind, int n, const std::string& indent) {
    std::string out;
    for (const std::string& key : kind.kind == "Job" ? std::vector<std::string>{"parallelism", "completions"}
                                                     : std::vector<std::string>{"replicas"})
      out += indent + "- {op: replace, path: /spec/" + key + ", value: " + std::to_string(n) + "}\n";
    return out;
  };
  std::size_t shown = 0;
  for (const Kind& kind : kinds)
    for (const int to : {1, 2, 3, 8})
      for (const int form : {0, 1, 2, 3}) {
        if (form == 3 && kind.kind == "Job") continue;  // `replicas` is for what has that key
        const auto overlay = [&](int n, Trees& trees, const std::string& side) {
          const std::string patch = object(kind.api, kind.kind, "{" + count(kind, n) + "}");
          std::string text = "resources: [../base]\n";
          if (form == 0) text += "patches:\n  - path: p.yaml\n";
          if (form == 1) text += "patches:\n  - target: {kind: " + kind.kind + "}\n    path: p.yaml\n";
          if (form == 2)
            text += "patches:\n  - target: {kind: " + kind.kind + "}\n    patch: |-\n" + operations(kind, n, "      ");
          if (form == 3) text += "replicas: [{name: t, count: " + std::to_string(n) + "}]\n";
          const std::string file = form == 0 ? patch : form == 1 ? operations(kind, n, "") : "";
          const auto only = [&](const std::string& what, const std::string& where) {
            return side == where ? what : "";
          };
          trees.put("over/kustomization.yaml", only(text, "base"), only(text, "head"));
          if (!file.empty()) trees.put("over/p.yaml", only(file, "base"), only(file, "head"));
        };
        Trees trees;
        trees.put("base/kustomization.yaml", "resources: [t.yaml]\n");
        trees.put("base/t.yaml", object(kind.api, kind.kind, kind.spec));
        overlay(4, trees, "base"), overlay(to, trees, "head");
        INFO(kind.kind << " form " << form << " to " << to);
        CHECK(gpus_added(trees.review()) == 8 * (to - 4));
        ++shown;
      }
  CHECK(shown == 44);
}

TEST_CASE("review: a patch that cannot be merged makes the amount unknown", "[review][overlay]") {
  Trees trees;
  const auto patch = [](int n) { return object("batch/v1", "Job", "{parallelism: " + std::to_string(n) + "}"); };
  trees.put("over/kustomization.yaml", "resources: [https://example.com/base]\npatches:\n  - path: p.yaml\n");
  trees.put("over/p.yaml", patch(2), patch(8));
  CHECK(kept(trees.review(), "gpus>100000") == Kept::unknown);
}

TEST_CASE("review: with several sites each workload counts once", "[review][sites]") {
  const std::string manifest =
      object("batch/v1", "Job",
             "{parallelism: 1, completions: 1, activeDeadlineSeconds: 3600, template: {spec: " + container(8) + "}}");
  const std::string spec =
      "workload w {\n kind = train\n nodes = 1\n gpu = H100:8\n time-limit = 1h\n image = \"x:1\"\n command = "
      "[\"t\"]\n}\n";
  Trees trees;
  trees.put("s.muster", slurm_site).put("k.muster", pods_site);
  trees.put("jobs/a.sbatch", "", script + "1\nsrun t\n")
      .put("jobs/m.yaml", "", manifest)
      .put("jobs/w.muster", "", spec);
  for (const auto& sites :
       {std::vector<std::string>{"base/s.muster", "base/k.muster"}, {"base/k.muster", "base/s.muster"}}) {
    const review::Review review = trees.review(sites, false, true);
    CHECK(gpus_added(review) == 24);
    CHECK(review::total_of_change(review).gpu_seconds.value == 24 * 3600);
    CHECK(review.whole->gpus.value == 24);
    // A file is judged at the sites whose plane it is for.
    for (const review::Item& item : review.items) {
      INFO(item.id << " at " << item.site);
      CHECK_FALSE((item.id.ends_with(".sbatch") && item.site == "k"));
      CHECK_FALSE((item.id.find("Job/t") != std::string::npos && item.site == "s"));
    }
    // The sites have other prices for the spec.
    CHECK(kept(review, "cost>1000") == Kept::unknown);
  }
}

TEST_CASE("review: a script whose site has planes of pods on one side alone is the same script", "[review][sites]") {
  const std::string pods = "site lab {\n  plane k { kind = kubernetes  version = \"1.34\" }\n}\n";
  const auto script = [](const char* time) { return "#!/bin/bash\n#SBATCH --time=" + std::string(time) + "\n./a\n"; };
  const auto status = [&](const std::string& base_site, const std::string& head_site) {
    Trees trees;
    trees.put("a.sbatch", script("1:00:00"), script("2:00:00")).put("site.muster", base_site, head_site);
    const review::Review review = trees.review();
    REQUIRE(review.items.size() == 1);
    return review.items[0].status;
  };
  CHECK(status(pods, "") == review::Status::changed);
  CHECK(status("", pods) == review::Status::changed);
}

TEST_CASE("review: a manifest without a queue label is under no queue and no quota", "[review][queue]") {
  const auto deployment = [](const std::string& labels) {
    return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: t, namespace: ml" + labels +
           "}\nspec: {replicas: 4, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: " +
           container(8) + "}}\n";
  };
  Trees trees;
  trees.put("k.muster", pods_site).put("a.yaml", "", deployment(""));
  const review::Review free = trees.review({"base/k.muster"});
  CHECK(free.blocked == 0);
  Trees queued;
  queued.put("k.muster", pods_site).put("a.yaml", "", deployment(", labels: {kueue.x-k8s.io/queue-name: main}"));
  CHECK(queued.review({"base/k.muster"}).blocked == 1);
}

TEST_CASE("review: with --policy-from the base's site judges, and each changed key is listed", "[review][policy]") {
  struct Key {
    std::string before, after, name, old_value, new_value;
  };
  const std::vector<Key> keys = {
      {"cost-per-gpu-hour = 2", "cost-per-gpu-hour = 0.01", "pool.a.cost-per-gpu-hour", "2", "0.01"},
      {"max-time = 24h", "max-time = 240h", "queue.main.max-time", "1d", "10d"},
      {"quota a { gpus = 64 }", "quota a { gpus = 6400 }", "tenant.lab.quota.a.gpus", "64", "6400"},
      {"nodes = 8", "nodes = 800", "pool.a.nodes", "8", "800"},
      {"default = true", "default = true  max-jobs = 9000", "queue.main.max-jobs", "", "9000"},
  };
  for (const Key& key : keys) {
    std::string changed = slurm_site;
    changed.replace(changed.find(key.before), key.before.size(), key.after);
    Trees trees;
    trees.put("s.muster", slurm_site, changed);
    trees.put("big.sbatch", "", script + "1\nsrun t\n").put("same.sbatch", script + "2\nsrun t\n");
    INFO(key.name);
    const review::Review review = trees.review({}, true);
    REQUIRE(review.policies.size() == 1);
    const auto& site = review.policies[0].site;
    const auto found =
        std::find_if(site.begin(), site.end(), [&](const auto& one) { return one.key.name == key.name; });
    REQUIRE(found != site.end());
    CHECK(found->key.before.value_or("") == key.old_value);
    CHECK(found->key.after.value_or("") == key.new_value);
    CHECK(site.size() == 1);
    if (!key.name.starts_with("tenant"))  // the script names no account
      CHECK(std::find(found->touches.begin(), found->touches.end(), "same.sbatch") != found->touches.end());
    // Money, limits and machines are those of the base: 8 GPUs for an hour at 2.
    CHECK(review::total_of_change(review).micros.value == 16'000'000);
    // Without it each side is judged by its own site.
    const review::Review own = trees.review();
    CHECK(own.policies.at(0).site.size() == 1);
  }
}

}  // namespace review_run_test
