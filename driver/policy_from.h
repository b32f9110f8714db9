// `--policy-from REV|DIR`: the tree whose policy, waivers, baseline and suppressions decide. What the files that are
// judged add to them accepts nothing; it is reported.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/syntax/ast.h"
#include "driver/files.h"
#include "driver/session.h"
#include "driver/tree.h"
#include "lint/finding.h"
#include "lint/outcome.h"
#include "lint/suppress.h"

namespace muster::driver {

// The name of a path of `files` below one of some folders, as it is written or, failing that, with its links followed:
// a change may turn a folder into a link to another one. nullopt: it lies outside of all.
std::optional<std::string> name_below(const std::string& path, const Files& files,
                                      const std::vector<std::filesystem::path>& roots);

class PolicyFrom {
 public:
  // A path below one of `roots`, which are absolute and without links, is that of the same name in the tree. The tree
  // outlives this.
  PolicyFrom(const Tree& tree, std::vector<std::filesystem::path> roots) : tree_(&tree), roots_(std::move(roots)) {}

  // The name in the tree of a path of `files`, whether it is there or not; nullopt: it lies outside of the roots.
  std::optional<std::string> name_of(const std::string& path, const Files& files) const;
  // A file as the tree has it. nullopt: it is not there, or (`why`) it cannot be read.
  std::optional<std::string> text(const std::string& path, const Files& files, std::size_t limit,
                                  std::string& why) const;
  std::optional<std::string> text(const std::string& path, const Files& files) const;
  const Tree& tree() const { return *tree_; }

  // What a script or a manifest suppresses in the tree.
  std::vector<lint::Suppression> suppressions(const std::string& path, const Files& files, lint::Input kind) const;
  // What a muster file of a session suppresses, and of that what the tree does not have is marked as proposed.
  std::vector<lint::Suppression> marked(const ast::File& file, const Session& session) const;

 private:
  const Tree* tree_;
  std::vector<std::filesystem::path> roots_;
};

// The tree of --policy-from. nullopt: reported.
std::optional<Tree> open_policy(const std::string& where, Diagnostics& diagnostics);

}  // namespace muster::driver
