#include "targets/batch/read/draft.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/bash_names.h"
#include "targets/shell.h"
#include "targets/slurm/read/importer.h"

namespace muster::targets::batch {
namespace {

using model::Located;

// Long enough for every job; larger numbers are slips, and products of them would overflow.
constexpr std::int64_t largest_count = 1'000'000;

model::Notify& notify_of(Draft& draft, const DirectivePart& part) {
  auto& notify = draft.workload().notify;
  if (!notify) notify.emplace(), notify->span = part.span;
  return *notify;
}

}  // namespace

void Draft::add(const DirectivePart& p, Fate fate, std::string as, std::string note) {
  done.insert(&p);
  out.lines.push_back({p.span, p.option, fate, std::move(as), std::move(note)});
}

void Draft::kept(const DirectivePart& p, std::string option, std::string value, std::string note) {
  if (out.workload.targets.empty()) out.workload.targets.push_back({"slurm", {}, script.text.span});
  auto& options = out.workload.targets.front().options;
  const bool flag = value.empty();
  if (std::none_of(options.begin(), options.end(), [&](const model::RawOption& o) { return o.name == option; }))
    options.push_back({option, {flag ? "true" : std::move(value), p.span}, flag});
  add(p, Fate::raw, "target slurm, " + option, std::move(note));
}

void set_title(Draft& draft, const DirectivePart& part) {
  if (part.value == draft.workload().name) return draft.mapped(part, "the workload's name");
  if (part.value.empty()) return draft.lost(part, "a job needs a name");
  draft.workload().title = Located<std::string>{part.value, part.span};
  draft.mapped(part, "title");
}

void set_account(Draft& draft, const DirectivePart& part, const std::string& account) {
  if (draft.out.names_account)
    return draft.workload().account->value == account ? draft.mapped(part, "account", "the same account")
                                                      : draft.lost(part, "the workload has one account");
  if (account.empty()) return draft.mapped(part, "the submitter's account, which is the default");
  draft.workload().account = Located<std::string>{account, part.span};
  draft.out.names_account = true;
  model::Tenant tenant;
  tenant.name = "all";
  tenant.accounts.push_back({account, part.span});
  draft.out.site.tenants.push_back(std::move(tenant));
  draft.mapped(part, "account");
}

void add_to_queue(Draft& draft, const DirectivePart& part, const std::string& name) {
  draft.queue_label += (draft.queue_label.empty() ? "" : "-") + name;
  draft.mapped(part, "a queue of the site");
}

void add_feature(Draft& draft, const DirectivePart& part, const std::string& feature, std::string note) {
  auto& constraint = draft.queue.constraint;
  if (!constraint) constraint = Located<std::string>{feature, part.span};
  else constraint->value += "&" + feature;
  draft.queue_label += (draft.queue_label.empty() ? "" : "-") + feature;
  draft.approximated(part, "a queue of the site",
                     note.empty() ? "nodes with the feature `" + feature + "` of Slurm" : std::move(note));
}

void set_time(Draft& draft, const DirectivePart& part, std::optional<std::int64_t> seconds, std::string_view takes) {
  if (!seconds) return draft.lost(part, "not a time: " + std::string(takes));
  if (*seconds < 1) return draft.lost(part, "a time limit of 0");
  constexpr std::int64_t least = 60;  // of the language
  draft.workload().time_limit = Located<Duration>{{std::max(*seconds, least) * 1000}, part.span};
  if (*seconds < least) draft.approximated(part, "time-limit", "at least a minute");
  else draft.mapped(part, "time-limit");
}

void set_retry(Draft& draft, const DirectivePart& part, bool starts_again) {
  model::Retry retry;
  retry.limit = {starts_again ? model::Retry::unlimited : 0, part.span};
  retry.on = {{model::RetryOn::node_failure, {}}, {model::RetryOn::preemption, {}}};
  retry.span = part.span;
  draft.workload().retry = std::move(retry);
  draft.mapped(part, "retry.limit");
}

void set_array(Draft& draft, const DirectivePart& part, std::string_view ids, std::int64_t at_once) {
  const auto points = slurm::task_ids(ids);
  if (!points) return draft.lost(part, "not a list of whole numbers, or more than 10000");
  model::Sweep sweep;
  model::Axis axis{"task", {}, part.span};
  for (const std::int64_t id : *points) axis.values.push_back(std::to_string(id));
  sweep.axes.push_back(std::move(axis));
  sweep.span = part.span;
  if (at_once > 0 && at_once <= 10'000) sweep.max_parallel = Located<std::int64_t>{at_once, part.span};
  draft.workload().sweep = std::move(sweep);
  draft.mapped(part, "sweep");
}

void add_addresses(Draft& draft, const DirectivePart& part, std::string_view addresses) {
  model::Notify& notify = notify_of(draft, part);
  for (const std::string_view address : split(addresses, ','))
    if (!trimmed(address).empty()) notify.email.push_back({std::string(trimmed(address)), part.span});
  if (notify.email.empty()) return draft.lost(part, "no address");
  draft.mapped(part, "notify.email");
}

void add_events(Draft& draft, const DirectivePart& part, std::vector<model::NotifyOn> events) {
  if (events.empty()) return draft.mapped(part, "no mail, which is the default");
  model::Notify& notify = notify_of(draft, part);
  for (const model::NotifyOn event : events)
    if (std::none_of(notify.on.begin(), notify.on.end(), [&](const auto& on) { return on.value == event; }))
      notify.on.push_back({event, part.span});
  draft.mapped(part, "notify.on");
}

void require_nodes(Draft& draft, const DirectivePart& part, std::vector<std::string> names) {
  model::Predicate predicate;
  predicate.span = part.span;
  predicate.term.fact = "node.name";
  predicate.term.compare = model::Compare::in;
  predicate.term.span = part.span;
  for (std::string& node : names) predicate.term.values.emplace_back(std::move(node));
  draft.role().requires_.push_back(std::move(predicate));
  draft.mapped(part, "require");
}

void set_folder(Draft& draft, const DirectivePart& part, const std::string& folder) {
  if (folder.find_first_not_of("./") == std::string::npos && folder.find("..") == std::string::npos)
    return draft.mapped(part, "the folder of the submission", "the default");
  if (!folder.starts_with('/') || folder.find('$') != std::string::npos)
    return draft.lost(part, "only a constant path from the root can be `workdir`");
  draft.role().workdir = Located<model::Text>{folder, part.span};
  draft.mapped(part, "workdir");
}

void set_variable(Draft& draft, const DirectivePart& part, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string name(trimmed(assignment.substr(0, equals)));
  if (!is_env_name(name) || shell::bash_owns(name)) return draft.lost(part, "`" + name + "` cannot be set by `env`");
  if (equals == std::string_view::npos)
    return draft.approximated(part, "launch.export", "`" + name + "` comes from the submitter, as all variables do");
  const std::string_view value = assignment.substr(equals + 1);
  if (value.find('$') != std::string_view::npos)
    return draft.lost(part, "the shell that submits expands `" + std::string(value) + "`");
  auto& env = draft.role().env;
  std::erase_if(env, [&](const model::EnvVar& known) { return known.name == name; });
  env.push_back({name, model::Text(std::string(value)), part.span});
  draft.mapped(part, "env");
}

void export_everything(Draft& draft, const DirectivePart& part) {
  draft.role().launch.inherits = Located<model::Inherit>{model::Inherit::all, part.span};
  draft.mapped(part, "launch.export");
}

void set_log(Draft& draft, const DirectivePart& part, bool error, std::optional<std::string> pattern) {
  if (!pattern) return draft.lost(part, "the language cannot express a part of this path");
  auto& logs = draft.workload().logs;
  if (!logs) logs.emplace(), logs->span = part.span;
  (error ? logs->error : logs->output) = Located<std::string>{std::move(*pattern), part.span};
  draft.mapped(part, error ? "logs.error" : "logs.output");
}

std::optional<Measure> measure_of(std::string_view text) {
  text = trimmed(text);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 15) return std::nullopt;
  return Measure{*whole_number(text.substr(0, digits)), muster::lower(trimmed(text.substr(digits)))};
}

std::optional<std::int64_t> bytes_of(const Measure& measure, std::string_view without_unit) {
  std::string unit = measure.unit.empty() ? std::string(without_unit) : measure.unit;
  const bool words = unit.ends_with('w');  // of 8 bytes
  if (unit.size() > 1 && (unit.ends_with('b') || words)) unit.pop_back();
  if (unit.size() > 1 && unit.ends_with('i')) unit.pop_back();
  constexpr std::string_view letters = "bkmgtp";
  const std::size_t power = unit == "w" ? 0 : letters.find(unit);
  if (unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
  std::int64_t bytes = words ? 8 : 1;
  for (std::size_t i = 0; i < power; ++i) bytes *= 1024;
  constexpr std::int64_t most = std::int64_t{1} << 56;
  if (measure.count > most / bytes) return std::nullopt;
  return measure.count * bytes;
}

std::optional<std::int64_t> count_of(std::string_view text) {
  const auto count = whole_number(trimmed(text));
  return count && *count <= largest_count ? count : std::nullopt;
}

}  // namespace muster::targets::batch
