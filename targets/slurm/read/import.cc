#include "targets/slurm/read/import.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/license.h"
#include "targets/shell.h"
#include "targets/slurm/read/importer.h"

namespace muster::targets::slurm {
namespace {

using model::Located;

// ---- who pays, where, how long -----------------------------------------------------------------

void import_name(Importer& import) {
  const Directive* d = import.given("job-name");
  if (d == nullptr) return;
  if (d->value && *d->value == import.workload().name) return import.mapped(*d, "the workload's name");
  if (!d->value || d->value->empty()) return import.raw(*d);
  import.workload().title = Located<std::string>{*d->value, d->whole};
  import.mapped(*d, "title");
}

void import_account(Importer& import) {
  const Directive* d = import.given("account");
  if (d == nullptr || !d->value) return;
  if (d->value->empty()) return import.mapped(*d, "the submitter's account, which is the default");
  import.workload().account = Located<std::string>{*d->value, d->whole};
  import.out.names_account = true;
  model::Tenant tenant;
  tenant.name = "all";
  tenant.accounts.push_back({*d->value, d->whole});
  import.out.site.tenants.push_back(std::move(tenant));
  import.mapped(*d, "account");
}

// Alternatives stay as the option says them.
void import_licenses(Importer& import) {
  const Directive* d = import.given("licenses");
  if (d == nullptr || !d->value || !model::read_licenses(*d->value)) return;
  for (const std::string_view one : split(*d->value, ','))
    import.workload().licenses.push_back({std::string(one), d->whole});
  import.mapped(*d, "licenses");
}

// Partition, QOS, reservation and node features are one logical queue of the site.
void import_queue(Importer& import) {
  model::Queue queue;
  std::string label;
  const auto take = [&](std::string_view option) -> std::optional<std::string> {
    const Directive* d = import.given(option);
    if (d == nullptr || !d->value || d->value->empty()) return std::nullopt;
    label += (label.empty() ? "" : "-") + *d->value;
    return d->value;
  };
  const auto located = [](std::optional<std::string> text) -> model::Optional<std::string> {
    if (!text) return std::nullopt;
    return Located<std::string>{std::move(*text), {}};
  };
  if (auto partition = take("partition")) queue.plane_name = *partition;
  queue.qos = located(take("qos"));
  queue.reservation = located(take("reservation"));
  queue.constraint = located(take("constraint"));
  queue.name = label.empty() ? "default" : muster::lower(name_from(label));
  queue.is_default = label.empty();
  for (const std::string_view option : {"partition", "qos", "reservation", "constraint"})
    if (const Directive* d = import.given(option)) import.mapped(*d, "queue `" + queue.name + "` of the site");
  if (!label.empty()) import.workload().queues = {{ queue.name, import.script.span }};
  import.out.site.queues.push_back(std::move(queue));
}

void import_time(Importer& import) {
  const Directive* d = import.given("time");
  if (d == nullptr) return;
  const auto& time = import.job.time;
  if (!time || time->unlimited || time->minutes < 1) return import.raw(*d, "no limit");
  import.workload().time_limit = Located<Duration>{{time->minutes * 60'000}, d->whole};
  import.mapped(*d, "time-limit");
}

// A text that reads Slurm's variables finds them on every target.
void import_variables(Importer& import) {
  const auto& program = import.role().program;
  const auto* text = program ? std::get_if<model::Script>(&program->value) : nullptr;
  if (text == nullptr || import.role().launch.runner.value == model::Runner::batch_script) return;
  constexpr std::string_view prefix = "SLURM_";
  for (std::size_t at = 0; (at = text->bytes.find(prefix, at)) != std::string::npos; at += prefix.size())
    if (at + prefix.size() < text->bytes.size() && is_upper(text->bytes[at + prefix.size()]))
      import.role().launch.compat = {model::Compat::slurm, import.script.span};
}

// Of two, Slurm's own words say which holds.
void import_requeue(Importer& import) {
  const Directive* yes = import.given("requeue");
  const Directive* no = import.given("no-requeue");
  if ((yes != nullptr) == (no != nullptr)) return;
  // Slurm 25.11 can start it again before all others, for which there is no key.
  if (yes != nullptr && yes->value) return import.raw(*yes, "only Slurm can prefer jobs that it starts again");
  const Directive& d = yes != nullptr ? *yes : *no;
  model::Retry retry;
  retry.limit = {yes != nullptr ? model::Retry::unlimited : 0, d.whole};
  retry.on = {{model::RetryOn::node_failure, {}}, {model::RetryOn::preemption, {}}};
  retry.span = d.whole;
  import.workload().retry = std::move(retry);
  import.mapped(d, "retry.limit");
}

// ---- files ------------------------------------------------------------------------------------

void import_logs(Importer& import) {
  model::Logs logs;
  logs.span = import.script.span;
  const auto take = [&](std::string_view option, model::Optional<std::string>& into, std::string_view key) {
    const Directive* d = import.given(option);
    if (d == nullptr) return false;
    const auto pattern = d->value ? log_pattern(*d->value) : std::nullopt;
    if (!pattern) {
      import.raw(*d, "the language cannot express a part of this pattern");
      return true;
    }
    into = Located<std::string>{*pattern, d->whole};
    import.mapped(*d, "logs." + std::string(key));
    return true;
  };
  // Without the option Slurm writes slurm-ID.out, muster would write NAME-ID.out.
  if (!take("output", logs.output, "output"))
    logs.output =
        Located<std::string>{import.given("array") != nullptr ? "slurm-{array}_{point}.out" : "slurm-{id}.out", {}};
  take("error", logs.error, "error");
  if (const Directive* d = import.given("open-mode")) {
    const std::string mode = d->value.value_or("");
    if (mode != "append" && mode != "a" && mode != "truncate" && mode != "t") return import.raw(*d);
    logs.append = Located<bool>{mode[0] == 'a', d->whole};
    import.mapped(*d, "logs.append");
  }
  if (logs.output || logs.error || logs.append) import.workload().logs = std::move(logs);
}

void import_folder(Importer& import) {
  const Directive* d = import.given("chdir");
  if (d == nullptr) return;
  if (d->value && !d->value->empty() && d->value->find_first_not_of("./") == std::string::npos &&
      d->value->find("..") == std::string::npos && d->value->front() == '.') {
    import.mapped(*d, "the folder of the submission");
    import.out.lines.back().note = "the default";
    return;
  }
  if (!d->value || !d->value->starts_with('/')) return import.raw(*d, "relative to the folder of the submission");
  import.role().workdir = Located<model::Text>{*d->value, d->whole};
  import.mapped(*d, "workdir");
}

// ---- arrays, mail, nodes by name ----------------------------------------------------------------

void import_array(Importer& import) {
  const Directive* d = import.given("array");
  if (d == nullptr) return;
  const auto& array = import.job.array;
  const auto ids = array ? task_ids(array->ids) : std::nullopt;
  if (!ids) return import.raw(*d, "a sweep is limited to 10000 points");
  if (array->throttle && (*array->throttle < 1 || *array->throttle > 10'000))
    return import.raw(*d, "this throttle starts no tasks");
  model::Sweep sweep;
  model::Axis axis{"task", {}, d->whole};
  for (const std::int64_t id : *ids) axis.values.push_back(std::to_string(id));
  sweep.axes.push_back(std::move(axis));
  sweep.span = d->whole;
  if (array->throttle) sweep.max_parallel = Located<std::int64_t>{*array->throttle, d->whole};
  import.workload().sweep = std::move(sweep);
  import.mapped(*d, "sweep");
}

// Each word of a comma list; blanks around them go.
std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end > at) out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::optional<model::NotifyOn> mail_event(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, model::NotifyOn>, 12> events = {
      {{"begin", model::NotifyOn::start},
       {"end", model::NotifyOn::end},
       {"fail", model::NotifyOn::fail},
       {"requeue", model::NotifyOn::requeue},
       {"time_limit_50", model::NotifyOn::time_50},
       {"time_limit_80", model::NotifyOn::time_80},
       {"time_limit_90", model::NotifyOn::time_90},
       {"time_limit", model::NotifyOn::time_limit},
       {"invalid_depend", model::NotifyOn::invalid_dependency},
       {"stage_out", model::NotifyOn::stage_out},
       {"all", model::NotifyOn::all},
       {"array_tasks", model::NotifyOn::each_point}}};
  for (const auto& [word, event] : events)
    if (equal_ignoring_case(word, type)) return event;
  return std::nullopt;
}

void import_mail(Importer& import) {
  model::Notify notify;
  notify.span = import.script.span;
  // Events add up over several options.
  for (const Directive& d : import.script.directives) {
    if (d.name != "mail-type") continue;
    const std::size_t before = notify.on.size();
    std::string passed_over;
    for (const std::string& type : list_of(d.value.value_or(""))) {
      if (equal_ignoring_case(type, "none")) continue;  // adds nothing, and takes nothing back
      if (const auto event = mail_event(type)) notify.on.push_back({*event, d.whole});
      else passed_over += " `" + type + "`";
    }
    import.mapped(d, notify.on.size() == before ? "no mail, which is the default" : "notify.on");
    if (!passed_over.empty()) import.out.lines.back().note = "Slurm ignores the unknown" + passed_over;
  }
  if (const Directive* d = import.given("mail-user")) {
    for (std::string& address : list_of(d->value.value_or(""))) notify.email.push_back({std::move(address), d->whole});
    if (notify.email.empty()) notify.email.push_back({"", d->whole});
    import.mapped(*d, "notify.email");
  }
  if (!notify.on.empty() || !notify.email.empty()) import.workload().notify = std::move(notify);
}

void import_node_names(Importer& import) {
  const auto take = [&](std::string_view option, model::Compare compare, bool enough) {
    const Directive* d = import.given(option);
    if (d == nullptr) return;
    const auto names = d->value && enough ? expand_hosts(*d->value, 1000) : std::nullopt;
    if (!names || names->empty()) return import.raw(*d);
    model::Predicate predicate;
    predicate.span = d->whole;
    predicate.term.fact = "node.name";
    predicate.term.compare = compare;
    predicate.term.span = d->whole;
    for (const std::string& node : *names) predicate.term.values.emplace_back(node);
    import.role().requires_.push_back(std::move(predicate));
    import.mapped(*d, "require");
  };
  const Directive* list = import.given("nodelist");
  const auto& nodes = import.resources().nodes;
  const auto named = list != nullptr && list->value ? expand_hosts(*list->value, 1000) : std::nullopt;
  const bool all_of_them = named && static_cast<std::int64_t>(named->size()) <= (nodes ? nodes->value.low : 1);
  take("nodelist", model::Compare::in, all_of_them);
  take("exclude", model::Compare::not_in, true);
}

void import_export(Importer& import) {
  const Directive* d = import.given("export");
  if (d == nullptr) return;
  const bool all = d->value && equal_ignoring_case(*d->value, "ALL");
  if (!all && !(d->value && equal_ignoring_case(*d->value, "NONE"))) return import.raw(*d);
  import.role().launch.inherits = Located<model::Inherit>{all ? model::Inherit::all : model::Inherit::none, d->whole};
  import.mapped(*d, "launch.export");
}

// ---- what sort of work it is ---------------------------------------------------------------------

bool runs(const Body& body, std::string_view program) {
  return std::any_of(body.commands.begin(), body.commands.end(), [&](const Command& command) {
    return std::any_of(command.words.begin(), command.words.end(), [&](const Word& word) {
      return word.text == program || word.text.ends_with("/" + std::string(program));
    });
  });
}

bool number(std::string_view text, std::int64_t& out) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && error == std::errc() && stop == text.data() + text.size();
}

}  // namespace

std::optional<std::set<std::int64_t>> task_ids(std::string_view text) {
  std::set<std::int64_t> ids;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t dash = item.find('-'), colon = std::min(item.find(':'), item.size());
    std::int64_t first = 0, last = 0, step = 1;
    if (!number(item.substr(0, std::min(dash, colon)), first)) return std::nullopt;
    last = first;
    if (dash != std::string_view::npos && !number(item.substr(dash + 1, colon - dash - 1), last)) return std::nullopt;
    if (colon < item.size() && (!number(item.substr(colon + 1), step) || step < 1)) return std::nullopt;
    if (last < first || (last - first) / step >= static_cast<std::int64_t>(model::Sweep::most_points))
      return std::nullopt;
    for (std::int64_t id = first; id <= last; id += step) ids.insert(id);
    if (ids.size() > model::Sweep::most_points) return std::nullopt;
  }
  return ids.empty() ? std::nullopt : std::optional(std::move(ids));
}

model::Kind kind_of(const Body& body, bool is_array) {
  if (is_array) return model::Kind::sweep;
  const auto launches = [&](auto test) {
    return std::any_of(body.launches.begin(), body.launches.end(), [&](const Launch& l) { return test(l.kind); });
  };
  if (launches([](Launcher kind) { return row_of(kind).trains; })) return model::Kind::train;
  if (launches([](Launcher kind) { return kind == Launcher::mpirun; })) return model::Kind::mpi;
  if (runs(body, "jupyter") || runs(body, "jupyter-lab") || runs(body, "jupyter-notebook")) return model::Kind::dev;
  return runs(body, "vllm") ? model::Kind::serve : model::Kind::batch;
}

namespace {

// ---- all of it ------------------------------------------------------------------------------------

// The directives of the file by where they stand.
class DirectivePlaces {
 public:
  explicit DirectivePlaces(const Script& script) {
    for (const Directive& d : script.directives)
      if (d.origin != Origin::command_line) at_[d.whole.begin] = &d;
  }
  const Directive* holding(Span span) const {
    const auto after = at_.upper_bound(span.begin);
    if (after == at_.begin() || std::prev(after)->second->whole.end < span.end) return nullptr;
    return std::prev(after)->second;
  }

 private:
  std::map<std::uint32_t, const Directive*> at_;
};

// `--mail-user=<you@example.org>`: a placeholder that Slurm takes for text, which need not be filled in.
bool taken_literally(const Sources& sources, const Template& hole, const DirectivePlaces& places) {
  constexpr std::array texts =
      std::to_array<std::string_view>({"account", "comment", "error", "input", "job-name", "mail-user", "output"});
  const bool word = sources.text(hole.span).find_first_of(" \t") == std::string_view::npos;  // else Slurm sees several
  const bool text = word && (hole.by == FilledBy::person || hole.form == "at-sign");
  const Directive* d = hole.in_directive && text ? places.holding(hole.span) : nullptr;
  return d != nullptr && std::find(texts.begin(), texts.end(), d->name) != texts.end();
}

// Names those placeholders in the report.
void note_placeholders(Importer& import) {
  const DirectivePlaces places(import.script);
  std::map<std::uint32_t, std::string> notes;  // by where the directive begins
  for (const Template& hole : import.script.templates)
    if (taken_literally(import.sources, hole, places))
      notes[places.holding(hole.span)->whole.begin] +=
          " `" + std::string(import.sources.text(hole.span)) + "` is a placeholder, which is used literally";
  for (ImportLine& line : import.out.lines)
    if (const auto note = notes.find(line.span.begin); note != notes.end() && line.option != "#!")
      line.note += line.note.empty() ? note->second.substr(1) : ";" + note->second;
}

const Directive& directive(const Script& script, std::int32_t index) {
  return script.directives[static_cast<std::size_t>(index)];
}

// What cannot be imported: reported once, with the alternative.
bool importable(const Sources& sources, const Script& script, const Meaning& meaning, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  for (const Refusal& refusal : script.refusals)
    if (!keeps_option(sources, refusal))
      diagnostics.add(Code::cannot_import, refusal.span, "sbatch rejects this file: " + refusal.message);
  for (const Conflict& conflict : meaning.conflicts)
    if (conflict.certain)
      diagnostics.add(Code::cannot_import,
                      conflict.by.empty() ? script.span : directive(script, conflict.by.back()).whole,
                      "Slurm rejects this: " + conflict.message);
  const DirectivePlaces places(script);
  for (const Template& hole : script.templates) {
    if (hole.by == FilledBy::variable || taken_literally(sources, hole, places)) continue;
    diagnostics.add(Code::cannot_import, hole.span, "the file is a template, which is rendered before Slurm reads it")
        .notes.push_back("import the rendered file");
    break;
  }
  if (script.components > 1)
    diagnostics
        .add(Code::cannot_import, script.separators.front(),
             "a heterogeneous job has several shapes, but a workload has one")
        .notes.push_back("import its components as separate scripts");
  return diagnostics.size() == before;
}

// An option given again replaces the one before; that one says nothing.
void report_overridden(Importer& import) {
  for (const Directive& d : import.script.directives)
    if (import.given(d.name) != &d && d.name != "mail-type")
      import.out.lines.push_back(
          {d.whole, std::string(d.name), Fate::mapped, "nothing", "a later `" + d.spelling + "` replaces it"});
}

void keep_the_rest(Importer& import) {
  for (const Directive& d : import.script.directives)
    if (import.given(d.name) == &d && !import.done(d.name)) import.raw(d);
}

model::Plane slurm_plane(const Script& script) {
  model::Plane plane;
  plane.name = "slurm";
  plane.span = script.span;
  plane.set_kind(model::PlaneKind::slurm, script.span);
  return plane;
}

// What no key of the workload says stays as the cluster has it: muster would write amounts of its own, and that the job
// is not started again.
void leave_to_site(Importer& import) {
  model::Workload defaults;
  defaults.roles.emplace_back();
  model::Resources& left = defaults.roles.front().resources;
  const model::Resources& asked = import.resources();
  if (!asked.cpus) left.cpus = model::unplaced(model::Amount<std::int64_t>{.left_to_site = true});
  if (!asked.memory) left.memory = model::unplaced(model::Amount<Size>{.left_to_site = true});
  if (!import.workload().retry) defaults.retry_default = model::unplaced(model::LeftTo::site);
  if (left.cpus || left.memory || defaults.retry_default) import.out.site.defaults = std::move(defaults);
}

void in_file_order(std::vector<ImportLine>& lines) {
  std::stable_sort(lines.begin(), lines.end(),
                   [](const ImportLine& a, const ImportLine& b) { return a.span.begin < b.span.begin; });
}

}  // namespace

bool Importer::done(std::string_view option) const {
  return std::any_of(out.lines.begin(), out.lines.end(),
                     [&](const ImportLine& l) { return l.option == option && l.as != "nothing"; });
}

void Importer::raw(const Directive& d, std::string note) { raw_value(d, d.value.value_or("true"), std::move(note)); }

void Importer::keep(const Directive& d, std::string value) {
  if (out.workload.targets.empty()) out.workload.targets.push_back({"slurm", {}, script.span});
  out.workload.targets[0].options.push_back({std::string(d.name), {std::move(value), d.whole}, !d.value});
}

void Importer::raw_value(const Directive& d, std::string value, std::string note) {
  keep(d, std::move(value));
  add(d, Fate::raw, "target slurm", std::move(note));
}

Imported import_script(const Sources& sources, const Script& script, const Body& body, const Meaning& meaning,
                       const std::string& name, Diagnostics& diagnostics) {
  Importer import{sources, script, body, meaning.job(), diagnostics};
  for (const Directive& d : script.directives) import.deciding[d.name] = &d;
  import.workload().name = name;
  import.workload().span = script.span;
  import.workload().roles.emplace_back();
  if (!importable(sources, script, meaning, diagnostics)) return std::move(import.out);
  import.out.site.planes.push_back(slurm_plane(script));
  report_overridden(import);
  import_name(import);
  import_account(import);
  import_licenses(import);
  import_queue(import);
  import_time(import);
  import_requeue(import);
  import_array(import);
  import_layout(import);
  import_folder(import);
  import_logs(import);
  import_mail(import);
  import_node_names(import);
  import_export(import);
  keep_the_rest(import);
  import_plugins(import);
  leave_to_site(import);
  import_text(import);
  import_variables(import);
  import.workload().kind = {kind_of(import.body, import.out.workload.sweep.has_value()), script.span};
  note_placeholders(import);
  for (const Ignored& line : script.ignored)
    import.out.ignored.push_back(
        {line.span, std::string(slurm::name(line.kind)), line.kind == IgnoredKind::after_command});
  in_file_order(import.out.lines);
  return std::move(import.out);
}

}  // namespace muster::targets::slurm
