// The formatter says what the tree said, keeps every comment, and leaves its own work alone.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/base/diff.h"
#include "compiler/sema/schema/reformat.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/property/random_tree.h"

namespace format_test {

using namespace muster;
using property::Random;

namespace {

std::string reports(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.sorted())
    out += std::string(info(d.code).id) + " at " + std::to_string(d.primary.begin) + ": " + d.message + "\n";
  return out;
}

// A text and its tree; the test fails where it cannot be read.
struct Read {
  explicit Read(const std::string& text) {
    Diagnostics diagnostics;
    auto parsed = syntax::parse(sources, sources.add("text", text), diagnostics);
    INFO(reports(diagnostics) << text);
    REQUIRE(parsed);
    tree = std::move(*parsed);
  }
  std::vector<std::string> comments() const {
    std::vector<std::string> out;
    for (const Span& c : tree.comments) {
      out.emplace_back(sources.text(c));
      out.back().erase(out.back().find_last_not_of(" \t") + 1);
    }
    return out;
  }
  Sources sources;
  ast::File tree;
};

}  // namespace

TEST_CASE("a tree that no file holds comes back from its text", "[property][format]") {
  Random random(20240701);
  std::size_t bytes = 0;
  for (int i = 0; i < 1'500; ++i) {
    const ast::File tree = property::random_file(random);
    const std::string text = syntax::format(tree, Sources());
    bytes += text.size();
    const Read read(text);
    INFO("case " << i << "\n" << text);
    REQUIRE(ast::equal(tree, read.tree));
    REQUIRE(unified_diff("again", text, syntax::format(read.tree, read.sources)) == "");
  }
  CHECK(bytes > 250'000);
}

TEST_CASE("what a careless person typed keeps its meaning and its comments", "[property][format]") {
  Random random(20240702);
  int comments = 0;
  for (int i = 0; i < 1'500; ++i) {
    const ast::File tree = property::random_file(random);
    int written = 0;
    const std::string typed = property::scribble(tree, random, written);
    comments += written;
    INFO("case " << i << "\n" << typed);
    const Read before(typed);
    REQUIRE(ast::equal(tree, before.tree));
    const std::string text = syntax::format(before.tree, before.sources);
    INFO("formatted\n" << text);
    const Read after(text);
    REQUIRE(ast::equal(tree, after.tree));
    REQUIRE(after.comments() == before.comments());
    REQUIRE(before.comments().size() == static_cast<std::size_t>(written));
    REQUIRE(unified_diff("again", text, syntax::format(after.tree, after.sources)) == "");
  }
  CHECK(comments > 25'000);
}

TEST_CASE("the muster files of the project are formatted", "[format]") {
  int files = 0;
  for (const char* folder : {"examples", "rules/profiles", "tests/kitchen"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(muster::tests::source_folder() + "/" + std::string(folder))) {
      if (entry.path().extension() != ".muster") continue;
      ++files;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      Sources sources;
      Diagnostics diagnostics;
      const auto formatted = sema::reformat(sources, sources.add(entry.path(), text.str()), diagnostics);
      INFO(entry.path() << "\n" << reports(diagnostics) << "`muster fmt` it");
      CHECK(formatted == text.str());
    }
  CHECK(files > 9);
}

TEST_CASE("the muster blocks of the documents are formatted", "[format]") {
  std::stringstream document;
  document << std::ifstream(muster::tests::source_folder() + "/docs/reference/language.md").rdbuf();
  const std::string text = document.str(), opener = "```muster\n";
  int blocks = 0;
  for (std::size_t at = text.find(opener); at != std::string::npos; at = text.find(opener, at + 1), ++blocks) {
    const std::size_t begin = at + opener.size();
    const std::string block = text.substr(begin, text.find("```", begin) - begin);
    const Read read(block);
    CHECK(syntax::format(read.tree, read.sources) == block);
  }
  CHECK(blocks >= 3);
}

}  // namespace format_test
