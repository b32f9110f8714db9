// Diagnostics for people, editors and programs.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"

namespace muster::cli {

constexpr std::size_t longest_name = 4096;  // bytes of a file's name, as the system has it: none is cut

// With the line, an underline, labels, notes and fixes.
std::string render_human(const Diagnostic& diagnostic, const Sources& sources, bool colour);
// `file:line:column: error: text [E0201]`.
std::string render_short(const Diagnostic& diagnostic, const Sources& sources);
// One JSON object on one line.
std::string render_json(const Diagnostic& diagnostic, const Sources& sources);

// Whether a stream is a terminal that wants colour (NO_COLOR is honoured).
bool colour_wanted(std::FILE* stream);

// What an error means for the exit code: 1 for a true answer that is not good, 2 for input that
// cannot be used, 3 for our own fault.
int exit_code(Code code);

// How a verb shows what was found.
struct ReportOptions {
  std::string diagnostics = "human";  // of --diagnostics: human, json or short
  bool quiet = false;                 // only errors
  std::string format = "text";        // of the verb's own answer
};

// One diagnostic for standard error, as --diagnostics has it.
std::string rendered(const Diagnostic& diagnostic, const Sources& sources, const std::string& how);
// Prints what was found to standard error and returns the exit code: `code`, or a higher one that an error asks for.
// `lines` gets each as JSON.
int report(std::span<const Diagnostic> found, const Sources& sources, const ReportOptions& options, int code = 0,
           std::vector<std::string>* lines = nullptr);
// For a verb that has no answer: where one in JSON was asked for, what was found is printed in its place.
void print_no_answer(const std::vector<std::string>& lines, const ReportOptions& options);

}  // namespace muster::cli
