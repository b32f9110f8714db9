#include "targets/slurm/read/purpose.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>

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

// What names no interpreter sbatch rejects: such a file is for reading.
bool is_document(std::string_view path, std::string_view text) {
  if (text.starts_with("#!")) return false;
  return is_among(lower(extension_of(path)),
                  std::array<std::string_view, 9>{"txt", "md", "rst", "rmd", "ipynb", "html", "org", "tex", "adoc"});
}

// `slurm-5854805.out`, as sbatch names it.
bool is_job_output(std::string_view path) {
  const std::string_view base = base_of(path);
  return base.starts_with("slurm-") && base.size() > 10 && is_digit(base[6]) && base.ends_with(".out");
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

// Directives that set twice or more what others set, below the commands or of a file without commands: alternatives to
// choose from. All such lines, first the one that shows it; none: there are no alternatives.
std::vector<Span> alternatives(const Script& script, const std::vector<Span>& texts) {
  std::map<std::string_view, int> stated;
  std::set<std::string_view> repeated;
  std::vector<Span> out;
  std::size_t shows = 0;
  const auto add = [&](Span line, const auto& directives) {
    for (const Directive& d : directives)
      if (++stated[d.name] >= 2 && repeated.insert(d.name).second && repeated.size() == 2) shows = out.size();
    out.push_back(line);
  };
  for (const Directive& d : script.directives)
    if (texts.empty() && d.whole.file == script.file) add(d.whole, std::span(&d, 1));
  for (const Ignored& ignored : script.ignored)
    if (ignored.kind == IgnoredKind::after_command && !lies_in(texts, ignored.span))
      add(ignored.span, ignored.directives);
  if (repeated.size() < 2) return {};
  const auto first = out.begin() + static_cast<std::ptrdiff_t>(shows);
  std::rotate(out.begin(), first, first + 1);
  return out;
}

std::string line_of(const Sources& sources, Span span) {
  return "line " + std::to_string(sources.position(span.file, span.begin).line) + " ";
}

// What is not of this script: the others below it, or options to choose from.
std::vector<Blank> parts_apart(const Sources& sources, const Script& script, const std::vector<Span>& texts) {
  std::vector<Blank> out;
  if (const Span second = second_script(sources, script, texts); second.known()) {
    out.push_back({{second.file, second.begin, script.span.end}});
    out.back().why = line_of(sources, second) + "begins another script";
  }
  for (const Span line : out.empty() ? alternatives(script, texts) : std::vector<Span>()) {
    out.push_back({line});
    out.back().why = line_of(sources, line) + "repeats options of other lines";
  }
  for (Blank& blank : out) blank.apart = true;
  return out;
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

std::vector<Blank> all_blanks_of(const Sources& sources, const Script& script, const Body& body) {
  std::vector<Blank> out = blanks_of(sources, script, body);
  if (!script.submission.known())
    for (Blank& blank : parts_apart(sources, script, texts_of_commands(body))) out.push_back(std::move(blank));
  for (const Script& inner : script.embedded)
    for (Blank& blank : blanks_of(sources, inner, read_body(sources, inner))) out.push_back(std::move(blank));
  return out;
}

Purpose purpose_of(const Sources& sources, const Script& script, const Body& body) {
  return purpose_of(sources, script, body, all_blanks_of(sources, script, body));
}

Purpose purpose_of(const Sources& sources, const Script& script, const Body& body, const std::vector<Blank>& blanks) {
  const std::string_view name = sources.name(script.file), text = sources.text(script.file);
  const bool whole = !script.submission.known();
  if (whole && is_job_output(name) && !text.starts_with("#!"))
    return {PurposeKind::log, "", "`" + std::string(base_of(name)) + "`", {}};
  if (whole && is_document(name, text))
    return {PurposeKind::notes, "", "`" + std::string(base_of(name)) + "` is a document", {}};
  for (const Blank& blank : blanks)
    if (blank.apart) return {PurposeKind::notes, "", blank.why, blank.where, true};
  const auto is_inner = [&](const Blank& blank) {
    return std::any_of(script.embedded.begin(), script.embedded.end(), [&](const Script& inner) {
      return inner.span.begin <= blank.where.begin && blank.where.begin < inner.span.end;
    });
  };
  for (const Blank& blank : blanks)
    if (blank.hard && (whole || !blank.shell) && !is_inner(blank))
      return {PurposeKind::templated, blank.engine, blank.why, blank.where, true};
  if (!whole) return {};
  if (auto wrapper = as_wrapper(script, body)) return std::move(*wrapper);
  return {};
}

}  // namespace muster::targets::slurm
