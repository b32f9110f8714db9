// What runs: the script without its directives, for the interpreter of its first line.
#include <algorithm>
#include <array>
#include <set>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "targets/slurm/read/importer.h"

namespace muster::targets::slurm {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t", start), text.size());
    words.emplace_back(text.substr(start, end - start));
    text.remove_prefix(end);
  }
  return words;
}

struct Interpreter {
  std::string name;                // in the language's words; "" if it is none of them
  std::string spelling;            // the last part of the path
  bool own_path = false;           // not where the system has it
  bool not_found = false;          // `#!/usr/bin/env bash -e`, which env takes for one name
  std::vector<std::string> flags;  // without the dashes that only end them
};

// The kernel hands on all that follows the interpreter as one argument; `env -S` takes it apart.
Interpreter interpreter_of(const std::string& line) {
  std::vector<std::string> words = words_of(line);
  Interpreter out;
  const bool by_env = !words.empty() && base_name(words[0]) == "env";
  if (by_env) words.erase(words.begin());
  const bool split = !words.empty() && words[0] == "-S";
  if (split) words.erase(words.begin());
  out.not_found = by_env && !split && words.size() > 1;
  if (words.empty()) return out;
  out.spelling = base_name(words[0]);
  out.own_path = !by_env && !is_one_of(words[0].substr(0, words[0].size() - out.spelling.size()),
                                       {"", "/bin/", "/usr/bin/", "/usr/local/bin/"});
  const std::string family = out.spelling.starts_with("python") ? "python" : out.spelling;
  if (shell::has_trait(family, shell::interprets)) out.name = family;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-" || words[i] == "--") continue;
    if (by_env || out.flags.empty()) out.flags.push_back(words[i]);
    else out.flags.back() += " " + words[i];
  }
  return out;
}

// A line, which begins at `begin` of its file, without what lies in one of the parts, or with other words for it.
std::string without_parts(std::string_view line, std::uint32_t begin, std::span<const Span> parts,
                          std::span<const TextInstead> instead) {
  const auto holds = [](Span part, std::uint32_t at) { return part.begin <= at && at < part.end; };
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::uint32_t at = begin + static_cast<std::uint32_t>(i);
    const auto other =
        std::find_if(instead.begin(), instead.end(), [&](const TextInstead& t) { return holds(t.span, at); });
    if (other != instead.end() && other->span.begin == at) out += other->text;
    const bool gone =
        other != instead.end() || std::any_of(parts.begin(), parts.end(), [&](Span p) { return holds(p, at); });
    if (!gone || line[i] == '\n') out += line[i];
  }
  return out;
}

void add_shebang_line(Importer& import, Fate fate, std::string as, std::string note) {
  import.out.lines.push_back({import.script.shebang, "#!", fate, std::move(as), std::move(note)});
}

void report_interpreter(Importer& import, const Interpreter& found) {
  const auto is_flag = [](const std::string& word) { return word[0] == '-' || word[0] == '+'; };
  if (!std::all_of(found.flags.begin(), found.flags.end(), is_flag)) {
    add_shebang_line(import, Fate::lost, {}, "these are not flags of `" + found.spelling + "`");
  } else if (!found.flags.empty()) {
    for (const std::string& flag : found.flags) import.role().script_flags.push_back({flag, import.script.shebang});
    const char* why =
        "the original ends with exit code 127, because `env` without `-S` reads the rest of the line as one name";
    add_shebang_line(import, found.not_found ? Fate::approximated : Fate::mapped, "script-flags",
                     found.not_found ? why : "");
  }
  if (found.own_path && !found.name.empty())
    add_shebang_line(import, Fate::approximated, "script", "the system's own `" + found.name + "` runs it");
  if (found.name == "python" && found.spelling != "python3")
    add_shebang_line(import, Fate::approximated, "script", "`" + found.spelling + "` is started as `python3`");
}

bool is_step_launcher(Launcher kind) {
  const shell::Starts starts = row_of(kind).starts;
  return starts == shell::Starts::tasks || starts == shell::Starts::workers || starts == shell::Starts::jobs;
}

bool counts_tasks(std::string_view variable) {
  constexpr std::array names =
      std::to_array<std::string_view>({"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NTASKS_PER_NODE", "SLURM_TASKS_PER_NODE",
                                       "SLURM_STEP_NUM_TASKS", "PBS_NP", "PBS_NODEFILE"});
  return std::find(names.begin(), names.end(), variable) != names.end();
}

// What the tasks of a job that become CPUs would change for the text.
bool asks_for_cpus(const Script& script, std::string_view variable) {
  const Directive* tasks = effective(script, "ntasks");
  if (tasks == nullptr) tasks = effective(script, "ntasks-per-node");
  return tasks != nullptr && tasks->value != "1" && variable == "SLURM_CPUS_PER_TASK";
}

}  // namespace

std::string text_of_program(const Sources& sources, const Script& script, std::span<const Span> without,
                            std::span<const TextInstead> instead) {
  std::set<std::uint32_t> dropped;
  for (const Directive& d : script.directives)
    if (d.origin != Origin::command_line) dropped.insert(d.line);
  std::vector<Span> parts(without.begin(), without.end());
  parts.insert(parts.end(), script.not_text.begin(), script.not_text.end());
  const std::string_view all = sources.text(script.span);
  std::uint32_t line = sources.position(script.file, script.span.begin).line;
  if (script.shebang.known()) dropped.insert(line);
  std::string out;
  bool after_dropped = true;  // blank lines among directives go with them
  for (std::size_t at = 0; at < all.size(); ++line) {
    const std::size_t end = std::min(all.find('\n', at), all.size() - 1) + 1;
    const std::string left =
        without_parts(all.substr(at, end - at), script.span.begin + static_cast<std::uint32_t>(at), parts, instead);
    const bool blank = left.find_first_not_of(" \t\n") == std::string::npos;
    const bool drop = dropped.contains(line) || (blank && (after_dropped || left.size() < end - at));
    if (!drop) out += left;
    after_dropped = drop;
    at = end;
  }
  // A last line that goes on in the next one, which is not there: in a text of its own the backslash would be a word.
  const std::size_t end = out.ends_with('\n') ? out.size() - 1 : out.size();
  std::size_t backslashes = 0;
  while (backslashes < end && out[end - 1 - backslashes] == '\\') ++backslashes;
  if (backslashes % 2 == 1) out.erase(end - 1, 1);
  if (!out.empty() && out.back() != '\n') out += '\n';  // as each line of a file ends
  return out;
}

bool starts_steps(const Script& script, const Body& body) {
  const auto launches = [](const Launch& l) { return is_step_launcher(l.kind); };
  const auto reads = [&](const EnvironmentRead& r) { return counts_tasks(r.name) || asks_for_cpus(script, r.name); };
  const Directive* signal = effective(script, "signal");
  const bool to_shell = signal != nullptr && signal->value && signal->value->find("B:") != std::string::npos;
  return to_shell || std::any_of(body.launches.begin(), body.launches.end(), launches) ||
         std::any_of(body.reads.begin(), body.reads.end(), reads);
}

void import_text(Importer& import) {
  const Interpreter found = interpreter_of(import.script.interpreter);
  if (found.name.empty()) {
    import.diagnostics
        .add(Code::cannot_import, import.script.shebang, "unsupported interpreter `" + found.spelling + "`")
        .notes.push_back("use bash, sh, zsh, ksh, csh, tcsh or python, and call the program from there");
    return;
  }
  report_interpreter(import, found);
  std::string text = text_of_program(import.sources, import.script);
  import.role().program =
      model::Located<model::Program>{model::Script{found.name, std::move(text)}, import.script.body};
}

}  // namespace muster::targets::slurm
