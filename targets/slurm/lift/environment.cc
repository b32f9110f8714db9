#include "targets/slurm/lift/environment.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/base/text.h"
#include "targets/slurm/lift/arguments.h"
#include "targets/slurm/read/import.h"

namespace muster::targets::slurm::lifting {
namespace {

using model::Located;

// The order in which muster writes the keys of software.
enum class Step : std::uint8_t { purge, use, load, hook, activate, verbatim };

// One line of the environment: its place in that order, and what it says.
struct Line {
  Step step = Step::verbatim;
  std::vector<Located<std::string>> words;  // modules, folders of modules, the environment
  bool venv = false;
};

std::vector<Located<std::string>> words_from(const Command& c, std::size_t at) {
  std::vector<Located<std::string>> out;
  for (std::size_t i = at; i < c.words.size(); ++i) out.push_back({c.words[i].text, c.words[i].span});
  return out;
}

bool all_literal(const Command& c) {
  return std::all_of(c.words.begin(), c.words.end(), [](const Word& w) { return w.literal; });
}

bool is_conda_hook(const Command& c) {
  const std::string_view first = c.words[0].text;
  const std::string_view second = c.words.size() > 1 ? std::string_view(c.words[1].text) : std::string_view{};
  if (first == "eval") return second.find("conda shell") != std::string_view::npos;
  return (first == "source" || first == ".") && second.find("$(conda info --base)") != std::string_view::npos;
}

// An argument that is an option, or a name that only other lines can resolve, is left to the shell.
bool plain(const std::vector<Located<std::string>>& words) {
  return !words.empty() && std::none_of(words.begin(), words.end(), [](const Located<std::string>& w) {
    return w.value.empty() || w.value.front() == '-' || w.value.find_first_of("{}*?[") != std::string::npos;
  });
}

Line module_line(const Command& c) {
  const bool ml = c.words[0].text == "ml";
  const std::string_view second = c.words.size() > 1 ? std::string_view(c.words[1].text) : std::string_view{};
  Line line;
  if (second == "purge" && c.words.size() == 2) line.step = Step::purge;
  else if (second == "use") line = {Step::use, words_from(c, 2)};
  else if (second == "load" || second == "add") line = {Step::load, words_from(c, 2)};
  else if (ml) line = {Step::load, words_from(c, 1)};
  if ((line.step == Step::use || line.step == Step::load) && !plain(line.words)) line = {};
  return line;
}

// A relative folder is below the folder of the submission, where the job starts.
Line source_line(const Command& c) {
  const std::string_view file = c.words[1].text;
  if (base_name(file) != "activate" || c.words.size() > 3) return {};
  if (file == "activate") return c.words.size() == 3 ? Line{Step::activate, words_from(c, 2)} : Line{};
  if (c.words.size() > 2 || !file.ends_with("/bin/activate") || file.find("conda") != std::string_view::npos) return {};
  const std::string folder(file.substr(0, file.size() - std::string_view("/bin/activate").size()));
  return {Step::activate, {{folder, c.words[1].span}}, true};
}

Line line_of(const Command& c) {
  if (is_conda_hook(c)) return {Step::hook, {}};
  if (!all_literal(c) || !c.assignments.empty() || !c.redirects.empty()) return {};
  const std::string_view program = c.words[0].text;
  if (program == "module" || program == "ml") return module_line(c);
  if ((program == "source" || program == ".") && c.words.size() > 1) return source_line(c);
  if (program == "conda" && c.words.size() == 3 && c.words[1].text == "activate")
    return {Step::activate, words_from(c, 2)};
  return {};
}

void add(model::SoftwareSpec& spec, const Line& line) {
  switch (line.step) {
    case Step::purge: spec.purge = true; break;
    case Step::use: spec.module_use.insert(spec.module_use.end(), line.words.begin(), line.words.end()); break;
    case Step::load: spec.modules.insert(spec.modules.end(), line.words.begin(), line.words.end()); break;
    case Step::activate: (line.venv ? spec.venv : spec.conda) = line.words.front(); break;
    default: break;
  }
}

// ---- a name ---------------------------------------------------------------------------------------

std::string name_of(const model::SoftwareSpec& spec) {
  std::string_view path = spec.conda ? std::string_view(spec.conda->value) : std::string_view{};
  if (path.empty() && spec.venv) path = spec.venv->value;
  std::string_view last = base_name(path);
  while (is_one_of(last, {"env", "venv", ".env", ".venv", "envs"}) && path.size() > last.size()) {
    path = path.substr(0, path.size() - last.size() - 1);
    last = base_name(path);
  }
  if (last.empty() && !spec.modules.empty()) last = std::string_view(spec.modules.back().value);
  last = last.substr(0, last.find('/'));
  return last.empty() ? std::string() : muster::lower(name_from(last));
}

// ---- the script's own words -----------------------------------------------------------------------

std::string_view text_of(const Sources& sources, const Statement& s) { return sources.text(s.span); }

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; at += name.size()) {
    const std::size_t end = at + name.size();
    const bool begins = at > 0 && (text[at - 1] == '$' || text[at - 1] == '{');
    if (begins && (end == text.size() || !is_name_char(text[end]))) return true;
  }
  return false;
}

// The statements in their own words, with the assignments that they read, in the order of the file.
class Prelude {
 public:
  Prelude(const Sources& sources, const Body& body, std::span<const Statement> all)
      : sources_(sources), body_(body), all_(all) {}

  void take(std::size_t index) {
    if (!taken_.insert(index).second) return;
    const std::string_view text = text_of(sources_, all_[index]);
    for (std::size_t i = 0; i < index; ++i)
      for (const std::string& name : names_set(all_[i]))
        if (mentions(text, name)) take(i);
  }

  std::string text(std::vector<Span>& spans) const {
    std::string out;
    for (const std::size_t i : taken_) {
      out += std::string(text_of(sources_, all_[i])) + "\n";
      spans.push_back(all_[i].span);
    }
    return out;
  }

 private:
  std::vector<std::string> names_set(const Statement& s) const {
    std::vector<std::string> names;
    if (s.kind != StatementKind::assigns && s.kind != StatementKind::exports) return names;
    for (const Assignment& a : body_.commands[s.first()].assignments) names.push_back(a.name);
    for (const Export& e : body_.exports)
      if (e.command == s.first() && e.value) names.push_back(e.name);
    return names;
  }

  const Sources& sources_;
  const Body& body_;
  std::span<const Statement> all_;
  std::set<std::size_t> taken_;
};

// `export PATH=/x:$PATH` before a module is loaded: the order of the parts is that of the lines.
bool extends_itself(const Body& body, const Statement& s) {
  if (s.kind != StatementKind::exports) return false;
  return std::any_of(body.exports.begin(), body.exports.end(), [&](const Export& e) {
    return e.command == s.first() && e.value && !e.value->literal && mentions(e.value->text, e.name);
  });
}

// Whether a line means something else in another folder.
bool is_relative(const Line& line, const Command& c, std::string_view text) {
  if (line.venv) return line.words.front().value.front() != '/';
  const bool file = is_one_of(c.program(), {"source", "."}) && c.words.size() > 1 && line.step == Step::verbatim;
  if (file && std::string_view("/~$").find(c.words[1].text.front()) == std::string_view::npos) return true;
  for (const std::string_view here : {" ./", " ../", "PWD", "$(pwd", "`pwd"})
    if (text.find(here) != std::string_view::npos) return true;
  return false;
}

// What a line of the shell's own, or a tool that loads software, may read.
bool may_be_read(const Body& body, const Statement& s, bool before_lines) {
  if (s.kind != StatementKind::exports) return false;
  return before_lines || std::any_of(body.exports.begin(), body.exports.end(), [&](const Export& e) {
           const auto of_tool = [&](std::string_view tool) { return e.name.starts_with(tool); };
           return e.command == s.first() &&
                  (of_tool("MODULE") || of_tool("CONDA") || of_tool("LMOD") || of_tool("SPACK"));
         });
}

}  // namespace

Environment environment_of(const Sources& sources, const Body& body, std::span<const Statement> statements,
                           bool stops_at_errors) {
  Environment out;
  std::vector<std::size_t> lines;       // of the environment, and of what must keep its place among them
  std::size_t last = 0, last_line = 0;  // behind the last of all, and behind the last that only a shell understands
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (statements[i].kind != StatementKind::environment) continue;
    last = i + 1;
    for (const std::uint32_t command : statements[i].commands)
      if (line_of(body.commands[command]).step == Step::verbatim) last_line = i + 1;
  }
  bool moved = false;  // a folder was entered before
  Step before = Step::purge;
  for (std::size_t i = 0; i < last; ++i) {
    const Statement& s = statements[i];
    moved |= s.kind == StatementKind::directory;
    const bool own = s.kind == StatementKind::environment;
    if (!own && !extends_itself(body, s) && !may_be_read(body, s, i < last_line)) continue;
    lines.push_back(i);
    out.verbatim |= !own;
    for (const std::uint32_t command : s.commands) {
      const Line line = own ? line_of(body.commands[command]) : Line{};
      const bool again = line.step == before && line.step == Step::activate;
      out.verbatim |= line.step == Step::verbatim || line.step < before || again;
      before = std::max(before, line.step);
      const bool relative = is_relative(line, body.commands[command], text_of(sources, s));
      out.relative |= relative;
      if (moved && relative)
        out.why = shown(sources, s) + " is relative to a folder that is entered before", out.why_at = s.span;
      add(out.software, line);
    }
  }
  for (const std::size_t i : lines) out.taken.push_back(statements[i].span);
  out.name = name_of(out.software);
  if (!out.verbatim || out.empty()) return out;
  Prelude prelude(sources, body, statements);
  for (const std::size_t i : lines) prelude.take(i);
  out.software = {};
  out.taken.clear();
  // A line that fails did not end the script.
  const std::string lines_text = prelude.text(out.taken);
  out.reads_task_id = lines_text.find("SLURM_ARRAY_TASK_ID") != std::string::npos;
  if (reads_argument(lines_text))  // which only the text of the job has
    out.why = "what prepares the environment reads an argument", out.why_at = statements[lines.front()].span;
  out.software.prelude = model::Located<model::Script>{
      {"bash", stops_at_errors ? lines_text : "set +e\n" + lines_text + "set -e\n"}, statements[lines.front()].span};
  return out;
}

}  // namespace muster::targets::slurm::lifting
