#include "lint/annotation.h"

namespace muster::lint {

Finding unread_annotation(Span where, const std::string& place) {
  Finding f = finding(RuleId::unreadable_suppression, where,
                      "`lint.muster/allow` of a pod template is not read: it is an annotation of " + place);
  f.subject = "suppression";
  f.path = allow_annotation;
  return f;
}

}  // namespace muster::lint
