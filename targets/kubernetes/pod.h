// A role as a pod template: what every kind on a plane of pods shares.
#pragma once

#include <string>
#include <vector>

#include "targets/contract/variables.h"
#include "targets/kubernetes/draft.h"
#include "targets/kubernetes/operator_names.h"

namespace muster::targets::kubernetes {

// What a kind tells its pods, for POSIX sh: a word is quoted where it holds an expansion. What it reads of the pod is
// in `env`. Where a kind says nothing: MUSTER_ID is the name of the object, MUSTER_HEAD_ADDR the pod's own address,
// `hosts` only the head. `point` is the index of the point, counted from 0.
struct RunExpressions : contract::RunNames {
  RunExpressions() {
    shell = contract::Shell::posix;
    attempt = replica = rank = "0";
  }
  Givers givers{Giver::kubelet};        // who puts variables of its own into the container
  bool operator_sets_rank = false;      // and RANK
  bool operator_sets_launcher = false;  // the operator injects PET_*; the prelude must not
  std::vector<Node> env{};              // items of `env` for all this
};

// The addresses of a role of the gang, for the others: MUSTER_ADDR_<ROLE>, MUSTER_HOSTS_<ROLE>.
struct RoleAddress {
  std::string role;
  std::string head;   // a word of sh
  std::string hosts;  // a command that prints them all
};

struct PodOptions {
  RunExpressions run;
  std::string container = "main";     // its name
  std::string restart = "Never";      // restartPolicy; "": the kind sets it elsewhere
  std::vector<RoleAddress> others{};  // of a gang of several roles, this one included
  // The kind takes no more than one container and no init containers (a TrainJob): what needs them is refused.
  bool one_container = false;
  // Words of sh that the container runs in place of the program (an operator's command). The program, where there is
  // one, is the file /job/program then, for the kind to start.
  std::string instead{};
  bool starts_itself = false;  // the operator's command is the container's own where no line is in front of it
  bool has_program = true;
  // Where the operator takes the program as text of sh: it is given here, unless it is long; there is no file then.
  std::string* program_text = nullptr;
  // Of such a kind: what has `launch.args` ("": they are refused) and `launch.version` ("": nothing has it).
  std::string launch_args{};
  std::string launch_version{};
  bool may_be_scaled = false;  // the object has the lower end, and takes more when it is scaled
  bool takes_range = false;    // the object has both ends of `nodes`; else it is the lower one
  bool counts_nodes = true;    // false: the kind accounts for `nodes` itself
};

// The variables that the program of the role finds; the names of Slurm say what all of them do.
contract::Wanted wanted_of(const Draft& draft, const plan::RolePlan& shape);

// {metadata {labels, annotations}, spec} of a role. Adds what it needs to the draft: a ConfigMap with its prelude,
// scripts and files, resource claims. Every field of the role is in the loss report then: exact, approximated or
// refused. Of resources that stand for the whole pod (`nodes`) it says "pods".
//
// The container runs the program itself, with its words as `command`, or lines of sh in front of it (start.cc).
Node make_pod(Draft& draft, const plan::RolePlan& shape, const PodOptions& options);

// Whether a role is another container of the pods of `role`.
bool runs_in_pod(const plan::RolePlan& role, std::string_view other);

// What the plane's pod security standard wants of each container; nothing where it wants nothing.
Node container_security(const Draft& draft);

// Adds the object that is the workload, with what the site's fabric (`job`) and `target kubernetes { object = … }` put
// on it.
void add_workload_object(Draft& draft, Node object);

// Whether a `target NAME { … }` block speaks to this target: by its name, or to all of Kubernetes.
bool is_own_block(const Draft& draft, const model::TargetOptions& target);

// An item of `env` that a field of the pod gives: `metadata.labels['…']`, `status.podIP`.
Node field_variable(std::string_view name, std::string_view path);

// A command of sh that prints `count` addresses, one a line; `address` is a word with `$i` for the number.
std::string counted_hosts(std::int64_t count, std::string_view address);

}  // namespace muster::targets::kubernetes
