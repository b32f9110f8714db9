// Where the bytes of a scalar of YAML are in its file: in each style, what is found there is what is looked for.
#include <string>
#include <vector>

#include "compiler/data/read.h"
#include "compiler/data/spelling.h"
#include "tests/catch.h"
#include "tests/property/random.h"

namespace spelling_test {
namespace {

using namespace muster;
using property::Random;
using Texts = std::vector<std::string>;

// A text of commands, some lines of which are indented, empty or end with `\`.
std::string text_of(Random& random) {
  std::string out;
  for (std::int64_t i = random.upto(6) + 1; i > 0; --i) {
    out += random.any_of(Texts{"", "", "  ", "    "});
    for (std::int64_t words = random.upto(4) + 1; words > 0; --words)
      out += random.any_of(Texts{"./a", "2>&1", "\"b\"", "'c'", "\\", "$X", "é", "#", "d\\n", ": e"}) +
             (words > 1 ? random.any_of(Texts{" ", "  "}) : "");
    out += random.any_of(Texts{"\n", "\n", "\n\n"});
  }
  return "x" + out;
}

std::string with(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string block(const std::string& text, const std::string& head) {
  return head + "\n    " + with(text.substr(0, text.find_last_not_of('\n') + 1), "\n", "\n    ") + "\n";
}

Texts spellings(const std::string& text) {
  const std::string one_line = with(text, "\n", " ");
  return {block(text, "|"),
          block(text, "|-  # the command"),
          block(text, ">"),
          "\"" + with(with(with(text, "\\", "\\\\"), "\"", "\\\""), "\n", "\\n") + "\"\n",
          "\"" + with(with(with(text, "\\", "\\\\"), "\"", "\\\""), "\n", "\\n\\\n      ") + "\"\n",
          "\"" + with(with(with(one_line, "\\", "\\\\"), "\"", "\\\""), " ./a", "\n   ./a") + "\"\n",
          "'" + with(with(text, "'", "''"), "\n", "\n\n  ") + "'\n",
          "'" + with(one_line, "'", "''") + "'\n"};
}

}  // namespace

TEST_CASE("each byte of a scalar is where its spelling says") {
  std::size_t all = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const std::string text = text_of(random);
    for (const std::string& spelling : spellings(text)) {
      Sources sources;
      const std::uint32_t file = sources.add("a.yaml", "- run:\n  - " + spelling + "- b\n");
      const data::Documents read = data::read_yaml(sources, file);
      INFO(sources.text(file));
      if (read.documents.empty() || !read.documents[0].diagnostics.empty()) continue;  // ` #`, `: ` in a plain text
      const data::Node& scalar = read.documents[0].root.items.at(0).get("run")->items.at(0);
      const Spelling found = data::spelling_of(sources, scalar);
      ++all;
      REQUIRE_FALSE(found.pieces.empty());
      for (std::uint32_t at = 0; at < scalar.text.size(); ++at) {
        if (scalar.text[at] == ' ' || scalar.text[at] == '\n') continue;
        INFO(at << " of " << scalar.text);
        const Span where = found.of(at, at + 1);
        std::string_view there = sources.text(where);
        if (there == "\\" && scalar.text[at] != '\\')
          there = sources.text({where.file, where.begin + 1, where.begin + 2});  // escaped
        REQUIRE(there == scalar.text.substr(at, 1));
      }
    }
  }
  CHECK(all > 3000);
}

TEST_CASE("of an alias and of a character by its number no more than the whole is known") {
  Sources sources;
  const std::uint32_t file = sources.add("a.yaml", "- &a run me\n- *a\n- \"caf\\u00e9\"\n");
  const data::Documents read = data::read_yaml(sources, file);
  const auto& items = read.documents.at(0).root.items;
  CHECK(sources.text(data::spelling_of(sources, items[0]).of(4, 6)) == "me");
  for (const std::size_t i : {1, 2}) {
    const Spelling spelling = data::spelling_of(sources, items[i]);
    CHECK(spelling.pieces.empty());
    CHECK(spelling.of(0, 1) == items[i].span);
  }
}

}  // namespace spelling_test
