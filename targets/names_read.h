// Which variables a text of the shell reads, in every way that bash reads one, and which of them it sets itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/text.h"
#include "compiler/model/workload.h"

namespace muster::targets {

struct NameRead {
  std::string_view name;     // in the text
  std::size_t at = 0;        // where the name begins
  bool has_default = false;  // `${NAME:-x}`, `[ -z "$NAME" ]`: the text has an answer where it is not set
  bool printed = false;      // by `echo` or `printf`, into the log alone
  bool later = false;        // quoted or escaped: read by what the text starts
};

// `$NAME`, `${NAME…}`; without a dollar sign in `$(( ))`, `(( ))`, `let`, `[[ 1 -eq NAME ]]`, `${a[NAME]}`, `-v NAME`;
// and `os.environ["NAME"]` of a program within the text. In the order of the text, comments aside.
std::vector<NameRead> names_read(std::string_view text);

// The same of a script: one of another language reads its environment by functions.
std::vector<NameRead> names_read(const model::Script& script);

// Whether the text sets a variable somewhere in front of `at`: `NAME=`, `for NAME`, `read NAME`, `unset NAME`.
bool sets_name(std::string_view text, std::string_view name, std::size_t at);

// A variable that a batch system, an operator or the launcher's surroundings give: SLURM_…, PBS_…, PET_…, TMPDIR.
bool is_of_system(std::string_view name);

}  // namespace muster::targets
