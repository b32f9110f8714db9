#include "cli/command.h"

#include <cstdio>
#include <exception>
#include <string>

#include "cli/standard_output.h"
#include "compiler/base/text.h"

namespace muster::cli {
namespace {

constexpr Command all[] = {
    {"compile", "a workload to the file that your orchestrator takes", run_compile},
    {"decide", "where a workload should run, and why", run_decide},
    {"fit", "whether its gang fits the declared fleet, with a placement or the reason in numbers", run_fit},
    {"reliability", "what failures do to a workload: checkpoint interval, useful time, spares", run_reliability},
    {"lint", "what is wrong with sbatch scripts and Kubernetes manifests that are already there", run_lint},
    {"review", "what a change of a tree changes about where and how its workloads run", run_review},
    {"import", "batch scripts as workloads, and what they say of their site", run_import},
    {"explain", "what a code means, what Slurm will do with a batch script, or what a library offers", run_explain},
    {"fmt", "muster files in the one style of the language", run_fmt},
    {"test", "the `test` blocks of muster files", run_test},
    {"rules", "the rules that decide: proven, tested, shown, compared", run_rules},
    {"targets", "the targets this version writes", run_targets},
    {"site", "a fleet and a site from a real cluster; what the built-in site assumes", run_site},
    {"completion", "the completion script of bash, zsh or fish", run_completion},
    {"man", "the manual page of muster or of a verb", run_man},
    {"version", "the version", run_version},
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
  print_error("muster: there is no verb `" + std::string(verb) + "`" +
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
