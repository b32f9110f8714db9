#include "compiler/base/diagnostic.h"

#include <algorithm>
#include <utility>

#include "compiler/base/text.h"

namespace muster {

std::span<const CodeInfo> all_codes() {
  static const std::vector<CodeInfo> codes = {
#define MUSTER_CODE(id, slug, severity, summary, explanation) \
  CodeInfo{#id, dashed(#slug), Severity::severity, summary, explanation},
#include "compiler/base/codes.def"
#undef MUSTER_CODE
  };
  return codes;
}

const CodeInfo& info(Code code) { return all_codes()[static_cast<std::size_t>(code)]; }

ErrorKind error_kind(Code code) {
  switch (code) {
    case Code::no_pool:
    case Code::no_plane:
    case Code::does_not_fit:
    case Code::target_refuses:
    case Code::asks_elsewhere:
    case Code::not_given:
    case Code::tpu:
    case Code::target_not_written:
    case Code::cannot_pin:
    case Code::bad_version:
    case Code::cannot_import: return ErrorKind::answer;
    case Code::field_not_carried:
    case Code::not_preserved: return ErrorKind::fault;
    default: return ErrorKind::input;
  }
}

bool is_file_budget(Code code) {
  return code == Code::file_too_large || code == Code::too_deep || code == Code::document_too_large ||
         code == Code::expression_too_long;
}

const CodeInfo* find_code(std::string_view text) {
  for (const CodeInfo& code : all_codes())
    if (equal_ignoring_case(code.id, text) || equal_ignoring_case(code.name, text)) return &code;
  return nullptr;
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::info: return "info";
  }
  return "error";
}

Diagnostic& Diagnostics::add(Code code, Span where, std::string message, std::string label) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.primary = where;
  d.primary_label = std::move(label);
  items_.push_back(std::move(d));
  return items_.back();
}

bool Diagnostics::has_errors() const {
  return std::any_of(items_.begin(), items_.end(), [](const Diagnostic& d) { return d.severity() == Severity::error; });
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> out = items_;
  std::stable_sort(out.begin(), out.end(), [](const Diagnostic& a, const Diagnostic& b) {
    if (a.primary.file != b.primary.file) return a.primary.file < b.primary.file;
    return a.primary.begin < b.primary.begin;
  });
  const auto same = [](const Diagnostic& a, const Diagnostic& b) {
    return a.code == b.code && a.primary == b.primary && a.message == b.message;
  };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

}  // namespace muster
