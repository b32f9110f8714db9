// What muster counts of a spec is what its readers count of the file that it emits: all examples, at all example sites,
// for all targets.
#include <algorithm>
#include <map>

#include "review/describe.h"
#include "review/total.h"
#include "rules/profiles.h"
#include "targets/slurm/read/script.h"
#include "tests/catch.h"
#include "tests/loss/compile.h"
#include "tests/places.h"

namespace counts_test {

using namespace muster;

namespace {

using Number = std::optional<std::int64_t>;

Number plus(Number a, Number b) { return a && b ? Number(*a + *b) : std::nullopt; }

struct Counts {
  Number gpus, gpu_seconds;  // at once; nullopt: a file leaves it to others
  bool any = false;
};

void add(const review::Workload& w, Counts& out) {
  if (!w.runs) return;
  const Number gpus = review::gpus_at_once(w), seconds = w.resources.gpus == 0 ? Number(0) : w.cost.gpu_seconds;
  out.gpus = out.any ? plus(out.gpus, gpus) : gpus;
  out.gpu_seconds = out.any ? plus(out.gpu_seconds, seconds) : seconds;
  out.any = true;
}

Counts counts_of(const targets::Lowered& lowered, const plan::Plan& plan) {
  Counts out;
  for (const targets::Document& document : lowered.documents) {
    Sources sources;
    const std::uint32_t file = sources.add(document.name, document.content);
    if (targets::slurm::is_batch_script(document.content)) {
      add(review::read_script(sources, file, plan.site, plan.fleet), out);
    } else if (document.name.ends_with(".yaml")) {
      Diagnostics ignored;
      for (const review::Workload& w : review::read_manifests(sources, file, plan.site, plan.fleet, ignored)
                                           .value_or(std::vector<review::Workload>()))
        add(w, out);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a spec counts as much as the file that is emitted for it", "[review][demand]") {
  const std::string root = tests::source_folder();
  const model::Policy policy = rules::profile("default");
  std::map<std::string, int> compared;
  int hours = 0;
  const auto one = [&](const loss::SiteText& site, const std::string& file) {
    const loss::Checked checked = loss::check_at(site, loss::read_file(file));
    if (!checked.ok()) return;
    for (std::size_t w = 0; w < checked.module.workloads.size(); ++w)
      for (const targets::Target& target : targets::all_targets()) {
        loss::Attempt attempt = loss::compile_for(checked, w, target, policy);
        if (!attempt.ok()) continue;
        plan::PlanResult result;
        result.plan = *attempt.plan;
        const review::Workload spec = review::describe(*attempt.plan->workload, result, checked.sources);
        if (!attempt.plan->workload->targets.empty()) continue;  // options of its own change amounts
        Counts own;
        add(spec, own);
        const Counts emitted = counts_of(attempt.lowered, *attempt.plan);
        INFO(file << " at " << site.name << " for " << target.name);
        if (own.gpus && emitted.gpus) {
          CHECK(*own.gpus == *emitted.gpus);
          ++compared[std::string(target.name)];
        }
        // Without a limit of its own the time is the queue's, which the file may leave to the system.
        if (attempt.plan->workload->time_limit && own.gpu_seconds && emitted.gpu_seconds) {
          CHECK(*own.gpu_seconds == *emitted.gpu_seconds);
          ++hours;
        }
      }
  };
  const std::vector<loss::SiteText> sites = loss::shown_sites(root);
  for (const char* folder : {"/examples/workloads", "/examples/public"})
    for (const std::string& file : loss::files_in(root + folder))
      for (const loss::SiteText& site : sites)
        if (!file.ends_with("/site.muster")) one(site, file);
  for (const char* target : {"slurm", "kubernetes", "jobset", "pytorchjob", "volcano", "kuberay", "lws"})
    CHECK(compared[target] > 0);
  CHECK(hours > 20);
}

}  // namespace counts_test
