// Where the output goes: `-o` and `-e`, which know the numbers of the job and of an array's task; what else a name
// holds, the script itself fills in.
#include "targets/lsf/sections.h"
#include "targets/shell.h"

namespace muster::targets::lsf {
namespace {

using batch::Request;

bool is_array(const Job& job) { return job.workload.sweep.has_value() || job.copies_in_array(); }

// The pattern as the option has it; nullopt: it holds what only the running job knows, or what bsub would read.
std::optional<std::string> option_value(const Job& job, std::string_view pattern) {
  std::string out;
  const auto take = [&](std::string_view word, std::string_view text) {
    if (!pattern.starts_with(word)) return false;
    out += text, pattern.remove_prefix(word.size());
    return true;
  };
  while (!pattern.empty()) {
    if (take("{{", "{") || take("{name}", job.name()) || take("{role}", job.role.name)) continue;
    if (take("{id}", is_array(job) ? "%J.%I" : "%J")) continue;
    if (is_array(job) && (take("{array}", "%J") || take("{point}", "%I"))) continue;
    if (pattern[0] == '{' || pattern[0] == '%' || pattern[0] == '$' || pattern[0] == '\\') return std::nullopt;
    out += pattern[0], pattern.remove_prefix(1);
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

std::string below_logs(const Job& job, const std::string& pattern) {
  const auto& folder = job.site.log_dir;
  return folder && !pattern.starts_with('/') ? folder->value + "/" + pattern : pattern;
}

// `-o` adds to a file that is there, `-oo` begins it anew; a name with the number of the job is new anyway.
bool overwrites(const Job& job, std::string_view pattern) {
  const auto& logs = job.workload.logs;
  if (logs && logs->append) return !logs->append->value;
  return pattern.find("{id}") == pattern.npos && pattern.find("{array}") == pattern.npos;
}

// Of an array whose numbers LSF counts from 1 where those of the points begin below.
bool shifts_points(const Job& job, std::string_view pattern) {
  return pattern.find("{point}") != pattern.npos && batch::index_word(job) != job.dialect.variables.array_index;
}

// One stream: the option, or a redirection of the script.
void add_log(Job& job, Request request, const std::string& pattern, Field field) {
  const std::string path = below_logs(job, pattern);
  const bool anew = overwrites(job, pattern), error = request == Request::error;
  const std::string option = std::string(job.option_of(request)) + (anew ? "o" : "");
  if (const auto value = option_value(job, path)) {
    add_option(job, option, *value, field);
    if (!shifts_points(job, pattern)) return job.exact(field, job.directives.back());
    return job.approximated(field, job.directives.back(), "LSF counts the tasks of an array from 1");
  }
  const auto file = batch::bash_file(job, path);
  if (!file)
    return job.refuse(field, "a file of an LSF job can be named by `{role} {name} {id} {array} {point} {user}`",
                      "use only these");
  if (!error) job.directives.push_back(std::string(job.option_of(request)) + " /dev/null");
  const std::string note = "# shellcheck disable=SC2016  # a part of the name\n";
  if (path.find_first_of("$`") != path.npos && !job.redirect.starts_with(note)) job.redirect.insert(0, note);
  const bool first = job.redirect.empty() || job.redirect == note;
  job.redirect += std::string(first ? "exec " : " ") + (error ? "2>" : ">") + (anew ? " " : "> ") + *file;
  job.exact(field, "exec >");
}

}  // namespace

void add_logs(Job& job) {
  const model::Logs logs = job.workload.logs.value_or(model::Logs{});
  const bool output_by_role = batch::is_by_role(job, logs.output), error_by_role = batch::is_by_role(job, logs.error);
  const std::string usual = is_array(job) ? "{name}-{array}_{point}.out" : "{name}-{id}.out";
  add_log(job, Request::output, logs.output && !output_by_role ? logs.output->value : usual, Field::logs_output);
  if (output_by_role) job.exact(Field::logs_output, "a redirection of each role");
  if (logs.error && !error_by_role) add_log(job, Request::error, logs.error->value, Field::logs_error);
  else if (!job.redirect.empty()) job.redirect += " 2>&1";
  if (error_by_role) job.exact(Field::logs_error, "a redirection of each role");
  if (logs.append) job.exact(Field::logs_append, logs.append->value ? "-o" : "-oo");
}

}  // namespace muster::targets::lsf
