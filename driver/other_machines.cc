#include "driver/other_machines.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "lint/target_block/reduced.h"
#include "review/describe.h"
#include "review/target_block_amounts.h"
#include "targets/target.h"

namespace muster::driver {
namespace {

std::string amount(const review::Workload& w, const char* row, std::optional<std::int64_t> number,
                   std::string_view one) {
  if (number) return counted(*number, one);
  const bool open = std::find(w.open.begin(), w.open.end(), row) != w.open.end();
  return open ? "an unknown number of " + std::string(one) + "s" : std::string();
}

// "4 nodes and 32 GPUs".
std::string machines(const review::Workload& w) {
  std::string out;
  for (const std::string& text :
       {amount(w, "nodes", w.resources.nodes, "node"), amount(w, "pods", w.resources.pods, "pod"),
        amount(w, "GPUs", w.resources.gpus, "GPU")})
    if (!text.empty()) out += (out.empty() ? "" : " and ") + text;
  return out;
}

}  // namespace

std::string other_machines(const model::Workload& workload, const plan::PlanResult& result, const Sources& sources) {
  if (!result.plan || !plan::is_placed(*result.plan)) return {};
  const plan::Plan& plan = *result.plan;
  const targets::Target* target = targets::find_target(plan.decision.target);
  if (target == nullptr || !lint::has_block_options(*plan.workload, *target)) return {};
  Diagnostics diagnostics;
  targets::LowerOptions options;
  options.names = targets::Names::fixed;
  const targets::Lowered written = targets::lower(*target, plan, options, diagnostics);
  if (diagnostics.has_errors()) return {};
  const review::Workload keys = review::describe(workload, result, sources);
  review::Workload with_block = keys;
  review::count_target_block(plan, *target, written, with_block);
  const auto of = [](const review::Workload& w) {
    return std::tie(w.resources.nodes, w.resources.pods, w.resources.gpus);
  };
  if (of(keys) == of(with_block)) return {};
  std::string blocks;
  for (const model::TargetOptions& block : plan.workload->targets)
    if (lint::carries(*target, block) && blocks.find("`target " + block.target + "`") == blocks.npos)
      blocks += (blocks.empty() ? "" : " and ") + ("`target " + block.target + "`");
  return "the options of " + blocks + " change it to " + machines(with_block) +
         ", but the decision and placement are for " + machines(keys);
}

}  // namespace muster::driver
