#include "why/read/lines.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"

namespace muster::why {
namespace {

constexpr std::array programs = {
#define PROGRAM(name) std::string_view(name),
#include "why/read/programs.def"
#undef PROGRAM
};

constexpr std::size_t longest_line = 16384;  // bytes that are read of a line: no output needs more

// Without escape sequences of a terminal, carriage returns and other control characters; what a backspace deletes goes.
std::string without_controls(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size() && out.size() < longest_line; ++i) {
    const char c = line[i];
    if (c == '\x1B') {
      if (i + 1 < line.size() && line[i + 1] == '[') {
        i += 2;
        while (i < line.size() && !(line[i] >= '@' && line[i] <= '~')) ++i;
      } else if (i + 1 < line.size() && line[i + 1] == ']') {
        while (i < line.size() && line[i] != '\a' && line[i] != '\x1B') ++i;
        if (i < line.size() && line[i] == '\x1B') ++i;
      } else {
        ++i;
      }
    } else if (c == '\b') {
      if (!out.empty()) out.pop_back();
    } else if (c == '\t') {
      out.append(8 - out.size() % 8, ' ');
    } else if (!is_control(c)) {
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// How many quote marks of a mail a line begins with: "> > text" has 2.
std::size_t quote_length(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && line[at] == '>' && (at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '>'))
    at += at + 1 < line.size() && line[at + 1] == ' ' ? 2 : 1;
  return at;
}

bool is_fence(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("```") || line.starts_with("~~~");
}

// Where the command begins behind a prompt: `[alice@login ~]$ squeue`, `> $ kubectl …`, `# scontrol …`.
std::size_t behind_prompt(std::string_view line) {
  for (std::size_t i = 0; i + 1 < line.size() && i < 120; ++i) {
    const char c = line[i];
    if ((c == '$' || c == '#' || c == '%' || c == '>') && line[i + 1] == ' ' &&
        !called_program(trimmed(line.substr(i + 2))).empty())
      return i + 2;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view called_program(std::string_view line) {
  std::size_t at = 0;
  // Variables that are set for the command alone.
  while (at < line.size() && is_name_start(line[at])) {
    std::size_t end = at;
    while (end < line.size() && is_name_char(line[end])) ++end;
    if (end >= line.size() || line[end] != '=') break;
    while (end < line.size() && line[end] != ' ') ++end;
    while (end < line.size() && line[end] == ' ') ++end;
    at = end;
  }
  const std::string_view rest = line.substr(at);
  const std::string_view word = rest.substr(0, rest.find(' '));
  const auto found = std::find(programs.begin(), programs.end(), base_name(word));
  return found == programs.end() ? std::string_view() : *found;
}

std::vector<Line> clean_lines(std::string_view text) {
  std::vector<Line> out;
  std::uint32_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    out.push_back({without_controls(text.substr(begin, end - begin)), ++number});
    begin = end + 1;
  }
  // A quote mark counts where a neighbour has one too: a lone `>` is part of an output.
  std::vector<std::size_t> quotes(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) quotes[i] = quote_length(out[i].text);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (quotes[i] != 0 && ((i > 0 && quotes[i - 1] != 0) || (i + 1 < out.size() && quotes[i + 1] != 0)))
      out[i].text.erase(0, quotes[i]);
  // The prompt of one known command is that of all commands of the file.
  std::vector<std::string> prompts;
  for (Line& line : out) {
    if (is_fence(line.text)) line.text.clear();
    const std::size_t at = behind_prompt(line.text);
    if (at == std::string_view::npos) continue;
    if (std::string prompt = line.text.substr(0, at);
        std::find(prompts.begin(), prompts.end(), prompt) == prompts.end() && prompts.size() < 20)
      prompts.push_back(std::move(prompt));
  }
  for (Line& line : out)
    for (const std::string& prompt : prompts)
      if (line.text.size() > prompt.size() && line.text.starts_with(prompt)) {
        line.text = std::string(trimmed(std::string_view(line.text).substr(prompt.size())));
        line.command = true;
        break;
      }
  return out;
}

}  // namespace muster::why
