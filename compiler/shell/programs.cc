#include "compiler/shell/programs.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/shell/launch_options.h"

namespace muster::shell {
namespace {

enum class Where : std::uint8_t { first, alone, any, letter };

// With these words a program does something else.
struct Form {
  std::string_view program;
  Where where;
  std::string_view words;
  Effect effect;
  Subject subject;
};

using enum Effect;
using enum Subject;
using enum Where;

constexpr auto rows = [] {
  auto out = std::to_array<Program>({
#define PROGRAM(name, effect, subject, traits) {name, effect, subject, traits},
#define FORM(program, where, words, effect, subject)
#include "compiler/shell/programs.def"
#undef PROGRAM
#undef FORM
  });
  std::sort(out.begin(), out.end(), [](const Program& a, const Program& b) { return a.name < b.name; });
  return out;
}();

constexpr auto forms = [] {
  auto out = std::to_array<Form>({
#define PROGRAM(name, effect, subject, traits)
#define FORM(program, where, words, effect, subject) {program, where, words, effect, subject},
#include "compiler/shell/programs.def"
#undef PROGRAM
#undef FORM
  });
  // By program, and of one program in the order of the table.
  for (std::size_t i = 1; i < out.size(); ++i)
    for (std::size_t at = i; at > 0 && out[at].program < out[at - 1].program; --at) std::swap(out[at], out[at - 1]);
  return out;
}();

// Whether a row has forms at all: most have none.
constexpr auto has_forms = [] {
  std::array<bool, rows.size()> out{};
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const Form& form : forms) out[i] = out[i] || form.program == rows[i].name;
  return out;
}();

static_assert(std::adjacent_find(rows.begin(), rows.end(),
                                 [](const Program& a, const Program& b) { return a.name == b.name; }) == rows.end());

// Where to look for a name: every word of a script is looked up.
constexpr std::size_t slots = 2048;
static_assert(4 * rows.size() < slots);

constexpr std::size_t slot_of(std::string_view name) {
  if (name.empty()) return 0;
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(name[i])); };
  return (at(0) * 31 + at(name.size() / 2) * 17 + at(name.size() - 1) * 101 + name.size() * 263) % slots;
}

constexpr auto by_name = [] {
  std::array<std::int16_t, slots> out{};
  for (std::int16_t& row : out) row = -1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t slot = slot_of(rows[i].name);
    while (out[slot] >= 0) slot = (slot + 1) % slots;
    out[slot] = static_cast<std::int16_t>(i);
  }
  return out;
}();

bool is_python(std::string_view name) {
  constexpr std::string_view python = "python";
  return name.starts_with(python) &&
         std::all_of(name.begin() + python.size(), name.end(), [](char c) { return c == '.' || is_digit(c); });
}

bool matches(std::string_view pattern, std::string_view word) {
  if (pattern.ends_with('*')) return word.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == word;
}

// The words of a command behind its program.
using Behind = std::span<const Word>;

// `-p` is the next word; `env create` are the next two that are no options.
bool comes_first(std::string_view pattern, Behind words) {
  if (pattern.starts_with('-')) return !words.empty() && matches(pattern, words[0].text);
  std::size_t at = 0;
  for (const std::string_view part : split(pattern, ' ')) {
    while (at < words.size() && words[at].text.starts_with('-')) ++at;
    if (at == words.size() || !matches(part, words[at++].text)) return false;
  }
  return true;
}

// `i:ef`: an `i` among joined letters, before one of those that take a value: `sed -ni`, not `sed -ei`.
bool has_letter(std::string_view pattern, std::string_view word) {
  const bool joined = word.size() > 1 && word[0] == '-' && word[1] != '-';
  return joined && word.substr(0, word.find_first_of(pattern.substr(2))).find(pattern[0]) != std::string_view::npos;
}

bool applies(const Form& form, Behind words) {
  if (form.where == alone) return words.empty();
  const auto fits = [&](std::string_view pattern) {
    if (form.where == first) return comes_first(pattern, words);
    return std::any_of(words.begin(), words.end(), [&](const Word& word) {
      return form.where == letter ? has_letter(pattern, word.text) : matches(pattern, word.text);
    });
  };
  for (std::string_view rest = form.words; !words.empty() && !rest.empty();) {
    const std::string_view pattern = rest.substr(0, rest.find('|'));
    if (fits(pattern)) return true;
    rest.remove_prefix(std::min(pattern.size() + 1, rest.size()));
  }
  return false;
}

// `gcc --version`: a program says only what it is. Of one that is not known `-V` may be another option.
bool asks_version(const Program* row, Behind words) {
  if (words.size() != 1) return false;
  return is_one_of(words[0].text, {"--version", "--help"}) ||
         (row != nullptr && is_one_of(words[0].text, {"-V", "-version"}));
}

const Form* form_of(const Program& row, Behind behind) {
  if (!has_forms[static_cast<std::size_t>(&row - rows.data())]) return nullptr;
  auto form = std::lower_bound(forms.begin(), forms.end(), row.name,
                               [](const Form& f, std::string_view name) { return f.program < name; });
  for (; form != forms.end() && form->program == row.name; ++form)
    if (applies(*form, behind)) return &*form;
  return nullptr;
}

}  // namespace

std::span<const Program> programs() { return rows; }

const Program* program_named(std::string_view path) {
  const std::string_view base = path.starts_with("((") ? std::string_view("((") : base_name(path);
  if (path.size() == base.size() + 2 && path.starts_with("./")) return nullptr;
  const std::string_view name = is_python(base) ? std::string_view("python") : base;
  for (std::size_t slot = slot_of(name); by_name[slot] >= 0; slot = (slot + 1) % by_name.size())
    if (const Program& row = rows[static_cast<std::size_t>(by_name[slot])]; row.name == name) return &row;
  return nullptr;
}

bool has_trait(std::string_view name, Trait trait) {
  const Program* row = program_named(name);
  return row != nullptr && row->is(trait);
}

bool has_effect(std::string_view name, Effect effect) {
  const Program* row = program_named(name);
  return row != nullptr && row->effect == effect;
}

bool Doing::is(std::initializer_list<Effect> effects) const {
  return std::find(effects.begin(), effects.end(), effect) != effects.end();
}

bool sets_up_tool(std::string_view text) {
  text = trimmed(text, "\"` ");
  if (text.starts_with("$(")) text.remove_prefix(2);
  if (text.starts_with("$(which ")) text.remove_prefix(8);
  std::size_t depth = 0, end = 0;  // the program: `/home/$(whoami)/bin/conda`
  for (; end < text.size() && (depth > 0 || (text[end] != ' ' && text[end] != ')')); ++end)
    depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
  const Program* row = program_named(base_name(trimmed(text.substr(0, end), "'\"")));
  return row != nullptr && (row->effect == Effect::installs || row->subject == Subject::environment);
}

Doing doing_at(std::span<const Word> words, std::size_t at) {
  Doing out;
  if (at >= words.size()) return out;
  out.at = at;
  const Behind behind = words.subspan(at + 1);
  if ((out.row = program_named(words[at].text)) != nullptr) {
    const Form* form = form_of(*out.row, behind);
    out.effect = form != nullptr ? form->effect : out.row->effect;
    out.subject = form != nullptr ? form->subject : out.row->subject;
  }
  if (asks_version(out.row, behind)) out.effect = prints, out.subject = nothing;
  return out;
}

Doing doing_behind(const Doing& own, std::span<const Word> words) {
  // `command -v srun` and `env` alone start nothing.
  if (own.row != nullptr && own.effect != own.row->effect) return own;
  const std::size_t at = skip_wrappers(words);
  return at == 0 || at >= words.size() ? own : doing_at(words, at);
}

Doing doing(std::span<const Word> words) { return doing_behind(doing_at(words, 0), words); }

Doing started_by(const Body& body, const Command& command) {
  const auto index = static_cast<std::uint32_t>(&command - body.commands.data());
  const Launch* innermost = nullptr;
  for (const Launch& launch : body.launches)
    if (launch.command == index && !launch.program.empty() && launch.kind != Launcher::python) innermost = &launch;
  return innermost == nullptr ? doing(command.words) : doing(innermost->program);
}

std::vector<std::string_view> names_with(Trait trait) {
  std::vector<std::string_view> out;
  for (const Program& row : rows)
    if (row.is(trait)) out.push_back(row.name);
  return out;
}

std::string_view mentioned(std::string_view text, std::uint32_t traits) {
  const auto has = [&](std::string_view word) {
    const Program* row = program_named(word);
    return row != nullptr && (row->traits & traits) != 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_char(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (!word.empty() && (has(word) || has(word.substr(0, word.find('_'))))) return word;
    at = std::max(end, at + 1);
  }
  return {};
}

}  // namespace muster::shell
