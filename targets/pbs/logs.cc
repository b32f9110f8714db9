// Where the output goes. PBS writes a file of the job's name and number by itself, and its options know only the
// number of an array's task; what else a name holds, the script itself fills in.
#include "targets/pbs/sections.h"
#include "targets/shell.h"

namespace muster::targets::pbs {
namespace {

using batch::Request;

bool is_array(const Job& job) { return job.workload.sweep.has_value() || job.copies_in_array(); }

// The folder of a pattern that ends in PBS's own name for a file, "" for that where the job begins; nullopt: it has
// another name.
std::optional<std::string> folder_of_usual(const Job& job, std::string_view pattern, char stream) {
  const std::string name = std::string("{name}.") + stream;
  for (const std::string& usual : {name + "{id}", name + "{array}.{point}"}) {
    if (!pattern.ends_with(usual) || (usual.ends_with("}.{point}") && !is_array(job))) continue;
    const std::string_view folder = pattern.substr(0, pattern.size() - usual.size());
    const bool plain = folder.find_first_of("{:^") == folder.npos && (folder.empty() || folder.ends_with('/'));
    if (plain) return std::string(folder);
  }
  return std::nullopt;
}

// The pattern as the option has it; nullopt: it holds what only the running job knows.
std::optional<std::string> option_value(const Job& job, std::string_view pattern) {
  std::string out;
  while (!pattern.empty()) {
    const auto take = [&](std::string_view word, std::string_view text) {
      if (!pattern.starts_with(word)) return false;
      out += text, pattern.remove_prefix(word.size());
      return true;
    };
    if (take("{{", "{") || take("{name}", job.name()) || take("{role}", job.role.name)) continue;
    if (!is_torque(job) && is_array(job) && take("{point}", "^array_index^")) continue;
    if (pattern[0] == '{' || pattern[0] == ':' || pattern[0] == '^') return std::nullopt;  // `host:path`
    out += pattern[0], pattern.remove_prefix(1);
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

std::string below_logs(const Job& job, const std::string& pattern) {
  const auto& folder = job.site.log_dir;
  return folder && !pattern.empty() && !pattern.starts_with('/') ? folder->value + "/" + pattern : pattern;
}

// One stream: nothing where PBS's own name is asked for, the option, or a redirection of the script.
void add_log(Job& job, Request request, const model::Optional<std::string>& asked, char stream, Field field) {
  const std::string pattern = asked ? asked->value : std::string("{name}.") + stream + "{id}";
  if (const auto folder = folder_of_usual(job, pattern, stream)) {
    const std::string own =
        folder->empty() && job.site.log_dir ? job.site.log_dir->value + "/" : below_logs(job, *folder);
    if (own.empty()) return job.read(field, "PBS, which names its files so");
    job.ask(request, own, field);
    return job.exact(field, job.option_of(request));
  }
  const std::string path = below_logs(job, pattern);
  if (const auto value = option_value(job, path)) {
    job.ask(request, *value, field);
    return job.exact(field, job.directives.empty() ? "" : job.directives.back());
  }
  if (batch::has_parts(job.plan) || (job.may_have_nodes() && job.runner() != model::Runner::mpi))
    return job.approximated(field, "nothing",
                            "PBS puts what all nodes print into the file of the job, whose name cannot hold this");
  const auto file = batch::bash_file(job, path);
  if (!file)
    return job.refuse(field, "a file of a PBS job can be named by `{role} {name} {id} {array} {point} {user}`",
                      "use only these");
  job.redirect += std::string(job.redirect.empty() ? "exec " : " ") + (stream == 'e' ? "2> " : "> ") + *file;
  job.exact(field, "exec >");
}

}  // namespace

void add_logs(Job& job) {
  const model::Logs logs = job.workload.logs.value_or(model::Logs{});
  const bool output_by_role = batch::is_by_role(job, logs.output), error_by_role = batch::is_by_role(job, logs.error);
  if (!logs.error || error_by_role) job.directives.emplace_back("-j oe");
  for (const auto& [by_role, field] :
       {std::pair{output_by_role, Field::logs_output}, {error_by_role, Field::logs_error}})
    if (by_role) job.approximated(field, "nothing", "PBS puts what all nodes print into the file of the job");
  if (!output_by_role) add_log(job, Request::output, logs.output, 'o', Field::logs_output);
  if (logs.error && !error_by_role) add_log(job, Request::error, logs.error, 'e', Field::logs_error);
  if (!job.redirect.empty() && !logs.error) job.redirect += " 2>&1";
}

}  // namespace muster::targets::pbs
