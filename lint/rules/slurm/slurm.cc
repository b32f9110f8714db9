#include "lint/rules/slurm/slurm.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

// A file in which nothing is an option to sbatch only writes scripts, or has its directives too late.
bool is_a_job(const slurm::Script& script) {
  const auto of_option = [](const slurm::Refusal& r) {
    return r.kind != slurm::RefusalKind::no_shebang && r.kind != slurm::RefusalKind::dos_line_ends;
  };
  return !script.directives.empty() || std::any_of(script.refusals.begin(), script.refusals.end(), of_option);
}

void check_one(const Context& context, const slurm::Script& script, const std::string& subject,
               std::vector<Finding>& out, AboutScript& about) {
  const shell::Body body = slurm::read_body(context.sources, script);
  const slurm::Meaning meaning = slurm::meaning_of(script, body, {context.site, context.fleet, std::nullopt});
  const ByteTriples triples(context.sources.text(script.span));
  const SlurmJob job{{context, script.span, body, {"Slurm", script.batch}, subject, {out}, triples}, script, meaning};
  about.blanks = slurm::all_blanks_of(context.sources, script, body);
  about.purpose = slurm::purpose_of(context.sources, script, body, about.blanks);
  if (!about.purpose.is_complete()) check_incomplete(job, about.purpose);
  if (!about.purpose.is_complete() && !about.purpose.in_part) return;
  if (!is_a_job(script)) return check_without_options(job);
  check_refusals(job);
  check_directives(job);
  check_limits(job);
  check_fit(job);
  check_processes(job);
  check_network(job);
  check_commands(job);
  check_training(job);
  check_cluster(job);
  check_arguments(job);
  check_logs(job);
  check_counts(job);
  check_nodes(job);
  check_steps(job);
  check_values(job);
  check_names(job);
  check_slips(job);
  check_leftovers(job);
  check_own_programs(job);
  check_text(job);
  check_one_program(job);
}

}  // namespace

const slurm::Directive* SlurmJob::directive(std::int32_t by) const {
  return by < 0 ? nullptr : &script.directives[static_cast<std::size_t>(by)];
}

const slurm::Component& SlurmJob::component(const slurm::Start& start) const {
  return meaning.components[std::min<std::size_t>(start.component, meaning.components.size() - 1)];
}

bool SlurmJob::surely_runs(const slurm::Start& start) const {
  return start.unconditional && body.unconditional(command(launch(start.launch)));
}

Span SlurmJob::head() const {
  for (const slurm::Directive& d : script.directives)
    if (d.whole.file == script.file) return d.whole;
  const auto line_end =
      std::min<std::size_t>(sources().text(script.span).find('\n'), script.span.end - script.span.begin);
  return {script.file, script.span.begin, script.span.begin + static_cast<std::uint32_t>(line_end)};
}

Finding& SlurmJob::wrong(RuleId rule, std::int32_t by, std::string message, std::string label) const {
  const slurm::Directive* d = directive(by);
  const bool in_file = d != nullptr && d->whole.file == script.file;
  Finding& f = wrong_at(rule, in_file ? d->whole : head(), d == nullptr ? "" : "--" + std::string(d->name),
                        std::move(message), in_file ? label : "");
  if (d != nullptr && !in_file)
    f.labels.push_back({d->whole, label.empty() ? "on the command line" : std::move(label)});
  return f;
}

Finding& SlurmJob::cannot_tell(RuleId rule, std::int32_t by, std::string message) const {
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

bool couples_nodes(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (!c.nodes || c.nodes->min < 2 || c.gpus_in_all.value.value_or(0) < 2) return false;
  return std::any_of(job.body.launches.begin(), job.body.launches.end(),
                     [](const shell::Launch& l) { return row_of(l.kind).trains || l.kind == shell::Launcher::mpirun; });
}

bool mentions_saving(const SlurmJob& job) {
  static constexpr std::string_view words[] = {"checkpoint", "ckpt",       "resume",     "save",   "snapshot",
                                               "restart",    "output_dir", "output-dir", "requeue"};
  const auto may = [&](std::string_view w) { return job.triples.may_hold(w); };
  if (std::none_of(std::begin(words), std::end(words), may)) return false;
  const std::string low = lower(job.text());
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

std::vector<Finding> check_script(const Context& context, std::uint32_t file, std::uint32_t command_line,
                                  AboutScript& about) {
  slurm::ScriptOptions options;
  options.command_line = command_line;
  if (const model::Plane* plane = slurm::slurm_plane(context.site); plane != nullptr && plane->version.span.known())
    options.version = plane->version.value;
  const slurm::Script script = slurm::read_script(context.sources, file, options);
  std::vector<Finding> out;
  const bool whole = script.batch || script.embedded.empty();
  if (whole) check_one(context, script, "job", out, about);
  AboutScript inner;
  for (std::size_t i = 0; i < script.embedded.size(); ++i)
    if (script.embedded[i].handed_over)
      check_one(context, script.embedded[i], "job " + std::to_string(i + 1), out, inner);
  if (whole) return out;
  const shell::Body body = slurm::read_body(context.sources, script);
  about.blanks = slurm::all_blanks_of(context.sources, script, body);
  about.purpose = slurm::purpose_of(context.sources, script, body, about.blanks);
  return out;
}

namespace {

// A quoted text of several lines, in which no command runs.
bool is_long_text(const Sources& sources, const shell::Word& word) {
  if (!word.span.known()) return false;
  const std::string_view text = sources.text(word.span);
  return text.find('\n') != std::string_view::npos && text.find("$(") == std::string_view::npos &&
         text.find('`') == std::string_view::npos;
}

}  // namespace

std::vector<Span> texts_in_script(const Sources& sources, std::uint32_t file) {
  const slurm::Script script = slurm::read_script(sources, file);
  std::vector<Span> out;
  const auto add = [&](Span text) {
    const bool handed = std::any_of(script.embedded.begin(), script.embedded.end(), [&](const slurm::Script& inner) {
      return inner.handed_over && inner.span.begin < text.end && text.begin < inner.span.end;
    });
    if (text.known() && !handed) out.push_back(text);
  };
  for (const shell::Command& command : slurm::read_body(sources, script).commands) {
    for (const shell::Word& word : command.words)
      if (is_long_text(sources, word)) add(word.span);
    for (const shell::Redirect& redirect : command.redirects) add(redirect.text);
  }
  return out;
}

}  // namespace muster::lint
