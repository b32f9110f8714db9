// #SBATCH options: the one place that quotes them and knows which Slurm has them.
#pragma once

#include "targets/batch/job.h"
#include "targets/slurm/option_table.h"

namespace muster::targets::slurm {

using batch::Job;

// The name of a directive: "--mem" of "--mem=4G".
inline std::string_view directive_name(std::string_view directive) { return directive.substr(0, directive.find('=')); }

// Adds `--name` or `--name=value`. An option that the plane's Slurm lacks, or a value that an #SBATCH
// line cannot hold, is refused on behalf of `field`.
void add_flag(Job& job, std::string_view name, const FieldRef& field);
void add_option(Job& job, std::string_view name, std::string_view value, const FieldRef& field);

// Why an option of a tool cannot be given as it is, with a value or without: "requires Slurm 23.11; …"; "" where it
// can.
std::string fault_of(const Job& job, const OptionRow& row, bool has_value);

// Whether an option was added.
bool has_option(const Job& job, std::string_view name);

// Adds the lines that the site gives every job, each `--name` or `--name=value`.
void add_site_directives(Job& job);

}  // namespace muster::targets::slurm
