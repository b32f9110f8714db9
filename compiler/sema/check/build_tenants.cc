// The tenants and cohorts of `site NAME { … }`, with their quotas.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/text.h"
#include "compiler/sema/check/builders.h"

namespace muster::sema {
namespace {

using Names = std::vector<std::string_view>;

Size size_of(const Value& v) { return Size{v.low}; }

model::QuotaAmounts build_limits(const Node* node) {
  if (node == nullptr) return {};
  return {node->integer("gpus"), node->integer("nodes"), node->integer("cpus"), node->located("memory", size_of),
          node->integer("pods")};
}

std::vector<model::Quota> build_quotas(const Node& node) {
  std::vector<model::Quota> out;
  for (const Node* quota : node.all("quota"))
    out.push_back({{quota->label, quota->label_span},
                   quota->integer("gpus"),
                   quota->integer("nodes"),
                   quota->integer("cpus"),
                   quota->located("memory", size_of),
                   quota->integer("pods"),
                   quota->texts("pools"),
                   build_limits(quota->one("borrow-limit")),
                   build_limits(quota->one("lend-limit"))});
  return out;
}

model::Tenant build_tenant(const Node& node) {
  model::Tenant out;
  out.name = node.label;
  out.span = node.label_span;
  out.accounts = node.texts("accounts");
  out.name_space = node.text("namespace");
  out.queues = node.texts("queues");
  out.quotas = build_quotas(node);
  out.share = node.text("share");
  out.borrow = node.boolean("borrow");
  out.cohort = node.text("cohort");
  out.max_time_account = node.located("max-time-account", [](const Value& v) { return Duration{v.low}; });
  out.max_nodes = node.integer("max-nodes");
  out.max_gpus = node.integer("max-gpus");
  out.max_cpus = node.integer("max-cpus");
  out.max_memory = node.located("max-memory", [](const Value& v) { return Size{v.low}; });
  out.max_jobs_user = node.integer("max-jobs-user");
  out.max_jobs_account = node.integer("max-jobs-account");
  return out;
}

void check_known(const model::Located<std::string>& name, const Names& names, std::string_view what,
                 Diagnostics& diagnostics) {
  if (std::find(names.begin(), names.end(), name.value) != names.end()) return;
  Diagnostic& d =
      diagnostics.add(Code::unknown_name, name.span, "the site has no " + std::string(what) + " `" + name.value + "`");
  const std::string near = closest(name.value, names);
  if (!near.empty()) d.fixes.push_back({name.span, near, "did you mean `" + near + "`?", false});
  else if (what == "cohort")
    d.fixes.push_back({{}, "", "declare it in the site: cohort " + name.value + " { }", false});
}

// A limit of what is borrowed or lent is one of a cohort.
void check_limits(const Node& node, bool has_cohort, Diagnostics& diagnostics) {
  if (has_cohort) return;
  const bool tenant = node.schema->name == "tenant";
  for (const Node* quota : node.all("quota"))
    for (const std::string_view name : {"borrow-limit", "lend-limit"})
      if (const Node* limit = quota->one(name)) {
        Diagnostic& d = diagnostics.add(Code::conflict, limit->span,
                                        "`" + std::string(name) + "` has no effect outside of a cohort");
        d.notes.push_back(tenant ? "add `cohort = …` to tenant `" + node.label + "`"
                                 : "cohort `" + node.label + "` has no `parent`, so nothing lends to it");
      }
}

// A cohort that is above itself has no top from which its members could borrow.
void check_circles(const model::Site& site, Diagnostics& diagnostics) {
  const auto find = [&](const std::string& name) -> const model::Cohort* {
    for (const model::Cohort& cohort : site.cohorts)
      if (cohort.name == name) return &cohort;
    return nullptr;
  };
  for (const model::Cohort& cohort : site.cohorts) {
    const model::Cohort* at = &cohort;
    for (std::size_t step = 0; at != nullptr && at->parent && step <= site.cohorts.size(); ++step) {
      at = find(at->parent->value);
      if (at != &cohort) continue;
      diagnostics.add(Code::conflict, cohort.parent->span, "cohort `" + cohort.name + "` is a member of itself");
      return;
    }
  }
}

}  // namespace

void build_tenants(const Node& node, model::Site& site, Diagnostics& diagnostics) {
  for (const Node* b : node.all("tenant")) site.tenants.push_back(build_tenant(*b));
  for (const Node* b : node.all("cohort"))
    site.cohorts.push_back({b->label, b->label_span, b->text("parent"), build_quotas(*b)});
  Names queues, cohorts;
  for (const model::Queue& queue : site.queues) queues.push_back(queue.name);
  for (const model::Cohort& cohort : site.cohorts) cohorts.push_back(cohort.name);
  for (const model::Tenant& tenant : site.tenants) {
    for (const auto& queue : tenant.queues) check_known(queue, queues, "queue", diagnostics);
    if (tenant.cohort) check_known(*tenant.cohort, cohorts, "cohort", diagnostics);
  }
  for (const model::Cohort& cohort : site.cohorts)
    if (cohort.parent) check_known(*cohort.parent, cohorts, "cohort", diagnostics);
  for (const Node* b : node.all("tenant")) check_limits(*b, b->get("cohort") != nullptr, diagnostics);
  for (const Node* b : node.all("cohort")) check_limits(*b, b->get("parent") != nullptr, diagnostics);
  check_circles(site, diagnostics);
}

}  // namespace muster::sema
