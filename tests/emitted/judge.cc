#include "tests/emitted/judge.h"

#include <algorithm>
#include <sstream>

#include "compiler/model/plane_traits.h"
#include "lint/rules/spec/spec.h"
#include "rules/profiles.h"
#include "tests/emitted/lint_text.h"
#include "tests/loss/compile.h"
#include "tests/loss/specs.h"

namespace muster::emitted {
namespace {

using loss::Checked;
using loss::SiteText;

using lint::RuleId;

// Faults of lowering, quoting and sums: no workload can bring them about, whatever it says or leaves unsaid. (An
// unlimited retry leaves the log to the system, so SLM025 is not among them.)
constexpr RuleId impossible[] = {
    RuleId::double_launch,
    RuleId::rdzv_endpoint,
    RuleId::srun_cpus_inherit,
    RuleId::gang_term,
    RuleId::interactive_no_pty,
    RuleId::unknown_partition,
    RuleId::spool_script_dir,
    RuleId::directive_ignored,
    RuleId::variable_in_directive,
    RuleId::sbatch_refuses,
    RuleId::over_site_limit,
    RuleId::gang_required,
    RuleId::gang_min_too_small,
    RuleId::elastic_bounds,
    RuleId::scheduler_name_mismatch,
    RuleId::spread_for_colocation,
    RuleId::quota_as_budget,
    RuleId::gpu_limit_request,
    RuleId::shm_small,
    RuleId::volume_unmounted,
    RuleId::no_cpu_memory,
    RuleId::replicas_with_hpa,
    RuleId::autoscaler_bounds,
    RuleId::exposed_service,
    RuleId::array_one_log,
    RuleId::requeue_unset,
    RuleId::karpenter_gpu_name,
    RuleId::retries_unset,
    RuleId::rendezvous_not_ready,
    RuleId::launcher_without_gpus,
    RuleId::separate_trainings,
    RuleId::same_rank_everywhere,
    RuleId::more_tasks_than_job,
    RuleId::background_not_awaited,
    RuleId::steps_exclude,
    RuleId::option_repeated,
    RuleId::unknown_slurm_variable,
    RuleId::step_option_ignored,
    RuleId::unknown_field,
    RuleId::value_refused,
    RuleId::api_version_gone,
    RuleId::request_above_limit,
    RuleId::selector_mismatch,
    RuleId::restart_policy,
    RuleId::replica_roles,
    RuleId::gpu_resource_name,
    RuleId::devices_beyond_limit,
    RuleId::role_without_gpus,
    RuleId::pods_train_alone,
};

class Judge {
 public:
  explicit Judge(const Options& options) : options_(options) {}

  Report run() {
    const std::vector<SiteText> shown = loss::shown_sites(options_.root);
    sites_ = loss::all_sites(options_.root);
    examples(shown);
    cases();
    generated();
    return std::move(report_);
  }

 private:
  void examples(const std::vector<SiteText>& sites) {
    std::size_t number = 0;
    for (const char* folder : {"/examples/workloads", "/examples/public"})
      for (const std::string& file : loss::files_in(options_.root + folder))
        for (const SiteText& site : sites)
          if (!file.ends_with("/site.muster") && number++ % options_.step == 0)
            report_.examples += one(site, loss::read_file(file)) ? 1 : 0;
  }

  void cases() {
    std::istringstream lines(options_.cases.empty() ? std::string() : loss::read_file(options_.cases));
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line); ++number)
      if (number % options_.step == 0) report_.cases += at_two_sites(number, spec_of(line, number));
  }

  void generated() {
    property::Random random(options_.seed);
    for (std::size_t i = 0; i < options_.specs; ++i) {
      const std::size_t index = i * options_.step;
      report_.generated += at_two_sites(index / loss::values_count(), loss::random_spec(random, index));
    }
  }

  std::size_t at_two_sites(std::size_t round, const std::string& spec) {
    std::size_t taken = 0;
    for (const std::size_t site : {2 * round, 2 * round + 1}) taken += one(sites_[site % sites_.size()], spec) ? 1 : 0;
    return taken;
  }

  // False: the spec contradicts itself or the site, as those made by chance may.
  bool one(const SiteText& site, const std::string& spec) {
    const Checked checked = loss::check_at(site, spec);
    if (!checked.ok()) return false;
    for (std::size_t w = 0; w < checked.module.workloads.size(); ++w) {
      lint_workload(checked, w);
      for (const targets::Target& target : targets::all_targets()) {
        // Tasks of brokers are judged by their own parsers: lint does not read them.
        if (model::traits_of(target.capabilities.plane).family == model::PlaneFamily::service) continue;
        const loss::Attempt attempt = loss::compile_for(checked, w, target, policy_);
        if (!attempt.ok()) continue;
        for (const targets::Document& document : attempt.lowered.documents)
          lint_document(checked, checked.module.workloads.at(w), document,
                        std::string(target.name) + " at " + site.name + "\n" + spec);
      }
    }
    return true;
  }

  void lint_workload(const Checked& checked, std::size_t w) {
    const lint::Context context{checked.sources, &checked.module.sites.at(0), loss::fleet_of(checked)};
    Diagnostics diagnostics;
    const plan::PlanRequest request = loss::request_for(checked, w, policy_, std::nullopt);
    const plan::PlanResult result = plan::make_plan(request, diagnostics);
    std::vector<lint::Finding> findings;
    lint::check_workload({context, checked.module.workloads.at(w), request, result, policy_, findings});
    ++report_.workloads;
    for (const lint::Finding& finding : findings) count(report_.in_specs, finding);
  }

  // What `cpus = default` and `memory = default` ask for, and steps that a user's own text starts.
  static bool is_meant(RuleId rule, const model::Workload& workload) {
    const auto starts_steps = [](const model::Role& role) {
      return role.launch.runner.value == model::Runner::batch_script;
    };
    if (rule == RuleId::srun_cpus_inherit)
      return std::any_of(workload.roles.begin(), workload.roles.end(), starts_steps);
    return rule == RuleId::no_cpu_memory &&
           std::any_of(workload.roles.begin(), workload.roles.end(), [](const model::Role& role) {
             return is_left_to_site(role.resources.cpus) || is_left_to_site(role.resources.memory);
           });
  }

  void lint_document(const Checked& checked, const model::Workload& workload, const targets::Document& document,
                     const std::string& where) {
    const Linted linted = lint_text(checked, document.name, document.content);
    ++report_.files;
    if (const std::string line = line_with_name(document.content); !line.empty())
      fault(document.name + ": it names muster in `" + line + "`: " + where, document.content);
    if (!linted.fault.empty()) fault(document.name + ": " + linted.fault + ": " + where, document.content);
    for (const lint::Result& result : linted.results) {
      count(report_.in_files, result.finding);
      // What only the site can tell is no fault of the file.
      if (result.finding.verdict == lint::Verdict::wrong && is_impossible(result.finding.rule) &&
          !is_meant(result.finding.rule, workload))
        fault(std::string(lint::info(result.finding.rule).id) + " " + result.finding.message + ": " + where,
              document.content);
    }
  }

  // A line that names muster beside the title, the label and the manager of a TrainJob's patches; "" for none.
  static std::string line_with_name(const std::string& text) {
    for (std::size_t at = text.find("muster"); at != std::string::npos; at = text.find("muster", at + 1)) {
      const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at) + 1;
      const std::string line = text.substr(begin, text.find('\n', at) - begin);
      const auto has = [&](std::string_view part) { return line.find(part) != std::string::npos; };
      if (!has(": compiled by muster") && !has("app.kubernetes.io/managed-by") && !has("manager: muster.dev/compile"))
        return line;
    }
    return {};
  }

  static void count(std::map<std::string, Fired>& in, const lint::Finding& finding) {
    Fired& fired = in[std::string(lint::info(finding.rule).id)];
    ++(finding.verdict == lint::Verdict::wrong ? fired.wrong : fired.unclear);
  }

  void fault(const std::string& what, const std::string& text) { report_.faults.push_back(what + "\n" + text); }

  const Options& options_;
  const model::Policy policy_ = rules::profile("default");
  std::vector<SiteText> sites_;
  Report report_;
};

// Whether a recorded case has a fact, and its number of nodes.
bool is_true(const std::string& recorded, const std::string& fact) {
  return recorded.find("\"" + fact + "\": true") != std::string::npos;
}
long nodes_in(const std::string& recorded) {
  const std::size_t at = recorded.find("\"nodes\": ");
  return at == std::string::npos ? 1 : std::max(std::atol(recorded.c_str() + at + 9), 1L);
}

}  // namespace

std::string spec_of(const std::string& recorded, std::size_t number) {
  const bool service = is_true(recorded, "long_lived_services"), coupled = is_true(recorded, "tightly_coupled");
  const std::string nodes = std::to_string(nodes_in(recorded));
  std::string out = "workload case-" + std::to_string(number) + " {\n  kind = ";
  out += service ? "serve\n  replicas = " + nodes + "\n  port http { number = 8000 }\n"
                 : std::string(coupled ? "train" : "batch") + "\n  nodes = " + nodes + "\n";
  if (coupled && !service) out += "  launch { runner = torchrun }\n";
  out += "  gpus = 8\n  software = torch\n  command = [\"work.py\"]\n  facts {\n";
  for (const char* fact : {"tightly_coupled", "bare_metal", "long_lived_services", "multi_tenant",
                           "python_native_pipeline", "edge_or_dev"}) {
    std::string key = fact;
    std::replace(key.begin(), key.end(), '_', '-');
    out += "    " + key + " = " + (is_true(recorded, fact) ? "true" : "false") + "\n";
  }
  return out + "  }\n}\n";
}

bool is_impossible(lint::RuleId rule) {
  return std::find(std::begin(impossible), std::end(impossible), rule) != std::end(impossible);
}

Report judge(const Options& options) { return Judge(options).run(); }

}  // namespace muster::emitted
