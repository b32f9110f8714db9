#include "lint/reporter.h"

#include <algorithm>
#include <iterator>

namespace muster::lint {

Finding& Reporter::wrong(RuleId rule, Where where, std::string message, std::string label) const {
  return add(finding(rule, where.span, std::move(message), std::move(label)), std::move(where.subject),
             std::move(where.path));
}

Finding& Reporter::cannot_tell(RuleId rule, Where where, std::string message, std::string label) const {
  return add(unclear(rule, where.span, std::move(message), std::move(label)), std::move(where.subject),
             std::move(where.path));
}

Finding& Reporter::add(Finding finding, std::string subject, std::string path) const {
  finding.subject = std::move(subject);
  finding.path = std::move(path);
  return findings.emplace_back(std::move(finding));
}

void drop_unplaced_labels(std::vector<Finding>& findings) {
  for (Finding& f : findings) std::erase_if(f.labels, [](const Label& label) { return !label.span.known(); });
}

void append_in_order(std::vector<Finding> found, std::vector<Finding>& findings) {
  drop_unplaced_labels(found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding& a, const Finding& b) { return a.primary.begin < b.primary.begin; });
  findings.insert(findings.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

}  // namespace muster::lint
