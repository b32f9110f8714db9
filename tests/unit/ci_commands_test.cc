// Nothing that is printed is a command to a CI host. The two parsers are those of GitHub's runner (ActionCommand.cs)
// and of Azure's agent (Command.cs), without their lists of names: any name counts.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

#include "compiler/base/ci_commands.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/temp_folder.h"

namespace ci_commands_test {

using namespace muster;

namespace {

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view spaces[] = {" ", "\t", "\v", "\f", "\u00A0", "\u2003", "\u3000"};
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view space : spaces)
      if (line.starts_with(space)) line.remove_prefix(space.size()), again = true;
  }
  return line;
}

// The name of the command that `::name key=value::text` is; "": it is none.
std::string second_form(std::string_view line) {
  line = trimmed(line);
  const std::size_t end = line.starts_with("::") ? line.find("::", 2) : line.npos;
  return end == line.npos ? "" : std::string(line.substr(2, std::min(end, line.find(' ')) - 2));
}

// Whether a line has `PREFIX…]` anywhere: `##[` for GitHub, `##vso[` for Azure.
bool first_form(std::string_view line, std::string_view prefix) {
  const std::size_t at = line.find(prefix);
  return at != line.npos && line.find(']', at) != line.npos;
}

// Lines as .NET reads them: a carriage return alone ends one too.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text)
    if (c == '\n' || c == '\r') out.emplace_back();
    else out.back() += c;
  return out;
}

// The first line that a host obeys; "": none. Annotations are what format `github` is made of.
std::string obeyed(const std::string& text, bool annotations = false) {
  for (const std::string& line : lines_of(text)) {
    const std::string name = second_form(line);
    const bool annotation = name == "error" || name == "warning" || name == "notice";
    if (!name.empty() && !(annotations && annotation)) return line;
    if (first_form(line, "##[") || first_form(line, "##vso[")) return line;
  }
  return {};
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

constexpr const char* script =
    "#!/bin/bash\n#SBATCH --time=##[group]x\n#SBATCH --gres=##vso[task.setvariable variable=a]gpu\n"
    "#SBATCH --no-such=::error::x\n::set-env name=x::y\nexport TOKEN=##[add-path]/evil\n"
    "\r::error::alone\n  ::warning::spaces\nsrun srun python ##vso[build.updatebuildnumber]9 &\n";
constexpr const char* manifest =
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: '##vso[task.complete]x'}\nspec:\n  template:\n    spec:\n"
    "      containers:\n      - name: '::error::c'\n        image: '##[debug]x:latest'\n"
    "        resources: {limits: {nvidia.com/gpu: '##[group]1'}}\n";
constexpr const char* broken =
    "workload w {\n  kind = \"##[error]x\"\n::error::y = 1\n  \"##vso[a.b]\" = 2\n  command = ['##[x]y']\n}\n";
constexpr const char* sound =
    "workload w {\n  kind = batch\n  image = '##[group]img'\n  command = ['##vso[task.x]y', '\n::error::z']\n"
    "  env { A = '##[add-path]/evil' }\n  allow SPC001 { reason = '##[x]\n::error::why' }\n  gpus = 1\n}\n"
    "test \"::error::name\" { assert w.gpus == 2 }\ntest '##vso[x.y]z' { assert w.gpus == 3 }\n";

// A tree whose file names and texts are commands, on two sides.
void hostile_tree(const std::filesystem::path& root) {
  for (const char* side : {"base", "head"}) {
    const std::filesystem::path folder = root / side;
    put(folder / "::error::a.sbatch", std::string(script) + side + "\n");
    put(folder / "##[add-mask]b.yaml", std::string(manifest) + "# " + side + "\n");
    put(folder / "##vso[task.x]c.muster", std::string(broken) + "# " + side + "\n");
    put(folder / "::warning::d.muster", std::string(sound) + (std::string(side) == "head" ? "# x\n" : ""));
  }
}

struct Printed {
  std::string out, err;
};

Printed printed(const std::filesystem::path& folder, const std::string& arguments) {
  const std::string command = "cd '" + folder.string() + "' && '" + tests::muster_binary() + "' " + arguments + " >'" +
                              (folder / "out").string() + "' 2>'" + (folder / "err").string() + "'";
  CHECK(std::system(command.c_str()) != -1);
  Printed result{text_of(folder / "out"), text_of(folder / "err")};
  std::filesystem::remove(folder / "out");
  std::filesystem::remove(folder / "err");
  return result;
}

}  // namespace

TEST_CASE("commands of CI hosts are broken in texts") {
  for (const char* command : {"##[error]x", "a ##[add-path]b", "##vso[task.setvariable variable=a]b", "::error::x",
                              "one\n  ::set-output name=a::b", "one\r::error::x", "\u00A0\u3000::error::x",
                              "##teamcity[buildStop]", "###[x]", "#####vso[x.y]"})
    for (const TextForm form : {TextForm::plain, TextForm::json, TextForm::xml}) {
      INFO(command);
      const std::string text = without_ci_commands(command, form);
      CHECK(text != command);
      CHECK(obeyed(text).empty());
    }
  for (const char* harmless : {"", "## Heading [x]", "a::b", "# [x]", "##", "std::vector", "x ::error::y", "##a b[c]"})
    CHECK(without_ci_commands(harmless) == harmless);
  CHECK(without_ci_commands("##[x]") == "# #[x]");
  CHECK(without_ci_commands("##[x]", TextForm::json) == "#\\u0023[x]");
  CHECK(without_ci_commands("##[x]", TextForm::xml) == "#&#35;[x]");
}

TEST_CASE("breaking the commands of a text takes time in proportion to it") {
  // 8 MB of line ends and of hashes: at the square of it this would not end.
  CHECK(without_ci_commands(std::string(8'000'000, '\n') + "::").size() == 8'000'003);
  CHECK(without_ci_commands(std::string(8'000'000, ':')).size() == 8'000'001);
  CHECK(without_ci_commands(std::string(8'000'000, '#')).size() == 8'000'000);
}

TEST_CASE("no report and no message is a command to a CI host") {
  const tests::TempFolder folder;
  hostile_tree(folder.path());
  const std::string all =
      "'head/::error::a.sbatch' 'head/##[add-mask]b.yaml' 'head/##vso[task.x]c.muster' "
      "'head/::warning::d.muster'";
  std::vector<std::string> calls;
  for (const char* format : {"text", "short", "json", "sarif", "markdown", "gitlab", "junit", "checkstyle", "stats"})
    calls.push_back("lint head -o " + std::string(format));
  for (const char* format : {"text", "markdown", "json", "html"})
    calls.push_back("review base head --format " + std::string(format));
  for (const char* how : {"human", "short", "json"})
    for (const char* verb : {"lint", "compile", "decide", "fit", "test", "reliability", "fmt --check"})
      calls.push_back(std::string(verb) + " " + all + " --diagnostics " + how);
  for (const char* format : {"text", "json"}) {
    calls.push_back("explain 'head/::error::a.sbatch' --format " + std::string(format));
    calls.push_back("explain 'head/::warning::d.muster' --format " + std::string(format));
    calls.push_back("import head -o imported --force --format " + std::string(format));
  }
  for (const char* format : {"text", "json", "junit"})
    calls.push_back("test 'head/::warning::d.muster' --format " + std::string(format));
  for (const char* verb : {"decide", "decide --why", "compile -o made --loss text", "compile -o made --loss json",
                           "compile --emit model", "compile --emit ast", "fmt --diff", "lint --fix --diff"})
    calls.push_back(std::string(verb) + " 'head/::warning::d.muster'");
  for (const char* call :
       {"lint --fix --unsafe-fixes --diff head", "'##[error]x'", "lint '--##[error]x'", "lint '::error::gone'",
        "explain '##[error]x'", "decide --fact '##vso[a.b]c'", "decide --fact '##[error]x=1'",
        "decide --profile '##[error]x'", "rules verify '##vso[a.b]c.muster'", "review '##[error]x' head",
        "lint head --select '##[error]x'", "lint head -o '##[error]x'", "site import 'head/::error::a.sbatch'",
        "compile examples --target '##[error]x'", "lint head --as-of '##[error]x'"})
    calls.push_back(call);
  for (const std::string& call : calls) {
    INFO(call);
    const Printed text = printed(folder.path(), call);
    CHECK(obeyed(text.out) == "");
    CHECK(obeyed(text.err) == "");
    CHECK_FALSE((text.out + text.err).empty());
  }
  const Printed annotations = printed(folder.path(), "lint head -o github");
  CHECK(obeyed(annotations.out, true) == "");
  CHECK(annotations.out.find("::error ") != std::string::npos);
}

namespace {

// Each invisible character that a terminal or an editor obeys, one after another.
const std::vector<std::string>& hidden_characters() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (int c = 1; c < 0x20; ++c)
      if (c != '\n' && c != '\t') out.emplace_back(1, static_cast<char>(c));
    out.emplace_back("\x7F");
    for (int c = 0x80; c < 0xA0; ++c) out.push_back(std::string("\xC2") + static_cast<char>(c));
    for (const char* turning : {"\u061C", "\u200E", "\u200F", "\u2028", "\u2029", "\u202A", "\u202B", "\u202C",
                                "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"})
      out.emplace_back(turning);
    return out;
  }();
  return all;
}

// The first of them that is in a text, by its number; "": none. `\r\n` is a line end.
std::string hidden_in(std::string text) {
  for (std::size_t at = text.find("\r\n"); at != text.npos; at = text.find("\r\n")) text.erase(at, 1);
  for (std::size_t i = 0; i < hidden_characters().size(); ++i)
    if (text.find(hidden_characters()[i]) != text.npos) return std::to_string(i);
  return {};
}

// As YAML and JSON can spell it.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : without_hidden(text)) out += c;
  return out;
}

void tree_of_hidden(const std::filesystem::path& root, const std::string& evil) {
  for (const std::string side : {"base", "head"}) {
    const std::filesystem::path folder = root / side;
    const std::string more = side == "head" ? "2" : "1";
    put(folder / ("a" + evil + ".sbatch"), "#!/bin/bash\n#SBATCH --time=1" + evil + "\n#SBATCH --job-name=" + evil +
                                               "\n#SBATCH --partition=p" + evil + "\n#SBATCH --nodes=" + more +
                                               "\nexport HF_TOKEN=hf_" + evil + "\nsrun srun python " + evil + "x &\n");
    put(folder / ("b" + evil + ".yaml"),
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: \"n" + escaped(evil) + "\"}\nspec:\n  parallelism: " + more +
            "\n  template:\n    spec:\n      containers:\n      - name: \"c" + escaped(evil) +
            "\"\n        image: \"i" + escaped(evil) + ":latest\"\n        command: [\"a\", \"" + escaped(evil) +
            "\"]\n        resources: {limits: {nvidia.com/gpu: \"1" + escaped(evil) + "\"}}\n");
    put(folder / ("c" + evil + ".muster"), "workload w { kind = \"" + evil + "\"  " + evil + " = 1 }\n");
    put(folder / ("d" + evil + ".muster"),
        "workload w {\n  kind = batch\n  image = 'i" + evil + "'\n  command = ['a', '" + evil + "']\n  env { A = '" +
            evil + "' }\n  gpus = " + more + "\n}\ntest 'n" + evil + "' { assert w.gpus == 3 }\n");
  }
}

std::vector<std::string> calls_of_all_verbs(const std::string& evil) {
  const std::string script = "'head/a" + evil + ".sbatch'", pod = "'head/b" + evil + ".yaml'",
                    sound = "'head/d" + evil + ".muster'";
  std::vector<std::string> calls;
  for (const char* format :
       {"text", "short", "json", "sarif", "markdown", "gitlab", "junit", "checkstyle", "stats", "github"})
    calls.push_back("lint head -o " + std::string(format));
  for (const char* format : {"text", "markdown", "json", "html"})
    calls.push_back("review base head --format " + std::string(format));
  for (const std::string& file : {script, pod, sound, "'head/c" + evil + ".muster'"})
    for (const char* verb : {"explain", "decide --why", "decide --format json", "fit", "fit --format json",
                             "reliability", "import", "import --format json", "compile", "fmt --check", "fmt --diff",
                             "test", "lint --fix --diff --diagnostics json"})
      if (std::string(verb) != "compile" || file != sound) calls.push_back(std::string(verb) + " " + file);
  for (const std::string verb :
       {"decide", "explain", "lint", "compile --target", "decide --fact", "decide --profile", "rules verify",
        "site import", "lint head --select", "lint head -o", "lint --", "review head"})
    calls.push_back(verb + " 'x" + evil + "'");
  calls.push_back("compile --emit model " + sound);
  calls.push_back("compile -o 'made" + evil + "' --loss text " + sound);
  return calls;
}

}  // namespace

TEST_CASE("no hidden character is printed, whatever a file says or is called") {
  for (const std::string& character : hidden_characters()) {
    CHECK(has_hidden("a" + character + "b"));
    CHECK(without_hidden("a" + character + "b").starts_with("a\\u"));
    CHECK(hidden_in(without_hidden(character)) == "");
  }
  CHECK(hidden_characters().size() == 76);
  CHECK(without_hidden("\x1b[2J\xC2\x9B\u202E") == "\\u001b[2J\\u009b\\u202e");
  CHECK(without_hidden("\x1b[1;31ma\x1b[0m\x1b[2J", true) == "\x1b[1;31ma\x1b[0m\\u001b[2J");
  for (const char* harmless : {"", "a\tb\r\nc\n", "\u00A0\u00E4\u2026\u2060", "\xD8\x9D", "\xE2\x82\xAC"})
    CHECK(without_hidden(harmless) == harmless);

  std::string all;  // but for the bytes of escape sequences: every one of them
  for (const std::string& character : hidden_characters()) all += character;
  std::size_t calls = 0, clean = 0;
  for (const std::string& evil : {std::string("\x1b[2J\xC2\x9B"
                                              "2J\u202E\x07"),
                                  all}) {
    const tests::TempFolder folder;
    tree_of_hidden(folder.path(), evil);
    for (const std::string& call : calls_of_all_verbs(evil)) {
      const Printed text = printed(folder.path(), call);
      INFO(without_hidden(call));
      CHECK(hidden_in(text.out) == "");
      CHECK(hidden_in(text.err) == "");
      ++calls;
      clean += hidden_in(text.out + text.err).empty() ? 1 : 0;
    }
  }
  CHECK(calls == clean);
  CHECK(calls >= 140);
}

}  // namespace ci_commands_test
