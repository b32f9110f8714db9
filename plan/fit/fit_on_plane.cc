#include "plan/fit/fit_on_plane.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "compiler/base/text.h"
#include "plan/fit/at_once.h"
#include "plan/fit/first_flavor.h"
#include "plan/fit/otherwise.h"
#include "plan/fit/until_reserved.h"
#include "plan/place/place_roles.h"
#include "plan/pools/node_needs.h"
#include "plan/pools/resolve_role.h"
#include "plan/quota/account_limits.h"
#include "plan/quota/amounts.h"
#include "plan/quota/ceilings.h"
#include "plan/quota/flavors.h"
#include "plan/quota/licenses.h"
#include "plan/quota/tenant.h"
#include "plan/verdict.h"

namespace muster::plan {
namespace {

// Where accounts are checked, the workload's is one that the site has. False: reported.
bool account_known(const model::Plane& plane, const FitRequest& request, Diagnostics& diagnostics) {
  const auto& account = request.workload->account;
  if (plane.batch() == nullptr || !plane.batch()->accounting || !account) return true;
  std::vector<std::string_view> known;
  for (const model::Tenant& tenant : request.site->tenants)
    for (const auto& name : tenant.accounts) known.push_back(name.value);
  if (std::find(known.begin(), known.end(), account->value) != known.end()) return true;
  Diagnostic& d = diagnostics.add(Code::unknown_name, account->span,
                                  "site " + request.site->name + " has no account `" + account->value + "`");
  const std::string near = closest(account->value, known);
  if (!near.empty()) d.fixes.push_back({account->span, near, "did you mean `" + near + "`?", false});
  d.notes.push_back("plane " + plane.name + " rejects jobs with an undeclared account");
  return false;
}

// What the tenant borrows for it, and whether its accounts may run it. A tenant that may borrow and is in no cohort
// borrows what the site does not declare.
void ask_tenant(FleetState& state, const model::Plane& plane, const FitRequest& request, OnPlane& out) {
  const model::Tenant& tenant = *out.tenant;
  Level& policy = out.fit.policy;
  if (policy.verdict == Verdict::does_not_fit && tenant.borrow && tenant.borrow->value && !tenant.cohort) {
    std::vector<RolePlan> roles = at_once(*request.workload, out.roles, plane);
    if (place_roles(state, plane, out.queue, nullptr, *request.workload, roles).policy.verdict == Verdict::fits)
      policy = {Verdict::unknown, {}, policy.certificate->text + "; what it can borrow is not declared (`cohort`)"};
    out.fit.verdict = worst_of(out.fit);
  }
  if (policy.verdict == Verdict::fits)
    out.fit.borrowed =
        borrowed_text(tenant, *request.site, amounts_by_pool(*request.workload, out.placed, plane, out.fit.placements));
}

// All roles with the pools that they may have, by what the plane lets them have at once. False: reported.
bool resolve_roles(const FitRequest& request, bool coupled, OnPlane& out, Diagnostics& diagnostics) {
  const bool admitted = !request.no_queue && (request.nodes.empty() || request.one_flavor);
  const std::shared_ptr<const Flavors> flavors = admitted ? Flavors::on(*request.site, *out.plane) : nullptr;
  for (std::size_t i = 0; i < request.workload->roles.size(); ++i) {
    const model::Role& role = request.workload->roles[i];
    if (role.with) continue;
    const model::NodesAsRead* own = i < request.nodes.size() ? &request.nodes[i] : nullptr;
    auto resolved = resolve_role(
        {role, *request.workload, *request.site, *out.plane, request.fleet, out.queue, own, coupled}, diagnostics);
    if (!resolved) return false;
    resolved->flavors = flavors;
    resolved->flavors_by_replica =
        request.nodes.empty() ? request.workload->kind.value == model::Kind::serve : request.flavor_by_replica;
    resolved->pod_sets = own != nullptr ? pod_sets_of_file(request.one_flavor, request.flavor_by_replica)
                                        : pod_sets_of(*request.workload, *out.plane, coupled);
    resolved->same_file = resolved->choices;
    split_choices(*resolved);
    out.roles.push_back(std::move(*resolved));
  }
  return true;
}

}  // namespace

bool fit_on_plane(const FitRequest& request, bool coupled, OnPlane& out, Diagnostics& diagnostics) {
  const model::Plane& plane = *out.plane;
  const model::Site& site = *request.site;
  const model::Workload& workload = *request.workload;
  if (!account_known(plane, request, diagnostics) || !resolve_roles(request, coupled, out, diagnostics)) return false;
  if (!request.no_queue) out.tenant = tenant_of(workload, site, plane, out.queue);
  FleetState own(request.fleet);
  FleetState& state = request.state != nullptr ? *request.state : own;
  out.placed = at_once(workload, out.roles, plane);
  std::optional<model::Tenant> held;
  if (out.tenant != nullptr && is_bounded(*out.tenant)) held = with_ceilings(*out.tenant, site, plane);
  const model::Tenant* tenant = held ? &*held : out.tenant;
  out.fit = place_roles(state, plane, out.queue, tenant, workload, out.placed);
  if (request.fleet != nullptr)
    explain_reservations(state, {plane, out.queue, tenant, *request.fleet, workload, request.nodes, out.roles},
                         out.fit);
  doubt_flavors(out.placed, out.fit);
  if (out.tenant != nullptr) ask_tenant(state, plane, request, out);
  hold_to_account(out.tenant, out.queue, workload, plane, out.placed.front(), out.fit);
  hold_to_licenses(site, plane, workload, out.fit);
  note_preemption(workload, out.fit);
  out.fit.at_once = count_at_once(state, {plane, out.queue, tenant, workload, out.placed}, out.fit);
  name_room(out.fit);
  note_otherwise(state, {plane, out.queue, out.tenant, tenant, site, workload}, out.placed, out.fit);
  take_pools(out.placed, out.roles);
  return true;
}

}  // namespace muster::plan
