// The job under construction: what it is made from, and the directives, lines and loss entries so far.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "targets/account.h"
#include "targets/batch/dialect.h"
#include "targets/contract/variables.h"
#include "targets/lookup.h"

namespace muster::targets::batch {

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

// A role's place in a job of several parts: the words by which the system and bash find its nodes.
struct Part {
  std::string step;                 // the dialect's options for a step there; "" in a job of one part
  std::string hosts;                // a bash word list: "\"${all_nodes[@]:4:2}\""
  std::string head;                 // the first of them
  std::string replica;              // a bash word: "0" or "$1"; "" where only the node knows
  std::string first;                // the dialect's options for a step on the part's first node
  std::int64_t copies_of_step = 1;  // replicas of one node each that are one step
  bool shares_nodes = false;        // with other roles
  std::int64_t place = 0;           // among these
  bool is_part() const { return !step.empty(); }
};

struct Job : Account {
  const Dialect& dialect;
  const plan::Plan& plan;
  const plan::RolePlan& shape;
  const model::Role& role;
  const model::Plane& plane;
  const model::BatchPlane& batch;  // of the plane
  const model::Site& site;
  std::string_view run;  // the run's identity; "" if not given

  std::vector<std::string> directives{};  // without the sentinel: "--nodes=4"
  std::string body{};                     // what follows them
  std::size_t exports_end = 0;            // of it: behind the fabric's `export` lines; 0 without
  std::string redirect{};                 // "exec > FILE", where no directive says where the output goes
  Container container{};
  Part part{};
  bool het = false;  // the parts are components of a heterogeneous job

  const Sources* sources = nullptr;  // with the workload's file, where it is known
  bool has_setup = false;            // software and network are set up by lines before this part
  std::string launched{};            // the command that add_run wrote
  std::string script_in_place{};     // the script that the file ends with, in the shell of the file

  contract::Wanted wanted{};  // variables that the program finds
  // Variables of the script that its own lines read: each is set where one does.
  struct Own {
    bool nodes = false, port = false, dir = false;
    bool tmp = false, tmp_is_named = false;  // the program is told where it is
    std::vector<std::string> below_tmp{};    // folders in it
  } own{};

  // The words for them, in a place where bash splits nothing: the first node, a port that is free there, the folder of
  // the job. Asking makes the script set what they name.
  std::string head();
  std::string port();
  std::string dir();
  std::string head_word() const;  // without asking
  std::string port_word() const;

  void line(std::string_view text) { body.append(text).append("\n"); }

  // Copies of the role, each a task of an array: they need not start together.
  std::int64_t copies() const { return plan::demand_of(workload, role).written; }
  bool copies_in_array() const { return workload.starts() != model::Gang::all && copies() > 1; }

  model::Runner runner() const { return role.launch.runner.value; }
  bool in_container() const { return container.runtime != model::Containers::none; }
  std::string system() const { return std::string(dialect.system); }
  // The option of a request, "" where the system has none; and whether the job has it already.
  std::string_view option_of(Request request) const;
  bool has(Request request) const;
  // Asks for something on behalf of a field.
  void ask(Request request, std::string_view value, const FieldRef& field);
  std::string name() const;  // as the system shows it
  // Tasks a node that the system starts: all processes, or one launcher that forks them.
  std::int64_t tasks() const;
  // Whether the scheduler chooses how many nodes of a range it gives; the number is a variable then.
  bool is_elastic() const;
  bool may_have_nodes() const { return shape.nodes > 1 || is_elastic(); }  // several
  // How many nodes it has, or `each` times as many, as a bash word.
  std::string nodes_word(std::int64_t each = 1) const;
  // Whether the job inherits the submitter's environment.
  bool inherits_all() const;
  bool keeps_record() const;  // of the exit code of the program that failed first
};

// An option and its value as a directive has them: "--time=1:00", "-l walltime=1:00", "-N train".
std::string spelt(std::string_view option, std::string_view value);

// The name of a role or an axis as part of a bash name.
std::string bash_name(const std::string& name);

// Whether the script has a variable of this name for itself: one of the user's would change what its lines do.
bool is_own_name(std::string_view name);

// Every variable that the program is to find beyond the contract: its own, its secrets', the site's for the network.
std::vector<std::string> variables_of(const Job& job);

}  // namespace muster::targets::batch
