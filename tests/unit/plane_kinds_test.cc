// The table of plane kinds, and that the stages read it instead of naming a kind.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "compiler/model/plane.h"
#include "tests/catch.h"
#include "tests/places.h"

namespace muster::plane_kinds_test {
namespace {

namespace fs = std::filesystem;
using model::Plane;
using model::PlaneFamily;
using model::PlaneKind;

// Lines of the stages that compare a kind or the name of one. Inside a target of its own family that is allowed.
std::vector<std::string> comparisons(const std::string& text) {
  static const std::regex pattern(
      R"(PlaneKind::|is_kubernetes\(|is_slurm\(|kind\(\) *[!=]=|[!=]= *"(slurm|kubernetes|k3s)\")");
  std::vector<std::string> out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (std::regex_search(line, pattern)) out.push_back(line);
    begin = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("the stages ask the traits of a plane and compare no kind") {
  CHECK(comparisons("  if (plane.kind() == model::PlaneKind::slurm) return;\n").size() == 1);
  CHECK(comparisons("a\nif (control == \"k3s\") b();\n").size() == 1);
  CHECK(comparisons("if (plane.batch() != nullptr) return;\n").empty());
  std::size_t files = 0;
  for (const char* room : {"plan", "rules", "lint", "review", "driver", "cli"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(muster::tests::source_folder()) / room)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".cc" && path.extension() != ".h") continue;
      ++files;
      std::ifstream in(path);
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      for (const std::string& line : comparisons(text)) {
        INFO(path.string() << ": " << line);
        CHECK(line.empty());
      }
    }
  CHECK(files > 100);
}

TEST_CASE("a plane has what its family has, and only that") {
  Plane plane;
  REQUIRE(plane.batch() != nullptr);
  CHECK(plane.pods() == nullptr);
  CHECK(plane.starts_gangs());
  CHECK_FALSE(plane.runs_images());
  plane.batch()->containers = model::Containers::pyxis;
  CHECK(plane.runs_images());

  plane.set_kind(PlaneKind::k3s);
  REQUIRE(plane.pods() != nullptr);
  CHECK(plane.batch() == nullptr);
  CHECK(plane.version.value == model::Version{1, 36});
  CHECK(plane.runs_images());
  CHECK_FALSE(plane.starts_gangs());
  plane.pods()->gang = model::GangProvider::kueue;
  CHECK(plane.starts_gangs());
  plane.set_kind(PlaneKind::kubernetes);  // of the same family: what it has stays
  CHECK(plane.starts_gangs());

  plane.set_kind(PlaneKind::ray);
  CHECK(plane.service() != nullptr);
  CHECK_FALSE(plane.starts_gangs());
}

TEST_CASE("k3s is a dialect of kubernetes, and names that no kind has stay") {
  CHECK(model::control_plane_of("k3s") == "kubernetes");
  CHECK(model::control_plane_of("slurm") == "slurm");
  CHECK(model::control_plane_of("none") == "none");
  CHECK(model::find_plane_kind("none") == nullptr);
  REQUIRE(model::find_plane_kind("k3s") != nullptr);
  CHECK(model::find_plane_kind("k3s")->family == PlaneFamily::pods);
}

TEST_CASE("versions are written as their plane writes them") {
  CHECK(model::version_text(PlaneKind::slurm, {24, 5}) == "24.05");
  CHECK(model::version_text(PlaneKind::slurm, {24, 11}) == "24.11");
  CHECK(model::version_text(PlaneKind::k3s, {1, 9}) == "1.9");
}

}  // namespace muster::plane_kinds_test
