#include "plan/quota/licenses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/model/license.h"
#include "plan/verdict.h"

namespace muster::plan {
namespace {

bool declares_licenses(const model::Site& site, const model::Plane& plane) {
  return std::any_of(site.licenses.begin(), site.licenses.end(),
                     [&](const model::License& l) { return l.plane.empty() || l.plane == plane.name; });
}

// Of a license server, of which Slurm's database says how many there are: `matlab@flex1`.
bool is_remote(const std::string& name) { return name.find('@') != std::string::npos; }

std::optional<Certificate> shortage(const model::Site& site, const model::Plane& plane, const std::string& name,
                                    std::int64_t need) {
  const model::License* has = site.licenses.find(name, plane);
  const std::int64_t have = has == nullptr ? 0 : has->count;
  if (has != nullptr && need <= have) return std::nullopt;
  return Certificate{"quota", need, have, need - have,
                     "requests " + counted(need, "license") + " `" + printable(name) + "`; site " + site.name +
                         (has == nullptr ? " does not have it" : " has " + std::to_string(have))};
}

}  // namespace

void hold_to_licenses(const model::Site& site, const model::Plane& plane, const model::Workload& workload, Fit& fit) {
  if (plane.batch() == nullptr || workload.licenses.empty()) return;
  std::map<std::string, std::int64_t> asked;
  for (const auto& text : workload.licenses)
    if (const auto one = model::read_license(text.value)) asked[one->name] += one->count;
  const bool declared = declares_licenses(site, plane);
  for (const auto& [name, need] : asked) {
    if (site.licenses.find(name, plane) == nullptr && (!declared || is_remote(name))) {
      fit.policy.verdict = worse(fit.policy.verdict, Verdict::unknown);
      fit.verdict = worse(fit.verdict, Verdict::unknown);
      add_note(fit.policy,
               "site " + site.name + " does not declare how many licenses `" + printable(name) + "` there are");
      continue;
    }
    auto found = shortage(site, plane, name, need);
    if (!found) continue;
    if (fit.policy.verdict == Verdict::does_not_fit) return add_note(fit.policy, "also " + found->text);
    fit.policy = {Verdict::does_not_fit, std::move(found), {}};
    fit.verdict = Verdict::does_not_fit;
    return;
  }
}

}  // namespace muster::plan
