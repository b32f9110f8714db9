// The verbs. Each is one file; only the one that is called builds its options.
#pragma once

#include <span>
#include <string_view>

namespace muster::cli {

struct Command {
  std::string_view name;
  std::string_view summary;
  // argv[0] is the verb. Returns the exit code: 0 done, 1 a true answer that is not good, 2 input or
  // arguments cannot be used, 3 our fault.
  int (*run)(int argc, char** argv);
};

std::span<const Command> commands();

// Runs the verb of argv[1]; catches what escapes and makes it exit code 3.
int run(int argc, char** argv);

int run_compile(int argc, char** argv);
int run_decide(int argc, char** argv);
int run_fit(int argc, char** argv);
int run_reliability(int argc, char** argv);
int run_import(int argc, char** argv);
int run_lint(int argc, char** argv);
int run_review(int argc, char** argv);
int run_fmt(int argc, char** argv);
int run_explain(int argc, char** argv);
int run_test(int argc, char** argv);
int run_rules(int argc, char** argv);
int run_targets(int argc, char** argv);
int run_site(int argc, char** argv);
int run_version(int argc, char** argv);

}  // namespace muster::cli
