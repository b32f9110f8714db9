// The job under construction: what it is made from, and the directives, lines and loss entries so far.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "plan/plan.h"
#include "targets/loss.h"

namespace muster::targets::slurm {

// A path of the host made visible in a container. `source` is a bash word, `target` plain bytes.
struct Bind {
  std::string source;
  std::string target;  // "" where the source's own path is kept
  bool read_only = false;
};

// How the program's container is started; runtime none: there is no container.
struct Container {
  model::Containers runtime = model::Containers::none;
  std::string image;    // in the runtime's words
  std::string workdir;  // a bash word, "" for the image's own
  std::vector<Bind> binds;
};

// A role's place in a job of several parts: the words by which srun and bash find its nodes.
struct Part {
  std::string step;     // " --relative=4" or " --het-group=1"; "" in a job of one part
  std::string hosts;    // a bash word list: "\"${all_nodes[@]:4:2}\""
  std::string replica;  // a bash word: "0" or "$1"
  bool is_part() const { return !step.empty(); }
};

struct Job {
  const plan::Plan& plan;
  const plan::RolePlan& shape;
  const model::Role& role;
  const model::Workload& workload;
  const model::Plane& plane;
  const model::Site& site;
  Diagnostics& diagnostics;
  std::string_view run;  // the run's identity; "" if not given

  Loss loss{};
  std::vector<std::string> directives{};  // "--nodes=4"
  std::string body{};                     // what follows them
  Container container{};
  std::string prefix{};  // "role.train." in the part of a role: its fields are written there, or in the workload
  Part part{};
  bool het = false;  // the parts are components of a heterogeneous job

  void line(std::string_view text) { body.append(text).append("\n"); }

  // Whether the user wrote the field or anything below it, for the role or for all of the workload, and where.
  bool wrote(std::string_view field) const;
  Span span_of(std::string_view field) const;

  // Loss entries; one for a field that the user did not write is not made.
  void exact(std::string_view field, std::string_view as);
  void approximated(std::string_view field, std::string_view as, std::string_view note);
  // An error at `field`, and the same sentence in the loss report. `help` is a note with the way out.
  void refuse(std::string_view field, std::string_view message, std::string_view help = {});
  void refuse_at(Span where, std::string_view field, std::string_view message, std::string_view help = {});

  // Takes over the entries of a part; one that is there already is not doubled.
  void take_losses(const Loss& of_part);
  // Copies of the role, each a task of an array: they need not start together.
  bool copies_in_array() const { return workload.starts() != model::Gang::all && role.copies() > 1; }

  model::Runner runner() const { return role.launch.runner.value; }
  bool in_container() const { return container.runtime != model::Containers::none; }
  // Tasks a node that Slurm starts: all processes, or one launcher that forks them.
  std::int64_t tasks() const;
  // Whether the job inherits the submitter's environment.
  bool inherits_all() const;
  bool keeps_record() const;  // of the exit code of the program that failed first

  std::vector<std::string> keys_below(std::string_view block) const;
  bool wrote_as(std::string_view path) const;                       // exactly this path, or below it
  std::vector<std::string> paths_of(std::string_view field) const;  // as which it was written
  // Entries for every key that was written below a block, one each.
  void exact_each(std::string_view block, std::string_view as);
  void approximated_each(std::string_view block, std::string_view as, std::string_view note);
};

// The model of `role`'s GPUs in lower case, "" if nobody knows it.
std::string gpu_model(const Job& job);

// What `software` of the role is made of; nullptr without one, or where the site does not know the name.
const model::SoftwareSpec* software_of(const Job& job);

// What the site says of the fast network of the role's pool; nullptr where it says nothing, or the role does not want
// it.
const model::FabricAttachment* fabric_of(const Job& job);

// Every variable that the program is to find beyond the contract: its own, its secrets', the site's for the network.
std::vector<std::string> variables_of(const Job& job);

// MUSTER_PORT_API: the prefix and the name in capitals, `-` and `.` as `_`.
std::string contract_name(std::string_view prefix, std::string_view name);

// "did you mean `x`?", or `otherwise` where nothing known is near.
std::string near_or(std::string_view name, const std::vector<std::string_view>& known, std::string otherwise);

// Appends `export NAME=WORD …` lines, several names a line.
class Exports {
 public:
  explicit Exports(Job& job) : job_(job) {}
  // `word` is a bash word: quote what is not one.
  void add(std::string_view name, std::string_view word);
  // Writes what was added.
  void end();

 private:
  Job& job_;
  std::string line_;
};

}  // namespace muster::targets::slurm
