// SLM011 gpus-per-node-typed, PAR003 declared-twice: counts that a script has twice.
#include <algorithm>

#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"
#include "targets/compiled_mark.h"

namespace muster::lint {
namespace {

// ---- SLM011 ------------------------------------------------------------------------------------------

bool is_typed(const slurm::Known<std::vector<slurm::GpuCount>>& gpus) {
  return gpus && std::any_of(gpus->begin(), gpus->end(), [](const slurm::GpuCount& g) { return !g.type.empty(); });
}

// The command that only shows its words.
bool only_shows(const SlurmJob& job, Span place) {
  for (const shell::Command& c : job.body.commands)
    if (c.span.begin <= place.begin && place.end <= c.span.end) return c.program() == "echo" || c.program() == "printf";
  return false;
}

void check_typed_count(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  const slurm::Directive* d = job.directive(c.gpus_per_node.by);
  if (d == nullptr || d->name != "gpus-per-node" || !is_typed(c.gpus_per_node)) return;
  for (const shell::EnvironmentRead& read : job.body.reads) {
    const std::string_view spelling = job.sources().text(read.span);
    const bool plain = spelling == "$" + read.name || spelling == "${" + read.name + "}";  // `##*:` takes the type off
    if (read.name != "SLURM_GPUS_PER_NODE" || !plain || only_shows(job, read.span)) continue;
    Finding& f =
        job.wrong_at(RuleId::gpus_per_node_typed, read.span, read.name,
                     "`" + std::string(spelling) + "` is `" + d->value.value_or("") + "` here, which is not a number");
    if (d->whole.file == job.script.file) f.labels.push_back({d->whole, "written here"});
    f.fix = Fix{
        "read the number", true, {{read.span, spelling[1] == '{' ? "${SLURM_GPUS_ON_NODE}" : "$SLURM_GPUS_ON_NODE"}}};
  }
}

// ---- PAR003 ------------------------------------------------------------------------------------------

// A launcher's literal number of processes beside the directive's number of GPUs: one of them is forgotten one day. In
// a file that muster compiles both are one key.
void check_twice(const SlurmJob& job) {
  if (targets::is_compiled(job.sources().text(job.script.file))) return;
  const slurm::Component& c = job.meaning.job();
  const slurm::Directive* d = job.directive(c.gpus_per_node.by);
  if (d == nullptr || !c.gpus_a_node.value || *c.gpus_a_node.value < 2) return;
  for (const shell::Launch& launch : job.body.launches) {
    const shell::LaunchOption* option = launch.option("nproc-per-node");
    if (launch.kind != shell::Launcher::torchrun || option == nullptr || !option->value) continue;
    const shell::Word& value = *option->value;
    const std::string number = std::to_string(*c.gpus_a_node.value);
    if (!value.literal || value.text != number || !job.sources().text(option->span).ends_with(number)) continue;
    Finding& f = job.wrong_at(RuleId::declared_twice, option->span, "nproc-per-node",
                              "the " + number + " GPUs per node are repeated here as a number");
    if (d->whole.file == job.script.file) f.labels.push_back({d->whole, "requested here"});
    const std::uint32_t begin = option->span.end - static_cast<std::uint32_t>(number.size());
    f.fix = Fix{"use the number that the job got",
                true,
                {{{option->span.file, begin, option->span.end}, "$SLURM_GPUS_ON_NODE"}}};
  }
}

}  // namespace

void check_arguments(const SlurmJob& job) {
  check_typed_count(job);
  check_twice(job);
}

}  // namespace muster::lint
