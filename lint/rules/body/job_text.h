// What the checks of a job's shell text get: the same for Slurm, PBS, LSF and the containers of pods, which all give it
// to bash.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/byte_triples.h"
#include "compiler/shell/body.h"
#include "lint/context.h"
#include "lint/reporter.h"
#include "targets/batch/read/job_script.h"

namespace muster::lint {

// What runs a text, and how it is written.
struct TextHost {
  std::optional<targets::batch::System> system;  // nullopt: it is the command of a container
  bool submitted = false;                        // it has a directive, so that it is surely given to the system
  bool to_an_end = true;                         // false: of a container that is to run until it is ended
  // In front of each of its lines: a text in YAML is indented. nullopt: its file spells it so that an edit would need
  // escapes.
  std::optional<std::string> indent = "";
  std::string options = {};  // of the shell that reads it, beside those that the text has: "-ec"

  bool is_container() const { return !system; }
  std::string_view node() const { return is_container() ? "pod" : "node"; }  // what it calls that which runs it
};

// A variable that is set beside the text: in `env` of a container.
struct SetBeside {
  std::string_view name;
  Span span;  // of the name
};

struct JobText {
  const Context& context;
  Span span;              // all of it, as its file spells it: a script, the value of a field
  std::string_view text;  // what the shell gets
  const shell::Body& body;
  TextHost host;
  std::string subject;  // tells apart the scripts of one file
  Reporter report;
  ByteTriples triples;                 // of its text
  std::vector<SetBeside> beside = {};  // in the order of the file
  std::string field = {};              // of a manifest: the path that findings have

  const Sources& sources() const { return context.sources; }
  // Whether these bytes are anywhere in the script.
  bool mentions(std::string_view bytes) const {
    return triples.may_hold(bytes) && text.find(bytes) != std::string_view::npos;
  }
  // The command that a launch is in.
  const shell::Command& command(const shell::Launch& launch) const { return body.commands[launch.command]; }

  // Each returns the finding, so that labels, notes and a fix can be added to it; the reference is valid until the next
  // one.
  Finding& wrong_at(RuleId rule, Span where, std::string path, std::string message, std::string label = {}) const;
  Finding& cannot_tell_at(RuleId rule, Span where, std::string path, std::string message) const;
  // A fix whose edits are within the text: left out where the file spells it otherwise.
  void offer(Finding& finding, Fix fix) const;
};

// Whether a command is what its job is for, and no chore: a program that the table has as work, or does not have.
bool is_work(const shell::Command& command);

// Findings of one rule in a script: more would not help.
inline constexpr std::size_t most_of_lines = 20;

// All checks of this folder.
void check_text(const JobText& job);
void check_waits(const JobText& job);         // SLM027, SLM028, SLM029
void check_background(const JobText& job);    // SLM038, SLM040
void check_shell_slips(const JobText& job);   // SLM051, SLM053, SLM054, SLM059
void check_root(const JobText& job);          // SLM055
void check_functions(const JobText& job);     // SLM058
void check_resubmission(const JobText& job);  // SLM060
void check_exit_code(const JobText& job);     // SLM030, SLM063

}  // namespace muster::lint
