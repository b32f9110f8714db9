// What `muster import` prints of manifests: what muster always adds is one line, and `-v` has each field.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "compiler/base/text.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/temp_folder.h"
#include "tests/unit/site_file.h"

namespace import_report_test {
namespace {

using namespace muster;

// What the import of the fixtures prints, its files apart.
std::string printed(const std::string& options) {
  const tests::TempFolder folder;
  const std::string command = "cd '" + folder.path().string() + "' && '" + tests::muster_binary() + "' import '" +
                              tests::source_folder() + "/tests/lift/manifests_fixtures' -o specs " + options +
                              " >out 2>err";
  REQUIRE(std::system(command.c_str()) == 0);
  return file_text(folder.path() / "out");
}

std::size_t lines_with(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (const std::string_view line : split(text, '\n')) count += line.find(part) != std::string_view::npos ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("fields that muster always adds are one line of the report of a file", "[import]") {
  const nlohmann::json json = nlohmann::json::parse(printed("--format json"));
  std::size_t every = 0, plain = 0, files = 0;  // of one alone its own line is shown
  for (const auto& file : json["scripts"]) {
    std::size_t of_file = 0;
    for (const auto& line : file["directives"]) {
      const std::string note = line["note"];
      if (!note.starts_with("muster adds `")) continue;
      ++every;
      ++(note.find("`: ") == std::string::npos ? plain : of_file);
    }
    files += of_file > 1 ? 1 : 0, plain += of_file == 1 ? 1 : 0;
  }
  REQUIRE(files > 5);
  const std::string text = printed(""), all = printed("-v");
  CHECK(lines_with(text, "that muster adds") == files);
  CHECK(lines_with(text, "muster adds `") == plain);
  CHECK(lines_with(all, "muster adds `") == every);
  CHECK(lines_with(all, "that muster adds") == 0);
}

}  // namespace import_report_test
