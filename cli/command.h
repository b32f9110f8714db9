// The verbs. Each is one file; only the one that is called builds its options.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cli/arguments.h"

namespace muster::cli {

struct Command {
  std::string_view name;
  std::string_view summary;
  // Returns the exit code: 0 done, 1 a true answer that is not good, 2 input or arguments cannot be used, 3 our fault.
  int (*run)(const CommandLine& line);
};

// What muster is for, in two lines.
inline constexpr const char* about_muster =
    "muster reads what you want to run, says where it should run and why, proves that it fits,\n"
    "and writes the files that your orchestrator reads.";

std::span<const Command> commands();

// Every verb with its options.
std::vector<VerbEntry> describe_commands();

// Runs the verb of argv[1]; catches what escapes and makes it exit code 3.
int run(int argc, char** argv);

int run_compile(const CommandLine& line);
int run_decide(const CommandLine& line);
int run_fit(const CommandLine& line);
int run_reliability(const CommandLine& line);
int run_import(const CommandLine& line);
int run_lint(const CommandLine& line);
int run_review(const CommandLine& line);
int run_fmt(const CommandLine& line);
int run_explain(const CommandLine& line);
int run_test(const CommandLine& line);
int run_rules(const CommandLine& line);
int run_targets(const CommandLine& line);
int run_site(const CommandLine& line);
int run_completion(const CommandLine& line);
int run_man(const CommandLine& line);
int run_why(const CommandLine& line);
int run_version(const CommandLine& line);

}  // namespace muster::cli
