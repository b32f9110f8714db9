#include "driver/answers.h"

#include <algorithm>
#include <array>

namespace muster::driver {
namespace {

using Kind = ast::Expr::Kind;

constexpr std::array<std::string_view, 9> all_attributes = {"target", "plane",    "control-plane", "nodes", "gpus",
                                                            "runner", "requires", "verdict",       "loss"};

ast::Expr value(Kind kind, std::string text) {
  ast::Expr out;
  out.kind = kind;
  out.text = std::move(text);
  return out;
}

// Where there is none, the word says so.
ast::Expr symbol(std::string_view text) { return value(Kind::path, text.empty() ? "none" : std::string(text)); }
ast::Expr number(std::int64_t n) { return value(Kind::number, std::to_string(n)); }

}  // namespace

std::span<const std::string_view> attributes() { return all_attributes; }

bool is_of_role(std::string_view attribute) {
  return attribute == "nodes" || attribute == "gpus" || attribute == "runner";
}

Answers::Answers(const model::Workload& workload, const Session& session, const Setting& setting, bool site_named)
    : workload_(workload) {
  plan::PlanRequest request = request_for(&workload, session, setting);
  request.site_given = request.site_given || site_named;
  chosen_ = choose(request, {}, nullptr, reports_);
}

std::optional<ast::Expr> Answers::get(std::string_view attribute, const model::Role& role) {
  const plan::PlanResult& result = chosen_.result;
  const plan::Plan* plan = result.plan ? &*result.plan : nullptr;
  if (attribute == "nodes") return number(role.nodes());
  if (attribute == "gpus") return number(role.gpus());
  if (attribute == "runner") return symbol(name(role.launch.runner.value));
  if (attribute == "target") return symbol(plan == nullptr ? "" : plan->decision.target);
  if (attribute == "plane") return symbol(plan == nullptr ? "" : plan->decision.plane);
  if (attribute == "control-plane") return symbol(plan == nullptr ? "" : plan->decision.control_plane);
  if (attribute == "verdict") {
    const bool never = plan == nullptr && result.no_pool;
    if (plan == nullptr) return symbol(plan::name(never ? plan::Verdict::does_not_fit : plan::Verdict::unknown));
    return symbol(plan::name(plan->fit.verdict));
  }
  if (attribute == "loss") return losses();
  if (attribute != "requires") return std::nullopt;
  ast::Expr out = value(Kind::list, {});
  if (plan != nullptr)
    for (const plan::Choice& c : plan->decision.requires_) out.operands.push_back(symbol(c.value));
  return out;
}

// The keys that the target does not carry exactly: "retry.limit".
ast::Expr Answers::losses() {
  ast::Expr out = value(Kind::list, {});
  for (Diagnostic& d : chosen_.reports.sorted()) reports_.add(std::move(d));
  for (const targets::LossEntry& entry : chosen_.lowered.loss.entries())
    if (entry.status != targets::LossEntry::Status::exact && entry.status != targets::LossEntry::Status::read)
      out.operands.push_back(value(Kind::text, to_string(entry.field)));
  return out;
}

}  // namespace muster::driver
