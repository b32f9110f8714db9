#include "compiler/sema/check/validate.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "compiler/base/text.h"
#include "compiler/model/license.h"
#include "compiler/model/runner.h"

namespace muster::sema {
namespace {

using model::Runner;

// Names that the run-time contract or a launcher sets and would overwrite.
bool reserved_env(std::string_view name, Runner runner) {
  if (name.starts_with("MUSTER_")) return true;
  if (runner == Runner::torchrun)
    return name.starts_with("PET_");  // torchrun reads each of its options from a variable with this prefix
  const model::RunnerVariables& v = model::row_of(runner).variables;
  return !name.empty() &&
         is_one_of(name, {v.nodes, v.per_node, v.world, v.node_rank, v.process_rank, v.local_rank, v.address, v.port});
}

void check_env(const model::Role& role, Diagnostics& diagnostics) {
  const Runner runner = role.launch.runner.value;
  for (const model::EnvVar& var : role.env) {
    if (reserved_env(var.name, runner))
      diagnostics.add(Code::name_not_valid, var.span, "`" + var.name + "` is set by muster and cannot be set in `env`")
          .notes.push_back(var.name.starts_with("MUSTER_")
                               ? "`MUSTER_*` names are reserved for the run-time contract"
                               : "runner `" + std::string(name(runner)) + "` sets it for every process");
    else if (var.name.empty() || var.name.find_first_of(std::string_view("=\0", 2)) != std::string::npos)
      diagnostics.add(Code::name_not_valid, var.span,
                      "`" + var.name + "` is not a valid name of an environment variable");
  }
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

bool climbs(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == "..") return true;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

bool check_path(const model::Located<std::string>& path, bool absolute, std::string_view what,
                Diagnostics& diagnostics) {
  std::string why;
  if (path.value.empty()) why = "is empty";
  else if (has_control(path.value)) why = "contains a control character";
  else if ((path.value[0] == '/') != absolute) why = absolute ? "is not absolute" : "is absolute";
  else if (climbs(path.value)) why = "contains `..`";
  if (why.empty()) return true;
  diagnostics.add(Code::name_not_valid, path.span, std::string(what) + " " + why);
  return false;
}

// The program that the runner starts by itself. If `command` names it again, each process starts it once more.
bool starts_itself(const model::Role& role, std::string_view word) {
  const auto& flags = role.launch.args;
  const bool any_program = std::any_of(flags.begin(), flags.end(), [](const auto& flag) {
    return is_one_of(flag.value, {"--no-python", "--no_python"});
  });
  const model::RunnerRow& row = model::row_of(role.launch.runner.value);
  const bool python = row.opens_file && !any_program && is_one_of(word, {"python", "python3"});
  return python || model::runs_itself(row, word);
}

void check_command(const model::Role& role, Diagnostics& diagnostics) {
  const auto* argv = role.program ? std::get_if<model::Argv>(&role.program->value) : nullptr;
  if (argv == nullptr || argv->empty()) return;
  const std::string& word = argv->front().bytes;
  const Runner runner = role.launch.runner.value;
  if (starts_itself(role, word)) {
    Diagnostic& d = diagnostics.add(Code::conflict, role.program->span,
                                    "runner `" + std::string(name(runner)) + "` already starts " +
                                        (word == name(runner) ? "`" + word + "`" : "the program"),
                                    "remove `" + word + "`");
    if (role.launch.runner.span.known()) d.labels.push_back({role.launch.runner.span, "the runner"});
  } else if (!model::row_of(runner).opens_file && word.ends_with(".py") && word.find('/') == std::string::npos) {
    diagnostics
        .add(Code::bare_program, role.program->span,
             "`" + word + "` is searched for on the PATH, not in the job's folder", "the program")
        .notes.push_back("to start a file of the job, write `[\"python\", \"" + word + "\"]` or `[\"./" + word +
                         "\"]`");
  }
}

// The image's own entrypoint is known to the image alone: nothing can start it again, or with other words in front.
void check_entrypoint(const model::Workload& w, const model::Role& role, Diagnostics& diagnostics) {
  if (!model::runs_entrypoint(w, role)) return;
  const Runner runner = role.launch.runner.value;
  if (!role.script_flags.empty())
    diagnostics.add(Code::needs, role.script_flags.front().span, "`script-flags` requires a `script`");
  if (runner == Runner::none) return;
  Diagnostic& d = diagnostics.add(Code::needs, role.launch.runner.span,
                                  "runner `" + std::string(name(runner)) + "` requires a `command` or `script`",
                                  "it starts a program by its name");
  d.labels.push_back({role.image->span, "only the image knows its own entrypoint"});
}

void check_launch(const model::Role& role, Diagnostics& diagnostics) {
  if (!role.program) return;
  const Runner runner = role.launch.runner.value;
  const model::RunnerRow& row = model::row_of(runner);
  const bool script = std::holds_alternative<model::Script>(role.program->value);
  if (runner == Runner::batch_script && !script)
    diagnostics
        .add(Code::needs, role.launch.runner.span, "runner `batch-script` requires a `script`",
             "it runs the script once, on the first node")
        .labels.push_back({role.program->span, "this is a `command`"});
  if (row.started_by == model::StartedBy::itself && role.launch.processes && role.launch.processes->value != 1)
    diagnostics.add(Code::conflict, role.launch.processes->span,
                    "runner `" + std::string(name(runner)) + "` starts one process per node",
                    "use runner `processes`, `torchrun` or `mpi`");
  if (!script && !role.script_flags.empty())
    diagnostics.add(Code::needs, role.script_flags.front().span, "`script-flags` requires a `script`");
  if (!role.launch.args.empty() && !(script ? row.takes_args_of_script : row.takes_args))
    diagnostics.add(Code::conflict, role.launch.args.front().span, "`args` has no launcher that takes it",
                    row.takes_args ? "a script starts its launcher itself"
                                   : "runner `" + std::string(name(runner)) + "` has no launcher");
}

void check_mounts(const model::Workload& w, const model::Role& role, Diagnostics& diagnostics) {
  for (const model::Mount& mount : role.mounts) {
    check_absolute(mount.path, "the mount's path", diagnostics);
    if (mount.sub_path) check_relative(*mount.sub_path, "the mount's sub-path", diagnostics);
  }
  if (!w.checkpoint || !w.checkpoint->path) return;
  const std::string& path = w.checkpoint->path->value;
  const bool below = std::any_of(role.mounts.begin(), role.mounts.end(), [&](const model::Mount& m) {
    const std::string& at = m.path.value;
    return path == at || (path.starts_with(at) && (at.ends_with('/') || path[at.size()] == '/'));
  });
  if (check_absolute(*w.checkpoint->path, "the checkpoint's path", diagnostics) && !below)
    diagnostics.add(Code::needs, w.checkpoint->path->span, "the checkpoint's path is not inside a mount")
        .notes.push_back("add `mount NAME { path = … }` for the storage that keeps the checkpoints");
}

void check_licenses(const model::Workload& w, Diagnostics& diagnostics) {
  std::set<std::string> names;
  for (const auto& text : w.licenses) {
    const auto license = model::read_license(text.value);
    if (!license)
      diagnostics.add(Code::name_not_valid, text.span,
                      "`" + printable(text.value, 60) + "` is not a license with its number",
                      "write a name, a colon and a number from 1 on: \"matlab:2\"");
    else if (!names.insert(license->name).second)
      diagnostics.add(Code::conflict, text.span, "license `" + license->name + "` is requested twice",
                      "write one entry with the sum");
  }
}

// A script finds its point of the sweep through these variables.
bool counts_points(const model::Role& role) {
  const auto* script = role.program ? std::get_if<model::Script>(&role.program->value) : nullptr;
  if (script == nullptr) return false;
  const std::string& text = script->bytes;
  return text.find("MUSTER_POINT") != text.npos || text.find("ARRAY_TASK_ID") != text.npos;
}

// A single axis of whole numbers is the index of the point.
void check_axes(const model::Workload& w, Diagnostics& diagnostics) {
  if (!w.sweep || diagnostics.has_errors() || w.sweep->ids() ||
      std::any_of(w.roles.begin(), w.roles.end(), counts_points))
    return;
  for (const model::Axis& axis : w.sweep->axes) {
    if (std::any_of(w.roles.begin(), w.roles.end(),
                    [&](const model::Role& r) { return model::refers_to(r, model::RefersTo::axis, axis.name); }))
      continue;
    diagnostics.add(Code::unused_axis, axis.span, "axis `" + axis.name + "` is not used")
        .notes.push_back("to pass it to the program, write `$" + axis.name + "` in `command`, or `env { NAME = $" +
                         axis.name + " }`");
  }
}

// Bounded, so that a hostile sweep is never expanded.
void check_points(const model::Sweep& sweep, Diagnostics& diagnostics) {
  std::size_t points = 1;
  for (const model::Axis& axis : sweep.axes) {
    if (model::kind_of_reference(axis.name))
      diagnostics.add(Code::name_not_valid, axis.span,
                      "`" + axis.name + "` begins run references and cannot be an axis");
    if (sweep.zip && axis.values.size() != sweep.axes[0].values.size())
      diagnostics
          .add(Code::conflict, axis.span,
               "axes that advance together must have the same length: `" + axis.name + "` has " +
                   std::to_string(axis.values.size()) + " values, `" + sweep.axes[0].name + "` " +
                   std::to_string(sweep.axes[0].values.size()))
          .labels.push_back({sweep.axes[0].span, "the other axis"});
    points = sweep.zip ? axis.values.size() : points * axis.values.size();
    if (points <= model::Sweep::most_points) continue;
    diagnostics.add(Code::out_of_range, sweep.span, "the sweep has more than 10000 points");
    return;
  }
}

void check_sweep(const model::Workload& w, Diagnostics& diagnostics) {
  if (w.sweep) check_points(*w.sweep, diagnostics);
  check_axes(w, diagnostics);
}

// A first word that is no option would be the program.
void check_launch_options(const model::TargetOptions& target, Diagnostics& diagnostics) {
  if (target.launch.empty() || target.launch.front().value.starts_with('-')) return;
  diagnostics
      .add(Code::out_of_range, target.launch.front().span,
           "`launch` requires options of the launcher, which begin with `-`", "this would be the program")
      .notes.push_back("write the program in `command`");
}

void check_target_options(const model::Workload& w, Diagnostics& diagnostics) {
  for (const model::TargetOptions& target : w.targets) {
    check_launch_options(target, diagnostics);
    for (const model::RawOption& option : target.options)
      if (option.flag && option.value.value == "false")
        diagnostics.add(Code::out_of_range, option.value.span,
                        "an option cannot be `false`; remove it to omit the option",
                        "`" + option.name + " = true` sets the option");
  }
}

void check_times(const model::Workload& w, Diagnostics& diagnostics) {
  if (w.stop && w.time_limit && w.stop->lead.value.ms >= w.time_limit->value.ms)
    diagnostics
        .add(Code::conflict, w.stop->lead.span,
             "`lead` is " + to_string(w.stop->lead.value) + ", not shorter than the time limit",
             "time between the signal and the end")
        .labels.push_back({w.time_limit->span, "the time limit"});
  if (!w.retry) return;
  if (w.retry_default)
    diagnostics.add(Code::conflict, w.retry->span, "`retry` cannot be both a value and a block")
        .labels.push_back({w.retry_default->span, "the value"});
  const auto listed = [&](model::RetryOn reason) {
    return std::any_of(w.retry->on.begin(), w.retry->on.end(), [&](const auto& r) { return r.value == reason; });
  };
  if (listed(model::RetryOn::exit_codes) && w.retry->exit_codes.empty())
    diagnostics.add(Code::needs, w.retry->span, "`on = [exit-codes]` requires `exit-codes = […]`");
  if (!listed(model::RetryOn::exit_codes) && !w.retry->exit_codes.empty())
    diagnostics.add(Code::needs, w.retry->exit_codes.front().span, "`exit-codes` requires `on = [exit-codes]`");
}

void check_topology(const model::Role& role, Diagnostics& diagnostics) {
  if (!role.topology) return;
  const model::Topology& t = *role.topology;
  if (t.segment && role.nodes() % t.segment->value != 0)
    diagnostics
        .add(Code::conflict, t.segment->span,
             "segments of " + std::to_string(t.segment->value) + " nodes do not divide " +
                 std::to_string(role.nodes()) + " nodes")
        .labels.push_back({role.resources.nodes ? role.resources.nodes->span : Span{}, "the nodes"});
  if (t.segment_within.span.known() && !t.segment)
    diagnostics.add(Code::needs, t.segment_within.span, "`segment-within` requires `segment`");
  if (t.segment && t.within.span.known() && t.segment_within.value >= t.within.value)
    diagnostics
        .add(Code::conflict, t.segment_within.span.known() ? t.segment_within.span : t.segment->span,
             "segments within a " + std::string(name(t.segment_within.value)) + " have no effect within a " +
                 std::string(name(t.within.value)))
        .labels.push_back({t.within.span, "the domain of the whole replica"});
  if (t.within.value == model::Within::node && role.nodes() > 1)
    diagnostics.add(Code::conflict, t.within.span,
                    "a replica of " + std::to_string(role.nodes()) + " nodes does not fit within one node");
}

void check_gpu_needs(const model::Role& role, Diagnostics& diagnostics) {
  const model::Resources& r = role.resources;
  if (r.gpu_memory && role.gpus() == 0 && !r.part_of_gpu())
    diagnostics.add(Code::needs, r.gpu_memory->span, "`gpu-memory` requires `gpus`");
  if (r.part_of_gpu()) return;
  if (r.gpu && role.gpus() == 0) diagnostics.add(Code::needs, r.gpu->span, "`gpu` requires `gpus` above 0");
}

}  // namespace

bool check_absolute(const model::Located<std::string>& path, std::string_view what, Diagnostics& diagnostics) {
  return check_path(path, true, what, diagnostics);
}

bool check_relative(const model::Located<std::string>& path, std::string_view what, Diagnostics& diagnostics) {
  return check_path(path, false, what, diagnostics);
}

void validate_workload(const model::Workload& w, Diagnostics& diagnostics) {
  if (w.account && w.account->value.empty())
    diagnostics.add(Code::name_not_valid, w.account->span, "the account is empty",
                    "remove it to use your default account");
  check_times(w, diagnostics);
  check_licenses(w, diagnostics);
  check_sweep(w, diagnostics);
  check_target_options(w, diagnostics);
  validate_needs(w, diagnostics);
  for (const model::Role& role : w.roles) {
    check_env(role, diagnostics);
    validate_references(w, role, diagnostics);
    check_launch(role, diagnostics);
    check_entrypoint(w, role, diagnostics);
    check_command(role, diagnostics);
    check_mounts(w, role, diagnostics);
    check_topology(role, diagnostics);
    check_gpu_needs(role, diagnostics);
    if (role.code)
      if (const auto* path = std::get_if<std::string>(&role.code->value))
        check_relative({*path, role.code->span}, "the code's folder", diagnostics);
    if (role.workdir && has_control(role.workdir->value.bytes))
      diagnostics.add(Code::name_not_valid, role.workdir->span, "the working directory contains a control character");
  }
}

}  // namespace muster::sema
