// The import of a job script of PBS or LSF under way: what its parts become, and a line for each of them. Inside the
// readers of these systems only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "targets/batch/read/asked.h"
#include "targets/batch/read/job_script.h"
#include "targets/imported.h"
#include "targets/slurm/read/body.h"

namespace muster::targets::batch {

// What a job asks of each node, once all its options are read.
struct NodeShape {
  std::int64_t nodes = 1;
  std::int64_t tasks = 1;  // processes that its MPI starts on a node
  std::optional<std::int64_t> cpus;
  std::optional<std::int64_t> gpus;
  std::string gpu_model;               // in the words of the site
  std::optional<std::int64_t> memory;  // bytes
  std::optional<std::int64_t> spread;  // tasks that may lie on any nodes; then `nodes` and `tasks` say nothing
  bool totals = false;                 // not exact, but nodes × an amount is what the job has in all
  bool exact = true;        // false: nodes may differ, or the system may place parts of the job on the same one
  bool tasks_said = false;  // an option has the number of tasks
  Span where;               // the first part that says something of it
};

struct Draft {
  const Sources& sources;
  JobScript& script;
  Diagnostics& diagnostics;
  shell::Body body{};
  Imported out{};
  NodeShape shape{};
  model::Queue queue{};                   // partition, QOS, reservation and features of the nodes
  std::string queue_label{};              // its name in the language
  std::set<const DirectivePart*> done{};  // parts that have their line

  model::Workload& workload() { return out.workload; }
  model::Role& role() { return out.workload.roles.front(); }

  void mapped(const DirectivePart& p, std::string as, std::string note = {}) {
    add(p, Fate::mapped, std::move(as), note);
  }
  void approximated(const DirectivePart& p, std::string as, std::string note) {
    add(p, Fate::approximated, std::move(as), std::move(note));
  }
  void lost(const DirectivePart& p, std::string note) { add(p, Fate::lost, {}, std::move(note)); }
  // Kept as an option of Slurm that says the same.
  void kept(const DirectivePart& p, std::string option, std::string value, std::string note = {});
  void add(const DirectivePart& p, Fate fate, std::string as, std::string note);
};

// An option that is applied to the parts that decide it.
using PartReader = void (*)(Draft&, const DirectivePart&);
struct PartRow {
  std::string_view option;
  PartReader read;
};

// ---- what is the same in all systems -------------------------------------------------------------

void set_title(Draft& draft, const DirectivePart& part);
void set_account(Draft& draft, const DirectivePart& part, const std::string& account);
void add_to_queue(Draft& draft, const DirectivePart& part, const std::string& name);
// A property that a node must have, as a feature of Slurm.
void add_feature(Draft& draft, const DirectivePart& part, const std::string& feature, std::string note = {});
void set_time(Draft& draft, const DirectivePart& part, std::optional<std::int64_t> seconds, std::string_view takes);
void set_retry(Draft& draft, const DirectivePart& part, bool starts_again);
// "0-6:2,9"; the number that run at once, 0 for all.
void set_array(Draft& draft, const DirectivePart& part, std::string_view ids, std::int64_t at_once);
// Comma list of addresses.
void add_addresses(Draft& draft, const DirectivePart& part, std::string_view addresses);
void add_events(Draft& draft, const DirectivePart& part, std::vector<model::NotifyOn> events);
void require_nodes(Draft& draft, const DirectivePart& part, std::vector<std::string> names);
void set_folder(Draft& draft, const DirectivePart& part, const std::string& folder);
void set_variable(Draft& draft, const DirectivePart& part, std::string_view assignment);  // NAME=value, or NAME
void export_everything(Draft& draft, const DirectivePart& part);
// Where standard output or error goes, in the language's words.
void set_log(Draft& draft, const DirectivePart& part, bool error, std::optional<std::string> pattern);

// ---- the end of an import -------------------------------------------------------------------------

// Whether the text starts its processes itself: by mpirun and the like, or on several nodes.
bool starts_processes(const Draft& draft);
// The shape as amounts of a node. `where` says it for all of them.
void write_shape(Draft& draft, Span where);
// A draft of a job, with its body read for the first time.
Draft draft_of(const Sources& sources, JobScript& script, const std::string& name, Diagnostics& diagnostics);
// The shape is read, and the options.
Asked asked_by(const Draft& draft);
// Queue, site and text, once the options are read; then, where `plane` is given, what of the text becomes
// keys.
Imported finish(Draft& draft, const std::optional<PlaneWords>& plane);

// A file that a program fills in first, or one with DOS line ends: reported. False: it cannot be imported.
bool importable(const JobScript& script, Diagnostics& diagnostics);
// Lines for the words that are no options and for parts that no reader took.
void account_for_the_rest(Draft& draft);

// Whole numbers in front of a unit: "16gb" is 16 and "gb"; nullopt without digits.
struct Measure {
  std::int64_t count = 0;
  std::string unit;  // lower case
};
std::optional<Measure> measure_of(std::string_view text);
// A memory of so many units, in bytes; nullopt where the unit is not one of b, k, m, g, t, p.
std::optional<std::int64_t> bytes_of(const Measure& measure, std::string_view without_unit);
std::optional<std::int64_t> count_of(std::string_view text);  // a whole number of 0 or more, and not too large

}  // namespace muster::targets::batch
