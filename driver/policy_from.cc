#include "driver/policy_from.h"

#include <utility>

#include "compiler/twin/twin.h"
#include "driver/imports.h"
#include "driver/lint_anchors.h"
#include "driver/read_file.h"
#include "lint/check.h"
#include "lint/proposed.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

// "" where it does not lie below the folder.
std::string below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? std::string() : relative.generic_string();
}

}  // namespace

std::optional<std::string> name_below(const std::string& path, const std::vector<fs::path>& roots) {
  std::error_code error;
  for (const fs::path& whole : {fs::absolute(path, error).lexically_normal(), real_path(path)})
    for (const fs::path& root : roots)
      if (std::string name = below(whole, root); !name.empty()) return name;
  return std::nullopt;
}

PolicyFrom::PolicyFrom(const Tree& tree, std::vector<fs::path> roots) : tree_(&tree) {
  for (fs::path& root : roots) roots_.push_back(real_path(root));
}

std::optional<std::string> PolicyFrom::name_of(const std::string& path) const { return name_below(path, roots_); }

std::optional<std::string> PolicyFrom::text(const std::string& path, std::size_t limit, std::string& why) const {
  const auto name = name_of(path);
  std::error_code error;
  if (path == "-" || !name || !fs::is_regular_file(fs::symlink_status(folder() / *name, error))) return std::nullopt;
  return read_file((folder() / *name).string(), limit, why);
}

std::optional<std::string> PolicyFrom::text(const std::string& path) const {
  std::string why;
  return text(path, largest_file, why);
}

std::vector<lint::Suppression> PolicyFrom::suppressions(const std::string& path, lint::Input kind) const {
  auto before = text(path);
  if (!before || before->find("muster") == before->npos) return {};
  Sources sources;
  const std::uint32_t file = sources.add(path, std::move(*before));
  return lint::suppressions_of(sources, file, kind).items;
}

std::vector<lint::Suppression> PolicyFrom::marked(const ast::File& file, const Sources& sources,
                                                  std::string_view as_of) const {
  std::vector<lint::Suppression> now = anchored(file, sources), before;
  if (now.empty()) return now;
  const std::string& name = sources.name(file.file);
  if (auto old = text(name)) {
    Sources there;
    Diagnostics ignored;
    const twin::Form form = twin::form_of(name, *old);
    const std::uint32_t number = there.add(name, std::move(*old));
    if (const auto tree = twin::read(there, number, form, ignored)) before = anchored(*tree, there);
  }
  lint::mark_proposed(before, now, as_of);
  return now;
}

std::optional<Tree> open_policy(const std::string& where, Diagnostics& diagnostics) {
  return open_tree(where, diagnostics);
}

}  // namespace muster::driver
