#include "driver/overlay_files.h"

#include <set>
#include <string>

#include "driver/endings.h"
#include "lint/related_manifests.h"

namespace muster::driver {
namespace {

constexpr std::size_t largest_kustomization = std::size_t{1} << 20;
constexpr std::size_t most_folders = 100'000;
constexpr int folders_above = 2;  // overlays/prod and base lie in one folder

bool is_of_kustomize(const std::string& path) {
  return starts_by_ending(path) == Starts::objects || path.substr(path.rfind('/') + 1) == "Kustomization";
}

std::string path_in(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

// The folder above as the run would show it; false where there is none.
bool go_up(std::string& folder) {
  if (folder.empty() || folder.ends_with("..") || folder == "/") return false;
  folder = std::string(lint::folder_of(folder));
  return true;
}

void read_kustomization_of(const std::string& folder, const Files& from, Sources& sources, lint::Overlays& overlays) {
  for (const std::string_view name : targets::kubernetes::kustomization_names) {
    const std::string path = path_in(folder, name);
    std::string why;
    if (!from.is_file(path)) continue;
    auto text = from.read(path, largest_kustomization, why);
    if (!text || text->size() > largest_kustomization) return;
    const std::uint32_t file = sources.add(path, std::move(*text));
    overlays.add(folder, targets::kubernetes::read_kustomization(sources, file));
    sources.forget(file);
    return;
  }
}

}  // namespace

void read_overlays(const std::vector<FoundFile>& files, const Files& from, Sources& sources, lint::Overlays& overlays) {
  std::set<std::string> folders, charts;
  for (const FoundFile& file : files) {
    if (!file.named) overlays.add_found(file.path, file.given);
    if (!is_of_kustomize(file.path) || file.path == "-" || folders.size() > most_folders) continue;
    std::string folder(lint::folder_of(file.path));
    folders.insert(folder);
    for (int i = 0; i < folders_above && go_up(folder); ++i) folders.insert(folder);
    const auto chart = lint::chart_folder_of(file.path);
    if (chart && charts.insert(*chart).second && from.is_file(path_in(*chart, "Chart.yaml")))
      overlays.add_chart(*chart, file.path);
  }
  for (const std::string& folder : folders) read_kustomization_of(folder, from, sources, overlays);
  overlays.settle();
}

}  // namespace muster::driver
