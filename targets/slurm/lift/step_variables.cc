#include "targets/slurm/lift/step_variables.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::targets::slurm::lifting {
namespace {

constexpr std::array options = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"SLURM_MPI_TYPE", "mpi"},
    {"SLURM_CPU_BIND", "cpu-bind"},
    {"SLURM_GPU_BIND", "gpu-bind"},
    {"SLURM_MEM_BIND", "mem-bind"},
    {"SLURM_DISTRIBUTION", "distribution"},
    {"SLURM_HINT", "hint"},
    {"SLURM_LABELIO", "label"},
    {"SLURM_UNBUFFEREDIO", "unbuffered"},
    {"SLURM_KILL_BAD_EXIT", "kill-on-bad-exit"},
    {"SLURM_EXPORT_ENV", "export"},
    {"SRUN_CPUS_PER_TASK", "cpus-per-task"},
});

bool is_switch(std::string_view option) { return option == "label" || option == "unbuffered"; }

// A variable as the lines above the step leave it.
struct Held {
  Word value;
  bool set = false, exported = false;
};

// What a line does to a variable, in the order of the text.
struct Event {
  Span at;
  std::string_view name;
  const Word* value = nullptr;  // nullptr: `export NAME`, or an `unset`
  bool exports = false, unsets = false, sure = false;
};

std::vector<Event> events_above(const Body& body, const Launch& step) {
  std::vector<Event> out;
  for (const Export& e : body.exports)
    out.push_back({e.span, e.name, e.value ? &*e.value : nullptr, true, false, e.unconditional});
  for (const Command& c : body.commands) {
    if (c.inside >= 0) continue;  // another shell
    const bool sure = body.unconditional(c);
    if (c.words.empty())
      for (const Assignment& a : c.assignments) out.push_back({a.value.span, a.name, &a.value, false, false, sure});
    else if (c.program() == "unset")
      for (const Word& word : c.words) out.push_back({word.span, word.text, nullptr, false, true, sure});
  }
  std::erase_if(out, [&](const Event& e) { return e.at.end > step.span.begin; });
  std::stable_sort(out.begin(), out.end(), [](const Event& x, const Event& y) { return x.at.begin < y.at.begin; });
  return out;
}

void apply(const Event& event, Held& held) {
  if (event.value != nullptr) held.value = *event.value, held.set = true;
  if (event.exports) held.exported = true;
  if (event.unsets && event.sure) held = {};
  held.value.literal = held.value.literal && event.sure;
}

void take(std::string_view name, std::string_view option, const Word& value, const Launch& step,
          std::vector<StepVariable>& out) {
  const bool off = is_switch(option) && value.text == "0";
  if (value.text.empty() || off || step.option(option) != nullptr) return;
  StepVariable taken{std::string(name), {std::string(option), value, value.span}};
  if (is_switch(option) && value.literal && value.text == "1") taken.option.value.reset();
  else if (is_switch(option)) taken.option.value->literal = false;
  out.push_back(std::move(taken));
}

}  // namespace

std::vector<StepVariable> variables_of_step(const Body& body, const Launch& step) {
  std::vector<StepVariable> out;
  const std::vector<Event> events = events_above(body, step);
  for (const auto& [name, option] : options) {
    Held held;
    for (const Event& event : events)
      if (event.name == name) apply(event, held);
    for (const Assignment& a : body.commands[step.command].assignments)  // in front of the step itself
      if (a.name == name) held = {a.value, true, true};
    if (held.set && held.exported) take(name, option, held.value, step, out);
  }
  return out;
}

}  // namespace muster::targets::slurm::lifting
