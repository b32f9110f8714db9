// A job script as qsub of OpenPBS and Torque reads it. Source of the rules: openpbs/openpbs src/cmds/qsub.c and
// qsub_sup.c; the options of Torque by its manual. Nothing is run or expanded.
#pragma once

#include "targets/batch/read/job_script.h"

namespace muster::targets::pbs {

// Which of the two a script is for, by what only one of them has.
enum class Dialect : std::uint8_t { unknown, openpbs, torque };

struct Script {
  batch::JobScript job;
  Dialect dialect = Dialect::unknown;
};

// What is behind "-l " or "-l select:" of a part's option; "" of others.
std::string_view resource_of(std::string_view option);
// What such a resource takes.
enum class Takes : std::uint8_t { other, count, size, time };
Takes takes(std::string_view option);

// Linear in the size of the file.
Script read_script(const Sources& sources, std::uint32_t file);

// A walltime: seconds, or HH:MM:SS without the parts in front; nullopt for all else. `days`: with DD: in front, as
// Torque takes it.
std::optional<std::int64_t> walltime_seconds(std::string_view text, bool days);

}  // namespace muster::targets::pbs
