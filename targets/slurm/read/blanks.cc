#include "targets/slurm/read/blanks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "compiler/base/byte_set.h"
#include "compiler/base/rare_word.h"
#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "targets/slurm/option_table.h"
#include "targets/slurm/read/templates.h"

namespace muster::targets::slurm {
namespace {

template <std::size_t N>
bool is_among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// `templates/slurm.sh`, `job_template.txt`: a hint only, for many of these are copied and submitted.
bool is_named_template(std::string_view path) {
  const std::string low = lower(path);
  return low.find("template") != std::string::npos || low.find("/tpls/") != std::string::npos;
}

// ---- by placeholders ---------------------------------------------------------------------------------

std::string quoted_part(const Sources& sources, Span span) {
  return "`" + printable(sources.text(span).substr(0, 60), 60) + "`";
}

// `docker inspect -f '{{ … }}'`: a format of that command.
bool is_format_of_command(const Sources& sources, Span span) {
  constexpr std::uint32_t near = 200;
  const std::string_view text = sources.text(span.file);
  const std::uint32_t begin = span.begin > near ? span.begin - near : 0;
  std::string_view line = text.substr(begin, span.end + near - begin);
  const std::size_t before = line.rfind('\n', span.begin - begin);
  if (before != std::string_view::npos && span.begin > begin) line.remove_prefix(before + 1);
  line = line.substr(0, line.find('\n'));
  for (const std::string_view word : {" -f '", " -f \"", "--format", "template", "inspect"})
    if (line.find(word) != std::string_view::npos) return true;
  return false;
}

// Whether a shell reads a place as text: between quotes, or in a here-document. Most scripts are not asked.
class QuotedPlaces {
 public:
  QuotedPlaces(const Sources& sources, const Body& body) : sources_(sources), body_(body) {}

  enum class Place { comment, text, command };
  Place of(Span place) {
    if (!std::exchange(is_read_, true)) read();
    const auto holds = [&](Span span) { return span.begin <= place.begin && place.begin < span.end; };
    if (std::any_of(documents_.begin(), documents_.end(), holds)) return Place::text;
    Place out = Place::comment;
    for (const Span word : words_)
      if (holds(word) && out != Place::text) out = is_quoted(word, place.begin) ? Place::text : Place::command;
    return out;
  }

 private:
  void read() {
    const auto add = [&](const Word& word) {
      if (word.span.known()) words_.push_back(word.span);
    };
    for (const Command& command : body_.commands) {
      std::for_each(command.words.begin(), command.words.end(), add);
      for (const Assignment& assignment : command.assignments) add(assignment.value);
      for (const Redirect& redirect : command.redirects) {
        add(redirect.target);
        if (redirect.text.known()) documents_.push_back(redirect.text);
      }
    }
  }

  bool is_quoted(Span word, std::uint32_t at) const {
    const std::string_view before = sources_.text(word).substr(0, at - word.begin);
    return std::count(before.begin(), before.end(), '"') % 2 == 1 ||
           std::count(before.begin(), before.end(), '\'') % 2 == 1;
  }

  const Sources& sources_;
  const Body& body_;
  bool is_read_ = false;
  std::vector<Span> words_, documents_;
};

bool is_comment_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '#';
}

std::string_view line_around(std::string_view text, std::uint32_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

// Whether a line's first word begins or is filled in, so that the line may become a comment.
bool begins_line(std::string_view text, Span place) {
  const std::string_view line = line_around(text, place.begin);
  const std::string_view before = line.substr(0, place.begin - static_cast<std::size_t>(line.data() - text.data()));
  return trimmed(before).find_first_of(" \t#\"'") == std::string_view::npos && line.find("#SBATCH") != 0;
}

// The option of a directive that a place is in.
Span option_around(const Script& script, Span place) {
  for (const Directive& d : script.directives)
    if (d.whole.file == place.file && d.whole.begin <= place.begin && place.begin < d.whole.end) return d.whole;
  return {};
}

// What the reader of scripts found as placeholders; `<account>` is left for a person, `$X` is looked at apart.
void add_placeholders(const Sources& sources, const Script& script, QuotedPlaces& quoted, std::vector<Blank>& out) {
  const std::string_view text = sources.text(script.file);
  for (const Template& t : script.templates) {
    if (t.by != FilledBy::engine) continue;
    if (!t.in_directive && is_format_of_command(sources, t.span)) continue;
    const std::string_view around = line_around(text, t.span.begin);
    const bool begins = !t.in_directive && begins_line(text, t.span);
    const bool line = begins || is_template_line(around);
    const auto place = t.in_directive ? QuotedPlaces::Place::command : quoted.of(t.span);
    if (place == QuotedPlaces::Place::comment && !line) continue;
    const bool hard = place != QuotedPlaces::Place::text;
    const auto begin = static_cast<std::uint32_t>(around.data() - text.data());
    const Span whole{script.file, begin, begin + static_cast<std::uint32_t>(around.size())};
    const bool cookiecutter = text.find("cookiecutter.") != std::string_view::npos;
    out.push_back({begins && hard ? whole : t.span, option_around(script, t.span), line && hard, hard, false,
                   cookiecutter ? "cookiecutter" : std::string(t.engine),
                   quoted_part(sources, t.span) + (t.in_directive ? " in a directive" : "")});
  }
}

constexpr std::string_view snakemake_line = "# properties = {properties}";

// The next place from `at` on of what a line of an engine has; the end of the text without one. Each sign is looked for
// once: `signs` has what is known.
std::size_t next_sign(std::string_view text, std::size_t at, std::array<std::size_t, 5>& signs) {
  constexpr std::array<RareWord, 5> words = {{{"%"}, {"<"}, {"{properties}"}, {"\n{"}, {"\n@"}}};
  constexpr std::size_t first_of_lines = 3;  // whose words are found with the line end in front of them
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (signs[i] >= text.size() || (signs[i] >= at && at != 0)) continue;
    const std::size_t before = i >= first_of_lines ? 1 : 0;
    signs[i] = std::min(words[i].find_in(text, at - std::min(at, before)), text.size() - before) + before;
  }
  return *std::min_element(signs.begin(), signs.end());
}

// The begin of the line that has `place`, or `least` behind it.
std::size_t line_begin(std::string_view text, std::size_t place, std::size_t least) {
  if (place >= text.size()) return text.size();
  const std::size_t before = place == 0 ? std::string_view::npos : text.rfind('\n', place - 1);
  return before == std::string_view::npos ? least : std::max(least, before + 1);
}

// A line that only an engine reads, and which one: `% if …`, `<% … %>`, `%(name)s`, `# properties = {properties}`.
std::optional<std::string> engine_of_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return std::nullopt;
  if (is_comment_line(line)) return std::nullopt;
  const std::string_view rest = line.substr(first);
  const BlankFound found = marked_blank_in(line, In::line);
  if (found.form == "erb" ||
      (found && (is_one_blank(line, In::line) || (found.begin == first && found.form == "python"))))
    return std::string(found.engine);
  if (rest.starts_with("<%")) return "brew, ERB or Mako";
  if (!rest.starts_with('%')) return std::nullopt;
  std::string_view word = rest.substr(std::min(rest.find_first_not_of(" \t", 1), rest.size()));
  const bool opens = trimmed(word).ends_with(':');  // `% for each` is a comment of MATLAB
  word = word.substr(0, word.find_first_of(" :\r"));
  const bool closes = word == "endif" || word == "endfor" || word == "endwhile";
  if (closes || (opens && is_among(word, std::array<std::string_view, 5>{"if", "for", "else", "elif", "while"})))
    return "Mako";
  return std::nullopt;
}

void add_lines(const Sources& sources, const Script& script, QuotedPlaces& quoted, std::vector<Blank>& out) {
  const std::string_view text = sources.text(script.span);
  std::array<std::size_t, 5> signs{};  // where the next of each is
  bool snakemake = false;
  for (std::size_t at = 0; at < text.size();) {
    at = line_begin(text, next_sign(text, at, signs), at);
    if (at >= text.size()) return;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    auto engine = engine_of_line(line);
    if (engine && engine->empty() && snakemake) engine = "snakemake";
    snakemake |= line.starts_with(snakemake_line);
    const bool block = engine && line.find("%>") == std::string_view::npos && trimmed(line).starts_with("<%");
    const std::size_t close_of_block = block ? text.find("%>", at) : std::string_view::npos;
    if (engine) {
      const auto begin = script.span.begin + static_cast<std::uint32_t>(at);
      Span span{script.file, begin, script.span.begin + static_cast<std::uint32_t>(end)};
      const std::size_t open = line.find("<%"), close = line.rfind("%>");
      const bool part = open != std::string_view::npos && close != std::string_view::npos && close > open &&
                        line.find_first_not_of(" \t") != open;
      if (part) span.begin = begin + static_cast<std::uint32_t>(open);
      if (part) span.end = begin + static_cast<std::uint32_t>(close + 2);
      const bool hard = quoted.of(span) != QuotedPlaces::Place::text;
      out.push_back(
          {span, option_around(script, span), !part && hard, hard, false, *engine, quoted_part(sources, span)});
    }
    at = end + 1;
    // The lines of a block are the engine's too.
    for (; close_of_block != std::string_view::npos && at <= close_of_block;
         at = std::min(text.find('\n', at), text.size()) + 1) {
      const auto begin = script.span.begin + static_cast<std::uint32_t>(at);
      const auto stop = static_cast<std::uint32_t>(std::min(text.find('\n', at), text.size()));
      out.push_back({{script.file, begin, script.span.begin + stop}, {}, true, true, false, *engine, out.back().why});
    }
  }
}

// ---- by variables ------------------------------------------------------------------------------------

// What an environment has without the script: `$X` in a directive that means one of these is a mistake.
bool is_of_environment(std::string_view name) {
  constexpr std::array<std::string_view, 14> known = {"USER",   "HOME",    "LOGNAME", "PWD",  "HOSTNAME",
                                                      "TMPDIR", "SCRATCH", "PROJECT", "WORK", "SHELL",
                                                      "OLDPWD", "DATE",    "JOB_ID",  "HOST"};
  for (const std::string_view prefix : {"SLURM", "SBATCH", "SALLOC", "PBS", "LSB", "SGE", "XDG"})
    if (name.starts_with(prefix)) return true;
  if (name.starts_with("USER_")) return true;  // `$USER_job` means `${USER}_job`
  while (name.ends_with('_')) name.remove_suffix(1);
  return is_among(name, known);
}

void add_name(std::set<std::string, std::less<>>& names, std::string_view word) {
  const std::size_t end = word.find_first_of("=[+");
  names.emplace(word.substr(0, end));
}

// All names that the script gives a value.
std::set<std::string, std::less<>> names_set(const Body& body) {
  std::set<std::string, std::less<>> out;
  for (const Export& e : body.exports) out.insert(e.name);
  for (const Scope& s : body.scopes)
    if (s.kind == ScopeKind::loop) out.insert(s.name);
  for (const Command& c : body.commands) {
    for (const Assignment& a : c.assignments) out.insert(a.name);
    const bool gives = shell::has_trait(c.program(), shell::declares) ||
                       shell::has_trait(c.program(), shell::takes_names) || is_one_of(c.program(), {"set", "setenv"});
    for (std::size_t i = 1; gives && i < c.words.size(); ++i) add_name(out, c.words[i].text);
  }
  return out;
}

std::string_view variable_name(std::string_view spelling) {
  spelling.remove_prefix(std::min<std::size_t>(spelling.find_first_not_of("${"), spelling.size()));
  std::size_t end = 0;
  while (end < spelling.size() && is_name_char(spelling[end])) ++end;
  return spelling.substr(0, end);
}

// The variables in directives, and the first in each of those that sbatch ignores because of their place.
std::vector<Span> variables_of_directives(const Sources& sources, const Script& script) {
  std::vector<Span> out;
  for (const Template& t : script.templates)
    if (t.by == FilledBy::variable && t.in_directive && t.span.file == script.file) out.push_back(t.span);
  for (const Ignored& ignored : script.ignored) {
    if (ignored.kind != IgnoredKind::after_command || ignored.span.file != script.file) continue;
    for (const Directive& d : ignored.directives) {
      if (!d.value_span.known()) continue;
      const std::string_view value = sources.text(d.value_span);
      const std::size_t begin = value.find("${"), end = value.find('}', begin == std::string_view::npos ? 0 : begin);
      if (begin == std::string_view::npos || end == std::string_view::npos) continue;
      const std::uint32_t at = d.value_span.begin;
      out.push_back({script.file, at + static_cast<std::uint32_t>(begin), at + static_cast<std::uint32_t>(end) + 1});
    }
  }
  return out;
}

// Whether sbatch takes any text as the value.
bool is_text(const OptionRow& row) { return row.type.empty() || row.type == "filename" || row.type == "path"; }

// `${NODES}` in a directive, and nothing in the file sets it: `envsubst` or a program does. In a value that is free
// text the script is what it says without it.
void add_variables(const Sources& sources, const Script& script, const Body& body, std::vector<Blank>& out) {
  const bool is_called_template = is_named_template(sources.name(script.file));
  std::optional<std::set<std::string, std::less<>>> set;
  for (const Span& where : variables_of_directives(sources, script)) {
    const std::string_view spelling = sources.text(where), name = variable_name(spelling);
    if (name.empty() || spelling.starts_with("$(")) continue;
    if (is_of_environment(name) && !is_called_template) continue;
    if (!set) set = names_set(body);
    std::string_view without = name;
    while (without.ends_with('_')) without.remove_suffix(1);
    if (set->count(name) > 0 || set->count(without) > 0) continue;
    const auto in = std::find_if(script.directives.begin(), script.directives.end(), [&](const Directive& d) {
      return d.whole.file == where.file && d.whole.begin <= where.begin && where.begin < d.whole.end;
    });
    const OptionRow* row = in == script.directives.end() ? nullptr : find_option(Tool::sbatch, in->name);
    const bool hard = row == nullptr || !is_text(*row);
    out.push_back({where, in == script.directives.end() ? Span{} : in->whole, false, hard, true, "",
                   quoted_part(sources, where) + " in a directive, which the file never sets"});
  }
}

// ---- what an engine makes of them ----------------------------------------------------------------------

// How a line of an engine opens and closes what it includes or not: +1, -1, or 0.
int nesting_of(std::string_view line) {
  const std::size_t first = line.find_first_not_of("{<%#- \t=");
  if (first == std::string_view::npos) return 0;
  if (const BlankFound found = marked_blank_in(line, In::text); found.form == "mustache") {
    const char sign = line[found.begin + 2];
    return sign == '/' ? -1 : sign == '#' || sign == '^';
  }
  std::string_view word = line.substr(first);
  word = word.substr(0, word.find_first_of(" :%}\t"));
  if (word.starts_with("end") || word == "}") return -1;
  return word == "if" || word == "for" || word == "while" || word == "range" || word == "block" || word == "with";
}

void blank_out(std::string& text, std::size_t begin, std::size_t end, char first, char rest) {
  for (std::size_t at = begin; at < std::min(end, text.size()); ++at)
    if (text[at] != '\n') text[at] = at == begin ? first : rest;
}

void write_value(std::string& text, const Blank& blank, std::string_view value) {
  blank_out(text, blank.where.begin, blank.where.end, '0', '0');
  const std::size_t size = blank.where.end - blank.where.begin;
  value = value.substr(0, size);
  for (std::size_t i = 0; i < value.size(); ++i) {
    char& c = text[blank.where.end - value.size() + i];
    if (c != '\n') c = value[i];
  }
}

// What stands between a line that opens and the one that closes it.
void drop_conditional_lines(std::string& text, const std::vector<Blank>& blanks) {
  std::vector<std::uint32_t> open;
  for (const Blank& blank : blanks) {
    if (!blank.line) continue;
    const int nesting = nesting_of(text.substr(blank.where.begin, blank.where.end - blank.where.begin));
    if (nesting > 0) open.push_back(blank.where.end);
    if (nesting >= 0 || open.empty()) continue;
    for (std::size_t at = text.find('\n', open.back()); at < blank.where.begin; at = text.find('\n', at + 1))
      blank_out(text, at + 1, std::min<std::size_t>(text.find('\n', at + 1), blank.where.begin), '#', ' ');
    open.pop_back();
  }
}

}  // namespace

std::vector<Blank> blanks_of(const Sources& sources, const Script& script, const Body& body) {
  std::vector<Blank> out;
  QuotedPlaces quoted(sources, body);
  add_placeholders(sources, script, quoted, out);
  add_lines(sources, script, quoted, out);
  add_variables(sources, script, body, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const Blank& a, const Blank& b) { return a.where.begin < b.where.begin; });
  return out;
}

std::vector<std::string> fillings(std::string_view text, const std::vector<Blank>& blanks) {
  std::vector<std::string> out;
  for (const std::string_view value : {"1", "64"}) {
    std::string& filled = out.emplace_back(text);
    for (const Blank& blank : blanks)
      if (blank.apart) blank_out(filled, blank.where.begin, blank.where.end, ' ', ' ');
      else if (blank.line) blank_out(filled, blank.where.begin, blank.where.end, '#', ' ');
      else write_value(filled, blank, blank.where.end - blank.where.begin > 1 ? value : "7");
  }
  std::string& without = out.emplace_back(text);
  drop_conditional_lines(without, blanks);
  for (const Blank& blank : blanks) {
    const Span gone = blank.option.known() ? blank.option : blank.where;
    blank_out(without, gone.begin, gone.end, blank.line ? '#' : ' ', ' ');
  }
  return out;
}

}  // namespace muster::targets::slurm
