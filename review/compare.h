// The comparison of two trees: pure data in, pure data out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lint/outcome.h"
#include "review/total.h"
#include "review/tree.h"

namespace muster::review {

// `moved`: it went at one path and came at another. It may have changed as well.
enum class Status : std::uint8_t { changed, added, removed, moved };
std::string_view name(Status status);

// Which of the two made the difference: old facts under the new policy, new facts under the old one. `either`: each of
// them alone does; `both`: it takes both.
enum class Cause : std::uint8_t { unknown, facts, policy, either, both };
std::string_view name(Cause cause);

struct Change {
  std::string name;
  std::optional<std::string> before, after;  // nullopt: it is not there
  Place place{};                             // of the new one, else of the old
};

struct ObjectChange {
  std::string kind, name_space, name;
  Status status = Status::changed;
  std::vector<Change> fields;  // of a changed one
};

// Whether it is about a line of a text, not about a field.
inline bool is_line(const Change& change) {
  return change.name == "line" || change.name == "script line" || change.name.ends_with(" (line)");
}

// Facts that would have to change for the old decision.
struct Flip {
  std::vector<Change> facts;
};

// A key of a site or its fleet that changed: "queue.main.max-time".
struct SiteChange {
  Change key;
  std::vector<std::string> touches{};  // ids of the workloads whose plane, queue, tenant or pool it is of
};

// How the rules of one site, or the site itself, changed.
struct PolicyChange {
  Policy before, after;
  std::string step;  // "minor": what the change of cells asks of the version; "" where it was not worked out
  std::int64_t cells = 0, changed_cells = 0;
  std::vector<std::string> changes;  // in words, for people
  std::vector<SiteChange> site{};    // sorted by key
};

// Names the workloads of a tree that a changed key is about, by their plane, queue, tenant and pools.
void name_touched(PolicyChange& change, const Tree& tree, const std::string& site);

struct Item {
  std::string id, site;
  Status status = Status::changed;
  std::vector<std::string> blocked;  // why; empty: it is not
  Cause cause = Cause::unknown;
  std::optional<Workload> before, after;
  std::vector<Change> facts;
  std::vector<ObjectChange> objects;
  std::vector<Finding> new_findings, fixed_findings, unknown_findings, allowed_findings;  // as in Difference
  std::size_t kept_findings = 0;
  std::vector<Flip> flips;

  const Workload& shown() const { return after ? *after : *before; }
  bool on_both() const { return before && after; }
  bool has_own_site() const { return (before && before->own_site) || (after && after->own_site); }
  // Of one that is on both sides: whether it did more than move.
  bool differs() const;
};

// What the new tree's own rules, which are not in force, would decide otherwise about a workload of it.
struct RuleEffect {
  std::string id, site;
  std::vector<Change> changes;       // of the rows of a decision, a placement and amounts
  std::vector<std::string> blocked;  // why it could not go on like this under them; empty: it could
};

struct Review {
  std::string base, head;
  std::vector<PolicyChange> policies;  // those that changed
  std::vector<Item> items;             // blocked, changed, added, removed, moved; each by id
  std::size_t blocked = 0, changed = 0, added = 0, removed = 0, moved = 0, unchanged = 0;
  std::vector<LeftOut> left_out_base, left_out_head;
  // Of the new tree: what became of the files that differ, and which of them are not judged though the old tree's were,
  // or were not there.
  std::vector<lint::Account> accounts, unjudged;
  bool several_sites = false;
  std::vector<std::string> notes;
  std::optional<Total> whole;  // of the new tree, where it was asked for
  // Whose policy and suppressions decide, as the user wrote it ("": each tree's own), and what the new tree would
  // change about them: suppressions that it adds, and what its rules decide otherwise.
  std::string policy_from;
  std::vector<lint::Added> suppressions;
  std::vector<RuleEffect> rule_effects;

  bool nothing() const {
    return items.empty() && unjudged.empty() && left_out_base.empty() && left_out_head.empty() &&
           suppressions.empty() && rule_effects.empty();
  }
};

// What two workloads of one id have different; nothing where they say the same.
struct Difference {
  std::vector<ObjectChange> objects;
  // Open ones that came and that went; ones that went where they can no longer be checked; ones that are accepted now
  // and were not before. Neither of these is a repair.
  std::vector<Finding> new_findings, fixed_findings, unknown_findings, allowed_findings;
  std::size_t kept_findings = 0;  // that stayed open
  bool decision = false, placement = false, resources = false, cost = false;

  bool any() const { return answer() || findings(); }
  bool findings() const {
    return !new_findings.empty() || !fixed_findings.empty() || !unknown_findings.empty() || !allowed_findings.empty();
  }
  // Beside the findings.
  bool answer() const { return decision || placement || resources || cost || !objects.empty(); }
};
Difference difference(const Workload& before, const Workload& after);

// Compares workloads by id and site, objects by kind, namespace and name, findings by key. `same` workloads are in
// files that were not evaluated, as nothing that they depend on differs. What a file holds that one side could not
// use is left out on both. An id that several files of a side have gets the file's name on both sides. What is only on
// one side may have moved: see moves.h.
Review compare(Tree base, Tree head, std::size_t same);

}  // namespace muster::review
