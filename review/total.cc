#include "review/total.h"

#include <algorithm>
#include <map>

#include "compiler/base/text.h"
#include "review/compare.h"
#include "review/cost.h"
#include "review/documents.h"
#include "review/number.h"
#include "review/wording.h"

namespace muster::review {
namespace {

constexpr std::int64_t million = 1'000'000;

using Measure = Number (*)(const Workload&);

bool uses_no_gpus(const Workload& w) { return !w.runs || w.resources.gpus == 0; }
bool uses_no_cpus(const Workload& w) { return !w.runs || w.resources.gpus != 0; }
bool uses_nothing(const Workload& w) { return !w.runs; }

Number seconds_of(const Workload& w) { return uses_no_gpus(w) ? Number(0) : w.cost.gpu_seconds; }
// Of what runs without GPUs.
Number cpu_seconds_of(const Workload& w) { return uses_no_cpus(w) ? Number(0) : w.cost.cpu_seconds; }
Number money_of(const Workload& w) { return !w.runs ? Number(0) : w.cost.micros; }

// Whether an object may use more or less than before, where what it uses is not known: a number in it changed, or, of a
// job script, an option.
bool changes_amounts(const ObjectChange& change) {
  if (change.status != Status::changed) return true;
  const bool script = change.kind == "sbatch";
  return std::any_of(change.fields.begin(), change.fields.end(), [&](const Change& field) {
    const auto counts = [&](const std::optional<std::string>& value) { return value && (script || is_amount(*value)); };
    return !is_line(field) && (counts(field.before) || counts(field.after));
  });
}

// What both sides use is not known, but nothing that could change it differs.
bool uses_the_same(const Item& item) {
  return item.on_both() && item.before->resources == item.after->resources && item.before->cost == item.after->cost &&
         item.before->placement.pools == item.after->placement.pools &&
         std::none_of(item.objects.begin(), item.objects.end(), changes_amounts);
}

Number difference_of(const Item& item, Measure measure) {
  const Number before = item.before ? measure(*item.before) : Number(0);
  const Number after = item.after ? measure(*item.after) : Number(0);
  if (before && after) return sum(after, -*before);
  return !before && !after && uses_the_same(item) ? Number(0) : std::nullopt;
}

using UsesNone = bool (*)(const Workload&);

bool has_any(const Item& item, UsesNone uses_none) {
  return (item.before && !uses_none(*item.before)) || (item.after && !uses_none(*item.after));
}

// Adds up what is known; where something has GPUs and none of it is known there is no sum.
class Adder {
 public:
  void add(const Number& number, bool counts, const std::string& title) {
    if (!number) return out_.unknown.push_back(title);
    sum_ = sum(sum_, number);
    known_ |= counts;
    nothing_ &= !counts;
  }
  Sum take() {
    if (known_ || (nothing_ && out_.unknown.empty())) out_.value = sum_;
    return std::move(out_);
  }

 private:
  Sum out_;
  Number sum_ = 0;
  bool known_ = false, nothing_ = true;
};

// One workload as the sites of a review see it: it runs on one of them, so it counts once. Where the sites disagree, as
// their prices do, its amount is not known.
class OnSites {
 public:
  void add(const Number& number, bool counts, const std::string& title) {
    if (sites_++ == 0) number_ = number, title_ = title;
    else if (number_ != number) number_.reset();
    counts_ |= counts;
  }
  void add_to(Adder& out) const { out.add(number_, counts_, title_); }

 private:
  Number number_;
  std::string title_;
  bool counts_ = false;
  std::size_t sites_ = 0;
};

// Two of one id and site are different workloads, and each counts.
class Counted {
 public:
  OnSites& of(const std::string& id, const std::string& site) {
    const std::size_t nth = seen_[{id, site}]++;
    const auto [found, fresh] = index_.try_emplace({id, nth}, workloads_.size());
    if (fresh) workloads_.emplace_back();
    return workloads_[found->second];
  }
  Sum take() const {
    Adder out;
    for (const OnSites& workload : workloads_) workload.add_to(out);
    return out.take();
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> seen_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> index_;
  std::vector<OnSites> workloads_;  // in the order of the review
};

Sum of_change(const Review& review, Measure measure, UsesNone uses_none = uses_no_gpus) {
  Counted out;
  for (const Item& item : review.items)
    out.of(item.id, item.site).add(difference_of(item, measure), has_any(item, uses_none), title(item));
  return out.take();
}

Sum of_tree(const std::vector<Workload>& workloads, Measure measure, UsesNone uses_none = uses_no_gpus) {
  Counted out;
  for (const Workload& w : workloads) out.of(w.id, w.site).add(measure(w), !uses_none(w), w.id);
  return out.take();
}

std::string sign_of(std::int64_t value) { return value < 0 ? "-" : "+"; }
std::int64_t size_of(std::int64_t value) { return value < 0 ? -value : value; }

// " (not known for 2 workloads)".
std::string without(std::int64_t unknown) {
  return unknown == 0 ? "" : " (not known for " + counted(unknown, "workload") + ")";
}
std::string without(const Sum& sum) { return without(static_cast<std::int64_t>(sum.unknown.size())); }

std::string at_once_text(const Total& total, const std::vector<TenantUse>& tenants) {
  std::string out;
  std::int64_t unknown = 0;
  for (const TenantUse& use : tenants) unknown += use.unknown;
  for (const TenantUse& use : tenants)
    out += (out.empty() ? "" : ", ") + with_thousands(use.gpus) + " of " +
           (tenants.size() == 1 ? "the tenant's " : "tenant " + use.tenant + "'s ") + with_thousands(use.of) + " GPUs";
  const bool says_more = !total.gpu_seconds.value || total.gpus.value.value_or(0) != 0;
  if (!out.empty()) return out + " at once" + without(unknown);
  if (total.gpus.value && says_more)
    out = sign_of(*total.gpus.value) + with_thousands(size_of(*total.gpus.value)) +
          (size_of(*total.gpus.value) == 1 ? " GPU" : " GPUs");
  return out.empty() ? out : out + " at once" + without(total.gpus);
}

const Sum& sum_of(const SpendLimit& budget, const Total& total) {
  switch (budget.of) {
    case SpendLimit::Of::cost: return total.micros;
    case SpendLimit::Of::gpu_hours: return total.gpu_seconds;
    case SpendLimit::Of::cpu_hours: return total.cpu_seconds;
    case SpendLimit::Of::gpus: break;
  }
  return total.gpus;
}

// Whether the value, in units of the sum, is more than so many millionths.
bool exceeds(const SpendLimit& budget, std::int64_t value) {
  if (budget.of == SpendLimit::Of::cost) return value > budget.most;
  const std::int64_t unit = budget.of == SpendLimit::Of::gpus ? 1 : 3600;
  __extension__ using Wide = __int128;  // a product of both may be larger than either
  return static_cast<Wide>(value) * million > static_cast<Wide>(budget.most) * unit;
}

bool is_at_most(const Workload& w) {
  return w.cost.at_most &&
         std::max({w.cost.gpu_seconds.value_or(0), w.cost.cpu_seconds.value_or(0), w.cost.micros.value_or(0)}) > 0;
}

}  // namespace

std::optional<std::int64_t> gpus_at_once(const Workload& w) {
  if (uses_no_gpus(w)) return 0;
  const Resources& r = w.resources;
  if (!r.tasks) return r.gpus;
  return product(r.gpus, std::min(*r.tasks, r.at_once.value_or(*r.tasks)));
}

Total total_of_change(const Review& review) {
  Total out{of_change(review, seconds_of), of_change(review, cpu_seconds_of, uses_no_cpus),
            of_change(review, money_of, uses_nothing), of_change(review, gpus_at_once)};
  for (const Item& item : review.items)
    out.at_most |= (item.before && is_at_most(*item.before)) || (item.after && is_at_most(*item.after));
  return out;
}

Total total_of(const std::vector<Workload>& workloads) {
  Total out{of_tree(workloads, seconds_of), of_tree(workloads, cpu_seconds_of, uses_no_cpus),
            of_tree(workloads, money_of, uses_nothing), of_tree(workloads, gpus_at_once)};
  for (const Workload& w : workloads) out.at_most |= is_at_most(w);
  return out;
}

std::vector<TenantUse> tenants_of_change(const Review& review) {
  std::map<std::string, TenantUse> out;
  for (const Item& item : review.items) {
    if (!item.after || item.after->tenant.empty() || !item.after->tenant_gpus || uses_no_gpus(*item.after)) continue;
    const Number gpus = gpus_at_once(*item.after);
    TenantUse& use = out[item.site + "\n" + item.after->tenant];
    use.tenant = item.after->tenant;
    use.unknown += !gpus;
    use.gpus = sum(use.gpus, gpus.value_or(0)).value_or(INT64_MAX);
    use.of = std::max(use.of, *item.after->tenant_gpus);
  }
  std::vector<TenantUse> list;
  for (auto& [key, use] : out) list.push_back(std::move(use));
  return list;
}

std::string total_text(const Review& review) {
  if (review.items.empty()) return {};
  const Total total = total_of_change(review);
  const Number &hours = total.gpu_seconds.value, &cpu_hours = total.cpu_seconds.value, &money = total.micros.value;
  const bool has_cpu_work = cpu_hours && *cpu_hours != 0;
  std::vector<std::string> parts;
  if (hours && (*hours != 0 || !has_cpu_work || !total.gpu_seconds.unknown.empty()))
    parts.push_back(sign_of(*hours) + hours_text(size_of(*hours)) + " GPU-hours" + without(total.gpu_seconds));
  if (has_cpu_work)
    parts.push_back(sign_of(*cpu_hours) + hours_text(size_of(*cpu_hours)) + " CPU-hours without GPUs" +
                    without(total.cpu_seconds));
  const bool priced = std::any_of(review.items.begin(), review.items.end(), [](const Item& item) {
    return (item.before && item.before->cost.micros) || (item.after && item.after->cost.micros);
  });
  if (money && priced) parts.push_back(sign_of(*money) + money_text(size_of(*money)) + without(total.micros));
  const std::string out = (total.at_most && !parts.empty() ? "at most " : "") + joined(parts);
  const std::string at_once = at_once_text(total, tenants_of_change(review));
  if (out.empty() && at_once.empty() && !total.gpus.unknown.empty())
    return "GPUs are not known for " + counted(static_cast<std::int64_t>(total.gpus.unknown.size()), "workload");
  return out + (out.empty() || at_once.empty() ? "" : "; ") + at_once;
}

std::optional<SpendLimit> limit_of(std::string_view text) {
  const std::size_t at = text.find('>');
  if (at == text.npos) return std::nullopt;
  SpendLimit out;
  out.text = text;
  std::string_view name = text.substr(0, at);
  if (name.starts_with("total-")) out.whole = true, name.remove_prefix(6);
  if (name == "gpu-hours") out.of = SpendLimit::Of::gpu_hours;
  else if (name == "cpu-hours") out.of = SpendLimit::Of::cpu_hours;
  else if (name == "gpus") out.of = SpendLimit::Of::gpus;
  else if (name != "cost") return std::nullopt;
  const Number most = micros_of(text.substr(at + 1));
  if (!most) return std::nullopt;
  out.most = *most;
  return out;
}

Kept check(const SpendLimit& budget, const Total& total) {
  const Sum& sum = sum_of(budget, total);
  const bool over = sum.value && exceeds(budget, *sum.value);
  // What is not known only adds to a whole.
  if (over && (budget.whole || sum.unknown.empty())) return Kept::exceeded;
  return sum.unknown.empty() && sum.value ? Kept::kept : Kept::unknown;
}

std::string unknown_text(const SpendLimit& budget, const Total& total) {
  const Sum& sum = sum_of(budget, total);
  const char* const what = budget.of == SpendLimit::Of::cost        ? "the cost"
                           : budget.of == SpendLimit::Of::gpu_hours ? "the number of GPU-hours"
                           : budget.of == SpendLimit::Of::cpu_hours ? "the number of CPU-hours"
                                                                    : "the number of GPUs";
  std::string who = sum.unknown.empty() ? "the trees" : "`" + sum.unknown.front() + "`";
  if (sum.unknown.size() > 1) who += " and " + counted(static_cast<long long>(sum.unknown.size() - 1), "other");
  return std::string(what) + " of " + who + " is not known, so `" + budget.text + "` cannot be checked";
}

}  // namespace muster::review
