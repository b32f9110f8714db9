#include "driver/review_run.h"

#include <algorithm>
#include <iterator>

#include "lint/proposed.h"
#include "review/moves.h"
#include "review/total.h"
#include "review/wording.h"

namespace muster::driver {

namespace fs = std::filesystem;

namespace {

// The body of a script that is the same on both sides is compared with itself, since its path is its name.
void drop_body(review::Workload& workload) {
  if (workload.form != review::Form::script) return;
  for (review::Object& object : workload.objects) std::vector<std::string>().swap(object.lines);
}

review::Workload amounts_of(const review::Workload& workload) {
  review::Workload out;
  out.id = workload.id;
  out.site = workload.site;
  out.runs = workload.runs;
  out.resources = workload.resources;
  out.cost = workload.cost;
  return out;
}

}  // namespace

std::optional<review::Review> ReviewRun::run() {
  Diagnostics diagnostics;
  if (!open_trees(diagnostics) || !read_sides(diagnostics) || !is_whole(diagnostics)) return failed(diagnostics);
  affected_ = affected_files(base_, head_);
  rename_single_file();
  const std::vector<Wanted> wanted = judges_wanted(question_.judges, files_, base_, head_,
                                                   policy_side_ ? &*policy_side_ : nullptr, notes_, diagnostics);
  pairs_.reserve(wanted.size());
  for (const Wanted& one : wanted)
    if (!add_pair(one)) return std::nullopt;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!review_for(wanted[i], pairs_[i])) return std::nullopt;
  if (diagnostics.has_errors()) return failed(diagnostics);
  std::vector<review::PolicyChange> changed = policies();
  review::Review review = review::compare(std::move(base_tree_), std::move(head_tree_), same_);
  if (question_.whole) review.whole = review::total_of(amounts_);
  review.notes = notes_;
  review.policy_from = question_.judges.policy_from;
  lint::sort_added(added_);
  review.suppressions = std::move(added_);
  review.rule_effects = std::move(rule_effects_);
  review.policies = std::move(changed);
  review::attribute(review, cross(review));
  if (!is_whole(diagnostics)) return failed(diagnostics);
  return review;
}

std::nullopt_t ReviewRun::failed(const Diagnostics& diagnostics) {
  reported_.push_back({diagnostics.sorted(), nullptr});
  return std::nullopt;
}

bool ReviewRun::open_trees(Diagnostics& diagnostics) {
  const JudgeQuestion& judges = question_.judges;
  if (judges.git) {
    base_revision_ = open_revision(question_.base, diagnostics);
    head_revision_ = open_revision(question_.head, diagnostics);
  }
  if (!diagnostics.has_errors() && !judges.policy_from.empty())
    policy_tree_ = open_policy(judges.policy_from, diagnostics);
  for (const auto* tree : {&base_revision_, &head_revision_, &policy_tree_})
    if (*tree) files_ = files_.with((*tree)->files());
  return !diagnostics.has_errors();
}

bool ReviewRun::read_sides(Diagnostics& diagnostics) {
  const auto read = [&](const std::string& name, const std::optional<Tree>& tree, const Side* known) {
    return tree ? read_side(name, files_.at(tree->folder()), known, diagnostics) : read_side(name, name, diagnostics);
  };
  auto base = read(question_.base, base_revision_, nullptr);
  auto head = read(question_.head, head_revision_, base ? &*base : nullptr);
  if (!base || !head || diagnostics.has_errors()) return false;
  base_ = std::move(*base);
  head_ = std::move(*head);
  if (!policy_tree_) return true;
  policy_side_ = read(question_.judges.policy_from, policy_tree_, &base_);
  return policy_side_ && !diagnostics.has_errors();
}

// Whether git returned all that was asked for. False: reported.
bool ReviewRun::is_whole(Diagnostics& diagnostics) const {
  for (const auto* tree : {&base_revision_, &head_revision_, &policy_tree_})
    if (*tree) (*tree)->is_whole(diagnostics);
  return !diagnostics.has_errors();
}

std::shared_ptr<const Gate> ReviewRun::gate_for(const Side& side, const Wanted& wanted) const {
  if (!policy_tree_) return nullptr;
  std::vector<fs::path> roots = {side.root};
  if (question_.judges.git) roots.push_back(files_.real(files_.here()));
  return std::make_shared<const Gate>(Gate{PolicyFrom(*policy_tree_, std::move(roots)), wanted.from});
}

// Two files are one that changed, whatever they are called.
void ReviewRun::rename_single_file() {
  if (base_.only.empty() || head_.only.empty() || base_.only == head_.only) return;
  renamed_ = base_.only;
  affected_ = {base_.only, head_.only};
}

bool ReviewRun::add_pair(const Wanted& wanted) {
  Judge base = make_judge(wanted.base, settings_, files_, gate_for(base_, wanted));
  Judge head = base.usable ? make_judge(wanted.head, settings_, files_, gate_for(head_, wanted)) : Judge();
  if (!base.usable || !head.usable) {
    unusable_ = std::move(base.usable ? head : base);
    reported_.push_back({unusable_->session->diagnostics().sorted(), &unusable_->session->sources()});
    return false;
  }
  if (!wanted.label.empty()) base.label = head.label = label_of(head, wanted.label);
  Pair& pair = pairs_.emplace_back();
  pair.base = std::move(base);
  pair.head = std::move(head);
  pair.same = same_meaning(wanted, pair.base, pair.head, affected_);
  take_own_sites(wanted, pair);
  return true;
}

// A site that a side cannot use any more is left to the review after the merge: it does not judge.
void ReviewRun::take_own_sites(const Wanted& wanted, Pair& pair) {
  if (!wanted.is_judged_from()) return;
  Wanted own = wanted;
  own.base = wanted.own_base, own.head = wanted.own_head;
  Judge base = make_judge(own.base, settings_, files_, gate_for(base_, wanted));
  Judge head = make_judge(own.head, settings_, files_, gate_for(head_, wanted));
  if (!head.usable) reported_.push_back({head.session->diagnostics().sorted(), nullptr});
  if (!base.usable || !head.usable || same_meaning(own, base, head, affected_)) return;
  base.label = head.label = pair.head.label;
  pair.own_base = std::move(base), pair.own_head = std::move(head);
  pair.same = false;
}

bool ReviewRun::review_for(const Wanted& wanted, Pair& pair) {
  evaluate(base_, pair.base, pair, false);
  evaluate(head_, pair.head, pair, true);
  merge_overlays(pair);
  for (const auto& [path, file] : head_.files)
    if (pair.same && !affected_.contains(path) && is_judged_by(pair, file.kind)) same_ += count_workloads(head_, path);
  if (question_.whole) add_unchanged_amounts(pair);
  const auto& added = (pair.own_head ? *pair.own_head : pair.head).base->added();
  added_.insert(added_.end(), added.begin(), added.end());
  return add_rule_effects(wanted, pair);
}

// A script or a manifest is for the planes of its kind: a site without one leaves it to the others, if there is one.
// What one side's state of the site takes, the other side is compared with.
bool ReviewRun::is_judged_by(const Pair& judges, FileKind kind) const {
  const auto takes = [kind](const Judge& one) {
    if (!one.usable) return false;  // there is no such side
    if (one.base->site() == nullptr) return true;
    const auto& planes = one.base->site()->planes;
    return std::any_of(planes.begin(), planes.end(), [kind](const model::Plane& plane) {
      return kind == FileKind::manifest ? plane.pods() != nullptr : plane.batch() != nullptr;
    });
  };
  const auto either = [&](const Pair& pair) { return takes(pair.base) || takes(pair.head); };
  if (kind == FileKind::spec || kind == FileKind::other || either(judges)) return true;
  return std::none_of(pairs_.begin(), pairs_.end(), either);
}

// Of kustomizations that a change has touched, or whose site has changed.
void ReviewRun::merge_overlays(Pair& pair) {
  if (!is_judged_by(pair, FileKind::manifest)) return;
  if (pair.same && affected_.empty() && !question_.whole) return;
  pair.base_merged = merge_side(base_, pair.base);
  pair.head_merged = merge_side(head_, pair.head);
  std::set<std::string> wanted;
  for (const MergedSide* side : {&pair.base_merged, &pair.head_merged})
    for (const auto& [name, folder] : side->folders)
      if (!pair.same || std::any_of(folder.files.begin(), folder.files.end(),
                                    [&](const std::string& file) { return affected_.contains(file); }))
        wanted.insert(name);
  add_merged(pair.base_merged, wanted, pair.base.label, base_tree_);
  add_merged(pair.head_merged, wanted, pair.head.label, head_tree_);
}

// Of files that are the same on both sides; those of the others were added when they were evaluated.
void ReviewRun::add_unchanged_amounts(const Pair& pair) {
  for (const review::Workload& w : head_tree_.workloads)
    if (w.site == pair.head.label) amounts_.push_back(amounts_of(w));
  if (!pair.same) return;
  const Evaluator evaluator(head_, pair.head, settings_);
  review::Tree unchanged;
  for (const auto& [path, file] : head_.files) {
    if (affected_.contains(path) || !is_judged_by(pair, file.kind)) continue;
    EvaluatedFile evaluated = evaluator.evaluate(path);
    if (evaluated.workloads)
      for (Evaluated& e : *evaluated.workloads) unchanged.workloads.push_back(std::move(e.workload));
    else amounts_.emplace_back().id = path;  // it is not known what it runs
  }
  std::set<std::string> untouched;
  for (const auto& [name, folder] : pair.head_merged.folders)
    if (std::none_of(folder.files.begin(), folder.files.end(),
                     [&](const std::string& file) { return affected_.contains(file); }))
      untouched.insert(name);
  add_merged(pair.head_merged, untouched, pair.head.label, unchanged);
  for (const review::Workload& w : unchanged.workloads) amounts_.push_back(amounts_of(w));
}

// What the rules of the new tree, which are not in force, decide otherwise about it.
bool ReviewRun::add_rule_effects(const Wanted& wanted, const Pair& pair) {
  const bool same_rules = pair.head.policy.sha256 == pair.head.base->policy().sha256;
  if (!policy_tree_ || (same_rules && !pair.own_head)) return true;
  Pair own;
  own.head = make_judge(wanted.is_judged_from() ? wanted.own_head : wanted.head, settings_, files_);
  if (!own.head.usable) return true;  // it was usable before: only what stands beside it can be wrong
  own.head.label = pair.head.label;
  review::Tree now, merged;
  std::copy_if(head_tree_.workloads.begin(), head_tree_.workloads.end(), std::back_inserter(now.workloads),
               [&](const review::Workload& w) { return w.site == pair.head.label; });
  const std::size_t reported = reported_.size();
  evaluate_into(merged, head_, own.head, own, true);
  reported_.resize(reported);  // what a file cannot be used for was reported; the rest ends with this judge
  for (const review::Item& item : review::compare(std::move(now), std::move(merged), 0).items) {
    review::RuleEffect effect{item.id, item.site, {}, item.blocked};
    for (const auto& rows : {review::decision_rows(item), review::amount_rows(item)})
      for (const review::Row& row : rows)
        if (item.on_both() && row.changed()) effect.changes.push_back({row.name, row.before, row.after});
    if (!effect.changes.empty() || !effect.blocked.empty()) rule_effects_.push_back(std::move(effect));
  }
  return true;
}

// A site's name, or its file where another one has that name.
std::string ReviewRun::label_of(const Judge& judge, const std::string& file) const {
  const auto same = [&](const Pair& pair) { return pair.head.policy.site == judge.policy.site; };
  return std::any_of(pairs_.begin(), pairs_.end(), same) ? file : judge.policy.site;
}

void ReviewRun::evaluate(const Side& side, const Judge& judge, Pair& pair, bool is_head) {
  evaluate_into(is_head ? head_tree_ : base_tree_, side, judge, pair, is_head);
}

void ReviewRun::evaluate_into(review::Tree& tree, const Side& side, const Judge& judge, Pair& pair, bool is_head) {
  tree.name = side.name;
  tree.accounts.insert(tree.accounts.end(), side.not_read.begin(), side.not_read.end());
  const Evaluator evaluator(side, judge, settings_);
  for (const auto& [path, file] : side.files) {
    const bool affected = affected_.contains(path);
    if ((pair.same && !affected) || !is_judged_by(pair, file.kind)) continue;
    EvaluatedFile evaluated = evaluator.evaluate(path);
    incomplete_ |= evaluated.unusable;
    if (!evaluated.faults.empty()) reported_.push_back({std::move(evaluated.faults), &judge.session->sources()});
    if (evaluated.account) {
      if (path == renamed_) evaluated.account->file = head_.only;
      tree.accounts.push_back(std::move(*evaluated.account));
    }
    if (is_head) std::move(evaluated.added.begin(), evaluated.added.end(), std::back_inserter(added_));
    if (!evaluated.workloads) {
      tree.left_out.push_back({path == renamed_ ? head_.only : path, evaluated.why});
      continue;
    }
    for (Evaluated& e : *evaluated.workloads) {
      e.workload.text = affected ? 1 + is_head : 0;
      if (!affected) drop_body(e.workload);
      if (!renamed_.empty() && !is_head) take_name(e.workload);
      if (is_head) pair.head_facts[{e.workload.file, e.workload.name}] = std::move(e.facts);
      tree.workloads.push_back(std::move(e.workload));
    }
  }
}

void ReviewRun::take_name(review::Workload& workload) const {
  workload.file = head_.only;
  if (workload.form == review::Form::script) workload.id = workload.name = workload.objects.front().name = head_.only;
  for (review::Finding& f : workload.findings) f.key = review::renamed_key(f.key, renamed_, head_.only);
}

std::vector<review::PolicyChange> ReviewRun::policies() const {
  std::vector<review::PolicyChange> out;
  for (const Pair& pair : pairs_) {
    if (pair.same) continue;
    const Judge& base = pair.own_base ? *pair.own_base : pair.base;
    const Judge& head = pair.own_head ? *pair.own_head : pair.head;
    out.push_back(policy_change(base, head));
    review::name_touched(out.back(), head_tree_, pair.head.label);
  }
  return out;
}

std::vector<review::Crossing> ReviewRun::cross(const review::Review& review) const {
  std::vector<review::Crossing> out;
  for (const Pair& pair : pairs_) {
    Crosser crosser(base_, head_, pair.base, pair.head, pair.same, settings_);
    for (const review::Item& item : review.items) {
      if (!item.on_both() || !item.differs() || item.site != pair.head.label) continue;
      const auto facts = pair.head_facts.find({item.after->file, item.after->name});
      if (facts != pair.head_facts.end()) out.push_back(crosser.cross(item, origin_of(*item.before), facts->second));
    }
  }
  return out;
}

Origin ReviewRun::origin_of(const review::Workload& before) const {
  if (renamed_.empty()) return {before.file, before.id};
  return {renamed_, before.form == review::Form::script ? renamed_ : before.id};
}

}  // namespace muster::driver
