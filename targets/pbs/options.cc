// #PBS lines: how qsub reads them.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/pbs/sections.h"

namespace muster::targets::pbs {
namespace {

// A value as qsub reads it: blanks need quotes, and `#` where a reader might see a comment; nothing escapes a quote.
// nullopt: no line can hold it.
std::optional<std::string> directive_value(std::string_view value) {
  const auto is_bad = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F || c == '\\'; };
  if (value.empty() || value.size() > 4096 || std::any_of(value.begin(), value.end(), is_bad)) return std::nullopt;
  if (value.find_first_of(" \"'#") == value.npos) return std::string(value);
  for (const char quote : {'"', '\''})
    if (value.find(quote) == value.npos) return quote + std::string(value) + quote;
  return std::nullopt;
}

// Of letters, digits and a few others; longer ones are of newer releases.
bool is_job_name(const Job& job, std::string_view name) {
  const auto is_of_name = [](char c) { return is_alnum(c) || c == '_' || c == '-' || c == '+' || c == '.'; };
  return !name.empty() && name.size() <= (is_torque(job) ? 64 : 230) && is_alnum(name[0]) &&
         std::all_of(name.begin(), name.end(), is_of_name);
}

// The option by which older releases limit how many tasks run at a time.
bool add_array_limit(Job& job, std::string_view option, std::string_view value, const FieldRef& field) {
  const std::size_t percent = value.find('%');
  if (is_torque(job) || percent == value.npos || job.plane.version.value >= model::Version{23, 6}) return false;
  if (job.plane.version.value < model::Version{20, 0}) {
    job.refuse(field,
               "PBS limits the tasks of an array that run at a time since version 20; plane `" + job.plane.name +
                   "` has " + model::version_text(job.plane.kind(), job.plane.version.value),
               "remove `max-parallel`");
    return true;
  }
  job.directives.push_back(batch::spelt(option, value.substr(0, percent)));
  job.directives.push_back("-W max_run_subjobs=" + std::string(value.substr(percent + 1)));
  return true;
}

// `nice` counts the other way.
std::optional<std::string> priority_of(std::string_view nice) {
  const bool lower = !nice.starts_with('-');
  const std::string digits(lower ? nice : nice.substr(1));
  if (digits.size() > 4 || std::stol(digits) > (lower ? 1024 : 1023)) return std::nullopt;
  return (lower && digits != "0" ? "-" : "") + digits;
}

}  // namespace

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.'; });
}

void add_option(Job& job, std::string_view option, std::string_view value, const FieldRef& field) {
  std::string own(value);
  if (option == "-N" && !is_job_name(job, value))
    return job.refuse(field, "`" + printable(value) + "` is not a name that PBS takes for a job",
                      "use letters, digits and `_ - + .`, at most " + std::string(is_torque(job) ? "64" : "230"));
  if ((option == "-J" || option == "-t") && value.empty())
    return job.refuse(field, "PBS numbers the tasks of an array in equal steps, but these points have other numbers",
                      "split the sweep into several workloads");
  if (option == "-J" && add_array_limit(job, option, value, field)) return;
  if (option == "-p") {
    const auto priority = priority_of(value);
    if (!priority)
      return job.refuse(field, "PBS takes priorities from -1024 to 1023", "write a `nice` from -1023 to 1024");
    own = *priority;
  }
  const auto quoted = directive_value(own);
  if (quoted) return job.directives.push_back(batch::spelt(option, *quoted));
  const std::string message = "`" + std::string(option) +
                              "` cannot have this value; a #PBS line allows no control characters, no backslash and "
                              "one kind of quotes";
  job.diagnostics.add(Code::name_not_valid, job.span_of(field), message);
  job.loss.refused(field, message);
}

void add_flag(Job& job, std::string_view flag, const FieldRef&) {
  // qsub refuses an array that may not run again.
  if (flag == "-r n" && job.has(batch::Request::array)) return;
  job.directives.emplace_back(flag);
}

}  // namespace muster::targets::pbs
