#include "targets/loss.h"

#include <algorithm>

namespace muster::targets {

void Loss::add(LossEntry entry) {
  // What is refused is not also written, whichever was found first.
  for (const std::size_t at : entries_of(entry.field)) {
    using Status = LossEntry::Status;
    const auto writes = [](Status s) { return s == Status::exact || s == Status::approximated; };
    if (writes(entry.status) && entries_[at].status == Status::refused) return;
    if (entry.status != Status::refused || !writes(entries_[at].status)) continue;
    entries_[at] = std::move(entry);
    return;
  }
  OfKey& same = by_key_[{entry.field.role, entry.field.field}];
  same.by_detail[entry.field.detail].push_back(entries_.size());
  same.lengths.insert(entry.field.detail.size());
  entries_.push_back(std::move(entry));
}

std::span<const std::size_t> Loss::entries_of(const FieldRef& field) const {
  const auto key = by_key_.find({field.role, field.field});
  if (key == by_key_.end()) return {};
  const auto found = key->second.by_detail.find(field.detail);
  return found == key->second.by_detail.end() ? std::span<const std::size_t>() : found->second;
}

// Whether an entry's detail is empty, this one, or a path above it.
bool Loss::covers(const OfKey& entries, std::string_view detail) {
  return std::any_of(entries.lengths.begin(), entries.lengths.end(), [&](std::size_t length) {
    const bool ends = length == 0 || length == detail.size() || (length < detail.size() && detail[length] == '.');
    return ends && entries.by_detail.contains(detail.substr(0, length));
  });
}

// FieldRef::is_or_below for all entries at once.
bool Loss::covers(const FieldRef& field) const {
  if (field.field != Field::role && !field.role.empty())
    if (const auto roles = by_key_.find({"", Field::role}); roles != by_key_.end())
      if (roles->second.by_detail.contains("") || roles->second.by_detail.contains(field.role)) return true;
  for (auto key = by_key_.lower_bound({field.role, Field{}}); key != by_key_.end() && key->first.first == field.role;
       ++key) {
    const Field block = key->first.second;
    if (block == Field::role && field.field != Field::role) continue;
    if (model::is_or_below(field.field, block) && covers(key->second, field.detail)) return true;
  }
  return false;
}

}  // namespace muster::targets
