// How the processes of a job find each other: runners with ranks say it in variables, and scripts work it out by hand.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/model/runner.h"

namespace muster::targets::slurm::lifting {

// Whether the processes of `runner` find the variable, whatever it is outside of them: RANK, MASTER_ADDR …
bool is_of_runner(model::Runner runner, std::string_view name);

enum class Meeting : std::uint8_t { none, address, port, hosts, host_count };

// What a value works out: the first node of the job (`$(scontrol show hostnames … | head -n 1)`), a free port, the list
// of the nodes, or their number (`… | wc -l`).
// `variable` is the one that gets it, if any: its name makes more forms certain.
Meeting meeting_of(std::string_view value, std::string_view variable = {});

// The variable by which the processes find it: "MASTER_ADDR", "MASTER_PORT"; "" for the others.
std::string_view runner_variable(Meeting meeting);

}  // namespace muster::targets::slurm::lifting
