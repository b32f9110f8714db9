// What the manifests of a run say of objects in other files.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::lint {

// An autoscaler, and where it names what it scales.
struct Scaler {
  std::string subject;  // "HorizontalPodAutoscaler/vllm"
  Span target;
};

// Two environments hold objects of one name (overlays/dev, overlays/prod): only files of one folder are for one
// cluster, and there only what has its name alone.
class RelatedManifests {
 public:
  // Whether a text may hold an autoscaler. It looks for words and parses nothing.
  static bool may_scale(std::string_view text);

  // Adds a file of manifests. The other files of its folder are needed too: they tell whether a name is one object's.
  void add(const Sources& sources, std::uint32_t file);

  // The autoscaler in another file of the folder that scales an object; nullptr: there is none, or several of the
  // folder's objects bear the name.
  const Scaler* scaler_of(const targets::kubernetes::Object& object, const Sources& sources) const;
  // Whether an autoscaler in any file of the run names such an object.
  bool scaled_somewhere(const targets::kubernetes::Object& object) const;

 private:
  // By the folder, namespace, kind and name, a line each.
  std::map<std::string, std::vector<Scaler>> scalers_;
  std::map<std::string, std::size_t> objects_;
  std::set<std::string> scaled_;  // by namespace, kind and name
};

// The folder of a file, by its name: "k8s/prod".
std::string_view folder_of(std::string_view name);

}  // namespace muster::lint
