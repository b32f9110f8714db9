#include "lint/fix.h"

#include <algorithm>
#include <map>

namespace muster::lint {
namespace {

// The edits that were taken, by where they begin. None overlap.
using Taken = std::map<std::uint32_t, Edit>;

// Insertions at one place count as overlapping: which comes first would be a guess.
bool free_for(const Edit& edit, const Taken& taken) {
  const auto next = taken.lower_bound(edit.where.begin);
  if (next != taken.end() && (next->first < edit.where.end || next->first == edit.where.begin)) return false;
  return next == taken.begin() || std::prev(next)->second.where.end <= edit.where.begin;
}

bool take(const Fix& fix, std::uint32_t file, std::size_t size, Taken& taken) {
  std::vector<std::uint32_t> added;
  for (const Edit& edit : fix.edits) {
    const bool inside = edit.where.file == file && edit.where.begin <= edit.where.end && edit.where.end <= size;
    if (inside && free_for(edit, taken)) {
      taken.emplace(edit.where.begin, edit);
      added.push_back(edit.where.begin);
      continue;
    }
    for (const std::uint32_t begin : added) taken.erase(begin);
    return false;
  }
  return !fix.edits.empty();
}

}  // namespace

Fixed apply_fixes(const Sources& sources, std::uint32_t file, std::span<const Result> results, bool unsafe) {
  const std::string_view text = sources.text(file);
  Fixed out;
  Taken taken;
  for (const Result& r : results)
    if (r.state == State::open && r.finding.fix && (unsafe || r.finding.fix->safe))
      out.applied += take(*r.finding.fix, file, text.size(), taken);
  std::size_t at = 0;
  for (const auto& [begin, edit] : taken) {
    out.text += text.substr(at, begin - at);
    out.text += edit.text;
    at = edit.where.end;
  }
  out.text += text.substr(at);
  return out;
}

}  // namespace muster::lint
