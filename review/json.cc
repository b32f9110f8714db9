// docs/schemas/review.json.
#include <nlohmann/json.hpp>

#include "compiler/base/ci_commands.h"
#include "review/cost.h"
#include "review/report.h"
#include "review/total.h"
#include "review/wording.h"

namespace muster::review {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class List, class Of>
Json array(const List& list, Of of) {
  Json out = Json::array();
  for (const auto& one : list) out.push_back(of(one));
  return out;
}

Json json(const Place& place) {
  if (place.file.empty()) return nullptr;
  return {{"file", place.file}, {"line", place.line}};
}

Json json(const Change& change) {
  return {{"name", change.name}, {"before", or_null(change.before)}, {"after", or_null(change.after)}};
}

Json fact_json(const Change& change) {
  Json out = json(change);
  out["place"] = json(change.place);
  return out;
}

Json json(const std::optional<Decision>& d) {
  if (!d) return nullptr;
  return {{"control_plane", d->control_plane},
          {"plane", d->plane},
          {"runtime", d->runtime},
          {"layout", d->layout},
          {"target", d->target},
          {"requires", d->requires_},
          {"advice", d->advice},
          {"rules", d->rules}};
}

Json json(const Placement& p) {
  if (p.verdict.empty()) return nullptr;
  return {{"verdict", p.verdict},
          {"pools", p.pools},
          {"leaf_switches", p.leaf_switches},
          {"certificate", p.certificate.empty() ? Json(nullptr) : Json(p.certificate)}};
}

Json json(const Resources& r) {
  return {{"nodes", or_null(r.nodes)},         {"pods", or_null(r.pods)},
          {"gpus", or_null(r.gpus)},           {"cpus", or_null(r.cpus)},
          {"memory_bytes", or_null(r.memory)}, {"time_limit_ms", or_null(r.time_limit_ms)},
          {"tasks", or_null(r.tasks)},         {"tasks_at_once", or_null(r.at_once)}};
}

// Amounts of money and hours as decimal texts: no float says them exactly.
Json json(const Cost& c) {
  const auto hours = [](const std::optional<std::int64_t>& seconds) {
    return seconds ? Json(decimal(hundredths_of_hours(*seconds))) : Json(nullptr);
  };
  const auto money = [&] { return decimal(*c.micros / 10'000 + (*c.micros % 10'000 >= 5'000)); };
  return {{"gpu_seconds", or_null(c.gpu_seconds)},
          {"gpu_hours", hours(c.gpu_seconds)},
          {"cpu_hours", hours(c.cpu_seconds)},
          {"node_hours", hours(c.node_seconds)},
          {"money", c.micros ? Json(money()) : Json(nullptr)},
          {"at_most", c.at_most}};
}

// One sum of a total.
Json json(const Sum& sum, std::string (*text)(std::int64_t)) {
  if (!sum.value) return {{"value", nullptr}, {"unknown", sum.unknown}};
  const std::int64_t value = *sum.value;
  const std::string shown = text(value < 0 ? -value : value);
  return {{"value", (value < 0 ? "-" : "") + shown}, {"unknown", sum.unknown}};
}

Json json(const Total& total) {
  const auto hours = [](std::int64_t seconds) { return decimal(hundredths_of_hours(seconds)); };
  const auto money = [](std::int64_t micros) { return decimal(micros / 10'000 + (micros % 10'000 >= 5'000)); };
  const auto gpus = [](std::int64_t count) { return std::to_string(count); };
  return {{"gpu_hours", json(total.gpu_seconds, +hours)},
          {"cpu_hours", json(total.cpu_seconds, +hours)},
          {"money", json(total.micros, +money)},
          {"gpus_at_once", json(total.gpus, +gpus)},
          {"at_most", total.at_most}};
}

Json json(const Finding& f) {
  Json out = {{"code", f.code},       {"name", f.name}, {"severity", severity_name(f.severity)},
              {"message", f.message}, {"key", f.key},   {"place", json(f.place)}};
  if (!f.proposed.empty()) out["proposed"] = f.proposed;
  return out;
}

Json json(const lint::Added& a) {
  return {{"kind", lint::name(a.kind)},
          {"rule", a.rule},
          {"file", a.file},
          {"line", a.line == 0 ? Json(nullptr) : Json(a.line)},
          {"subject", a.subject},
          {"reason", a.reason}};
}

Json json(const RuleEffect& e) {
  return {{"id", e.id},
          {"site", e.site.empty() ? Json(nullptr) : Json(e.site)},
          {"changes", array(e.changes, [](const Change& c) { return json(c); })},
          {"blocked", e.blocked}};
}

Json json(const ObjectChange& o) {
  return {{"kind", o.kind},
          {"namespace", o.name_space},
          {"name", o.name},
          {"status", name(o.status)},
          {"fields", array(o.fields, [](const Change& c) { return json(c); })}};
}

Json json(const Flip& flip) {
  return array(flip.facts, [](const Change& c) {
    return Json{{"fact", c.name}, {"from", or_null(c.before)}, {"to", or_null(c.after)}};
  });
}

// {"before": …, "after": …}; null on the side where the workload is not.
template <class Of>
Json sides(const Item& item, Of of) {
  return {{"before", item.before ? json(of(*item.before)) : Json(nullptr)},
          {"after", item.after ? json(of(*item.after)) : Json(nullptr)}};
}

constexpr const char* forms[] = {"spec", "script", "manifest"};

Json origin_json(const Item& item) {
  if (item.status != Status::moved) return nullptr;
  return {{"id", item.before->id}, {"file", item.before->file}};
}

Json json(const Item& item) {
  const auto finding = [](const Finding& f) { return json(f); };
  const auto allowed = [](const Finding& f) {
    Json out = json(f);
    out["reason"] = f.accepted;
    return out;
  };
  return {{"id", item.id},
          {"site", item.site.empty() ? Json(nullptr) : Json(item.site)},
          {"status", name(item.status)},
          {"blocked", item.blocked},
          {"cause", name(item.cause)},
          {"file", item.shown().file},
          {"moved_from", origin_json(item)},
          {"form", forms[static_cast<std::size_t>(item.shown().form)]},
          {"facts", array(item.facts, fact_json)},
          {"decision", sides(item, [](const Workload& w) { return w.decision; })},
          {"placement", sides(item, [](const Workload& w) { return w.placement; })},
          {"resources", sides(item, [](const Workload& w) { return w.resources; })},
          {"cost", sides(item, [](const Workload& w) { return w.cost; })},
          {"objects", array(item.objects, [](const ObjectChange& o) { return json(o); })},
          {"findings",
           {{"new", array(item.new_findings, finding)},
            {"fixed", array(item.fixed_findings, finding)},
            {"unknown", array(item.unknown_findings, finding)},
            {"allowed", array(item.allowed_findings, allowed)},
            {"kept", item.kept_findings}}},
          {"flips", array(item.flips, [](const Flip& f) { return json(f); })}};
}

Json json(const Policy& p) {
  return {{"site", p.site}, {"profile", p.profile}, {"version", p.version}, {"sha256", p.sha256}};
}

Json json(const PolicyChange& c) {
  return {{"before", json(c.before)},
          {"after", json(c.after)},
          {"step", c.step.empty() ? Json(nullptr) : Json(c.step)},
          {"cells", c.cells},
          {"changed_cells", c.changed_cells},
          {"changes", c.changes},
          {"site", array(c.site, [](const SiteChange& s) {
             Json out = json(s.key);
             out["touches"] = s.touches;
             return out;
           })}};
}

Json left_out(const Review& review) {
  Json out = Json::array();
  const auto add = [&](const std::vector<LeftOut>& files, const char* side) {
    for (const LeftOut& left : files) out.push_back({{"side", side}, {"file", left.file}, {"why", left.why}});
  };
  add(review.left_out_base, "base");
  add(review.left_out_head, "head");
  return out;
}

}  // namespace

std::string write_json(const Review& review, const ReportOptions& options) {
  Json out = {{"schema", "muster.review/v1"},
              {"muster", options.version},
              {"key", options.key},
              {"base", review.base},
              {"head", review.head},
              {"summary",
               {{"blocked", review.blocked},
                {"changed", review.changed},
                {"added", review.added},
                {"removed", review.removed},
                {"moved", review.moved},
                {"unchanged", review.unchanged}}},
              {"total",
               {{"text", total_text(review)},
                {"change", json(total_of_change(review))},
                {"tenants", array(tenants_of_change(review),
                                  [](const TenantUse& use) {
                                    return Json{{"tenant", use.tenant}, {"gpus", use.gpus}, {"of", use.of}};
                                  })},
                {"whole", review.whole ? json(*review.whole) : Json(nullptr)}}},
              {"policies", array(review.policies, [](const PolicyChange& c) { return json(c); })},
              {"workloads", array(review.items, [](const Item& item) { return json(item); })},
              {"left_out", left_out(review)},
              {"files", array(review.accounts,
                              [](const lint::Account& a) {
                                return Json{{"file", a.file},
                                            {"is", lint::name(a.fate)},
                                            {"why", a.why.empty() ? Json(nullptr) : Json(a.why)}};
                              })},
              {"unjudged", array(review.unjudged, [](const lint::Account& a) { return Json(a.file); })},
              {"notes", review.notes}};
  if (!review.policy_from.empty()) {
    out["policy_from"] = review.policy_from;
    out["added_suppressions"] = array(review.suppressions, [](const lint::Added& a) { return json(a); });
    out["rule_effects"] = array(review.rule_effects, [](const RuleEffect& e) { return json(e); });
  }
  return safe_to_print(out.dump(2, ' ', false, Json::error_handler_t::replace), TextForm::json) + "\n";
}

}  // namespace muster::review
