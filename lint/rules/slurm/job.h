// What each check of a batch script gets, and how it says where a finding is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lint/context.h"
#include "lint/finding.h"
#include "targets/slurm/read/body.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/script.h"

namespace muster::lint {

namespace slurm = targets::slurm;

using Findings = std::vector<Finding>;

// One script, read. Its own file may hold several: `subject` tells them apart.
struct SlurmJob {
  const Context& context;
  const slurm::Script& script;
  const slurm::Body& body;
  const slurm::Meaning& meaning;
  std::string subject;

  const Sources& sources() const { return context.sources; }
  // The directive of an index; nullptr where none gave the value.
  const slurm::Directive* directive(std::int32_t by) const;
  // The command that a launch stands in.
  const slurm::Command& command(const slurm::Launch& launch) const { return body.commands[launch.command]; }
  // Where a finding about the whole job is shown: its first directive, else its first line.
  Span head() const;

  // Fills in subject and path.
  Finding about(Finding finding, std::string path) const;
  // A finding at a directive, with its option as the path; at head() where none gave the value.
  Finding at(RuleId rule, std::int32_t by, std::string message, std::string label = {}) const;
};

// The span of the whole line that holds a place, its line end included.
Span whole_line(const Sources& sources, Span place);
// The queue of the site that a job goes to: by its partition, or the site's default one; nullptr without one.
const model::Queue* queue_of(const SlurmJob& job);
// Whether the job's processes talk to each other over nodes, as far as its launchers tell.
bool couples_nodes(const SlurmJob& job);
// Whether the script has one of the words that stand in nearly every script that saves its state: checkpoint,
// resume, save … A heuristic.
bool mentions_saving(const SlurmJob& job);
// The pools that a job may land on: of its queue, or all of the fleet; those with GPUs where it asks for some.
std::vector<const model::Pool*> pools_of(const SlurmJob& job);
// A finding at a directive that only a site could settle: severity info.
Finding open_question(const SlurmJob& job, RuleId rule, std::int32_t by, std::string message);

// The program's words of a launch, "" if it starts none; without folders: "/usr/bin/python3" is "python3".
std::string_view program_of(const slurm::Launch& launch);
std::string_view base_name(std::string_view path);

// SLM022: whether something has yet to fill the script in. Then nothing else is judged.
bool is_unfilled(const SlurmJob& job, Findings& out);
void check_refusals(const SlurmJob& job, Findings& out);    // SLM021
void check_directives(const SlurmJob& job, Findings& out);  // SLM014, SLM016, SLM019, SLM020
void check_limits(const SlurmJob& job, Findings& out);      // SLM005, SLM007, SLM008, SLM017, SLM023
void check_processes(const SlurmJob& job, Findings& out);   // SLM001, SLM002, SLM004, SLM010
void check_network(const SlurmJob& job, Findings& out);     // SLM003, SLM012
void check_commands(const SlurmJob& job, Findings& out);    // SLM015, SLM018
void check_training(const SlurmJob& job, Findings& out);    // PAR001, PAR002, CKP001
void check_cluster(const SlurmJob& job, Findings& out);     // SLM006, SLM009, SLM013, NET004, QTA001, QTA002, CKP003
void check_arguments(const SlurmJob& job, Findings& out);   // SLM011, NET002, NET003, PAR003, CKP002
void check_secrets(const SlurmJob& job, Findings& out);     // SEC001

}  // namespace muster::lint
