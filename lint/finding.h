// What a check says about a file. Plain data: suppression, baseline, fixes and reports work on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "lint/rule.h"

namespace muster::lint {

// Three-valued with "fine", which is not a finding. `unclear`: this file alone cannot tell; the message
// names the fact of the site that is missing, and the severity is info.
enum class Verdict : std::uint8_t { wrong, unclear };

// Replaces the bytes of `where`. An empty span inserts.
struct Edit {
  Span where;
  std::string text;
};

// All edits of a fix are applied or none. `safe`: it makes the file do what it now does, or what it
// plainly says; an unsafe one is applied only where --unsafe-fixes asks for it.
struct Fix {
  std::string title;
  bool safe = false;
  std::vector<Edit> edits;
};

struct Finding {
  RuleId rule{};             // of no meaning where `code` is one that no rule stands for
  std::optional<Code> code;  // what the front end or the planner reports it as: see lint/diagnosed.h
  bool fault = false;        // its file cannot be used: nothing accepts it, and it is on standard error besides
  Verdict verdict = Verdict::wrong;
  bool needs_site = false;              // unclear for want of a site alone: see lint/site_remarks.h
  Severity severity = Severity::error;  // the rule's, unless the check knows better
  Profile since = Profile::min;         // only asked for from this profile on, where others of the rule are sooner
  std::string message;                  // lower case, no full stop, words of the file in backticks
  Span primary;
  std::string primary_label;
  std::vector<Label> labels;
  // Of a finding about the site: where the workload is that shows it. What is allowed there is allowed.
  Span shown_by;
  std::vector<std::string> notes;
  std::optional<Fix> fix;
  // Which thing of the file, and which field of it: stable when lines move, so a baseline and the
  // fingerprints of reports rest on them. "job", "Deployment/vllm"; "--time", "spec.replicas".
  std::string subject;
  std::string path;
  // The secret that the finding is about, which nothing prints: a baseline holds a digest of it.
  std::string secret{};
};

// What a finding is called and what that means, in the words of the table that has it.
struct Named {
  std::string_view id, name;  // "SLM001", "double-launch"
  Severity severity = Severity::error;
  std::string_view summary, explanation;
};
// The rule's, else the diagnostic's own.
Named about(const Finding& finding);
// Whether it is a finding of a rule, which selections, suppressions and waivers name.
bool is_of(const Finding& finding, RuleId rule);

// A finding of `rule` at `where` with the rule's own severity.
Finding finding(RuleId rule, Span where, std::string message, std::string label = {});
// The same where the file alone cannot tell: severity info.
Finding unclear(RuleId rule, Span where, std::string message, std::string label = {});
// Makes it such a finding.
void mark_unclear(Finding& finding);

}  // namespace muster::lint
