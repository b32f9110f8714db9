// What the policy in force accepts: findings that `waive` names, for the files or things of its subject.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/model/policy.h"
#include "lint/outcome.h"

namespace muster::lint {

// That each names a rule of the catalogue, by id or by name. False: reported.
bool know_waived_rules(std::span<const model::Waiver> waivers, Diagnostics& diagnostics);

// `*` stands for any bytes, `?` for one. Takes at most text times pattern steps.
bool matches(std::string_view pattern, std::string_view text);

// Open findings that a waiver names become suppressed, with its reason, owner and day. Its subject is a pattern of the
// file's path, or of the thing in it ("job", "Deployment/vllm"); without one it is for all. The first that fits counts.
void apply_waivers(std::span<const model::Waiver> waivers, const Sources& sources, std::vector<Result>& results);
// The same of waivers that only the change has: the findings stay open, and have it noted.
void propose_waivers(std::span<const model::Waiver> waivers, const Sources& sources, std::vector<Result>& results);

}  // namespace muster::lint
