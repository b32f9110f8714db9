// What LSF spells in its own way: the parts of its dialect.
#pragma once

#include <string>
#include <string_view>

#include "targets/batch/sections.h"

namespace muster::targets::lsf {

using batch::Job;

// options.cc: the one place that quotes values of directives.
void add_option(Job& job, std::string_view option, std::string_view value, const FieldRef& field);
void add_flag(Job& job, std::string_view flag, const FieldRef& field);
// Whether a line can hold the text as a value.
bool is_value(std::string_view text);
// Whether the text can be a name in a resource requirement: letters, digits and `_ - .`
bool is_word(std::string_view text);
// A section of the resource requirement, which LSF joins to the others.
void require(Job& job, const std::string& section);

// raw.cc: `target lsf { … }` and the lines that the site gives every job; after all others.
void ask_own(Job& job);

// size.cc: slots, hosts, GPUs and memory. place.cc: which hosts, and near each other.
void ask_size(Job& job);
void ask_nodes(Job& job);
// How a job asks for the model of its GPUs: the value of `gmodel`, a condition of `select`, or neither.
struct GpuWords {
  std::string gmodel, select;
  bool empty() const { return gmodel.empty() && select.empty(); }
  bool operator==(const GpuWords&) const = default;
};
GpuWords gpu_words(const Job& job, const plan::RolePlan& shape);

// logs.cc
void add_logs(Job& job);

// notices.cc: mail, labels, licenses.
void ask_notices(Job& job);

// step.cc: what starts programs on the job's nodes.
std::string step(const Job& job, const batch::Step& step);
std::string part_options(const Job& job, const batch::PartPlace& place);
std::string parallel_step(const Job& job, const std::string& part);
std::string on_each_node(const Job& job, const std::string& command);
std::string prelude(const Job& job, std::string_view body);
void add_preflight(Job& job);

}  // namespace muster::targets::lsf
