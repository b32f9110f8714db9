// The checks of batch scripts. They see what the reader understood, never the text itself, but where a
// rule is about words; what rests on them is an error only where they are literal and surely run.
#pragma once

#include <vector>

#include "lint/context.h"
#include "lint/finding.h"
#include "targets/slurm/read/purpose.h"

namespace muster::lint {

// What a file's script is for, and where a program fills it in first.
struct AboutScript {
  targets::Purpose purpose;
  std::vector<targets::slurm::Blank> blanks;
};

// Every finding of a file's batch script as it is written, and of the scripts in here-documents that it hands to
// sbatch. `command_line` is a file of the sources with words as typed after `sbatch`; 0: none.
std::vector<Finding> check_script(const Context& context, std::uint32_t file, std::uint32_t command_line,
                                  AboutScript& about);
// The same, of `check`, without what depends on blanks. `about` is not complete where something does.
using CheckText = std::vector<Finding> (*)(const Context&, std::uint32_t file, std::uint32_t command_line,
                                           AboutScript&);
std::vector<Finding> check_filled_script(const Context& context, std::uint32_t file, std::uint32_t command_line,
                                         AboutScript& about, CheckText check = check_script);
// Says that what depends on a blank is not checked, for `system` reads the script once it is filled in.
void report_dependence(const targets::slurm::Blank& blank, std::string_view system, AboutScript& about,
                       std::vector<Finding>& findings);
// "`<account>` is a placeholder to fill in …"
std::string left_to_fill_in(const Sources& sources, Span where);

// Words over several lines and here-documents of a batch script, without the scripts in them that sbatch gets: what
// looks like a comment there is data.
std::vector<Span> texts_in_script(const Sources& sources, std::uint32_t file);

}  // namespace muster::lint
