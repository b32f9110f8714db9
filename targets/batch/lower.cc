#include "targets/slurm/slurm.h"

#include "targets/shell.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

using model::Kind;
using model::Runner;

// Fields that ask nothing of Slurm, or something it cannot give but need not refuse.
void report_the_rest(Job& job) {
  const Kind kind = job.workload.kind.value;
  if (kind == Kind::serve || kind == Kind::dev)
    job.approximated("kind", "a job", "a job without an endpoint; it ends at its time limit");
  else job.exact("kind", "a job");
  job.read_each("facts", "the decision");
  job.exact("checkpoint.path", "MUSTER_CHECKPOINT");
  for (const char* key : {"checkpoint.every", "checkpoint.write-time"}) job.read(key, "reliability and lint");
  job.approximated("checkpoint.async", "nothing", "Slurm has no word for it: the program is told by its own arguments");
}

// A line of the user's text that begins like this is read by sbatch wherever it stands.
bool reads_as_other_dialect(const std::string& body) {
  return body.find("\n#PBS") != std::string::npos || body.find("\n#BSUB") != std::string::npos;
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return text;
}

std::string render(const Job& job, const LowerOptions& options) {
  std::string out = job.plane.login_shell ? "#!/bin/bash -l\n" : "#!/bin/bash\n";
  out += "# " + one_line(job.workload.name) + ": compiled by muster" +
         (options.source.empty() ? "" : " from " + one_line(options.source)) + "\n";
  for (const std::string& directive : job.directives) out += "#SBATCH " + directive + "\n";
  if (reads_as_other_dialect("\n" + job.body)) out += "#SBATCH --ignore-pbs\n";
  return out + job.body;
}

void write_file(Job& job) {
  plan_container(job);
  add_directives(job);
  job.line("set -eo pipefail");
  add_attempt_guard(job);
  add_software(job);
  add_contract(job);
  add_files(job);
  add_code(job);
  add_fabric(job);
  add_secrets(job);
  add_user_environment(job);
  add_access(job);
  add_preflight(job);
  add_launch(job);
  report_needs_of_role(job);
}

// The shape of the whole: as many nodes as all parts have.
plan::RolePlan whole_shape(const plan::Plan& plan, bool het) {
  plan::RolePlan whole = plan.roles.front();
  whole.nodes = whole.total();
  for (std::size_t i = 1; i < plan.roles.size() && !het; ++i) {
    const plan::RolePlan& role = plan.roles[i];
    whole.nodes += role.total();
    whole.pinned.insert(whole.pinned.end(), role.pinned.begin(), role.pinned.end());
  }
  return whole;
}

// What keeps this plan from this target at all.
bool takes(const plan::Plan& plan, std::string_view target, bool ray, Diagnostics& diagnostics, Loss& loss) {
  const auto refuse = [&](const std::string& message) {
    diagnostics.add(Code::target_refuses, plan.workload->span, message);
    loss.refused("workload", message);
    for (const model::WrittenField& field : plan.workload->written) loss.refused(field.path, message);
    return false;
  };
  const std::string name(target);
  if (plan.site == nullptr || plan.plane == nullptr || plan.plane->kind.value != model::PlaneKind::slurm)
    return refuse("target `" + name + "` needs a site with a plane of kind `slurm`");
  if (plan.roles.empty() || plan.roles[0].role == nullptr)
    return refuse("`" + plan.workload->name + "` was not placed on a plane");
  const bool is_ray = plan.roles[0].role->launch.runner.value == Runner::ray;
  if (is_ray == ray) return true;
  return refuse(ray ? "target `ray-on-slurm` takes workloads whose runner is `ray`"
                    : "runner `ray` needs target `ray-on-slurm`");
}

Lowered lower(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics, std::string_view target,
              bool ray) {
  Lowered lowered;
  if (!takes(plan, target, ray, diagnostics, lowered.loss)) return lowered;
  const bool parts = has_parts(plan), het = parts && shapes_differ(plan);
  const plan::RolePlan shape = whole_shape(plan, het);
  Job job{{*plan.workload, diagnostics}, plan, shape, *shape.role, *plan.plane, *plan.site, options.run};
  job.het = het;
  if (shape.role->span.known()) job.prefix = "role." + shape.role->name + ".";
  if (parts) write_parts(job);
  else write_file(job);
  report_the_rest(job);
  report_service(job);
  const std::string name = plan.workload->name + "." + std::string(target) + ".sbatch";
  lowered.documents.push_back({name, render(job, options)});
  if (has_nul(lowered.documents[0].content))
    diagnostics.add(Code::name_not_valid, plan.workload->span,
                    "a NUL byte in what the site or the workload says: no batch script can hold it");
  lowered.submit = "sbatch " + sh_word(name);
  lowered.loss = std::move(job.loss);
  return lowered;
}

}  // namespace

Lowered lower_slurm(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics) {
  return lower(plan, options, diagnostics, "slurm", false);
}

Lowered lower_ray_on_slurm(const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics) {
  return lower(plan, options, diagnostics, "ray-on-slurm", true);
}

}  // namespace muster::targets::slurm
