#include "targets/pbs/read/script.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/base/text.h"
#include "targets/slurm/read/templates.h"

namespace muster::targets::pbs {
namespace {

using batch::DirectivePart;
using batch::DirectiveWord;
using batch::Fault;
using batch::FaultKind;
using batch::LateKind;

constexpr std::string_view flag_letters = "EfFGhIVXznx";  // -F takes a value in Torque only, -n and -x none
constexpr std::string_view value_letters = "aAbcCdDejJklLmMNopPqrRSTtuvWw";
constexpr std::string_view torque_letters = "bdDFLntTw";  // that OpenPBS does not have

// pbs_resources(7) of OpenPBS, and of Torque `ppn`, `gpus`, `pvmem`.
constexpr auto resources = std::to_array<std::pair<std::string_view, Takes>>({
    {"ncpus", Takes::count},
    {"mpiprocs", Takes::count},
    {"ompthreads", Takes::count},
    {"ngpus", Takes::count},
    {"ppn", Takes::count},
    {"gpus", Takes::count},
    {"naccelerators", Takes::count},
    {"mem", Takes::size},
    {"vmem", Takes::size},
    {"pmem", Takes::size},
    {"pvmem", Takes::size},
    {"file", Takes::size},
    {"walltime", Takes::time},
    {"cput", Takes::time},
});

// A name that begins a value of `-l`: no `=` and no digit belongs to it.
bool is_resource_name(std::string_view text) {
  return !text.empty() && is_name_start(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_name_char(c) || c == '-' || c == '.'; });
}

class PbsReader {
 public:
  PbsReader(const Sources& sources, std::uint32_t file, Script& out)
      : sources_(sources), text_(sources.text(file)), file_(file), out_(out) {}

  void run() {
    out_.job.system = batch::System::pbs;
    out_.job.text = batch::shell_text(sources_, file_);
    if (const std::size_t dos = text_.find("\r\n"); dos != std::string_view::npos)
      fault(FaultKind::dos_line_ends, span(dos, dos + 2), "the lines end in CR LF, as on Windows");
    // A line that a `\` joins to a directive is no command.
    out_.job.text.body.begin = out_.job.text.body.end;
    for (std::size_t at = 0; at < text_.size();) at = line(at);
    const Span body = out_.job.text.body;
    slurm::find_templates(text_, file_, body.begin, body.end, In::text, out_.job.text.templates);
    find_dialect();
  }

 private:
  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  void fault(FaultKind kind, Span where, std::string message) {
    out_.job.faults.push_back({kind, where, std::move(message)});
  }

  std::size_t line_end(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

  // A line from its begin; returns where the next one begins.
  std::size_t line(std::size_t begin) {
    std::size_t end = line_end(begin);
    const std::string_view text = text_.substr(begin, end - begin);
    const std::size_t first = std::min(text.find_first_not_of(" \t\r"), text.size());
    const std::string_view rest = text.substr(first);
    if (rest.starts_with("#PBS") && (rest.size() == 4 || !is_name_char(rest[4]))) {
      while (end < text_.size() && text_[end - 1] == '\\') end = line_end(end + 1);
      const Span whole = span(begin, end);
      if (begin >= out_.job.text.body.begin) out_.job.late.push_back({LateKind::after_command, whole});
      else directive(whole, span(begin + first + 4, end));
    } else if (begin < out_.job.text.body.begin && looks_like_directive(rest)) {
      out_.job.late.push_back(
          {rest.starts_with("# ") ? LateKind::space_after_hash : LateKind::wrong_case, span(begin, end)});
    } else if (begin < out_.job.text.body.begin && !rest.empty() && rest[0] != '#') {
      out_.job.text.body.begin = static_cast<std::uint32_t>(begin);
    }
    return end + 1;
  }

  // `# PBS -l …`, `#pbs -N …`.
  static bool looks_like_directive(std::string_view line) {
    if (!line.starts_with('#')) return false;
    line.remove_prefix(1);
    const bool blank = line.starts_with(' ');
    line = trimmed(line);
    if (line.size() < 6 || !equal_ignoring_case(line.substr(0, 3), "PBS") || !is_blank(line[3])) return false;
    const std::string_view options = trimmed(line.substr(3));
    return options[0] == '-' && options.size() > 1 && is_letter(options[1]) && (!blank || line.starts_with("PBS"));
  }

  void directive(Span whole, Span words_at) {
    out_.job.text.not_text.push_back(whole);
    std::vector<DirectiveWord> words;
    const Span comment = batch::split_words(sources_, words_at, words, out_.job.text.templates);
    if (comment.known())
      fault(FaultKind::comment, comment, "qsub of OpenPBS takes the words behind `#` for an operand and stops");
    for (std::size_t i = 0; i < words.size();) i = option(words, i);
  }

  // An option with its value; returns the index of the next word.
  std::size_t option(const std::vector<DirectiveWord>& words, std::size_t i) {
    const DirectiveWord& word = words[i];
    if (!batch::is_option(word)) return batch::stray_words(sources_, words, i, out_.job.faults);
    const char letter = word.text[1];
    const bool has_value = word.text.size() > 2;
    if (value_letters.find(letter) != std::string_view::npos ||
        (letter == 'F' && (has_value || is_value(words, i + 1)))) {
      if (has_value) {
        const DirectiveWord value{word.text.substr(2), batch::part_of(sources_, word, 2, word.text.size() - 2)};
        add(letter, word, value);
        return i + 1;
      }
      if (i + 1 < words.size()) {
        add(letter, word, words[i + 1]);
        return i + 2;
      }
      fault(FaultKind::missing_value, word.span, "`" + word.text + "` has no value");
      return i + 1;
    }
    for (std::size_t k = 1; k < word.text.size(); ++k) {
      const char flag = word.text[k];
      if (flag_letters.find(flag) == std::string_view::npos) {
        fault(FaultKind::unknown_option, word.span, "`" + printable(word.text, 40) + "` is not an option of qsub");
        break;
      }
      out_.job.parts.push_back({std::string("-") + flag, "", word.span, true});
    }
    return i + 1;
  }

  static bool is_value(const std::vector<DirectiveWord>& words, std::size_t i) {
    return i < words.size() && !words[i].text.starts_with('-');
  }

  void add(char letter, const DirectiveWord& option, const DirectiveWord& value) {
    const std::string name = std::string("-") + letter;
    const Span whole = {file_, option.span.begin, value.span.end};
    if (letter == 'l') return add_resources(value, whole);
    if (letter == 'W') return add_list("-W ", value, whole);
    if (letter == 'v') return add_list("-v", value, whole);
    out_.job.parts.push_back({name, value.text, whole, false});
  }

  // The items of a comma list, those in quotes or parentheses as one.
  std::vector<std::pair<std::size_t, std::size_t>> items_of(std::string_view text) const {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    std::size_t begin = 0;
    char quote = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      if (at < text.size() && quote != 0) {
        if (text[at] == quote) quote = 0;
        continue;
      }
      if (at < text.size() && (text[at] == '"' || text[at] == '\'')) quote = text[at];
      if (at < text.size() && text[at] != ',') continue;
      if (at > begin) out.emplace_back(begin, at - begin);
      begin = at + 1;
    }
    return out;
  }

  // `-v A=1,B=2`, `-W depend=afterok:1,umask=022`: a part for each. A comma list of -W belongs to the attribute in
  // front where what follows names none.
  void add_list(const std::string& prefix, const DirectiveWord& value, Span whole) {
    const auto items = items_of(value.text);
    for (const auto& [at, length] : items) {
      const std::string text = value.text.substr(at, length);
      const std::size_t equals = text.find('=');
      const bool attribute = prefix == "-W ";
      if (attribute && equals == std::string::npos && !out_.job.parts.empty() &&
          out_.job.parts.back().option.starts_with("-W ")) {
        out_.job.parts.back().value += "," + text;
        continue;
      }
      const Span where = items.size() == 1 ? whole : batch::part_of(sources_, value, at, length);
      if (attribute)
        out_.job.parts.push_back({prefix + std::string(trimmed(text.substr(0, equals))),
                                  equals == std::string::npos ? "" : std::string(trimmed(text.substr(equals + 1))),
                                  where, equals == std::string::npos});
      else out_.job.parts.push_back({prefix, text, where, false});
    }
  }

  // ---- -l ------------------------------------------------------------------------------------------

  void add_resources(const DirectiveWord& value, Span whole) {
    const auto items = items_of(value.text);
    for (const auto& [at, length] : items) {
      const std::string text = value.text.substr(at, length);
      const std::size_t equals = text.find('=');
      const std::string name(trimmed(text.substr(0, equals)));
      const Span where = items.size() == 1 ? whole : batch::part_of(sources_, value, at, length);
      if (!is_resource_name(name)) {
        fault(FaultKind::bad_value, where, "`" + printable(text, 40) + "` is not a resource");
        continue;
      }
      if (equals == std::string::npos) {
        out_.job.parts.push_back({"-l " + name, "", where, true});
        continue;
      }
      const std::string amount = text.substr(equals + 1);
      const DirectiveWord item{amount, batch::part_of(sources_, value, at + equals + 1, amount.size())};
      if (name == "select" || name == "nodes") add_chunks(name, item, where);
      else out_.job.parts.push_back({"-l " + name, std::string(trimmed(amount)), where, false});
    }
  }

  // `4:ncpus=8:ngpus=2+1:ncpus=1`: the count of each chunk, then its resources.
  void add_chunks(const std::string& name, const DirectiveWord& value, Span whole) {
    const std::string base = "-l " + name;
    for (std::size_t at = 0; at <= value.text.size();) {
      const std::size_t end = std::min(value.text.find_first_of("+:", at), value.text.size());
      const std::string text = value.text.substr(at, end - at);
      const bool starts_chunk = at == 0 || value.text[at - 1] == '+';
      const Span where = at == 0 ? Span{file_, whole.begin, batch::part_of(sources_, value, at, text.size()).end}
                                 : batch::part_of(sources_, value, at, text.size());
      add_chunk_item(base, text, where, starts_chunk, at > 0);
      at = end + 1;
    }
  }

  void add_chunk_item(const std::string& base, const std::string& text, Span where, bool starts_chunk, bool more) {
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) {
      if (starts_chunk) out_.job.parts.push_back({base, "1", where, false, more});
      out_.job.parts.push_back(
          {base + ":" + std::string(trimmed(text.substr(0, equals))), text.substr(equals + 1), where, false});
    } else if (starts_chunk) {
      out_.job.parts.push_back({base, text, where, false, more});
    } else {
      out_.job.parts.push_back({base + ":property", text, where, false});
    }
  }

  // ---- dialect ---------------------------------------------------------------------------------------

  void find_dialect() {
    bool openpbs = false, torque = false;
    for (const DirectivePart& p : out_.job.parts) {
      openpbs |= p.option.starts_with("-l select") || is_one_of(p.option, {"-l place", "-J", "-P", "-G"});
      torque |= p.option.starts_with("-l nodes:ppn") || p.option.starts_with("-l nodes:gpus") ||
                p.option == "-l procs" ||
                (p.option.size() == 2 && torque_letters.find(p.option[1]) != std::string_view::npos);
    }
    if (openpbs != torque) out_.dialect = openpbs ? Dialect::openpbs : Dialect::torque;
  }

  const Sources& sources_;
  std::string_view text_;
  std::uint32_t file_;
  Script& out_;
};

}  // namespace

std::string_view resource_of(std::string_view option) {
  if (!option.starts_with("-l ")) return {};
  option.remove_prefix(3);
  return option.substr(option.find(':') + 1);
}

Takes takes(std::string_view option) {
  const std::string_view resource = resource_of(option);
  const auto row = std::find_if(resources.begin(), resources.end(), [&](const auto& r) { return r.first == resource; });
  return row == resources.end() ? Takes::other : row->second;
}

Script read_script(const Sources& sources, std::uint32_t file) {
  Script out;
  PbsReader(sources, file, out).run();
  return out;
}

std::optional<std::int64_t> walltime_seconds(std::string_view text, bool days) {
  text = trimmed(text);
  text = text.substr(0, text.find('.'));
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > (days ? 4u : 3u)) return std::nullopt;
  std::int64_t seconds = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = whole_number(parts[i]);
    if (!number || *number > 100'000'000) return std::nullopt;
    const bool of_days = parts.size() == 4 && i == 1;
    seconds = seconds * (i == 0 ? 1 : of_days ? 24 : 60) + *number;
  }
  return seconds;
}

}  // namespace muster::targets::pbs
