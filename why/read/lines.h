// What a terminal, a mail or a chat adds to an output is taken away again: colours, quote marks, fences, prompts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::why {

struct Line {
  std::string text;          // without colours, quote marks and the blanks at its end; with `cut` where it was cut
  std::uint32_t number = 1;  // in the file
  bool command = false;      // typed behind a prompt: `text` is the command alone
  std::size_t width = 0;     // characters of the whole line, blanks at its end too
  // As wide as a terminal: it may have been cut.
  bool at_edge() const { return width == 79 || (width >= 80 && width <= 160 && width % 20 == 0) || width == 132; }
};

std::vector<Line> clean_lines(std::string_view text);

// The program that a line calls, where it is one whose output is read: "squeue" of "squeue -j 7". "": none.
std::string_view called_program(std::string_view line);

}  // namespace muster::why
