// What an option of a `target` block asks for that every target has a key for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/model/workload.h"

namespace muster::targets {

enum class Asks : std::uint8_t { nothing, nodes, whole_nodes, tasks, cpus, gpus, memory, disk, time };

namespace slurm {
// Of an option in Slurm's own words, by the table of its options and the value.
std::vector<Asks> asks_of(const model::RawOption& option);
}  // namespace slurm

namespace kubernetes {
// Of `pod` and `object` of that target: amounts of containers, counts of pods, deadlines.
std::vector<Asks> asks_of(std::string_view target, const model::RawOption& option);
}  // namespace kubernetes

}  // namespace muster::targets
