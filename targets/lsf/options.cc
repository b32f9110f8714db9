// #BSUB lines: how bsub reads them.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/lsf/sections.h"

namespace muster::targets::lsf {
namespace {

// A value as bsub reads it: a word without blanks and without what a shell or bsub could read otherwise, else in
// quotes, which nothing escapes. nullopt: no line can hold it.
std::optional<std::string> directive_value(std::string_view value) {
  const auto is_bad = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F || c == '\\'; };
  const auto is_plain = [](char c) {
    return is_alnum(c) || std::string_view("_-+.,:/@%=").find(c) != std::string::npos;
  };
  if (value.empty() || value.size() > 4094 || std::any_of(value.begin(), value.end(), is_bad)) return std::nullopt;
  if (value[0] != '-' && std::all_of(value.begin(), value.end(), is_plain)) return std::string(value);
  if (value.starts_with('-')) return std::nullopt;  // an option, even in quotes
  for (const char quote : {'"', '\''})
    if (value.find(quote) == value.npos) return quote + std::string(value) + quote;
  return std::nullopt;
}

// Brackets are those of an array, and `/` and `%` those of its limit and of lists of jobs.
bool is_job_name(std::string_view name) {
  const auto is_of_name = [](char c) {
    return is_alnum(c) || std::string_view("_-+.:@ ").find(c) != std::string::npos;
  };
  return !name.empty() && is_alnum(name[0]) && std::all_of(name.begin(), name.end(), is_of_name);
}

void add_array(Job& job, std::string_view list, const FieldRef& field) {
  const auto quoted = directive_value(job.name() + std::string(list));
  const auto name = std::find_if(job.directives.begin(), job.directives.end(),
                                 [](const std::string& directive) { return directive.starts_with("-J "); });
  if (name == job.directives.end()) return;  // which was refused
  if (!quoted) return job.refuse(field, "the name and the indices of an LSF array are at most 4094 characters");
  *name = "-J " + *quoted;
}

// `nice` counts the other way, and the numbers of users begin at 1.
std::optional<std::string> priority_of(std::string_view nice) {
  if (!nice.starts_with('-')) return std::nullopt;
  return std::string(nice.substr(1));
}

}  // namespace

bool is_value(std::string_view text) { return directive_value(text).has_value(); }

bool is_word(std::string_view text) {
  return !text.empty() && is_alnum(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.'; });
}

void require(Job& job, const std::string& section) { job.directives.push_back("-R \"" + section + "\""); }

void add_option(Job& job, std::string_view option, std::string_view value, const FieldRef& field) {
  std::string own(value);
  if (option == "-J" && value.starts_with('[')) return add_array(job, value, field);
  if (option == "-J" && !is_job_name(value))
    return job.refuse(field, "`" + printable(value) + "` is not a name that LSF takes for a job",
                      "use letters, digits and `_ - + . : @`, beginning with a letter or a digit");
  if (option == "-sp") {
    const auto priority = priority_of(value);
    if (!priority)
      return job.refuse(field, "LSF takes priorities from 1, which is `nice = -1`", "write a `nice` below 0");
    own = *priority;
  }
  const auto quoted = directive_value(own);
  if (quoted) return job.directives.push_back(std::string(option) + " " + *quoted);
  const std::string message = "`" + std::string(option) +
                              "` cannot have this value; a #BSUB line allows no control characters, no backslash, one "
                              "kind of quotes and no `-` at the front";
  job.diagnostics.add(Code::name_not_valid, job.span_of(field), message);
  job.loss.refused(field, message);
}

void add_flag(Job& job, std::string_view flag, const FieldRef&) { job.directives.emplace_back(flag); }

}  // namespace muster::targets::lsf
