// A file that muster emits, read as the file of someone else, fits where its spec fits and nowhere else: all examples,
// at all example sites, for all targets.
#include <algorithm>
#include <map>
#include <set>

#include "lint/fit_as_read.h"
#include "plan/place/place.h"
#include "plan/verdict.h"
#include "rules/profiles.h"
#include "targets/kubernetes/read/as_read.h"
#include "targets/slurm/read/as_read.h"
#include "tests/catch.h"
#include "tests/loss/compile.h"
#include "tests/places.h"

namespace existing_fit_test {

using namespace muster;
using plan::Verdict;

namespace {

// What was found for one target.
struct Tally {
  int same = 0, unknown = 0;
  std::map<std::string, int> open;  // why it is not known
};

// The verdict of all documents together on a fleet; nullopt: none of them runs anything.
std::optional<Verdict> verdict_of(const targets::Lowered& lowered, const plan::Plan& plan, const model::Fleet& fleet,
                                  std::string& why) {
  std::optional<Verdict> out;
  const auto add = [&](const targets::AsRead& read) {
    const plan::Fit fit = lint::fit_as_read(read, *plan.site, fleet);
    const Verdict one = plan::startable(fit);
    out = out ? plan::worse(*out, one) : one;
    for (const plan::Level* level : {&fit.capacity, &fit.policy})
      if (level->verdict != Verdict::fits) why += (level->certificate ? level->certificate->text : level->note) + "; ";
  };
  for (const targets::Document& document : lowered.documents) {
    Sources sources;
    const std::uint32_t file = sources.add(document.name, document.content);
    if (targets::slurm::is_batch_script(document.content)) {
      const auto script = targets::slurm::read_script(sources, file);
      const auto body = targets::slurm::read_body(sources, script);
      const auto meaning = targets::slurm::meaning_of(script, body, {plan.site, &fleet, std::nullopt});
      add(targets::slurm::as_read(script, body, meaning, {}, "job", *plan.site, &fleet));
    } else if (document.name.ends_with(".yaml")) {
      const auto manifest = targets::kubernetes::read_manifest(sources, file);
      for (const auto& object : targets::kubernetes::as_read(manifest, *plan.site, &fleet)) add(object.as_read);
    }
  }
  return out;
}

// The fleet with fewer nodes than the placement has; nullopt: it has several pools, of which a file names one, or the
// placement is of one node.
std::optional<model::Fleet> too_small(const plan::Plan& plan) {
  std::set<std::string> nodes;
  for (const plan::PlacedNode& placed : plan.fit.placements) nodes.insert(placed.node);
  if (plan.fleet->pools.size() != 1 || nodes.size() < 2) return std::nullopt;
  model::Fleet out = *plan.fleet;
  model::Pool& pool = out.pools.front();
  pool.node_count = static_cast<std::int64_t>(nodes.size()) - 1;
  if (!pool.node_names.empty()) {
    std::vector<std::string> names = pool.node_names.all();
    names.resize(nodes.size() - 1);
    pool.node_names = names;
  }
  pool.leaves.clear(), pool.spines.clear(), pool.blocks.clear(), pool.nvlink_domains.clear();
  pool.in_use.clear(), pool.drained.clear(), pool.spare.clear();
  return out;
}

Verdict verdict_of_spec(const loss::Checked& checked, std::size_t w, const model::Policy& policy,
                        const targets::Target& target, const model::Fleet& fleet) {
  plan::PlanRequest request = loss::request_for(checked, w, policy, target.capabilities.plane);
  request.fleet = &fleet;
  request.state = nullptr;
  Diagnostics ignored;
  const plan::PlanResult result = plan::make_plan(request, ignored);
  return result.plan ? plan::startable(result.plan->fit) : Verdict::does_not_fit;
}

}  // namespace

TEST_CASE("an emitted file fits as its spec does", "[fit][existing]") {
  const std::string root = tests::source_folder();
  const model::Policy policy = rules::profile("default");
  std::map<std::string, Tally> found;
  int misfits = 0;
  const auto one = [&](const loss::SiteText& site, const std::string& file) {
    const loss::Checked checked = loss::check_at(site, loss::read_file(file));
    if (!checked.ok()) return;
    for (std::size_t w = 0; w < checked.module.workloads.size(); ++w)
      for (const targets::Target& target : targets::all_targets()) {
        loss::Attempt attempt = loss::compile_for(checked, w, target, policy);
        if (!attempt.ok() || attempt.plan->fleet == nullptr || !attempt.plan->workload->targets.empty()) continue;
        std::string why;
        const auto read = verdict_of(attempt.lowered, *attempt.plan, *attempt.plan->fleet, why);
        if (!read) continue;
        INFO(file << " at " << site.name << " for " << target.name << ": " << why);
        Tally& tally = found[std::string(target.name)];
        if (*read == Verdict::unknown) {
          ++tally.unknown, ++tally.open[why];
        } else {
          ++tally.same;
          CHECK(*read == plan::startable(attempt.plan->fit));
        }
        const auto fleet = too_small(*attempt.plan);
        if (!fleet) continue;
        std::string why_small;
        const auto small = verdict_of(attempt.lowered, *attempt.plan, *fleet, why_small);
        INFO("on " << fleet->pools.front().node_count << " nodes: " << why_small);
        if (small == Verdict::unknown) continue;
        CHECK(small == verdict_of_spec(checked, w, policy, target, *fleet));
        misfits += small == Verdict::does_not_fit ? 1 : 0;
      }
  };
  const std::vector<loss::SiteText> sites = loss::shown_sites(root);
  for (const char* folder : {"/examples/workloads", "/examples/public"})
    for (const std::string& file : loss::files_in(root + folder))
      for (const loss::SiteText& site : sites)
        if (!file.ends_with("/site.muster")) one(site, file);
  for (const auto& [target, tally] : found) {
    std::string open;
    for (const auto& [why, count] : tally.open) open += "\n  " + std::to_string(count) + " × " + why;
    INFO(target << ": " << tally.same << " the same, " << tally.unknown << " not known" << open);
    CHECK(10 * tally.unknown <= tally.same);
  }
  for (const char* target : {"slurm", "kubernetes", "jobset", "pytorchjob", "volcano", "kuberay", "lws"})
    CHECK(found[target].same > 0);
  CHECK(misfits > 50);
}

}  // namespace existing_fit_test
