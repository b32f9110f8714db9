#include "targets/lsf/read/script.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/slurm/read/templates.h"

namespace muster::targets::lsf {
namespace {

using batch::DirectivePart;
using batch::DirectiveWord;
using batch::FaultKind;
using batch::LateKind;

constexpr std::array valued = std::to_array<std::string_view>({
    "-C",           "-D",           "-E",
    "-Ep",          "-F",           "-G",
    "-J",           "-Jd",          "-L",
    "-M",           "-P",           "-Q",
    "-R",           "-S",           "-T",
    "-U",           "-W",           "-We",
    "-Zs",          "-a",           "-app",
    "-b",           "-c",           "-cwd",
    "-cn_cu",       "-cn_mem",      "-core_isolation",
    "-csm",         "-data",        "-e",
    "-eo",          "-env",         "-eptl",
    "-ext",         "-extsched",    "-f",
    "-freq",        "-g",           "-gpu",
    "-hl",          "-i",           "-is",
    "-jobaff",      "-jsdl",        "-jsm",
    "-k",           "-m",           "-mig",
    "-n",           "-network",     "-nnodes",
    "-notify",      "-o",           "-oo",
    "-outdir",      "-p",           "-ptl",
    "-q",           "-rnc",         "-sla",
    "-smt",         "-sp",          "-stage",
    "-step_cgroup", "-t",           "-ti",
    "-u",           "-ul",          "-v",
    "-w",           "-wa",          "-wt",
    "-y",           "-alloc_flags", "-alloc",
    "-gpgpu",       "-license",     "-oe",
});
constexpr std::array flags = std::to_array<std::string_view>(
    {"-B", "-H", "-I", "-Ip", "-IS", "-ISp", "-ISs", "-Is", "-IX", "-K", "-N", "-Ne", "-r", "-rn", "-x", "-XF", "-nr"});

// Of hours or minutes: what is longer is a slip.
std::optional<std::int64_t> limit_number(std::string_view text) {
  const auto number = whole_number(trimmed(text));
  return number && *number <= 10'000'000 ? number : std::nullopt;
}

template <class Names>
bool holds(const Names& names, std::string_view word) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

class LsfReader {
 public:
  LsfReader(const Sources& sources, std::uint32_t file, batch::JobScript& out)
      : sources_(sources), text_(sources.text(file)), file_(file), out_(out) {}

  void run() {
    out_.system = batch::System::lsf;
    out_.text = batch::shell_text(sources_, file_);
    if (const std::size_t dos = text_.find("\r\n"); dos != std::string_view::npos)
      fault(FaultKind::dos_line_ends, span(dos, dos + 2), "the lines end in CR LF, as on Windows");
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      line(at, end);
      at = end + 1;
    }
    const Span body = out_.text.body;
    slurm::find_templates(text_, file_, body.begin, body.end, In::text, out_.text.templates);
  }

 private:
  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  void fault(FaultKind kind, Span where, std::string message) {
    out_.faults.push_back({kind, where, std::move(message)});
  }

  void line(std::size_t begin, std::size_t end) {
    const std::string_view text = text_.substr(begin, end - begin);
    if (text.starts_with("#BSUB") && (text.size() == 5 || !is_name_char(text[5]))) {
      out_.text.not_text.push_back(span(begin, end));
      if (begin >= out_.text.body.begin) out_.late.push_back({LateKind::after_command, span(begin, end)});
      std::vector<DirectiveWord> words;
      const Span comment = batch::split_words(sources_, span(begin + 5, end), words, out_.text.templates);
      if (comment.known()) fault(FaultKind::comment, comment, "a comment");
      for (std::size_t i = 0; i < words.size();) i = option(words, i);
    } else if (begin < out_.text.body.begin && looks_like_directive(text)) {
      out_.late.push_back(
          {text.starts_with("# ") ? LateKind::space_after_hash : LateKind::wrong_case, span(begin, end)});
    }
  }

  static bool looks_like_directive(std::string_view line) {
    if (!line.starts_with('#')) return false;
    line.remove_prefix(1);
    const bool blank = line.starts_with(' ');
    line = trimmed(line);
    if (line.size() < 7 || !equal_ignoring_case(line.substr(0, 4), "BSUB") || !is_blank(line[4])) return false;
    return trimmed(line.substr(4)).starts_with('-') && (!blank || line.starts_with("BSUB"));
  }

  std::size_t option(const std::vector<DirectiveWord>& words, std::size_t i) {
    const DirectiveWord& word = words[i];
    if (!batch::is_option(word)) return batch::stray_words(sources_, words, i, out_.faults);
    if (holds(flags, word.text)) {
      out_.parts.push_back({word.text, "", word.span, true});
      return i + 1;
    }
    if (holds(valued, word.text)) return valued_option(words, i);
    // `-n12`, `-M64000`: the value of a letter may follow it.
    const std::string letter = word.text.substr(0, 2);
    if (holds(valued, letter) && is_digit(word.text[2])) {
      add(letter, {word.text.substr(2), batch::part_of(sources_, word, 2, word.text.size() - 2)}, word.span);
      return i + 1;
    }
    fault(FaultKind::unknown_option, word.span, "`" + printable(word.text, 40) + "` is not an option of bsub");
    return i + 1;
  }

  std::size_t valued_option(const std::vector<DirectiveWord>& words, std::size_t i) {
    const DirectiveWord& word = words[i];
    const bool has_value = i + 1 < words.size() && (words[i + 1].text == "-" || !words[i + 1].text.starts_with('-'));
    if (!has_value && word.text != "-u") {
      fault(FaultKind::missing_value, word.span, "`" + word.text + "` has no value");
      return i + 1;
    }
    if (!has_value) return i + 1;
    add(word.text, words[i + 1], {file_, word.span.begin, words[i + 1].span.end});
    return i + 2;
  }

  void add(const std::string& name, const DirectiveWord& value, Span whole) {
    if (name == "-R") return add_requirement(value, whole);
    if (name == "-gpu") return add_gpu(value, whole);
    if (name == "-env") return add_variables(value, whole);
    out_.parts.push_back({name, value.text, whole, false});
  }

  // `select[…] rusage[mem=4096, ngpus_excl_p=1] span[ptile=4]`: a part for each item; what has no section is `select`.
  void add_requirement(const DirectiveWord& value, Span whole) {
    const std::string& text = value.text;
    std::size_t at = 0, sections = 0;
    while (at < text.size() && sections++ < 100) {
      at = text.find_first_not_of(" \t", at);
      if (at == std::string::npos) return;
      std::size_t stop = at;
      while (stop < text.size() && is_name_char(text[stop])) ++stop;
      const std::string name = text.substr(at, stop - at);
      const std::size_t close = stop < text.size() && text[stop] == '[' ? text.find(']', stop) : std::string::npos;
      if (close == std::string::npos || name.empty()) {
        out_.parts.push_back({"-R select", text.substr(at),
                              sections == 1 ? whole : batch::part_of(sources_, value, at, text.size() - at), false});
        return;
      }
      const std::string inside = text.substr(stop + 1, close - stop - 1);
      const DirectiveWord section{inside, batch::part_of(sources_, value, stop + 1, inside.size())};
      const bool alone = at == 0 && close + 1 == text.size();
      const Span shown = alone ? whole : batch::part_of(sources_, value, at, close + 1 - at);
      if (name == "rusage") add_usage(section, shown);
      else out_.parts.push_back({"-R " + name, inside, shown, false});
      at = close + 1;
    }
  }

  void add_usage(const DirectiveWord& section, Span whole) {
    const std::string& text = section.text;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find_first_of(",:", at), text.size());
      const std::string item(trimmed(std::string_view(text).substr(at, end - at)));
      const std::size_t equals = item.find('=');
      if (!item.empty()) {
        const bool alone = text.find_first_of(",:") == std::string::npos;
        const Span where = alone ? whole : batch::part_of(sources_, section, at, end - at);
        out_.parts.push_back({"-R rusage:" + std::string(trimmed(item.substr(0, equals))),
                              equals == std::string::npos ? "" : std::string(trimmed(item.substr(equals + 1))),
                              where.known() ? where : whole, false});
      }
      at = end + 1;
    }
  }

  // `num=2:mode=exclusive_process:gmodel=TeslaV100`, or `-` alone: as the site has it.
  void add_gpu(const DirectiveWord& value, Span whole) {
    if (value.text == "-") return out_.parts.push_back({"-gpu", "-", whole, false});
    for (std::size_t at = 0; at <= value.text.size();) {
      const std::size_t end = std::min(value.text.find(':', at), value.text.size());
      const std::string item = value.text.substr(at, end - at);
      const std::size_t equals = item.find('=');
      if (!item.empty()) {
        const bool alone = value.text.find(':') == std::string::npos;
        out_.parts.push_back({"-gpu " + item.substr(0, equals),
                              equals == std::string::npos ? "" : item.substr(equals + 1),
                              alone ? whole : batch::part_of(sources_, value, at, item.size()), false});
      }
      at = end + 1;
    }
  }

  void add_variables(const DirectiveWord& value, Span whole) {
    for (std::size_t at = 0; at <= value.text.size();) {
      const std::size_t end = std::min(value.text.find(',', at), value.text.size());
      const std::string item(trimmed(std::string_view(value.text).substr(at, end - at)));
      if (!item.empty())
        out_.parts.push_back(
            {"-env", item,
             value.text.find(',') == std::string::npos ? whole : batch::part_of(sources_, value, at, end - at), false});
      at = end + 1;
    }
  }

  const Sources& sources_;
  std::string_view text_;
  std::uint32_t file_;
  batch::JobScript& out_;
};

}  // namespace

batch::JobScript read_script(const Sources& sources, std::uint32_t file) {
  batch::JobScript out;
  LsfReader(sources, file, out).run();
  return out;
}

std::optional<std::int64_t> run_limit_seconds(std::string_view text) {
  text = trimmed(text.substr(0, text.find('/')));
  const std::size_t colon = text.find(':');
  const auto first = limit_number(text.substr(0, colon));
  const auto second =
      colon == std::string_view::npos ? std::optional<std::int64_t>(0) : limit_number(text.substr(colon + 1));
  if (!first || !second) return std::nullopt;
  return colon == std::string_view::npos ? *first * 60 : *first * 3600 + *second * 60;
}

}  // namespace muster::targets::lsf
