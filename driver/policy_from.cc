#include "driver/policy_from.h"

#include <utility>

#include "compiler/twin/twin.h"
#include "driver/lint_anchors.h"
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

std::optional<std::string> name_below(const std::string& path, const Files& files, const std::vector<fs::path>& roots) {
  for (const fs::path& whole : {files.whole(path), files.real(path)})
    for (const fs::path& root : roots)
      if (std::string name = below(whole, root); !name.empty()) return name;
  return std::nullopt;
}

std::optional<std::string> PolicyFrom::name_of(const std::string& path, const Files& files) const {
  return name_below(path, files, roots_);
}

std::optional<std::string> PolicyFrom::text(const std::string& path, const Files& files, std::size_t limit,
                                            std::string& why) const {
  const auto name = name_of(path, files);
  if (path == "-" || !name || tree_->files().own_type(*name) != fs::file_type::regular) return std::nullopt;
  return tree_->files().read(*name, limit, why);
}

std::optional<std::string> PolicyFrom::text(const std::string& path, const Files& files) const {
  std::string why;
  return text(path, files, largest_file, why);
}

std::vector<lint::Suppression> PolicyFrom::suppressions(const std::string& path, const Files& files,
                                                        lint::Input kind) const {
  auto before = text(path, files);
  if (!before || before->find("muster") == before->npos) return {};
  Sources sources;
  const std::uint32_t file = sources.add(path, std::move(*before));
  return lint::suppressions_of(sources, file, kind).items;
}

std::vector<lint::Suppression> PolicyFrom::marked(const ast::File& file, const Session& session) const {
  std::vector<lint::Suppression> now = anchored(file, session.sources()), before;
  if (now.empty()) return now;
  const std::string& name = session.sources().name(file.file);
  if (auto old = text(name, session.inputs().from)) {
    Sources there;
    Diagnostics ignored;
    const twin::Form form = twin::form_of(name, *old);
    const std::uint32_t number = there.add(name, std::move(*old));
    if (const auto tree = twin::read(there, number, form, ignored)) before = anchored(*tree, there);
  }
  lint::mark_proposed(before, now, session.inputs().as_of);
  return now;
}

std::optional<Tree> open_policy(const std::string& where, Diagnostics& diagnostics) {
  return open_tree(where, diagnostics);
}

}  // namespace muster::driver
