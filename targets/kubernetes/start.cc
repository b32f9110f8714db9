// How the container starts: by the program's own words and an `env`, or by lines of sh in front of it where those
// cannot say all that the program needs.
#include <algorithm>
#include <set>
#include <utility>

#include "compiler/base/text.h"
#include "targets/exports.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/own_block.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

// One line is a word without the end of a line.
std::string one_line_or_more(std::string text) {
  if (text.find('\n') + 1 == text.size()) text.pop_back();
  return text;
}

bool is_of_name(char c) { return is_alnum(c) || c == '_'; }

using Names = std::set<std::string, std::less<>>;

// The names in a text of sh: every word of it that can be one.
void add_names(Names& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (end > at) out.emplace(text.substr(at, end - at));
    at = end + 1;
  }
}

// The variables that the program finds, that its launcher reads, or that lines and words of others name; `named` gets
// the names in their words.
contract::Variables needed(const PodDraft& pod, Names& named) {
  contract::Variables out;
  for (std::size_t i = pod.exports.size(); i-- > 0;) {  // words name what is before them
    const contract::Variable& variable = pod.exports[i];
    if (variable.name.starts_with("MUSTER_") && !pod.wanted.has(variable.name) && !named.contains(variable.name))
      continue;
    add_names(named, variable.word);
    out.push_back(variable);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

bool is_set(const PodDraft& pod, std::string_view name) {
  return std::any_of(pod.variables.begin(), pod.variables.end(),
                     [&](const Node& variable) { return variable.get("name")->text == name; });
}

// Whether the operator or the cluster sets the variable, so that `$(NAME)` of `command` and `args` has its value.
bool is_given(const PodDraft& pod, std::string_view name) {
  const std::vector<std::string> named = names_given(pod.draft);
  return operator_name(pod.options.run.givers, name) != nullptr ||
         std::find(named.begin(), named.end(), name) != named.end();
}

// The name of a word that is one variable of the operator and nothing else: `"$RANK"`; "" of others.
std::string_view given_word(const PodDraft& pod, std::string_view word) {
  if (!word.starts_with("\"$") || !word.ends_with('"')) return {};
  const std::string_view name = word.substr(2, word.size() - 3);
  return is_env_name(name) && operator_name(pod.options.run.givers, name) != nullptr ? name : std::string_view();
}

// The value of an item of `env` for a word of sh: text, in which variables of items before it are `$(NAME)`. nullopt
// where only a shell finds it out.
std::optional<std::string> value_of(const PodDraft& pod, std::string_view word) {
  if (word.find_first_of("'`\\") != word.npos) return std::nullopt;
  if (word.starts_with('"') != word.ends_with('"')) return std::nullopt;
  if (word.starts_with('"')) word = word.substr(1, word.size() - 2);
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    if (word[at] != '$') {
      out += word[at++];
      continue;
    }
    std::size_t end = at + 1;
    while (end < word.size() && is_of_name(word[end])) ++end;
    const std::string_view name = word.substr(at + 1, end - at - 1);
    if (!is_env_name(name) || !is_set(pod, name)) return std::nullopt;
    out += "$(" + std::string(name) + ")";
    at = end;
  }
  return out;
}

// The item of `env`; nothing where only a shell can set it.
Node item_of(const PodDraft& pod, const contract::Variable& variable) {
  const std::string_view given = given_word(pod, variable.word);
  if (const std::string_view path = field_of_name(given); !path.empty()) return field_variable(variable.name, path);
  const auto value = value_of(pod, variable.word);
  return value ? map({{"name", text(variable.name)}, {"value", text(*value)}}) : nothing();
}

bool is_itself(const contract::Variable& variable) { return variable.word == "\"$" + variable.name + "\""; }

// Appends all of them to `env`; false, and nothing, where one needs a shell.
bool add_items(PodDraft& pod, const contract::Variables& variables) {
  const std::size_t before = pod.variables.size();
  for (const contract::Variable& variable : variables) {
    if (is_itself(variable) && is_set(pod, variable.name)) continue;
    Node item = item_of(pod, variable);
    if (!item.is_map()) {
      pod.variables.resize(before);
      return false;
    }
    pod.variables.push_back(std::move(item));
  }
  return true;
}

// What the kind offers to all, without what nothing reads.
void drop_unread(PodDraft& pod, const Names& named) {
  std::erase_if(pod.variables, [&](const Node& variable) {
    const std::string& name = variable.get("name")->text;
    return !pod.wanted.has(name) && !named.contains(name);
  });
}

std::string exported(const contract::Variables& variables) {
  std::string out;
  Exports exports(out);
  for (const contract::Variable& variable : variables)
    if (!is_itself(variable)) {
      if (variable.word.find("$MUSTER_") != std::string::npos) exports.end();  // its name is set on a line before
      exports.add(variable.name, variable.word);
    }
  exports.end();
  return out;
}

// The user's own variables, which stand behind those of the kind and of the contract.
std::vector<Node> take_own(PodDraft& pod) {
  const auto first = pod.variables.begin() + static_cast<std::ptrdiff_t>(pod.offered);
  std::vector<Node> own(std::make_move_iterator(first), std::make_move_iterator(pod.variables.end()));
  pod.variables.resize(pod.offered);
  return own;
}

// The value of a variable of the contract in place of its name, where nothing else reads it; else its name is noted.
void fill_in(const PodDraft& pod, contract::Piece& piece, Names& named) {
  if (piece.of_environment && operator_name(pod.options.run.givers, piece.variable) != nullptr)
    return void(piece.word = "$(" + piece.variable + ")");
  const auto is_it = [&](const contract::Variable& variable) { return variable.name == piece.variable; };
  const auto found = std::find_if(pod.exports.begin(), pod.exports.end(), is_it);
  if (found != pod.exports.end() && !pod.wanted.has(piece.variable) && !is_itself(*found)) {
    const std::string_view word = found->word;
    if (const std::string_view name = given_word(pod, word); !name.empty()) piece.word = "$(" + std::string(name) + ")";
    else if (const auto value = value_of(pod, word)) piece.word = *value;
    if (!piece.word.empty()) return add_names(named, word);
  }
  named.insert(piece.variable);
}

// A word of the manifest; nullopt where only a shell fills it in. `known` are the variables that are set.
std::optional<std::string> word_of(const PodDraft& pod, const std::set<std::string_view>& known,
                                   const contract::Pieces& pieces) {
  std::string out;
  for (const contract::Piece& piece : pieces) {
    if (!piece.is_variable()) {
      out += expandable(piece.bytes);
      continue;
    }
    const bool in_list = piece.colon_before || piece.colon_behind;
    if (in_list || (piece.word.empty() && !known.contains(piece.variable) && !is_given(pod, piece.variable)))
      return std::nullopt;
    const std::string value = piece.word.empty() ? "$(" + piece.variable + ")" : piece.word;
    if (out.ends_with('$') && value.starts_with('$')) out += '$';
    out += value;
  }
  return out;
}

}  // namespace

bool reads_well(std::string_view text) {
  const auto plain = [](char c) { return !is_control(c) || c == '\t' || c == '\n'; };
  return std::all_of(text.begin(), text.end(), plain) && !first_invalid_utf8(text);
}

std::string sh_word_of(const contract::Pieces& word) {
  return contract::has_variables(word) ? contract::quoted(word) : sh_text(contract::bytes_of(word));
}

bool start_directly(PodDraft& pod, const Words& words, const std::string& key) {
  if (!pod.prelude.empty()) return false;
  Names named;
  const std::vector<Node> before = pod.variables;
  // Written in the words themselves, where nothing else reads them.
  std::vector<Words::value_type> filled = words;
  for (contract::Pieces& word : filled)
    for (contract::Piece& piece : word)
      if (piece.is_variable()) fill_in(pod, piece, named);
  const contract::Variables variables = needed(pod, named);
  const std::vector<Node> own = take_own(pod);
  drop_unread(pod, named);
  const bool all = add_items(pod, variables);
  pod.variables.insert(pod.variables.end(), own.begin(), own.end());
  std::set<std::string_view> known;
  for (const Node& variable : pod.variables) known.insert(variable.get("name")->text);
  Node command = list({});
  for (const contract::Pieces& word : filled)
    if (const auto value = all ? word_of(pod, known, word) : std::nullopt) command.items.push_back(text(*value));
  if (command.items.size() == words.size() && all) {
    if (key == "command" || !words.empty()) put(pod.container, key, std::move(command));
    return true;
  }
  pod.variables = before;
  return false;
}

bool continue_in_shell(PodDraft& pod, const model::Script& script) {
  const bool short_text = pod.prelude.size() + script.bytes.size() <= longest_word && reads_well(pod.prelude);
  if (!short_text || !pod.files.empty() || !only_sets(pod.prelude)) return false;
  Names named;
  add_names(named, pod.prelude);
  const contract::Variables variables = needed(pod, named);
  const std::vector<Node> own = take_own(pod);
  drop_unread(pod, named);
  pod.variables.insert(pod.variables.end(), own.begin(), own.end());
  const std::string lines = exported(variables) + pod.prelude + script.bytes;
  put(pod.container, "command",
      texts(std::vector<std::string>{script.interpreter, "-c", expandable(one_line_or_more(lines))}));
  return true;
}

void start_in_shell(PodDraft& pod, const Words& words, const std::string& last, bool strict) {
  const std::string lines = pod.prelude + last;
  Names named;
  add_names(named, lines);
  const contract::Variables variables = needed(pod, named);
  const std::vector<Node> own = take_own(pod);
  drop_unread(pod, named);
  const bool no_lines = pod.options.starts_itself && !strict && add_items(pod, variables);
  pod.variables.insert(pod.variables.end(), own.begin(), own.end());
  if (no_lines) return;
  pod.prelude = (strict ? "set -e\n" : "") + exported(variables) + lines + (last.empty() ? "" : "\n");
  pod.has_start_file = !pod.files.empty() || pod.prelude.size() > longest_word || !reads_well(pod.prelude);
  std::vector<std::string> command = {"/bin/sh", std::string(files_dir) + "/start"};
  if (!pod.has_start_file) {
    command = {"/bin/sh", "-c", expandable(one_line_or_more(pod.prelude))};
    if (!words.empty()) command.emplace_back("sh");  // its own name, in front of its arguments
  }
  put(pod.container, "command", texts(command));
  Node args = list({});
  for (const contract::Pieces& word : words) args.items.push_back(text(expandable(contract::bytes_of(word))));
  if (!args.items.empty()) put(pod.container, "args", std::move(args));
}

}  // namespace muster::targets::kubernetes
