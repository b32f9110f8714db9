// The lifting of one object under way. Inside targets/kubernetes/lift only.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "targets/kubernetes/lift/ledger.h"
#include "targets/kubernetes/operator_names.h"
#include "targets/kubernetes/read/manifest.h"
#include "targets/kubernetes/tree.h"

namespace muster::targets::kubernetes::lifting {

struct ObjectLift {
  const Sources& sources;
  const Manifest& manifest;
  const Object& object;
  Imported& out;
  Diagnostics& diagnostics;

  Ledger ledger{};
  std::set<const data::Node*> programs{};    // the containers whose program the roles run
  std::vector<const PodTemplate*> lifted{};  // the pod templates that became roles
  // What the site says to the pods of a queue: which nodes, as whom, with which devices.
  Node queue_pod = map({});
  std::string queue_name{};   // on the plane; "": it has none
  std::string queue_label{};  // what to call it, where it has no name on the plane
  model::GangProvider provider = model::GangProvider::none;
  Givers givers{};                        // who puts variables of its own into the pods
  bool pods_are_ranks = false;            // WORLD_SIZE of the operator counts the pods
  std::set<std::string> kubelet_names{};  // those of `$(NAME)` in what is started

  model::Workload& workload() { return out.workload; }
  model::Plane& plane() { return out.site.planes.front(); }
  model::PodPlane& pods() { return *out.site.planes.front().pods(); }
  Field spec(std::string_view path) const { return object.root.at("spec").at(path); }
  // A role; the first one is the workload's own, and has no name of its own unless it is given one.
  model::Role& role(std::string_view name);

  bool refuse(const Field& where, const std::string& message, const std::string& help = {});
  void question(Span at, const std::string& path, const std::string& note) {
    ledger.say(at, path, Fate::question, "", note);
  }
};

// pod.cc: what every pod template shares. The template's fields are in the ledger then, as far as keys say them.
void lift_pod(ObjectLift& lift, const PodTemplate& pods, model::Role& role);
// A second template of the same role: what it says alike needs no account of its own.
void lift_twin(ObjectLift& lift, const PodTemplate& pods, const PodTemplate& of);
// twins.cc: whether the containers of two templates run the same with the same; a template that does not is kept whole
// in an option of the target's block.
bool run_alike(const PodTemplate& one, const PodTemplate& other);
void keep_template(ObjectLift& lift, const PodTemplate& pods, const PodTemplate& of, std::string_view option);
// The container whose program a role runs: the one with GPUs, else the first; an empty one without any.
const Container* program_container(const PodTemplate& pods);
const Container& container_of(const PodTemplate& pods);

// resources.cc
void lift_resources(ObjectLift& lift, const PodTemplate& pods, const Container& container, model::Role& role);

// volumes.cc: storage, scratch, shared memory, files
void lift_volumes(ObjectLift& lift, const PodTemplate& pods, const Container& container, model::Role& role);

// placement.cc: nodes, tolerations, priorities, schedulers
void lift_placement(ObjectLift& lift, const PodTemplate& pods, model::Role& role);
// The queue and the gang scheduler by the labels of the object; before the pods.
void lift_admission(ObjectLift& lift);
// The queue of the site that all of it became; after the pods.
void add_queue(ObjectLift& lift);

// program.cc
struct ProgramRules {
  std::int64_t nodes = 1;
  bool has_operator = false;  // it sets the variables of torchrun
  std::string range{};        // of an elastic job: "1:16"
  std::string_view shell = "the pod's shell";
};
void lift_program(ObjectLift& lift, const Container& container, model::Role& role, const ProgramRules& rules);
// A line of a shell as the program of a role: `entrypoint` of a RayJob.
void lift_line(ObjectLift& lift, const Field& line, model::Role& role);

// environment.cc
// `only`: the variables with these names. What the role has already stays.
void lift_environment(ObjectLift& lift, const Container& container, model::Role& role,
                      const std::set<std::string>* only = nullptr);
// A value as the kubelet reads it: `$(X)` of a variable that the container, the operator or the cluster sets is
// `${env.X}`. `of_env`: in a value of `env`, where only what is in front of it is known.
model::Text kubelet_text(const ObjectLift& lift, const Container& container, std::string_view value,
                         bool of_env = false);

// service_parts.cc
void lift_ports(ObjectLift& lift, const Container& container, model::Role& role);
void lift_probes(ObjectLift& lift, const Container& container, model::Role& role);

// kinds.cc, ray.cc: a function a kind; false: refused.
bool lift_job(ObjectLift& lift);
bool lift_jobset(ObjectLift& lift);
bool lift_pytorchjob(ObjectLift& lift);
bool lift_trainjob(ObjectLift& lift);
bool lift_mpijob(ObjectLift& lift);
bool lift_volcano_job(ObjectLift& lift);
bool lift_deployment(ObjectLift& lift);
bool lift_lws(ObjectLift& lift);
bool lift_ray(ObjectLift& lift);

// The kind of a workload of several pods: `kind` where they wait for each other, else a batch of pods that start one
// by one. Returns which it is.
bool set_coupled(ObjectLift& lift, bool several_pods, model::Kind kind);
// The line of a coupled object that names no gang scheduler.
void say_gang_of_site(ObjectLift& lift);
void take_deadline(ObjectLift& lift, const Field& field);
model::Retry retry_of(std::int64_t limit, std::initializer_list<model::RetryOn> reasons);
std::initializer_list<model::RetryOn> any_failure();
// A count of pods that the language can have.
inline constexpr std::int64_t most_pods = 1'000'000;
std::optional<std::int64_t> count_at(const Field& field, std::int64_t otherwise);
bool refuse_count(ObjectLift& lift, const Field& field);
// What becomes of the `restartPolicy` of pods for which muster writes `written`.
void restart_line(ObjectLift& lift, const Field& policy, std::string_view written);

}  // namespace muster::targets::kubernetes::lifting
