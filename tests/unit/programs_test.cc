// The table of programs: what commands do, asked by generated spellings, and that no other list of programs comes back.
#include "compiler/shell/programs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "compiler/base/source.h"
#include "compiler/base/text.h"
#include "compiler/shell/body.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/temp_folder.h"

namespace programs_test {

using namespace muster;
namespace fs = std::filesystem;

namespace {

shell::Doing of(const std::string& line) {
  const shell::Body body = shell::read_body({line, 0, 0, static_cast<std::uint32_t>(line.size())});
  return body.commands.empty() ? shell::Doing{} : shell::doing(body.commands.front().words);
}

std::string read_file(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

struct List {
  std::size_t line = 0;
  std::vector<std::string> words;
};

// The lists of words in a C++ text: `{"a", "b", "c"}`, and `" a b c "`, names between blanks.
std::vector<List> lists_in(const std::string& text) {
  std::vector<List> out;
  List open;
  bool in_braces = false;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (c == '\'' && text.compare(at + 1, 1, "\\") == 0) {
      at += 3;
    } else if (c == '\'' && at + 2 < text.size() && text[at + 2] == '\'') {
      at += 2;
    } else if (c == '"') {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end, text.size());
      const std::string literal = text.substr(at + 1, end - at - 1);
      if (in_braces) open.words.push_back(literal);
      if (literal.starts_with(' ') && literal.ends_with(' ') && literal.find('\n') == literal.npos) {
        List names{line, {}};
        for (const std::string_view name : names_in(literal)) names.words.emplace_back(name);
        out.push_back(std::move(names));
      }
      at = end;
    } else if (c == '{') {
      in_braces = true, open = {line, {}};
    } else if (c == '}') {
      if (in_braces) out.push_back(open);
      in_braces = false;
    } else if (in_braces && c != ',' && !is_space(c)) {
      in_braces = false;
    }
  }
  return out;
}

// Whether a list says which programs are of a kind: three words or more, of which two, and more than a quarter, are
// names of the table (`command` and `env` are keys of a container as well).
bool lists_programs(const List& list) {
  const auto known = std::count_if(list.words.begin(), list.words.end(), [](const std::string& word) {
    return word.size() > 1 && is_letter(word[0]) && shell::program_named(word) != nullptr;
  });
  return list.words.size() >= 3 && known >= 2 && 4 * static_cast<std::size_t>(known) > list.words.size();
}

}  // namespace

TEST_CASE("what a command does is the same behind wrappers, paths and assignments") {
  for (const shell::Program& row : shell::programs()) {
    const std::string name(row.name);
    // What has another meaning with a word behind it, or is read by the shell before it is a command.
    if (row.is(shell::transparent) || is_one_of(name, {"[", "[[", "((", "env", "eval", "nohup", "timeout", "setsid"}))
      continue;
    INFO(name);
    const shell::Doing plain = of(name + " some words");
    REQUIRE(plain.row == &row);
    for (const std::string wrapper : {"nohup ", "time ", "env A=1 ", "nice -n 5 ", "stdbuf -o L ", "exec "})
      CHECK(of(wrapper + name + " some words").effect == plain.effect);
    CHECK(of("A=1 " + name + " some words").effect == plain.effect);
    if (is_letter(name.front())) {
      CHECK(of("/usr/bin/" + name + " some words").effect == plain.effect);
      CHECK(of("./" + name + " some words").effect == shell::Effect::unknown);
      CHECK(of(name + " --version").effect == shell::Effect::prints);
    }
    CHECK(of("my_" + name + " some words").effect == shell::Effect::unknown);
  }
}

TEST_CASE("options change what a program does") {
  using enum shell::Effect;
  const std::pair<const char*, shell::Effect> cases[] = {{"nvidia-smi", prints},
                                                         {"nvidia-smi -l 5", monitors},
                                                         {"nvidia-smi --loop=5 -f x", monitors},
                                                         {"sed -e s/i/j/ f", reads},
                                                         {"sed -ei f", reads},
                                                         {"sed -ni s/a/b/ f", writes},
                                                         {"sort -k 2 f", reads},
                                                         {"sort -no f f", writes},
                                                         {"tail -n 5 f", reads},
                                                         {"tail -f log", monitors},
                                                         {"conda activate a", sets},
                                                         {"conda env create -f e.yml", installs},
                                                         {"conda env list", prints},
                                                         {"conda run -n a python t.py", works},
                                                         {"conda run -n a hostname", prints},
                                                         {"vllm serve m", serves},
                                                         {"vllm bench", works},
                                                         {"python3.11 -m sglang.launch_server", serves},
                                                         {"python t.py", works},
                                                         {"command -v srun", prints},
                                                         {"set", prints},
                                                         {"set -e", sets},
                                                         {"printf -v A x", sets},
                                                         {"scontrol show job", prints},
                                                         {"scontrol requeue 1", submits},
                                                         {"nvcc a.cu -o a", writes},
                                                         {"nvcc --version", prints},
                                                         {"apt-get source hello", installs},
                                                         {"dnf -y builddep hello", installs},
                                                         {"apt list --installed", prints},
                                                         {"wandb agent a/b/c", works},
                                                         {"wandb sync run", transfers},
                                                         {"./a -V", unknown},
                                                         {"((i++))", sets}};
  for (const auto& [line, effect] : cases) {
    INFO(line);
    CHECK(of(line).effect == effect);
  }
}

TEST_CASE("a program that a text names, and no part of another word") {
  CHECK(shell::mentioned("a; mpirun_rsh -n 4", shell::elsewhere) == "mpirun_rsh");
  CHECK(shell::mentioned("import ray; ray.init()", shell::elsewhere) == "ray");
  CHECK(shell::mentioned("arrays, xssh, srunner", shell::elsewhere).empty());
  CHECK(shell::mentioned("", shell::elsewhere).empty());
}

// What a program is for is a column of programs.def: a list of names in a rule is another answer to the same question.
TEST_CASE("no list of programs outside their table") {
  // Values of the language, and the shells that completions are written for.
  const std::set<std::string> named_so = {"compiler/model/symbols.h", "cli/completion.cc"};
  const fs::path root = tests::source_folder();
  std::size_t read = 0;
  for (const char* folder : {"cli", "compiler", "driver", "lint", "plan", "review", "rules", "scheduler", "targets"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if (!path.ends_with(".cc") && !path.ends_with(".h")) continue;
      if (path.starts_with("compiler/shell/") || named_so.contains(path)) continue;
      ++read;
      for (const List& list : lists_in(read_file(entry.path()))) {
        std::string words;
        for (const std::string& word : list.words) words += word + " ";
        INFO(path << ":" << list.line << " lists " << words);
        CHECK_FALSE(lists_programs(list));
      }
    }
  CHECK(read > 500);
  CHECK(lists_programs(lists_in("f({\"echo\", // \"x\"\n \"date\", \"own\"})").front()));
  CHECK(lists_programs(lists_in("x = \" echo date own \";").front()));
}

TEST_CASE("the text that a shell is given is the one that it runs") {
  using Words = std::vector<std::string>;
  // In each the text is the word that bash runs, and with `a` in its place nothing else is.
  for (const Words& form : {Words{"bash", "-c", "TEXT"}, Words{"sh", "-ec", "TEXT", "name", "arg"},
                            Words{"bash", "-euo", "pipefail", "-c", "TEXT"}, Words{"bash", "-c", "-e", "TEXT"},
                            Words{"bash", "-o", "pipefail", "-ec", "TEXT"}, Words{"bash", "+e", "-c", "TEXT"},
                            Words{"bash", "--norc", "-c", "TEXT"}, Words{"bash", "--rcfile", "/dev/null", "-c", "TEXT"},
                            Words{"bash", "-ceuo", "pipefail", "TEXT"}, Words{"sh", "-c", "--", "TEXT"},
                            Words{"env", "A=1", "nohup", "bash", "-c", "TEXT"}}) {
    std::vector<shell::Word> words;
    std::string line;
    for (const std::string& word : form) {
      words.push_back({word == "TEXT" ? "exit 7" : word});
      line += word == "TEXT" ? " 'exit 7'" : " " + word;
    }
    INFO(line);
    const std::size_t at = shell::text_for_shell(words);
    REQUIRE(at < form.size());
    CHECK(form[at] == "TEXT");
    CHECK(WEXITSTATUS(std::system((line + " > /dev/null 2>&1").c_str())) == 7);
  }
  for (const Words& form : {Words{"bash", "train.sh", "-c", "x"}, Words{"bash"}, Words{"bash", "-c"},
                            Words{"python", "-c", "x"}, Words{"bash", "-o", "pipefail", "train.sh"}}) {
    std::vector<shell::Word> words;
    for (const std::string& word : form) words.push_back({word});
    CHECK(shell::text_for_shell(words) == 0);
  }
}

TEST_CASE("a command in what eval or a shell's input runs is found where bash runs it, at its place") {
  struct Form {
    const char* text;
    bool by_place = true;  // the text is in the file as it is
  };
  // In each `printf` runs once, or never.
  for (const Form& form :
       {Form{"bash <<'END'\nprintf x\nEND\n"}, Form{"bash <<END\nprintf x\nEND\n"},
        Form{"bash -s one <<END\nprintf x\nEND\n"}, Form{"env A=1 sh -e <<-END\n\tprintf x\n\tEND\n"},
        Form{"cat <<END\nprintf x\nEND\n"}, Form{"bash /dev/null <<END\nprintf x\nEND\n"},
        Form{"bash -c : <<END\nprintf x\nEND\n"}, Form{"bash <<'A' <<'B'\n:\nA\nprintf x\nB\n"},
        Form{"C='printf x'\neval \"$C\"\n", false}, Form{"C='printf x'\neval $C\n", false},
        Form{"eval printf x\n", false}, Form{"eval \"echo 'printf x'\" > /dev/null\n", false}}) {
    INFO(form.text);
    const std::string text = form.text;
    const tests::TempFolder folder;
    const std::string script = (folder.path() / "a.sh").string(), out = (folder.path() / "out").string();
    std::ofstream(script) << text;
    REQUIRE(std::system(("bash '" + script + "' > '" + out + "' 2>/dev/null").c_str()) == 0);
    const std::string printed = read_file(out);
    const bool runs = printed == "x";
    const shell::Body body = shell::read_body({text, 0, 0, static_cast<std::uint32_t>(text.size())});
    std::size_t found = 0;
    for (const shell::Command& c : body.commands) {
      if (c.program() != "printf") continue;
      ++found;
      CHECK(c.inside >= 0);
      if (form.by_place) CHECK(text.substr(c.span.begin, c.span.end - c.span.begin) == "printf x");
    }
    CHECK(found == (runs ? 1 : 0));
  }
}

TEST_CASE("what a tool prints to set itself up leaves the names of the script, and any other text of eval may not") {
  struct Form {
    const char* text;
    bool leaves;
  };
  for (const Form& form :
       {Form{"$(conda shell.bash hook)", true}, Form{"$(/opt/conda/bin/conda shell.bash hook 2> /dev/null)", true},
        Form{"$('/opt/conda/bin/conda' 'shell.bash' 'hook')", true}, Form{"$($(which conda) shell.bash hook)", true},
        Form{"$(/home/$(whoami)/bin/conda shell.bash hook)", true}, Form{"python $WORK/a.py --seed $1", true},
        Form{"$WORK/bin/simulate $1", true}, Form{"python a.py; N=4", false}, Form{"export $M=4", false},
        Form{"$@", false}, Form{"`micromamba shell hook --shell bash`", true}, Form{"$(pyenv init -)", true},
        Form{"$(conda shell.bash hook) N=4", false}, Form{"$(cat env.sh)", false}, Form{"$(printf N=4)", false},
        Form{"$(./conda-names)", false}, Form{"$SETTINGS", false}, Form{"read N", false}}) {
    INFO(form.text);
    const std::string text = "N=8\neval \"" + std::string(form.text) + "\"\nprobe $N\n";
    const shell::Body body = shell::read_body({text, 0, 0, static_cast<std::uint32_t>(text.size())});
    const auto probe = std::find_if(body.commands.begin(), body.commands.end(),
                                    [](const shell::Command& c) { return c.program() == "probe"; });
    REQUIRE(probe != body.commands.end());
    CHECK(probe->words.at(1).literal == form.leaves);
  }
}

}  // namespace programs_test
