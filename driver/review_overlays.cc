#include "driver/review_overlays.h"

#include <algorithm>

#include "driver/merged_overlays.h"
#include "driver/tree.h"
#include "review/describe.h"
#include "review/documents.h"
#include "targets/kubernetes/read/kustomization.h"

namespace muster::driver {
namespace {

std::set<std::string> kustomized_folders(const Side& side) {
  std::set<std::string> out;
  for (const auto& [path, file] : side.files) {
    const std::size_t slash = path.rfind('/');
    const std::string name = path.substr(slash == path.npos ? 0 : slash + 1);
    const auto& names = targets::kubernetes::kustomization_names;
    if (std::find(std::begin(names), std::end(names), name) != std::end(names))
      out.insert(path.substr(0, slash == path.npos ? 0 : slash));
  }
  return out;
}

bool has_amounts(const review::Workload& workload) {
  return std::any_of(workload.objects.begin(), workload.objects.end(), [](const review::Object& object) {
    return std::any_of(object.fields.begin(), object.fields.end(),
                       [](const review::Field& field) { return review::is_amount(field.value); });
  });
}

// The workload of a tree that shows an object: the object itself rather than a patch of it.
review::Workload* shown_as(const review::Workload& object, const std::string& label, const MergedSide& merged,
                           review::Tree& tree) {
  review::Workload* found = nullptr;
  for (review::Workload& w : tree.workloads) {
    if (w.id != object.id || w.site != label || w.form != review::Form::manifest) continue;
    if (found == nullptr || merged.replaced.contains({w.file, w.name})) found = &w;
  }
  return found;
}

}  // namespace

MergedSide merge_side(const Side& side, const Judge& judge) {
  MergedSide out;
  const std::set<std::string> folders = side.only.empty() ? kustomized_folders(side) : std::set<std::string>();
  if (folders.empty()) return out;
  Sources& sources = judge.session->sources();
  const std::size_t before = sources.count();
  const ReadText read = [&](const std::string& path) { return side.text(path); };
  MergedOverlays overlays =
      merge_overlays(folders, {side.from.real(side.root.string()).string()}, side.from, read, sources);
  for (const MergedOverlay& overlay : overlays.overlays) {
    MergedFolder& folder = out.folders[overlay.folder];
    for (const std::uint32_t file : overlay.files) folder.files.insert(sources.name(file));
    for (const std::string_view name : targets::kubernetes::kustomization_names)
      folder.files.insert((overlay.folder.empty() ? "" : overlay.folder + "/") + std::string(name));
    folder.workloads = review::read_merged(overlay.manifest, overlay.changed, overlay.folder, judge.base->site(),
                                           judge.base->fleet(), judge.base->fleet_state());
    for (review::Workload& w : folder.workloads) w.site = judge.label;
    std::size_t next = 0;
    for (std::size_t i = 0; i < overlay.manifest.objects.size() && i < overlay.changed.size(); ++i)
      if (overlay.changed[i])
        out.replaced.emplace(sources.name(overlay.manifest.objects[i].root.node->span.file),
                             folder.workloads[next++].name);
  }
  out.apart = std::move(overlays.apart);
  judge.base->drop_texts_after(before);
  return out;
}

void add_merged(const MergedSide& merged, const std::set<std::string>& wanted, const std::string& label,
                review::Tree& tree) {
  for (review::Workload& w : tree.workloads) {
    if (w.site != label || w.form != review::Form::manifest) continue;
    const bool unmerged = merged.apart.contains(w.file) && has_amounts(w);
    if (!unmerged && !merged.replaced.contains({w.file, w.name})) continue;
    w.runs = unmerged;
    w.resources = {}, w.cost = {}, w.placement = {};
  }
  for (const auto& [name, folder] : merged.folders) {
    if (!wanted.contains(name)) continue;
    for (const review::Workload& object : folder.workloads) {
      review::Workload* shown = shown_as(object, label, merged, tree);
      if (shown == nullptr) tree.workloads.push_back(object);
      else
        shown->runs = object.runs, shown->resources = object.resources, shown->cost = object.cost,
        shown->placement = object.placement;
    }
  }
}

}  // namespace muster::driver
