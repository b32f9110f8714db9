// muster fit: whether the gangs fit the declared fleet, with a placement or the reason in numbers.
#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/emit.h"
#include "cli/output.h"
#include "cli/planning.h"

namespace muster::cli {
namespace {

struct FitOptions {
  CommonOptions common;
  std::string workload;
  std::string format = "text";
};

constexpr const char* level_names[3] = {"capacity", "policy", "now"};

plan::Verdict worse(plan::Verdict a, plan::Verdict b) {
  if (a == plan::Verdict::does_not_fit || b == plan::Verdict::does_not_fit) return plan::Verdict::does_not_fit;
  return a == plan::Verdict::unknown || b == plan::Verdict::unknown ? plan::Verdict::unknown : plan::Verdict::fits;
}

// The answer of a workload that no pool takes: the same certificate at the levels that ask the fleet.
plan::Fit refused(const plan::Certificate& certificate) {
  plan::Fit out;
  out.verdict = plan::Verdict::does_not_fit;
  out.capacity = out.now = {plan::Verdict::does_not_fit, certificate, {}};
  out.policy.verdict = plan::Verdict::fits;
  return out;
}

class Fitter {
 public:
  explicit Fitter(const FitOptions& options) : options_(options), session_(options.common) {}

  int run() {
    if (!session_.load()) return session_.finish();
    const auto setting = make_setting(session_);
    if (!setting) return session_.finish();
    policy_ = setting->policy;
    if (setting->fleet == nullptr) return no_fleet(*setting->site);
    for (const model::Workload* w : session_.workloads(options_.workload)) {
      const plan::PlanResult result = plan::make_plan(request_for(w, session_, *setting), session_.diagnostics());
      if (result.plan) add(result.plan->fit, *w);
      else if (result.no_pool) add(refused(*result.no_pool), *w);
      else unusable_ = true;
    }
    if (unusable_ || workloads_.empty()) return session_.finish();
    write_stdout(options_.format == "json" ? json() : text_, session_.diagnostics());
    return session_.finish(verdict_ == plan::Verdict::fits ? 0 : 1);
  }

 private:
  int no_fleet(const model::Site& site) {
    session_.diagnostics()
        .add(Code::nothing_to_do, site.span, "site `" + site.name + "` declares no fleet, so nothing can be proven")
        .notes.push_back("give a site with `--site FILE` whose `fleet` is declared");
    return session_.finish();
  }

  void add(const plan::Fit& fit, const model::Workload& workload) {
    verdict_ = worse(verdict_, fit.verdict);
    const plan::Level* levels[3] = {&fit.capacity, &fit.policy, &fit.now};
    for (int i = 0; i < 3; ++i) levels_[i] = worse(levels_[i], levels[i]->verdict);
    text_ += fit_text(fit, workload);
    workloads_.push_back(to_json(fit, workload));
  }

  std::string json() const {
    Json levels = Json::object();
    for (int i = 0; i < 3; ++i) levels[level_names[i]] = plan::name(levels_[i]);
    Json out = {{"verdict", plan::name(verdict_)}, {"levels", levels}, {"workloads", workloads_}};
    out.update(policy_json(policy_));
    return print(out);
  }

  const FitOptions& options_;
  Session session_;
  model::Policy policy_;
  plan::Verdict verdict_ = plan::Verdict::fits;
  plan::Verdict levels_[3] = {plan::Verdict::fits, plan::Verdict::fits, plan::Verdict::fits};
  std::string text_;
  Json workloads_ = Json::array();
  bool unusable_ = false;
};

}  // namespace

int run_fit(int argc, char** argv) {
  FitOptions options;
  CLI::App app("Proves that a gang fits the fleet of the site, or says in numbers why not.", "muster fit");
  add_common(app, options.common, true);
  app.add_option("--workload", options.workload, "only this one")->type_name("NAME");
  app.add_option("--format", options.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  if (const auto code = parse_arguments(app, argc, argv)) return *code;
  return Fitter(options).run();
}

}  // namespace muster::cli
