#include "targets/slurm/lift/own_text.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "targets/slurm/lift/statements.h"

namespace muster::targets::slurm::lifting {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool has_own_path(std::string_view text) { return has_any(text, {"$0", "${0", "BASH_SOURCE"}); }

// `cp $0 out/`, `cat $0 > out/script`: what is kept of the job is another text.
void line_of_copy(Lifter& lifter, const Command& c) {
  using enum shell::Effect;
  const shell::Doing& what = c.own;
  const bool into_file = what.is({reads}) && writes_file(c);
  if (c.words.size() < 2 || (!into_file && !what.is({writes, transfers}))) return;
  // The last word says where to: `cp $0 out/`.
  const bool own = std::any_of(c.words.begin() + 1, c.words.end() - (into_file ? 0 : 1), [](const Word& w) {
    return is_one_of(w.text, {"$0", "${0}", "$BASH_SOURCE", "${BASH_SOURCE}", "${BASH_SOURCE[0]}"});
  });
  if (!own) return;
  std::vector<std::string> names{"slurm_script"};
  if (!c.words.back().text.ends_with('/')) names.emplace_back(base_name(c.words.back().text));
  for (const Redirect& r : c.redirects) names.emplace_back(base_name(r.target.text));
  lifter.line(c.span, "copy of the script", Fate::mended, "script", "`$0` is the file that muster writes",
              std::move(names));
}

// `cd "$(dirname "$0")"`: Slurm's copy of the script is in a folder of its own, which a text in another file is not.
bool works_out_place(const Command& c) {
  const auto resolves = [](std::string_view text) { return !shell::mentioned(text, shell::finds_path).empty(); };
  const auto of_own_path = [&](const Word& w) {
    return has_own_path(w.text) && (resolves(w.text) || resolves(c.program()) || has_any(w.text, {"%/*"}));
  };
  return std::any_of(c.words.begin(), c.words.end(), of_own_path) ||
         std::any_of(c.assignments.begin(), c.assignments.end(),
                     [&](const Assignment& a) { return of_own_path(a.value); });
}

// `${1:?no input}`, `${DATA?}`, which end the shell where the name has no value.
bool demands_value(std::string_view text) {
  for (std::size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
    std::size_t end = at + 2;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const std::string_view behind = text.substr(end);
    if (end > at + 2 && (behind.starts_with('?') || behind.starts_with(":?"))) return true;
  }
  return false;
}

bool demands_value(const Command& c) {
  return std::any_of(c.words.begin(), c.words.end(), [](const Word& w) { return demands_value(w.text); }) ||
         std::any_of(c.assignments.begin(), c.assignments.end(),
                     [](const Assignment& a) { return demands_value(a.value.text); });
}

// A shell that has its text from `-c` ends with another code than one that reads a file.
void line_of_missing_value(Lifter& lifter) {
  const auto& commands = lifter.body.commands;
  const auto first = std::find_if(commands.begin(), commands.end(), [](const Command& c) { return demands_value(c); });
  if (first != commands.end())
    lifter.line(first->span, "exit code", Fate::mended, "script",
                "where the name has no value, the job ends with exit code 127, not 1", {"exit"});
}

bool lists_variables(const Command& c) {
  const shell::Doing& what = c.own;
  return what.is({shell::Effect::prints}) &&
         (what.is(shell::lists_names) ? c.words.size() == 1 : what.is(shell::declares) && c.words.size() == 2);
}

// What is behind a command in its pipe, on its line: of `set | while read a; do b; done > f; c` all but the last.
std::string_view rest_of_pipe(const Sources& sources, const Command& c) {
  std::string_view line = sources.text(c.span.file).substr(c.span.begin, 500);  // a longer line is data
  line = line.substr(0, line.find('\n'));
  const std::size_t loop = line.find("| while");
  const std::size_t from = loop == std::string_view::npos ? 0 : std::min(line.find("done", loop), line.size());
  return line.substr(0, std::min({line.find(';', from), line.find("&&", from), line.find("||", from), line.size()}));
}

// The last parts of the files to which a command, or the pipe that it begins, writes.
std::vector<std::string> files_behind(const Sources& sources, const Command& c) {
  const std::string_view line = c.piped ? rest_of_pipe(sources, c) : sources.text(c.span);
  std::vector<std::string> out;
  for (std::size_t at = line.find('>'); at != std::string_view::npos; at = line.find('>', at + 1)) {
    const std::size_t begin = line.find_first_not_of("> \t", at);
    if (begin == std::string_view::npos || line[begin] == '&') continue;
    const std::size_t end = std::min(line.find_first_of(" \t;|&)<>", begin), line.size());
    std::string name(base_name(line.substr(begin, end - begin)));
    std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
    if (!name.empty() && !line.substr(begin).starts_with("/dev/")) out.push_back(std::move(name));
    at = end - 1;
  }
  return out;
}

}  // namespace

void lines_of_own_text(Lifter& lifter) {
  line_of_missing_value(lifter);
  for (const Command& c : lifter.body.commands) {
    line_of_copy(lifter, c);
    if (works_out_place(c))
      lifter.line(c.span, "place of the script", Fate::mended, "script",
                  "`$0` and BASH_SOURCE are not the path of Slurm's copy of the script", {"slurm_script"});
    if (!lists_variables(c)) continue;
    std::vector<std::string> names = files_behind(lifter.sources, c);
    if (!names.empty())
      lifter.line(c.span, "list of the variables", Fate::mended, "script",
                  "the list has variables of muster, and not all that Slurm sets in a batch script", std::move(names));
  }
}

}  // namespace muster::targets::slurm::lifting
