#include "cli/review_files.h"

#include <algorithm>

#include "cli/discover.h"
#include "cli/lint_specs.h"
#include "cli/session.h"
#include "compiler/twin/twin.h"
#include "lint/check.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{4} << 20;

FileKind kind_of(const std::string& path, const std::string& text) {
  if (is_spec(path, text)) return FileKind::spec;
  const auto kind = lint::kind_of(text);
  if (!kind) return FileKind::other;
  return *kind == lint::Input::script ? FileKind::script : FileKind::manifest;
}

// What stands between quotes on one line of a text, and so may be the name of a file.
std::vector<std::string_view> quoted_words(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at)) {
    const std::size_t end = text.find_first_of("\"\n", ++at);
    if (end == std::string_view::npos) break;
    if (text[end] == '"' && end > at && end - at < 4096) out.push_back(text.substr(at, end - at));
    at = end;  // a closing quote may open the next word: one too many is only read once more
  }
  return out;
}

// A name that is put together (`"run-${nodes}"`) may be that of any file.
bool takes_unknown_file(const std::string& text) {
  const std::size_t at = text.find("file(");
  return at != std::string::npos && text.find("${", at) != std::string::npos;
}

}  // namespace

std::optional<Side> read_side(const std::string& name, const fs::path& path, Diagnostics& diagnostics) {
  std::error_code error;
  Side side;
  side.name = name;
  const bool folder = fs::is_directory(path, error);
  if (!folder && !fs::is_regular_file(path, error)) {
    diagnostics.add(Code::cannot_read, {},
                    "cannot read `" + name + "`: " + (error ? error.message() : "it is no file or folder"));
    return std::nullopt;
  }
  side.root = fs::absolute(folder ? path : path.parent_path().empty() ? fs::path(".") : path.parent_path());
  side.root = fs::canonical(side.root, error);
  if (!folder) side.only = path.filename().string();
  const InFolder here(side.root);
  for (const FoundFile& found : discover({folder ? "." : side.only}, diagnostics)) {
    std::string why;
    auto text = read_file(found.path, largest_file, why);
    if (!text) {
      diagnostics.add(Code::cannot_read, {}, "cannot read `" + found.path + "` of `" + name + "`: " + why);
      continue;
    }
    SideFile& file = side.files[found.path];
    file.kind = kind_of(found.path, *text);
    file.too_large = text->size() > largest_file;
    file.text = std::move(*text);
  }
  return side;
}

std::set<std::string> affected_files(const Side& base, const Side& head) {
  std::set<std::string> out;
  std::vector<std::string> fresh;
  std::map<std::string, std::vector<std::string>> named_by;
  const auto reach = [&](const std::string& path) {
    if (out.insert(path).second) fresh.push_back(path);
  };
  for (const auto& [path, file] : base.files) {
    const auto other = head.files.find(path);
    if (other == head.files.end() || other->second.text != file.text) reach(path);
  }
  for (const auto& [path, file] : head.files) {
    if (!base.files.contains(path)) reach(path);
    if (file.kind != FileKind::spec || out.contains(path)) continue;
    if (takes_unknown_file(file.text)) reach(path);
    for (const std::string_view word : quoted_words(file.text))
      named_by[(fs::path(path).parent_path() / word).lexically_normal().string()].push_back(path);
  }
  while (!fresh.empty()) {
    const std::string path = std::move(fresh.back());
    fresh.pop_back();
    const auto found = named_by.find(path);
    if (found == named_by.end()) continue;
    for (const std::string& by : found->second) reach(by);
  }
  return out;
}

bool declares_site(const std::string& path, const SideFile& file) {
  if (file.kind != FileKind::spec || file.text.find("site") == std::string::npos) return false;
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t number = sources.add(path, file.text);
  const auto tree = twin::read(sources, number, twin::form_of(path, file.text), ignored);
  const auto is_site = [](const ast::Block& block) { return block.kind.text == "site"; };
  return tree && std::any_of(tree->blocks.begin(), tree->blocks.end(), is_site);
}

std::vector<std::string> site_files(const Side& side) {
  std::vector<std::string> out;
  for (const auto& [path, file] : side.files)
    if (declares_site(path, file)) out.push_back(path);
  return out;
}

std::size_t count_workloads(const std::string& path, const SideFile& file) {
  if (file.kind == FileKind::other) return 0;
  if (file.kind == FileKind::script) return 1;
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t number = sources.add(path, file.text);
  if (file.kind == FileKind::manifest) return targets::kubernetes::read_manifest(sources, number).objects.size();
  const auto tree = twin::read(sources, number, twin::form_of(path, file.text), ignored);
  const auto is_workload = [](const ast::Block& block) { return block.kind.text == "workload"; };
  return tree ? static_cast<std::size_t>(std::count_if(tree->blocks.begin(), tree->blocks.end(), is_workload)) : 0;
}

}  // namespace muster::cli
