// Suppressions: what a file says may stay, and why.
//
//   # muster: allow SLM008[, RULE…] [until=YYYY-MM-DD] -- reason
//
// at the end of a line is for what begins on that line; on a line of its own for the next line that is no
// such comment; before a script's first `#SBATCH` line, or before the first line of a manifest that is more
// than a comment, for the whole file. An object's annotation `lint.muster/allow`, with the same words after
// `allow`, is for the object. A muster file has blocks besides: `allow RULE { reason = "…"  until = "…" }`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/model/workload.h"
#include "lint/finding.h"
#include "lint/select.h"

namespace muster::lint {

// One rule of one comment or annotation.
struct Suppression {
  RuleId rule{};
  Span where;    // the rule's word
  Span scope;    // a finding that begins in it is suppressed
  Span comment;  // all of it, with its line where it has one of its own; unknown: it cannot be cut out
  std::string reason;
  std::string until;  // "2027-03-01", or ""
  bool used = false;
  // An `allow` block of a muster file, in place of `scope`.
  bool block = false;
  std::string subject = {};           // the workload whose findings it is for; "": of everything
  std::string path = {};              // and the beginning of their paths
  bool placed = false;                // an `allow` block by where it stands: `scope` is the block around it
  bool elsewhere = false;             // of the site, the fleet, a pool or another file: not to be missed here
  std::string owner = "suppression";  // what it is in, for messages about it: "Deployment/vllm"
  // What it is for, without line numbers, so that another state of the file can be asked for it: see proposed.h.
  std::string anchor = {};
  bool proposed = false;  // only the checked change has it, so it accepts nothing yet
};

// What a file's suppressions are, and what is wrong with them (SUP001, SUP004).
struct Suppressions {
  std::vector<Suppression> items;
  std::vector<Finding> findings;
};

// The comments of a file.
Suppressions read_comments(const Sources& sources, std::uint32_t file, Input kind);
// By which an object of a manifest says what may stay.
inline constexpr std::string_view allow_annotation = "lint.muster/allow";
// The annotation of an object that spans `object`, or of its pods: its value, decoded, and its place; `owner`
// is the object's subject. Added to what was read before.
void read_annotation(std::string_view value, Span where, Span object, const std::string& owner, const Sources& sources,
                     Suppressions& out);
// Forgets what was read of comments within `texts`: data of whoever wrote them, such as a here-document.
void leave_out(const std::vector<Span>& texts, Suppressions& suppressions);

// `allow` blocks, for the findings of a subject ("": of all) whose paths begin with `path`; `elsewhere`: they are in
// a site or a fleet. Added to what was read before; a rule that is not there is SUP004.
void read_allows(std::span<const model::Allow> allows, const std::string& subject, const std::string& path,
                 bool elsewhere, Suppressions& out);

// The same for what begins in `scope`, whatever it is about.
void read_allow(const model::Allow& allow, Span scope, bool elsewhere, Suppressions& out);

// SUP002 and SUP003: what is left over once every finding has been asked for. Several that are at one place, for the
// things made of it, are one. A rule that did not run leaves nothing over, nor does one that needs a site where none is
// `site_given`, or that rests on other files.
std::vector<Finding> leftovers(const Suppressions& suppressions, const Selection& selection, std::string_view as_of,
                               bool site_given);

}  // namespace muster::lint
