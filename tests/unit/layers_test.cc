// The include table of docs/architecture.md, held against every #include line.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/catch.h"
#include "tests/places.h"

namespace layers_test {

namespace fs = std::filesystem;

namespace {

const fs::path root = muster::tests::source_folder();

std::map<std::string, std::set<std::string>> table() {
  std::map<std::string, std::set<std::string>> rooms;
  std::ifstream in(root / "docs/architecture.md");
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```rooms" || (inside && line == "```")) {
      inside = !inside;
      continue;
    }
    if (!inside) continue;
    std::istringstream words(line);
    std::string room, other;
    words >> room;
    if (room.ends_with(':')) room.pop_back();
    auto& allowed = rooms[room];
    while (words >> other) allowed.insert(other);
  }
  return rooms;
}

// The room of a path below the root: its longest match in the table.
std::string room_of(const std::string& path, const std::map<std::string, std::set<std::string>>& rooms) {
  std::string best;
  for (const auto& [room, allowed] : rooms)
    if (path.starts_with(room + "/") && room.size() > best.size()) best = room;
  return best;
}

struct Include {
  std::string from, what;
};

std::vector<Include> includes(const std::map<std::string, std::set<std::string>>& rooms) {
  std::vector<Include> out;
  for (const auto& [room, allowed] : rooms) {
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      const bool source = path.ends_with(".cc") || path.ends_with(".h");
      if (!source || room_of(path, rooms) != room || path.starts_with("grammar/generated/")) continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        const bool ours = line.starts_with("#include \""), other = line.starts_with("#include <");
        if (ours || other) out.push_back({path, line.substr(10, line.find_last_of("\">") - 10)});
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("every include stands in the table of docs/architecture.md") {
  const auto rooms = table();
  REQUIRE(rooms.size() == 28);
  std::size_t ours = 0;
  for (const Include& i : includes(rooms)) {
    const std::string from = room_of(i.from, rooms), to = room_of(i.what, rooms);
    if (to.empty() || from == to) continue;
    if (i.from.starts_with("rules/tool/")) continue;  // a build tool: it turns rule files into tables
    ++ours;
    INFO(i.from << " includes " << i.what);
    CHECK(rooms.at(from).count(to) == 1);
    if (from == "targets" && to == "plan") CHECK(i.what == "plan/plan.h");
  }
  CHECK(ours > 100);
}

TEST_CASE("each library stays in its place") {
  const auto rooms = table();
  for (const Include& i : includes(rooms)) {
    INFO(i.from << " includes " << i.what);
    if (i.what == "antlr4-runtime.h" || i.what.starts_with("Muster"))
      CHECK((i.from == "compiler/syntax/parse.cc" || i.from == "compiler/syntax/token_stream.h"));
    if (i.what == "compiler/syntax/token_stream.h") CHECK(i.from == "compiler/syntax/parse.cc");
    if (i.what.starts_with("nlohmann/"))
      CHECK((i.from.starts_with("cli/") || i.from.starts_with("lint/report/") || i.from == "review/json.cc"));
    CHECK_FALSE(i.what.starts_with("yaml-cpp/"));  // the tests alone read with it
    if (i.what.starts_with("CLI/")) CHECK(i.from.starts_with("cli/"));
    if (i.what == "iostream") CHECK(i.from.starts_with("rules/tool/"));
  }
}

TEST_CASE("files stay under 500 lines, tables apart") {
  const auto rooms = table();
  for (const auto& [room, allowed] : rooms)
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if (!(path.ends_with(".cc") || path.ends_with(".h")) || path.find("generated") != std::string::npos) continue;
      std::ifstream in(entry.path());
      const auto lines = std::count(std::istreambuf_iterator<char>(in), {}, '\n');
      INFO(path);
      CHECK(lines <= 500);
    }
}

}  // namespace layers_test
