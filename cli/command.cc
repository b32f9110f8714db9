#include "cli/command.h"

#include <cstdio>
#include <exception>
#include <string>

#include "cli/standard_output.h"
#include "compiler/base/text.h"

namespace muster::cli {
namespace {

constexpr Command all[] = {
    {"compile", "write the job script or manifests of a workload", run_compile},
    {"decide", "decide where a workload should run, and show why", run_decide},
    {"fit", "check whether a gang fits the declared fleet; show a placement or the missing numbers", run_fit},
    {"reliability", "estimate the effect of failures: checkpoint interval, useful time, spare nodes", run_reliability},
    {"lint", "find errors in existing sbatch scripts, Kubernetes manifests and muster files", run_lint},
    {"review", "show how a change affects where and how workloads run", run_review},
    {"import", "convert batch scripts to workloads and a draft of their site", run_import},
    {"explain", "explain a code, what Slurm does with a batch script, or what a muster file provides", run_explain},
    {"why", "tell from pasted output why a job waits or failed, and what would start it", run_why},
    {"fmt", "format muster files", run_fmt},
    {"test", "run the `test` blocks of muster files", run_test},
    {"rules", "prove, test, show and compare the rules that decide", run_rules},
    {"targets", "list the targets that this version writes", run_targets},
    {"site", "import a fleet and a site from a real cluster; show the built-in site", run_site},
    {"completion", "print the completion script for bash, zsh or fish", run_completion},
    {"man", "print the manual page of muster or of a verb", run_man},
    {"version", "print the version", run_version},
};

int usage(std::FILE* out) {
  std::fprintf(out, "%s\n\nusage: muster VERB [options]\n\n", about_muster);
  for (const Command& command : all)
    std::fprintf(out, "  %-11s %s\n", std::string(command.name).c_str(), std::string(command.summary).c_str());
  std::fputs("\n`muster VERB --help` lists the options of a verb.\n", out);
  return 0;
}

int dispatch(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "--help" || verb == "-h" || verb == "help") return usage(stdout);
  if (verb == "--version") return run_version({argc - 1, argv + 1});
  for (const Command& command : all)
    if (command.name == verb) return command.run({argc - 1, argv + 1});
  if (verb.empty()) {
    usage(stderr);
    return 2;
  }
  std::string_view names[std::size(all)];
  for (std::size_t i = 0; i < std::size(all); ++i) names[i] = all[i].name;
  const std::string near = closest(verb, names);
  print_error("muster: unknown verb `" + std::string(verb) + "`" +
              (near.empty() ? "; `muster --help` lists them" : "; did you mean `" + near + "`?") + "\n");
  return 2;
}

}  // namespace

std::span<const Command> commands() { return all; }

std::vector<VerbEntry> describe_commands() {
  std::vector<VerbEntry> verbs;
  for (const Command& command : all) {
    VerbEntry verb;
    command.run({.described = &verb});
    verb.name = command.name;
    verb.summary = command.summary;
    verbs.push_back(std::move(verb));
  }
  return verbs;
}

int run(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const std::exception& error) {
    print_error("muster: internal error: " + std::string(error.what()) + "\n");
    return 3;
  }
}

}  // namespace muster::cli
