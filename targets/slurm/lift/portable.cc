#include "targets/slurm/lift/portable.h"

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "targets/given_names.h"

namespace muster::targets::slurm::lifting {
namespace {

constexpr std::string_view prefix = "SLURM_";

const GivenName* given_by_slurm(std::string_view name) { return given_name(BatchSystem::slurm, name); }

bool means(std::string_view name, Given meaning) {
  const GivenName* row = given_by_slurm(name);
  return row != nullptr && row->meaning == meaning;
}

// The number that a variable has in this job; "" where Slurm may not set it, or the job does not say it.
std::string number_of(std::string_view name, const Lifter& lifter, TextOf of) {
  const bool rank = means(name, Given::process_rank) || means(name, Given::local_rank) || means(name, Given::node_rank);
  if (of == TextOf::first_node && rank) return "0";
  const JobShape& shape = lifter.shape;
  const auto given = [&](std::string_view option) { return lifter.given(option); };
  const auto& nodes = lifter.out.workload.roles.front().resources.nodes;
  const bool fixed = !nodes || nodes->value.low == nodes->value.high;
  const bool tasks = given("ntasks-per-node");
  if (!shape.counted || !fixed) return {};
  if (means(name, Given::nodes)) return std::to_string(shape.nodes);
  if (name == "SLURM_NTASKS_PER_NODE" && tasks) return std::to_string(shape.asked);
  if (means(name, Given::world) && (tasks || given("ntasks"))) return std::to_string(shape.nodes * shape.asked);
  if (name == "SLURM_TASKS_PER_NODE" && (tasks || given("ntasks")) && shape.nodes == 1)
    return std::to_string(shape.asked);
  if (means(name, Given::cpus_of_task) && given("cpus-per-task") && shape.cpus_per_task)
    return std::to_string(*shape.cpus_per_task);
  return {};
}

// The variable that has the same value on every target; "" where none does.
std::string_view variable_for(std::string_view name, const Lifter& lifter, TextOf of) {
  if (!name.starts_with("SLURM_ARRAY") && means(name, Given::run_id))
    return lifter.shape.array ? "" : contract_name(Given::run_id);
  if (means(name, Given::node_rank) && of != TextOf::program) return contract_name(Given::node_rank);
  const model::RunnerVariables& ranks = row_of(model::Runner::processes).variables;
  if (of != TextOf::each_task) return {};
  if (means(name, Given::process_rank)) return ranks.process_rank;
  return means(name, Given::local_rank) ? ranks.local_rank : std::string_view{};
}

// `$SLURM_X` or `${SLURM_X}` in a text.
struct Read {
  std::string_view name;
  std::size_t begin = 0, end = 0;  // with `$` and braces
  bool whole = false;              // false: `${SLURM_X:-4}`, or no read at all
  bool escaped = false;            // `\$SLURM_X`
};

// The one whose name begins at `at`.
Read read_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_name_char(text[end])) ++end;
  const bool plain = at > 0 && text[at - 1] == '$';
  const bool braced = at > 1 && text.substr(at - 2, 2) == "${" && end < text.size() && text[end] == '}';
  Read out{text.substr(at, end - at), at, end, plain || braced, false};
  if (!out.whole) return out;
  out.begin -= plain ? 1 : 2;
  out.end += plain ? 0 : 1;
  out.escaped = out.begin > 0 && text[out.begin - 1] == '\\';
  return out;
}

}  // namespace

bool is_of_task(std::string_view name) {
  const GivenName* row = given_by_slurm(name);
  return (row != nullptr && tells_apart(*row)) || name == "HOSTNAME" || name.starts_with("SLURM_STEP");
}

bool counts_tasks(std::string_view name) { return means(name, Given::world) || means(name, Given::per_node); }

bool differs_in_tasks(std::string_view name, const Lifter& lifter) {
  if (is_of_task(name)) return name.starts_with("SLURM");
  // A step has these also where the job is not asked for tasks.
  const bool each = lifter.given("ntasks-per-node") || lifter.given("tasks-per-node");
  if (name == "SLURM_NTASKS_PER_NODE") return !each;
  return means(name, Given::world) && !each && !lifter.given("ntasks");
}

bool reads_slurm(std::string_view text) {
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string_view::npos; at += prefix.size())
    if (at + prefix.size() < text.size() && is_upper(text[at + prefix.size()])) return true;
  return text.find("SLURMD_") != std::string_view::npos;
}

std::string with_task_counts(std::string_view text, const Lifter& lifter) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string_view::npos;) {
    const Read read = read_at(text, at);
    at = read.end;
    const std::string number =
        counts_tasks(read.name) && read.whole && !read.escaped ? number_of(read.name, lifter, TextOf::program) : "";
    if (number.empty()) continue;
    out += text.substr(copied, read.begin - copied);
    out += number;
    copied = read.end;
  }
  return out += text.substr(copied);
}

std::optional<std::string> portable_text(std::string_view text, const Lifter& lifter, TextOf of) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string_view::npos;) {
    const Read read = read_at(text, at);
    if (!read.whole) return std::nullopt;
    const std::string number = number_of(read.name, lifter, of);
    const std::string_view variable = number.empty() ? variable_for(read.name, lifter, of) : std::string_view{};
    if (number.empty() && variable.empty()) return std::nullopt;
    out += text.substr(copied, read.begin - copied);
    if (!number.empty() && read.escaped) out.pop_back();
    out += number.empty() ? "${" + std::string(variable) + "}" : number;
    at = copied = read.end;
  }
  out += text.substr(copied);
  return reads_slurm(out) ? std::nullopt : std::optional(std::move(out));
}

}  // namespace muster::targets::slurm::lifting
