// The reader of bash against bash: generated shapes of commands in each other, and what is left of them when a part is
// cut off. What bash reads the reader must read, and it must find each command.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/property/random.h"
#include "tests/temp_folder.h"
#include "tests/unit/read_scene.h"

namespace shell_shapes_test {
namespace {

using muster::property::Random;
using muster::test::ReadScene;

// A text of commands `m0`, `m1`, …, each of which is started by the text somewhere.
class Shapes {
 public:
  explicit Shapes(std::uint32_t seed) : random_(seed) { text = list(3); }

  std::string text;
  int commands = 0;

 private:
  using Texts = std::vector<std::string>;

  std::string name() { return "m" + std::to_string(commands++); }
  std::string substitution(int depth) {
    const std::string end = random_.any_of(Texts{")", " )", "\n)"});
    if (random_.one_in(6)) return "`" + name() + " a`";
    return random_.any_of(Texts{"$(", "$( ", "$(\n"}) + inner(depth) + (end == ")" ? "\n)" : end);
  }
  // Ends in a line end, so that a comment or a here-document before the `)` is closed.
  std::string inner(int depth) { return list(depth - 1); }

  std::string word(int depth) {
    static const Texts plain = {"x",          "'a)b'", "\"it's (\"", "\\)",    "a#b",   "${x:-y}", "$((1 + (2 << 3)))",
                                "$'a\\')'",   "case",  "in",         "esac",   "{",     "}",       "done",
                                "${x#\"(\"}", "if",    "-p",         "coproc", "\"#\"", "!",       "$#"};
    if (depth <= 0 || !random_.one_in(3)) return random_.any_of(plain);
    switch (random_.upto(5)) {
      case 0: return substitution(depth);
      case 1: return "\"a " + substitution(depth) + " b\"";
      case 2: return "a" + substitution(depth) + "'c'";
      case 3: return "<(" + inner(depth) + ")";
      case 4: return "${x:-" + substitution(depth) + "}";
      default: return "\"${x:-" + substitution(depth) + "}\"";
    }
  }

  std::string simple(int depth) {
    if (random_.one_in(8) && depth > 0) return "A=(a " + substitution(depth) + " # it's\n b)";
    std::string out;
    if (random_.one_in(4)) out = "V=" + (random_.one_in(2) && depth > 0 ? substitution(depth) : std::string("1")) + " ";
    out += name();
    for (std::int64_t i = random_.upto(2); i > 0; --i) out += " " + word(depth);
    if (random_.one_in(5)) return out + " < <(" + name() + ")";
    return out + random_.any_of(Texts{"", "", " > f", " 2>&1", " <<< \"a)\""});
  }

  // A list that ends in a line end.
  std::string list(int depth) {
    std::string out;
    for (std::int64_t i = random_.upto(2); i >= 0; --i) {
      if (random_.one_in(6)) out += "# it's a `comment` (\n";
      if (random_.one_in(6)) {
        out += name() + random_.any_of(Texts{" <<E | ", " <<'E' > f; ", " <<-\"E\" && "});
        out += name() + "\nit's ) esac \" case x in\nE\n";
        continue;
      }
      out += depth > 0 && random_.one_in(6) ? random_.any_of(Texts{"time ", "! ", "time -p "}) + body(depth - 1)
                                            : command(depth);
      while (random_.one_in(4))
        out += random_.any_of(Texts{" && ", " || ", " | ", "; ", " & ", " |\n", " &&\n"}) + command(depth);
      out += random_.any_of(Texts{"\n", ";\n", " &\n", " # don't (\n"});
    }
    return out;
  }

  std::string command(int depth) { return depth <= 0 || random_.one_in(2) ? simple(depth) : compound(depth); }

  std::string compound(int depth) {
    const int d = depth - 1;
    switch (random_.upto(12)) {
      case 0:
        return "if " + list(d) + "then " + list(d) +
               (random_.one_in(2) ? "elif " + list(d) + "then\n" + list(d) : "else " + list(d)) + "fi";
      case 1: return "for x in " + word(d) + "; do " + list(d) + "done";
      case 2: return "for x\ndo\n" + list(d) + "done > f";
      case 3: return "for ((i = 0; i < 3; i++)); do " + list(d) + "done";
      case 4: return "select x in a b; do " + list(d) + "done";
      case 5: return random_.any_of(Texts{"while ", "until "}) + list(d) + "do " + list(d) + "done";
      case 6: return "{ " + list(d) + "}";
      case 7: return random_.any_of(Texts{"( ", "("}) + list(d) + ")";
      case 8: return random_.any_of(Texts{"f() ", "function f ", "function f() ", "f ()\n"}) + body(d);
      case 9: return "coproc " + random_.any_of(Texts{"", "S "}) + body(d);
      case 10: return "[[ $x == a && ( -n \"y)\" || b < c ) ]]";
      case 11: return "((i = 1 << (2 + 1)))";
      default: return cases(d);
    }
  }
  std::string body(int depth) {
    switch (random_.upto(3)) {
      case 0: return "{ " + list(depth) + "}";
      case 1: return "( " + list(depth) + ")";
      case 2: return "while " + list(depth) + "do " + list(depth) + "done";
      default: return cases(depth);
    }
  }
  std::string cases(int depth) {
    std::string out = "case " + word(depth) + random_.any_of(Texts{" in ", "\nin\n", " in # it's\n"});
    for (std::int64_t i = random_.upto(3); i > 0; --i) {
      out += random_.any_of(Texts{"", "("}) +
             random_.any_of(Texts{"a", "a | b", "*", "'a)'", "@(x|y)", "[a-z]*", "in"}) + ") ";
      if (!random_.one_in(4)) out += list(depth);
      out += random_.any_of(Texts{";;\n", ";; ", ";&\n", ";;&\n"});
    }
    if (random_.one_in(3)) out += "*) " + list(depth);
    return out + "esac";
  }

  Random random_;
};

// For each text whether bash reads it without a word.
std::vector<bool> bash_reads(const std::vector<std::string>& texts) {
  const muster::tests::TempFolder folder;
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::ofstream(folder.path() / (std::to_string(i) + ".sh"), std::ios::binary) << texts[i];
  std::ofstream(folder.path() / "all")
      << "for ((i = 0; i < $1; i++)); do [[ -z $(bash -O extglob -n $i.sh 2>&1) ]]; echo $?; done > answers\n";
  const std::string command = "cd '" + folder.path().string() + "' && bash all " + std::to_string(texts.size());
  REQUIRE(std::system(command.c_str()) == 0);
  std::vector<bool> out;
  std::ifstream answers(folder.path() / "answers");
  for (std::string line; std::getline(answers, line);) out.push_back(line == "0");
  REQUIRE(out.size() == texts.size());
  return out;
}

std::string problem_of(const ReadScene& scene) {
  return scene.body.problems.empty() ? std::string() : scene.body.problems.front().message;
}

}  // namespace

TEST_CASE("the reader of bash reads what bash reads, and finds each command in it", "[slurm-read]") {
  std::vector<std::string> texts;
  std::vector<int> commands;
  for (std::uint32_t seed = 0; seed < 1000; seed += muster::tests::case_step) {
    Shapes shapes(seed);
    texts.push_back(std::move(shapes.text));
    commands.push_back(shapes.commands);
  }
  const std::vector<bool> reads = bash_reads(texts);
  std::size_t read = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!reads[i]) continue;  // `time` in $( ), `<((`: what bash itself takes for an error
    ++read;
    INFO(i << ":\n" << texts[i]);
    const ReadScene scene("#!/bin/bash\n#SBATCH -N1\n" + texts[i]);
    CHECK(problem_of(scene) == "");
    std::vector<int> found(static_cast<std::size_t>(commands[i]));
    for (const auto& command : scene.body.commands)
      if (command.program().starts_with('m')) ++found.at(std::stoul(std::string(command.program().substr(1))));
    CHECK(found == std::vector<int>(found.size(), 1));
  }
  CHECK(read > texts.size() * 4 / 5);
}

TEST_CASE("a text of bash that is cut off is read where bash reads it, and mostly only there", "[slurm-read]") {
  std::vector<std::string> texts;
  for (std::uint32_t seed = 0; seed < 1000; seed += muster::tests::case_step) {
    Random random(seed);
    const std::string text = Shapes(seed).text;
    const auto cut = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(text.size())));
    const bool unsure = text.find("$(( ") != std::string::npos;  // bash drops an array that has one and no end
    if (!unsure) texts.push_back(text.substr(0, cut));
  }
  const std::vector<bool> reads = bash_reads(texts);
  std::size_t passed = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    INFO(i << ":\n" << texts[i]);
    const ReadScene scene("#!/bin/bash\n#SBATCH -N1\n" + texts[i]);
    if (reads[i]) CHECK(problem_of(scene) == "");
    else if (scene.body.problems.empty()) ++passed;
  }
  CHECK(passed < texts.size() / 25);  // `[[` that is open, a construct without its words
}

TEST_CASE("a directive has the words that the shell leaves of it in a here-document", "[slurm-read]") {
  const std::vector<std::string> values = {"9",
                                           "$(( 60 / 2 ))",
                                           "$((1+1))",
                                           "$( case x in x) echo 3;; esac )",
                                           "${N:-4}",
                                           "`echo 7`",
                                           "$(echo \"8\" | tr -d ' ')",
                                           "1$(( (2 + 3) * 4 ))"};
  std::string lines;
  for (const std::string& value : values)
    for (const char* option : {"-t ", "-N", "--ntasks=", "--cpus-per-task ", "-J a --gpus-per-node="})
      lines += std::string("#SBATCH ") + option + value + " --no-requeue\n";
  const std::string script = "sbatch <<EOF\n#!/bin/bash\n" + lines + "EOF\n";
  const muster::tests::TempFolder folder;
  std::ofstream(folder.path() / "all") << "sbatch() { cat; }\n" << script;
  REQUIRE(std::system(("cd '" + folder.path().string() + "' && bash all > out").c_str()) == 0);
  std::ifstream out(folder.path() / "out");
  const ReadScene expanded(std::string(std::istreambuf_iterator<char>(out), {})), unread("#!/bin/bash\n" + script);
  REQUIRE(unread.script.embedded.size() == 1);
  const auto names = [](const muster::targets::slurm::Script& read) {
    std::vector<std::string> all;
    for (const auto& directive : read.directives) all.push_back(std::string(directive.name));
    return all;
  };
  CHECK(expanded.script.refusals.empty());
  CHECK(unread.script.embedded.front().refusals.empty());
  CHECK(names(unread.script.embedded.front()) == names(expanded.script));
}

TEST_CASE("openings without an end cost what the length of the text says", "[slurm-read]") {
  for (const std::string piece :
       {"((\n", "((", "((a;b\n", "((a) b\n", "$(", "$((", "$(( a ", "\"$(", "a <(", "${x:-$(", "A=(", "$(case x in a) ",
        "case x in @(", "time ", "coproc ", "[[ (\n", "a <<E\n", "`"}) {
    std::string text = "#!/bin/bash\n#SBATCH -N1\n";
    for (int i = 0; i < 20'000; ++i) text += piece;
    INFO(piece);
    const std::clock_t begin = std::clock();
    const ReadScene scene(text);
    CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 10);  // by its square: minutes
  }
}

}  // namespace shell_shapes_test
