// Options of bsub that say nothing of the shape of the job: who pays, where, how long, files, mail, arrays.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/lsf/read/import.h"
#include "targets/lsf/read/importer.h"

namespace muster::targets::lsf {
namespace {

using batch::DirectivePart;
using batch::Draft;
using batch::PartRow;

void read_queue(Draft& draft, const DirectivePart& p) {
  std::string queues;
  for (const std::string_view queue : split(p.value, ' '))
    if (!queue.empty()) queues += (queues.empty() ? "" : ",") + std::string(queue);
  if (queues.empty()) return draft.lost(p, "no queue is named");
  draft.queue.plane_name = queues;
  batch::add_to_queue(draft, p, queues);
}

void read_time(Draft& draft, const DirectivePart& p) {
  batch::set_time(draft, p, run_limit_seconds(p.value), "minutes, or HOURS:MINUTES");
  if (p.value.find('/') != std::string::npos && draft.workload().time_limit) {
    draft.out.lines.back().fate = Fate::approximated;
    draft.out.lines.back().note = "LSF scales it by the speed of that host";
  }
}

void read_estimate(Draft& draft, const DirectivePart& p) {
  const auto seconds = run_limit_seconds(p.value);
  if (batch::last_part(draft.script, "-W") != nullptr || !seconds)
    return draft.lost(p, "an estimate, which stops no job");
  batch::set_time(draft, p, seconds, "");
  draft.out.lines.back().fate = Fate::approximated;
  draft.out.lines.back().note = "an estimate, and a time limit stops a job";
}

void read_account(Draft& draft, const DirectivePart& p) { batch::set_account(draft, p, std::string(trimmed(p.value))); }

// `fit[1-10:2,15]%4`: a name, and an array.
void read_name(Draft& draft, const DirectivePart& p) {
  const std::string name = job_name(p.value);
  const std::size_t open = p.value.find('[');
  if (open == std::string::npos) return batch::set_title(draft, p);
  if (name != draft.workload().name && !name.empty())
    draft.workload().title = model::Located<std::string>{name, p.span};
  const std::size_t close = p.value.find(']', open);
  if (close == std::string::npos) return draft.lost(p, "the array has no `]`");
  const std::size_t percent = p.value.find('%', close);
  const std::int64_t at_once =
      percent == std::string::npos ? 0 : batch::count_of(p.value.substr(percent + 1)).value_or(0);
  batch::set_array(draft, p, p.value.substr(open + 1, close - open - 1), at_once);
}

// %J is the job, %I the index.
std::optional<std::string> log_name(std::string_view path, bool error, bool array) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '$' || path[i] == '\\') return std::nullopt;
    if (path[i] == '%' && i + 1 < path.size()) {
      const char letter = path[++i];
      if (letter == 'J') out += array ? "{array}" : "{id}";
      else if (letter == 'I') out += "{point}";
      else if (letter == 'U') out += "{user}";
      else return std::nullopt;
    } else {
      out += path[i] == '{' ? "{{" : std::string(1, path[i]);
    }
  }
  if (out.ends_with('/') || out == "." || out == "..")
    out += std::string(out.ends_with('/') ? "" : "/") + "{id}." + (error ? "err" : "out");
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

void read_log(Draft& draft, const DirectivePart& p) {
  const bool error = p.option.starts_with("-e");
  const bool over = p.option.ends_with("oo") || p.option == "-eo";
  const DirectivePart* overwriting = batch::last_part(draft.script, error ? "-eo" : "-oo");
  if (!over && overwriting != nullptr) return draft.mapped(p, "nothing", "`" + overwriting->option + "` replaces it");
  const DirectivePart* name = batch::last_part(draft.script, "-J");
  const bool array = name != nullptr && name->value.find('[') != std::string::npos;
  batch::set_log(draft, p, error, log_name(p.value, error, array));
  auto& logs = draft.workload().logs;
  if (logs && (!logs->append || over)) logs->append = model::Located<bool>{!over, p.span};
}

void read_begin(Draft& draft, const DirectivePart& p) { batch::add_events(draft, p, {model::NotifyOn::start}); }
void read_end(Draft& draft, const DirectivePart& p) { batch::add_events(draft, p, {model::NotifyOn::end}); }
void read_failure(Draft& draft, const DirectivePart& p) { batch::add_events(draft, p, {model::NotifyOn::fail}); }
void read_addresses(Draft& draft, const DirectivePart& p) {
  std::string list = p.value;
  std::replace(list.begin(), list.end(), ' ', ',');
  batch::add_addresses(draft, p, list);
}

void read_exclusive(Draft& draft, const DirectivePart& p) {
  draft.role().resources.exclusive = model::Located<bool>{true, p.span};
  draft.mapped(p, "resources.exclusive");
}

void read_again(Draft& draft, const DirectivePart& p) { batch::set_retry(draft, p, p.option == "-r"); }

// `-Q "140 141"`: with these exit codes it starts again.
void read_codes(Draft& draft, const DirectivePart& p) {
  batch::set_retry(draft, p, true);
  for (const std::string_view word : split(p.value, ' '))
    if (const auto code = batch::count_of(word); code && *code > 0 && *code < 256)
      draft.workload().retry->exit_codes.push_back({*code, p.span});
  if (draft.workload().retry->exit_codes.empty()) {
    draft.workload().retry.reset();
    draft.out.lines.back() = {p.span, p.option, Fate::lost, "", "not a list of exit codes"};
    return;
  }
  draft.workload().retry->on = {{model::RetryOn::exit_codes, {}}};
}

// Names of hosts, or of groups of them, which only the site tells apart.
void read_hosts(Draft& draft, const DirectivePart& p) {
  std::vector<std::string> hosts;
  for (const std::string_view word : split(p.value, ' ')) {
    const std::string_view host = word.substr(0, word.find_first_of("+!"));
    if (host.find_first_of("~@$<{[") != std::string_view::npos || host == "others")
      return draft.lost(p, "a choice of hosts that only LSF makes");
    if (!host.empty()) hosts.emplace_back(host);
  }
  if (hosts.empty()) return draft.lost(p, "no host is named");
  std::string all;
  for (const std::string& host : hosts) all += (all.empty() ? "" : "|") + host;
  batch::add_feature(draft, p, all, "hosts, or groups of them, as features of Slurm");
}

void read_folder(Draft& draft, const DirectivePart& p) {
  batch::set_folder(draft, p, p.value == "$PWD" || p.value == "${PWD}" ? "." : p.value);
}

void read_variable(Draft& draft, const DirectivePart& p) {
  if (p.value == "all") return batch::export_everything(draft, p);
  if (p.value == "none") {
    draft.role().launch.inherits = model::Located<model::Inherit>{model::Inherit::none, p.span};
    return draft.mapped(p, "launch.export");
  }
  if (p.value.starts_with('~')) return draft.lost(p, "a variable that is not passed on");
  batch::set_variable(draft, p, p.value);
}

// done(1) && exit(2): of one kind, joined by `&&`.
void read_dependency(Draft& draft, const DirectivePart& p) {
  std::string out, rest = p.value;
  std::erase_if(rest, [](char c) { return is_space(c); });
  while (!rest.empty()) {
    const std::size_t open = rest.find('('), close = rest.find(')');
    std::string kind = open == std::string::npos ? "done" : rest.substr(0, open);
    const std::string id = open == std::string::npos ? rest : rest.substr(open + 1, close - open - 1);
    const std::string slurm = kind == "done"      ? "afterok"
                              : kind == "ended"   ? "afterany"
                              : kind == "exit"    ? "afternotok"
                              : kind == "started" ? "after"
                                                  : "";
    if (slurm.empty() || !all_digits(id) || (open != std::string::npos && close == std::string::npos))
      return draft.lost(p, "name the workload with `depends-on`");
    out += (out.empty() ? "" : ",") + slurm + ":" + id;
    rest = open == std::string::npos ? "" : rest.substr(close + 1);
    if (rest.starts_with("&&")) rest.erase(0, 2);
    else if (!rest.empty()) return draft.lost(p, "name the workload with `depends-on`");
  }
  if (out.empty()) return draft.lost(p, "no job is named");
  draft.kept(p, "dependency", out, "between workloads, use `depends-on`");
}

void read_hold(Draft& draft, const DirectivePart& p) { draft.kept(p, "hold", ""); }
void read_wait(Draft& draft, const DirectivePart& p) { draft.kept(p, "wait", ""); }
void read_reservation(Draft& draft, const DirectivePart& p) {
  draft.queue.reservation = model::Located<std::string>{p.value, p.span};
  batch::add_to_queue(draft, p, p.value);
}
void read_service_class(Draft& draft, const DirectivePart& p) {
  draft.queue.qos = model::Located<std::string>{p.value, p.span};
  batch::add_to_queue(draft, p, p.value);
}

void read_login_shell(Draft& draft, const DirectivePart& p) {
  const std::string_view shell = base_name(p.value);
  if (!p.value.starts_with('/')) return draft.lost(p, "not the path of a shell");
  if (base_name(draft.script.text.interpreter.substr(0, draft.script.text.interpreter.find(' '))) != shell)
    return draft.lost(p, "another shell than that of the first line");
  draft.approximated(p, "script", "the profile of the login shell is not read: start `" + std::string(shell) + " -l`");
}

void read_group_of_users(Draft& draft, const DirectivePart& p) {
  if (batch::last_part(draft.script, "-P") != nullptr) return draft.lost(p, "the account is that of `-P`");
  batch::set_account(draft, p, p.value);
  draft.out.lines.back().fate = Fate::approximated;
  draft.out.lines.back().note = "the group of users is taken for the account";
}

void read_priority(Draft& draft, const DirectivePart& p) { draft.lost(p, "a priority among the jobs of LSF"); }
void read_limit(Draft& draft, const DirectivePart& p) {
  draft.lost(p, "a limit of a process, which `ulimit` in the text says");
}
void read_profile(Draft& draft, const DirectivePart& p) {
  draft.lost(p, "a profile of applications, which only that site defines");
}
void read_interactive(Draft& draft, const DirectivePart& p) { draft.lost(p, "an interactive job has no script"); }
void read_csm(Draft& draft, const DirectivePart& p) { draft.lost(p, "a setting of the nodes of Summit and its like"); }
void read_group(Draft& draft, const DirectivePart& p) {
  draft.approximated(p, "nothing", "a group only lists jobs together");
}
void read_select(Draft& draft, const DirectivePart& p) {
  const std::string text(trimmed(p.value));
  const bool word =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_name_char(c) || c == '-'; });
  if (word && !all_digits(text)) return batch::add_feature(draft, p, text);
  const bool memory_only = text.find_first_not_of("0123456789>=<. ") != std::string::npos &&
                           (text.starts_with("mem") || text.starts_with("maxmem") || text.starts_with("tmp") ||
                            text.starts_with("swp") || text.starts_with("type"));
  if (memory_only) return draft.approximated(p, "resources", "what a host must have free is what the job asks for");
  draft.lost(p, "a choice of hosts that only LSF makes");
}
void read_order(Draft& draft, const DirectivePart& p) {
  draft.approximated(p, "nothing", "in which order LSF tries the hosts");
}
void read_affinity(Draft& draft, const DirectivePart& p) {
  draft.approximated(p, "nothing", "the launcher binds the processes");
}
void read_close_hosts(Draft& draft, const DirectivePart& p) {
  draft.lost(p, "write `topology { within = … }` instead");
}
void read_same(Draft& draft, const DirectivePart& p) {
  draft.approximated(p, "nothing", "a gang of one model is the default");
}
void read_integration(Draft& draft, const DirectivePart& p) {
  draft.approximated(p, "nothing", "an integration of LSF, which the launcher in the text needs there");
}
void read_signal(Draft& draft, const DirectivePart& p) { draft.lost(p, "write `stop { signal lead }` instead"); }

constexpr std::array option_rows = std::to_array<PartRow>({
    {"-B", read_begin},
    {"-C", read_limit},
    {"-D", read_limit},
    {"-F", read_limit},
    {"-G", read_group_of_users},
    {"-H", read_hold},
    {"-I", read_interactive},
    {"-Ip", read_interactive},
    {"-Is", read_interactive},
    {"-J", read_name},
    {"-K", read_wait},
    {"-L", read_login_shell},
    {"-N", read_end},
    {"-Ne", read_failure},
    {"-P", read_account},
    {"-Q", read_codes},
    {"-R affinity", read_affinity},
    {"-R cu", read_close_hosts},
    {"-R order", read_order},
    {"-R same", read_same},
    {"-R select", read_select},
    {"-S", read_limit},
    {"-U", read_reservation},
    {"-W", read_time},
    {"-We", read_estimate},
    {"-XF", read_interactive},
    {"-a", read_integration},
    {"-alloc_flags", read_csm},
    {"-app", read_profile},
    {"-c", read_limit},
    {"-cn_cu", read_csm},
    {"-core_isolation", read_csm},
    {"-csm", read_csm},
    {"-cwd", read_folder},
    {"-e", read_log},
    {"-env", read_variable},
    {"-eo", read_log},
    {"-g", read_group},
    {"-jsm", read_csm},
    {"-m", read_hosts},
    {"-o", read_log},
    {"-oo", read_log},
    {"-p", read_limit},
    {"-q", read_queue},
    {"-r", read_again},
    {"-rn", read_again},
    {"-sla", read_service_class},
    {"-smt", read_csm},
    {"-sp", read_priority},
    {"-stage", read_csm},
    {"-step_cgroup", read_csm},
    {"-u", read_addresses},
    {"-v", read_limit},
    {"-w", read_dependency},
    {"-wa", read_signal},
    {"-wt", read_signal},
    {"-x", read_exclusive},
});

const PartRow* row_of(std::string_view option) {
  const auto found =
      std::find_if(option_rows.begin(), option_rows.end(), [&](const PartRow& row) { return row.option == option; });
  return found == option_rows.end() ? nullptr : &*found;
}

// Each of these adds to those before.
bool adds_up(std::string_view option) { return option == "-env" || option.starts_with("-R "); }

}  // namespace

std::string job_name(std::string_view value) { return std::string(trimmed(value.substr(0, value.find('[')))); }

void import_options(Draft& draft) {
  for (const DirectivePart& p : draft.script.parts) {
    const PartRow* row = row_of(p.option);
    if (row == nullptr || draft.done.contains(&p)) continue;
    if (!adds_up(p.option) && batch::last_part(draft.script, p.option) != &p) {
      draft.mapped(p, "nothing", "a later `" + p.option + "` replaces it");
      continue;
    }
    row->read(draft, p);
  }
}

}  // namespace muster::targets::lsf
