// Templates, parameters, conditions: what comes out of them, and that no budget can be exceeded.
#include <chrono>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "compiler/sema/check/check.h"
#include "compiler/sema/expand/budget.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/doc.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "driver/imports.h"
#include "driver/values.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace expand_test {

using namespace muster;

namespace {

namespace fs = std::filesystem;

struct Expanded {
  Sources sources;
  Diagnostics diagnostics;
  std::vector<ast::File> files;

  explicit Expanded(const std::string& text, sema::ExpandOptions options = {}) {
    auto file = syntax::parse(sources, sources.add("text", text), diagnostics);
    INFO(reports());
    REQUIRE(file);
    options.roots = {1};
    std::vector<ast::File> parsed;
    parsed.push_back(std::move(*file));
    files = sema::expand(std::move(parsed), options, diagnostics);
  }
  // "E0301 the message; E0405 …"
  std::string reports() const {
    std::string out;
    for (const Diagnostic& d : diagnostics.sorted())
      out += (out.empty() ? "" : "; ") + std::string(info(d.code).id) + " " + d.message;
    return out;
  }
  // The blocks as text, places forgotten: what no file holds.
  std::string text() {
    std::string out;
    for (ast::File& file : files)
      for (ast::Block& block : file.blocks) out += line(block) + "\n";
    return out;
  }

 private:
  static std::string line(const ast::Block& block) {
    std::string out = block.kind.text + (block.label ? " " + block.label->text : "") + " {";
    for (const ast::Item& item : block.items) {
      if (const auto* s = std::get_if<ast::Setting>(&item.value)) out += " " + s->key.text + "=" + shown(s->value);
      if (const auto* b = std::get_if<ast::Block>(&item.value)) out += " " + line(*b);
      if (const auto* r = std::get_if<ast::Requirement>(&item.value)) out += " require:" + shown(r->condition);
    }
    return out + " }";
  }
  static std::string shown(const ast::Expr& e) {
    std::string out = e.kind == ast::Expr::Kind::variable ? "$" + e.text : e.text;
    if (e.kind == ast::Expr::Kind::operation) out = ast::spelling(e.op);
    if (e.operands.empty()) return out;
    out += "(";
    for (const ast::Expr& operand : e.operands) out += (out.back() == '(' ? "" : ",") + shown(operand);
    return out + ")";
  }
};

std::string made(const std::string& text) {
  Expanded out(text);
  CHECK(out.reports() == "");
  return out.text();
}

std::string refused(const std::string& text) { return Expanded(text).reports(); }

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("a template is filled in, and a body is laid over it", "[expand]") {
  const std::string t =
      "template t(n: int in 1..8 = 2, h: duration = 1h) { kind = train nodes = $n time-limit = $h * 2 env { A = $n } "
      "script = \"x\" args = [\"a\"] }\n";
  CHECK(made(t + "workload a from t(n = 4)") ==
        "workload a { kind=train time-limit=2h env { A=4 } script=x args=(a) resources { nodes=4 } }\n");
  CHECK(made(t +
             "workload a from t() { resources { nodes = 7 } env { B = 1 A = 3 } command = [\"c\"] args += [\"b\"] }") ==
        "workload a { kind=train time-limit=2h env { A=3 B=1 } args=(a,b) resources { nodes=7 } command=(c) }\n");
  CHECK(made(t + "workload a from t(n = 3) { nodes = 5 }\nworkload b from a() { time-limit = 5h }") ==
        "workload a { kind=train time-limit=2h env { A=3 } script=x args=(a) resources { nodes=5 } }\n"
        "workload b { kind=train time-limit=5h env { A=3 } script=x args=(a) resources { nodes=5 } }\n");
}

TEST_CASE("values are worked out", "[expand]") {
  const auto value = [](const std::string& expr) {
    const std::string out = made("param n: int = 4\nlet s = 80GB\nworkload w { x = " + expr + " }");
    return out.substr(15, out.size() - 18);
  };
  CHECK(value("$n * 2 + 1") == "9");
  CHECK(value("2 * $s") == "160GB");
  CHECK(value("if $n > 3 and not ($n == 5) then big else small") == "big");
  CHECK(value("\"a-${n}-${s}\"") == "a-4-80GB");
  CHECK(value("'a-${n}'") == "a-${n}");
  CHECK(value("[$n, max(3, $n, 2), min([9, 8]), len([1, 2]), mod(7, 4), ceil(1.5), floor(1.5)]") == "(4,4,8,2,3,2,1)");
  CHECK(value("[floor(48 / 32), ceil(48 / 32), floor(-7 / 2), ceil(-7 / 2), ceil(8 / $n), floor(3 * 5 / $n)]") ==
        "(1,2,-4,-3,2,3)");
  CHECK(value("[floor($s / 30GB), ceil($s / 30GB)]") == "(2,3)");
  CHECK(value("concat(\"a\", 1, b)") == "a1b");
  CHECK(value("$n in [1, 4]") == "true");
  CHECK(value("90GB in 80GB..100GB") == "true");
  CHECK(value("1..$n") == "..(1,4)");
}

TEST_CASE("when selects items, blocks of both stand together, facts stay", "[expand]") {
  const std::string t =
      "param n: int = 2\nworkload w { env { A = 1 } when $n > 1 { nodes = $n env { B = 2 } } else { z = 1 } ";
  CHECK(made(t + "require gpu.memory >= (if $n > 1 then 80GB else 40GB) and $n > 0 }") ==
        "workload w { env { A=1 B=2 } require:>=(gpu.memory,80GB) nodes=2 }\n");
  CHECK(refused(t + "require $n > 5 }") == "E0405 this requirement is false for every pool");
}

TEST_CASE("an axis is late, and may be called as the parameter of its values", "[expand]") {
  CHECK(made("template s(lr: list(number)) { env { LR = $lr } sweep { axes { lr = $lr seed = 1..3 } } "
             "assert sweep.points == 6, \"six\" }\nworkload w from s(lr = [1, 2])") ==
        "workload w { env { LR=$lr } sweep { axes { lr=(1,2) seed=..(1,3) } } }\n");
  CHECK(refused("workload w { sweep { axes { s = 1..3 } } assert sweep.points == 4, \"four\" }") == "E0405 four");
}

TEST_CASE("one mistake gives one error, with the nearest name", "[expand]") {
  const std::string t = "template t(n: int in 1..8, h: duration = 1h) { nodes = $n time-limit = $h }\n";
  CHECK(refused(t + "workload a from t()") == "E0212 template `t` requires a value for `n`");
  CHECK(refused(t + "workload a from t(n = 9)") == "E0305 `n` is 9, but must be in 1..8");
  CHECK(refused(t + "workload a from t(n = 1, n = 2)") == "E0203 `n` is passed twice");
  CHECK(refused(t + "workload a from t(n = 1, hh = 2h)") == "E0212 template `t` has no parameter `hh`");
  CHECK(refused(t + "workload a from t(n = x, h = 3)") ==
        "E0301 parameter `n` has type int, found the symbol `x`; "
        "E0301 parameter `h` has type duration, found the number `3`");
  CHECK(refused(t + "workload a from tt(n = 1)") == "E0205 unknown template `tt`");
  CHECK(refused(t + "workload a from x.t(n = 1)") == "E0205 no import is named `x`");
  CHECK(refused("template t(n: itn = 1) { a = $n }\nworkload a from t()") == "E0206 unknown type `itn`");
  CHECK(refused("let a = 1 + x\nworkload w { b = $a c = $a }") ==
        "E0301 `+` cannot combine the number `1` and the symbol `x`");
  CHECK(refused("param n: int = 1\nworkload w { x = $m }") == "E0210 parameter `m` is not declared");
  CHECK(refused("template t() { x = 1 }\ntemplate t() { x = 2 }") == "E0207 there are two templates named `t`");
  CHECK(refused("fleet f from t()") == "E0201 only a workload can be made from a template");
  CHECK(refused("workload a from b()\nworkload b from c()\nworkload c from a()") == "E0406 `a` is based on itself");
}

TEST_CASE("what is wrong in a template says who asked for it", "[expand]") {
  Expanded out("template t(n: int) { assert $n > 3, \"more\" }\nworkload a from t(n = 2)");
  REQUIRE(out.diagnostics.size() == 1);
  const Diagnostic d = out.diagnostics.sorted()[0];
  CHECK(d.notes == std::vector<std::string>{"the left side is 2, the right side 3"});
  REQUIRE(d.labels.size() == 2);
  CHECK(d.labels[0].text == "`n` is 2");
  CHECK(out.sources.text(d.labels[0].span) == "2");
  CHECK(d.labels[1].text == "instantiated here");
  CHECK(out.sources.text(d.labels[1].span) == "from t(n = 2)");
}

TEST_CASE("values of the command line are read by the type of their parameter", "[expand]") {
  const std::string t =
      "param p: string = \"q\"\ntemplate t(n: int, s: string, l: list(string) = [], y: symbol = a) { "
      "x = [$n, $s, $y, $p] l = $l }\nworkload w { a = 1 }";
  const auto with = [&](std::vector<sema::Given> given) {
    sema::ExpandOptions options;
    options.set = std::move(given);
    options.blueprint = "t";
    options.requests = {{"one", {}}, {}};
    Expanded out(t, options);
    return out.reports().empty() ? out.text() : out.reports();
  };
  CHECK(with({{"n", {}, "4", {}}, {"s", {}, "1 \"x\" $y", {}}, {"l", {}, "[\"a\", \"b\"]", {}}, {"p", {}, "r", {}}}) ==
        "workload one { x=(4,1 \"x\" $y,a,r) l=(a,b) }\nworkload t { x=(4,1 \"x\" $y,a,r) l=(a,b) }\n");
  CHECK(with({{"n", {}, "4 let x = 3", {}}, {"s", {}, "", {}}}) ==
        "E0301 parameter `n` has type int, found 4 let x = 3");
  CHECK(with({{"n", {}, "$n", {}}, {"s", {}, "", {}}}) == "E0210 parameter `n` is not declared");
  CHECK(with({{"n", {}, "1", {}}, {"s", {}, "", {}}, {"q", {}, "", {}}}) == "E0212 template `t` has no parameter `q`");
}

TEST_CASE("a text is at most 1 MiB, however it grew", "[expand][budget]") {
  // 1 KiB doubled ten times is the limit, eleven times is over it.
  const auto doubled = [](int times, const std::string& more) {
    std::string out = "let a0 = \"" + std::string(1024, 'x') + "\"\n";
    for (int i = 1; i <= times; ++i) {
      const std::string before = "${a" + std::to_string(i - 1) + "}";
      out += "let a" + std::to_string(i) + " = \"" + before + before + (i == times ? more : "") + "\"\n";
    }
    return out + "workload w { x = 1 }";
  };
  CHECK(refused(doubled(10, "")) == "");
  CHECK(refused(doubled(10, "y")) == "");  // the holes are 1 MiB; what follows them is the file's
  CHECK(refused(doubled(11, "")) == "E0407 the string is longer than 1 MiB");
  CHECK(refused(doubled(60, "")) == "E0407 the string is longer than 1 MiB");
}

TEST_CASE("what templates repeat is bounded as a whole", "[expand][budget]") {
  const std::string t = "template t() { x = \"" + std::string(1 << 19, 'x') + "\" }\n";
  const auto instances = [&](int n) {
    std::string out = t;
    for (int i = 0; i < n; ++i) out += "workload w" + std::to_string(i) + " from t()\n";
    return refused(out);
  };
  CHECK(instances(128) == "");
  CHECK(instances(129) == "E0407 parameters and templates repeat more than 64 MiB of text");
}

TEST_CASE("expressions are counted by declaration and in all", "[expand][budget]") {
  // A list of 1,000 numbers; each use costs its 1,001 nodes and the look-up.
  const std::string lists = "let l = [" + repeated("1, ", 999) + "1]\n";
  const auto uses = [&](int n) { return refused(lists + "workload w {" + repeated(" x = $l", n) + " }"); };
  CHECK(uses(99) == "");
  CHECK(uses(100) == "E0407 the workload evaluates more than 100,000 expressions");
  std::string many = lists;
  for (int i = 0; i < 11; ++i) many += "workload w" + std::to_string(i) + " {" + repeated(" x = $l", 95) + " }\n";
  CHECK(refused(many) == "E0407 the files evaluate more than 1,000,000 expressions in total");
}

TEST_CASE("values and workloads nest to a bound", "[expand][budget]") {
  const auto deep = [](int n) {  // a hundred levels a step
    std::string out = "let a0 = gpu.memory\n";
    for (int i = 1; i <= n; ++i)
      out += "let a" + std::to_string(i) + " = " + std::string(100, '[') + "$a" + std::to_string(i - 1) +
             std::string(100, ']') + "\n";
    return refused(out + "let z = $a" + std::to_string(n) + "\nworkload w { x = 1 }");
  };
  CHECK(deep(10) == "");
  CHECK(deep(11) == "E0407 the value is nested more than 1,000 levels deep");
  const auto chain = [](int n) {
    std::string out = "workload w0 { x = 1 }\n";
    for (int i = 1; i <= n; ++i) out += "workload w" + std::to_string(i) + " from w" + std::to_string(i - 1) + "()\n";
    return refused(out);
  };
  CHECK(chain(32) == "");
  CHECK(chain(33) == "E0407 workloads are based on each other more than 32 levels deep");
  CHECK(chain(5'000) == "E0407 workloads are based on each other more than 32 levels deep");
}

TEST_CASE("a chain of ifs is as deep as brackets may be", "[expand][budget]") {
  const auto chain = [](int n) {
    Sources sources;
    Diagnostics diagnostics;
    syntax::parse(sources, sources.add("x", "let a = " + repeated("if true then 1 else ", n) + "2\n"), diagnostics);
    return diagnostics.empty() ? std::string() : std::string(info(diagnostics.sorted()[0].code).id);
  };
  CHECK(chain(200) == "");
  CHECK(chain(201) == "E0112");
  CHECK(chain(10'000) == "E0112");
  CHECK(refused(repeated("let a = if true then 1 else 2\n", 300)).starts_with("E0207"));  // one after the other
}

TEST_CASE("long bodies are laid over each other in time", "[expand][budget]") {
  std::string body;
  for (int i = 0; i < 8'000; ++i) body += " k" + std::to_string(i) + " = 1";
  const auto begin = std::chrono::steady_clock::now();
  CHECK(refused("template t() {" + body + " }\nworkload w from t() {" + body + " }") == "");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("the doc of a declaration is above it or behind it", "[expand]") {
  Sources sources;
  Diagnostics diagnostics;
  const auto file = syntax::parse(sources,
                                  sources.add("x",
                                              "# not this\n\n# one\n#  two\ntemplate t(\n  a: int = 1,  # behind a\n"
                                              "  b: int = 2,\n  # above c\n  c: int = 3,  # not this\n) { x = 1 }\n"),
                                  diagnostics);
  REQUIRE(file);
  const ast::Template& t = file->templates[0];
  CHECK(syntax::doc_of(*file, sources, t.span) == "one two");
  CHECK(syntax::doc_of(*file, sources, t.parameters[0].span) == "behind a");
  CHECK(syntax::doc_of(*file, sources, t.parameters[1].span) == "");
  CHECK(syntax::doc_of(*file, sources, t.parameters[2].span) == "above c");
}

TEST_CASE("imports stay below the root, go in no circle and are at most 256", "[expand][imports]") {
  const tests::TempFolder temporary;
  const fs::path& root = temporary.path();
  fs::create_directories(root / "in" / "lib");
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(root / name) << text; };
  write("outside.muster", "let a = 1\n");
  write("in/lib/a.muster", "import \"b.muster\" as b\n");
  write("in/lib/b.muster", "let b = 1\n");
  write("in/lib/c.muster", "import \"../self.muster\" as s\n");
  write("in/self.muster", "import \"lib/c.muster\" as c\n");
  fs::create_symlink(root / "outside.muster", root / "in" / "link.muster");
  fs::create_symlink(root / "in" / "lib" / "b.muster", root / "in" / "good-link.muster");
  for (int i = 0; i < 258; ++i) write(("in/f" + std::to_string(i) + ".muster").c_str(), "let a = 1\n");
  const auto follow = [&](const std::string& text, const char* name = "in/main.muster") {
    Sources sources;
    Diagnostics diagnostics;
    sema::ExpandOptions out;
    std::vector<ast::File> files;
    write(name, text);
    files.push_back(*syntax::parse(sources, sources.add((root / name).string(), text), diagnostics));
    const auto read = [&](const std::string& shown, const std::string& file, Span) {
      std::ifstream in(file);
      return syntax::parse(sources, sources.add(shown, std::string(std::istreambuf_iterator<char>(in), {})),
                           diagnostics);
    };
    const bool good = driver::follow_imports(files, sources, (root / "in").string(), {}, read, out, diagnostics);
    CHECK(good == diagnostics.empty());
    return good ? std::to_string(files.size()) : std::string(info(diagnostics.sorted()[0].code).id);
  };
  CHECK(follow("import \"lib/a.muster\" as a\nimport \"lib/b.muster\" as b\nimport \"good-link.muster\" as c\n") ==
        "3");
  CHECK(follow("import \"../outside.muster\" as a\n") == "E0213");
  CHECK(follow("import \"link.muster\" as a\n") == "E0213");
  CHECK(follow("import \"" + (root / "in/lib/a.muster").string() + "\" as a\n") == "E0213");
  CHECK(follow("import \"lib\" as a\n") == "E0213");
  CHECK(follow("import \"none.muster\" as a\n") == "E0213");
  CHECK(follow("import \"lib/b.muster\" as a\nimport \"lib/a.muster\" as a\n") == "E0213");
  CHECK(follow("import \"main.muster\" as a\n") == "E0406");
  CHECK(follow("import \"lib/c.muster\" as c\n", "in/self.muster") == "E0406");
  std::string many;
  for (int i = 0; i < 256; ++i) many += "import \"f" + std::to_string(i) + ".muster\" as f" + std::to_string(i) + "\n";
  CHECK(follow(many) == "257");
  CHECK(follow(many + "import \"f256.muster\" as g\n") == "E0407");
  // Below a linked folder `..` is the folder of the link's target: what was checked is what is read.
  fs::create_directories(root / "in" / "deep" / "er");
  fs::create_directory_symlink(root / "in" / "deep" / "er", root / "in" / "short");
  write("in/deep/y.muster", "let a = 1\n");
  write("in/y.muster", "let {\n");
  CHECK(follow("import \"../y.muster\" as y\n", "in/short/x.muster") == "2");
  const auto taken = [](const std::string& path) { return "let a = file(\"" + path + "\")\n"; };
  write("in/script.sh", "echo hi\n");
  write("in/binary", std::string("a\0b", 3));
  write("in/border", std::string(driver::max_taken, 'x'));
  write("in/large", std::string(driver::max_taken + 1, 'x'));
  CHECK(follow(taken("script.sh")) == "1");
  CHECK(follow(taken("border")) == "1");
  CHECK(follow(taken("large")) == "E0213");
  CHECK(follow(taken("binary")) == "E0213");
  CHECK(follow(taken("../outside.muster")) == "E0213");
  CHECK(follow(taken("link.muster")) == "E0213");
  CHECK(follow(taken("/etc/hostname")) == "E0213");
  CHECK(follow(taken("none.sh")) == "E0213");
  CHECK(follow(many + taken("script.sh")) == "E0407");
}

TEST_CASE("a matrix is read as CSV is written", "[expand][matrix]") {
  const tests::TempFolder temporary;
  const std::string name = temporary.path() / "matrix.csv";
  const auto read = [&](const std::string& text) {
    std::ofstream(name) << text;
    Sources sources;
    Diagnostics diagnostics;
    std::string out;
    for (const sema::Request& r : driver::read_matrix(name, {}, "t", {"a", "b"}, sources, diagnostics)) {
      out += r.name + ":";
      for (const sema::Given& g : r.given) out += g.name + "=" + g.text + "|";
      out += "\n";
    }
    for (const Diagnostic& d : diagnostics.sorted())
      out += std::string(info(d.code).id) + " at " + sources.place(d.primary).substr(name.size()) + "\n";
    return out;
  };
  CHECK(read("a,b\n1,2\n") == "t-1:a=1|b=2|\n");
  CHECK(read("\xEF\xBB\xBF"
             "a,b\r\n\"x, \"\"y\"\"\",\r\n\r\n\"\",\"1\n2\"") == "t-1:a=x, \"y\"|\nt-2:a=|b=1\n2|\n");
  CHECK(read("name,a\nbig,1\n,2\n") == "big:a=1|\nt-2:a=2|\n");
  CHECK(read("a,b\n1,\"2\n") == "E0214 at :2:3\n");
  CHECK(read("a,b\n\"1\"x,2\n") == "E0214 at :2:4\n");
  CHECK(read("a,b\n1,2\n1\n1,2,3\n") == "t-1:a=1|b=2|\nE0214 at :3:1\nE0214 at :4:5\n");
  CHECK(read("a,a\n1,2\n") == "E0214 at :1:3\n");
  CHECK(read("a,\n1,2\n") == "E0214 at :1:3\n");
  CHECK(read("a,b\n") == "E0214 at :1:1\n");
  CHECK(read("a\n\xFF\n") == "E0101 at :2:1\n");
  CHECK(read("a\n" + repeated("1\n", 10'001)) == "E0407 at :10002:1\n");
}

TEST_CASE("ten thousand rows are made in time", "[expand][budget]") {
  sema::ExpandOptions options;
  options.blueprint = "t";
  for (int i = 0; i < 10'000; ++i)
    options.requests.push_back({"w" + std::to_string(i), {{"n", {}, std::to_string(i), {}}, {"h", {}, "1h", {}}}});
  const auto begin = std::chrono::steady_clock::now();
  Expanded out("template t(n: int, h: duration) { nodes = $n + 1 time-limit = $h env { N = \"n-${n}\" } }", options);
  CHECK(out.reports() == "");
  CHECK(out.files[0].blocks.size() == 10'000);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("a run reference has its place in a text that is compared, and no length", "[references]") {
  const std::string names = "let a = \"a${run.id}b\"\nlet b = \"ab${run.id}\"\nlet c = \"a${run.id}b\"\n";
  const auto taken = [&](const std::string& condition) {
    return Expanded(names + "workload w {\n  kind = dev\n  when " + condition + " { nodes = 2 }\n}\n").text();
  };
  CHECK(taken("$a == $c").find("nodes=2") != std::string::npos);
  CHECK(taken("$a == $b").find("nodes=2") == std::string::npos);
  CHECK(Expanded(names + "let n = len($a)\nworkload w { nodes = $n }\n").reports() ==
        "E0301 the length of a string with run references is not known here");
}

}  // namespace expand_test
