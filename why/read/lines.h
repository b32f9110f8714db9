// What a terminal, a mail or a chat adds to an output is taken away again: colours, quote marks, fences, prompts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::why {

struct Line {
  std::string text;          // without colours, quote marks and the blanks at its end
  std::uint32_t number = 1;  // in the file
  bool command = false;      // typed behind a prompt: `text` is the command alone
};

std::vector<Line> clean_lines(std::string_view text);

// The program that a line calls, where it is one whose output is read: "squeue" of "squeue -j 7". "": none.
std::string_view called_program(std::string_view line);

}  // namespace muster::why
