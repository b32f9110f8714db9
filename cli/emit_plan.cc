// Facts, decision, placement and documents as JSON.
#include "cli/emit.h"

#include <algorithm>

#include "rules/digest.h"

namespace muster::cli {
namespace {

Json certificate_json(const std::optional<plan::Certificate>& c) {
  if (!c) return nullptr;
  return {{"kind", c->kind}, {"need", c->need}, {"have", c->have}, {"missing", c->missing}, {"text", c->text}};
}

// Of one GPU: a slice by its memory slices, or a share.
Json part_json(const plan::PlacedPart& part) {
  if (part.slices == 0) return {{"percent", part.percent}};
  Json slices = Json::array();
  for (std::uint32_t slice = 0; part.slices >> slice != 0; ++slice)
    if ((part.slices >> slice & 1U) != 0) slices.push_back(slice);
  return {{"profile", part.profile}, {"memory_slices", std::move(slices)}};
}

Json level_json(const plan::Level& level) {
  Json out = {{"verdict", plan::name(level.verdict)}};
  if (level.certificate) out["certificate"] = certificate_json(level.certificate);
  if (!level.note.empty()) out["note"] = level.note;
  return out;
}

Json choices_json(const std::vector<plan::Choice>& choices) {
  Json out = Json::array();
  for (const plan::Choice& c : choices)
    out.push_back({{"id", c.value}, {"rule", c.rule}, {"reason", c.reason}, {"because", c.because}});
  return out;
}

// What satisfies a requirement, and what must hold besides.
Json addons_json(const model::Policy& policy, const std::string& requirement) {
  Json out = Json::array();
  for (const model::Addon* addon : addons_for(policy, requirement)) {
    out.push_back({{"id", addon->name}});
    if (!addon->needs.empty()) out.back()["needs"] = addon->needs;
    if (!addon->versions.empty()) out.back()["versions"] = addon->versions;
    out.back()["source"] = addon->source;
  }
  return out;
}

}  // namespace

std::vector<const model::Addon*> addons_for(const model::Policy& policy, const std::string& requirement) {
  std::vector<const model::Addon*> out;
  for (const model::Addon& addon : policy.addons)
    if (std::find(addon.satisfies.begin(), addon.satisfies.end(), requirement) != addon.satisfies.end())
      out.push_back(&addon);
  return out;
}

Json to_json(const plan::Facts& facts, const Sources& sources) {
  Json out = Json::array();
  for (const plan::Fact& f : facts.items) {
    out.push_back(
        {{"name", f.name}, {"value", to_json(f.value)}, {"source", plan::name(f.source)}, {"reason", f.reason}});
    if (f.span.known()) out.back()["at"] = sources.place(f.span);
  }
  return out;
}

Json policy_json(const model::Policy& policy) {
  return {{"profile", policy.name}, {"profile_version", policy.version}, {"policy_sha256", rules::digest(policy)}};
}

Json to_json(const std::vector<rules::NamedValue>& facts) {
  Json out = Json::object();
  for (const rules::NamedValue& fact : facts) out[fact.name] = to_json(fact.value);
  return out;
}

Json to_json(const plan::Decision& d, const model::Policy& policy) {
  Json rules = Json::array();
  for (const plan::Choice& c : d.choices)
    rules.push_back({{"output", c.output},
                     {"value", c.value},
                     {"rule", c.rule},
                     {"reason", c.reason},
                     {"cite", c.cite},
                     {"because", c.because}});
  Json requires_ = choices_json(d.requires_);
  for (Json& item : requires_) item["satisfied_by"] = addons_json(policy, item["id"].get<std::string>());
  Json out = policy_json(policy);
  out.update(Json{{"control_plane", d.control_plane},
                  {"runtime", d.runtime},
                  {"layout", d.layout},
                  {"requires", std::move(requires_)},
                  {"advice", choices_json(d.advice)},
                  {"plane", d.plane},
                  {"target", d.target},
                  {"rules", std::move(rules)}});
  return out;
}

namespace {

Json at_once_json(const plan::AtOnce& all) {
  const auto number = [](const std::optional<std::int64_t>& count) { return count ? Json(*count) : Json(nullptr); };
  return {{"unit", plan::name(all.unit)}, {"needed", all.needed},         {"possible", number(all.possible)},
          {"in_all", all.in_all},         {"capacity", number(all.room)}, {"policy", number(all.allowed)},
          {"now", number(all.room_now)}};
}

}  // namespace

Json to_json(const plan::Fit& fit, const model::Workload& workload) {
  Json placements = Json::array();
  for (const plan::PlacedNode& p : fit.placements) {
    placements.push_back({{"role", p.role}, {"replica", p.replica}, {"node", p.node}, {"gpus", p.gpus}});
    if (p.part) placements.back()["part"] = part_json(*p.part);
  }
  std::optional<plan::Certificate> worst;
  for (const plan::Level* level : {&fit.now, &fit.policy, &fit.capacity})
    if (level->certificate) worst = level->certificate;
  Json out = {
      {"id", workload.id},
      {"verdict", plan::name(fit.verdict)},
      {"placed_before", fit.placed_before},
      {"levels",
       {{"capacity", level_json(fit.capacity)}, {"policy", level_json(fit.policy)}, {"now", level_json(fit.now)}}},
      {"at_once", at_once_json(fit.at_once)},
      {"pool", fit.pool},
      {"leaf_switches", fit.leaf_switches},
      {"leaf_lower_bound", fit.leaf_lower_bound},
      {"spines", fit.spines},
      {"spine_lower_bound", fit.spine_lower_bound},
      {"placements", std::move(placements)},
      {"certificate", certificate_json(worst)}};
  if (!fit.borrowed.empty()) out["borrowed"] = fit.borrowed;
  if (!fit.queue_reason.empty()) out["queue_reason"] = fit.queue_reason;
  if (!fit.otherwise.empty()) out["otherwise"] = fit.otherwise;
  if (const std::size_t more = fit.placed_before_count - fit.placed_before.size(); more > 0)
    out["placed_before_more"] = more;
  if (const auto& growth = fit.growth)
    out["growth"] = {{"of", growth->of_nodes ? "nodes" : "replicas"},
                     {"low", growth->low},
                     {"high", growth->high},
                     {"to", growth->to}};
  return out;
}

Json to_json(const targets::Lowered& lowered) {
  Json out = Json::array();
  for (const targets::Document& d : lowered.documents) out.push_back({{"name", d.name}, {"content", d.content}});
  return {{"documents", std::move(out)}, {"submit", lowered.submit}};
}

}  // namespace muster::cli
