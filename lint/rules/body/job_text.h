// What the checks of a job's shell text get: the same for Slurm, PBS and LSF, which all give it to bash.
#pragma once

#include <string>
#include <string_view>

#include "compiler/base/byte_triples.h"
#include "compiler/shell/body.h"
#include "lint/context.h"
#include "lint/reporter.h"
#include "targets/slurm/read/script.h"

namespace muster::lint {

struct JobText {
  const Context& context;
  const targets::slurm::Script& script;  // its lines; the directives of another system than Slurm are not in it
  const shell::Body& body;
  std::string_view system;  // in a sentence: "Slurm"
  bool submitted = false;   // it has a directive, so that it is surely given to the system
  std::string subject;      // tells apart the scripts of one file
  Reporter report;
  ByteTriples triples;  // of its text

  const Sources& sources() const { return context.sources; }
  std::string_view text() const { return sources().text(script.span); }
  // Whether these bytes are anywhere in the script.
  bool mentions(std::string_view bytes) const {
    return triples.may_hold(bytes) && text().find(bytes) != std::string_view::npos;
  }
  // The command that a launch is in.
  const shell::Command& command(const shell::Launch& launch) const { return body.commands[launch.command]; }

  // Each returns the finding, so that labels, notes and a fix can be added to it; the reference is valid until the next
  // one.
  Finding& wrong_at(RuleId rule, Span where, std::string path, std::string message, std::string label = {}) const;
  Finding& cannot_tell_at(RuleId rule, Span where, std::string path, std::string message) const;
};

// Findings of one rule in a script: more would not help.
inline constexpr std::size_t most_of_lines = 20;

// All checks of this folder.
void check_text(const JobText& job);
void check_waits(const JobText& job);        // SLM027, SLM028, SLM029, SLM030
void check_background(const JobText& job);   // SLM038, SLM040
void check_shell_slips(const JobText& job);  // SLM051, SLM053, SLM054, SLM059
void check_root(const JobText& job);         // SLM055

}  // namespace muster::lint
