// Places in texts, whose lines may be as long as the file, and what of them is shown.
#include "compiler/base/source.h"

#include "compiler/base/render.h"
#include "tests/catch.h"

namespace source_test {

using namespace muster;

namespace {

// By hand: from the beginning of the text, one sign after the other.
Position counted(std::string_view text, std::size_t offset) {
  Position out;
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') out = {out.line + 1, 1};
    else out.column += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
  }
  return out;
}

Notice about(Span span) { return {Severity::error, "E0000", "m", span, {}, {}, {}, {}}; }

}  // namespace

TEST_CASE("places are counted alike in short lines and in long ones, however long the text is") {
  for (const std::size_t size : {0, 1, 1023, 1024, 1025, 2048, 5000}) {
    std::string text;
    for (std::size_t i = 0; text.size() < size; ++i) text += i % 7 == 0 ? "ü" : i % 2999 == 2998 ? "\n" : "a";
    Sources sources;
    const std::uint32_t file = sources.add("f", text);
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const Position is = sources.position(file, static_cast<std::uint32_t>(at)), wanted = counted(text, at);
      REQUIRE(std::pair(is.line, is.column) == std::pair(wanted.line, wanted.column));
    }
    CHECK(sources.line(file, counted(text, text.size()).line + 1).empty());
  }
}

TEST_CASE("a text that is given back leaves the name and the number of its file") {
  Sources sources;
  const std::uint32_t kept = sources.add("kept", "text"), given_back = sources.add("given-back", "text");
  sources.drop_texts_after(1);
  CHECK(sources.text(kept) == "text");
  CHECK(sources.text(given_back) == "");
  CHECK(sources.place({given_back, 2, 3}) == "given-back:1:1");
  CHECK(sources.add("next", "text") == 3);
}

TEST_CASE("a long line is cut around the place") {
  Sources sources;
  const std::uint32_t file = sources.add("f", std::string(1000, 'a') + "ü" + std::string(1000, 'b'));
  const std::string shown = render_human(about({file, 1000, 1002}), sources, false);
  CHECK(shown.find("1 | " + std::string(79, 'a') + "ü" + std::string(80, 'b') + "\n") != std::string::npos);
  CHECK(shown.find("  | " + std::string(79, ' ') + "^\n") != std::string::npos);
}

TEST_CASE("what a terminal obeys is not shown, and the mark stays below its place") {
  Sources sources;
  // An escape, the sign U+009B, one that turns the order, a broken byte, and one that continues nothing.
  const std::uint32_t file = sources.add("f",
                                         "\x1b[1m\xc2\x9b"
                                         "2J\xe2\x80\xae\xff\x80X");
  const std::string shown = render_human(about({file, 13, 14}), sources, false);
  CHECK(shown.find("1 |  [1m?2J??X\n  |          ^\n") != std::string::npos);
}

}  // namespace source_test
