// Where the output goes: a file of the job, or one of each role.
#include <algorithm>
#include <optional>

#include "targets/batch/sections.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

constexpr std::string_view role_word = "{role}";

// Calls `text` for each stretch of a pattern as it is meant, and `word` for each `{NAME}`, braces apart.
template <class Text, class Word>
void read_pattern(std::string_view pattern, const Text& text, const Word& word) {
  while (!pattern.empty()) {
    const bool brace = pattern.starts_with("{{");
    const std::size_t end = pattern.find('}');
    if (!brace && pattern[0] == '{' && end != std::string_view::npos) {
      word(pattern.substr(1, end - 1));
      pattern.remove_prefix(end + 1);
      continue;
    }
    const std::size_t most = brace ? 2 : std::max<std::size_t>(1, std::min(pattern.find('{'), pattern.size()));
    text(pattern.substr(brace ? 1 : 0, brace ? 1 : most));
    pattern.remove_prefix(most);
  }
}

bool names_role(std::string_view pattern) {
  bool found = false;
  read_pattern(
      pattern, [](std::string_view) {}, [&](std::string_view word) { found = found || word == "role"; });
  return found;
}

// What bash knows of `{NAME}` in the job; "" for what only a step does.
std::string variable_of(const Job& job, std::string_view word) {
  const JobVariables& known = job.dialect.variables;
  const bool array = job.workload.sweep || job.copies_in_array();
  if (word == "id") return std::string(known.job_id);
  if (word == "array" && array) return std::string(known.array_id);
  if (word == "point" && array) return index_word(job);
  if (word == "user") return "$USER";
  return {};
}

}  // namespace

bool is_by_role(const Job& job, const model::Optional<std::string>& pattern) {
  return pattern && job.workload.roles.size() > 1 && names_role(pattern->value);
}

std::optional<std::string> bash_file(const Job& job, std::string_view pattern) {
  std::string out;
  bool known = true;
  const auto add = [&](std::string_view text) { out += sh_word(text); };
  read_pattern(pattern, add, [&](std::string_view word) {
    if (word == "role") return add(job.role.name);
    if (word == "name") return add(job.name());
    const std::string variable = variable_of(job, word);
    known = known && !variable.empty();
    out += "\"" + variable + "\"";
  });
  if (!known || has_nul(pattern)) return std::nullopt;
  return out;
}

namespace {

// " > FILE" of one role; "" where the pattern is the job's.
std::string redirection(Job& job, const model::Optional<std::string>& pattern, std::string_view stream, Field field) {
  if (!is_by_role(job, pattern)) return {};
  const std::string folder =
      job.site.log_dir && !pattern->value.starts_with('/') ? sh_word(job.site.log_dir->value) + "/" : std::string();
  const auto file = bash_file(job, pattern->value);
  if (file) return " " + std::string(stream) + (appends_logs(job) ? ">> " : "> ") + folder + *file;
  job.refuse(field, "a file of each role can be named by `{role} {name} {id} {array} {point} {user}`",
             "use only these");
  return {};
}

// Below the site's log folder unless the pattern is absolute.
void add_log(Job& job, Request request, const std::string& pattern, const FieldRef& field) {
  const std::string option(job.option_of(request));
  const auto file = job.dialect.log_file(pattern, job.role.name);
  if (job.site.log_dir && !pattern.starts_with('/')) {
    // A folder is text: no placeholders in it.
    const auto folder = job.dialect.log_file(job.site.log_dir->value, "");
    if (job.site.log_dir->value.find('{') != std::string::npos || !folder || !file)
      return job.refuse(field, "`" + option + "` cannot express this folder and name; " + job.system() +
                                   " does not expand patterns in a name with a backslash");
    return job.ask(request, *folder + "/" + *file, field);
  }
  if (!file)
    return job.refuse(field, "a file name for `" + option + "` cannot be empty or contain a backslash; " +
                                 job.system() + " then does not expand patterns in it");
  job.ask(request, *file, field);
}

}  // namespace

void add_logs(Job& job) {
  static constexpr std::string_view of_each_role = "a redirection of each role";
  const model::Logs logs = job.workload.logs.value_or(model::Logs{});
  const bool output_by_role = is_by_role(job, logs.output), error_by_role = is_by_role(job, logs.error);
  const std::string_view usual =
      job.workload.sweep || job.copies_in_array() ? "{name}-{array}_{point}.out" : "{name}-{id}.out";
  add_log(job, Request::output, logs.output && !output_by_role ? logs.output->value : std::string(usual),
          Field::logs_output);
  job.exact(Field::logs_output, output_by_role ? of_each_role : job.option_of(Request::output));
  if (logs.error && !error_by_role) add_log(job, Request::error, logs.error->value, Field::logs_error);
  job.exact(Field::logs_error, error_by_role ? of_each_role : job.option_of(Request::error));
}

std::string role_redirections(Job& job) {
  if (!job.dialect.returns_output) return {};
  const model::Logs logs = job.workload.logs.value_or(model::Logs{});
  const std::string output = redirection(job, logs.output, "", Field::logs_output);
  const std::string error = redirection(job, logs.error, "2", Field::logs_error);
  return output + (output.empty() || logs.error ? error : " 2>&1");
}

}  // namespace muster::targets::batch
