// tests/lint/manifest_faults: manifests that are right, and in each one fault at a time (faults.txt) that a rule finds.
#include <filesystem>
#include <set>
#include <sstream>

#include "lint/rules/manifest/manifest.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/site_file.h"

namespace muster::lint::manifest_faults_test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(muster::tests::source_folder()) / "tests/lint/manifest_faults";

struct Fault {
  std::string name, file, rule, before, after;
};

// The rest of a line behind its mark, `;` as the end of a line.
std::string text_of(const std::string& line) {
  std::string out = line.substr(2);
  for (char& c : out)
    if (c == ';') c = '\n';
  return out;
}

std::vector<Fault> faults() {
  std::vector<Fault> out;
  std::istringstream lines(file_text(folder / "faults.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#") || line.empty()) continue;
    if (line.starts_with("< ")) out.back().before = text_of(line);
    else if (line.starts_with("> ")) out.back().after = text_of(line);
    else {
      const std::size_t file = line.find(" | "), rule = line.rfind(" | ");
      out.push_back({line.substr(0, file), line.substr(file + 3, rule - file - 3), line.substr(rule + 3), "", ""});
    }
  }
  return out;
}

// The rules that find something wrong, above an info.
std::set<std::string> found_in(const std::string& text) {
  Sources sources;
  sources.add("x.yaml", text);
  const auto manifest = targets::kubernetes::read_manifest(sources, 1);
  CHECK(manifest.diagnostics.empty());
  std::vector<Finding> findings;
  check_manifest(manifest, {sources}, findings);
  std::set<std::string> out;
  for (const Finding& f : findings)
    if (f.verdict == Verdict::wrong && f.severity != Severity::info) out.emplace(info(f.rule).id);
  return out;
}

}  // namespace

TEST_CASE("each seeded fault of a manifest is found by its rule", "[lint][manifest][faults]") {
  const std::vector<Fault> all = faults();
  CHECK(all.size() >= 30);
  for (const Fault& fault : all) {
    INFO(fault.name);
    std::string text = file_text(folder / fault.file);
    const std::size_t at = text.find(fault.before + "\n");
    REQUIRE(at != std::string::npos);
    CHECK(text.find(fault.before + "\n", at + 1) == std::string::npos);
    CHECK(found_in(text).count(fault.rule) == 0);
    text.replace(at, fault.before.size(), fault.after);
    CHECK(found_in(text).count(fault.rule) == 1);
  }
}

TEST_CASE("the manifests without a fault have no error", "[lint][manifest][faults]") {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path().filename().string());
    for (const std::string& rule : found_in(file_text(entry.path()))) CHECK((rule == "SCH004" || rule == "SCH001"));
  }
}

}  // namespace muster::lint::manifest_faults_test
