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

plan::Verdict worse(plan::Verdict a, plan::Verdict b) {
  if (a == plan::Verdict::does_not_fit || b == plan::Verdict::does_not_fit) return plan::Verdict::does_not_fit;
  return a == plan::Verdict::unknown || b == plan::Verdict::unknown ? plan::Verdict::unknown : plan::Verdict::fits;
}

int fit(const FitOptions& options) {
  Session session(options.common);
  if (!session.load()) return session.finish();
  auto setting = make_setting(session, "default");
  if (!setting) return session.finish();
  if (setting->fleet == nullptr) {
    session.diagnostics()
        .add(Code::nothing_to_do, setting->site->span,
             "site `" + setting->site->name + "` declares no fleet, so nothing can be proven")
        .notes.push_back("give a site with `--site FILE` whose `fleet` is declared");
    return session.finish();
  }
  plan::Verdict verdict = plan::Verdict::fits;
  std::string text;
  Json workloads = Json::array();
  Json levels = {{"capacity", plan::name(verdict)}, {"policy", plan::name(verdict)}, {"now", plan::name(verdict)}};
  plan::Verdict level_verdicts[3] = {verdict, verdict, verdict};
  for (const model::Workload* w : session.workloads(options.workload)) {
    plan::PlanRequest request = request_for(w, session, *setting);
    const plan::PlanResult result = plan::make_plan(request, session.diagnostics());
    if (!result.plan) continue;
    const plan::Fit& f = result.plan->fit;
    verdict = worse(verdict, f.verdict);
    const plan::Level* each[3] = {&f.capacity, &f.policy, &f.now};
    for (int i = 0; i < 3; ++i) level_verdicts[i] = worse(level_verdicts[i], each[i]->verdict);
    text += fit_text(f, *w);
    workloads.push_back(to_json(f, *w));
  }
  if (session.diagnostics().has_errors()) return session.finish();
  constexpr const char* names[3] = {"capacity", "policy", "now"};
  for (int i = 0; i < 3; ++i) levels[names[i]] = plan::name(level_verdicts[i]);
  if (options.format == "json")
    text = print({{"verdict", plan::name(verdict)}, {"levels", levels}, {"workloads", workloads}});
  write_stdout(text, session.diagnostics());
  return session.finish(verdict == plan::Verdict::fits ? 0 : 1);
}

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
  return fit(options);
}

}  // namespace muster::cli
