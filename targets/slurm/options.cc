#include "targets/slurm/options.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/shell.h"
#include "targets/slurm/option_table.h"

namespace muster::targets::slurm {
namespace {

// Whether the option may be given as it is, with a value or without. Options that the table does not know (a plugin's)
// pass.
bool version_has(Job& job, std::string_view name, const FieldRef& field, bool has_value) {
  const OptionRow* row = find_option(Tool::sbatch, name.substr(2));
  const std::string fault = row == nullptr ? std::string() : fault_of(job, *row, has_value);
  if (!fault.empty()) job.refuse(field, "`" + std::string(name) + "` " + fault);
  return fault.empty();
}

// The options that set the same thing as `name`, itself among them.
bool same_thing(std::string_view a, std::string_view b) {
  constexpr std::array groups = std::to_array<std::string_view>(
      {" --gres --gpus --gpus-per-node --gpus-per-task --gpus-per-socket ", " --mem --mem-per-cpu --mem-per-gpu ",
       " --requeue --no-requeue ", " --exclusive --oversubscribe "});
  const auto in = [](std::string_view group, std::string_view name) {
    return group.find(" " + std::string(name) + " ") != std::string_view::npos;
  };
  return a == b || std::any_of(groups.begin(), groups.end(), [&](std::string_view g) { return in(g, a) && in(g, b); });
}

void add_site_directive(Job& job, const model::Located<std::string>& directive) {
  const std::string_view given = directive.value;
  const std::string_view name = directive_name(given);
  const auto refuse = [&](const std::string& why) {
    job.refuse_at(directive.span, Field::directives, "the site's directive `" + std::string(given) + "` " + why);
  };
  const bool shaped =
      name.size() > 3 && name.starts_with("--") &&
      std::all_of(name.begin() + 2, name.end(), [](char c) { return c == '-' || is_lower(c) || is_digit(c); });
  if (!shaped) return refuse("must be `--option` or `--option=value`");
  if (find_option(Tool::sbatch, name.substr(2)) == nullptr && find_option(Tool::srun, name.substr(2)) != nullptr)
    return refuse("is an option of srun, which sbatch rejects");
  for (const std::string& have : job.directives) {
    // Other generic resources may be beside --gpus-per-node.
    if (name == "--gres" && given.find("gpu") == std::string_view::npos && directive_name(have) != "--gres") continue;
    if (same_thing(directive_name(have), name)) return refuse("would override `" + have + "` of the job");
  }
  if (given.size() == name.size()) add_flag(job, name, Field::directives);
  else add_option(job, name, given.substr(name.size() + 1), Field::directives);
}

}  // namespace

std::string fault_of(const Job& job, const OptionRow& row, bool has_value) {
  const model::Version have = job.plane.version.value;
  const Arity arity = row.arity_in(have);
  const std::string plane = "; plane `" + job.plane.name + "` runs Slurm " + to_string(have);
  if (arity == Arity::none && has_value) {
    const auto since = value_since(row);
    return "takes " + (since ? "a value since Slurm " + to_string(*since) + plane : std::string("no value"));
  }
  if (arity == Arity::required && !has_value) return "requires a value";
  if (arity != Arity::absent) return {};
  const OptionAge age = age_of(row);
  const bool gone = age.gone > model::Version{} && have >= age.gone;
  return (gone ? "was removed in " + to_string(age.gone) : "requires Slurm " + to_string(age.since)) + plane;
}

void add_flag(Job& job, std::string_view name, const FieldRef& field) {
  if (version_has(job, name, field, false)) job.directives.emplace_back(name);
}

void add_option(Job& job, std::string_view name, std::string_view value, const FieldRef& field) {
  if (!version_has(job, name, field, true)) return;
  const auto quoted = sbatch_value(value);
  if (!quoted) {
    const std::string message =
        "`" + std::string(name) +
        "` cannot have this value; an #SBATCH line allows no control characters and at most 4096 bytes";
    job.diagnostics.add(Code::name_not_valid, job.span_of(field), message);
    job.loss.refused(field, message);
    return;
  }
  job.directives.push_back(std::string(name) + "=" + *quoted);
}

bool has_option(const Job& job, std::string_view name) {
  return std::any_of(job.directives.begin(), job.directives.end(),
                     [&](const std::string& d) { return directive_name(d) == name; });
}

void add_site_directives(Job& job) {
  for (const auto& directive : job.batch.directives) add_site_directive(job, directive);
}

}  // namespace muster::targets::slurm
