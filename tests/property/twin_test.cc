// The data twin says what the tree said: for any tree, in both forms, and for the project's own files.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/data/write.h"
#include "compiler/syntax/format.h"
#include "compiler/twin/twin.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/places.h"
#include "tests/property/random_tree.h"

namespace property_twin_test {

using namespace muster;
using property::Random;
using twin::Form;

namespace {

std::string reports(const Diagnostics& diagnostics, const Sources& sources) {
  std::string out;
  for (const Diagnostic& d : diagnostics.sorted())
    out += std::string(info(d.code).id) + " " + sources.place(d.primary) + ": " + d.message + "\n";
  return out;
}

ast::File read(const std::string& text, Form form) {
  Sources sources;
  Diagnostics diagnostics;
  auto tree = twin::read(sources, sources.add("twin", text), form, diagnostics);
  INFO(reports(diagnostics, sources) << text);
  REQUIRE(tree);
  return std::move(*tree);
}

std::string converted(const std::string& text, Form from, Form to) {
  Sources sources;
  Diagnostics diagnostics;
  const auto out = twin::convert(sources, sources.add("file", text), from, to, diagnostics);
  INFO(reports(diagnostics, sources) << text);
  REQUIRE(out);
  return out->text;
}

data::Node random_node(Random& random, int depth) {
  data::Node out;
  switch (random.upto(depth > 0 ? 7 : 4)) {
    case 0: return out;
    case 1: out.kind = data::Node::Kind::boolean, out.text = random.one_in(2) ? "true" : "false"; break;
    case 2: out.kind = data::Node::Kind::integer, out.text = random.one_in(2) ? "-17" : "0"; break;
    case 3:
    case 4:
      out.kind = data::Node::Kind::text,
      out.text = random.one_in(3) ? property::random_script(random) : property::random_text(random, 5);
      break;
    case 5:
      out.kind = data::Node::Kind::list;
      for (std::int64_t n = random.upto(4); n > 0; --n) out.items.push_back(random_node(random, depth - 1));
      break;
    default:
      out.kind = data::Node::Kind::map;
      for (std::int64_t n = random.upto(4); n > 0; --n) {
        const std::string key =
            std::to_string(n) + property::random_text(random, 3) + (random.one_in(40) ? std::string(1500, 'k') : "");
        out.members.push_back({key, {}, random_node(random, depth - 1)});
      }
  }
  return out;
}

bool same(const data::Node& a, const data::Node& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size() || a.members.size() != b.members.size()) return false;
  if (a.kind != data::Node::Kind::null && a.text != b.text) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!same(a.items[i], b.items[i])) return false;
  for (std::size_t i = 0; i < a.members.size(); ++i)
    if (a.members[i].key != b.members[i].key || !same(a.members[i].value, b.members[i].value)) return false;
  return true;
}

}  // namespace

TEST_CASE("a document that is written reads back as itself", "[property][twin]") {
  Random random(20240705);
  for (int i = 0; i < 3'000; ++i) {
    const data::Node node = random_node(random, 4);
    const std::string json = data::to_json(node), yaml = data::to_yaml(node);
    Sources sources;
    const data::Document from_json = data::read_json(sources, sources.add("json", json));
    const data::Documents from_yaml = data::read_yaml(sources, sources.add("yaml", yaml));
    INFO("case " << i << "\n" << json << "\n" << yaml);
    REQUIRE(!from_json.diagnostics.has_errors());
    REQUIRE(same(node, from_json.root));
    REQUIRE(from_yaml.documents.size() == 1);
    INFO(reports(from_yaml.documents[0].diagnostics, sources));
    REQUIRE(same(node, from_yaml.documents[0].root));
  }
}

TEST_CASE("a tree comes back from its document", "[property][twin]") {
  Random random(20240706);
  std::size_t bytes = 0, plain = 0;
  for (std::size_t i = 0; i < 1'500; i += tests::case_step) {
    ast::File tree = property::random_file(random);
    twin::normalise(tree);
    for (const Form form : {Form::json, Form::yaml}) {
      const std::string text = twin::write(tree, Sources(), form);
      bytes += text.size();
      plain += text.find("$items") == std::string::npos && text.find("$block") == std::string::npos ? 1 : 0;
      INFO("case " << i << "\n" << text);
      ast::File back = read(text, form);
      REQUIRE(ast::equal(tree, back));
    }
  }
  CHECK(bytes > 500'000 / tests::case_step);
  CHECK(plain > 20 / tests::case_step);
}

TEST_CASE("the muster files of the project come back from their documents", "[property][twin]") {
  int files = 0;
  for (const char* folder : {"examples", "rules/profiles", "tests/kitchen"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(muster::tests::source_folder() + "/" + std::string(folder))) {
      if (entry.path().extension() != ".muster") continue;
      ++files;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      ast::File tree = read(text.str(), Form::muster);
      twin::normalise(tree);
      std::string last;
      for (const Form form : {Form::json, Form::yaml}) {
        const std::string document = converted(text.str(), Form::muster, form);
        INFO(entry.path() << "\n" << document);
        CHECK(ast::equal(tree, read(document, form)));
        const std::string back = converted(document, form, Form::muster);
        CHECK(ast::equal(tree, read(back, Form::muster)));
        CHECK((last.empty() || last == back));
        CHECK(converted(back, Form::muster, form) == document);
        CHECK(converted(document, form, form) == document);
        last = back;
      }
    }
  CHECK(files > 9);
}

}  // namespace property_twin_test
