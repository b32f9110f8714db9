// One component of a job from its directives.
#pragma once

#include <map>

#include "targets/slurm/read/meaning.h"

namespace muster::targets::slurm {

// The directive that decides each option of a component, as an index into Script::directives.
using DirectiveIndex = std::map<std::string_view, std::int32_t>;

// What the next component has from the one before it, before its own directives.
Component inherited(const Component& before);

// Applies one directive. Where Slurm refuses its value, the field is `invalid` and a conflict says why.
void apply(Component& component, const Script& script, std::int32_t index, std::optional<model::Version> version,
           std::vector<Conflict>& conflicts);

// What Slurm works out from the options together: nodes of a node list, tasks, GPUs a node.
void complete(Component& component);

// Pairs of options of a component that Slurm refuses together, in a version or in all.
void find_conflicts(const Component& component, const Script& script, const DirectiveIndex& last, std::uint32_t index,
                    std::optional<model::Version> version, std::vector<Conflict>& conflicts);

// Where the text of a job runs: on its first node, as the script of a batch system does, or on each, as the command of
// a pod.
enum class RunsOn : std::uint8_t { first_node, each_node };

// What is around the text of a job.
struct Surroundings {
  RunsOn runs_on = RunsOn::first_node;
  // To it. One whose value is "" is set, but to what is not known; `*` is any name that is not among them.
  std::span<const shell::Given> exported{};
};

// Which processes the launches of the body start.
std::vector<Start> find_starts(const Body& body, const std::vector<Component>& components,
                               std::optional<model::Version> version, std::vector<Remark>& remarks,
                               const Surroundings& around = {});

// What the site refuses of one component.
void check_site(const Component& component, std::uint32_t index, const MeaningOptions& options,
                const model::Plane* plane, std::vector<SiteRefusal>& refusals);

}  // namespace muster::targets::slurm
