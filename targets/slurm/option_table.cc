#include "targets/slurm/option_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/base/text.h"

namespace muster::targets::slurm {
namespace {

constexpr std::array versions =
    std::to_array<model::Version>({{22, 5}, {23, 2}, {23, 11}, {24, 5}, {24, 11}, {25, 5}, {25, 11}, {26, 5}});

constexpr std::array rows = std::to_array<OptionRow>({
#include "targets/slurm/options_table.inc"
});

constexpr Arity arity_of(char letter) {
  switch (letter) {
    case 'n': return Arity::none;
    case 'r': return Arity::required;
    case 'o': return Arity::optional;
    default: return Arity::absent;
  }
}

std::size_t index_of(model::Version version) {
  std::size_t i = versions.size();
  while (i > 1 && versions[i - 1] > version) --i;
  return i - 1;
}

}  // namespace

Arity OptionRow::arity_in(std::optional<model::Version> version) const {
  if (version) return arity_of(arity[index_of(*version)]);
  Arity widest = Arity::absent;
  for (const char letter : arity) widest = std::max(widest, arity_of(letter));
  return widest;
}

std::span<const model::Version> slurm_versions() { return versions; }

std::span<const OptionRow> option_rows(Tool tool) {
  const auto [first, last] = std::equal_range(rows.begin(), rows.end(), tool, [](const auto& a, const auto& b) {
    const auto key = [](const auto& x) {
      if constexpr (requires { x.tool; }) return x.tool;
      else return x;
    };
    return key(a) < key(b);
  });
  return {first, last};
}

const OptionRow* find_option(Tool tool, std::string_view name) {
  const auto of_tool = option_rows(tool);
  const auto at = std::lower_bound(of_tool.begin(), of_tool.end(), name,
                                   [](const OptionRow& row, std::string_view n) { return row.name < n; });
  return at != of_tool.end() && at->name == name ? &*at : nullptr;
}

const OptionRow* find_letter(Tool tool, char letter, std::optional<model::Version> version) {
  for (const OptionRow& row : option_rows(tool))
    if (row.letter != 0 && row.letter == letter && row.arity_in(version) != Arity::absent) return &row;
  return nullptr;
}

OptionMatch match_option(Tool tool, std::string_view written, std::optional<model::Version> version) {
  OptionMatch match;
  for (std::size_t i = versions.size(); !version && i > 0 && match.row == nullptr; --i)
    if (OptionMatch in = match_option(tool, written, versions[i - 1]); in.row != nullptr || match.candidates.empty())
      match = std::move(in);
  if (!version) return match;
  const auto of_tool = option_rows(tool);
  auto at = std::lower_bound(of_tool.begin(), of_tool.end(), written,
                             [](const OptionRow& row, std::string_view n) { return row.name < n; });
  for (; at != of_tool.end() && at->name.starts_with(written); ++at) {
    if (at->arity_in(version) == Arity::absent) continue;
    if (at->name == written) return {&*at, {}};
    const bool same = match.row != nullptr && canonical_option(match.row->name) == canonical_option(at->name);
    if (!same) match.candidates.push_back(at->name);
    if (match.row == nullptr) match.row = &*at;
  }
  if (match.candidates.size() > 1) match.row = nullptr;
  else match.candidates.clear();
  return match;
}

std::string_view canonical_option(std::string_view name) {
  if (name == "cluster") return "clusters";
  if (name == "tasks-per-node") return "ntasks-per-node";
  if (name == "cpu_bind") return "cpu-bind";
  if (name == "pack-group") return "het-group";
  return name;
}

bool is_option_name(std::string_view name) {
  return name.size() > 1 && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) { return c == '-' || is_lower(c) || is_digit(c); });
}

OptionAge age_of(const OptionRow& row) {
  OptionAge age;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const bool has = row.arity[i] != '-';
    const bool had = i > 0 && row.arity[i - 1] != '-';
    if (has && !had && i > 0) age = {versions[i], {}};
    if (!has && had) age.gone = versions[i];
  }
  return age;
}

std::optional<model::Version> value_since(const OptionRow& row) {
  for (std::size_t i = 0; i < versions.size(); ++i)
    if (const Arity arity = arity_of(row.arity[i]); arity == Arity::required || arity == Arity::optional)
      return versions[i];
  return std::nullopt;
}

std::string to_string(model::Version v) {
  return std::to_string(v.major) + (v.minor < 10 ? ".0" : ".") + std::to_string(v.minor);
}

}  // namespace muster::targets::slurm
