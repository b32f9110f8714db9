#include "review/attribute.h"

#include <map>
#include <utility>

#include "review/moves.h"

namespace muster::review {
namespace {

// The files of a tree may bring the same policy with them.
void add_policy(const PolicyChange& change, std::vector<PolicyChange>& out) {
  const auto same = [](const Policy& a, const Policy& b) { return a.site == b.site && a.sha256 == b.sha256; };
  for (const PolicyChange& known : out)
    if (same(known.before, change.before) && same(known.after, change.after)) return;
  out.push_back(change);
}

Workload without_policy_findings(Workload workload) {
  std::erase_if(workload.findings, [](const Finding& f) { return f.of_policy; });
  return workload;
}

// What is in the workload's own file about its site and rules is the policy's: of the crossings, where that was set
// aside, it is not part.
Cause cause_of(const Item& item, const Crossing& crossing) {
  if (!crossing.new_facts_old_policy || !crossing.old_facts_new_policy) return Cause::unknown;
  const auto plain = [&](const Workload& w) { return item.has_own_site() ? without_policy_findings(w) : w; };
  const Workload after = plain(*item.after);
  const auto from_new = [&](const Workload& w) { return difference(called_as(plain(w), after), after); };
  // What is decided, placed, costed and emitted is what has a cause; findings count where nothing else differs.
  const bool answers = from_new(*item.before).answer();
  const auto is_the_new_one = [&](const Workload& w) { return answers ? !from_new(w).answer() : !from_new(w).any(); };
  if (is_the_new_one(*item.before)) return Cause::policy;
  const bool by_facts = is_the_new_one(*crossing.new_facts_old_policy);
  const bool by_policy = is_the_new_one(*crossing.old_facts_new_policy);
  if (by_facts && by_policy) return Cause::either;
  return by_facts ? Cause::facts : by_policy ? Cause::policy : Cause::both;
}

Cause cause_of(const Item& item, const Crossing* crossing, bool same_policies) {
  if (crossing != nullptr && crossing->asked) return cause_of(item, *crossing);
  if (item.has_own_site()) return Cause::unknown;
  if (item.status == Status::changed && item.before->text == item.after->text) return Cause::policy;
  return same_policies ? Cause::facts : Cause::unknown;
}

}  // namespace

void attribute(Review& review, const std::vector<Crossing>& crossings) {
  const bool same_policies = review.policies.empty();
  std::map<std::pair<std::string, std::string>, const Crossing*> of;  // by id and site
  for (const Crossing& crossing : crossings) of[{crossing.id, crossing.site}] = &crossing;
  for (Item& item : review.items) {
    if (!item.on_both() || !item.differs()) continue;
    const auto found = of.find({item.id, item.site});
    const Crossing* crossing = found == of.end() ? nullptr : found->second;
    item.cause = cause_of(item, crossing, same_policies);
    if (crossing == nullptr) continue;
    item.flips = crossing->flips;
    const bool by_policy = item.cause != Cause::unknown && item.cause != Cause::facts;
    if (by_policy && crossing->own_policy) add_policy(*crossing->own_policy, review.policies);
  }
}

}  // namespace muster::review
