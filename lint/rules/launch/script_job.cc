#include "lint/rules/launch/script_job.h"

#include <algorithm>

#include "compiler/base/text.h"

namespace muster::lint {

const slurm::Component& ScriptJob::component(const slurm::Start& start) const {
  return meaning.components[std::min<std::size_t>(start.component, meaning.components.size() - 1)];
}

bool ScriptJob::surely_runs(const slurm::Start& start) const {
  return start.unconditional && body.unconditional(command(launch(start.launch)));
}

bool ScriptJob::requests_gpus() const {
  const shell::Count& gpus = meaning.job().gpus_in_all;
  return gpus.value ? *gpus.value > 0 : is_of_slurm();
}

Span ScriptJob::head() const {
  for (const Said& d : directives)
    if (d.whole.file == script.file) return d.whole;
  const auto line_end =
      std::min<std::size_t>(sources().text(script.span).find('\n'), script.span.end - script.span.begin);
  return {script.file, script.span.begin, script.span.begin + static_cast<std::uint32_t>(line_end)};
}

Finding& ScriptJob::wrong(RuleId rule, std::int32_t by, std::string message, std::string label) const {
  const Said* d = said(by);
  const bool in_file = d != nullptr && d->whole.file == script.file;
  Finding& f = wrong_at(rule, in_file ? d->whole : head(),
                        d == nullptr ? "" : (is_of_slurm() ? "--" : "") + std::string(d->option), std::move(message),
                        in_file ? label : "");
  if (d != nullptr && !in_file)
    f.labels.push_back({d->whole, label.empty() ? "on the command line" : std::move(label)});
  return f;
}

Finding& ScriptJob::cannot_tell(RuleId rule, std::int32_t by, std::string message) const {
  Finding& f = wrong(rule, by, std::move(message));
  mark_unclear(f);
  return f;
}

const model::Queue* queue_of(const Context& context, const slurm::Meaning& meaning) {
  if (context.site == nullptr) return nullptr;
  const auto& partitions = meaning.job().partitions;
  for (const model::Queue& queue : context.site->queues) {
    const auto own = slurm::partitions_of(queue);
    const auto names = [&] {  // all of the list, or its first alone
      return !partitions->empty() && (std::equal(own.begin(), own.end(), partitions->begin(), partitions->end()) ||
                                      (own.size() == 1 && own.front() == partitions->front()));
    };
    if (partitions ? names() : queue.is_default) return &queue;
  }
  return nullptr;
}

std::vector<const model::Pool*> pools_of(const Context& context, const slurm::Meaning& meaning) {
  std::vector<const model::Pool*> out;
  if (context.fleet == nullptr) return out;
  const model::Queue* queue = queue_of(context, meaning);
  const bool gpus = meaning.job().gpus_a_node.value.value_or(0) > 0;
  for (const model::Pool& pool : context.fleet->pools) {
    const bool listed = queue == nullptr || queue->pools.empty() ||
                        std::any_of(queue->pools.begin(), queue->pools.end(),
                                    [&](const auto& name) { return name.value == pool.name; });
    const bool owned = meaning.plane == nullptr || meaning.plane->owns(pool.name);
    if (listed && owned && (!gpus || pool.gpu)) out.push_back(&pool);
  }
  return out;
}

bool couples_nodes(const ScriptJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (!c.nodes || c.nodes->min < 2 || c.gpus_in_all.value.value_or(0) < 2) return false;
  return std::any_of(job.body.launches.begin(), job.body.launches.end(),
                     [](const shell::Launch& l) { return row_of(l.kind).trains || l.kind == shell::Launcher::mpirun; });
}

bool mentions_saving(const ScriptJob& job) {
  static constexpr std::string_view words[] = {"checkpoint", "ckpt",       "resume",     "save",   "snapshot",
                                               "restart",    "output_dir", "output-dir", "requeue"};
  const auto may = [&](std::string_view w) { return job.triples.may_hold(w); };
  if (std::none_of(std::begin(words), std::end(words), may)) return false;
  const std::string low = lower(job.text);
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view w) { return may(w) && low.find(w) != std::string::npos; });
}

Span whole_line(const Sources& sources, Span place) {
  const std::string_view text = sources.text(place.file);
  const std::size_t before = place.begin == 0 ? std::string_view::npos : text.rfind('\n', place.begin - 1);
  const std::size_t end = std::min(text.find('\n', place.begin), text.size() - 1) + 1;
  return {place.file, static_cast<std::uint32_t>(before + 1), static_cast<std::uint32_t>(end)};
}

std::string_view program_of(const shell::Launch& launch) {
  return launch.program.empty() ? std::string_view() : base_name(launch.program.front().text);
}

namespace {

// The end of the expansion that begins at `at`; `at` where none does.
std::size_t end_of_expansion(std::string_view text, std::size_t at) {
  const char first = text[at], next = at + 1 < text.size() ? text[at + 1] : '\0';
  const auto behind = [&](std::size_t end) { return end == text.npos ? at : end + 1; };
  if (first == '`') return behind(text.find('`', at + 1));
  if (first != '$' || next == '\0') return at;
  if (next == '{' || next == '(') {
    const char open = next, close = next == '{' ? '}' : ')';
    std::size_t depth = 0;
    for (std::size_t i = at + 1; i < text.size(); ++i) {
      depth += text[i] == open;
      if (text[i] == close && --depth == 0) return i + 1;
    }
    return at;
  }
  std::size_t end = at + 1;
  while (end < text.size() && is_name_char(text[end])) ++end;
  return end == at + 1 ? end + 1 : end;  // $@, $*
}

}  // namespace

namespace {

// `${N:-8}`, `${N:=8}`: the word behind; "" for any other expansion.
std::string_view default_in(std::string_view spelling) {
  const std::size_t at = spelling.find_first_of("-=");
  if (!spelling.starts_with("${") || !spelling.ends_with('}') || at == spelling.npos) return {};
  const std::string_view name = trimmed(spelling.substr(2, at - 2), ":");
  return std::all_of(name.begin(), name.end(), is_name_char) ? spelling.substr(at + 1, spelling.size() - at - 2)
                                                             : std::string_view();
}

}  // namespace

std::optional<std::int64_t> assumed_processes(const shell::Launch& launch) {
  const auto option = std::find_if(launch.options.begin(), launch.options.end(), [&](const shell::LaunchOption& o) {
    return o.span == launch.processes.span && o.value;
  });
  if (launch.processes.value || option == launch.options.end()) return std::nullopt;
  std::string text;
  bool known = true;  // parts that are not known stand between NULs
  for (const std::string_view part : split(option->value->parts, '\0')) {
    text += known ? part : default_in(part);
    known = !known;
  }
  return whole_number(text);
}

bool has_any(const shell::Launch& launch, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return launch.option(name) != nullptr; });
}

bool is_unread(const shell::Word& word) {
  if (word.literal) return false;
  const std::string_view text = trimmed(word.text, "\"");
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = end_of_expansion(text, at);
    if (end == at) return false;
    at = end;
  }
  return !text.empty();
}

void check_launches(const ScriptJob& job) {
  check_processes(job);
  check_tasks(job);
  check_network(job);
  check_training(job);
  check_counts(job);
  check_nodes(job);
  check_leftovers(job);
  check_names(job);
  check_settings(job);
}

void check_pod_launches(const ScriptJob& job, bool alone) {
  check_network(job);
  if (alone) check_training(job);
  check_counts(job);
  check_nodes(job);
  check_debug(job);
}

}  // namespace muster::lint
