// What each check of a batch script gets, and how it says where a finding is.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lint/rules/launch/script_job.h"
#include "targets/slurm/read/body.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/purpose.h"
#include "targets/slurm/read/script.h"

namespace muster::lint {

// One script of Slurm, read. Its own file may hold several.
struct SlurmJob : ScriptJob {
  // The directive of an index; nullptr where none gave the value.
  const slurm::Directive* directive(std::int32_t by) const;
};

// Of what is not submitted as it is: SLM022, and what is wrong however a template is filled in.
void check_incomplete(const SlurmJob& job, const targets::Purpose& purpose);
void check_refusals(const SlurmJob& job);  // SLM021, SLM022
// Of a script all of whose options come too late: SLM019, and SLM021 where there is no `#!` line.
void check_without_options(const SlurmJob& job);
void check_directives(const SlurmJob& job);   // SLM014, SLM016, SLM019, SLM020
void check_limits(const SlurmJob& job);       // SLM005, SLM007, SLM008, SLM017, SLM023
void check_cpus(const SlurmJob& job);         // SLM004, SLM031
void check_commands(const SlurmJob& job);     // SLM015, SLM018
void check_end(const SlurmJob& job);          // SLM032
void check_cluster(const SlurmJob& job);      // SLM006, SLM009, SLM013, NET004, QTA001, QTA002, CKP003
void check_arguments(const SlurmJob& job);    // SLM011, PAR003
void check_logs(const SlurmJob& job);         // SLM024, SLM025, SLM026, SLM064
void check_fit(const SlurmJob& job);          // SCH013
void check_steps(const SlurmJob& job);        // SLM039, SLM047
void check_values(const SlurmJob& job);       // SLM041, SLM042, SLM045
void check_slips(const SlurmJob& job);        // SLM048, SLM052, SLM057, SLM061
void check_one_program(const SlurmJob& job);  // SLM010, SLM049

}  // namespace muster::lint
