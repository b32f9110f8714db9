// How a check says what it found: one reporter behind the checks of scripts, manifests, workloads and sites.
#pragma once

#include <string>
#include <vector>

#include "lint/finding.h"

namespace muster::lint {

// The place to show; which thing of the file it is about, and which field of it.
struct Where {
  Span span;
  std::string subject;
  std::string path;
};

// Each function returns the finding, so that labels, notes and a fix can be added to it. The reference is valid until
// the next one is reported.
struct Reporter {
  std::vector<Finding>& findings;

  Finding& wrong(RuleId rule, Where where, std::string message, std::string label = {}) const;
  // The file alone cannot tell: severity info.
  Finding& cannot_tell(RuleId rule, Where where, std::string message, std::string label = {}) const;
  // A finding that was made elsewhere.
  Finding& add(Finding finding, std::string subject, std::string path) const;
};

// Without the labels that have no place.
void drop_unplaced_labels(std::vector<Finding>& findings);
// Appends what was found in one thing, in the order of the text and without the labels that have no place.
void append_in_order(std::vector<Finding> found, std::vector<Finding>& findings);

}  // namespace muster::lint
