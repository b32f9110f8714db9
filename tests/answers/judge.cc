#include "tests/answers/judge.h"

#include <algorithm>
#include <string_view>

#include "driver/choose.h"
#include "rules/profiles.h"
#include "tests/loss/compile.h"
#include "tests/loss/specs.h"

namespace muster::answers {
namespace {

using loss::Checked;
using loss::SiteText;

// Whether the target is one of the plane: a gang scheduler that only the target brings is none of the site's.
bool is_of_plane(const targets::Target& target, const model::Plane& plane) {
  const model::PodPlane* pods = plane.pods();
  if (pods == nullptr) return true;
  const auto lists = [&](std::string_view name) {
    return std::any_of(pods->operators.begin(), pods->operators.end(), [&](const auto& o) { return o.name == name; });
  };
  if (target.name == "kueue") return pods->gang == model::GangProvider::kueue;
  if (target.name != "volcano") return true;
  return pods->gang == model::GangProvider::volcano || lists("volcano") || pods->training_kind == "volcano";
}

class Judge {
 public:
  explicit Judge(const Options& options) : options_(options) {}

  Report run() {
    const std::vector<SiteText> shown = loss::shown_sites(options_.root);
    sites_ = loss::all_sites(options_.root);
    for (const char* folder : {"/examples/workloads", "/examples/public"})
      for (const std::string& file : loss::files_in(options_.root + folder))
        for (const SiteText& site : shown)
          if (!file.ends_with("/site.muster")) report_.examples += ask(site, loss::read_file(file), nullptr);
    property::Random random(options_.seed);
    for (std::size_t i = 0; report_.pairs < options_.pairs; ++i) {
      const std::string spec = loss::random_spec(random, i);
      const std::size_t site = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(sites_.size()) - 1));
      report_.pairs += ask(sites_[site], spec, &report_.written);
    }
    return std::move(report_);
  }

 private:
  // How many workloads were asked: none of a spec that contradicts itself or the site.
  std::size_t ask(const SiteText& site, const std::string& spec, std::size_t* written) {
    const Checked checked = loss::check_at(site, spec);
    if (!checked.ok()) return 0;
    const std::size_t asked = written == nullptr ? checked.module.workloads.size() : 1;
    for (std::size_t w = 0; w < asked; ++w) {
      const bool is_written = ask(checked, w, "at " + site.name + "\n" + spec);
      if (written != nullptr && is_written) ++*written;
    }
    return asked;
  }

  bool ask(const Checked& checked, std::size_t w, const std::string& where) {
    Diagnostics diagnostics;
    const driver::Chosen chosen =
        driver::choose(loss::request_for(checked, w, policy_, std::nullopt), {}, nullptr, diagnostics);
    if (chosen.written) {
      hold_answer(checked, w, chosen, where);
      if (!chosen.result.skipped.empty()) ++report_.passed_over;
    } else {
      look_for_takers(checked, w, where);
    }
    return chosen.written;
  }

  // What is named is written by that very target for a plane of that kind, and fits there.
  void hold_answer(const Checked& checked, std::size_t w, const driver::Chosen& chosen, const std::string& where) {
    const plan::Plan& plan = *chosen.result.plan;
    const targets::Target* target = targets::find_target(plan.decision.target);
    if (target == nullptr || plan.plane == nullptr || plan.decision.plane != plan.plane->name)
      return fault("the answer names no target, or another plane than the plan's", where);
    if (plan.decision.control_plane != plan.plane->traits().name)
      return fault("the answer says " + plan.decision.control_plane + ", the plane is " + plan.plane->name, where);
    for (const plan::Choice& c : plan.decision.choices)
      if (c.output == "control-plane" && c.value != plan.decision.control_plane)
        fault("row " + c.rule + " says " + c.value + " of an answer " + plan.decision.control_plane, where);
    if (plan::startable(plan.fit) == plan::Verdict::does_not_fit) fault("the answer does not fit", where);
    Diagnostics reports;
    const targets::Lowered again = targets::lower(*target, plan, {}, reports);
    if (reports.has_errors() || again.documents.empty())
      fault("target " + plan.decision.target + " refuses what the answer names", where);
    if (std::string_view(target->capabilities.plane_name()) != plan.plane->traits().control_plane)
      fault("target " + plan.decision.target + " is none of plane " + plan.plane->name, where);
    const loss::Attempt named = loss::compile_for(checked, w, *target, policy_);
    if (!named.placed()) fault("with --target " + plan.decision.target + " it does not start", where);
  }

  // Where nothing can be written, no target of a plane takes it by name either.
  void look_for_takers(const Checked& checked, std::size_t w, const std::string& where) {
    for (const targets::Target& target : targets::all_targets()) {
      const loss::Attempt attempt = loss::compile_for(checked, w, target, policy_);
      if (attempt.ok() && is_of_plane(target, *attempt.plan->plane))
        fault("nothing is written, but --target " + std::string(target.name) + " takes it", where);
    }
  }

  void fault(const std::string& what, const std::string& where) { report_.faults.push_back(what + " " + where); }

  const Options& options_;
  const model::Policy policy_ = rules::profile("default");
  std::vector<SiteText> sites_;
  Report report_;
};

}  // namespace

Report judge(const Options& options) { return Judge(options).run(); }

}  // namespace muster::answers
