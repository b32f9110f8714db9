// Diagnostics: a stable code, a place, a cause and, where there is one, the fix.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"

namespace muster {

// One enumerator a line of codes.def, e.g. Code::unknown_key (printed E0201).
enum class Code : std::uint16_t {
#define MUSTER_CODE(id, slug, severity, summary, explanation) slug,
#include "compiler/base/codes.def"
#undef MUSTER_CODE
};

enum class Severity : std::uint8_t { error, warning, info };

// What codes.def says of a code.
struct CodeInfo {
  std::string_view id;  // "E0201"
  std::string name;     // "unknown-key"
  Severity severity;
  std::string_view summary;      // one line
  std::string_view explanation;  // what `muster explain` prints
};

const CodeInfo& info(Code code);

// What an error is about: a true answer that is not good, an input that cannot be used, or a fault of muster itself.
enum class ErrorKind : std::uint8_t { answer, input, fault };
ErrorKind error_kind(Code code);
// Whether it says that a file is over a budget of its form.
bool is_file_budget(Code code);

std::span<const CodeInfo> all_codes();
// Finds a code by its id or its name, in any case; nullptr if there is none.
const CodeInfo* find_code(std::string_view id_or_name);
std::string_view severity_name(Severity severity);

struct Label {
  Span span;
  std::string text;
};

// Replaces `where` by `text`. `sure` when applying it cannot change a meaning.
struct FixIt {
  Span where;
  std::string text;
  std::string why;
  bool sure = true;
};

struct Diagnostic {
  Code code{};
  std::string message;  // lower case, no full stop, code in backticks
  Span primary;
  std::string primary_label;
  std::vector<Label> labels;
  std::vector<std::string> notes;
  std::vector<FixIt> fixes;

  Severity severity() const { return info(code).severity; }
};

// Collects what the stages find. Sorted and deduplicated only when it is shown.
class Diagnostics {
 public:
  // Adds one and returns it, so that a caller can hang labels, notes and fixes on it. The
  // reference is valid until the next call.
  Diagnostic& add(Code code, Span where, std::string message, std::string label = {});
  void add(Diagnostic diagnostic) { items_.push_back(std::move(diagnostic)); }

  bool has_errors() const;
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  // Those added after the first `count`, for a caller that knows more about them than who reported them.
  std::span<Diagnostic> since(std::size_t count) { return std::span(items_).subspan(count); }
  // By file and offset, in the order of discovery on a tie; the same code at the same place once.
  std::vector<Diagnostic> sorted() const;

 private:
  std::vector<Diagnostic> items_;
};

}  // namespace muster
