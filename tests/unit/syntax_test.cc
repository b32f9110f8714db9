#include <string>

#include "compiler/syntax/parse.h"
#include "tests/catch.h"

namespace syntax_test {

using namespace muster;

namespace {

struct Parsed {
  Sources sources;
  Diagnostics diagnostics;
  std::optional<ast::File> file;
};

Parsed parse(std::string text) {
  Parsed out;
  out.sources.add("t.muster", std::move(text));
  out.file = syntax::parse(out.sources, 1, out.diagnostics);
  return out;
}

std::string first_code(const Parsed& p) {
  const auto sorted = p.diagnostics.sorted();
  return sorted.empty() ? "" : std::string(info(sorted[0].code).id);
}

const ast::Expr& value_of(const Parsed& p) {
  return std::get<ast::Setting>(p.file->blocks.at(0).items.at(0).value).value;
}

// An expression as nested brackets, to see precedence.
std::string shape(const ast::Expr& e) {
  if (e.kind != ast::Expr::Kind::operation) return e.text;
  std::string out = "(" + std::string(ast::spelling(e.op));
  for (const ast::Expr& operand : e.operands) out += " " + shape(operand);
  return out + ")";
}

std::string shape_of(const std::string& expr) {
  const Parsed p = parse("w x { a = " + expr + " }");
  INFO(expr);
  REQUIRE(p.file);
  return shape(value_of(p));
}

}  // namespace

TEST_CASE("operators bind from `or` to unary minus") {
  CHECK(shape_of("a or b and c") == "(or a (and b c))");
  CHECK(shape_of("not a and b") == "(and (not a) b)");
  CHECK(shape_of("not a == b") == "(not (== a b))");
  CHECK(shape_of("not a in b or c") == "(or (not (in a b)) c)");
  CHECK(shape_of("a + b * c - d") == "(- (+ a (* b c)) d)");
  CHECK(shape_of("1 .. 2 + 3") == "(.. 1 (+ 2 3))");
  CHECK(shape_of("-a * b") == "(* (- a) b)");
  CHECK(shape_of("a and b and c") == "(and a b c)");
  CHECK(shape_of("(a or b) and c") == "(and (or a b) c)");
  CHECK(shape_of("x >= 1 and y < 2") == "(and (>= x 1) (< y 2))");
}

TEST_CASE("a range, a ratio and a dashed name are one word each") {
  CHECK(shape_of("2..16") == "(.. 2 16)");
  CHECK(shape_of("a-b") == "a-b");
  CHECK(shape_of("a - b") == "(- a b)");
  const Parsed p = parse("w x { a = H100:8 }");
  REQUIRE(p.file);
  CHECK(value_of(p).kind == ast::Expr::Kind::ratio);
  CHECK(value_of(p).text == "H100");
  CHECK(value_of(p).tag == "8");
}

TEST_CASE("texts: escapes, raw texts, names in braces") {
  CHECK(shape_of(R"("a\"b\\c\n\t\$x\u{1F600}")") == "a\"b\\c\n\t$x\U0001F600");
  CHECK(shape_of(R"('a\n"$x')") == R"(a\n"$x)");
  const Parsed p = parse(R"(w x { a = "v-${name}-w" })");
  REQUIRE(p.file);
  CHECK(value_of(p).operands.at(0).text == "name");
}

TEST_CASE("a heredoc keeps bytes, loses the indentation of its end") {
  const Parsed p = parse("w x {\n  a = <<<bash\n    one\n      two \\ $x `y`\n\n    >>>not the end\n    >>>\n}\n");
  REQUIRE(p.file);
  CHECK(value_of(p).text == "one\n  two \\ $x `y`\n\n>>>not the end\n");
  CHECK(value_of(p).tag == "bash");
}

TEST_CASE("CR LF files parse as LF files, a heredoc's lines end in LF") {
  const Parsed p = parse("w x {\r\n  a = <<<\r\n  one\r\n  >>>\r\n  b = 1\r\n}\r\n");
  REQUIRE(p.file);
  CHECK(value_of(p).text == "one\n");
}

TEST_CASE("spans are bytes, columns are code points") {
  Parsed p = parse("w x { a = \"äöü\" b = @ }");
  const auto sorted = p.diagnostics.sorted();
  REQUIRE(sorted.size() == 1);
  CHECK(p.sources.text(sorted[0].primary) == "@");
  CHECK(p.sources.position(1, sorted[0].primary.begin).column == 21);
}

TEST_CASE("a byte order mark is white space") {
  const Parsed p = parse("\xEF\xBB\xBFw x { a = 1 }");
  REQUIRE(p.file);
  CHECK(p.sources.text(p.file->blocks[0].kind.span) == "w");
}

TEST_CASE("hostile sizes are refused before they cost anything") {
  CHECK(first_code(parse(std::string((1 << 20) + 1, ' '))) == "E0119");
  CHECK(first_code(parse("w x { a = " + std::string(100'000, '(') + " }")) == "E0112");
  CHECK(first_code(parse("w x { a = " + std::string(100'000, '[') + " }")) == "E0112");
  std::string blocks;
  for (int i = 0; i < 100'000; ++i) blocks += "a {";
  CHECK(first_code(parse(blocks)) == "E0112");
  std::string nots = "w x { a = ";
  for (int i = 0; i < 100'000; ++i) nots += "not ";
  CHECK(first_code(parse(nots + "b }")) == "E0112");
  std::string words;
  for (int i = 0; i < 200'001; ++i) words += "a ";
  CHECK(first_code(parse(words)) == "E0119");
  std::string chain = "w x { a = 1";
  for (int i = 0; i < 1001; ++i) chain += "+1";
  CHECK(first_code(parse(chain + " }")) == "E0121");
  std::string openers;
  for (int i = 0; i < 6'000; ++i) openers += "a = <<<bash\n";
  CHECK(first_code(parse(openers)) == "E0103");
}

TEST_CASE("limits are reached without complaint just below them") {
  CHECK(parse("w x { a = " + std::string(198, '(') + "1" + std::string(198, ')') + " }").file);
  std::string chain = "w x { a = 1";
  for (int i = 0; i < 1000; ++i) chain += "+1";
  CHECK(parse(chain + " }").file);
}

TEST_CASE("one mistake on a line gives one error, at most 50 a file") {
  CHECK(parse("w x {\n a = “b” ; c\n}\n").diagnostics.size() == 1);
  std::string many = "w x {\n";
  for (int i = 0; i < 200; ++i) many += " a = 1;\n";
  CHECK(parse(many + "}\n").diagnostics.size() == 50);
}

TEST_CASE("the opener that was forgotten is named by indentation") {
  const Parsed p = parse("w x {\n  r {\n    a = 1\n  s { b = 2 }\n}\n");
  const auto sorted = p.diagnostics.sorted();
  REQUIRE(sorted.size() == 1);
  CHECK(p.sources.position(1, sorted[0].primary.begin).line == 2);
}

TEST_CASE("random bytes and random words neither crash nor hang") {
  std::uint32_t state = 20261121;
  const auto next = [&state](std::uint32_t below) { return (state = state * 1664525u + 1013904223u) / 65536u % below; };
  const std::string_view words[] = {"workload", " w", "{",  "}",         "[",     "]",    "(",       ")",     "=",
                                    "\"a",      "\"", "'",  "<<<bash\n", ">>>\n", "\n",   "8",       "72h",   "..",
                                    ".",        ":",  ",",  "and",       "not",   "in",   "require", "when",  "$x",
                                    "#",        "-",  "\\", "\xC3\xA9",  "\xFF",  "true", "assert",  "prefer"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::uint32_t n = next(24); n > 0; --n)
      text += next(6) == 0 ? std::string(1, static_cast<char>(next(256)))
                           : std::string(words[next(std::size(words))]) + " ";
    const Parsed p = parse(text);
    INFO(text);
    REQUIRE(p.file.has_value() == p.diagnostics.empty());
  }
}

}  // namespace syntax_test
