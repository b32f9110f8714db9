// Words of a script as texts of the language: `$HOME/data` is "${env.HOME}/data".
#pragma once

#include <string>

#include "compiler/model/text.h"
#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

// Where a word is read, which decides what its variables may be.
struct TextPlace {
  bool array = false;                           // the task id is the axis `task`
  bool one_task = false;                        // the batch shell and the program see the same variables of Slurm
  std::int64_t nodes = 0;                       // of the job; 0: not known
  bool splits = false;                          // an unquoted variable may become several words, or none
  const std::vector<OwnName>* names = nullptr;  // what another batch system sets
};

// A word as a text; `why` says what stands against it.
struct LiftedText {
  model::Text text;
  std::string why;           // "`$(date)` is only known when the script runs"; "" where it is lifted
  bool reads_slurm = false;  // it has a variable that only Slurm sets
  bool meets = false;        // it has the first node or a port, which muster gives in the script's place

  bool lifted() const { return why.empty(); }
};

LiftedText lifted_text(const Sources& sources, const Word& word, const TextPlace& place);

}  // namespace muster::targets::slurm::lifting
