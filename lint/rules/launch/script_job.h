// What the checks of launches get: a job of Slurm, PBS or LSF, or a container of pods, with what it asks for and what
// it starts.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lint/rules/body/job_text.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/script.h"

namespace muster::lint {

namespace slurm = targets::slurm;

// Where a value is written: the place of its directive, and its option, without the dashes of Slurm's.
struct Said {
  Span whole, value;  // `value`: what of it an edit may replace; unknown: nothing
  std::string_view option;
};

struct ScriptJob : JobText {
  const slurm::Script& script;  // its lines; the directives of another system than Slurm are not in it
  const slurm::Meaning& meaning;
  std::vector<Said> directives;    // slurm::Known::by is an index
  std::string_view pod_rank = {};  // of a container: the variable with the rank of its pod; "" where there is none
  bool pods_apart = false;         // nothing joins its pods, and nothing tells them apart

  bool is_of_slurm() const { return host.system == targets::batch::System::slurm; }
  // The directive of an index; nullptr where none gave the value.
  const Said* said(std::int32_t by) const { return by < 0 ? nullptr : &directives[static_cast<std::size_t>(by)]; }
  const shell::Launch& launch(std::int32_t index) const { return body.launches[static_cast<std::size_t>(index)]; }
  // The launcher whose processes a start counts: the innermost one that forks, else the outermost.
  const shell::Launch& launcher(const slurm::Start& start) const {
    return launch(start.inner >= 0 ? start.inner : start.launch);
  }
  const slurm::Component& component(const slurm::Start& start) const;
  // Whether it runs once and surely, with all that is around it.
  bool surely_runs(const slurm::Start& start) const;
  // Whether it asks for GPUs, as far as the file tells: Slurm gives none unasked, PBS and LSF may by the queue.
  bool requests_gpus() const;
  // Where a finding about the whole job is shown: its first directive, else its first line.
  Span head() const;

  // Each returns the finding, so that labels, notes and a fix can be added to it; the reference is valid until the next
  // one. At a directive, with its option as the path; at head() where none gave the value.
  Finding& wrong(RuleId rule, std::int32_t by, std::string message, std::string label = {}) const;
  Finding& cannot_tell(RuleId rule, std::int32_t by, std::string message) const;
};

// The span of the whole line that holds a place, its line end included.
Span whole_line(const Sources& sources, Span place);
// The queue of the site that a job goes to: by its partition, or the site's default one; nullptr without one.
const model::Queue* queue_of(const Context& context, const slurm::Meaning& meaning);
inline const model::Queue* queue_of(const ScriptJob& job) { return queue_of(job.context, job.meaning); }
// Whether the job's processes talk to each other over nodes, as far as its launchers tell.
bool couples_nodes(const ScriptJob& job);
// Whether the script has one of the words that are in nearly every script that saves its state: checkpoint,
// resume, save … A heuristic.
bool mentions_saving(const ScriptJob& job);
// The pools that a job may land on: of its queue, or all of the fleet; those with GPUs where it asks for some.
std::vector<const model::Pool*> pools_of(const Context& context, const slurm::Meaning& meaning);
inline std::vector<const model::Pool*> pools_of(const ScriptJob& job) { return pools_of(job.context, job.meaning); }
// The program's words of a launch, "" if it starts none; without folders: "/usr/bin/python3" is "python3".
std::string_view program_of(const shell::Launch& launch);
// A word that is nothing but an expansion whose value the text does not tell (`$ARGS`, `"$@"`): it may be any number of
// options.
bool is_unread(const shell::Word& word);
// Whether a launch has one of these options.
bool has_any(const shell::Launch& launch, std::initializer_list<std::string_view> names);
// The number that a launcher's processes are where nothing was set before: of `--nproc-per-node=${N:-8}`. nullopt where
// they are known, or say no number.
std::optional<std::int64_t> assumed_processes(const shell::Launch& launch);
// Such a word follows the launcher's own options, so that what is not among them may still be given.
inline bool may_have_more_options(const shell::Launch& launch) {
  return !launch.program.empty() && is_unread(launch.program.front());
}

// All checks of this folder.
void check_launches(const ScriptJob& job);
// Those that hold for a container. `alone`: its pods are all of the job.
void check_pod_launches(const ScriptJob& job, bool alone);
void check_processes(const ScriptJob& job);  // SLM001, SLM002, SLM010
void check_tasks(const ScriptJob& job);      // SLM037
void check_network(const ScriptJob& job);    // SLM003, SLM012
void check_training(const ScriptJob& job);   // PAR001, PAR002, CKP001
void check_counts(const ScriptJob& job);     // PAR001, PAR004, SLM033, SLM046
void check_nodes(const ScriptJob& job);      // SLM034, SLM035, K8S034, SLM036
void check_leftovers(const ScriptJob& job);  // SLM050, SLM056, SLM062
void check_debug(const ScriptJob& job);      // SLM050
void check_names(const ScriptJob& job);      // SLM043, SLM044
void check_settings(const ScriptJob& job);   // NET002, NET003, NET005, CKP002

}  // namespace muster::lint
