// What the reports say in the same words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "review/compare.h"

namespace muster::review {

// "1 blocked, 2 changed, 1 added, 14 unchanged": each workload counts once.
std::string counts_text(const Review& review);
// Files that are not judged though they were, or are new, without those that are left out, which are named as such.
std::vector<lint::Account> unjudged_beside_left_out(const Review& review);
// "train/llama70b", with its site where there are several.
std::string title(const Item& item);
// What a moved workload was called before, or where only its file did, that; "" of others.
std::string moved_from(const Item& item);
// "caused by the facts, not by a change of policy"; "" where it is not known, and where it goes without saying: nothing
// decides about a hand-written file.
std::string cause_text(const Item& item);
// The same change, both values from a little before where they differ: of two long command lines that begin alike a
// report of `most` bytes a value would else show the same twice.
Change around_difference(Change change, std::size_t most);

// One line of "what is it, and what was it": control plane, requirements, nodes, GPU-hours … Only those that either
// side has; `before` and `after` are equal where nothing changed.
struct Row {
  std::string name, before, after;
  bool changed() const { return before != after; }
};
// The decision and the placement: control plane, runtime, layout, target, requires, advice, fit, pools, leaf switches.
std::vector<Row> decision_rows(const Item& item);
// Nodes, pods, GPUs, CPUs, memory, time limit, tasks, GPU-hours, cost.
std::vector<Row> amount_rows(const Item& item);
// One of these by its name; without a name where the item has none.
Row find_row(const Item& item, std::string_view name);
// The amounts of one row, behind each other: "8 nodes, 64 GPUs, 72h, 4,608 GPU-hours".
std::string amounts_text(const Workload& workload);

// All that a report says of an item but what it is called: items with the same report can share one place.
std::string wording_of(const Item& item);

// "bare-metal: false", or "nodes: 1, coupled: single".
std::string flip_text(const Flip& flip);
std::string place_text(const Place& place);  // "specs/a.muster:12"
// "Deployment research/web".
std::string object_text(const ObjectChange& object);
// A line of a body that muster wrote: people do not read them one by one, so only their number is shown.
bool is_generated_line(const Item& item, const Change& field);
// "12 lines of its body differ"; "" where none does.
std::string generated_lines(const Item& item, const ObjectChange& object);
// "2 suppressions that `main` does not have and that do not count"; "" for none.
std::string added_text(const Review& review);
// Of what the new tree's own rules decide otherwise: "train/a: control plane: slurm -> kubernetes".
std::string effect_text(const RuleEffect& effect);
std::string finding_text(const Finding& finding);  // "SLM001 double-launch: message"
// A path of at most `most` bytes: of a long one the end, where it says which value it is.
std::string path_end(std::string_view path, std::size_t most);
// "default 1.0.0 -> default 1.1.0 (minor), 12 of 2560 cells differ".
std::string policy_text(const PolicyChange& change);
// "24h -> 72h", where a key came or went "absent".
std::string values_text(const SiteChange& change);
// "touches a, b and 3 others"; "": it is not known whom.
std::string touches_text(const SiteChange& change);

// A message of ours, printable and cut to `most` bytes, in parts: its words of the file are in backticks.
struct Part {
  std::string text;
  bool code = false;
};
std::vector<Part> parts_of(std::string_view message, std::size_t most);

}  // namespace muster::review
