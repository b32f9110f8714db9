#include "why/read/lines.h"

#include <algorithm>
#include <array>
#include <set>

#include "compiler/base/text.h"
#include "why/facts.h"

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
  return out;
}

void drop_blanks_behind(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
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

// Characters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Lines that a terminal cut are the widest, and as wide as each other though they are of several outputs; a table by
// itself may have such lines too, and pads them. What closes is whole.
void mark_cut(std::vector<Line>& lines) {
  constexpr std::size_t narrowest = 60, few = 3;
  std::size_t widest = 0;
  for (const Line& line : lines) widest = std::max(widest, line.command ? 0 : line.width);
  if (widest < narrowest) return;
  std::size_t count = 0;
  std::set<std::string_view> outputs;  // by how they begin
  std::string_view head;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = lines[i].text;
    if (i == 0 || lines[i - 1].text.empty() || lines[i - 1].command) head = text;
    const bool closes = !text.empty() && std::string_view(")]}\"'`|>,").find(text.back()) != std::string_view::npos;
    if (lines[i].command || closes || lines[i].width != widest || text.size() < widest) continue;
    ++count;
    outputs.insert(head);
  }
  if (count < few || outputs.size() < 2) return;
  for (Line& line : lines) {
    if (line.command || line.width != widest) continue;
    const std::size_t blanks = line.width - std::min(line.width, width_of(line.text));
    if (blanks < 2) line.text.append(blanks, ' ') += cut;
  }
}

std::vector<Line> clean_lines(std::string_view text) {
  std::vector<Line> out;
  std::uint32_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    std::string line = without_controls(text.substr(begin, end - begin));
    const std::size_t width = width_of(line);
    drop_blanks_behind(line);
    out.push_back({std::move(line), ++number, false, width});
    begin = end + 1;
  }
  // A quote mark counts where a neighbour has one too: a lone `>` is part of an output.
  std::vector<std::size_t> quotes(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) quotes[i] = quote_length(out[i].text);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (quotes[i] != 0 && ((i > 0 && quotes[i - 1] != 0) || (i + 1 < out.size() && quotes[i + 1] != 0)))
      out[i].text.erase(0, quotes[i]), out[i].width -= quotes[i];
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
  mark_cut(out);
  return out;
}

}  // namespace muster::why
