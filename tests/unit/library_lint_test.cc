// Lint of libraries: suppressions in templates and in imported files hold for who uses them, and an import is read
// once.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "compiler/model/module.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "compiler/syntax/spans.h"
#include "driver/lint_run.h"
#include "driver/parsed_files.h"
#include "lint/diagnosed.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace library_lint_test {

using namespace muster;
using namespace muster::lint;
using tests::TempFolder;
namespace fs = std::filesystem;

namespace {

// A template whose parameter decides whether SPC005 is found in its body, at `command`.
std::string library(const std::string& above, const std::string& behind = "") {
  return "template t(program: string = \"python\") {\n  kind = batch\n  time-limit = 1h\n" + above +
         "  command = [$program]" + behind + "\n}\n";
}
const std::string comment = "  # muster: allow SPC005 -- the image has it on its path";
const std::string block = "  allow SPC005 { reason = \"the image has it on its path\" }\n";
const std::string finds = "import \"lib.muster\" as lib\nworkload a from lib.t(program = \"train.py\")\n";
const std::string fine = "import \"lib.muster\" as lib\nworkload b from lib.t()\n";

// Files of one folder, and lint runs over some of them.
class Tree {
 public:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  std::string text(const std::string& name) const {
    std::ifstream in(folder_.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // How often a rule is found in the files; of all: "".
  std::size_t count(const std::string& files, std::string_view id, State state = State::open) {
    driver::LintRun run(options(files));
    REQUIRE(run.prepare());
    run.lint({});
    CHECK(run.outcome().left_out.empty());
    const auto& results = run.outcome().results;
    return static_cast<std::size_t>(std::count_if(results.begin(), results.end(), [&](const Result& r) {
      return about(r.finding).id == id && r.state == state;
    }));
  }
  // The files that fixes change, with their new texts.
  std::vector<std::pair<std::string, std::string>> fixed(const std::string& files, bool unsafe) {
    options(files);
    options_.fix = true, options_.unsafe_fixes = unsafe;
    driver::LintRun run(options_);
    REQUIRE(run.prepare());
    run.lint({});
    std::vector<std::pair<std::string, std::string>> out;
    for (const driver::Changed& c : run.changed())
      out.emplace_back(fs::path(c.path).filename().string(), run.session().sources().text(c.after));
    return out;
  }

 private:
  const driver::LintSettings& options(const std::string& files) {
    options_ = {};
    for (std::size_t at = 0; at < files.size(); at += 2)
      options_.files.push_back((folder_.path() / (std::string(files, at, 1) + ".muster")).string());
    if (files.empty()) options_.files = {folder_.path().string()};
    for (std::string& f : options_.files)
      if (fs::path(f).filename() == "l.muster") f = (folder_.path() / "lib.muster").string();
    std::string unknown;
    options_.selection = select_rules({}, {}, true, unknown, Profile::strict);
    return options_;
  }

  TempFolder folder_;
  driver::LintSettings options_;
};

}  // namespace

TEST_CASE("an `allow` reaches what the front end finds in a template, from the template and from the workload",
          "[lint][library]") {
  Tree tree;
  tree.write("a.muster", library("") + "workload w from t(program = \"train.py\")\n");
  CHECK(tree.count("a", "SPC005") == 1);
  tree.write("a.muster", library(block) + "workload w from t(program = \"train.py\")\n");
  CHECK(tree.count("a", "SPC005") == 0);
  CHECK(tree.count("a", "SPC005", State::suppressed) == 1);
  CHECK(tree.count("a", "SUP002") == 0);
  const std::string allowed = "workload w from t(program = \"train.py\") {\n" + block + "}\n";
  tree.write("a.muster", library("") + allowed);
  CHECK(tree.count("a", "SPC005") == 0);
  CHECK(tree.count("a", "SUP002") == 0);
  // Of two workloads one accepts it: for the other it stays.
  tree.write("a.muster", library("") + allowed + "workload x from t(program = \"train.py\")\n");
  CHECK(tree.count("a", "SPC005") == 1);
  CHECK(tree.count("a", "SUP002") == 0);
  // Another workload's `allow`, and one of a role beside it, are not for it.
  tree.write("a.muster",
             library("") + "workload w from t(program = \"train.py\")\nworkload x from t() {\n" + block + "}\n");
  CHECK(tree.count("a", "SPC005") == 1);
  CHECK(tree.count("a", "SUP002") == 1);
}

TEST_CASE("an `allow` in a template is for each workload that it makes", "[lint][library]") {
  Tree tree;
  // No time limit, on a plane whose queue has none either: SLM008 of the planned workload, not of the template's text.
  const std::string site =
      "site s {\n  plane p { kind = slurm  version = \"24.05\" }\n  queue q { default = true }\n}\n";
  const auto of = [&](const std::string& time) {
    return site + "template t(n: int) {\n  kind = batch\n" + time +
           "  command = [\"/bin/true\"]\n  allow SLM008 { reason = \"short\" }\n}\n";
  };
  tree.write("a.muster", of("") + "workload v from t(n = 1)\nworkload w from t(n = 1)\n");
  CHECK(tree.count("a", "SLM008") == 0);
  CHECK(tree.count("a", "SLM008", State::suppressed) == 2);
  CHECK(tree.count("a", "SUP002") == 0);
  // One of them needs it: that is enough. None: it is said once.
  tree.write("a.muster", of("") + "workload v from t(n = 1) { time-limit = 1h }\nworkload w from t(n = 1)\n");
  CHECK(tree.count("a", "SLM008", State::suppressed) == 1);
  CHECK(tree.count("a", "SUP002") == 0);
  tree.write("a.muster", of("  time-limit = 1h\n") + "workload v from t(n = 1)\nworkload w from t(n = 1)\n");
  CHECK(tree.count("a", "SUP002") == 1);
}

TEST_CASE("a template is judged where it is made, and not where another library's of its name is", "[lint][library]") {
  Tree tree;
  tree.write("lib.muster", library(""));
  const std::string own =
      "template t(program: string) {\n  kind = batch\n  time-limit = 1h\n  command = [$program]\n}\n";
  tree.write("a.muster", "import \"lib.muster\" as lib\n" + own + "workload a from lib.t()\n");
  CHECK(tree.count("a", "SPC006") == 1);
  tree.write("a.muster", "import \"lib.muster\" as lib\n" + own + "workload a from t(program = \"python\")\n");
  CHECK(tree.count("a", "SPC006") == 0);
}

TEST_CASE("of a file's templates lint makes 256 and says of the first that it does not make", "[lint][library]") {
  // The program of the 256th and of those behind it is found to be bare (SPC005), where they are made.
  const auto of = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += "template t" + std::to_string(i) + "() {\n  kind = batch\n  time-limit = 1h\n  command = [\"" +
              (i < 255 ? "./train.py" : "train.py") + "\"]\n}\n";
    return text;
  };
  Tree tree;
  tree.write("a.muster", of(256));
  CHECK(tree.count("a", "SPC006") == 0);
  CHECK(tree.count("a", "SPC005") == 1);
  tree.write("a.muster", of(260));
  CHECK(tree.count("a", "SPC006") == 1);
  CHECK(tree.count("a", "SPC005") == 1);
}

TEST_CASE("what a library suppresses holds for its importers", "[lint][library]") {
  for (const bool as_comment : {true, false}) {
    INFO(as_comment);
    Tree tree;
    tree.write("lib.muster", as_comment ? library("", comment) : library(block));
    tree.write("a.muster", finds);
    tree.write("b.muster", fine);
    CHECK(tree.count("a", "SPC005") == 0);
    CHECK(tree.count("a", "SPC005", State::suppressed) == 1);
    CHECK(tree.count("a", "SUP002") == 0);
    CHECK(tree.count("b", "SUP002") == 0);  // not his
    CHECK(tree.count("l", "SUP002") == 0);  // who uses it is not known
    CHECK(tree.count("", "SUP002") == 0);   // one importer does
    CHECK(tree.count("l a", "SUP002") == 0);
    CHECK(tree.count("l b", "SUP002") == 1);  // this one does not
    CHECK(tree.count("b l", "SUP002") == 1);
  }
}

TEST_CASE("a library's suppression that lies outside its templates is needed by those who need it", "[lint][library]") {
  Tree tree;
  const std::string base = "workload base {\n  kind = batch\n  time-limit = 1h\n  env { A = \"1\" }\n" + comment +
                           "\n  command = [\"train.py\"]\n}\n";
  tree.write("lib.muster", base);
  CHECK(tree.count("l", "SUP002") == 0);
  CHECK(tree.count("l", "SPC005", State::suppressed) == 1);
  std::string idle = base;
  idle.replace(idle.find("train.py"), 8, "python");
  tree.write("lib.muster", idle);
  CHECK(tree.count("l", "SUP002") == 1);
}

TEST_CASE("no fix takes a suppression away that another file needs", "[lint][library][fix]") {
  Tree tree;
  tree.write("lib.muster", library("", comment));
  tree.write("z.muster", finds);  // it comes after the library
  CHECK(tree.fixed("", false).empty());
  CHECK(tree.fixed("", true).empty());
  tree.write("lib.muster", library("", comment) + "workload own from t()\n");  // here nothing needs it
  CHECK(tree.fixed("", true).empty());
  CHECK(tree.fixed("l", true).size() == 1);
  CHECK(tree.fixed("l", false).empty());
  tree.write("lib.muster", library("", comment));
  tree.write("z.muster", fine);
  CHECK(tree.fixed("l", true).empty());  // who uses it is not known
  CHECK(tree.fixed("", false).empty());  // a file that is not linted may need it
  const auto unsafe = tree.fixed("", true);
  REQUIRE(unsafe.size() == 1);
  CHECK(unsafe[0].first == "lib.muster");
  CHECK(unsafe[0].second == library(""));
}

TEST_CASE("the same finding of two importers stays open if it is so for one", "[lint][library]") {
  Tree tree;
  tree.write("lib.muster", library(""));
  tree.write("a.muster",
             "import \"lib.muster\" as lib\nworkload a from lib.t(program = \"train.py\") {\n" + block + "}\n");
  CHECK(tree.count("", "SPC005") == 0);
  tree.write("b.muster", finds);
  CHECK(tree.count("", "SPC005") == 1);
  CHECK(tree.count("", "SPC005", State::suppressed) == 0);
  CHECK(tree.count("b a", "SPC005") == 1);
}

TEST_CASE("a file that is imported often is read once in a run, and is the same for all", "[lint][library][imports]") {
  const TempFolder folder;
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder.path() / name) << text; };
  const auto load = [&](driver::Session& run, const char* name) {
    driver::Inputs options;
    options.files = {(folder.path() / name).string()};
    driver::Session session(options, run);
    CHECK(session.load());
    REQUIRE(session.module().workloads.size() == 1);
    return std::get<model::Argv>(session.module().workloads[0].roles.at(0).program->value).at(0);
  };
  write("lib.muster", library(""));
  write("a.muster", "import \"lib.muster\" as lib\nworkload a from lib.t()\n");
  write("b.muster", "import \"lib.muster\" as lib\nworkload b from lib.t()\n");
  driver::Session run((driver::Inputs()));
  CHECK(load(run, "a.muster") == "python");
  std::string other = library("");
  other.replace(other.find("python"), 6, "perl");
  write("lib.muster", other);  // while the run goes on
  CHECK(load(run, "b.muster") == "python");
  driver::Session later((driver::Inputs()));
  CHECK(load(later, "b.muster") == "perl");
  write("lib.muster", "template {");
  CHECK(load(run, "a.muster") == "python");
}

TEST_CASE("a tree that is kept comes back with places in a file of its own", "[imports]") {
  const std::string text =
      "import \"x.muster\" as x  # why\nparam n: int in 1..8 = 2\nlet a = [1, $n + 2]\n"
      "template t(p: list(string) = [\"a\"]) {\n  when $n > 1 { env { A = \"${n}\" } } else { nodes += 1 }\n"
      "  require gpu.memory >= 80GB and not false\n  prefer gpu.model == h100 weight 3\n"
      "  assert $n in 1..4, \"few\"\n  gpus = if $n > 2 then 1 else 2\n}\n"
      "workload w from x.t(p = [\"b\"]) { resources { gpus = h100:8 } }\n";
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t first = sources.add("lib.muster", text);
  auto tree = syntax::parse(sources, first, diagnostics);
  REQUIRE(tree);
  driver::ParsedFiles kept;
  CHECK_FALSE(kept.find("/r/lib.muster", "lib.muster", sources));
  kept.keep("/r/lib.muster", "lib.muster", sources, *tree);
  CHECK_FALSE(kept.find("/r/lib.muster", "../lib.muster", sources));
  CHECK_FALSE(kept.find("/s/lib.muster", "lib.muster", sources));
  auto found = kept.find("/r/lib.muster", "lib.muster", sources);
  REQUIRE(found);
  CHECK(found->file != first);
  CHECK(sources.text(found->file) == text);
  const ast::Template& t = found->templates.at(0);
  const auto& when = std::get<ast::Conditional>(t.body.items.at(0).value);
  const auto& prefer = std::get<ast::Preference>(t.body.items.at(2).value);
  const auto& env = std::get<ast::Block>(when.body.items.at(0).value);
  const ast::Block& w = found->blocks.at(0);
  for (const Span place : {found->imports.at(0).span,
                           found->imports.at(0).path.span,
                           found->imports.at(0).alias.span,
                           found->parameters.at(0).name.span,
                           found->parameters.at(0).type.span,
                           found->parameters.at(0).range->span,
                           found->parameters.at(0).fallback->span,
                           found->bindings.at(0).span,
                           found->bindings.at(0).value.span,
                           found->bindings.at(0).value.operands.at(1).operands.at(0).span,
                           t.span,
                           t.name.span,
                           t.parameters.at(0).fallback->operands.at(0).span,
                           when.span,
                           when.condition.span,
                           when.otherwise->span,
                           env.label ? env.label->span : env.kind.span,
                           std::get<ast::Setting>(env.items.at(0).value).key.span,
                           std::get<ast::Setting>(env.items.at(0).value).value.operands.at(0).span,
                           std::get<ast::Requirement>(t.body.items.at(1).value).span,
                           prefer.span,
                           prefer.weight_word.span,
                           std::get<ast::Assertion>(t.body.items.at(3).value).message.span,
                           w.span,
                           w.label->span,
                           w.from->span,
                           w.from->module->span,
                           w.from->base.span,
                           w.from->arguments.at(0).name.span,
                           w.from->arguments.at(0).value.operands.at(0).span,
                           found->comments.at(0)})
    CHECK(place.file == found->file);
  std::size_t here = 0, elsewhere = 0;
  const auto count = [&](auto& part) {
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(part)>, Span>)
      if (part.known()) ++(part.file == found->file ? here : elsewhere);
  };
  syntax::SpanWalk(count).file(*found);
  CHECK(here == 80);
  CHECK(elsewhere == 0);
  CHECK(ast::equal(*found, *tree));
}

TEST_CASE("what is kept of imports is bounded", "[imports]") {
  Sources sources;
  Diagnostics diagnostics;
  driver::ParsedFiles kept;
  const std::string large = "let a = 1\n" + std::string(900'000, '\n');
  const std::uint32_t file = sources.add("a", large);
  const auto tree = syntax::parse(sources, file, diagnostics);
  REQUIRE(tree);
  const auto find = [&](int i) { return kept.find("/" + std::to_string(i), "a", sources).has_value(); };
  for (int i = 0; i < 4; ++i) kept.keep("/" + std::to_string(i), "a", sources, *tree);
  CHECK((find(0) && find(3)));
  kept.keep("/4", "a", sources, *tree);  // 4 MiB are full
  CHECK_FALSE(find(0));
  CHECK(find(4));
  sources.drop_texts_after(0);  // what imported it has been judged
  CHECK(sources.text(kept.find("/4", "a", sources)->file) == large);
}

}  // namespace library_lint_test
