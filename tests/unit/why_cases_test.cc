// The cases of tests/why: outputs of real systems, each with the cause that was made to happen.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/source.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "why/decide/decide.h"
#include "why/read/read.h"

namespace why_cases_test {

using namespace muster;
namespace fs = std::filesystem;

struct Case {
  std::string name, code;
  std::vector<std::pair<std::string, std::string>> files;  // name and text
};

std::string bytes_of(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::vector<Case> cases() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(fs::path(tests::source_folder()) / "tests/why"))
    if (fs::exists(entry.path() / "case.json")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::vector<Case> out;
  for (const fs::path& folder : folders) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().filename() != "case.json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    Case one{folder.filename().string(), nlohmann::json::parse(bytes_of(folder / "case.json"))["code"], {}};
    for (const fs::path& file : files) one.files.emplace_back(file.filename().string(), bytes_of(file));
    out.push_back(std::move(one));
  }
  return out;
}

// The causes that are named of the files, each under its name or all in one stream.
std::set<std::string> codes_of(const Case& one, bool joined) {
  Sources sources;
  std::string whole;
  for (const auto& [name, text] : one.files) {
    if (!joined) sources.add(name, text);
    whole += text + "\n";
  }
  if (joined) sources.add("pasted", whole);
  why::Facts facts;
  const auto count = static_cast<std::uint32_t>(joined ? 1 : one.files.size());
  for (std::uint32_t file = 1; file <= count; ++file) why::read(sources, file, facts);
  std::set<std::string> out;
  for (const why::Finding& finding : why::decide(facts)) out.insert(finding.code);
  return out;
}

TEST_CASE("why: what was made to happen is named, and nothing else") {
  const std::vector<Case> all = cases();
  REQUIRE(all.size() >= 40);
  std::size_t right = 0;
  for (const Case& one : all) {
    for (const bool joined : {false, true})
      for (const std::string& code : codes_of(one, joined)) {
        INFO(one.name << " is " << code);
        CHECK((code.empty() || code == one.code));
      }
    right += codes_of(one, false).contains(one.code) ? 1 : 0;
  }
  INFO(right << " of " << all.size());
  CHECK(right * 5 >= all.size() * 4);
}

}  // namespace why_cases_test
