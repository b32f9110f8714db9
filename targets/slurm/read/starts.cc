// How many processes the launches of a script start: tasks of srun or mpirun times what launchers fork.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/launch_options.h"
#include "compiler/shell/launchers.h"
#include "targets/slurm/read/component.h"
#include "targets/slurm/read/numbers.h"

namespace muster::targets::slurm {
namespace {

Count times(const Count& a, const Count& b) {
  if (!a.value) return unknown(a.reason);
  if (!b.value) return unknown(b.reason);
  std::int64_t product = 0;
  if (__builtin_mul_overflow(*a.value, *b.value, &product)) return unknown("the number is too large");
  return known(product);
}

template <class T>
Count count_of(const Known<T>& field, const char* missing) {
  if (field) return known(field.value);
  return unknown(field.reason.empty() ? missing : field.reason);
}

Count nodes_of(const Component& c) {
  if (c.nodes && c.nodes->min == c.nodes->max) return known(c.nodes->min);
  if (c.nodes)
    return unknown("the job can get " + std::to_string(c.nodes->min) + " to " + std::to_string(c.nodes->max) +
                   " nodes");
  if (c.nodes.reason.empty() && !c.nodes.given()) return unknown("--nodes is not given, so Slurm may spread the tasks");
  return unknown(c.nodes.reason.empty() ? "the number of nodes is not known" : c.nodes.reason);
}

struct Tasks {
  Count total, per_node, nodes;
};

// Tasks a node. Without a number a node Slurm packs them as CPUs are free: 6 tasks on 2 nodes were 5 and 1
// (seen on 22.05, 24.11 and 26.05).
Count spread(const Count& total, const Count& nodes, const Component& c) {
  if (!total.value) return unknown(total.reason);
  if (*total.value == 1 || nodes.value == 1) return total;
  if (!nodes.value) return c.tasks_per_node ? known(*c.tasks_per_node) : unknown(nodes.reason);
  if (*total.value == *nodes.value) return known(1);
  if (c.tasks_per_node && times(known(*c.tasks_per_node), nodes).value == total.value) return known(*c.tasks_per_node);
  return unknown("without --ntasks-per-node Slurm may share " + std::to_string(*total.value) +
                 " tasks unevenly among " + std::to_string(*nodes.value) + " nodes");
}

// SLURM_NTASKS is in the job where --ntasks or --ntasks-per-node was given, and goes before srun's
// --ntasks-per-node (seen on 22.05, 24.11 and 26.05).
bool job_says_tasks(const Component& c) { return c.tasks.by != no_directive || c.tasks_per_node || c.tasks_per_gpu; }

// Since 23.02.5 the options of a step that gives its --nodes go before SLURM_NTASKS (seen on 22.05, 24.11 and 26.05).
// nullopt: the version is not known well enough.
std::optional<bool> step_goes_first(std::optional<model::Version> version) {
  if (version && *version >= model::Version{23, 11}) return true;
  if (version && *version < model::Version{23, 2}) return false;
  return std::nullopt;
}

// The tasks of a step without --ntasks that gives its --nodes: its own number a node, or that of the job, as `wanted`.
Count tasks_on_nodes(const Component& c, const Count& wanted, std::optional<model::Version> version) {
  const Count all = count_of(c.tasks, "the number of tasks is not known");
  const std::optional<bool> first = step_goes_first(version);
  if (wanted.value == all.value || first == false) return all;
  if (first) return wanted;
  return unknown("it depends on the version: before 23.02.5, Slurm starts all tasks of the job");
}

Tasks srun_tasks(const Launch& launch, const Component& c, std::optional<model::Version> version,
                 std::vector<std::string>& ignored) {
  Tasks out;
  out.nodes = launch.nodes.stated() ? launch.nodes : nodes_of(c);
  const Count own = times(launch.per_node, out.nodes);
  if (launch.processes.stated()) {
    out.total = launch.processes;
  } else if (!job_says_tasks(c)) {
    out.total = launch.per_node.stated() ? own : out.nodes;
  } else if (!launch.nodes.stated()) {
    out.total = count_of(c.tasks, "the number of tasks is not known");
  } else {
    const bool a_node = c.tasks.by == no_directive && c.tasks_per_node;
    const Count all = count_of(c.tasks, "the number of tasks is not known");
    const Count by_job = a_node ? times(known(*c.tasks_per_node), out.nodes) : all;
    out.total = tasks_on_nodes(c, launch.per_node.stated() ? own : by_job, version);
  }
  const bool by_step = !launch.processes.stated() && launch.per_node.stated() &&
                       (!job_says_tasks(c) || (own.value && own.value == out.total.value));
  if (!launch.processes.stated() && own.value && out.total.value && !by_step)
    ignored.push_back("`srun --ntasks-per-node=" + std::to_string(*launch.per_node.value) +
                      "` has no effect, because the job's number of tasks, " + std::to_string(*out.total.value) +
                      ", takes precedence; use `srun --ntasks=" + std::to_string(*own.value) + "`");
  if (out.total.value && out.nodes.value) out.nodes.value = std::min(*out.total.value, *out.nodes.value);
  if (!out.nodes.value && out.total.value == 1) out.nodes = known(1);
  out.per_node = by_step ? launch.per_node : spread(out.total, out.nodes, c);
  return out;
}

// A slot is a task of the job.
Tasks mpirun_tasks(const Launch& launch, const Component& c) {
  Tasks out;
  out.nodes = nodes_of(c);
  if (launch.processes.stated()) out.total = launch.processes;
  else if (launch.per_node.stated()) out.total = times(launch.per_node, out.nodes);
  else out.total = count_of(c.tasks, "the number of tasks is not known");
  if (launch.per_node.stated()) out.per_node = launch.per_node;
  else if (out.nodes.value == 1) out.per_node = out.total;
  else if (c.tasks && out.total.value == c.tasks.value) out.per_node = spread(out.total, out.nodes, c);
  else
    out.per_node = unknown(launch.kind == Launcher::mpirun ? "mpirun fills the slots of one node before the next"
                                                           : "`" + launch.tool + "` chooses their nodes");
  return out;
}

Count forks_of(const Launch& launch, const Component& c) {
  const shell::Starts starts = row_of(launch.kind).starts;
  if (starts == shell::Starts::workers) return unknown("Ray decides how many workers it starts");
  if (starts != shell::Starts::ranks) return known(1);
  if (!launch.processes.per_gpu || row_of(launch.kind).of_all_nodes) return launch.processes;
  if (c.gpus_a_node.value && *c.gpus_a_node.value > 0) return c.gpus_a_node;
  return unknown(c.gpus_a_node.value ? "one per visible GPU, but the job does not request GPUs" : c.gpus_a_node.reason);
}

bool starts_tasks(Launcher kind) { return row_of(kind).starts == shell::Starts::tasks; }

// Python that only asks or installs something is not a start of the work.
bool is_chore(const Launch& launch) {
  if (row_of(launch.kind).starts == shell::Starts::jobs) return true;
  if (launch.kind != Launcher::python) return false;
  if (launch.option("c") != nullptr || launch.program.empty()) return true;
  if (base_name(launch.program[0].text) == "setup.py") return true;
  return launch.option("m") != nullptr && (launch.program[0].text == "pip" || launch.program[0].text == "venv");
}

// The count that a launcher takes from an exported variable, where none of its options says it.
std::optional<Count> exported_count(const Body& body, std::span<const shell::Given> around, const Launch& launch,
                                    std::string_view variable, std::string_view options) {
  if (variable.empty() || std::any_of(launch.options.begin(), launch.options.end(),
                                      [&](const LaunchOption& o) { return lists_name(options, o.name); }))
    return std::nullopt;
  const Export* last = nullptr;
  for (const Export& e : body.exports)
    if (e.name == variable && e.span.begin < launch.span.begin) last = &e;
  const auto given =
      std::find_if(around.begin(), around.end(), [&](const auto& g) { return g.name == variable || g.name == "*"; });
  if (last == nullptr && given == around.end()) return std::nullopt;
  const auto value = last == nullptr                       ? slurm_number(given->value)
                     : last->value && last->value->literal ? slurm_number(last->value->text)
                                                           : std::nullopt;
  Count count = value ? known(*value) : unknown("`" + std::string(variable) + "` is known only when the job runs");
  if (last != nullptr) count.span = last->span;
  return count;
}

class StartFinder {
 public:
  StartFinder(const Body& body, const std::vector<Component>& components, std::optional<model::Version> version,
              std::vector<Remark>& remarks, const Surroundings& around)
      : body_(body),
        components_(components),
        version_(version),
        remarks_(remarks),
        around_(around),
        has_child_(body.launches.size()) {
    for (const Launch& launch : body.launches)
      if (launch.parent >= 0) has_child_[static_cast<std::size_t>(launch.parent)] = true;
  }

  std::vector<Start> run() {
    std::vector<Start> out;
    for (std::size_t i = 0; i < body_.launches.size(); ++i) {
      const Launch& launch = body_.launches[i];
      const Command& command = body_.commands[launch.command];
      if (has_child_[i] || is_chore(launch) || body_.inside(command, ScopeKind::substitution) != nullptr) continue;
      out.push_back(start(static_cast<std::int32_t>(i)));
    }
    std::stable_sort(out.begin(), out.end(),
                     [&](const Start& a, const Start& b) { return at(a.launch).span.begin < at(b.launch).span.begin; });
    return out;
  }

 private:
  const Launch& at(std::int32_t index) const { return body_.launches[static_cast<std::size_t>(index)]; }

  Start start(std::int32_t leaf) {
    Start out;
    std::vector<std::int32_t> chain;
    for (std::int32_t i = leaf; i >= 0 && chain.size() < 64; i = at(i).parent) chain.push_back(i);
    std::reverse(chain.begin(), chain.end());
    out.launch = chain.front(), out.inner = leaf;
    for (const std::int32_t i : chain)
      if (shell::forks(at(i).kind)) out.inner = i;
    out.component = component_of(at(chain.front()));
    const Launch& inner = at(out.inner);
    const shell::LauncherRow& row = row_of(inner.kind);
    if (row.starts == shell::Starts::ranks)
      out.joined = exported_count(body_, around_.exported, inner, node_names(inner.kind).variable, row.nodes)
                       .value_or(inner.nodes);
    count(out, chain, components_[out.component]);
    out.unconditional = body_.unconditional(body_.commands[at(leaf).command]);
    return out;
  }

  std::uint32_t component_of(const Launch& launch) const {
    const LaunchOption* group = launch.option("het-group");
    if (group == nullptr || !group->value || group->value->text.size() != 1) return 0;
    const int index = group->value->text[0] - '0';
    return index > 0 && static_cast<std::size_t>(index) < components_.size() ? static_cast<std::uint32_t>(index) : 0;
  }

  // What a launcher's options do not say it takes from the environment.
  Count forks_at(const Launch& launch, const Component& c) const {
    const shell::LauncherRow& row = row_of(launch.kind);
    const auto exported = exported_count(body_, around_.exported, launch, row.variable, row.processes);
    return exported ? *exported : forks_of(launch, c);
  }

  void count(Start& out, const std::vector<std::int32_t>& chain, const Component& c) {
    Tasks tasks{known(1), known(1), known(1)};
    bool step = around_.runs_on == RunsOn::each_node;
    if (step) tasks.total = tasks.nodes = nodes_of(c);
    out.forks = known(1);
    for (const std::int32_t i : chain) {
      const Launch& launch = at(i);
      if (starts_tasks(launch.kind) && (!step || around_.runs_on == RunsOn::each_node)) {
        std::vector<std::string> ignored;
        tasks = launch.kind == Launcher::srun ? srun_tasks(launch, c, version_, ignored) : mpirun_tasks(launch, c);
        for (std::string& text : ignored)
          remarks_.push_back({RemarkKind::tasks_ignored, std::move(text), no_directive, i});
        step = true;
        if (!launch.multi_prog.empty()) tasks.total = unknown("the file of --multi-prog determines what starts");
      }
      if (shell::forks(launch.kind)) out.forks = times(out.forks, forks_at(launch, c));
    }
    out.tasks = tasks.total, out.tasks_per_node = tasks.per_node, out.nodes = tasks.nodes;
    out.per_node = times(out.tasks_per_node, out.forks), out.total = times(out.tasks, out.forks);
    out.step = step;
    if (!step) remark_on_first_node(chain, c);
  }

  // A launcher of several nodes that nothing starts on the others.
  void remark_on_first_node(const std::vector<std::int32_t>& chain, const Component& c) {
    const Launch& launch = at(chain.back());
    if (launch.kind != Launcher::torchrun || !nodes_of(c).value || *nodes_of(c).value < 2) return;
    remarks_.push_back({RemarkKind::first_node,
                        "`" + std::string(name(launch.kind)) +
                            "` without srun only runs on the first node, but the job has " +
                            std::to_string(c.nodes->min),
                        no_directive, chain.back()});
  }

  const Body& body_;
  const std::vector<Component>& components_;
  std::optional<model::Version> version_;
  std::vector<Remark>& remarks_;
  const Surroundings& around_;
  std::vector<bool> has_child_;
};

}  // namespace

std::vector<Start> find_starts(const Body& body, const std::vector<Component>& components,
                               std::optional<model::Version> version, std::vector<Remark>& remarks,
                               const Surroundings& around) {
  return StartFinder(body, components, version, remarks, around).run();
}

}  // namespace muster::targets::slurm
