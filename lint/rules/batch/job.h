// What each check of a PBS or LSF script gets, and how it says where a finding is.
#pragma once

#include <string>
#include <vector>

#include "lint/rules/launch/script_job.h"
#include "targets/batch/read/job_script.h"
#include "targets/pbs/read/script.h"

namespace muster::lint {

namespace batch = targets::batch;
namespace pbs = targets::pbs;

struct BatchJob : ScriptJob {
  const batch::JobScript& read;

  const batch::DirectivePart* last(std::string_view option) const { return batch::last_part(read, option); }

  Finding& wrong(RuleId rule, Span where, std::string path, std::string message) const {
    return wrong_at(rule, where, std::move(path), std::move(message));
  }
  Finding& cannot_tell(RuleId rule, Span where, std::string path, std::string message) const {
    return cannot_tell_at(rule, where, std::move(path), std::move(message));
  }
};

// Whether a place is in a here-document, which is another file's text.
bool is_in_document(const BatchJob& job, Span place);
// Whether the directive at a place has something that is still to be written: its words are then not the last ones.
bool is_in_blank(const BatchJob& job, Span place);
// Whether a part is an amount (a time, a count, a size) that is still to be written: `nodes=NUM_NODES`.
bool is_to_fill_in(const batch::DirectivePart& part);
// Removes a part of a line, with the blanks in front of it.
Fix without(const BatchJob& job, Span span, std::string title);

// PBS001, PBS002, PBS003, PBS004, PBS005, PBS006, PBS007, PBS008
void check_pbs(const BatchJob& job, pbs::Dialect dialect);
// LSF001, LSF002, LSF003, LSF004, LSF005
void check_lsf(const BatchJob& job);

}  // namespace muster::lint
