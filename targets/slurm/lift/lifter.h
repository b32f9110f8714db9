// The lifting under way: what is read, and what stands against it. Inside targets/slurm/lift only.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "targets/slurm/lift/lift.h"
#include "targets/slurm/lift/program.h"
#include "targets/slurm/lift/statements.h"
#include "targets/slurm/lift/task_values.h"

namespace muster::targets::slurm::lifting {

struct Lifter {
  const Sources& sources;
  const Script& script;
  const Body& body;
  const PlaneWords& plane;
  Imported& out;
  JobShape shape;
  std::vector<Statement> statements;
  Arguments arguments{};  // of the script
  std::vector<TaskValue> task_values{};
  std::vector<ImportLine> taken{};  // what the step says for the job, once it is lifted
  std::string why{};                // the first thing that stands against it
  Span why_at{};

  model::Role& role() { return out.workload.roles.front(); }

  bool refuse(std::string reason, Span at) {
    if (why.empty()) why = std::move(reason), why_at = at;
    return false;
  }
  bool given(std::string_view option) const { return effective(script, option) != nullptr; }
  // `#!/bin/bash -l`: a login shell, or an interactive one, reads the user's files before the first line of the text.
  const model::Located<std::string>* profile_flag() const {
    for (const auto& flag : out.workload.roles.front().script_flags) {
      const std::string& text = flag.value;
      const bool letters = text.size() > 1 && text[0] == '-' && text[1] != '-';
      if (text == "--login" || (letters && text.find_first_of("li") != std::string::npos)) return &flag;
    }
    return nullptr;
  }
  // `#!/bin/bash -e`, as a line for the shell of another text: "set -e\n"; "" where there is no such flag.
  std::string options_of_shebang() const {
    std::string letters;
    for (const auto& flag : out.workload.roles.front().script_flags)
      if (flag.value.size() > 1 && flag.value[0] == '-' && flag.value[1] != '-')
        for (const char c : {'e', 'u'})
          if (flag.value.find(c) != std::string::npos && letters.find(c) == std::string::npos) letters += c;
    return letters.empty() ? letters : "set -" + letters + "\n";
  }
  // The script ends where a command fails.
  bool stops_at_errors() const {
    return options_of_shebang().find('e', 4) != std::string::npos || lifting::stops_at_errors(body, statements);
  }
  // `--signal=B:USR1@60`, which a batch shell of several steps or programs handles.
  bool refuses_signal() {
    const Directive* signal = effective(script, "signal");
    const bool to_shell = signal != nullptr && signal->value && signal->value->find("B:") != std::string::npos;
    return to_shell && !refuse("a signal is sent to the batch shell", signal->whole);
  }
  void add(ImportLine line) {
    line.statement = true;
    out.lines.push_back(std::move(line));
  }
  void line(Span at, std::string what, Fate fate, std::string as, std::string note = {},
            std::vector<std::string> names = {}) {
    add({at, std::move(what), fate, std::move(as), std::move(note), true, std::move(names)});
  }
  // What runner `processes` adds to the environment of a step.
  // `cpus`: the step has its CPUs from muster and not from the script.
  void line_of_ranks(Span at, bool cpus) {
    std::vector<std::string> names{"RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"};
    if (cpus) names.emplace_back("SLURM_CPUS_PER_TASK");
    line(at, "ranks", Fate::mended, "launch.runner",
         std::string("the processes also find RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT") +
             (cpus ? ", and on Slurm SLURM_CPUS_PER_TASK" : ""),
         std::move(names));
  }
  void line_of_exit(Span at, std::string as, const std::string& what) {
    line(at, "exit code", Fate::mended, std::move(as),
         "the job ends with the exit code of the " + what + ", not with that of the last line", {"exit"});
  }
  // A job that has its node alone has all GPUs of it; its steps see those that it asks for.
  bool sees_more_gpus() const { return shape.gpus > 0 && effective(script, "exclusive") != nullptr; }
  void line_of_gpus(Span at) {
    line(at, "gpus", Fate::mended, "launch", "the program sees all GPUs of the node, which the job has alone",
         {"gpus", "CUDA_VISIBLE_DEVICES"});
  }
  // `export CUDA_VISIBLE_DEVICES=0,1` in a job that asks for no GPUs: Slurm takes the variable from a step.
  void line_of_named_gpus(Span at) {
    const bool named = std::any_of(body.exports.begin(), body.exports.end(),
                                   [](const Export& e) { return e.name == "CUDA_VISIBLE_DEVICES" && e.value; });
    if (shape.gpus == 0 && named)
      line(at, "gpus", Fate::mended, "launch",
           "the program sees the GPUs that the script names; a step sees none, because the job asks for none",
           {"gpus", "CUDA_VISIBLE_DEVICES"});
  }
  // A step with a number of CPUs sees only the GPUs that it asks for, in a job that has its nodes alone, too.
  void line_of_no_gpus(Span at) {
    if (shape.gpus == 0 && given("exclusive"))
      line(at, "gpus", Fate::mended, "launch", "the step sees no GPUs, because the job asks for none",
           {"gpus", "CUDA_VISIBLE_DEVICES"});
  }
  void line_of_moved_logs(Span at) {
    line(at, "logs", Fate::mended, "workdir",
         "logs with a relative name are below the folder that the script enters, not below that of the submission",
         {"logs"});
  }
  // A file that only a shell can write.
  void line_of_log(Span at, std::string what, const std::string& file) {
    line(at, std::move(what), Fate::mended, "logs", "the log of the job has the output, not `" + file + "`",
         {file, "exit", "tee"});
  }
};

}  // namespace muster::targets::slurm::lifting
