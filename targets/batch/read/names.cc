#include "targets/batch/read/names.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/given_names.h"
#include "targets/slurm/lift/statements.h"

namespace muster::targets::batch {
namespace {

namespace lifting = slurm::lifting;
using lifting::Statement;
using lifting::StatementKind;

model::Text one_reference(model::RefersTo kind, std::string_view name) {
  return model::Text("", {{kind, std::string(name), 0, {}}});
}

// A variable of the system in the text.
struct NameRead {
  std::string name;
  Span span;
};

BatchSystem giver_of(const Draft& draft) {
  return draft.script.system == System::lsf ? BatchSystem::lsf : BatchSystem::pbs;
}

std::string title_of(const Draft& draft) { return std::string(title(draft.script.system)); }

class NameFinder {
 public:
  explicit NameFinder(const Draft& draft)
      : draft_(draft), giver_(giver_of(draft)), text_(draft.sources.text(draft.script.text.file)) {}

  // Each place in `where` that reads one, comments and what is no text aside.
  std::vector<NameRead> find(Span where) const {
    std::vector<NameRead> out;
    for (std::size_t at = where.begin; at < where.end && out.size() < most;) {
      const std::size_t end = std::min<std::size_t>(text_.find('\n', at), where.end);
      const std::size_t first = std::min(text_.find_first_not_of(" \t", at), end);
      if (first < end && text_[first] != '#') find_in_line(at, end, out);
      at = end + 1;
    }
    return out;
  }

 private:
  static constexpr std::size_t most = 10'000;

  bool is_dropped(std::size_t at) const {
    const auto& gone = draft_.script.text.not_text;
    return std::any_of(gone.begin(), gone.end(), [&](Span s) { return s.begin <= at && at < s.end; });
  }

  // Names that are read: behind `$`, or in quotes as a program of another language reads its environment.
  void find_in_line(std::size_t begin, std::size_t end, std::vector<NameRead>& out) const {
    for (std::size_t at = begin; at < end;) {
      if (!is_name_start(text_[at])) {
        ++at;
        continue;
      }
      std::size_t stop = at;
      while (stop < end && is_name_char(text_[stop])) ++stop;
      const char before = at > 0 ? text_[at - 1] : '\n';
      const bool read = before == '$' || before == '{' || before == '"' || before == '\'';
      const std::string_view name = text_.substr(at, stop - at);
      if (read && is_of(giver_, name) && !is_dropped(at))
        out.push_back({std::string(name),
                       {draft_.script.text.file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(stop)}});
      at = stop;
    }
  }

  const Draft& draft_;
  BatchSystem giver_;
  std::string_view text_;
};

const slurm::OwnName* own_name_of(const Draft& draft, std::string_view name) {
  for (const slurm::OwnName& own : draft.script.text.own_names)
    if (own.name == name) return &own;
  return nullptr;
}

// `NAME=…` somewhere: the text sets it itself.
bool text_sets(const Draft& draft, const std::string& name) {
  return draft.sources.text(draft.script.text.body).find(name + "=") != std::string_view::npos;
}

// Whether a word is one variable of the system, with one of these meanings.
bool is_variable(const Draft& draft, std::string_view word, std::initializer_list<Given> meanings) {
  std::string plain;
  for (const char c : word)
    if (c != '"' && c != '{' && c != '}') plain += c;
  if (plain.ends_with('/')) plain.pop_back();
  if (!plain.starts_with('$')) return false;
  const GivenName* row = given_name(giver_of(draft), std::string_view(plain).substr(1));
  return row != nullptr && std::find(meanings.begin(), meanings.end(), row->meaning) != meanings.end();
}

// ---- before the lift ------------------------------------------------------------------------------

bool returns_to_submission(const Draft& draft, const Statement& s) {
  const shell::Command& c = draft.body.commands[s.first()];
  return s.kind == StatementKind::directory && s.commands.size() == 1 && c.words.size() == 2 &&
         is_variable(draft, c.words[1].text, {Given::submit_dir});
}

// `cat $PBS_NODEFILE`, `echo $PBS_O_HOST`.
bool only_shows(const Draft& draft, const Statement& s) {
  if (s.kind == StatementKind::noise) {
    const auto reads = NameFinder(draft).find(s.span);
    return std::any_of(reads.begin(), reads.end(),
                       [&](const NameRead& read) { return own_name_of(draft, read.name) == nullptr; });
  }
  const shell::Command& c = draft.body.commands[s.first()];
  const bool file = c.words.size() == 2 && is_variable(draft, c.words[1].text, {Given::host_file, Given::hosts});
  return file && s.commands.size() == 1 && c.redirects.empty() && is_one_of(c.program(), {"cat", "more", "less"});
}

bool leaves_folder_alone(StatementKind kind) {
  using enum StatementKind;
  return kind == noise || kind == options || kind == assigns || kind == exports || kind == environment;
}

// Where the first `cd` goes; a path from the root or of a variable needs no folder to start in.
bool leaves_home(const Draft& draft) {
  for (const shell::ChangeDirectory& cd : draft.body.directories) {
    const std::string& target = cd.target.text;
    for (const GivenName& row : given_names(giver_of(draft)))
      if (row.meaning == Given::submit_dir && target.find(row.name) != std::string::npos) return true;
    if (cd.unconditional) return target.starts_with('/') || target.starts_with('$') || target.starts_with('"');
  }
  return false;
}

// ---- after the lift -------------------------------------------------------------------------------

void add_env(Draft& draft, const slurm::OwnName& own, Span at) {
  auto& env = draft.role().env;
  if (std::any_of(env.begin(), env.end(), [&](const model::EnvVar& v) { return v.name == own.name; })) return;
  env.push_back({own.name, own.value, at});
  draft.out.lines.push_back(
      {at, "variable", Fate::lifted, "env", "`" + own.name + "` is " + spelling(own.value), true});
  const bool of_slurm = std::any_of(own.value.references.begin(), own.value.references.end(), [](const auto& r) {
    return r.to == model::RefersTo::env && r.name.starts_with("SLURM_");
  });
  if (of_slurm) draft.role().launch.compat = {model::Compat::slurm, at};
}

void wrap(Draft& draft, const NameRead& read) {
  if (draft.out.grade == Grade::wrapped && !draft.out.reason.empty()) return;
  draft.out.grade = Grade::wrapped;
  draft.out.reason = "the text reads `" + read.name + "` of " + title_of(draft) + ", which no key gives";
  draft.out.reason_at = read.span;
  draft.role().launch.runner = {model::Runner::batch_script, read.span};
}

}  // namespace

model::Text run_text(std::string_view name) { return one_reference(model::RefersTo::run, name); }
model::Text env_text(std::string_view name) { return one_reference(model::RefersTo::env, name); }
model::Text axis_text(std::string_view name) { return one_reference(model::RefersTo::axis, name); }

namespace {

// The number that a variable has in this job; nullopt for any other meaning, and where the job does not fix it.
std::optional<std::int64_t> number_of(const Draft& draft, Given meaning) {
  const NodeShape& shape = draft.shape;
  if (meaning == Given::zero) return 0;
  if (meaning == Given::one) return 1;
  if (shape.spread) return meaning == Given::world && draft.script.system == System::lsf ? shape.spread : std::nullopt;
  switch (meaning) {
    case Given::nodes: return shape.nodes;
    case Given::per_node: return shape.tasks;
    case Given::world: return shape.nodes * shape.tasks;
    case Given::all_cpus: return shape.cpus ? std::optional(*shape.cpus * shape.nodes) : std::nullopt;
    case Given::all_gpus: return shape.gpus ? std::optional(*shape.gpus * shape.nodes) : std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<model::Text> equal_of(const Draft& draft, Given meaning, const DirectivePart* title) {
  const bool lsf = draft.script.system == System::lsf;
  if (const auto number = number_of(draft, meaning)) return model::Text(std::to_string(*number));
  switch (meaning) {
    case Given::run_id: return run_text("id");
    case Given::tmp: return run_text("tmp");
    case Given::submit_dir: return env_text("SLURM_SUBMIT_DIR");
    case Given::home: return env_text("HOME");
    case Given::login: return env_text("LOGNAME");
    case Given::path: return env_text("PATH");
    case Given::shell: return env_text("SHELL");
    case Given::user: return env_text("USER");
    case Given::batch: return model::Text("PBS_BATCH");
    case Given::job_name: return model::Text(title != nullptr ? title->value : draft.out.workload.name);
    case Given::point:
      if (draft.out.workload.sweep) return axis_text("task");
      return lsf ? std::optional<model::Text>("0") : std::nullopt;
    case Given::queue:
      return draft.queue.plane_name.empty() ? std::nullopt : std::optional<model::Text>(draft.queue.plane_name);
    default: return std::nullopt;
  }
}

}  // namespace

void add_own_names(Draft& draft, const DirectivePart* title) {
  const bool counts_hosts = last_part(draft.script, "-nnodes") != nullptr;  // of LSF, which then has no slots
  for (const GivenName& row : given_names(giver_of(draft))) {
    if (row.meaning == Given::world && counts_hosts) continue;
    if (auto value = equal_of(draft, row.meaning, title))
      draft.script.text.own_names.push_back({std::string(row.name), std::move(*value)});
  }
}

void drop_words_of_system(Draft& draft) {
  bool head = true;  // nothing ran yet that depends on the folder
  for (const Statement& s : lifting::statements_of(draft.sources, draft.body)) {
    const bool goes_back = head && returns_to_submission(draft, s);
    const bool shows = !goes_back && only_shows(draft, s);
    if (goes_back) draft.out.lines.push_back({s.span, "cd", Fate::dropped, "the job starts there", "", true});
    if (shows)
      draft.out.lines.push_back(
          {s.span, "noise", Fate::dropped, "prints what only " + title_of(draft) + " has", "", true});
    if (goes_back || shows) draft.script.text.not_text.push_back(lifting::with_separator(draft.sources, s.span));
    head &= goes_back || shows || leaves_folder_alone(s.kind);
  }
}

void start_at_home(Draft& draft) {
  auto& workdir = draft.role().workdir;
  if (workdir || leaves_home(draft)) return;
  workdir = model::Located<model::Text>{env_text("HOME"), draft.script.text.body};
  draft.out.lines.push_back({draft.script.text.body, "cd", Fate::lifted, "workdir",
                             title_of(draft) + " starts the job in the home folder", true});
}

void bind_names(Draft& draft) {
  const auto& program = draft.role().program;
  if (!program || !std::holds_alternative<model::Script>(program->value)) return;
  for (const NameRead& read : NameFinder(draft).find(draft.script.text.body)) {
    const slurm::OwnName* own = own_name_of(draft, read.name);
    if (own != nullptr) add_env(draft, *own, read.span);
    else if (!text_sets(draft, read.name)) wrap(draft, read);
  }
  if (draft.out.grade == Grade::with_script && draft.role().launch.compat.value == model::Compat::slurm)
    draft.out.grade = Grade::with_compat;
}

}  // namespace muster::targets::batch
