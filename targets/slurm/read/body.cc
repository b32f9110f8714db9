#include "targets/slurm/read/body.h"

#include <algorithm>
#include <array>

#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/numbers.h"
#include "targets/slurm/read/srun_options.h"

namespace muster::targets::slurm {
namespace {

const std::string* text_of(const Script& script, std::string_view option) {
  const Directive* d = effective(script, option);
  return d != nullptr && d->value && d->certainty == Certainty::literal ? &*d->value : nullptr;
}

std::optional<std::int64_t> number_of(const Script& script, std::string_view option) {
  const std::string* text = text_of(script, option);
  return text == nullptr ? std::nullopt : slurm_number(*text);
}

constexpr auto names = std::to_array<std::string_view>({
#define SLURM_VARIABLE(name) #name,
#include "targets/slurm/variable_names.def"
#undef SLURM_VARIABLE
});

// Seen on 22.05, 24.11 and 26.05: SLURM_NTASKS is set where --ntasks or --ntasks-per-node is given, not for --nodes
// alone.
std::vector<shell::Given> given_by(const Script& script) {
  std::vector<shell::Given> out;
  const auto set = [&](std::string_view name, const std::string& value) { out.push_back({std::string(name), value}); };
  const auto set_number = [&](std::string_view name, std::optional<std::int64_t> value) {
    if (value) set(name, std::to_string(*value));
  };
  std::optional<std::int64_t> nodes;
  if (const std::string* text = text_of(script, "nodes"))
    if (const auto range = slurm_nodes(*text); range && range->min == range->max && range->min > 0) nodes = range->min;
  const auto per_node = number_of(script, "ntasks-per-node");
  auto tasks = number_of(script, "ntasks");
  if (!tasks && effective(script, "ntasks") == nullptr && nodes && per_node && *per_node < 1'000'000)
    tasks = *nodes * *per_node;
  if (tasks && nodes && *tasks < *nodes) nodes = tasks;
  for (const std::string_view name : {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}) set_number(name, nodes);
  for (const std::string_view name : {"SLURM_NTASKS", "SLURM_NPROCS"}) set_number(name, tasks);
  set_number("SLURM_NTASKS_PER_NODE", per_node);
  set_number("SLURM_CPUS_PER_TASK", number_of(script, "cpus-per-task"));
  for (const auto& [option, name] : {std::pair{"gpus", "SLURM_GPUS"}, std::pair{"gpus-per-node", "SLURM_GPUS_PER_NODE"},
                                     std::pair{"gpus-per-task", "SLURM_GPUS_PER_TASK"}})
    if (const std::string* text = text_of(script, option)) set(name, *text);
  if (const std::string* text = text_of(script, "job-name")) set("SLURM_JOB_NAME", *text);
  if (const std::string* per = text_of(script, "gpus-per-node"))
    if (const auto gpus = slurm_gpus(*per); gpus && gpus->size() == 1)
      set_number("SLURM_GPUS_ON_NODE", gpus->front().count);
  for (const OwnName& own : script.own_names)
    if (own.value.is_plain()) set(own.name, own.value.bytes);
  return out;
}

}  // namespace

std::span<const std::string_view> slurm_variable_names() { return names; }

Body read_body(const Sources& sources, const Script& script) {
  const bool text = std::none_of(script.refusals.begin(), script.refusals.end(), [](const Refusal& r) {
    return r.kind == RefusalKind::nul_byte || r.kind == RefusalKind::too_large || r.kind == RefusalKind::empty_file;
  });
  Body body;
  body.shell = text && shell::is_shell(script.interpreter);
  if (!body.shell || !script.body.known()) return body;
  return shell::read_body({sources.text(script.file), script.file, script.body.begin, script.body.end, script.expanded,
                           given_by(script), srun_options()});
}

}  // namespace muster::targets::slurm
