#include "targets/purpose.h"

namespace muster::targets {

std::string_view name(PurposeKind kind) {
  switch (kind) {
    case PurposeKind::complete: return "complete";
    case PurposeKind::templated: return "template";
    case PurposeKind::wrapper: return "wrapper";
    case PurposeKind::notes: return "notes";
    case PurposeKind::log: return "log";
    case PurposeKind::patch: return "patch";
    case PurposeKind::test_data: return "test data";
    case PurposeKind::archived: return "archived";
    case PurposeKind::printed: return "printed";
  }
  return "";
}

std::string described(const Purpose& purpose) {
  switch (purpose.kind) {
    case PurposeKind::complete: return "complete";
    case PurposeKind::templated: return "a template" + (purpose.engine.empty() ? "" : " (" + purpose.engine + ")");
    case PurposeKind::wrapper: return "a script that writes or submits others";
    case PurposeKind::notes: return "notes, not one script";
    case PurposeKind::log: return "the output of a job";
    case PurposeKind::patch: return "a patch of another manifest";
    case PurposeKind::test_data: return "test data";
    case PurposeKind::archived: return "an archived file";
    case PurposeKind::printed: return "the output of `kubectl get`";
  }
  return "";
}

}  // namespace muster::targets
