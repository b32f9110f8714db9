// By which marks the lines that carry a field are known, in a script, in a manifest and in the file of a task: the
// tables batch/carriers.inc, kubernetes/carriers.inc and services/carriers.inc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "targets/loss.h"

namespace muster::targets {

enum class Form : std::uint8_t { script, manifest, task };

// In a script a mark is a part of a line. In a manifest and in a task it is `key`, `key: value`, `[name]` (the item of
// a list that has this name), `=text` (a text which contains it) or `~part` (a part of a line).
using Marks = std::vector<std::string>;

// Alternatives of which the first that is there counts; its marks carry the entry together. Of the entry's role, or of
// this one where it has none: what the user wrote differs.
std::vector<Marks> marks_of(const LossEntry& entry, Form form, const model::Role& role, const model::Workload& workload,
                            const model::Site& site);

// The name of a role as a part of the name of a shell function.
std::string shell_name(std::string name);

}  // namespace muster::targets
