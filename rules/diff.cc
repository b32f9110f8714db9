#include "rules/diff.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "rules/digest.h"
#include "rules/evidence.h"
#include "rules/explain.h"

namespace muster::rules {
namespace {

using model::FactType;
using Parts = std::vector<Part>;

constexpr std::size_t most_merged = 400;

// Boxes that differ in one fact alone become one, as long as there are any.
std::vector<Box> merged(const Space& space, std::vector<Box> boxes) {
  const auto joined = [&](const Box& a, const Box& b) -> std::optional<Box> {
    std::size_t differ = 0;
    for (const Dimension& d : space.dimensions()) {
      const auto begin = static_cast<std::ptrdiff_t>(d.first), end = static_cast<std::ptrdiff_t>(d.first + d.words);
      differ += std::equal(a.begin() + begin, a.begin() + end, b.begin() + begin) ? 0 : 1;
    }
    if (differ > 1) return std::nullopt;
    Box out = a;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] |= b[i];
    return out;
  };
  for (bool again = boxes.size() <= most_merged; again;) {
    again = false;
    for (std::size_t i = 0; i < boxes.size() && !again; ++i)
      for (std::size_t j = i + 1; j < boxes.size() && !again; ++j)
        if (auto both = joined(boxes[i], boxes[j])) {
          boxes[i] = std::move(*both);
          boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(j));
          again = true;
        }
  }
  return boxes;
}

bool is_collected(const model::Policy& policy, const std::string& output) {
  for (const model::Table& table : policy.tables)
    for (const model::Row& row : table.rows)
      for (const model::Assignment& set : row.sets)
        if (set.output == output) return table.hit == model::Hit::collect;
  return false;
}

// Boxes by what was and what is: ("slurm", "kubernetes"), or ("", "gang-scheduler") for a value that is won.
using Changed = std::map<std::pair<std::string, std::string>, std::vector<Box>>;

void compare_values(const Space& space, const Parts& before, const Parts& after, Changed& out) {
  for (const Part& a : before)
    for (const Part& b : after) {
      if (a.value == b.value) continue;
      Box both = a.box & b.box;
      if (!space.is_empty(both)) out[{a.value, b.value}].push_back(std::move(both));
    }
}

std::map<std::string, std::vector<Box>> by_value(const Parts& parts) {
  std::map<std::string, std::vector<Box>> out;
  for (const Part& part : parts) out[part.value].push_back(part.box);
  return out;
}

void compare_sets(const Space& space, const Parts& before, const Parts& after, Changed& out) {
  const auto old_values = by_value(before), new_values = by_value(after);
  const auto lacking = [&](const auto& from, const auto& in, bool won) {
    for (const auto& [value, boxes] : from) {
      std::vector<Box> rest = boxes;
      if (const auto same = in.find(value); same != in.end())
        for (const Box& box : same->second) rest = space.subtract(std::move(rest), box);
      const std::pair<std::string, std::string> key(won ? "" : value, won ? value : "");
      if (!rest.empty()) out[key] = std::move(rest);
    }
  };
  lacking(old_values, new_values, false);
  lacking(new_values, old_values, true);
}

std::vector<std::string> changed_facts(const model::Policy& before, const model::Policy& after, Step& needed) {
  std::vector<std::string> out;
  for (const model::FactDeclaration& fact : before.facts) {
    const model::FactDeclaration* other = after.fact(fact.name);
    const bool same = other != nullptr && other->type == fact.type && other->values == fact.values &&
                      other->min == fact.min && other->max == fact.max && other->fallback == fact.fallback &&
                      other->default_from == fact.default_from;
    if (same) continue;
    needed = Step::major;
    out.push_back("fact `" + fact.name + (other == nullptr ? "` is removed" : "` has different values"));
  }
  for (const model::FactDeclaration& fact : after.facts)
    if (before.fact(fact.name) == nullptr) {
      needed = std::max(needed, Step::minor);
      out.push_back("fact `" + fact.name + "` is new");
    }
  return out;
}

std::optional<std::array<std::uint32_t, 3>> numbers(std::string_view version) {
  std::array<std::uint32_t, 3> out{};
  const char* at = version.data();
  const char* end = at + version.size();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [stop, error] = std::from_chars(at, end, out[i]);
    if (error != std::errc() || (i < 2 && (stop == end || *stop != '.'))) return std::nullopt;
    at = i < 2 ? stop + 1 : stop;
  }
  return at == end ? std::optional(out) : std::nullopt;
}

std::optional<Step> step_between(std::string_view before, std::string_view after) {
  const auto a = numbers(before), b = numbers(after);
  if (!a || !b || *b < *a) return std::nullopt;
  constexpr Step steps[] = {Step::major, Step::minor, Step::patch};
  for (std::size_t i = 0; i < 3; ++i)
    if ((*a)[i] != (*b)[i]) return steps[i];
  return Step::none;
}

std::string describe(const Dimension& d, const Box& box) {
  std::vector<std::uint32_t> in;
  for (std::uint32_t i = 0; i < d.classes.size(); ++i)
    if (has(box, d, i)) in.push_back(i);
  if (in.size() == d.classes.size()) return {};
  if (d.type == FactType::boolean) return (in[0] == 1 ? "" : "not ") + d.fact;
  std::string list;
  for (const std::uint32_t i : in) {
    list += list.empty() ? "" : ", ";
    list += model::to_string(d.classes[i]);
    if (d.type != FactType::integer) continue;
    const bool last = i + 1 == d.classes.size();
    const std::int64_t end = last ? 0 : std::get<std::int64_t>(d.classes[i + 1]) - 1;
    if (last) list += " and more";
    else if (model::FactValue(end) != d.classes[i]) list += ".." + std::to_string(end);
  }
  return d.fact + (in.size() == 1 ? " = " : " in [") + list + (in.size() == 1 ? "" : "]");
}

}  // namespace

std::string_view name(Step step) {
  switch (step) {
    case Step::none: return "none";
    case Step::patch: return "patch";
    case Step::minor: return "minor";
    case Step::major: break;
  }
  return "major";
}

std::string describe(const Space& space, const Box& box) {
  std::string out;
  for (const Dimension& d : space.dimensions())
    if (const std::string text = describe(d, box); !text.empty()) out += (out.empty() ? "" : " and ") + text;
  return out.empty() ? "always" : out;
}

std::optional<PolicyDiff> diff(const model::Policy& before, const model::Policy& after) {
  const model::Policy* both[] = {&before, &after};
  const Space space{std::span<const model::Policy* const>(both)};
  if (space.classes() > most_classes) return std::nullopt;
  auto old_parts = parts_by_output(before, space), new_parts = parts_by_output(after, space);
  if (!old_parts || !new_parts) return std::nullopt;
  PolicyDiff out;
  out.cells = space.cells();
  out.facts = changed_facts(before, after, out.needed);
  std::vector<std::string> outputs = answer_outputs(before);
  for (const std::string& output : answer_outputs(after))
    if (std::find(outputs.begin(), outputs.end(), output) == outputs.end()) outputs.push_back(output);
  for (const std::string& output : outputs) {
    const bool collected = is_collected(before, output) || is_collected(after, output);
    for (auto* parts : {&*old_parts, &*new_parts})
      if ((*parts)[output].empty() && !collected) (*parts)[output] = {{space.whole(), ""}};
    Changed changed;
    if (collected) compare_sets(space, (*old_parts)[output], (*new_parts)[output], changed);
    else compare_values(space, (*old_parts)[output], (*new_parts)[output], changed);
    for (auto& [values, boxes] : changed) {
      DiffItem& item = out.items.emplace_back(DiffItem{output, values.first, values.second, 0, {}});
      for (const Box& box : boxes) item.cells += space.cells(box);
      for (const Box& box : merged(space, std::move(boxes))) item.boxes.push_back(describe(space, box));
      out.needed = std::max(out.needed, collected ? Step::minor : Step::major);
    }
  }
  model::Policy renamed = after;  // the names and versions say nothing of what changed
  renamed.name = before.name;
  renamed.version = before.version;
  if (out.needed == Step::none && canonical_text(before) != canonical_text(renamed)) out.needed = Step::patch;
  out.taken = step_between(before.version, after.version);
  return out;
}

}  // namespace muster::rules
