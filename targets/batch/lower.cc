#include "targets/batch/batch.h"

#include "compiler/base/text.h"
#include "targets/batch/sections.h"
#include "targets/compiled_mark.h"
#include "targets/exports.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

using model::Kind;
using model::Runner;

// Fields that ask nothing of the system, or something it cannot give but need not refuse.
void report_the_rest(Job& job) {
  const Kind kind = job.workload.kind.value;
  if (kind == Kind::serve || kind == Kind::dev)
    job.approximated(Field::kind, "a job", "the job has no endpoint and ends at its time limit");
  else job.exact(Field::kind, "a job");
  job.read_each(Field::facts, "the decision");
  report_launch_options(job);
  if (job.wanted.has("MUSTER_CHECKPOINT")) job.exact(Field::checkpoint_path, "MUSTER_CHECKPOINT");
  else if (model::refers_to(job.role, model::RefersTo::checkpoint, "path"))
    job.exact(Field::checkpoint_path, "the text that refers to it");
  else job.read(Field::checkpoint_path, "reliability and lint; no text of the workload names MUSTER_CHECKPOINT");
  for (const Field key : {Field::checkpoint_every, Field::checkpoint_write_time}) job.read(key, "reliability and lint");
  job.approximated(Field::checkpoint_async, "nothing",
                   job.system() + " cannot express this; pass it to the program as an argument");
}

// Where the system reads directives in the whole file, lines of the program are not to look like one.
void refuse_directives(Job& job) {
  std::string mark(job.dialect.sentinel);
  mark.pop_back();
  if (!job.dialect.reads_whole_file || ("\n" + job.body).find("\n" + mark) == std::string::npos) return;
  const Field field = job.role.program && std::holds_alternative<model::Script>(job.role.program->value)
                          ? Field::script
                          : Field::workload;
  job.refuse(field,
             std::string(job.dialect.command.substr(0, job.dialect.command.find(' '))) +
                 " reads a line that begins with `" + mark + "` as a directive wherever it is in the file",
             "remove the line, or indent it");
}

std::string render(const Job& job, const LowerOptions& options) {
  std::string out = job.batch.login_shell ? "#!/bin/bash -l\n" : "#!/bin/bash\n";
  out += "# " + one_line(job.workload.name) + std::string(compiled_mark) +
         (options.source.empty() ? "" : " from " + one_line(options.source)) + "\n";
  const std::string sentinel(job.dialect.sentinel);
  for (const std::string& directive : job.directives) out += sentinel + directive + "\n";
  for (const std::string& directive : job.dialect.guards("\n" + job.body)) out += sentinel + directive + "\n";
  if (job.dialect.prelude != nullptr) out += job.dialect.prelude(job, job.body);
  return out + job.body;
}

// The shell stops at errors where there can be one before the program, which is what the lines end with.
void stop_at_errors(Job& job, std::size_t from) {
  const std::string lines = job.body.substr(from), off = std::string(no_longer_stops) + "\n";
  const std::string program = job.script_in_place + (job.script_in_place.empty() ? job.launched + "\n" : "");
  const bool alone = lines.ends_with(program);
  std::string before = alone ? lines.substr(0, lines.size() - program.size()) : lines;
  if (!job.script_in_place.empty() && before.ends_with(off)) before.resize(before.size() - off.size());
  if (!alone || !only_sets(before)) return void(job.body.insert(from, "set -eo pipefail\n"));
  job.body.replace(from, lines.size(), before + program);
}

void write_file(Job& job) {
  begin(job);
  add_directives(job);
  enter_submission(job);
  const std::size_t from = job.body.size();
  add_attempt_guard(job);
  add_program(job);
  stop_at_errors(job, from);
}

// The shape of the whole: as many nodes as all parts have.
plan::RolePlan whole_shape(const plan::Plan& plan, bool het) {
  plan::RolePlan whole = plan.roles.front();
  whole.nodes = whole.total();
  for (std::size_t i = 1; i < plan.roles.size() && !het; ++i) {
    const plan::RolePlan& role = plan.roles[i];
    whole.nodes += role.total();
    whole.copies += role.copies;
    whole.pinned.insert(whole.pinned.end(), role.pinned.begin(), role.pinned.end());
  }
  return whole;
}

// What keeps this plan from this target at all.
bool takes(const Dialect& dialect, const JobKind& kind, const plan::Plan& plan, Diagnostics& diagnostics, Loss& loss) {
  const auto refuse = [&](const std::string& message) {
    diagnostics.add(Code::target_refuses, plan.workload->span, message);
    loss.refused(Field::workload, message);
    for (const model::WrittenField& field : plan.workload->written) loss.refused(field.field, message);
    return false;
  };
  const std::string name(kind.target);
  if (plan.site == nullptr || plan.plane == nullptr || plan.plane->kind() != dialect.plane)
    return refuse("target `" + name + "` requires a site with a plane of kind `" +
                  std::string(model::name(dialect.plane)) + "`");
  if (plan.roles.empty() || plan.roles[0].role == nullptr)
    return refuse("`" + plan.workload->name + "` was not placed on a plane");
  const bool is_ray = plan.roles[0].role->launch.runner.value == Runner::ray;
  if (is_ray == kind.ray || dialect.ray_target == dialect.target) return true;
  return refuse(kind.ray ? "target `" + name + "` requires runner `ray`"
                         : "runner `ray` requires target `" + std::string(dialect.ray_target) + "`");
}

}  // namespace

Lowered lower(const Dialect& dialect, const JobKind& kind, const plan::Plan& plan, const LowerOptions& options,
              Diagnostics& diagnostics) {
  Lowered lowered;
  if (!takes(dialect, kind, plan, diagnostics, lowered.loss)) return lowered;
  const bool parts = has_parts(plan), het = parts && !dialect.unlike_parts && shapes_differ(plan);
  const plan::RolePlan shape = whole_shape(plan, het);
  Job job{{*plan.workload, diagnostics}, dialect,    plan,       shape, *shape.role, *plan.plane,
          *plan.plane->batch(),          *plan.site, options.run};
  job.het = het;
  job.sources = options.sources;
  if (shape.role->span.known()) job.role_name = shape.role->name;
  if (parts) write_parts(job);
  else write_file(job);
  report_the_rest(job);
  report_service(job);
  refuse_directives(job);
  const std::string name = plan.workload->name + "." + std::string(kind.target) + "." + std::string(dialect.extension);
  lowered.documents.push_back({name, render(job, options)});
  if (has_nul(lowered.documents[0].content))
    diagnostics.add(Code::name_not_valid, plan.workload->span,
                    "the site or the workload contains a NUL byte, which a batch script cannot contain");
  lowered.submit = std::string(dialect.command) + " " + sh_word(name);
  lowered.loss = std::move(job.loss);
  return lowered;
}

}  // namespace muster::targets::batch
