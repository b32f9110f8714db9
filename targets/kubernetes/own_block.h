// What the `target` blocks of a workload that this target reads say beside `pod`: the object, pod templates of its own
// for some of its pods, names that the cluster gives.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/kubernetes/draft.h"

namespace muster::targets::kubernetes {

// Options of a `target` block of pods beside `pod` and `object`. `gives`: variables, files and hosts, between blanks,
// that the operator or the cluster provides to these pods alone. Of kinds with two pod templates the one that runs
// another program than the role, as YAML: `leader` and `worker` of `lws`, `master` of `pytorchjob`.
inline constexpr std::string_view gives_option = "gives";
bool is_template_option(std::string_view target, std::string_view option);

// The names in the text of a `gives` option.
std::vector<std::string> names_given(std::string_view text);
// Those of the blocks that the target reads.
std::vector<std::string> names_given(const Draft& draft);

// `object` of the first block that has one, as a tree; nothing where it is not a map, which add_workload_object
// refuses.
Node own_object(const Draft& draft);
// The pod template of that option, or `pod` where there is none. Reports the option.
Node own_template(Draft& draft, std::string_view option, Node pod);

}  // namespace muster::targets::kubernetes
