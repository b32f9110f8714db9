// What becomes of signals that a launcher gets, and of options that a block of a target gives it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/workload.h"
#include "plan/plan.h"
#include "targets/account.h"

namespace muster::targets::contract {

// What becomes of a signal that torchrun (or accelerate, which starts by its code) gets: it passes four of them to its
// workers, by itself ends at others, and 30 s after one it kills them. Newer releases read both from the environment.
bool is_torch_launcher(model::Runner runner);
bool torch_passes(std::string_view signal);
inline constexpr std::int64_t torch_patience = 30;  // seconds
// Of work that has `seconds` between the signal and its end; "" where nothing is lost.
std::string torch_note(const model::Workload& workload, model::Runner runner, std::int64_t seconds);

// The launchers of the roles that have one, each once.
std::vector<model::Runner> launchers_of(const plan::Plan& plan,
                                        const std::function<bool(const model::Role&)>& has_launcher);
// `launch` of a block of the target's own: options of the one launcher there is; else refused.
void report_launch(Account& account, const model::TargetOptions& block, std::span<const model::Runner> launchers,
                   std::string_view help);
// All that a block for another target says.
void report_elsewhere(Account& account, const model::TargetOptions& block);

// Whether a script reads the arguments that it is started with: `$1`, `"$@"`, `$#`, `shift`.
bool reads_arguments(const model::Script& script);

// Whether it reads the name that it is started by: `$0`, `${BASH_SOURCE[0]}`.
bool reads_own_name(const model::Script& script);

}  // namespace muster::targets::contract
