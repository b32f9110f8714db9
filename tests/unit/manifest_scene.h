// The object of a manifest, imported: what became of its fields, and the workload and site as text.
#pragma once

#include "driver/import_object.h"
#include "targets/kubernetes/lift/lift.h"
#include "tests/catch.h"
#include "tests/unit/import_scene.h"

namespace muster::tests {

struct ManifestImport : ImportScene {
  std::size_t objects = 0;

  explicit ManifestImport(const std::string& yaml) {
    const std::uint32_t file = sources.add("objects.yaml", yaml);
    const targets::kubernetes::Manifest manifest = targets::kubernetes::read_manifest(sources, file);
    for (const targets::kubernetes::Object& object : manifest.objects) {
      if (!targets::kubernetes::is_importable(object)) continue;
      ++objects;
      made = driver::import_object(sources, manifest, object, "job", diagnostics);
    }
    if (objects > 0) write_text();
  }

  // The fate of the first line about a field that ends so, and a note that has this part.
  std::string fate(std::string_view field, std::string_view note = {}) const {
    for (const targets::ImportLine& line : made.lines)
      if (std::string_view(line.option).ends_with(field) && line.note.find(note) != std::string::npos)
        return std::string(name(line.fate));
    return "no line";
  }
};

}  // namespace muster::tests
