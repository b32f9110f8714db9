#include "targets/slurm/read/script.h"

#include <algorithm>

#include "compiler/base/byte_set.h"
#include "compiler/base/text.h"
#include "targets/slurm/read/directive_reader.h"
#include "targets/slurm/read/embedded.h"
#include "targets/slurm/read/templates.h"

namespace muster::targets::slurm {
namespace {

constexpr std::string_view white_space = " \t\n\v\f\r";

// Whether what is after #SBATCH looks like options.
bool looks_like_options(std::string_view rest) {
  rest = trimmed(rest, white_space);
  return rest.size() > 1 && rest[0] == '-' && rest[1] != '>' && rest.substr(0, 3) != "---";
}

bool same_letters(std::string_view a, std::string_view upper) {
  for (std::size_t i = 0; i < upper.size(); ++i)
    if ((a[i] & ~0x20) != upper[i]) return false;
  return true;
}

// `#SBTACH`, `#SBARCH`, `#BATCH`: one slip of the pen, in capitals. Another letter in front of SBATCH or instead of its
// first one is no slip: `#XSBATCH` is switched off, and `#YBATCH` is read by another program.
bool is_misspelt(std::string_view word) {
  constexpr std::string_view right = "SBATCH";
  if (word == "SLURM") return true;
  if (word.size() < 5 || word.size() > 7 || word == right) return false;
  std::size_t same = 0;
  while (same < word.size() && same < right.size() && word[same] == right[same]) ++same;
  const std::string_view of_word = word.substr(same), of_right = right.substr(same);
  if (word.size() + 1 == right.size()) return of_word == of_right.substr(1);
  if (same == 0) return false;
  if (word.size() == right.size() + 1) return of_word.substr(1) == of_right;
  const bool swapped = of_word.size() > 1 && of_word[0] == of_right[1] && of_word[1] == of_right[0];
  return of_word.substr(1) == of_right.substr(1) || (swapped && of_word.substr(2) == of_right.substr(2));
}

// A line that means to be a directive and is none, and where its options begin.
struct LookAlike {
  IgnoredKind kind;
  std::size_t options;
};

std::optional<LookAlike> look_alike(std::string_view line) {
  constexpr std::string_view word = "SBATCH";
  std::size_t at = 0;
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  const bool indented = at > 0;
  const std::size_t hash = at;
  while (at < line.size() && line[at] == '#') ++at;
  const std::size_t hashes = at - hash;
  if (hashes == 0) return std::nullopt;
  const std::size_t before = at;
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  const bool blank = at > before;
  if (hashes == 1 && !blank && !indented) {
    constexpr ByteSet blanks(" \t\r");
    const std::string_view start = line.substr(at, 8);  // a longer word is none of these
    const std::string_view first = start.substr(0, blanks.find_in(start));
    if (is_misspelt(first) && looks_like_options(line.substr(at + first.size())))
      return LookAlike{IgnoredKind::misspelt, at + first.size()};
  }
  if (line.size() - at < word.size() || !same_letters(line.substr(at), word)) return std::nullopt;
  const bool exact = line.substr(at, word.size()) == word;
  at += word.size();
  const std::string_view rest = line.substr(at);
  if (!looks_like_options(rest) || (!is_space(rest[0]) && rest[0] != '-')) return std::nullopt;
  if (hashes > 1) return LookAlike{IgnoredKind::extra_hash, at};
  if (blank) return LookAlike{IgnoredKind::space_after_hash, at};
  if (!exact) return LookAlike{IgnoredKind::wrong_case, at};
  if (indented) return LookAlike{IgnoredKind::indented, at};
  return std::nullopt;
}

// The lines of a script, one after the other, without their ends.
struct Lines {
  std::string_view text;
  std::uint32_t begin, end, line;
  std::uint32_t next;

  bool move() {
    if (next >= end) return false;
    begin = next;
    const std::size_t stop = text.find('\n', begin);
    limit = static_cast<std::uint32_t>(std::min<std::size_t>(stop, end));
    next = limit + 1;
    ++line;
    return true;
  }
  std::string_view get() const { return text.substr(begin, limit - begin); }
  std::uint32_t limit = 0;
};

class Reader {
 public:
  // `options` must outlive the reader. `typed`: what is after the sbatch that reads a here-document.
  Reader(const Sources& sources, Script& script, const ScriptOptions& options, std::vector<Argument> typed)
      : text_(sources.text(script.file)), script_(script), options_(options), out_(sources, script, options) {
    out_.typed(std::move(typed));
  }

  void run(std::uint32_t first_line) {
    if (!check_file()) return;
    Lines lines{text_, 0, script_.span.end, first_line - 1, script_.span.begin};
    while (lines.move() && head_line(lines)) {
    }
    if (!in_body_) script_.body = {script_.file, script_.span.end, script_.span.end};
    documents_ = find_documents(text_, script_);
    if (in_body_) body_lines(lines);
    out_.finish();
    find_body_templates();
  }

  const std::vector<Document>& documents() const { return documents_; }

 private:
  void refuse(RefusalKind kind, std::uint32_t begin, std::uint32_t end, std::string message) {
    script_.refusals.push_back({kind, {script_.file, begin, end}, std::move(message), {}, 0});
  }

  // What sbatch asks of the bytes before it reads a line. False where nothing more can be said.
  bool check_file() {
    const std::uint32_t begin = script_.span.begin, end = script_.span.end;
    const std::string_view all = text_.substr(begin, end - begin);
    if (all.size() > options_.max_bytes) {
      refuse(RefusalKind::too_large, begin, begin,
             "the script has " + std::to_string(all.size()) + " bytes; Slurm allows " +
                 std::to_string(options_.max_bytes) + " by default");
      return false;
    }
    if (const std::size_t nul = all.find('\0'); nul != std::string_view::npos) {
      const auto at = begin + static_cast<std::uint32_t>(nul);
      refuse(RefusalKind::nul_byte, at, at + 1, "the script contains a NUL byte");
      return false;
    }
    if (std::all_of(all.begin(), all.end(), is_space)) {
      refuse(RefusalKind::empty_file, begin, begin, "the script is empty");
      return false;
    }
    check_first_line(all);
    if (const std::size_t dos = all.find("\r\n"); dos != std::string_view::npos) {
      const auto at = begin + static_cast<std::uint32_t>(dos);
      refuse(RefusalKind::dos_line_ends, at, at + 2, "the lines end in CR LF, as on Windows; sbatch only accepts LF");
    }
    return true;
  }

  void check_first_line(std::string_view all) {
    const std::size_t tabs = script_.tabs_stripped ? std::min(all.find_first_not_of('\t'), all.size()) : 0;
    all.remove_prefix(tabs);
    const auto begin = script_.span.begin + static_cast<std::uint32_t>(tabs);
    const auto end = begin + static_cast<std::uint32_t>(std::min(all.find('\n'), all.size()));
    if (!all.starts_with("#!"))
      return refuse(RefusalKind::no_shebang, begin, end, "the first line must begin with `#!` and name an interpreter");
    script_.shebang = {script_.file, begin, end};
    script_.interpreter = trimmed(text_.substr(begin + 2, end - begin - 2), white_space);
  }

  // A line before the first command. False for the first command itself.
  bool head_line(const Lines& lines) {
    std::string_view line = lines.get();
    std::uint32_t begin = lines.begin;
    while (script_.tabs_stripped && line.starts_with('\t')) line.remove_prefix(1), ++begin;
    if (line.starts_with("#SBATCH")) {
      script_.batch = true;
      out_.directive_line({begin, lines.limit, lines.line}, begin + 7);
    } else if (line.starts_with("#SLURM")) {
      if (!warned_)
        script_.warnings.push_back("`#SLURM` is the deprecated form of `#SBATCH`; sbatch reads it with a warning");
      warned_ = true;
      out_.directive_line({begin, lines.limit, lines.line}, begin + 6);
    } else if (line.starts_with("#PBS") || line.starts_with("#BSUB")) {
      dialect_line(lines, begin);
    } else if (line.starts_with('#')) {
      maybe_ignored(lines, begin, line);
    } else if (const std::string_view rest = trimmed(line, white_space); !rest.empty() && rest[0] != '#') {
      if (script_.expanded && is_variable(rest) && directive_follows(lines)) return true;
      if (!is_template_line(line)) return first_command(lines);
      find_templates(text_, script_.file, lines.begin, lines.limit, In::text, script_.templates);
    } else if (!rest.empty()) {
      maybe_ignored(lines, begin, line);
    }
    count_command_line(line);
    return true;
  }

  // `$gpu_line`, for which the shell that writes the script has a text: a directive, a comment or nothing.
  static bool is_variable(std::string_view line) {
    if (!line.starts_with('$') || line.size() < 2) return false;
    const bool braces = line[1] == '{';
    line.remove_prefix(braces ? 2 : 1);
    if (braces && !line.ends_with('}')) return false;
    if (braces) line.remove_suffix(1);
    return !line.empty() && std::all_of(line.begin(), line.end(), is_name_char);
  }
  // Soon below such a line, and only more of them in between.
  static bool directive_follows(Lines lines) {
    for (int ahead = 0; ahead < 50 && lines.move(); ++ahead) {
      const std::string_view line = lines.get(), rest = trimmed(line, white_space);
      if (line.starts_with("#SBATCH")) return true;
      if (!rest.empty() && rest[0] != '#' && !is_variable(rest)) return false;
    }
    return false;
  }

  bool first_command(const Lines& lines) {
    in_body_ = true;
    script_.body = {script_.file, lines.begin, script_.span.end};
    first_command_ = {script_.file, lines.begin, lines.limit};
    count_command_line(lines.get());
    return false;
  }

  void maybe_ignored(const Lines& lines, std::uint32_t begin, std::string_view line) {
    if (const auto found = look_alike(line))
      out_.ignored_line(found->kind, {begin, lines.limit, lines.line},
                        begin + static_cast<std::uint32_t>(found->options));
  }

  // sbatch translates the other dialects down to the 101st line that does not begin with #.
  void count_command_line(std::string_view line) {
    if (!line.starts_with('#')) ++plain_lines_;
  }
  void dialect_line(const Lines& lines, std::uint32_t begin) {
    const bool pbs = text_.substr(begin, 4) == "#PBS";
    if (plain_lines_ > 100) return;
    out_.dialect_line(pbs ? Origin::pbs : Origin::bsub, {begin, lines.limit, lines.line}, begin + (pbs ? 4 : 5));
  }

  // Lines from the first command on, without those of here-documents, which are other files' text.
  void body_lines(Lines lines) {
    std::size_t next = 0;
    do {
      while (next < documents_.size() && documents_[next].text.end <= lines.begin) ++next;
      const bool inside = next < documents_.size() && documents_[next].text.begin <= lines.begin;
      const std::string_view line = lines.get();
      if (line.starts_with('#') || (!line.empty() && is_space(line[0]))) body_line(lines, line, inside);
      count_command_line(line);
    } while (lines.move());
  }
  void body_line(const Lines& lines, std::string_view line, bool inside) {
    if (line.starts_with("#PBS") || line.starts_with("#BSUB")) return dialect_line(lines, lines.begin);
    if (inside) return;
    if (line.starts_with("#SBATCH")) {
      out_.ignored_line(IgnoredKind::after_command, {lines.begin, lines.limit, lines.line}, lines.begin + 7);
      script_.ignored.back().because = first_command_;
    } else {
      maybe_ignored(lines, lines.begin, line);
    }
  }

  void find_body_templates() {
    find_templates(text_, script_.file, script_.body.begin, script_.body.end, In::text, script_.templates);
  }

  std::string_view text_;
  Script& script_;
  const ScriptOptions& options_;
  DirectiveReader out_;
  std::vector<Document> documents_;
  Span first_command_;
  std::size_t plain_lines_ = 0;
  bool in_body_ = false, warned_ = false;
};

Script read_part(const Sources& sources, Script script, std::uint32_t first_line, const ScriptOptions& options) {
  Reader reader(sources, script, options, {});
  reader.run(first_line);
  const ScriptOptions inner_options{0, options.version, options.max_bytes};  // the command line is the outer one's
  for (const Document& document : reader.documents()) {
    if (!document.script) continue;
    Script inner;
    inner.file = script.file, inner.span = document.text, inner.expanded = document.expanded;
    inner.tabs_stripped = document.tabs_stripped, inner.submission = document.command;
    inner.handed_over = document.submitted;
    std::vector<Argument> typed = document.typed;
    for (Argument& word : typed) word.line = sources.position(script.file, word.begin).line;
    Reader nested(sources, inner, inner_options, std::move(typed));
    nested.run(sources.position(script.file, document.text.begin).line);
    script.embedded.push_back(std::move(inner));
  }
  return script;
}

}  // namespace

Script read_script(const Sources& sources, std::uint32_t file, const ScriptOptions& options) {
  Script script;
  script.file = file;
  script.span = {file, 0, static_cast<std::uint32_t>(sources.text(file).size())};
  return read_part(sources, std::move(script), 1, options);
}

bool is_nearly_batch_script(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size()) + 1) {
    if (text[at] != '#') continue;
    const auto found = look_alike(text.substr(at, std::min(text.find('\n', at), text.size()) - at));
    if (found && (found->kind == IgnoredKind::misspelt || found->kind == IgnoredKind::wrong_case)) return true;
  }
  return false;
}

bool is_batch_script(std::string_view text) {
  return text.starts_with("#SBATCH") || text.find("\n#SBATCH") != std::string_view::npos;
}

const Directive* effective(const Script& script, std::string_view name, std::uint32_t component) {
  const OptionRow* row = find_option(Tool::sbatch, name);
  const bool own = row == nullptr || row->per_component;
  const Directive* found = nullptr;
  for (const Directive& d : script.directives)
    if (d.name == name && (d.component == component || (!own && d.component < component))) found = &d;
  return found;
}

bool may_be_of_plugin(const Refusal& refusal) {
  return refusal.kind == RefusalKind::unknown_option && refusal.nearest.empty();
}

std::string_view name(RefusalKind kind) {
  switch (kind) {
    case RefusalKind::empty_file: return "empty-file";
    case RefusalKind::no_shebang: return "no-shebang";
    case RefusalKind::dos_line_ends: return "dos-line-ends";
    case RefusalKind::nul_byte: return "nul-byte";
    case RefusalKind::too_large: return "too-large";
    case RefusalKind::unknown_option: return "unknown-option";
    case RefusalKind::ambiguous_option: return "ambiguous-option";
    case RefusalKind::srun_option: return "srun-option";
    case RefusalKind::version_lacks: return "version-lacks";
    case RefusalKind::missing_value: return "missing-value";
    case RefusalKind::unwanted_value: return "unwanted-value";
    case RefusalKind::unmatched_quote: return "unmatched-quote";
    case RefusalKind::stray_word: return "stray-word";
    case RefusalKind::stray_colon: return "stray-colon";
    case RefusalKind::components: return "components";
  }
  return "";
}

std::string_view name(IgnoredKind kind) {
  switch (kind) {
    case IgnoredKind::after_command: return "after-command";
    case IgnoredKind::indented: return "indented";
    case IgnoredKind::wrong_case: return "wrong-case";
    case IgnoredKind::misspelt: return "misspelt";
    case IgnoredKind::extra_hash: return "extra-hash";
    case IgnoredKind::space_after_hash: return "space-after-hash";
    case IgnoredKind::rest_of_line: return "rest-of-line";
    case IgnoredKind::other_dialect: return "other-dialect";
  }
  return "";
}

std::string_view name(Origin origin) {
  switch (origin) {
    case Origin::sbatch: return "#SBATCH";
    case Origin::bsub: return "#BSUB";
    case Origin::pbs: return "#PBS";
    case Origin::command_line: return "command line";
  }
  return "";
}

}  // namespace muster::targets::slurm
