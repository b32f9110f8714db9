#include "review/compare.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "compiler/base/diff.h"
#include "compiler/base/secret.h"
#include "review/moves.h"
#include "review/program.h"

namespace muster::review {
namespace {

using Key = std::pair<std::string, std::string>;  // id and site

Key key_of(const Workload& workload) { return {workload.id, workload.site}; }

bool same_answer(const Decision& a, const Decision& b) {
  const auto of = [](const Decision& d) {
    return std::tie(d.control_plane, d.runtime, d.layout, d.plane, d.target, d.requires_, d.advice);
  };
  return of(a) == of(b);
}

bool same_answer(const std::optional<Decision>& a, const std::optional<Decision>& b) {
  return a.has_value() == b.has_value() && (!a || same_answer(*a, *b));
}

// Walks two sorted lists side by side: `both(a, b)` for equal keys, `one(a, nullptr)` or `one(nullptr, b)` else.
template <class List, class KeyOf, class Visit>
void side_by_side(List& before, List& after, KeyOf key, Visit visit) {
  std::size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    const bool only_old = j == after.size() || (i < before.size() && key(before[i]) < key(after[j]));
    const bool only_new = i == before.size() || (j < after.size() && key(after[j]) < key(before[i]));
    visit(only_new ? nullptr : &before[i], only_old ? nullptr : &after[j]);
    i += !only_new;
    j += !only_old;
  }
}

// Lines that went and lines that came, side by side where one stands for the other.
void add_line_changes(const std::string& name, const std::string& before, const std::string& after,
                      std::vector<Change>& out) {
  const std::string text = unified_diff("", before, after);
  std::size_t replaceable = 0, line_number = 0;  // changes at the end of `out` that have no new line yet
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line_number++ < 2) continue;  // the names of the files
    if (line.starts_with('-')) {
      out.push_back({name, line.substr(1), {}});
      ++replaceable;
    } else if (line.starts_with('+') && replaceable > 0) {
      out[out.size() - replaceable--].after = line.substr(1);
    } else if (line.starts_with('+')) {
      out.push_back({name, {}, line.substr(1)});
    } else {
      replaceable = 0;
    }
  }
}

void add_field_changes(const Object& before, const Object& after, std::vector<Change>& out) {
  const auto path = [](const Field& field) -> const std::string& { return field.path; };
  side_by_side(before.fields, after.fields, path, [&](const Field* a, const Field* b) {
    if (a != nullptr && b != nullptr && a->value == b->value) return;
    if (a != nullptr && b != nullptr && before.kind != program_kind && a->value.find('\n') != std::string::npos)
      return add_line_changes(a->path + " (line)", a->value, b->value, out);
    Change change{(a != nullptr ? a : b)->path, {}, {}};
    if (a != nullptr) change.before = a->value;
    if (b != nullptr) change.after = b->value;
    out.push_back(std::move(change));
  });
}

// The last name of a path: `HF_TOKEN` of `spec.containers[main].env[HF_TOKEN].value`.
std::string_view name_in(std::string_view path) {
  for (const std::string_view end : {".value", " (line)", "]"})
    if (path.ends_with(end)) path.remove_suffix(end.size());
  const std::size_t before = path.find_last_of(".[");
  return before == std::string_view::npos ? path : path.substr(before + 1);
}

// A report shows that a secret changed, not what it is.
void mask_secrets(std::vector<Change>& changes) {
  for (Change& change : changes)
    for (std::optional<std::string>* value : {&change.before, &change.after})
      if (*value) **value = mask_value(name_in(change.name), std::move(**value));
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::vector<ObjectChange> object_changes(const std::vector<Object>& before, const std::vector<Object>& after) {
  std::vector<ObjectChange> out;
  const auto key = [](const Object& o) { return std::tie(o.kind, o.name_space, o.name); };
  side_by_side(before, after, key, [&](const Object* a, const Object* b) {
    if (a != nullptr && b != nullptr && *a == *b) return;
    const Object& shown = b != nullptr ? *b : *a;
    ObjectChange change{shown.kind, shown.name_space, shown.name, Status::changed, {}};
    if (a == nullptr) change.status = Status::added;
    if (b == nullptr) change.status = Status::removed;
    if (a != nullptr && b != nullptr) {
      add_field_changes(*a, *b, change.fields);
      add_line_changes(a->kind == program_kind ? "script line" : "line", text_of(a->lines), text_of(b->lines),
                       change.fields);
      mask_secrets(change.fields);
    }
    out.push_back(std::move(change));
  });
  return out;
}

// Whether a finding was looked for; what a policy says of itself is kept, whatever becomes of the workload.
bool is_judged(const Finding& f, const Workload& by) {
  return f.of_policy || std::none_of(by.unjudged.begin(), by.unjudged.end(), [&](const std::string& path) {
           return path.empty() || f.path == path || f.path.starts_with(path + ".");
         });
}

void compare_findings(const Workload& before, const Workload& after, Difference& out) {
  std::multimap<std::string_view, const Finding*> open, accepted;
  for (const Finding& f : before.findings) (f.accepted.empty() ? open : accepted).emplace(f.key, &f);
  const auto take = [](auto& from, const Finding& f) {
    const auto found = from.find(f.key);
    if (found == from.end()) return false;
    from.erase(found);
    return true;
  };
  for (const Finding& f : after.findings) {
    const bool was_open = take(open, f), was_accepted = !was_open && take(accepted, f);
    if (f.accepted.empty() && was_open) ++out.kept_findings;
    else if (f.accepted.empty()) out.new_findings.push_back(f);
    else if (!was_accepted) out.allowed_findings.push_back(f);
  }
  for (const auto& [key, finding] : open)
    (is_judged(*finding, after) ? out.fixed_findings : out.unknown_findings).push_back(*finding);
}

void sort_findings(std::vector<Finding>& findings) {
  std::sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.severity, a.code, a.place.file, a.place.line, a.key) <
           std::tie(b.severity, b.code, b.place.file, b.place.line, b.key);
  });
}

std::vector<Change> fact_changes(std::vector<Fact> before, std::vector<Fact> after) {
  std::vector<Change> out;
  const auto by_name = [](const Fact& a, const Fact& b) { return a.name < b.name; };
  std::stable_sort(before.begin(), before.end(), by_name);
  std::stable_sort(after.begin(), after.end(), by_name);
  const auto key = [](const Fact& fact) -> const std::string& { return fact.name; };
  side_by_side(before, after, key, [&](const Fact* a, const Fact* b) {
    if (a != nullptr && b != nullptr && a->value == b->value) return;
    Change change{(b != nullptr ? b : a)->name, {}, {}, (b != nullptr ? b : a)->place};
    if (a != nullptr) change.before = a->value;
    if (b != nullptr) change.after = b->value;
    out.push_back(std::move(change));
  });
  return out;
}

std::vector<std::string> why_blocked(const Workload& workload, const std::vector<Finding>& fresh) {
  std::vector<std::string> out;
  if (workload.decision && workload.decision->plane.empty() && workload.decision->target.empty())
    out.push_back("no plane of the site can run it");
  if (workload.placement.verdict == "does-not-fit") out.push_back("does not fit: " + workload.placement.certificate);
  for (const Finding& f : fresh)
    if (f.severity == Severity::error) out.push_back(f.code + " " + f.name + ": " + f.message);
  return out;
}

// Of decision, placement and amounts.
Difference difference_of_answers(const Workload& before, const Workload& after) {
  Difference out;
  out.decision = !same_answer(before.decision, after.decision);
  out.placement = before.placement != after.placement;
  out.resources = before.resources != after.resources;
  out.cost = before.cost != after.cost;
  return out;
}

// Ids that are not unique on one of the sides get the file behind them on both.
void make_unique(Tree& base, Tree& head) {
  std::set<Key> several;
  for (const Tree* tree : {&base, &head}) {
    std::set<Key> seen;
    for (const Workload& w : tree->workloads)
      if (!seen.insert(key_of(w)).second) several.insert(key_of(w));
  }
  for (Tree* tree : {&base, &head}) {
    std::map<Key, int> met;
    for (Workload& w : tree->workloads)
      if (several.contains(key_of(w))) {
        w.id += " in " + w.file;
        if (const int n = ++met[key_of(w)]; n > 1) w.id += " #" + std::to_string(n);
      }
  }
}

void drop_left_out(Tree& base, Tree& head) {
  std::set<std::string_view> files;
  for (const Tree* tree : {&base, &head})
    for (const LeftOut& left : tree->left_out) files.insert(left.file);
  for (Tree* tree : {&base, &head})
    std::erase_if(tree->workloads, [&](const Workload& w) { return files.contains(w.file); });
}

void normalise(Tree& tree) {
  for (Workload& w : tree.workloads) {
    std::sort(w.objects.begin(), w.objects.end(), [](const Object& a, const Object& b) {
      return std::tie(a.kind, a.name_space, a.name) < std::tie(b.kind, b.name_space, b.name);
    });
    sort_findings(w.findings);
  }
  std::stable_sort(tree.workloads.begin(), tree.workloads.end(),
                   [](const Workload& a, const Workload& b) { return key_of(a) < key_of(b); });
  std::sort(tree.left_out.begin(), tree.left_out.end(),
            [](const LeftOut& a, const LeftOut& b) { return a.file < b.file; });
}

Item item_of(Workload* before, Workload* after, Difference difference) {
  const Workload& shown = after != nullptr ? *after : *before;
  Item item;
  item.id = shown.id;
  item.site = shown.site;
  item.status = after == nullptr ? Status::removed : before == nullptr ? Status::added : Status::changed;
  item.new_findings = std::move(difference.new_findings);
  item.fixed_findings = std::move(difference.fixed_findings);
  item.unknown_findings = std::move(difference.unknown_findings);
  item.allowed_findings = std::move(difference.allowed_findings);
  item.kept_findings = difference.kept_findings;
  item.objects = std::move(difference.objects);
  if (before != nullptr && after != nullptr) item.facts = fact_changes(before->facts, after->facts);
  if (after != nullptr) item.blocked = why_blocked(*after, item.new_findings);
  if (before != nullptr) item.before = std::move(*before);
  if (after != nullptr) item.after = std::move(*after);
  return item;
}

// What is on one side only; nobody reads the objects of it one by one.
Item item_of_one(Workload* before, Workload* after) {
  const Workload none;
  Difference found = difference(before != nullptr ? *before : none, after != nullptr ? *after : none);
  found.objects.clear();
  return item_of(before, after, std::move(found));
}

void count(Review& review) {
  for (const Item& item : review.items) {
    review.blocked += !item.blocked.empty();
    review.changed += item.status == Status::changed;
    review.added += item.status == Status::added;
    review.removed += item.status == Status::removed;
    review.moved += item.status == Status::moved;
    review.several_sites = review.several_sites || !item.site.empty();
  }
}

}  // namespace

std::string_view name(Status status) {
  constexpr std::string_view names[] = {"changed", "added", "removed", "moved"};
  return names[static_cast<std::size_t>(status)];
}

std::string_view name(Cause cause) {
  constexpr std::string_view names[] = {"unknown", "facts", "policy", "either", "both"};
  return names[static_cast<std::size_t>(cause)];
}

bool Item::differs() const {
  const auto& found = {&new_findings, &fixed_findings, &unknown_findings, &allowed_findings};
  const bool any = std::any_of(found.begin(), found.end(), [](const auto* findings) { return !findings->empty(); });
  return any || !objects.empty() || !facts.empty() || difference_of_answers(*before, *after).answer();
}

Difference difference(const Workload& before, const Workload& after) {
  Difference out = difference_of_answers(before, after);
  out.objects = object_changes(before.objects, after.objects);
  // Where what is emitted differs, the words of the spec that did say more than its lines.
  if (!out.objects.empty() && before.program && after.program)
    for (ObjectChange& change : object_changes({*before.program}, {*after.program}))
      out.objects.push_back(std::move(change));
  compare_findings(before, after, out);
  sort_findings(out.fixed_findings);
  sort_findings(out.unknown_findings);
  return out;
}

Review compare(Tree base, Tree head, std::size_t same) {
  drop_left_out(base, head);
  normalise(base);
  normalise(head);
  make_unique(base, head);
  normalise(base);
  normalise(head);
  Review out;
  out.base = base.name;
  out.head = head.name;
  out.unchanged = same;
  std::vector<Workload*> gone, fresh;
  side_by_side(base.workloads, head.workloads, key_of, [&](Workload* a, Workload* b) {
    if (a == nullptr) return fresh.push_back(b);
    if (b == nullptr) return gone.push_back(a);
    Difference found = difference(*a, *b);
    if (found.any()) out.items.push_back(item_of(a, b, std::move(found)));
    else ++out.unchanged;
  });
  for (const auto& [a, b] : take_moves(gone, fresh)) {
    out.items.push_back(item_of(a, b, difference(called_as(*a, *b), *b)));
    out.items.back().status = Status::moved;
  }
  for (Workload* a : gone) out.items.push_back(item_of_one(a, nullptr));
  for (Workload* b : fresh) out.items.push_back(item_of_one(nullptr, b));
  std::sort(out.items.begin(), out.items.end(), [](const Item& a, const Item& b) {
    return std::make_tuple(a.blocked.empty(), a.status, std::tie(a.id, a.site)) <
           std::make_tuple(b.blocked.empty(), b.status, std::tie(b.id, b.site));
  });
  lint::settle(base.accounts), lint::settle(head.accounts);
  out.unjudged = lint::newly_unjudged(base.accounts, head.accounts);
  out.accounts = std::move(head.accounts);
  out.left_out_base = std::move(base.left_out);
  out.left_out_head = std::move(head.left_out);
  count(out);
  return out;
}

void name_touched(PolicyChange& change, const Tree& tree, const std::string& site) {
  // "queue.main.max-time" is of the queue `main`; a name may hold dots.
  const auto is_of = [](std::string_view key, std::string_view block, const std::string& name) {
    return !name.empty() && key.starts_with(block) && key.substr(block.size()).starts_with(name + ".");
  };
  for (SiteChange& one : change.site) {
    const std::string_view key = one.key.name;
    for (const Workload& w : tree.workloads) {
      const bool pool = std::any_of(w.placement.pools.begin(), w.placement.pools.end(),
                                    [&](const std::string& name) { return is_of(key, "pool.", name); });
      if (w.site == site && w.runs &&
          (pool || is_of(key, "plane.", w.plane) || is_of(key, "queue.", w.queue) || is_of(key, "tenant.", w.tenant)))
        one.touches.push_back(w.id);
    }
    std::sort(one.touches.begin(), one.touches.end());
  }
}

}  // namespace muster::review
