// YAML and JSON read into trees with places.
#include <string>

#include "compiler/data/read.h"
#include "tests/catch.h"

namespace muster::data::data_test {
namespace {

struct Read {
  Sources sources;
  Documents all;
  explicit Read(std::string text, const Budget& budget = {}) {
    sources.add("x.yaml", std::move(text));
    all = read_yaml(sources, 1, budget);
  }
  const Node& root(std::size_t i = 0) const { return all.documents.at(i).root; }
  std::string_view source(std::string_view path) const { return sources.text(root().at(path)->span); }
  // The code of the first diagnostic of the file or of a document; "" if there is none.
  std::string_view code() const {
    if (!all.diagnostics.empty()) return info(all.diagnostics.sorted()[0].code).id;
    for (const Document& d : all.documents)
      if (!d.diagnostics.empty()) return info(d.diagnostics.sorted()[0].code).id;
    return "";
  }
};

std::string repeated(std::string_view word, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += word;
  return out;
}

struct ReadJson {
  Sources sources;
  Document document;
  explicit ReadJson(std::string text) {
    sources.add("x.json", std::move(text));
    document = read_json(sources, 1);
  }
  std::string_view code() const {
    return document.diagnostics.empty() ? "" : info(document.diagnostics.sorted()[0].code).id;
  }
};

}  // namespace

TEST_CASE("yaml: spans of scalars are exact", "[data]") {
  const Read r(
      "a: plain words  # comment\r\n"
      "ä: 'it''s'   \n"
      "c: \"q \\\" ü\" \n"
      "d: &x !!str 12 # no\n"
      "e: |-\n  one\n\n  two\nf: folded\n  over lines\n"
      "g: [1, \"b]\", {h: x, }, ]  \n"
      "i:\nj: ~\nk:\n- |2\n    deep\n  low\n- last\n"
      "m: !Sub\n  - |\n    x\n  - n: null\n");
  REQUIRE(r.code() == "");
  CHECK(r.source("a") == "plain words");
  CHECK(r.source("ä") == "'it''s'");
  CHECK(r.root().get("ä")->text == "it's");
  CHECK(r.source("c") == "\"q \\\" ü\"");
  CHECK(r.source("d") == "12");
  CHECK(r.root().get("d")->kind == Node::Kind::text);
  CHECK(r.source("e") == "|-\n  one\n\n  two");
  CHECK(r.root().get("e")->text == "one\n\ntwo");
  CHECK(r.source("f") == "folded\n  over lines");
  CHECK(r.source("g") == "[1, \"b]\", {h: x, }, ]");
  CHECK(r.sources.text(r.root().get("g")->items[2].span) == "{h: x, }");
  CHECK(r.source("i") == "");
  CHECK(r.root().get("i")->span.begin == r.root().members[7].key_span.end + 1);
  CHECK(r.source("j") == "~");
  CHECK(r.sources.text(r.root().get("k")->items[0].span) == "|2\n    deep\n  low");
  CHECK(r.source("k") == "- |2\n    deep\n  low\n- last");
  CHECK(r.sources.text(r.root().members[1].key_span) == "ä");
  CHECK(r.source("m") == "- |\n    x\n  - n: null");
  CHECK(r.sources.text(r.root().get("m")->items[0].span) == "|\n    x");
}

TEST_CASE("yaml: escapes of line ends and blanks", "[data]") {
  const Read r("a: \"\\N\\_ü\\N\"\nb: \"\\L\\P\\x85\\e\"\n");
  REQUIRE(r.code() == "");
  CHECK(r.root().get("a")->text == "\xC2\x85\xC2\xA0ü\xC2\x85");
  CHECK(r.root().get("b")->text == "\xE2\x80\xA8\xE2\x80\xA9\xC2\x85\x1B");
}

TEST_CASE("yaml: plain scalars are what sigs.k8s.io/yaml makes of them", "[data]") {
  using K = Node::Kind;
  for (const char* s : {"yes", "On", "OFF", "y", "N", "true", "FALSE"}) CHECK(plain_kind(s) == K::boolean);
  for (const char* s : {"0", "-8", "+1", "0x1F", "0o17", "017", "0b11", "1_000", "1e3", "5.", "08"})
    CHECK(plain_kind(s) == K::integer);
  for (const char* s : {"1.5", ".5", "-1.5E-3", ".inf", "1e30"}) CHECK(plain_kind(s) == K::number);
  for (const char* s : {"null", "~", "", "NULL"}) CHECK(plain_kind(s) == K::null);
  for (const char* s : {"2026-01-01", "12:30:45", "1.2.3", "yEs", "0x", "1e", "e3", ".", "-", "8Gi", "tRue"})
    CHECK(plain_kind(s) == K::text);
  CHECK(Read("a: \"yes\"").root().get("a")->kind == K::text);
  CHECK(Read("a: yes").root().get("a")->kind == K::boolean);
}

TEST_CASE("yaml: a fault costs one document", "[data]") {
  const Read r("# only a comment\n---\na: 1\n--- # second\nb: [1\n---\nc: 3\n...\n");
  REQUIRE(r.all.documents.size() == 3);
  CHECK(r.root(0).get("a")->text == "1");
  CHECK(r.all.documents[1].diagnostics.has_errors());
  CHECK(r.root(1).kind == Node::Kind::null);
  CHECK(r.root(2).get("c")->text == "3");
  CHECK(r.sources.text(r.root(2).get("c")->span) == "3");
}

TEST_CASE("yaml: places are of the file, whatever comments are above the first value", "[data]") {
  for (const std::string above :
       {"", "# ä licence\n\n  # of two lines\n", "---\n", "---\n# b\n\n#\n", "--- # c\n# d\n", "# e\r\n# f\r\n"}) {
    INFO(above);
    const Read good(above + "a: 1\n# inside\nb: [x]\n");
    REQUIRE(good.code() == "");
    CHECK(good.source("a") == "1");
    CHECK(good.source("b") == "[x]");
    const Read bad(above + "a: 1\nb: \"open\n");
    REQUIRE(bad.code() == "E0901");
    CHECK(bad.all.documents.back().diagnostics.sorted()[0].primary.begin >= above.size());
  }
  CHECK(Read("# ends with a return\rb: 2\nc: 3\n").source("c") == "3");
  const std::string mark = "\xEF\xBB\xBF";  // in any other place than the first a part of the key
  CHECK(Read("# a\n" + mark + "b: 1\n").root().at("b") == nullptr);
}

TEST_CASE("yaml: aliases and merge keys are copied and flagged", "[data]") {
  const Read r("base: &b {cpu: 1, mem: 2}\nx: *b\nz:\n  <<: *b\n  mem: 3\n");
  REQUIRE(r.code() == "");
  CHECK(r.root().at("x.cpu")->text == "1");
  CHECK(r.root().get("x")->aliased);
  CHECK(r.source("x") == "*b");
  CHECK(r.root().at("z.cpu")->aliased);
  CHECK(r.root().at("z.mem")->text == "3");
  CHECK_FALSE(r.root().at("z.mem")->aliased);
  CHECK(r.root().get("z")->members.size() == 2);
  CHECK(Read("a: &a [*a]").code() == "E0905");
  CHECK(Read("a: 1\nb:\n  <<: 2\n").code() == "E0905");
}

TEST_CASE("yaml: hostile documents are refused", "[data]") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(before + ", ", 9) + before + "]\n";
  }
  CHECK(Read(bomb).code() == "E0904");
  CHECK(Read("a: [" + repeated("[", 200'000) + repeated("]", 200'000) + "]").code() == "E0904");
  CHECK(Read(repeated("[", 200'000)).code() == "E0904");
  CHECK(Read(repeated("- ", 200'000)).code() == "E0904");
  CHECK(Read(repeated("{a: ", 100'000) + repeated("}", 100'000)).code() == "E0904");
  CHECK(Read("a: 1\n}\nb: 2\n").code() == "E0901");
  CHECK(Read("\"a\" \"b\"\n").code() == "E0901");
  CHECK(Read("[" + repeated("1,", 600'000) + "1]").code() == "E0904");
  CHECK(Read(repeated("a", (4 << 20) + 1)).code() == "E0904");
  CHECK(Read(repeated("---\na\n", 10'001)).code() == "E0904");
  CHECK(Read(repeated("[", 150) + repeated("]", 150)).code() == "");
  std::string deep_aliases = "a0: &a0 x\n";
  for (int i = 1; i < 300; ++i)
    deep_aliases += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  CHECK(Read(deep_aliases).code() == "E0904");
  CHECK(Read("a: 1\nb: 2\na: 3\n").code() == "E0902");
  CHECK(Read("image: {{ .Values.image }}\n").code() == "E0903");
  CHECK(Read("? [a]\n: b\n").code() == "E0903");
  CHECK(Read("a: &a [x]\nb: {*a : 1}\n").code() == "E0903");
  // As the tools of Kubernetes take it, with its places.
  const Read keyed("a: &app x\nb:\n  *app:\n    c: 1\n  d: 2\n");
  REQUIRE(keyed.code().empty());
  CHECK(keyed.source("b.x.c") == "1");
  CHECK(keyed.source("b.d") == "2");
  CHECK(Read("a: &app x\nb: *other:\n").code() == "E0901");
  CHECK(Read("a: &a x\nb: {*a : 1}\nc: {y: *a}\n").code().empty());
  CHECK(Read("a: \xff\n").code() == "E0101");
  CHECK(Read(std::string("a: \0b", 5)).code() == "E0122");
  CHECK(Read("a: \x04\nb: 1\n").code() == "E0901");
  CHECK(Read("a: \"open\n").code() == "E0901");
}

TEST_CASE("json: values, escapes and places", "[data]") {
  const ReadJson r(R"({"a": "\/ \ud83d\ude00 \u00e9", "b": [1, -2.5e3, true, null], "c": {}})");
  REQUIRE(r.code() == "");
  const Node& root = r.document.root;
  CHECK(root.get("a")->text == "/ \xF0\x9F\x98\x80 \xC3\xA9");
  CHECK(r.sources.text(root.get("b")->span) == "[1, -2.5e3, true, null]");
  CHECK(root.get("b")->items[0].kind == Node::Kind::integer);
  CHECK(root.get("b")->items[1].kind == Node::Kind::integer);
  CHECK(root.get("b")->items[2].kind == Node::Kind::boolean);
  CHECK(root.get("b")->items[3].kind == Node::Kind::null);
  CHECK(r.sources.text(root.members[1].key_span) == "\"b\"");
}

TEST_CASE("json: what JSON forbids is refused", "[data]") {
  for (const char* s : {"",          "{",
                        "{a: 1}",    "[1,]",
                        "01",        "1.",
                        ".5",        "+1",
                        "nul",       "'a'",
                        "\"\\x\"",   "\"\\ud800\"",
                        "\"\\u12\"", "{} {}",
                        "{\"a\" 1}", "\"a\nb\"",
                        "\"open",    "\"\\",
                        "// c\n1",   "1e",
                        "NaN",       "\"\\ud83d\\u0041\""})
    CHECK(ReadJson(s).code() == "E0906");
  CHECK(ReadJson("{\"a\": 1, \"a\": 2}").code() == "E0902");
  CHECK(ReadJson(repeated("[", 1'000'000)).code() == "E0904");
  CHECK(ReadJson("\"\xff\"").code() == "E0101");
}

}  // namespace muster::data::data_test
