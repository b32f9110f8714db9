#include "driver/planning.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/attachment.h"
#include "compiler/model/module.h"
#include "driver/rules_input.h"
#include "rules/profiles.h"
#include "rules/verify.h"

namespace muster::driver {

std::optional<Setting> make_setting(Session& session, const std::string& profile) {
  return make_setting(session, profile, session.site());
}

std::optional<Setting> make_setting(Session& session, const std::string& profile, const model::Site* site) {
  Setting out;
  out.site = site;
  if (site == nullptr) return std::nullopt;
  out.use(session.fleet(*out.site));
  session.read_existing(*out.site, out.fleet);
  if (session.diagnostics().has_errors()) return std::nullopt;
  if (!profile.empty()) {
    out.policy = rules::profile(profile);
    return out;
  }
  const model::Policy* own = session.policy(site);
  if (session.diagnostics().has_errors()) return std::nullopt;
  if (own == nullptr) out.policy = rules::profile("default");
  else if (usable(*own, session.inputs().as_of, own->span, session.diagnostics())) out.policy = *own;
  else return std::nullopt;
  return out;
}

bool usable(const model::Policy& policy, const std::string& as_of, Span where, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  check_expiry(policy, as_of, diagnostics);
  for (const rules::Finding& finding : rules::verify(policy).findings) {
    const std::string cell =
        finding.witness ? ", first for " + rules::describe(policy, *finding.witness) : std::string();
    diagnostics.add(finding.kind == rules::Finding::Kind::too_large ? Code::rules_too_large : Code::policy_not_proven,
                    finding.span.known() ? finding.span : where, finding.text + cell);
  }
  return diagnostics.size() == before;
}

namespace {

void report_unattached(const model::FabricAttachment& fabric, const model::Fleet& fleet, Diagnostics& diagnostics) {
  std::vector<std::string_view> known;
  for (const model::Pool& pool : fleet.pools)
    if (!pool.fabric.empty() && std::find(known.begin(), known.end(), pool.fabric) == known.end())
      known.push_back(pool.fabric);
  Diagnostic& d =
      diagnostics.add(Code::unknown_name, fabric.span,
                      "fabric `" + fabric.name + "` is not the `network.fabric` of any pool it can attach to");
  d.notes.push_back(known.empty() ? "no pool of fleet " + fleet.name + " declares `network { fabric = … }`"
                                  : "the pools of fleet " + fleet.name + " declare " + quoted_list(known));
  d.notes.push_back("name the block after the `network.fabric` of its pools, which `pools` may only narrow");
}

}  // namespace

bool fabrics_attach(const Setting& setting, Diagnostics& diagnostics) {
  if (setting.fleet == nullptr) return true;
  const std::size_t before = diagnostics.size();
  for (const model::FabricAttachment& fabric : setting.site->fabrics) {
    const auto pools = model::pools_of(fabric, *setting.site, *setting.fleet);
    if (pools.empty()) report_unattached(fabric, *setting.fleet, diagnostics);
    else if (fabric.domain_claim && std::none_of(pools.begin(), pools.end(), [](const model::Pool* pool) {
               return model::largest_nvlink_domain(*pool) > 1;
             }))
      diagnostics
          .add(Code::conflict, fabric.span,
               "`domain-claim` of fabric `" + fabric.name + "` has no effect: its pools declare no NVLink domains")
          .notes.push_back("add `nvlink-domain { nodes = 18 }` to the pools whose nodes share NVLink, or remove it");
  }
  return diagnostics.size() == before;
}

plan::PlanRequest request_for(const model::Workload* workload, const Session& session, const Setting& setting) {
  plan::PlanRequest out;
  out.workload = workload;
  out.workloads = session.compilation();
  out.site = setting.site;
  out.site_given = session.site_given();
  out.fleet = setting.fleet;
  out.state = setting.state.get();
  out.policy = &setting.policy;
  return out;
}

bool may_start(const plan::Plan& plan, Diagnostics& diagnostics) {
  const model::Workload& w = *plan.workload;
  if (plan.plane == nullptr && plan.decision.target.empty()) {
    diagnostics.add(Code::no_plane, w.span,
                    "site `" + plan.site->name + "` has no plane that can run `" + w.name + "`");
    return false;
  }
  for (const plan::Level* level : {&plan.fit.policy, &plan.fit.capacity}) {
    if (level->verdict != plan::Verdict::does_not_fit || !level->certificate) continue;
    Diagnostic& d =
        diagnostics.add(Code::does_not_fit, w.span, "`" + w.name + "` does not fit: " + level->certificate->text);
    for (const plan::LostOption& option : plan.lost) d.notes.push_back("option " + option.name + ": " + option.why);
    return false;
  }
  // Without a fleet the fit is not asked.
  if (plan.plane != nullptr && plan.fleet != nullptr && plan::startable(plan.fit) == plan::Verdict::unknown) {
    const std::string& note = plan.fit.capacity.note.empty() ? plan.fit.policy.note : plan.fit.capacity.note;
    diagnostics.add(Code::fit_unknown, w.span,
                    "it is not known whether `" + w.name + "` fits" + (note.empty() ? "" : ": " + note));
  }
  return true;
}

}  // namespace muster::driver
