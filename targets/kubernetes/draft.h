// One file of manifests under construction, and the one way in which every kind on a plane of pods is written.
//
// A kind is a row in kinds.cc, a function `void build_KIND(Draft&)` and a line in targets/registry.cc that names it.
// The function
//   1. refuses what the kind cannot take (draft.refuse, draft.refuse_at; then it may return at once),
//   2. makes a pod template of each role with make_pod (pod.h), giving the words that this kind has for ranks and
//      addresses (RunExpressions),
//   3. puts the templates into its object, made by draft.main_object,
//   4. asks gang.h for the provider's words on object and templates, and gives the object to add_workload_object,
//   5. accounts for the fields of the workload that are its own to carry: replicas, time-limit, retry, sweep, scale,
//      serve, dev. All other fields are accounted for by make_pod and, at the end, by report_workload (report.h).
// It is called twice where names carry a digest (see `name`), so it keeps no state outside the draft.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "targets/account.h"
#include "targets/kubernetes/gang_providers.h"
#include "targets/kubernetes/gates.h"
#include "targets/kubernetes/kinds.h"
#include "targets/kubernetes/tree.h"
#include "targets/target.h"

namespace muster::targets::kubernetes {

struct Draft : Account {
  const plan::Plan& plan;
  const model::Plane& plane;
  const model::PodPlane& pods;  // of the plane
  const model::Site& site;
  const LowerOptions& options;
  std::string_view target;

  // Of the main object, and the first part of every other one's. Run-to-completion kinds: the workload's name with
  // the run's (`--run`), else with 8 digits of the digest of the document as it is with eight zeros there.
  std::string name{};
  std::string base{};                                        // the same without a suffix
  std::string name_space{};                                  // "": not stated
  model::GangProvider provider = model::GangProvider::none;  // the plane's, or the one that the target names
  ObjectName main{};                                         // the object that is the workload, once it is added
  // For a gang that has to be near although the workload names no domain: the plane's level, as a preference.
  std::optional<model::Topology> near{};
  // What ends it: its own time-limit, else the default-time of its queue. Kinds that never end do not read it.
  model::Optional<Duration> limit{};
  bool for_digest = false;  // what does not distinguish two runs is left out
  bool keeps_name = false;  // a service: set by the kind before it makes its first object
  std::vector<Node> objects{};
  // The lines at the top of the file, behind its title: what a person does with it.
  std::vector<std::string> remarks{};

  // The workload, not its objects, is distinguished by these on the object that it is and on its pods:
  // app.kubernetes.io/name and such, and the user's own labels. What names the workload stays on pods that an object of
  // the file selects by it.
  Node labels_for(std::string_view role) const;
  // {apiVersion, kind, metadata {name, namespace, the user's own labels}}.
  Node object(std::string_view api_version, std::string_view kind, std::string_view object_name) const;
  // The same of the object that is the workload, of a kind that muster writes, with all its labels: under `--names
  // generate` it has a generateName.
  Node main_object(const kubernetes::Kind& kind) const;
  void add(Node object) { objects.push_back(std::move(object)); }

  // The name of the main object as a word of sh. Where the API server makes the name, it is a variable which the pod
  // gets from the label by which the kind's controller names the object on its pods.
  std::string name_word() const;
  bool is_generated() const { return options.names == Names::generate && !keeps_name && options.run.empty(); }
  // The environment that name_word() needs: an item of `env`, or nothing.
  Node name_variable(const kubernetes::Kind& kind) const;

  // Whether names of up to `room` more bytes behind `name` fit a DNS label; else the refusal names the longest one.
  bool fits(std::size_t room, std::string_view what);

  // Accounts for `limit`, which the kind writes as `as`, and not exactly if there is a note.
  void report_limit(std::string_view as, std::string_view note = {});

  const kubernetes::GangProviderRow& gang_row() const { return kubernetes::gang_provider(provider); }
  // Whether the plane declares a release that lacks what a row is about.
  bool lacks(const Gate& gate) const { return !has(plane, gate.component, gate.in); }
  // Refuses what the declared release lacks, by the last word of the row's path. True: refused.
  bool needs(const Gate& gate, Span where, const FieldRef& field);
  // The same of a feature: `what` of it is written, such as "a gang of LeaderWorkerSets on Volcano".
  bool needs(std::string_view component, std::string_view feature, std::string_view what, const FieldRef& field);
  // Whether the plane says that an operator runs with a flag.
  bool has_flag(std::string_view operator_name, std::string_view flag) const;
  // The same of a flag that begins so: `--config=`.
  bool has_flag_with(std::string_view operator_name, std::string_view beginning) const;
};

// Lowers a plan by a target's own function: checks that it is on a plane of pods and that the plane has the operator of
// the kind where it lists operators at all, builds, and renders. The loss report is complete.
Lowered lower_pods(const Target& target, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

// The same under the name of `target`, by the function of another one.
Lowered lower_pods_as(const Target& target, const Target& kind, const plan::Plan& plan, const LowerOptions& options,
                      Diagnostics& diagnostics);

}  // namespace muster::targets::kubernetes
