// Run references: what may be referred to, and what a text keeps of it.
#include <set>

#include "compiler/twin/twin.h"
#include "targets/contract/references.h"
#include "tests/unit/checked.h"

namespace references_test {

using namespace muster;
namespace contract = targets::contract;
using test::Checked;

namespace {

// The words of the command, as a muster file has them.
std::vector<std::string> words(const Checked& checked) {
  REQUIRE(checked.diagnostics.empty());
  return model::spellings(std::get<model::Argv>(checked.workload().roles.at(0).program->value));
}

Checked with_word(const std::string& word, const std::string& more = {}) {
  return Checked("workload w {\n  kind = train\n  command = [\"x\", " + word + "]\n" + more + "\n}\n");
}

std::string fault_of(const std::string& word, const std::string& more = {}) { return with_word(word, more).fault(); }

contract::Pieces pieces(std::initializer_list<contract::Piece> all) { return all; }

contract::Piece variable(std::string name, bool colon_before = false, bool colon_behind = false) {
  return {.bytes = {}, .variable = std::move(name), .colon_before = colon_before, .colon_behind = colon_behind};
}

}  // namespace

TEST_CASE("a word keeps its references and what is around them", "[references]") {
  const Checked checked =
      with_word("\"a${run.id}-${env.HOME}/b\", \"${run.node-rank}\", '${run.id}', \"\\${run.id}\", \"$5\"");
  CHECK(words(checked) ==
        std::vector<std::string>{"x", "a${run.id}-${env.HOME}/b", "${run.node-rank}", "${run.id}", "${run.id}", "$5"});
  const auto& argv = std::get<model::Argv>(checked.module.workloads[0].roles[0].program->value);
  CHECK(argv[1].bytes == "a-/b");
  REQUIRE(argv[1].references.size() == 2);
  CHECK(argv[1].references[0].at == 1);
  CHECK(argv[1].references[1].at == 2);
  CHECK(argv[3].is_plain());  // in single quotes
  CHECK(argv[4].is_plain());  // behind a backslash
}

TEST_CASE("a reference names what the workload has", "[references]") {
  CHECK(fault_of("\"${mount.data}\"", "mount data { path = \"/d\" }").empty());
  CHECK(fault_of("\"${mount.date}\"", "mount data { path = \"/d\" }") ==
        "`${mount.date}` names a mount that the workload does not have");
  CHECK(fault_of("\"${port.api}\"", "port api { number = 8000 }").empty());
  CHECK(fault_of("\"${port.api}\"") == "`${port.api}` names a port that the workload does not have");
  CHECK(fault_of("\"${checkpoint.path}\"") ==
        "`${checkpoint.path}` requires `checkpoint { path = … }`, which the "
        "workload does not have");
  CHECK(fault_of("\"${run.idx}\"") == "`${run.idx}` is not known of a run");
  CHECK(fault_of("\"${run.point}\"") == "`${run.point}` requires a `sweep`, which the workload does not have");
  CHECK(fault_of("\"${env.1}\"") == "`${env.1}` is not a name of an environment variable");
  CHECK(fault_of("\"${address.w}\"") ==
        "`${address.w}` names a role, but the workload has none; write `${run.head}` for its first node");
  CHECK(fault_of("\"${rate}\"") == "axis `rate` is not declared");
}

TEST_CASE("a dollar sign without braces is an error that says what to write", "[references]") {
  const Checked checked = with_word("\"$HOME/x\"");
  REQUIRE(checked.fault() == "`$HOME` in a string has no braces");
  const Diagnostic first = checked.diagnostics.sorted().front();
  CHECK(first.notes.front().find("`${env.HOME}`") != std::string::npos);
  CHECK(fault_of("\"costs 5$\"").empty());
  CHECK(fault_of("\"$(id)\"").empty());
}

TEST_CASE("what a launcher sets in each process is not known before", "[references]") {
  const std::string torchrun = "nodes = 2\nlaunch { runner = torchrun }", processes = "launch { runner = processes }";
  CHECK(fault_of("\"${env.RANK}\"", torchrun).find("is set by the launcher in each process") != std::string::npos);
  CHECK(fault_of("\"${env.RANK}\"", processes).empty());
  CHECK(fault_of("\"${env.HOME}\"", torchrun).empty());
}

TEST_CASE("an entry of env refers to its own name, and to no other of the block", "[references]") {
  CHECK(fault_of("\"y\"", "env { PATH = \"/a:${env.PATH}\" }").empty());
  CHECK(fault_of("\"y\"", "env { A = \"1\"  B = \"${env.A}\" }") == "`B` refers to another entry of the same `env`");
}

TEST_CASE("the first words of references name nothing else", "[references]") {
  for (const std::string name : {"env", "mount", "port", "address", "checkpoint", "run"}) {
    INFO(name);
    CHECK_FALSE(fault_of("\"y\"", "sweep { axes { " + name + " = [1, 2] } }").empty());
  }
}

TEST_CASE("every name of a run is a value of its own", "[references]") {
  const Checked checked = with_word("\"y\"", "sweep { axes { n = [1, 2] } }");
  const model::Workload& w = checked.workload();
  plan::RolePlan shape;
  shape.role = &w.roles[0];
  shape.nodes = 2;
  shape.gpus = 4;
  contract::RunNames names;
  names.nodes = "$N";
  std::set<std::string> seen;
  for (const std::string_view name : model::run_names) {
    INFO(name);
    CHECK(fault_of("\"${run." + std::string(name) + "}\"", "sweep { axes { n = [1, 2] } }").find("is not known") ==
          std::string::npos);
    const model::Text text("", {{model::RefersTo::run, std::string(name), 0, {}}});
    const contract::Pieces found = contract::pieces_of({w, w.roles[0], shape, names}, text);
    REQUIRE(found.size() == 1);
    CHECK(seen.insert(found[0].variable + "=" + found[0].bytes).second);
  }
}

TEST_CASE("only texts of the program refer to the run", "[references]") {
  CHECK(Checked("workload w {\n  kind = train\n  image = \"a:${run.id}\"\n  command = [\"x\"]\n}\n").fault() ==
        "`${run.id}` is not known here");
}

TEST_CASE("a reference is one expression in JSON and YAML", "[references]") {
  Sources sources;
  Diagnostics diagnostics;
  const std::string text = "workload w {\n  command = [\"x\", \"a${run.id}\"]\n}\n";
  const auto twin =
      twin::convert(sources, sources.add("w.muster", text), twin::Form::muster, twin::Form::json, diagnostics);
  REQUIRE(twin);
  CHECK(twin->text.find(R"("$expr": "\"a${run.id}\"")") != std::string::npos);
  const auto back =
      twin::convert(sources, sources.add("w.json", twin->text), twin::Form::json, twin::Form::muster, diagnostics);
  REQUIRE(back);
  CHECK(back->text == text);
}

TEST_CASE("a dollar sign that only a shell reads keeps its meaning in JSON", "[references]") {
  Sources sources;
  Diagnostics diagnostics;
  const std::string text = "site s {\n  plane p { kind = slurm  scratch = \"$TMPDIR\" }\n}\n";
  const auto twin =
      twin::convert(sources, sources.add("s.muster", text), twin::Form::muster, twin::Form::json, diagnostics);
  REQUIRE(twin);
  CHECK(diagnostics.empty());
  CHECK(twin->text.find(R"("scratch": "$TMPDIR")") != std::string::npos);
}

TEST_CASE("a word of a shell keeps its bytes and is never split", "[references]") {
  using contract::quoted;
  CHECK(quoted(pieces({{"a\"b\\c$`"}})) == R"("a\"b\\c\$\`")");
  CHECK(quoted(pieces({variable("A"), {"_b"}})) == R"("${A}_b")");
  CHECK(quoted(pieces({variable("A"), {"/b"}})) == R"("$A/b")");
  CHECK(quoted(pieces({{"/b"}, variable("A", true)})) == R"("/b${A:+:$A}")");
  CHECK(quoted(pieces({variable("A", false, true), {"/b"}})) == R"("${A:+$A:}/b")");
}

TEST_CASE("only a whole element of a list takes its colon away", "[references]") {
  const auto word = [](const std::string& text) {
    const Checked checked = with_word("\"" + text + "\"");
    const model::Workload& workload = checked.module.workloads[0];
    const auto& argv = std::get<model::Argv>(workload.roles[0].program->value);
    return quoted(contract::pieces_of({workload, workload.roles[0], {}, {}}, argv[1]));
  };
  CHECK(word("/a:${env.X}/lib:/b") == R"("/a:$X/lib:/b")");
  CHECK(word("/a:${env.X}:/b") == R"("/a${X:+:$X}:/b")");
  CHECK(word("/a:${env.X}") == R"("/a${X:+:$X}")");
  CHECK(word("${env.X}:/a") == R"("${X:+$X:}/a")");
  CHECK(word("a${env.X}:/b") == R"("a$X:/b")");
  CHECK(word("${env.X}${env.Y}:/b") == R"("$X$Y:/b")");
}

}  // namespace references_test
