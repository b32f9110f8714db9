// Options of qsub that say nothing of the shape of the job: who pays, where, how long, files, mail, arrays.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/given_names.h"
#include "targets/pbs/read/importer.h"

namespace muster::targets::pbs {
namespace {

using batch::DirectivePart;
using batch::Draft;
using batch::PartRow;

std::string_view unquoted(std::string_view text) {
  while (text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.front() == text.back())
    text = text.substr(1, text.size() - 2);
  return text;
}

void read_queue(Draft& draft, const DirectivePart& p) {
  const std::string queue(trimmed(p.value.substr(0, p.value.find('@'))));
  if (queue.empty()) return draft.approximated(p, "the default queue", "of the server `" + p.value + "`");
  draft.queue.plane_name = queue;
  batch::add_to_queue(draft, p, queue);
}

void read_time(Draft& draft, const DirectivePart& p) {
  const auto seconds = walltime_seconds(unquoted(p.value), true);
  batch::set_time(draft, p, seconds, "seconds, or HH:MM:SS");
  const bool days = std::count(p.value.begin(), p.value.end(), ':') == 3;
  if (seconds && days) draft.out.lines.back().note = "days in front, which OpenPBS rejects";
}

void read_cpu_time(Draft& draft, const DirectivePart& p) {
  const auto seconds = walltime_seconds(unquoted(p.value), true);
  if (draft.workload().time_limit || batch::first_part(draft.script, "-l walltime") != nullptr || !seconds)
    return draft.lost(p, "a limit on CPU time; `time-limit` is of the wall clock");
  batch::set_time(draft, p, seconds, "");
  draft.out.lines.back().fate = Fate::approximated;
  draft.out.lines.back().note = "a limit on CPU time, and the wall clock stops a job";
}

void read_account(Draft& draft, const DirectivePart& p) { batch::set_account(draft, p, std::string(trimmed(p.value))); }

void read_name(Draft& draft, const DirectivePart& p) { batch::set_title(draft, p); }

void read_log(Draft& draft, const DirectivePart& p) {
  const bool error = p.option == "-e";
  const DirectivePart* join = batch::last_part(draft.script, "-j");
  if (join != nullptr && join->value.starts_with(error ? 'o' : 'e'))
    return draft.mapped(p, "nothing", "`-j " + join->value + "` joins the two, and this file is not written");
  auto pattern = log_path(p.value, error);
  const bool joined = join != nullptr && join->value.starts_with('e');
  batch::set_log(draft, p, error && !joined, std::move(pattern));
}

void read_join(Draft& draft, const DirectivePart& p) {
  if (p.value == "n") return draft.mapped(p, "logs", "two files, which is the default");
  if (p.value.find_first_not_of("oen") != std::string::npos) return draft.lost(p, "`-j` takes oe, eo or n");
  draft.mapped(p, "logs.output", "it holds both streams");
}

void read_mail(Draft& draft, const DirectivePart& p) {
  std::vector<model::NotifyOn> events;
  for (const char c : p.value) {
    if (c == 'b') events.push_back(model::NotifyOn::start);
    else if (c == 'e') events.push_back(model::NotifyOn::end);
    else if (c == 'a') events.push_back(model::NotifyOn::fail);
    else if (c == 'j') events.push_back(model::NotifyOn::each_point);
    else if (c == 'f') events.push_back(model::NotifyOn::fail);
    else if (c != 'n' && c != 'p') return draft.lost(p, "`-m` takes n, or letters of a, b, e");
  }
  batch::add_events(draft, p, std::move(events));
}

void read_addresses(Draft& draft, const DirectivePart& p) { batch::add_addresses(draft, p, unquoted(p.value)); }

// `0-15:2%4`; Torque takes lists too.
void read_array(Draft& draft, const DirectivePart& p) {
  const std::size_t percent = p.value.find('%');
  std::int64_t at_once = 0;
  if (percent != std::string::npos) at_once = batch::count_of(p.value.substr(percent + 1)).value_or(0);
  if (const DirectivePart* most = batch::last_part(draft.script, "-W max_run_subjobs"))
    at_once = batch::count_of(most->value).value_or(at_once);
  const std::string ids(trimmed(p.value.substr(0, percent)));  // of Torque `15` is one task with this number
  batch::set_array(draft, p, ids, at_once);
}

void read_at_once(Draft& draft, const DirectivePart& p) {
  const bool array = batch::last_part(draft.script, "-J") != nullptr;
  if (array && batch::count_of(p.value)) draft.mapped(p, "sweep.max-parallel");
  else draft.lost(p, "there is no array");
}

void read_again(Draft& draft, const DirectivePart& p) {
  if (p.value != "y" && p.value != "n") return draft.lost(p, "`-r` takes y or n");
  batch::set_retry(draft, p, p.value == "y");
}

void read_everything(Draft& draft, const DirectivePart& p) { batch::export_everything(draft, p); }
void read_variable(Draft& draft, const DirectivePart& p) { batch::set_variable(draft, p, p.value); }

void read_shell(Draft& draft, const DirectivePart& p) {
  std::string shell(trimmed(p.value));
  shell = shell.substr(0, shell.find_first_of("@,"));
  if (!shell.starts_with('/')) return draft.lost(p, "not the path of a shell");
  draft.script.text.interpreter = shell;
  draft.mapped(p, "script");
}

void read_folder(Draft& draft, const DirectivePart& p) { batch::set_folder(draft, p, p.value); }

void read_hold(Draft& draft, const DirectivePart& p) { draft.kept(p, "hold", ""); }

// `2230`, `202611250730.00`: a moment. Only the form with a year has an equal without a clock.
void read_start(Draft& draft, const DirectivePart& p) {
  const std::string digits = p.value.substr(0, p.value.find('.'));
  if (!all_digits(digits) || (digits.size() != 12 && digits.size() != 4))
    return draft.lost(p, "a moment without a year");
  if (digits.size() == 4) return draft.kept(p, "begin", digits.substr(0, 2) + ":" + digits.substr(2));
  draft.kept(p, "begin",
             digits.substr(0, 4) + "-" + digits.substr(4, 2) + "-" + digits.substr(6, 2) + "T" + digits.substr(8, 2) +
                 ":" + digits.substr(10));
}

void read_priority(Draft& draft, const DirectivePart& p) { draft.lost(p, "a priority among the jobs of PBS"); }

void read_keep(Draft& draft, const DirectivePart& p) {
  draft.approximated(p, "logs", "where PBS writes the files while the job runs; they are the job's logs");
}

void read_checkpoint(Draft& draft, const DirectivePart& p) {
  if (p.value == "n" || p.value == "u") draft.mapped(p, "nothing", "the system saves no checkpoints, as everywhere");
  else draft.lost(p, "checkpoints by the system; the program must save its own");
}

void read_interactive(Draft& draft, const DirectivePart& p) { draft.lost(p, "an interactive job has no script"); }
void read_x11(Draft& draft, const DirectivePart& p) { draft.lost(p, "X11 is for interactive jobs"); }
void read_nothing(Draft& draft, const DirectivePart& p) { draft.mapped(p, "nothing", "only says what qsub prints"); }
void read_user(Draft& draft, const DirectivePart& p) { draft.lost(p, "a job runs as its submitter"); }
void read_staging(Draft& draft, const DirectivePart& p) { draft.lost(p, "files are copied by the text or a mount"); }
void read_site_hook(Draft& draft, const DirectivePart& p) { draft.lost(p, "a hook of the site reads it"); }

// ---- -W ------------------------------------------------------------------------------------------

// PBS and Slurm have the same names for the common kinds; an id loses the name of its server.
void read_dependency(Draft& draft, const DirectivePart& p) {
  std::string out;
  for (const std::string_view item : split(p.value, ',')) {
    std::string one(trimmed(item));
    const std::string kind = one.substr(0, one.find(':'));
    const bool shared = is_one_of(kind, {"after", "afterok", "afternotok", "afterany"});
    const bool more_ids = !out.empty() && one.find(':') == std::string::npos && !one.empty() && is_digit(one[0]);
    if (!shared && !more_ids) return draft.lost(p, "`" + printable(kind, 30) + "` has no equal in Slurm");
    out += out.empty() ? "" : more_ids ? ":" : ",";
    for (const std::string_view id : split(one, ':'))
      out +=
          (out.empty() || out.back() == ',' || out.back() == ':' ? "" : ":") + std::string(id.substr(0, id.find('.')));
  }
  draft.kept(p, "dependency", out, "between workloads, use `depends-on`");
}

void read_group(Draft& draft, const DirectivePart& p) {
  if (batch::last_part(draft.script, "-A") != nullptr || batch::last_part(draft.script, "-P") != nullptr)
    return draft.lost(p, "the group of the files; the account is another one");
  batch::set_account(draft, p, p.value.substr(0, p.value.find_first_of("@,")));
  draft.out.lines.back().fate = Fate::approximated;
  draft.out.lines.back().note = "the group is taken for the account";
}

void read_block(Draft& draft, const DirectivePart& p) { draft.kept(p, "wait", ""); }

void read_umask(Draft& draft, const DirectivePart& p) { draft.lost(p, "write `umask` into the text"); }

void read_extension(Draft& draft, const DirectivePart& p) {
  const std::string low = muster::lower(p.value);
  if (low.find("singlejob") != std::string::npos) {
    draft.role().resources.exclusive = model::Located<bool>{true, p.span};
    return draft.mapped(p, "resources.exclusive");
  }
  const std::size_t reservation = low.find("advres:");
  if (reservation == std::string::npos) return draft.lost(p, "an extension of the scheduler of that site");
  draft.queue.reservation = model::Located<std::string>{p.value.substr(reservation + 7), p.span};
  batch::add_to_queue(draft, p, p.value.substr(reservation + 7));
}

// ---- -l ------------------------------------------------------------------------------------------

void read_place(Draft& draft, const DirectivePart& p) {
  bool exclusive = false;
  std::string rest;
  for (const std::string_view word : split(p.value, ':')) {
    if (is_one_of(word, {"excl", "exclhost", "exclusive"})) exclusive = true;
    else if (!is_one_of(word, {"free", "pack", "scatter", "vscatter", "shared"}))
      rest += " `" + std::string(word) + "`";
  }
  if (exclusive) draft.role().resources.exclusive = model::Located<bool>{true, p.span};
  const std::string as = exclusive ? "resources.exclusive" : "resources.nodes";
  if (!rest.empty()) return draft.approximated(p, as, "without" + rest + ", which groups nodes of that site");
  draft.mapped(p, as, exclusive ? "" : "a node for each chunk, where it says so");
}

void read_access(Draft& draft, const DirectivePart& p) {
  if (!is_one_of(muster::lower(p.value), {"singlejob", "singletask", "exclusive"}))
    return draft.mapped(p, "nothing", "nodes are shared, which is the default");
  draft.role().resources.exclusive = model::Located<bool>{true, p.span};
  draft.mapped(p, "resources.exclusive");
}

void read_whole_nodes(Draft& draft, const DirectivePart& p) {
  draft.role().resources.exclusive = model::Located<bool>{true, p.span};
  draft.mapped(p, "resources.exclusive");
}

void read_feature(Draft& draft, const DirectivePart& p) {
  std::string feature(unquoted(p.value));
  std::replace(feature.begin(), feature.end(), ':', '&');
  if (feature.empty()) return draft.lost(p, "no feature is named");
  batch::add_feature(draft, p, feature);
}

void read_qos(Draft& draft, const DirectivePart& p) {
  draft.queue.qos = model::Located<std::string>{p.value, p.span};
  batch::add_to_queue(draft, p, p.value);
}

void read_disk(Draft& draft, const DirectivePart& p) {
  const auto measure = batch::measure_of(unquoted(p.value));
  const auto bytes = measure ? batch::bytes_of(*measure, "b") : std::nullopt;
  if (!bytes || *bytes < 1) return draft.lost(p, "not a size");
  draft.role().resources.disk = model::Located<Size>{{*bytes}, p.span};
  draft.mapped(p, "resources.disk");
}

void read_licence(Draft& draft, const DirectivePart& p) {
  if (p.value.empty() || p.value.find_first_of(" $") != std::string::npos) return draft.lost(p, "no name of a licence");
  draft.kept(p, "licenses", p.value);
}

void read_storage(Draft& draft, const DirectivePart& p) {
  draft.lost(p, "which file systems the job needs; a site of muster declares its storage");
}

// `-W x=…` and hooks aside, -W umask and the like.
constexpr std::array option_rows = std::to_array<PartRow>({
    {"-A", read_account},
    {"-C", read_nothing},
    {"-F", read_site_hook},
    {"-I", read_interactive},
    {"-J", read_array},
    {"-M", read_addresses},
    {"-N", read_name},
    {"-P", read_account},
    {"-S", read_shell},
    {"-T", read_site_hook},
    {"-V", read_everything},
    {"-W block", read_block},
    {"-W depend", read_dependency},
    {"-W group_list", read_group},
    {"-W max_run_subjobs", read_at_once},
    {"-W stagein", read_staging},
    {"-W stageout", read_staging},
    {"-W umask", read_umask},
    {"-W x", read_extension},
    {"-X", read_x11},
    {"-a", read_start},
    {"-b", read_site_hook},
    {"-c", read_checkpoint},
    {"-d", read_folder},
    {"-e", read_log},
    {"-h", read_hold},
    {"-j", read_join},
    {"-k", read_keep},
    {"-l advres", read_extension},
    {"-l cput", read_cpu_time},
    {"-l elapstim_req", read_time},
    {"-l feature", read_feature},
    {"-l file", read_disk},
    {"-l filesystems", read_storage},
    {"-l gres", read_licence},
    {"-l jobfs", read_disk},
    {"-l naccesspolicy", read_access},
    {"-l place", read_place},
    {"-l qos", read_qos},
    {"-l software", read_licence},
    {"-l storage", read_storage},
    {"-l walltime", read_time},
    {"-l wd", read_folder},
    {"-m", read_mail},
    {"-n", read_whole_nodes},
    {"-o", read_log},
    {"-p", read_priority},
    {"-q", read_queue},
    {"-r", read_again},
    {"-t", read_array},
    {"-u", read_user},
    {"-v", read_variable},
    {"-w", read_folder},
    {"-z", read_nothing},
});

const PartRow* row_of(std::string_view option) {
  const auto found =
      std::find_if(option_rows.begin(), option_rows.end(), [&](const PartRow& row) { return row.option == option; });
  return found == option_rows.end() ? nullptr : &*found;
}

// Each of these adds to those before.
bool adds_up(std::string_view option) { return option == "-v"; }

}  // namespace

bool has_reader(std::string_view option) { return row_of(option) != nullptr; }

void import_options(Draft& draft, const Script&) {
  for (const DirectivePart& p : draft.script.parts) {
    const PartRow* row = row_of(p.option);
    if (row == nullptr || draft.done.contains(&p)) continue;
    const bool first_wins = p.option.starts_with("-l ");
    const DirectivePart* decides =
        first_wins ? batch::first_part(draft.script, p.option) : batch::last_part(draft.script, p.option);
    if (!adds_up(p.option) && decides != &p) {
      draft.mapped(p, "nothing",
                   first_wins ? "PBS keeps the first value of a resource" : "a later `" + p.option + "` replaces it");
      continue;
    }
    row->read(draft, p);
  }
}

namespace {

// `$NAME` or `${NAME}` at the start of a text, and how many bytes it has.
struct VariableAt {
  std::string_view name;
  std::size_t size;
};

std::optional<VariableAt> variable_at(std::string_view text) {
  if (!text.starts_with('$')) return std::nullopt;
  const bool braces = text.substr(1).starts_with('{');
  const std::size_t begin = braces ? 2 : 1;
  std::size_t end = begin;
  while (end < text.size() && is_name_char(text[end])) ++end;
  if (end == begin || (braces && !text.substr(end).starts_with('}'))) return std::nullopt;
  return VariableAt{text.substr(begin, end - begin), end + braces};
}

std::optional<Given> meaning_of(std::string_view name) {
  const GivenName* row = given_name(BatchSystem::pbs, name);
  return row == nullptr ? std::nullopt : std::optional(row->meaning);
}

// The field of a log's name that has what PBS puts in place of a variable; "": there is none.
std::string_view log_field(std::string_view name) {
  if (name == "USER") return "{user}";
  const auto meaning = meaning_of(name);
  if (meaning == Given::job_name) return "{name}";
  if (meaning == Given::point) return "{point}";
  return meaning == Given::run_id && given_name(BatchSystem::pbs, name)->condition.empty() ? "{id}" : "";
}

}  // namespace

std::optional<std::string> log_path(std::string_view path, bool error) {
  path = unquoted(trimmed(path));
  if (const std::size_t host = path.find(':'); host != std::string_view::npos && path.find('/') > host)
    path.remove_prefix(host + 1);  // host:path
  if (const auto at = variable_at(path);
      at && meaning_of(at->name) == Given::submit_dir && path.substr(at->size).starts_with('/'))
    path.remove_prefix(at->size + 1);
  constexpr std::string_view index = "^array_index^";
  std::string out;
  while (!path.empty()) {
    const auto at = variable_at(path);
    const std::string_view field = path.starts_with(index) ? "{point}" : at ? log_field(at->name) : "";
    if (!field.empty()) {
      out += field;
      path.remove_prefix(at ? at->size : index.size());
      continue;
    }
    if (path[0] == '$' || path[0] == '\\' || path[0] == '%') return std::nullopt;
    out += path[0] == '{' ? "{{" : std::string(1, path[0]);
    path.remove_prefix(1);
  }
  if (out.empty()) return std::nullopt;
  if (out.ends_with('/') || out == "." || out == "..")
    out += std::string(out.ends_with('/') ? "" : "/") + "{name}." + (error ? "e" : "o") + "{id}";
  return out;
}

}  // namespace muster::targets::pbs
