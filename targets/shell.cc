#include "targets/shell.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/base/text.h"

namespace muster::targets {
namespace {

// `=` only after a dash: a first word with `=` in it would be an assignment. No `%`: a job of bash.
bool is_bare_word(std::string_view bytes) {
  const auto safe = [&](char c) {
    return is_alnum(c) || std::string_view("_@+:,./-").find(c) != std::string_view::npos ||
           (c == '=' && bytes[0] == '-');
  };
  return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), safe);
}

// A here-document holds any bytes but NUL; what it cannot hold in an sbatch file is a DOS line end.
bool fits_heredoc(std::string_view bytes) {
  return bytes.find("\r\n") == std::string_view::npos && !bytes.ends_with('\r');
}

// `<<'STEM'`, the bytes, the delimiter. The document always ends in a line end.
std::string heredoc(std::string_view bytes, std::string_view stem, std::string_view after = {}) {
  const std::string delimiter = heredoc_delimiter(bytes, stem);
  std::string out = "<<'" + delimiter + "'" + std::string(after) + "\n" + std::string(bytes);
  if (!bytes.empty() && !bytes.ends_with('\n')) out += '\n';
  return out + delimiter + "\n";
}

// Commands of a line each, of words in which nothing is left open: they read the same wherever they stand.
bool is_plain_lines(std::string_view bytes) {
  if (bytes.empty() || !bytes.ends_with('\n')) return false;
  const auto plain = [](char c) {
    return is_alnum(c) || std::string_view(" \n_=.,:/@%+-$\"").find(c) != std::string_view::npos;
  };
  if (!std::all_of(bytes.begin(), bytes.end(), plain) || bytes.find("return") != std::string_view::npos) return false;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string_view line = bytes.substr(at, bytes.find('\n', at) - at);
    if (std::count(line.begin(), line.end(), '"') % 2 != 0) return false;
    at += line.size() + 1;
  }
  return true;
}

// Words of log names, and Slurm's letters for them. A number takes a width, filled with zeros.
struct LogWord {
  std::string_view word;
  char letter;
  bool number;
};
constexpr std::array log_words = std::to_array<LogWord>({
    {"name", 'x', false},
    {"id", 'j', true},
    {"array", 'A', true},
    {"point", 'a', true},
    {"host", 'N', false},
    {"user", 'u', false},
    {"step", 's', true},
    {"job-step", 'J', true},
    {"node", 'n', true},
    {"task", 't', true},
});

constexpr std::size_t longest_log_word = std::string_view("{job-step:10}").size();

// "1" to "10": Slurm fills no further.
bool is_width(std::string_view digits) {
  return digits == "10" || (digits.size() == 1 && digits[0] >= '1' && digits[0] <= '9');
}

// "%4a" for a pattern that begins with {point:4}, which is taken off it.
std::optional<std::string> log_letter(std::string_view& pattern) {
  if (!pattern.starts_with('{')) return std::nullopt;
  const std::size_t end = pattern.substr(0, longest_log_word).find('}');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view inside = pattern.substr(1, end - 1);
  const std::size_t colon = std::min(inside.find(':'), inside.size());
  const std::string_view width = inside.substr(std::min(colon + 1, inside.size()));
  for (const LogWord& w : log_words) {
    if (w.word != inside.substr(0, colon)) continue;
    if (colon < inside.size() && !(w.number && is_width(width))) return std::nullopt;
    pattern.remove_prefix(end + 1);
    return "%" + std::string(width) + w.letter;
  }
  return std::nullopt;
}

// "{point:4}" for the rest of a file name behind a %, "4a…", which is taken off it.
std::optional<std::string> log_word(std::string_view& filename) {
  const std::size_t digits = std::min(filename.find_first_not_of("0123456789"), filename.size());
  const std::string_view width = filename.substr(0, digits);
  if (digits == filename.size() || (digits > 0 && !is_width(width))) return std::nullopt;
  for (const LogWord& w : log_words) {
    if (w.letter != filename[digits] || (digits > 0 && !w.number)) continue;
    filename.remove_prefix(digits + 1);
    return "{" + std::string(w.word) + (digits > 0 ? ":" + std::string(width) : "") + "}";
  }
  return std::nullopt;
}

}  // namespace

bool has_nul(std::string_view bytes) { return bytes.find('\0') != std::string_view::npos; }

std::string sh_word(std::string_view bytes) {
  if (is_bare_word(bytes)) return std::string(bytes);
  std::string out = "'";
  for (char c : bytes) {
    if (c == '\'') out += "'\\''";
    else if (c == '\r') out += "'$'\\r''";
    else out += c;
  }
  return out + "'";
}

std::string sh_text(std::string_view bytes) {
  if (is_bare_word(bytes)) return std::string(bytes);
  std::string out = "'";
  for (char c : bytes) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::optional<std::string> sbatch_value(std::string_view bytes) {
  if (bytes.size() > 4096 || std::any_of(bytes.begin(), bytes.end(), is_control)) return std::nullopt;
  const auto bare = [](char c) { return c > ' ' && std::string_view("\"'\\#").find(c) == std::string_view::npos; };
  if (!bytes.empty() && std::all_of(bytes.begin(), bytes.end(), bare)) return std::string(bytes);
  std::string out = "\"";
  for (char c : bytes) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::optional<std::string> sbatch_filename(std::string_view pattern, std::string_view role) {
  std::string out;
  while (!pattern.empty()) {
    if (const auto letter = log_letter(pattern)) {
      out += *letter;
    } else if (pattern.starts_with("{role}")) {
      out += role;
      pattern.remove_prefix(6);
    } else {
      if (pattern[0] == '\\') return std::nullopt;
      if (pattern.starts_with("{{")) pattern.remove_prefix(1);
      out += pattern[0] == '%' ? "%%" : std::string(1, pattern[0]);
      pattern.remove_prefix(1);
    }
  }
  if (out.empty()) return std::nullopt;
  // A bare number would name a task, not a file.
  return all_digits(out) ? "./" + out : out;
}

std::optional<std::string> log_pattern(std::string_view filename) {
  if (filename.empty() || all_digits(filename) || filename.find('\\') != std::string_view::npos) return std::nullopt;
  std::string out;
  while (!filename.empty()) {
    const char first = filename[0];
    filename.remove_prefix(1);
    if (first != '%') {
      out += first == '{' ? "{{" : std::string(1, first);
    } else if (filename.starts_with('%')) {
      out += '%';
      filename.remove_prefix(1);
    } else if (auto word = log_word(filename)) {
      out += *word;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::string heredoc_delimiter(std::string_view body, std::string_view stem) {
  const auto is_line = [&](std::string_view word) {
    for (std::size_t at = 0; at <= body.size();) {
      const std::size_t end = std::min(body.find('\n', at), body.size());
      if (trimmed(body.substr(at, end - at)) == word) return true;
      at = end + 1;
    }
    return false;
  };
  std::string word(stem);
  for (int n = 2; is_line(word); ++n) word = std::string(stem) + "_" + std::to_string(n);
  return word;
}

std::string sh_variable(std::string_view name, std::string_view bytes) {
  const std::string variable(name);
  if (!fits_heredoc(bytes) || bytes.empty()) return variable + "=" + (bytes.empty() ? "" : sh_word(bytes)) + "\n";
  std::string out = "IFS= read -r -d '' " + variable + " " + heredoc(bytes, upper(name), " || :");
  if (!bytes.ends_with('\n')) out += variable + "=${" + variable + "%$'\\n'}\n";
  return out;
}

std::string sh_file(std::string_view path, std::string_view bytes, std::string_view stem) {
  const std::string to = " > " + std::string(path);
  if (!fits_heredoc(bytes) || bytes.empty()) return "printf '%s' " + sh_word(bytes) + to + "\n";
  std::string out = "cat" + to + " " + heredoc(bytes, stem);
  if (!bytes.ends_with('\n')) out += "truncate --size=-1 " + std::string(path) + "\n";
  return out;
}

std::string sh_source(std::string_view bytes, std::string_view stem) {
  if (is_plain_lines(bytes)) return std::string(bytes);
  if (!fits_heredoc(bytes)) return "eval " + sh_word(bytes) + "\n";
  return "# shellcheck source=/dev/null\nsource /dev/stdin " + heredoc(bytes, stem);
}

}  // namespace muster::targets
