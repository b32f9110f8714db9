// The pod of one role under construction, and the parts that add to it in the order in which they are here.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "targets/contract/references.h"
#include "targets/kubernetes/pod.h"

namespace muster::targets::kubernetes {

inline constexpr std::string_view files_dir = "/job";        // files of the job, read-only
inline constexpr std::string_view scratch_dir = "/job-tmp";  // MUSTER_TMP
inline constexpr std::string_view code_dir = "/code";

// A file of the pod's ConfigMap: its key there, where it is below /job ("": nowhere), its bytes.
struct ConfigFile {
  std::string key;
  std::string path;
  std::string bytes;
  int mode = 0;  // permissions; 0: those of the volume
};

struct PodDraft : Account {
  Draft& draft;
  const plan::RolePlan& node;   // what all roles of the pod ask for
  const plan::RolePlan& shape;  // what this one asks for
  const model::Role& role;
  const PodOptions& options;
  std::size_t place = 0;  // among the roles of the pod

  contract::Wanted wanted{};             // variables that the program finds
  contract::RunNames names{};            // what the pod is told, in words of sh
  contract::Variables exports{};         // all that it may be told, in their order
  std::vector<std::string> of_points{};  // what the table of points sets, in lines behind those exports
  std::size_t offered = 0;               // of `variables`: what the kind reads of the pod
  std::string object_name{};             // of what belongs to this role alone: its ConfigMap, its claims
  Node annotations = map({});
  Node spec = map({});
  Node container = map({});
  std::vector<Node> init_containers{};
  std::vector<Node> variables{};  // of `env`
  std::vector<Node> mounts{};
  std::vector<Node> volumes{};
  std::set<std::string, std::less<>> volume_names{};  // theirs
  std::vector<Node> secret_files{};                   // sources of the volume at /job
  std::vector<ConfigFile> files{};
  std::string workdir{};
  std::string prelude{};        // lines of sh before the program
  bool has_start_file = false;  // they are /job/start
  std::string image{};

  void line(std::string_view text) { prelude.append(text).append("\n"); }
  const model::Plane& plane() const { return draft.plane; }
  const model::Site& site() const { return draft.site; }
  model::Runner runner() const { return role.launch.runner.value; }
  bool has_gpus() const { return shape.gpus > 0 || role.resources.part_of_gpu(); }
  bool pod_has_gpus() const { return node.gpus > 0 || role.resources.part_of_gpu(); }
  std::string vendor() const;  // of the pool's GPUs: nvidia where not known
};

// volumes.cc
void add_volumes(PodDraft& pod);  // scratch, shared memory, mounts, files, secrets in files
// Where the storage of that name is in the pod as a volume source; nothing after a refusal.
void mount_config(PodDraft& pod);  // last: the volume at /job

// resources.cc
void add_resources(PodDraft& pod);
std::vector<std::string> container_names(const Node& pod_template);
// An amount that the workload leaves open is that of the whole pod: containers which the site's patches added beside
// `own` have their part of it.
void leave_room_beside(PodDraft& pod, Node& pod_template, const std::vector<std::string>& own);

// placement.cc: which nodes, which priority, as whom.
void add_placement(PodDraft& pod);

// program.cc: image, code, the prelude and the words of the program.
void add_image(PodDraft& pod);
void add_code(PodDraft& pod);
void add_program(PodDraft& pod);

// start.cc: the container's command. Directly: the program's own words, where `env` and `$(NAME)` can say all that it
// needs and no line is before it; else false. In a shell: lines that end with `last`, where the words are `"$@"`; they
// are a word of the command, or a file of the ConfigMap. `strict`: the first of them that fails ends the container.
using Words = std::vector<contract::Pieces>;
bool start_directly(PodDraft& pod, const Words& words, const std::string& key);  // "command" or "args"
// The script behind such lines, in its own shell; false where they do more than set variables, or are too long.
bool continue_in_shell(PodDraft& pod, const model::Script& script);
void start_in_shell(PodDraft& pod, const Words& words, const std::string& last, bool strict);
// More bytes of lines than a reader of the manifest goes over are a file of their own.
inline constexpr std::size_t longest_word = 4096;
// Whether a manifest can hold the text as lines: valid UTF-8 without other control characters than tabs.
bool reads_well(std::string_view text);
std::string sh_word_of(const contract::Pieces& word);  // of any POSIX sh

// environment.cc: the run-time contract and the user's environment.
void add_contract(PodDraft& pod);
void add_environment(PodDraft& pod);
contract::Pieces pieces_of(const PodDraft& pod, const model::Text& text);  // after add_contract

// program.cc: whether a role has no image that its pods could run, which no kind takes.
bool lacks_image(const plan::Plan& plan);

// service_parts.cc: ports, probes, the end.
void add_ports(PodDraft& pod);
std::string port_name(const std::string& name);  // of the language, in the characters that Kubernetes allows
void add_probes(PodDraft& pod);
void add_stop(PodDraft& pod);
std::int64_t seconds_to_stop(const PodDraft& pod);  // that the program has from the signal on, at most

// beside.cc: several roles in one pod.
// What one role asks for, on the nodes of them all.
plan::RolePlan own_shape(const plan::RolePlan& node, const plan::RolePlan& program);
// How the container of a role is made that runs beside that of the pod's first one.
PodOptions options_beside(const PodOptions& options, const model::Role& role);
// Refuses what such a container cannot have, and accounts for what it has of the other role's.
void check_beside(PodDraft& pod);
// Accounts for the order in which the roles of a pod start.
void report_start(PodDraft& pod);
// Puts the container of a role, and what it needs, into the pod of another one.
void put_beside(PodDraft& pod, Node& into, Node from);

// preflight.cc
void add_preflight(PodDraft& pod);

// attach.cc: what the site gives to every pod, and to pods on a fast network. After all others.
void add_fabric(PodDraft& pod);
void apply_site_settings(PodDraft& pod, Node& pod_template);
// Whether any of those words put the pod into its node's network. Says nothing of words that cannot be read.
bool uses_host_network(const PodDraft& pod);

}  // namespace muster::targets::kubernetes
