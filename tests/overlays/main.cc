// Prints the objects that kustomizations change, merged with their patches, as lint judges them:
// muster_overlays ROOT FOLDER...     one line of JSON a folder; `compare` holds them beside those of kustomize
#include <cstdio>

#include "compiler/data/write.h"
#include "driver/merged_overlays.h"

int main(int count, char** words) {
  using namespace muster;
  if (count < 3) return 2;
  const driver::Files from;
  const driver::ReadText read = [&](const std::string& path) {
    std::string why;
    return from.read(path, std::size_t{4} << 20, why);
  };
  for (int i = 2; i < count; ++i) {
    Sources sources;
    const auto merged = driver::merge_overlays({words[i]}, {from.real(words[1]).string()}, from, read, sources);
    data::Node out;
    out.kind = data::Node::Kind::list;
    for (const driver::MergedOverlay& overlay : merged.overlays)
      for (std::size_t d = 0; d < overlay.changed.size(); ++d)
        if (overlay.changed[d]) out.items.push_back(overlay.manifest.documents.documents[d].root);
    std::string text = data::to_json(out);
    for (char& c : text)
      if (c == '\n') c = ' ';
    std::printf("%s\n", text.c_str());
    for (const auto& [path, why] : merged.apart) std::fprintf(stderr, "%s: %s\n", path.c_str(), why.c_str());
  }
  return 0;
}
