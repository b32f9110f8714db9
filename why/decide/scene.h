// From facts to cases: one for each job, submission, set of pods or output of a program that the facts are about.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "why/decide/case.h"
#include "why/facts.h"

namespace muster::why {

// What a job would ask for in place of what it does: "nodes" → "2". An option with "" is removed.
using Changes = std::map<std::string, std::string>;

struct Subject {
  std::string id;      // "201"; "train"; "" where only an output is known
  std::string system;  // slurm, kubernetes, log
  std::string state;   // as printed
  Case facts;
};

std::vector<Subject> subjects_of(const Facts& facts, const std::string& id, const Changes& changes = {});

std::vector<Subject> slurm_subjects(const Facts& facts, const std::string& id, const Changes& changes);
std::vector<Subject> kubernetes_subjects(const Facts& facts, const std::string& id);

// What the output of a program says; `lines` are those that are the subject's.
void add_log(const std::vector<const Object*>& lines, Case& out);
// What messages of one place say: sets `<where>.<id>` to the text and, for its values, `<where>.<id>.<name>`.
void add_messages(std::string_view where, std::string_view text, Place place, Case& out);
// The same of a line of a log or of a refusal, which may be cut where it ends at the edge of a terminal.
void add_line(std::string_view where, const Object& line, Case& out);

}  // namespace muster::why
