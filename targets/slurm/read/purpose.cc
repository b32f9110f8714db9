#include "targets/slurm/read/purpose.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "compiler/base/byte_set.h"
#include "compiler/base/rare_word.h"
#include "compiler/base/text.h"

namespace muster::targets::slurm {
namespace {

// ---- by the file's name ------------------------------------------------------------------------------

std::string_view base_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view extension_of(std::string_view path) {
  const std::string_view base = base_of(path);
  const std::size_t dot = base.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : base.substr(dot + 1);
}

template <std::size_t N>
bool is_among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The engine that a file's ending names; nullopt: none.
std::optional<std::string> engine_of_name(std::string_view path) {
  const std::string ending = lower(extension_of(path));
  if (ending == "j2" || ending == "jinja" || ending == "jinja2") return "jinja";
  if (ending == "mustache" || ending == "erb" || ending == "mako") return ending;
  if (is_among(ending, std::array<std::string_view, 6>{"tmpl", "tpl", "template", "templ", "in", "temp"})) return "";
  return std::nullopt;
}

// `templates/slurm.sh`, `job_template.txt`: a hint only, for many of these are copied and submitted.
bool is_named_template(std::string_view path) {
  const std::string low = lower(path);
  return low.find("template") != std::string::npos || low.find("/tpls/") != std::string::npos;
}

// A `.txt` that names no interpreter is for reading: sbatch rejects it.
bool is_document(std::string_view path, std::string_view text) {
  if (lower(extension_of(path)) == "txt" && !text.starts_with("#!")) return true;
  return is_among(lower(extension_of(path)),
                  std::array<std::string_view, 8>{"md", "rst", "rmd", "ipynb", "html", "org", "tex", "adoc"});
}

// `slurm-5854805.out`, as sbatch names it.
bool is_job_output(std::string_view path) {
  const std::string_view base = base_of(path);
  return base.starts_with("slurm-") && base.size() > 10 && is_digit(base[6]) && base.ends_with(".out");
}

// ---- by placeholders ---------------------------------------------------------------------------------

std::string quoted_part(const Sources& sources, Span span) {
  return "`" + printable(sources.text(span).substr(0, 60), 60) + "`";
}

Purpose templated(std::string engine, std::string why, Span where) {
  return {PurposeKind::templated, std::move(engine), std::move(why), where};
}

std::string engine_of(TemplateKind kind, std::string_view text) {
  if (text.find("cookiecutter.") != std::string_view::npos) return "cookiecutter";
  switch (kind) {
    case TemplateKind::jinja: return "jinja";
    case TemplateKind::mustache: return "mustache";
    case TemplateKind::helm: return "Go";
    default: return "";
  }
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

// What the reader of scripts found as placeholders; `<account>` is a blank, `$X` is looked at apart.
std::optional<Purpose> by_placeholders(const Sources& sources, const Script& script) {
  for (const Template& t : script.templates) {
    if (t.kind == TemplateKind::shell_variable || t.kind == TemplateKind::angle) continue;
    if (!t.in_directive && is_format_of_command(sources, t.span)) continue;
    return templated(engine_of(t.kind, sources.text(t.span)),
                     quoted_part(sources, t.span) + (t.in_directive ? " in a directive" : ""), t.span);
  }
  return std::nullopt;
}

// `<GPU4_CONFIG>` alone: lines that a program writes there.
bool is_angle_name(std::string_view line) {
  if (line.size() < 4 || line.front() != '<' || line.back() != '>') return false;
  line = line.substr(1, line.size() - 2);
  return std::all_of(line.begin(), line.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; });
}

constexpr std::string_view snakemake_line = "# properties = {properties}";

// The next place from `at` on of what a line of an engine has; the end of the text without one. Each sign is looked for
// once: `signs` has what is known.
std::size_t next_sign(std::string_view text, std::size_t at, std::array<std::size_t, 3>& signs) {
  constexpr std::array<RareWord, 3> words = {{{"%"}, {"<"}, {"{properties}"}}};
  for (std::size_t i = 0; i < words.size(); ++i)
    if (signs[i] < text.size() && (signs[i] < at || at == 0))
      signs[i] = std::min(words[i].find_in(text, at), text.size());
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
  if (line.find("<%") != std::string_view::npos && line.find("%>") != std::string_view::npos) return "brew or ERB";
  const std::string_view rest = line.substr(first);
  if (rest.starts_with("<%")) return "brew, ERB or Mako";
  if (rest.starts_with("%(") && rest.find(")s") != std::string_view::npos) return "Python";
  if (rest.starts_with(snakemake_line)) return "snakemake";
  if (is_angle_name(trimmed(rest))) return "";
  if (!rest.starts_with('%')) return std::nullopt;
  std::string_view word = rest.substr(std::min(rest.find_first_not_of(" \t", 1), rest.size()));
  const bool opens = trimmed(word).ends_with(':');  // `% for each` is a comment of MATLAB
  word = word.substr(0, word.find_first_of(" :\r"));
  const bool closes = word == "endif" || word == "endfor" || word == "endwhile";
  if (closes || (opens && is_among(word, std::array<std::string_view, 5>{"if", "for", "else", "elif", "while"})))
    return "Mako";
  return std::nullopt;
}

std::optional<Purpose> by_lines(const Sources& sources, const Script& script) {
  const std::string_view text = sources.text(script.span);
  if (script.span.begin == script.span.end) return std::nullopt;
  std::array<std::size_t, 3> signs{};  // where the next of each is
  for (std::size_t at = 0; at < text.size();) {
    at = line_begin(text, next_sign(text, at, signs), at);
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (auto engine = engine_of_line(text.substr(at, end - at))) {
      const auto begin = script.span.begin + static_cast<std::uint32_t>(at);
      const Span span{script.file, begin, script.span.begin + static_cast<std::uint32_t>(end)};
      return templated(std::move(*engine), quoted_part(sources, span), span);
    }
    at = end + 1;
  }
  return std::nullopt;
}

// `XXXnameXXX`, as RELION has it.
bool has_crossed_name(std::string_view value) {
  const std::size_t open = value.find("XX");
  if (open == std::string_view::npos) return false;
  const std::size_t name = std::min(value.find_first_not_of('X', open), value.size());
  const std::size_t close = value.find("XX", name);
  if (close == std::string_view::npos || close == name) return false;
  const std::string_view inside = value.substr(name, close - name);
  const bool three = name - open > 2 || value.substr(close).starts_with("XXX");
  return three && std::all_of(inside.begin(), inside.end(), [](char c) { return is_alnum(c) || c == '_'; }) &&
         std::any_of(inside.begin(), inside.end(), is_letter);
}

// Between marks that no shell has in a value: `##NAME##`, `#NAME#`, `__NAME__`, `%%name%%`, `%(name)s`, `{name}`,
// `self.name`, `@NAME`.
bool has_mark(std::string_view value) {
  static constexpr ByteSet signs("#%{<$@!");
  if (signs.find_in(value) == std::string_view::npos && value.find("XX") == std::string_view::npos &&
      value.find("__") == std::string_view::npos && !value.starts_with("self."))
    return false;  // nearly all
  if (has_crossed_name(value) || value.starts_with("self.")) return true;
  if (value.size() > 2 && value[0] == '@' &&
      std::all_of(value.begin() + 1, value.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; }))
    return true;
  for (const std::string_view mark : {"##", "__", "%%", "#"}) {
    const std::size_t open = value.find(mark);
    if (open == std::string_view::npos) continue;
    const std::size_t name = open + mark.size(), close = value.find(mark, name);
    if (close == std::string_view::npos || close == name || !is_letter(value[name])) continue;
    const std::string_view inside = value.substr(name, close - name);
    const bool plain = std::all_of(inside.begin(), inside.end(), [](char c) { return is_alnum(c) || c == '_'; });
    const bool capitals = inside.size() > 1 && std::none_of(inside.begin(), inside.end(), is_lower);
    const bool alone = open == 0 && close + mark.size() == value.size();
    if (plain && (mark == "##" || mark == "%%" || capitals || (alone && mark == "__"))) return true;
  }
  const std::size_t brace = value.find('{');
  if (brace != std::string_view::npos && (brace == 0 || value[brace - 1] != '$') && brace + 1 < value.size() &&
      is_name_start(value[brace + 1])) {
    const std::size_t close = value.find_first_of("}@", brace);
    if (close != std::string_view::npos && value[close] == '}') return true;
  }
  return value.find("<%") != std::string_view::npos || value.find("%(") != std::string_view::npos ||
         value.find("$$") != std::string_view::npos || value.starts_with("!TBG_");
}

// With the words behind the value, for Slurm reads a comment where `##HOURS##` begins.
std::string_view rest_of_line(const Sources& sources, const Directive& d) {
  const std::string_view text = sources.text(d.whole.file).substr(d.whole.begin);
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line.substr(0, 200);
}

std::optional<Purpose> by_marks(const Sources& sources, const Script& script) {
  for (const Directive& d : script.directives) {
    if (d.whole.file != script.file) continue;
    const std::string_view written = rest_of_line(sources, d);
    const std::size_t hash = written.find('#');
    const bool joined = hash != std::string_view::npos && hash > 0 && !is_space(written[hash - 1]);
    const std::string value = d.value.value_or("");
    if (has_mark(value) || (joined && has_mark(written.substr(hash)) && written.find('#', hash + 1) < hash + 40))
      return templated("", "`" + printable(written.substr(0, 40), 40) + "`", d.whole);
  }
  return std::nullopt;
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
    const bool declares = is_among(c.program(), std::array<std::string_view, 7>{"export", "declare", "local",
                                                                                "readonly", "read", "set", "setenv"});
    for (std::size_t i = 1; declares && i < c.words.size(); ++i) add_name(out, c.words[i].text);
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
    if (t.kind == TemplateKind::shell_variable && t.in_directive && t.span.file == script.file) out.push_back(t.span);
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

// `${NODES}` in a directive, and nothing in the file sets it: `envsubst` or a program does.
std::optional<Purpose> by_variables(const Sources& sources, const Script& script, const Body& body) {
  std::optional<std::set<std::string, std::less<>>> set;
  for (const Span& where : variables_of_directives(sources, script)) {
    const std::string_view spelling = sources.text(where), name = variable_name(spelling);
    if (name.empty() || spelling.starts_with("$(") || is_of_environment(name)) continue;
    if (!set) set = names_set(body);
    std::string_view without = name;
    while (without.ends_with('_')) without.remove_suffix(1);
    if (set->count(name) > 0 || set->count(without) > 0) continue;
    return templated("", quoted_part(sources, where) + " in a directive, which the file never sets", where);
  }
  return std::nullopt;
}

// ---- notes and wrappers ------------------------------------------------------------------------------

// Whether a `#SBATCH` line follows `at` before the first line that is no comment.
bool directs_below(std::string_view text, std::size_t at) {
  for (std::size_t end = text.find('\n', at); end != std::string_view::npos; end = text.find('\n', end + 1)) {
    const std::string_view line = text.substr(end + 1, 200);
    if (line.starts_with("#SBATCH")) return true;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#' && line[first] != '\n') return false;
  }
  return false;
}

// The `#!` line below commands that begins another batch script, outside the texts of the commands; nowhere if there is
// none. Near the top it is that of the script itself, with something in front of it.
Span second_script(const Sources& sources, const Script& script, const std::vector<Span>& texts) {
  constexpr std::uint32_t near_top = 5;  // lines
  const std::string_view text = sources.text(script.file).substr(0, script.span.end);
  constexpr RareWord head{"\n#!", 2};
  for (std::size_t at = head.find_in(text, script.body.begin == 0 ? 0 : script.body.begin - 1);
       at != std::string_view::npos; at = head.find_in(text, at + 3)) {
    const auto begin = static_cast<std::uint32_t>(at + 1);
    const Span line{script.file, begin, static_cast<std::uint32_t>(std::min(text.find('\n', begin), text.size()))};
    const std::string_view path = text.substr(begin + 2, 2);
    if ((path.starts_with('/') || path == " /") && !lies_in(texts, line) && directs_below(text, begin) &&
        sources.position(line.file, line.begin).line > near_top)
      return line;
  }
  return {};
}

// Directives below the commands, or of a file without commands, that set twice or more what others set: alternatives to
// choose from.
Span alternatives(const Script& script, const std::vector<Span>& texts) {
  std::map<std::string_view, int> stated;
  std::set<std::string_view> repeated;
  const auto is_second = [&](const Directive& d) {
    if (++stated[d.name] >= 2) repeated.insert(d.name);
    return repeated.size() >= 2;
  };
  if (texts.empty())
    for (const Directive& d : script.directives)
      if (d.whole.file == script.file && is_second(d)) return d.whole;
  for (const Ignored& ignored : script.ignored) {
    if (ignored.kind != IgnoredKind::after_command || lies_in(texts, ignored.span)) continue;
    if (std::any_of(ignored.directives.begin(), ignored.directives.end(), is_second)) return ignored.span;
  }
  return {};
}

std::optional<Purpose> as_notes(const Sources& sources, const Script& script, const std::vector<Span>& texts) {
  const std::string_view name = sources.name(script.file);
  const auto line = [&](Span span) {
    return "line " + std::to_string(sources.position(span.file, span.begin).line) + " ";
  };
  if (is_document(name, sources.text(script.file)))
    return Purpose{PurposeKind::notes, "", "`" + std::string(base_of(name)) + "` is a document", {}};
  const std::string_view text = sources.text(script.file);
  const std::size_t bsub = RareWord{"\n#BSUB -", 4}.find_in(text);
  const std::size_t pbs = bsub == std::string_view::npos ? bsub : text.find("\n#PBS -");
  if (pbs != std::string_view::npos && is_batch_script(text)) {
    const auto at = static_cast<std::uint32_t>(std::max(bsub, pbs) + 1);
    return Purpose{PurposeKind::notes,
                   "",
                   "it has the directives of three batch systems to choose from",
                   {script.file, at, at + 5}};
  }
  if (const Span second = second_script(sources, script, texts); second.known())
    return Purpose{PurposeKind::notes, "", line(second) + "begins another script", second};
  if (const Span again = alternatives(script, texts); again.known())
    return Purpose{PurposeKind::notes, "", line(again) + "repeats options of other lines", again};
  return std::nullopt;
}

bool has_own_options(const Script& script) {
  return std::any_of(script.directives.begin(), script.directives.end(),
                     [&](const Directive& d) { return d.whole.file == script.file; });
}

// Nothing in the file is an option of its own: it submits scripts, or is a program that writes them.
std::optional<Purpose> as_wrapper(const Script& script, const Body& body) {
  if (auto submitter = submitter_of(script, body)) return submitter;
  if (has_own_options(script)) return std::nullopt;
  const auto is_broken = [](const Refusal& r) { return r.kind == RefusalKind::nul_byte; };
  const bool broken = std::any_of(script.refusals.begin(), script.refusals.end(), is_broken);
  if (!body.shell && !script.batch && !broken)
    return Purpose{PurposeKind::wrapper, "", "its program writes `#SBATCH` lines", script.shebang};
  return std::nullopt;
}

}  // namespace

std::optional<Purpose> submitter_of(const Script& script, const Body& body) {
  if (has_own_options(script)) return std::nullopt;
  if (!script.embedded.empty())
    return Purpose{PurposeKind::wrapper, "", "it writes a batch script", script.embedded.front().submission};
  for (const Command& c : body.commands)
    if (const auto found =
            std::find_if(c.words.begin(), c.words.end(), [](const Word& w) { return base_of(w.text) == "sbatch"; });
        found != c.words.end())
      return Purpose{PurposeKind::wrapper, "", "it calls `sbatch`", found->span};
  return std::nullopt;
}

std::vector<Span> texts_of_commands(const Body& body) {
  std::vector<Span> all, out;
  for (const Command& c : body.commands) {
    all.push_back(c.span);
    for (const Redirect& r : c.redirects)
      if (r.text.known()) all.push_back(r.text);
  }
  std::sort(all.begin(), all.end(), [](Span a, Span b) { return a.begin < b.begin; });
  for (const Span span : all) {
    if (out.empty() || span.begin >= out.back().end) out.push_back(span);
    else out.back().end = std::max(out.back().end, span.end);
  }
  return out;
}

bool lies_in(const std::vector<Span>& spans, Span place) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), place.begin,
                                      [](std::uint32_t at, Span span) { return at < span.begin; });
  return after != spans.begin() && place.begin < std::prev(after)->end;
}

bool leaves_blank(const Directive& directive, bool refused) {
  const std::string_view value = directive.value ? std::string_view(*directive.value) : std::string_view();
  if (value.find('$') != std::string_view::npos) return false;
  const std::size_t open = value.find('<');
  if (open != std::string_view::npos && value.find('>', open) != std::string_view::npos) return true;
  if (!refused) return false;
  const bool digits = value.find_first_of("0123456789") != std::string_view::npos;
  return !digits || value.find('@') != std::string_view::npos || value.find('X') != std::string_view::npos ||
         value.find("__") != std::string_view::npos || value.starts_with('_') || value.ends_with(":x") ||
         value.ends_with(":n") || value.ends_with(":N") || has_blank(value);
}

bool has_blank(std::string_view line) {
  const std::string low = lower(line);
  for (const std::string_view word : {"your ", "xxx", "fixme", "e.g.", "_here"})
    if (low.find(word) != std::string::npos) return true;
  for (std::size_t at = line.find_first_of("[{"); at != std::string_view::npos; at = line.find_first_of("[{", at + 1)) {
    const std::size_t first = line.find_first_not_of(' ', at + 1);
    const bool name = first != std::string_view::npos && is_letter(line[first]) && (at == 0 || line[at - 1] != '$');
    if (name && line.find_first_of("]}", at) != std::string_view::npos) return true;
  }
  return false;
}

Purpose purpose_of(const Sources& sources, const Script& script, const Body& body) {
  const std::string_view name = sources.name(script.file);
  const bool whole = !script.submission.known();
  if (whole && is_job_output(name)) return {PurposeKind::log, "", "`" + std::string(base_of(name)) + "`", {}};
  const std::vector<Span> texts = texts_of_commands(body);
  if (whole)
    if (auto notes = as_notes(sources, script, texts)) return std::move(*notes);
  if (auto found = by_placeholders(sources, script)) return std::move(*found);
  if (auto found = by_lines(sources, script)) return std::move(*found);
  if (auto found = by_marks(sources, script)) return std::move(*found);
  if (whole)
    if (auto found = by_variables(sources, script, body)) return std::move(*found);
  if (!whole) return {};
  if (auto engine = engine_of_name(name))
    return templated(std::move(*engine), "the ending of `" + std::string(base_of(name)) + "`", {});
  const bool variables = std::any_of(script.templates.begin(), script.templates.end(), [](const Template& t) {
    return t.in_directive && t.kind == TemplateKind::shell_variable;
  });
  if (variables && is_named_template(name)) return templated("", "`" + std::string(name) + "` is named a template", {});
  if (auto wrapper = as_wrapper(script, body)) return std::move(*wrapper);
  return {};
}

}  // namespace muster::targets::slurm
