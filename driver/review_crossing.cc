#include "driver/review_crossing.h"

#include <algorithm>
#include <tuple>

#include "compiler/base/text.h"
#include "compiler/model/plane_traits.h"
#include "driver/review_site.h"
#include "rules/diff.h"
#include "rules/explain.h"

namespace muster::driver {
namespace {

constexpr std::size_t most_flips = 4;

std::string only_in(const std::vector<std::string>& of, const std::vector<std::string>& without) {
  std::vector<std::string> out;
  std::copy_if(of.begin(), of.end(), std::back_inserter(out), [&](const std::string& word) {
    return std::find(without.begin(), without.end(), word) == without.end();
  });
  return joined(out);
}

// The first output that changed, and what it would have to go back from and to.
struct Question {
  std::string output, from, to;
};

Question question(const review::Decision& before, const review::Decision& after) {
  const std::string old_plane(model::control_plane_of(before.control_plane));
  const std::string new_plane(model::control_plane_of(after.control_plane));
  if (old_plane != new_plane) return {"control-plane", new_plane, old_plane};
  if (before.runtime != after.runtime) return {"runtime", after.runtime, before.runtime};
  if (before.layout != after.layout) return {"layout", after.layout, before.layout};
  if (before.requires_ == after.requires_) return {};
  return {"requires", only_in(after.requires_, before.requires_), only_in(before.requires_, after.requires_)};
}

bool same_waivers(const LintBase& a, const LintBase& b) {
  const auto same = [](const model::Waiver& x, const model::Waiver& y) {
    return std::tie(x.code, x.subject, x.reason, x.owner, x.expires) ==
           std::tie(y.code, y.subject, y.reason, y.owner, y.expires);
  };
  const auto &one = a.own_waivers(), &other = b.own_waivers();
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), same);
}

review::Flip flip_of(const rules::Flip& flip) {
  review::Flip out;
  for (const rules::Change& c : flip.changes)
    out.facts.push_back({c.fact, model::to_string(c.from), model::to_string(c.to)});
  return out;
}

}  // namespace

const Judge* CrossedSide::judge_of(const std::string& path, bool own_site) {
  if (!own_site) return &judge_;
  if (own_path_ != path || !own_) own_ = make_own(path);
  own_path_ = path;
  return own_->usable ? &*own_ : nullptr;
}

// A file that the tree of --policy-from has is judged by what it says there.
Judge CrossedSide::make_own(const std::string& path) const {
  std::shared_ptr<const Gate> gate = judge_.gate;
  if (gate && gate->from.text(path, side_.from)) {
    auto own = std::make_shared<Gate>(*gate);
    own->place = {path, gate->from.tree().folder(), "", {}};
    gate = std::move(own);
  }
  return make_judge({path, side_.root, "", {}}, settings_, side_.from, std::move(gate));
}

Crosser::Crosser(const Side& base, const Side& head, const Judge& of_base, const Judge& of_head, bool same,
                 const ReviewSettings& settings)
    : base_(base, of_base, settings),
      head_(head, of_head, settings),
      same_(same),
      new_facts_old_policy_(head, of_base, settings),
      old_facts_new_policy_(base, of_head, settings) {}

std::optional<review::Workload> Crosser::find(const Evaluator& evaluator, const Judge* own, Files& files,
                                              const Origin& origin) {
  const auto [at, is_new] = files.try_emplace(origin.file);
  if (is_new) {
    auto evaluated = own != nullptr ? evaluator.evaluate_for(*own, origin.file) : evaluator.evaluate(origin.file);
    if (evaluated.workloads)
      for (Evaluated& e : *evaluated.workloads) at->second.push_back(std::move(e.workload));
  }
  for (const review::Workload& w : at->second)
    if (w.id == origin.id || w.id + " in " + origin.file == origin.id) return w;
  return std::nullopt;
}

std::vector<review::Flip> Crosser::flips(const review::Decision& before, const review::Decision& after,
                                         const Judge& judge, const std::vector<rules::NamedValue>& facts) {
  const Question wanted = question(before, after);
  if (wanted.output.empty() || facts.empty()) return {};
  std::string key = judge.base->policy().sha256 + "\n" + wanted.output + "\n" + wanted.from + "\n" + wanted.to;
  for (const rules::NamedValue& fact : facts) key += "\n" + fact.name + "=" + model::to_string(fact.value);
  const auto [at, is_new] = flips_.try_emplace(key);
  if (!is_new) return at->second;
  for (const rules::Flip& flip : rules::flips(judge.base->setting().policy, facts, wanted.output).items) {
    const auto goes_back = [&](const rules::OutputChange& c) {
      return c.output == wanted.output && c.from == wanted.from && c.to == wanted.to;
    };
    if (std::any_of(flip.outputs.begin(), flip.outputs.end(), goes_back)) at->second.push_back(flip_of(flip));
  }
  return at->second;
}

// Those that take a fact back to what it was come first: they are what the author can undo. What the site alone says is
// not, unless that is what changed.
std::vector<review::Flip> Crosser::likeliest(std::vector<review::Flip> flips, const review::Item& item) {
  const auto takes_back = [&](const review::Flip& flip) {
    return std::all_of(flip.facts.begin(), flip.facts.end(), [&](const review::Change& to) {
      return std::any_of(item.facts.begin(), item.facts.end(),
                         [&](const review::Change& was) { return was.name == to.name && was.before == to.after; });
    });
  };
  std::erase_if(flips, [&](const review::Flip& flip) {
    return !takes_back(flip) && std::any_of(flip.facts.begin(), flip.facts.end(), [](const review::Change& to) {
      return to.name == "existing" || to.name == "fleet-nodes";
    });
  });
  std::stable_partition(flips.begin(), flips.end(), takes_back);
  flips.resize(std::min(flips.size(), most_flips));
  return flips;
}

// A file that declares its site carries its policy with it: either half of it is tried with the other side's.
void Crosser::cross_own(const review::Item& item, const Origin& before, const Judge* old_judge, const Judge* new_judge,
                        review::Crossing& out) {
  out.asked = true;
  if (old_judge == nullptr || new_judge == nullptr) return;
  out.new_facts_old_policy = find(new_facts_old_policy_, old_judge, new_facts_, {item.after->file, item.id});
  out.old_facts_new_policy = find(old_facts_new_policy_, new_judge, old_facts_, before);
  out.own_policy = policy_change(*old_judge, *new_judge);
}

review::Crossing Crosser::cross(const review::Item& item, const Origin& before,
                                const std::vector<rules::NamedValue>& facts) {
  review::Crossing out{item.id, item.site, {}, {}, {}, false, {}};
  const Judge* judge = head_.judge_of(item.after->file, item.after->own_site);
  if (item.has_own_site()) {
    cross_own(item, before, base_.judge_of(before.file, item.before->own_site), judge, out);
  } else if (!same_ && (item.status == review::Status::moved || item.before->text != item.after->text)) {
    out.asked = true;
    out.new_facts_old_policy = find(new_facts_old_policy_, nullptr, new_facts_, {item.after->file, item.id});
    out.old_facts_new_policy = find(old_facts_new_policy_, nullptr, old_facts_, before);
  }
  if (judge != nullptr && item.before->decision && item.after->decision)
    out.flips = likeliest(flips(*item.before->decision, *item.after->decision, *judge, facts), item);
  return out;
}

review::PolicyChange policy_change(const Judge& base, const Judge& head) {
  review::PolicyChange out{base.policy, head.policy, {}, 0, 0, {}, site_changes(base, head)};
  if (base.policy.sha256 == head.policy.sha256) {
    out.changes.push_back(same_waivers(*base.base, *head.base)
                              ? "the rules are the same"
                              : "the rules in force are the same; waivers of other rules of the policy differ");
    return out;
  }
  const auto diff = rules::diff(base.base->own_policy(), head.base->own_policy());
  if (!diff) return out;
  out.step = rules::name(diff->needed);
  out.cells = static_cast<std::int64_t>(diff->cells);
  out.changes = diff->facts;
  if (!same_waivers(*base.base, *head.base)) out.changes.push_back("the waivers differ");
  for (const rules::DiffItem& item : diff->items) {
    out.changed_cells = std::max(out.changed_cells, static_cast<std::int64_t>(item.cells));
    const std::string what = item.from.empty() ? "gains " + item.to
                             : item.to.empty() ? "loses " + item.from
                                               : item.from + " -> " + item.to;
    out.changes.push_back(item.output + " " + what + " in " + std::to_string(item.cells) + " cells, first where " +
                          (item.boxes.empty() ? "always" : item.boxes.front()));
  }
  return out;
}

}  // namespace muster::driver
