#include "lint/overlays.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "compiler/base/text.h"
#include "lint/related_manifests.h"

namespace muster::lint {
namespace {

constexpr std::size_t most_steps = 200'000;  // of all kustomizations together

// A path of a kustomization as the run shows it.
std::string shown_in(const std::string& folder, const std::string& written) {
  std::string out = (std::filesystem::path(folder) / written).lexically_normal().string();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out == "." ? std::string() : out;
}

// What a folder's name says of all that is in it. `testdata` is what Go's tools leave out, `vendor` has their copies of
// other projects.
targets::PurposeKind purpose_of_folder(std::string_view written) {
  constexpr std::array<std::string_view, 4> tests = {"testdata", "test-data", "test_data", "fixtures"};
  constexpr std::array<std::string_view, 10> archives = {"archive",  "archived", "_archive", "_archived", "deprecated",
                                                         "obsolete", "vendor",   "old",      "_old",      "legacy"};
  const std::string name = lower(written);
  const auto is_one_of = [&](const auto& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  // `invalid-jobs`, `faulty-examples`: wrong on purpose.
  const auto begins = [&](std::string_view word) {
    return name.starts_with(word) &&
           (name.size() == word.size() || name[word.size()] == '-' || name[word.size()] == '_');
  };
  if (is_one_of(tests) || begins("invalid") || begins("faulty") || begins("broken") || begins("insecure") ||
      begins("vulnerable"))
    return targets::PurposeKind::test_data;
  return is_one_of(archives) || name.starts_with("retired") ? targets::PurposeKind::archived
                                                            : targets::PurposeKind::complete;
}

// `manager_auth_proxy_patch.yaml` and `patches/gpu.yaml`: so kustomize's own tools name them.
bool is_named_patch(std::string_view file) {
  std::string_view name = file.substr(file.rfind('/') + 1);
  name = name.substr(0, name.rfind('.'));
  const std::string_view folder = folder_of(file);
  return name.ends_with("_patch") || name.ends_with("-patch") || name.starts_with("patch-") ||
         name.starts_with("patch_") || name == "patch" || folder.substr(folder.rfind('/') + 1) == "patches";
}

// "a/b" of "a/b:v1@sha256:…"; a colon in front of a slash is the port of a registry.
std::string_view name_of_image(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::size_t colon = image.rfind(':');
  const bool tag = colon != std::string_view::npos && image.find('/', colon) == std::string_view::npos;
  return tag ? image.substr(0, colon) : image;
}

}  // namespace

std::optional<std::string> chart_folder_of(const std::string& file) {
  if (const std::size_t at = file.rfind("/templates/"); at != std::string::npos) return file.substr(0, at);
  return file.starts_with("templates/") ? std::optional<std::string>("") : std::nullopt;
}

std::string said_of_folder(targets::PurposeKind kind) {
  return std::string("the files in this folder are ") +
         (kind == targets::PurposeKind::test_data ? "test data" : "kept but not used") +
         ", so their warnings are reported in the profile `strict` only";
}

void Overlays::add(const std::string& folder, const targets::kubernetes::Kustomization& kustomization) {
  for (const std::string& path : kustomization.patches) patched_by_.try_emplace(shown_in(folder, path), folder);
  for (const std::string& path : kustomization.resources) resources_.insert(shown_in(folder, path));
  by_folder_.emplace(folder, kustomization);
}

void Overlays::add_chart(const std::string& folder, const std::string& first_file) {
  charts_.try_emplace(folder, first_file);
}

void Overlays::add_found(const std::string& file, std::size_t given) {
  found_.insert(found_.end(), file);
  for (std::size_t from = given, to = file.find('/', from); to != std::string::npos; to = file.find('/', from)) {
    const std::string_view name = std::string_view(file).substr(from, to - from);
    const bool of_java = name == "resources" && std::string_view(file).substr(0, from).ends_with("src/test/");
    const targets::PurposeKind kind = of_java ? targets::PurposeKind::test_data : purpose_of_folder(name);
    if (name == "test" || name == "tests" || name == "testing" || name == "e2e") of_tests_.insert(file);
    std::string folder = file.substr(0, to);
    from = to + 1;
    if (kind == targets::PurposeKind::complete) continue;
    aside_.emplace(file, Aside{kind, std::move(folder)});
    return;
  }
}

void Overlays::begin(const std::string& file) {
  if (const auto aside = aside_.find(file); aside != aside_.end()) first_of_.try_emplace(aside->second.folder, file);
}

void Overlays::settle() {
  std::size_t steps = 0;
  for (const auto& [folder, kustomization] : by_folder_) {
    if (kustomization.images.empty()) continue;
    const std::set<std::string> names(kustomization.images.begin(), kustomization.images.end());
    std::set<std::string> seen{folder};
    std::vector<std::string> open{folder};
    while (!open.empty()) {
      const auto found = by_folder_.find(open.back());
      const std::string at = std::move(open.back());
      open.pop_back();
      if (found == by_folder_.end()) {
        images_[at].insert(names.begin(), names.end());
        continue;
      }
      for (const std::string& path : found->second.resources)
        if (std::string next = shown_in(at, path); ++steps < most_steps && seen.insert(next).second)
          open.push_back(std::move(next));
    }
  }
}

targets::Purpose Overlays::purpose_of(const std::string& file) const {
  using targets::PurposeKind;
  if (const auto patch = patched_by_.find(file); patch != patched_by_.end() && !resources_.contains(file))
    return {PurposeKind::patch,
            "kustomize",
            "the kustomization of `" + (patch->second.empty() ? "." : patch->second) + "` lists it as a patch",
            {}};
  const std::string folder(folder_of(file));
  const bool kustomized = by_folder_.contains(folder) || by_folder_.contains(std::string(folder_of(folder)));
  if (kustomized && is_named_patch(file) && !resources_.contains(file))
    return {PurposeKind::patch, "kustomize", "its name says so, and no kustomization takes it as a resource", {}};
  if (const auto aside = aside_.find(file); aside != aside_.end())
    return {aside->second.kind, "", "it is in the folder `" + aside->second.folder + "`", {}, true};
  if (const auto chart = chart_folder_of(file); chart && charts_.contains(*chart))
    return {PurposeKind::templated,
            "Helm",
            "it is a template of the chart `" + (chart->empty() ? "." : *chart) + "`",
            {},
            true};
  return {};
}

void Overlays::set_merged(std::set<std::string> merged, std::map<std::string, std::string> apart) {
  merged_ = std::move(merged), apart_ = std::move(apart);
}

std::string Overlays::why_apart(const std::string& file) const {
  const auto found = apart_.find(file);
  return found == apart_.end() ? std::string() : found->second;
}

std::set<std::string> Overlays::folders() const {
  std::set<std::string> out;
  for (const auto& [folder, kustomization] : by_folder_) out.insert(folder);
  return out;
}

bool Overlays::is_first(const std::string& file) const {
  if (const auto aside = aside_.find(file); aside != aside_.end()) {
    const auto first = first_of_.find(aside->second.folder);
    return first == first_of_.end() || first->second == file;
  }
  const auto folder = chart_folder_of(file);
  const auto chart = folder ? charts_.find(*folder) : charts_.end();
  return chart == charts_.end() || chart->second == file;
}

bool Overlays::replaces_image(const std::string& file, std::string_view image) const {
  const auto found = images_.find(file);
  return found != images_.end() && found->second.contains(std::string(name_of_image(image)));
}

}  // namespace muster::lint
