#include "targets/slurm/lift/alike.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "targets/names_read.h"
#include "targets/slurm/lift/statements.h"

namespace muster::targets::slurm::lifting {
bool is_alike_in_tasks(const Body& body, const Command& c) {
  if (writes_file(c) || c.background) return false;
  if (c.words.empty() || is_function(body, c.program())) return true;
  const shell::Doing& what = c.own;
  // `sed -i`, `sort -o`, `conda install`: in all tasks at once they would destroy what they write.
  return what.is(shell::alike) && !what.is({shell::Effect::writes, shell::Effect::installs});
}

bool changes_shell(const Body& body, const Command& c) {
  using enum shell::Effect;
  return is_function(body, c.program()) || c.program() == "wait" || c.program() == "ssh" ||
         c.own.is({sets, leaves, submits, ends});
}

bool may_be_repeated(const Body& body, const Statement& statement) {
  return std::all_of(statement.commands.begin(), statement.commands.end(), [&](std::uint32_t at) {
    const Command& c = body.commands[at];
    const char letter = c.program() == "mkdir" ? 'p' : c.program() == "ln" ? 'f' : '\0';
    return letter == '\0' || std::any_of(c.words.begin() + 1, c.words.end(), [&](const Word& word) {
             return word.text.starts_with('-') && word.text.find(letter) != std::string::npos;
           });
  });
}

bool defines_function(const Body& body, const Statement& statement) {
  return std::all_of(statement.commands.begin(), statement.commands.end(),
                     [&](std::uint32_t c) { return body.inside(body.commands[c], ScopeKind::function) != nullptr; });
}

bool functions_are_alike(const Sources& sources, const Body& body, std::span<const Statement> statements,
                         std::string_view name) {
  std::vector<std::string> names{std::string(name)};
  for (std::size_t at = 0; at < names.size(); ++at) {
    for (const Statement& s : statements) {
      if (!defines_function(body, s) || body.inside(body.commands[s.first()], ScopeKind::function)->name != names[at])
        continue;
      if (has_value_of_once(sources.text(s.span))) return false;
      for (const Command& c : body.commands) {
        if (c.inside >= 0 || c.span.begin < s.span.begin || c.span.end > s.span.end) continue;
        if (!is_alike_in_tasks(body, c)) return false;
        const std::string called(c.program());
        if (is_function(body, called) && std::find(names.begin(), names.end(), called) == names.end())
          names.push_back(called);
      }
    }
  }
  return true;
}

bool reads_name(std::string_view text, std::string_view name) {
  const std::vector<NameRead> reads = names_read(text);
  return std::any_of(reads.begin(), reads.end(), [&](const NameRead& read) { return read.name == name; });
}

std::set<std::size_t> unread(const Sources& sources, const Body& body, std::span<const Statement> statements,
                             const std::set<std::size_t>& of_text) {
  std::set<std::size_t> out;
  const auto text = [&](std::size_t i) { return sources.text(statements[i].span); };
  const auto reads_unseen = [](const Command& c) {
    return c.program() == "eval" || shell::has_trait(c.program(), shell::reads_text);
  };
  if (std::any_of(body.commands.begin(), body.commands.end(), reads_unseen)) return out;
  for (auto i = of_text.rbegin(); i != of_text.rend(); ++i) {
    const std::vector<std::string> names = names_of(body, statements[*i]);
    const bool plain = statements[*i].kind == StatementKind::assigns && !names.empty() &&
                       text(*i).find_first_of("`(\n") == std::string_view::npos;
    const bool read = std::any_of(of_text.begin(), of_text.end(), [&](std::size_t other) {
      return other != *i && !out.contains(other) &&
             std::any_of(names.begin(), names.end(), [&](const std::string& name) {
               return is_one_of(name, {"IFS", "PATH"}) || reads_name(text(other), name);
             });
    });
    if (plain && !read) out.insert(*i);
  }
  return out;
}

bool has_value_of_once(std::string_view text, std::size_t ids) {
  constexpr std::string_view random = "$RANDOM";
  constexpr std::string_view others[] = {"$$", "${RANDOM", "$HOSTNAME", "$SECONDS", "$BASHPID", "/dev/urandom"};
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(random, at)) != std::string_view::npos; at += random.size()) ++count;
  return count > ids || std::any_of(std::begin(others), std::end(others),
                                    [&](std::string_view value) { return text.find(value) != std::string_view::npos; });
}

}  // namespace muster::targets::slurm::lifting
