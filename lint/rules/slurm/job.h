// What each check of a batch script gets, and how it says where a finding is.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lint/rules/body/job_text.h"
#include "targets/slurm/read/body.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/purpose.h"
#include "targets/slurm/read/script.h"

namespace muster::lint {

namespace slurm = targets::slurm;

// One script, read. Its own file may hold several.
struct SlurmJob : JobText {
  const slurm::Script& script;
  const slurm::Meaning& meaning;

  // The directive of an index; nullptr where none gave the value.
  const slurm::Directive* directive(std::int32_t by) const;
  const shell::Launch& launch(std::int32_t index) const { return body.launches[static_cast<std::size_t>(index)]; }
  // The launcher whose processes a start counts: the innermost one that forks, else the outermost.
  const shell::Launch& launcher(const slurm::Start& start) const {
    return launch(start.inner >= 0 ? start.inner : start.launch);
  }
  const slurm::Component& component(const slurm::Start& start) const;
  // Whether it runs once and surely, with all that is around it.
  bool surely_runs(const slurm::Start& start) const;
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
inline const model::Queue* queue_of(const SlurmJob& job) { return queue_of(job.context, job.meaning); }
// Whether the job's processes talk to each other over nodes, as far as its launchers tell.
bool couples_nodes(const SlurmJob& job);
// Whether the script has one of the words that are in nearly every script that saves its state: checkpoint,
// resume, save … A heuristic.
bool mentions_saving(const SlurmJob& job);
// The pools that a job may land on: of its queue, or all of the fleet; those with GPUs where it asks for some.
std::vector<const model::Pool*> pools_of(const Context& context, const slurm::Meaning& meaning);
inline std::vector<const model::Pool*> pools_of(const SlurmJob& job) { return pools_of(job.context, job.meaning); }
// The program's words of a launch, "" if it starts none; without folders: "/usr/bin/python3" is "python3".
std::string_view program_of(const shell::Launch& launch);
// A word that is nothing but an expansion whose value the text does not tell (`$ARGS`, `"$@"`): it may be any number of
// options.
bool is_unread(const shell::Word& word);
// Such a word follows the launcher's own options, so that what is not among them may still be given.
inline bool may_have_more_options(const shell::Launch& launch) {
  return !launch.program.empty() && is_unread(launch.program.front());
}

// Of what is not submitted as it is: SLM022, and what is wrong however a template is filled in.
void check_incomplete(const SlurmJob& job, const targets::Purpose& purpose);
void check_refusals(const SlurmJob& job);  // SLM021, SLM022
// Of a script all of whose options come too late: SLM019, and SLM021 where there is no `#!` line.
void check_without_options(const SlurmJob& job);
void check_directives(const SlurmJob& job);    // SLM014, SLM016, SLM019, SLM020
void check_limits(const SlurmJob& job);        // SLM005, SLM007, SLM008, SLM017, SLM023
void check_processes(const SlurmJob& job);     // SLM001, SLM002, SLM004, SLM010, SLM031
void check_network(const SlurmJob& job);       // SLM003, SLM012
void check_commands(const SlurmJob& job);      // SLM015, SLM018
void check_training(const SlurmJob& job);      // PAR001, PAR002, CKP001, SLM032
void check_cluster(const SlurmJob& job);       // SLM006, SLM009, SLM013, NET004, QTA001, QTA002, CKP003
void check_arguments(const SlurmJob& job);     // SLM011, NET002, NET003, NET005, PAR003, CKP002
void check_logs(const SlurmJob& job);          // SLM024, SLM025, SLM026
void check_fit(const SlurmJob& job);           // SCH013
void check_counts(const SlurmJob& job);        // PAR001, PAR004, SLM033, SLM046
void check_nodes(const SlurmJob& job);         // SLM034, SLM035, SLM036
void check_steps(const SlurmJob& job);         // SLM037, SLM039, SLM047
void check_values(const SlurmJob& job);        // SLM041, SLM042, SLM045
void check_names(const SlurmJob& job);         // SLM043, SLM044
void check_slips(const SlurmJob& job);         // SLM048, SLM052, SLM057, SLM061
void check_leftovers(const SlurmJob& job);     // SLM050, SLM056, SLM062
void check_own_programs(const SlurmJob& job);  // SLM058, SLM060
void check_one_program(const SlurmJob& job);   // SLM010, SLM049

}  // namespace muster::lint
