// The loss report: for every field the user wrote, what became of it.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/model/fields.h"

namespace muster::targets {

using model::Field;
using model::FieldRef;

struct LossEntry {
  // read: muster itself goes by it (lint, the decision, the arithmetic of failure), or the system does so unasked; the
  // file needs no word for it.
  enum class Status { exact, approximated, refused, read } status = Status::exact;
  FieldRef field;
  std::string as;    // "--nodes=8"; what of the output carries it; "nothing" of what is not carried. carriers.h has the
                     // lines
  std::string note;  // what differs, or why it is refused
};

class Loss {
 public:
  void exact(FieldRef field, std::string as) { add(LossEntry::Status::exact, std::move(field), std::move(as), {}); }
  void approximated(FieldRef field, std::string as, std::string note) {
    add(LossEntry::Status::approximated, std::move(field), std::move(as), std::move(note));
  }
  void read(FieldRef field, std::string by) { add(LossEntry::Status::read, std::move(field), {}, std::move(by)); }
  void refused(FieldRef field, std::string note) {
    add(LossEntry::Status::refused, std::move(field), {}, std::move(note));
  }

  void add(LossEntry entry);

  // Whether an entry covers the field: its own, or that of a block above it (`env` for `env.X`).
  bool covers(const FieldRef& field) const;
  const std::vector<LossEntry>& entries() const { return entries_; }
  // The numbers of the entries of that field alone.
  std::span<const std::size_t> entries_of(const FieldRef& field) const;

 private:
  // The entries of one key in one role, by detail. Blocks have thousands of keys, and each is looked up.
  struct OfKey {
    std::map<std::string, std::vector<std::size_t>, std::less<>> by_detail;
    std::set<std::size_t> lengths;  // of the details
  };

  void add(LossEntry::Status status, FieldRef field, std::string as, std::string note) {
    add({status, std::move(field), std::move(as), std::move(note)});
  }
  static bool covers(const OfKey& entries, std::string_view detail);

  std::vector<LossEntry> entries_;
  std::map<std::pair<std::string, Field>, OfKey> by_key_;  // by role and field
};

}  // namespace muster::targets
