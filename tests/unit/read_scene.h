// A batch script in a test: its text, and what the layers of the reader make of it.
#pragma once

#include <string>

#include "targets/slurm/read/meaning.h"

namespace muster::test {

struct ReadScene {
  Sources sources;
  targets::slurm::Script script;
  shell::Body body;
  targets::slurm::Meaning meaning;

  explicit ReadScene(const std::string& text, const std::string& with = "",
                     std::optional<model::Version> version = model::Version{22, 5}) {
    targets::slurm::ScriptOptions options;
    options.version = version;
    const std::uint32_t file = sources.add("t.sh", text);
    if (!with.empty()) options.command_line = sources.add("--with", with);
    script = targets::slurm::read_script(sources, file, options);
    body = targets::slurm::read_body(sources, script);
    meaning = targets::slurm::meaning_of(script, body, {nullptr, nullptr, version});
  }

  const targets::slurm::Component& job() const { return meaning.job(); }
  std::string text(Span span) const { return std::string(sources.text(span)); }
};

// The head of a script with one #SBATCH line.
inline std::string head(const std::string& options) { return "#!/bin/bash\n#SBATCH " + options + "\n"; }

}  // namespace muster::test
