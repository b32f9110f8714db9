// What PBS spells in its own way: the parts of its dialect.
#pragma once

#include <string>
#include <string_view>

#include "targets/batch/sections.h"

namespace muster::targets::pbs {

using batch::Job;

inline bool is_torque(const Job& job) { return job.batch.dialect == model::PbsDialect::torque; }

// options.cc: the one place that quotes values of directives.
void add_option(Job& job, std::string_view option, std::string_view value, const FieldRef& field);
void add_flag(Job& job, std::string_view flag, const FieldRef& field);
// Whether qsub takes the text as a word of a list of resources: letters, digits and `_ - .`
bool is_word(std::string_view text);

// raw.cc: `target pbs { … }` and the lines that the site gives every job; after all others.
void ask_own(Job& job);

// size.cc: nodes, processes, cpus, GPUs and memory: one list of chunks. place.cc: which nodes, and near each other.
void ask_size(Job& job);
std::string gpu_resource(const Job& job, const plan::RolePlan& shape);  // "ngpus"
std::string gpu_feature(const Job& job, const plan::RolePlan& shape);   // "gpu_model=h100"; "": none is needed
void ask_nodes(Job& job);
// The hosts that the job names, as many as it has nodes; empty: any.
const std::vector<std::string>& named_hosts(const plan::RolePlan& shape);
std::string place_of(const Job& job);  // "scatter:excl:group=switch"

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

}  // namespace muster::targets::pbs
