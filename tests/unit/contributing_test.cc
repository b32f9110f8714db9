// The paths that CONTRIBUTING.md names are there, and its verbs are those of ./dev.
#include <filesystem>
#include <regex>
#include <string>

#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/site_file.h"

namespace contributing_test {

namespace fs = std::filesystem;

namespace {

const fs::path root = muster::tests::source_folder();

// The first group of each match.
std::vector<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) out.push_back((*at)[1]);
  return out;
}

}  // namespace

TEST_CASE("every path that CONTRIBUTING.md names exists", "[docs]") {
  const auto paths =
      matches(muster::file_text(root / "CONTRIBUTING.md"), "[`(]([.A-Za-z0-9_]+(?:/[A-Za-z0-9_.]+)+)[`)]");
  CHECK(paths.size() > 30);
  for (const std::string& path : paths) {
    if (path.starts_with("./")) continue;  // a command
    INFO(path);
    CHECK(fs::exists(root / path));
  }
}

TEST_CASE("every verb that CONTRIBUTING.md names is one of ./dev", "[docs]") {
  const std::string dev = muster::file_text(root / "dev");
  const auto verbs = matches(muster::file_text(root / "CONTRIBUTING.md"), "\\./dev ([a-z-]+)");
  CHECK(verbs.size() > 8);
  for (const std::string& verb : verbs) {
    INFO(verb);
    CHECK(dev.find("\n  " + verb + ") ") != std::string::npos);
  }
}

}  // namespace contributing_test
