#include "driver/review_run.h"

#include <algorithm>

#include "review/moves.h"

namespace muster::driver {

namespace fs = std::filesystem;

std::optional<review::Review> ReviewRun::run() {
  Diagnostics diagnostics;
  if (!read_sides(diagnostics)) return failed(diagnostics);
  affected_ = affected_files(base_, head_);
  rename_single_file();
  for (const Wanted& wanted : judges_wanted(question_.judges, base_, head_, notes_, diagnostics))
    if (!review_for(wanted)) return std::nullopt;
  if (diagnostics.has_errors()) return failed(diagnostics);
  review::Review review = review::compare(std::move(base_tree_), std::move(head_tree_), same_);
  review.notes = notes_;
  add_policies(review);
  review::attribute(review, cross(review));
  return review;
}

std::nullopt_t ReviewRun::failed(const Diagnostics& diagnostics) {
  reported_.push_back({diagnostics.sorted(), nullptr});
  return std::nullopt;
}

bool ReviewRun::read_sides(Diagnostics& diagnostics) {
  const auto open = [&](const std::string& name, std::optional<Tree>& tree) {
    if (question_.judges.git) tree = open_revision(name, diagnostics);
    if (question_.judges.git && !tree) return std::optional<Side>();
    return read_side(name, tree ? tree->folder() : fs::path(name), diagnostics);
  };
  auto base = open(question_.base, base_revision_), head = open(question_.head, head_revision_);
  if (!base || !head || diagnostics.has_errors()) return false;
  base_ = std::move(*base);
  head_ = std::move(*head);
  return true;
}

// Two files are one that changed, whatever they are called.
void ReviewRun::rename_single_file() {
  if (base_.only.empty() || head_.only.empty() || base_.only == head_.only) return;
  renamed_ = base_.only;
  affected_ = {base_.only, head_.only};
}

bool ReviewRun::review_for(const Wanted& wanted) {
  Judge base = make_judge(wanted.base, settings_);
  Judge head = base.usable ? make_judge(wanted.head, settings_) : Judge();
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
  evaluate(base_, pair.base, pair, false);
  evaluate(head_, pair.head, pair, true);
  for (const auto& [path, file] : head_.files)
    if (pair.same && !affected_.contains(path)) same_ += count_workloads(path, file);
  return true;
}

// A site's name, or its file where another one has that name.
std::string ReviewRun::label_of(const Judge& judge, const std::string& file) const {
  const auto same = [&](const Pair& pair) { return pair.head.policy.site == judge.policy.site; };
  return std::any_of(pairs_.begin(), pairs_.end(), same) ? file : judge.policy.site;
}

void ReviewRun::evaluate(const Side& side, const Judge& judge, Pair& pair, bool is_head) {
  review::Tree& tree = is_head ? head_tree_ : base_tree_;
  tree.name = side.name;
  const Evaluator evaluator(side, judge, settings_);
  for (const auto& [path, file] : side.files) {
    const bool affected = affected_.contains(path);
    if (pair.same && !affected) continue;
    EvaluatedFile evaluated = evaluator.evaluate(path);
    incomplete_ |= evaluated.unusable;
    if (!evaluated.faults.empty()) reported_.push_back({std::move(evaluated.faults), &judge.session->sources()});
    if (!evaluated.workloads) {
      tree.left_out.push_back({path == renamed_ ? head_.only : path, evaluated.why});
      continue;
    }
    for (Evaluated& e : *evaluated.workloads) {
      e.workload.text = affected ? 1 + is_head : 0;
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

void ReviewRun::add_policies(review::Review& review) const {
  for (const Pair& pair : pairs_)
    if (!pair.same) review.policies.push_back(policy_change(pair.base, pair.head));
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
