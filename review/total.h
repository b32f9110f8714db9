// What a change adds in all: GPU-hours, money, GPUs at once; and budgets for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "review/tree.h"

namespace muster::review {

struct Review;

// GPUs of all tasks that run at once. nullopt: not known.
std::optional<std::int64_t> gpus_at_once(const Workload& workload);

// One sum: of what is known, and of which workloads it is not.
struct Sum {
  std::optional<std::int64_t> value;  // nullopt: nothing of it is known
  std::vector<std::string> unknown;   // titles
};

struct Total {
  Sum gpu_seconds, cpu_seconds, micros, gpus;  // `cpu_seconds`: of workloads without GPUs; `gpus`: at once
  bool at_most = false;                        // some hours are those of a queue's longest time
};

// What the tenants may use, and what the workloads of a change use of it when all of them run.
struct TenantUse {
  std::string tenant;
  std::int64_t gpus = 0, of = 0;
  std::int64_t unknown = 0;  // workloads of which it is not known
};

// The new tree less the old one.
Total total_of_change(const Review& review);
// Of all workloads of a tree.
Total total_of(const std::vector<Workload>& workloads);
std::vector<TenantUse> tenants_of_change(const Review& review);

// "+5,760 GPU-hours, +640 CPU-hours without GPUs, +80,640.00; 256 of the tenant's 256 GPUs at once"; "" where nothing
// is known.
std::string total_text(const Review& review);

// `cost>N`, `gpu-hours>N`, `cpu-hours>N`, `gpus>N` of the change; `total-cost>N` and its like of the whole new tree.
struct SpendLimit {
  enum class Of : std::uint8_t { cost, gpu_hours, cpu_hours, gpus } of = Of::cost;
  bool whole = false;
  std::int64_t most = 0;  // millionths, of hours or GPUs as well
  std::string text;       // as it was given
};

// nullopt: it is not a budget.
std::optional<SpendLimit> limit_of(std::string_view text);

enum class Kept : std::uint8_t { kept, exceeded, unknown };
Kept check(const SpendLimit& budget, const Total& total);
// "the cost of `a` and 2 others is not known, so `cost>100` cannot be checked".
std::string unknown_text(const SpendLimit& budget, const Total& total);

}  // namespace muster::review
