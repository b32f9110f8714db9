// What a document means, and where its mistakes are said to be.
#include "compiler/twin/twin.h"

#include "compiler/sema/check/check.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "tests/catch.h"

namespace unit_twin_test {

using namespace muster;
using twin::Form;

namespace {

// "E0206 3:11" for each thing that reading and checking find.
std::vector<std::string> found(const std::string& text, Form form) {
  Sources sources;
  Diagnostics diagnostics;
  const auto tree = twin::read(sources, sources.add("twin", text), form, diagnostics);
  if (tree) sema::check({*tree}, sources, {}, diagnostics);
  std::vector<std::string> out;
  for (const Diagnostic& d : diagnostics.sorted()) {
    const Position p = sources.position(d.primary.file, d.primary.begin);
    out.push_back(std::string(info(d.code).id) + " " + std::to_string(p.line) + ":" + std::to_string(p.column));
  }
  return out;
}

using List = std::vector<std::string>;

// The muster text of a document.
std::string as_muster(const std::string& text, Form form) {
  Sources sources;
  Diagnostics diagnostics;
  const auto out = twin::convert(sources, sources.add("twin", text), form, Form::muster, diagnostics);
  return out ? out->text : "refused";
}

std::string env_of(const std::string& scalar) {
  const std::string text = as_muster("workload: {w: {kind: dev, env: {A: " + scalar + "}}}\n", Form::yaml);
  const std::size_t at = text.find("A = ");
  return at == std::string::npos ? text : text.substr(at + 4, text.find_first_of("\n", at) - at - 4);
}

std::string job(const std::string& members) {
  return "{\"workload\": {\"w\": {\"kind\": \"dev\", \"command\": [\"x\"], " + members + "}}}";
}

}  // namespace

TEST_CASE("the form of a file is told by its name, that of standard input by its first sign", "[twin]") {
  CHECK(twin::form_of("a.muster.json", "") == Form::json);
  CHECK(twin::form_of("a.muster.yaml", "{") == Form::yaml);
  CHECK(twin::form_of("a.muster.yml", "") == Form::yaml);
  CHECK(twin::form_of("a.muster", "{") == Form::muster);
  CHECK(twin::form_of("-", " \n{") == Form::json);
  CHECK(twin::form_of("-", "workload w {") == Form::muster);
  CHECK(twin::form_of("-", "") == Form::muster);
}

TEST_CASE("what a string is follows from the type of its key", "[twin]") {
  CHECK(as_muster(job(R"("time_limit": "48h", "nodes": "2..6", "gpu": "H100:8", "account": "my team", "workdir": "a")"),
                  Form::json) == R"(workload w {
  kind       = dev
  command    = ["x"]
  time-limit = 48h
  nodes      = 2..6
  gpu        = H100:8
  account    = "my team"
  workdir    = "a"
}
)");
  CHECK(as_muster(job(R"("args": ["a", {"$expr": "b"}], "script": {"python": "x\n"}, "setup": "one line")"),
                  Form::json) ==
        "workload w {\n  kind    = dev\n  command = [\"x\"]\n  args    = [\"a\", b]\n  script = <<<python\n  x\n  "
        ">>>\n  setup = bash(\"one "
        "line\")\n}\n");
  CHECK(as_muster(job(R"("require": "gpu.memory >= 80GB", "prefer": [{"that": "gpu.model == h100", "weight": 3}])"),
                  Form::json) ==
        "workload w {\n  kind    = dev\n  command = [\"x\"]\n  require gpu.memory >= 80GB\n  prefer gpu.model == h100 "
        "weight 3\n}\n");
}

TEST_CASE("a tag of an image is no count of GPUs", "[twin]") {
  const std::string written = "workload w {\n  kind    = dev\n  command = [\"x\"]\n  image   = \"ubuntu:22\"\n}\n";
  CHECK(as_muster(job(R"("image": "ubuntu:22")"), Form::json) == written);
  CHECK(found(job(R"("image": "ubuntu:22")"), Form::json).empty());
  Sources sources;
  Diagnostics diagnostics;
  const auto back = twin::convert(sources, sources.add("w", written), Form::muster, Form::json, diagnostics);
  REQUIRE(back);
  CHECK(back->text.find(R"("image": "ubuntu:22")") != std::string::npos);
}

TEST_CASE("a plain word of YAML is what JSON has, else a text", "[twin]") {
  for (const char* text : {"no",    "on",    "yes", "y",  "N",  "Off",  "True", "NULL",       "010", "0x1F", "0o17",
                           "12:30", "1_000", ".5",  "5.", "+1", ".inf", ".nan", "2024-01-01", "1e",  "0b1"})
    CHECK(env_of(text) == "\"" + std::string(text) + "\" }");
  CHECK(env_of("true") == "true }");
  CHECK(env_of("8") == "8 }");
  CHECK(env_of("-8.5e3") == "-8.5e3 }");
  CHECK(env_of("1e-4") == "1e-4 }");
  CHECK(env_of("\"8\"") == "\"8\" }");
  CHECK(env_of("!!str 8") == "\"8\" }");
  CHECK(env_of("~") == "refused");
  CHECK(env_of("") == "refused");
}

TEST_CASE("mistakes have the codes of muster files and the places of the document", "[twin]") {
  CHECK(found("workload:\n  w:\n    command: [x]\n    kind: trian\n    nodez: 8\n", Form::yaml) ==
        List{"E0206 4:11", "E0201 5:5"});
  CHECK(found(job("\"nodes\": \"8\""), Form::json) == List{"E0301 1:63"});
  CHECK(found(job("\"nodes\": \"2..\""), Form::json) == List{"E0116 1:67"});
  CHECK(found(job("\"time_limit\": \"72 h\""), Form::json) == List{"E0114 1:69"});
  CHECK(found(job("\"time_limit\": 72"), Form::json) == List{"E0302 1:68"});
  CHECK(found(job("\"require\": \"a\\t\\u00e9 b\""), Form::json) == List{"E0104 1:69"});
  CHECK(found("workload:\n  w:\n    command: [x]\n    kind: dev\n    require:\n      - 'gpu.memry >= 80GB'\n      - "
              "|\n        "
              "node.cpu\n        >= x )\n",
              Form::yaml) == List{"E0111 9:14"});
  CHECK(found("{\"workload\": {\"w\": {\"kind\": \"dev\", \"kind\": \"dev\"}}}", Form::json) == List{"E0902 1:36"});
  CHECK(found("workload:\n  w:\n    command: [x]\n    kind: dev\n    kind: dev\n", Form::yaml) == List{"E0902 5:5"});
  CHECK(found("workload:\n  w:\n    command: [x]\n    kind: dev\n    time-limit: 1h\n    time_limit: 2h\n",
              Form::yaml) == List{"E0203 6:5"});
  CHECK(found(job("\"nodes\": {\"a\": 1}"), Form::json) == List{"E0202 1:55"});
  CHECK(found(job("\"require\": \"gpu.memry >= 80GB\""), Form::json) == List{"E0208 1:66"});
  CHECK(found("workload:\n  w:\n    command: [x]\n    kind: dev\n    mount: [a]\n", Form::yaml) == List{"E0201 5:5"});
}

TEST_CASE("shapes that a document cannot have", "[twin]") {
  for (const char* members : {R"("nodes": null)",
                              R"("$x": 1)",
                              R"("mount": {"data": 1})",
                              R"("require": {"a": 1})",
                              R"("prefer": {"that": true, "weight": "x"})",
                              R"("prefer": {"weight": 1})",
                              R"("assert": "x")",
                              R"("when": {"if": true})",
                              R"("let": {"a": 1})",
                              R"("script": {"bash": 1})",
                              R"("script": {"bash": "a", "sh": "b"})",
                              R"("args": {"$expr": 1})",
                              R"("args": {"$expr": "1 } x { _ = 2"})",
                              R"("args": {"$expr": "1 y = 2"})",
                              R"("$block": {"kind": "env"})",
                              R"("$items": [])",
                              R"("script": {"b x": "a\n"})",
                              R"("script": {"9": "a"})",
                              R"("prefer": {"that": true, "we ight": 1})",
                              R"("env": {"from": {"a": {}}})"}) {
    INFO(members);
    REQUIRE(found(job(members), Form::json).size() == 1);
    CHECK(found(job(members), Form::json)[0].starts_with("E0907"));
  }
  CHECK(found("[]", Form::json) == List{"E0907 1:1"});
  CHECK(found("{\"a b\": {}}", Form::json) == List{"E0907 1:3"});
  CHECK(found("{\"import\": {\"a b\": \"x\"}}", Form::json) == List{"E0907 1:13"});
  CHECK(found("{\"nodes\": 8}", Form::json) == List{"E0907 1:3"});
  CHECK(found("{\"workload\": {\"w\": {\"kind\": \"dev\", \"image\": \"a\\u0000\"}}}", Form::json) ==
        List{"E0307 1:45"});
}

TEST_CASE("the budgets of documents, at their borders", "[twin]") {
  const auto one = [](const std::string& text) { return found(text, Form::json); };
  const std::string head = "{\"workload\": {\"w\": {\"kind\": \"dev\", \"command\": [\"x\"], \"labels\": {",
                    tail = "}}}}";
  // Bytes of the file, and of one text.
  const std::string text(std::size_t{1} << 20, 'x');
  CHECK(one(head + "\"a\": \"" + text + "\"" + tail).empty());
  CHECK(one(head + "\"a\": \"" + text + "x\"" + tail)[0].starts_with("E0904"));
  CHECK(found("workload: {w: {kind: dev, command: [x], labels: {a: \"" + text + "\"}}}", Form::yaml).empty());
  CHECK(found("workload: {w: {kind: dev, command: [x], labels: {a: \"" + text + "x\"}}}", Form::yaml)[0].starts_with(
      "E0904"));
  const std::string blanks(twin::budget.bytes - 2, ' ');
  CHECK(one("{}" + blanks).empty());
  CHECK(one("{}" + blanks + " ") == List{"E0904 1:1"});
  CHECK(found("{}" + blanks, Form::yaml).empty());
  CHECK(found("{}" + blanks + " ", Form::yaml) == List{"E0904 1:1"});
  // Values: the four objects, `dev`, the list and `x` are the first seven.
  std::string values;
  for (std::size_t i = 7; i < twin::budget.nodes; ++i) values += "\"" + std::to_string(i) + "\":1,";
  values.pop_back();
  CHECK(one(head + values + tail).empty());
  CHECK(one(head + values + ",\"x\":1" + tail)[0].starts_with("E0904"));
  // Depth, with the three objects around it.
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(one(job("\"labels\": " + nested(197)))[0].starts_with("E03") == false);
  CHECK(one(job("\"labels\": " + nested(197)))[0].starts_with("E0904") == false);
  CHECK(one(job("\"labels\": " + nested(198)))[0].starts_with("E0904"));
  // Documents of a stream.
  std::string stream;
  for (std::size_t i = 0; i < twin::budget.documents; ++i) stream += "---\n{}\n";
  CHECK(found(stream, Form::yaml).empty());
  CHECK(found(stream + "---\n{}\n", Form::yaml)[0].starts_with("E0904"));
  // Aliases cost what they copy.
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'j'; ++c) {
    const std::string before = std::string("*") + static_cast<char>(c - 1);
    bomb += std::string(1, c) + ": &" + c + " [" + before + "," + before + "," + before + "," + before + "," + before +
            "]\n";
  }
  CHECK(found(bomb, Form::yaml)[0].starts_with("E0904"));
}

TEST_CASE("several documents of a YAML stream are one file", "[twin]") {
  CHECK(as_muster("workload: {a: {kind: dev}}\n---\nworkload: {b: {kind: dev}}\n", Form::yaml) ==
        "workload a {\n  kind = dev\n}\n\nworkload b {\n  kind = dev\n}\n");
}

TEST_CASE("comments are counted", "[twin]") {
  const auto comments = [](const std::string& text, Form from, Form to) {
    Sources sources;
    Diagnostics diagnostics;
    const auto out = twin::convert(sources, sources.add("x", text), from, to, diagnostics);
    return out ? static_cast<int>(out->comments) : -1;
  };
  CHECK(comments("# a\nworkload w { # b\n  kind = dev\n}\n", Form::muster, Form::json) == 2);
  CHECK(comments("# a\nworkload w { # b\n  kind = dev\n}\n", Form::muster, Form::muster) == 0);
  CHECK(comments("# a\nworkload: # b\n  w:\n    kind: dev # c\n    image: 'a # b'\n    script: |\n      # no\n      x "
                 "# no\n    code: a#b\n#d",
                 Form::yaml, Form::muster) == 4);
  CHECK(comments("{\"workload\": {}}", Form::json, Form::yaml) == 0);
}

}  // namespace unit_twin_test
