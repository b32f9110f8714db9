// Which fields of an object have an account, and the lines that give it. Inside targets/kubernetes/lift only.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "targets/imported.h"
#include "targets/kubernetes/read/field.h"

namespace muster::targets::kubernetes::lifting {

class Ledger {
 public:
  // What became of a field and of all that is below it. A field that is not there has no line.
  void line(const Field& field, Fate fate, std::string as, std::string note = {}) {
    if (field.node == nullptr || !taken_.insert(field.node).second) return;  // the first one counts
    lines_.push_back({field.span(), field.path, fate, std::move(as), std::move(note)});
  }
  // What another line speaks for.
  void mark(const Field& field) {
    if (field.node != nullptr) taken_.insert(field.node);
  }
  // About the object as a whole, or what is not in it.
  void say(Span at, std::string path, Fate fate, std::string as, std::string note) {
    if (fate != Fate::raw) at.end = at.begin;  // a place to look at, not the text that the line speaks for
    lines_.push_back({at, std::move(path), fate, std::move(as), std::move(note)});
  }

  bool has(const data::Node& node) const { return taken_.contains(&node); }
  // Whether anything below a node has an account.
  bool has_below(const data::Node& node) const;
  std::vector<ImportLine>& lines() { return lines_; }

 private:
  std::set<const data::Node*> taken_;
  std::vector<ImportLine> lines_;
};

}  // namespace muster::targets::kubernetes::lifting
