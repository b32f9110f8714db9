// What becomes of signals that a launcher gets.
#pragma once

#include <string>
#include <string_view>

#include "compiler/model/workload.h"

namespace muster::targets::contract {

// What becomes of a signal that torchrun (or accelerate, which starts by its code) gets: it passes four of them to its
// workers, by itself ends at others, and 30 s after one it kills them. Newer releases read both from the environment.
bool is_torch_launcher(model::Runner runner);
bool torch_passes(std::string_view signal);
inline constexpr std::int64_t torch_patience = 30;  // seconds
// Of work that has `seconds` between the signal and its end; "" where nothing is lost.
std::string torch_note(const model::Workload& workload, model::Runner runner, std::int64_t seconds);

}  // namespace muster::targets::contract
