// The files that the files of a run import, each parsed once for all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace muster::driver {

// Keeps the trees of files that were read without a fault, as they were then: a run sees one state of a file, however
// often it is imported and whatever is written meanwhile.
class ParsedFiles {
 public:
  // The tree of the file at `real`, its path without links, under a number of its own in the sources. `name` is how
  // messages call it; under another name it is another file. nullopt: it is not kept.
  std::optional<ast::File> find(const std::string& real, const std::string& name, Sources& sources) const;
  // Keeps a tree. What is kept is bounded by the bytes of the texts; beyond that all is forgotten, and read anew.
  void keep(const std::string& real, const std::string& name, const Sources& sources, const ast::File& tree);

 private:
  struct Kept {
    ast::File tree;
    std::string text;  // its own: that in the sources may be given back
  };
  std::map<std::pair<std::string, std::string>, Kept> trees_;  // by real path and name
  std::size_t bytes_ = 0;                                      // of their texts
};

}  // namespace muster::driver
