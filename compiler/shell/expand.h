// What a bash word comes to, as far as the text alone tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/shell/body.h"

namespace muster::shell {

// Text in which what is not known is as spelt between two NULs (no script that sbatch takes holds one).
using Partial = std::string;

inline bool is_known(const Partial& text) { return text.find('\0') == std::string::npos; }
std::string without_marks(const Partial& text);
Partial unknown_part(std::string_view spelling);

struct Variable {
  std::vector<Partial> values;  // of an array; one of a plain variable
  bool array = false;
  bool exported = false;
};

// Variables as the text sets them from top to bottom.
class Variables {
 public:
  // nullptr: the text does not say.
  const Variable* find(std::string_view name) const;
  // The value of one that is a whole number; nullopt for any other.
  std::optional<std::int64_t> number(std::string_view name) const;
  void set(std::string_view name, Variable value);
  // Set where it may or may not happen: never known from then on.
  void forget(std::string_view name);
  // A name is set that the text does not say (`${!REF:=4}`): nothing is known from then on.
  void forget_all();
  void mark_exported(std::string_view name);

 private:
  std::map<std::string, Variable, std::less<>> known_;
  std::map<std::string, bool, std::less<>> forgotten_;
  bool all_forgotten_ = false;
};

// Where expansion reports what it reads, and how much it may still write.
struct ExpandContext {
  const Variables* variables = nullptr;
  bool outer_expanded = false;  // the text is a here-document that a shell expands first
  std::size_t budget = 0;       // bytes that variables may still add
  std::uint32_t file = 0;
  std::vector<EnvironmentRead>* reads = nullptr;
  const std::vector<Word>* arguments = nullptr;  // $0, $1 … of a text for `sh -c`, where they are known
};

// The fields that a word becomes: none, one, or several where an unquoted variable holds blanks.
// `base`: offset of the word in its file.
std::vector<Partial> expand_word(std::string_view word, std::uint32_t base, ExpandContext& context);

// As in an assignment: one value, no splitting.
Partial expand_value(std::string_view word, std::uint32_t base, ExpandContext& context);

// The names that a word gives values while it is expanded: `${X:=4}`, `$((n++))`, `${A[n++]}`; "" for one that the text
// does not say.
std::vector<std::string_view> names_assigned_in(std::string_view word);

// The words of `(a b c)` of an array assignment.
std::vector<Partial> expand_array(std::string_view inside, std::uint32_t base, ExpandContext& context);

}  // namespace muster::shell
