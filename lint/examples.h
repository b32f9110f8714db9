// The example of each rule: files that are wrong and the same files corrected, from its page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lint/rule.h"

namespace muster::lint {

struct ExampleFile {
  std::string_view name, text;  // "wrong.sbatch"
};

// The first file of `wrong` and of `corrected` is the one that is linted; another is beside it by its name
// (`wrong.tests.muster` has the test cases of `wrong.muster`). `others` belong to both: `site.muster` is the site of
// --site, `base.muster` is the file as it was before the change (--changed-only).
struct Example {
  std::vector<ExampleFile> wrong, corrected, others;
};

// The example of a rule; its texts are part of the executable.
Example example_of(const Rule& rule);

// The command that reports the rule in the first file of `wrong`, in the folder of the example:
// `muster lint wrong.sbatch --site site.muster`.
std::string example_command(const Rule& rule, const Example& example);

}  // namespace muster::lint
