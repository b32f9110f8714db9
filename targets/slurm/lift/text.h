// Words of a script as texts of the language: `$HOME/data` is "${env.HOME}/data".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/text.h"
#include "targets/imported.h"
#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

struct TaskValue;

// Where a word is read, which decides what its variables may be.
struct TextPlace {
  bool array = false;                                 // the task id is the axis `task`
  bool one_task = false;                              // the batch shell and the program see the same variables of Slurm
  std::int64_t nodes = 0;                             // of the job; 0: not known
  bool splits = false;                                // an unquoted variable may become several words, or none
  const std::vector<OwnName>* names = nullptr;        // what another batch system sets
  const std::vector<Parameter>* arguments = nullptr;  // $1, $2 … of the script
  const std::vector<TaskValue>* task_values = nullptr;
};

// A word as a text; `why` says what stands against it.
struct LiftedText {
  model::Text text;
  std::string why;                    // "`$(date)` is only known when the script runs"; "" where it is lifted
  bool reads_slurm = false;           // it has a variable that only Slurm sets
  bool meets = false;                 // it has the first node or a port, which muster gives in the script's place
  std::vector<std::string> joined{};  // arguments without quotes, which stay one word

  bool lifted() const { return why.empty(); }
};

// A piece of a word that is not literal.
struct WordPart {
  std::string_view text;
  bool known = true;  // false: as spelt, `$NAME` or `$(…)`
};

std::vector<WordPart> parts_of(const Word& word);

// A name in the language for the value of a variable or an option, `LEARNING_RATE` or `learning_rate`:
// "learning-rate"; "" where the language has it for itself, or cannot have it.
std::string name_for_value(std::string_view word);

LiftedText lifted_text(const Sources& sources, const Word& word, const TextPlace& place);

// Whether a word, as spelt, has brackets without quotes: `layers=[1,2]`, `[ab].txt`.
bool is_bracket_pattern(std::string_view word, std::string_view spelt);
// `PATH=/x:$PATH` with nothing behind the colon means the present folder.
bool extends(const model::EnvVar& v);
// A first node or a port that only the name of its variable makes certain: `MASTER_ADDR=$(hostname)`.
bool take_meeting_place(const std::string& name, const Word& value, LiftedText& out);
// A folder that is nothing but a variable from outside.
std::optional<std::string> may_be_empty(const model::Text& text);

}  // namespace muster::targets::slurm::lifting
