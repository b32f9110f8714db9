// `target slurm { option = value }`: options in Slurm's own words, and what they replace.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/shell.h"
#include "targets/slurm/option_table.h"
#include "targets/slurm/options.h"
#include "targets/slurm/read/body.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/script.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

// What a directive of muster's own says, and the key by which a user would have said it. A raw option
// that says the same thing replaces the directive, unless the user wrote the key too.
struct Same {
  std::string_view directive;  // muster's
  std::optional<Field> field;  // none where only muster chooses
  std::string_view raw;        // the options that say the same, each between blanks
  std::string_view bears{};    // options that replace it only where it is a default
};

constexpr std::array same_things = std::to_array<Same>({
    {"--job-name", Field::title, " job-name "},
    {"--account", Field::account, " account "},
    {"--partition", Field::queue, " partition "},
    {"--qos", Field::queue, " qos "},
    {"--reservation", Field::queue, " reservation "},
    {"--constraint", Field::resources_gpu, " constraint "},
    {"--nodes", Field::resources_nodes, " nodes ", " ntasks "},
    {"--ntasks-per-node", Field::launch_processes, " ntasks ntasks-per-node tasks-per-node ",
     " nodes ntasks-per-gpu ntasks-per-socket ntasks-per-core "},
    {"--cpus-per-task", Field::resources_cpus, " cpus-per-task ", " cpus-per-gpu "},
    {"--gpus-per-node", Field::resources_gpus, " gpus-per-node ", " gpus gpus-per-task gpus-per-socket gres "},
    {"--gres", Field::resources_gpus, " gres ", " gpus gpus-per-node gpus-per-task gpus-per-socket "},
    {"--mem", Field::resources_memory, " mem mem-per-cpu mem-per-gpu "},
    {"--hint", Field::resources_smt, " hint threads-per-core "},
    {"--licenses", Field::licenses, " licenses "},
    {"--tmp", Field::resources_disk, " tmp "},
    {"--exclusive", Field::resources_exclusive, " exclusive oversubscribe "},
    {"--time", Field::time_limit, " time "},
    {"--chdir", Field::workdir, " chdir "},
    {"--output", Field::logs_output, " output "},
    {"--error", Field::logs_error, " error "},
    {"--open-mode", Field::logs_append, " open-mode "},
    {"--requeue", Field::retry_limit, " requeue no-requeue "},
    {"--no-requeue", Field::retry_limit, " requeue no-requeue "},
    {"--signal", Field::stop_lead, " signal "},
    {"--array", Field::sweep, " array "},
    {"--mail-type", Field::notify_on, " mail-type "},
    {"--mail-user", Field::notify_email, " mail-user "},
    {"--comment", Field::labels, " comment "},
    {"--exclude", Field::require, " exclude "},
    {"--nodelist", Field::require, " nodelist "},
    {"--switches", Field::topology, " switches "},
    {"--segment", Field::topology, " segment "},
    {"--export", Field::launch_export, " export "},
});

bool lists(std::string_view options, std::string_view option) {
  return options.find(" " + std::string(option) + " ") != std::string_view::npos;
}

// Other generic resources are beside those of the GPUs.
bool about_no_gpu(const model::RawOption& option) {
  return option.name == "gres" && option.value.value.find("gpu") == std::string::npos;
}

// A job has one --gres, so other resources join those of the GPUs.
bool join_gres(Job& job, const model::RawOption& option) {
  const auto found = std::find_if(job.directives.begin(), job.directives.end(),
                                  [](const std::string& d) { return d.starts_with("--gres="); });
  const auto value = sbatch_value(option.value.value);
  if (option.name != "gres" || !about_no_gpu(option) || found == job.directives.end() || value != option.value.value)
    return false;
  *found += "," + *value;
  return true;
}

// The cpus that the user wrote, counted by GPU: one amount said twice, of which Slurm gets its own words.
bool agrees(const Job& job, const model::RawOption& option) {
  if (option.name != "cpus-per-gpu" || !job.shape.cpus || job.role.gpus() < 1 || job.tasks() != 1) return false;
  return *job.shape.cpus % job.role.gpus() == 0 &&
         option.value.value == std::to_string(*job.shape.cpus / job.role.gpus());
}

// Takes out what the raw option replaces; false, and a refusal, where the user said both.
bool make_room(Job& job, const model::RawOption& option, const FieldRef& field) {
  for (const Same& same : same_things) {
    const bool stated = same.field && job.wrote(*same.field) && !agrees(job, option);
    const bool in_the_way = lists(same.raw, option.name) || (lists(same.bears, option.name) && !stated);
    if (!in_the_way || about_no_gpu(option)) continue;
    const auto found = std::find_if(job.directives.begin(), job.directives.end(),
                                    [&](const std::string& d) { return directive_name(d) == same.directive; });
    if (found == job.directives.end()) continue;
    if (stated) {
      job.refuse_at(option.value.span, field,
                    "`" + option.name + "` in `target slurm` repeats `" + std::string(model::name(*same.field)) + "`",
                    "remove one of the two");
      return false;
    }
    job.directives.erase(found);
  }
  return true;
}

// Of sbatch in some version, or of Pyxis; what is not may be a plugin's.
bool known_to_slurm(std::string_view name) {
  return find_option(Tool::sbatch, name) != nullptr || find_option(Tool::pyxis, name) != nullptr;
}

void add_raw_option(Job& job, const std::string& block, const model::RawOption& option) {
  const FieldRef field{Field::target, block + "." + option.name};
  const std::string name = "--" + option.name;
  if (!is_option_name(option.name))
    return job.refuse_at(option.value.span, field, "`" + option.name + "` is not a valid name of an sbatch option");
  if (!make_room(job, option, field)) return;
  if (join_gres(job, option)) return job.exact(field, name);
  if (option.flag) add_flag(job, name, field);
  else add_option(job, name, option.value.value, field);
  const std::string as = has_option(job, name) ? job.directives.back() : name;
  if (known_to_slurm(option.name)) return job.exact(field, as);
  job.approximated(field, as,
                   "Slurm has no option `" + name + "`; sbatch takes it only where a plugin of the cluster adds it");
}

// Slurm takes --gpus-per-task of a job only where it is told how many tasks or GPUs there are. Beside --gpus-per-node
// it works out the tasks of a node by itself, and refuses another number (seen on 22.05).
void count_tasks(Job& job) {
  const auto has = [&](std::string_view name) { return has_option(job, name); };
  if (!has("--gpus-per-task") || has("--ntasks") || has("--ntasks-per-node") || has("--gpus") ||
      has("--gpus-per-node") || has("--gres"))
    return;
  if (!has("--nodes")) add_option(job, "--nodes", std::to_string(job.shape.nodes), Field::resources_nodes);
  add_option(job, "--ntasks-per-node", std::to_string(job.tasks()), Field::launch_processes);
}

// Says why sbatch does not take the option of a line of the job's directives, if that is one of the user's.
void refuse_line(Job& job, std::uint32_t line, const std::string& why) {
  const std::string_view name = directive_name(job.directives.at(line));
  for (const model::TargetOptions& target : job.workload.targets)
    for (const model::RawOption& option : target.options)
      if (batch::is_own_block(job, target) && name == "--" + option.name)
        return job.refuse_at(option.value.span, {Field::target, target.target + "." + option.name}, why);
}

}  // namespace

void check_raw_options(Job& job) {
  if (job.workload.targets.empty()) return;
  std::string text = "#!/bin/bash\n";
  const std::size_t shebang = text.size();
  for (const std::string& directive : job.directives) text += "#SBATCH " + directive + "\n";
  Sources sources;
  const std::uint32_t file = sources.add("job", text + "true\n");
  const auto version = std::optional(job.plane.version.value);
  ScriptOptions options;
  options.version = version;
  const Script script = read_script(sources, file, options);
  const auto line_of = [&](std::uint32_t at) {  // counted from the first directive
    return static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + at, '\n')) - 1;
  };
  for (const Refusal& refusal : script.refusals)
    if (!may_be_of_plugin(refusal) && refusal.span.begin >= shebang && refusal.span.begin < text.size())
      refuse_line(job, line_of(refusal.span.begin), "sbatch rejects this: " + refusal.message);
  MeaningOptions meaning;
  meaning.version = version;
  for (const Conflict& conflict : meaning_of(script, Body{}, meaning).conflicts)
    if (conflict.certain && !conflict.by.empty() && conflict.by.back() >= 0)
      refuse_line(job, script.directives[static_cast<std::size_t>(conflict.by.back())].line - 2,
                  "Slurm rejects this: " + conflict.message);
}

void add_raw_options(Job& job) {
  for (const model::TargetOptions& target : job.workload.targets) {
    if (!batch::is_own_block(job, target)) continue;
    check_program_options(job, target);
    for (const model::RawOption& option : target.options) add_raw_option(job, target.target, option);
  }
  count_tasks(job);
}

}  // namespace muster::targets::slurm
