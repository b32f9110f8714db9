// Remarks for a tree that no file holds, found by path as the formatter walks. Inside compiler/syntax
// only.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/syntax/ast.h"
#include "compiler/syntax/format.h"

namespace muster::syntax {

class Notes {
 public:
  Notes(const ast::File& file, const std::vector<Note>& notes);

  // The comment lines above an item of the block that was entered last; each is given once.
  std::vector<std::string> above(const ast::Item& item);
  std::vector<std::string> above(const ast::Block& declaration);
  // Lines whose path names nothing at all.
  std::vector<std::string> homeless() { return take(""); }
  bool inside(const ast::Block& block) const;

  void enter(const ast::Block& block);
  void leave();

 private:
  std::vector<std::string> take(const std::string& path);
  std::string below(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }

  std::map<std::string, std::vector<std::string>> lines_;
  std::vector<std::size_t> lengths_;  // of path_ before each block that was entered
  std::string path_;
};

}  // namespace muster::syntax
