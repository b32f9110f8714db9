// What the reader of bash takes for the value of a variable, against bash: texts that give values in every form. What
// is taken for known must be what bash has.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/shell/body.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/property/random.h"
#include "tests/temp_folder.h"

namespace shell_values_test {
namespace {

using muster::property::Random;
using Texts = std::vector<std::string>;

const Texts names = {"A", "B", "C"};
// What is asked of the reader and of bash.
const Texts asked = {"$A", "$B", "$C", "${A:-d}", "${B-d}", "$((A + 1))", "${C:=e}", "${#A}", "${#D[@]}", "${#D[0]}"};

class Assignments {
 public:
  explicit Assignments(std::uint32_t seed) : random_(seed) {
    if (seed % 2 == 0)  // each form where all else is known
      text += "A=1\nB=2\nC=3\n" + statement(1) + "\n";
    else
      for (std::int64_t i = random_.upto(5) + 1; i > 0; --i) text += statement(2) + "\n";
  }
  std::string text;

 private:
  std::string name() { return random_.any_of(names); }
  std::string number() { return std::to_string(random_.upto(9)); }
  std::string sum() {
    const std::string n = name();
    return random_.any_of(Texts{n + "++", "--" + n, n + " = " + number(), n + "*=" + number(), n + " <<= 1", n + " + 1",
                                n + " == 1", n + " <= 2", "1 + (" + n + " = 3)"});
  }
  std::string value() {
    const std::string n = name();
    return random_.any_of(Texts{number(), "010", "'a b'", "''", "$" + n, "\"$" + n + "x\"",
                                "${" + n + ":-" + number() + "}", "$((" + n + " + 2))", "$((" + sum() + "))",
                                "${" + n + ":=" + number() + "}", "$(echo $" + n + " " + number() + ")",
                                "`expr " + number() + " \\* $" + n + "`", "\"$(expr $" + n + " - " + number() + ")\"",
                                "$(echo \"$" + n + "\" ${A:=4})"});
  }
  std::string statement(int depth) {
    const std::string n = name(), v = value();
    switch (random_.upto(depth > 0 ? 70 : 20)) {
      case 0: return "export " + n + "=" + v;
      case 1: return n + "+=" + v;
      case 2: return "((" + sum() + ")) || :";
      case 3: return "let " + random_.any_of(Texts{"'" + sum() + "' || :", n + "=" + number() + "*3", "'B=" + n + "'"});
      case 4: return ": ${" + n + random_.any_of(Texts{":=", "="}) + number() + "}";
      case 5: return "echo $((" + sum() + ")) > /dev/null";
      case 6: return "printf -v " + n + " %s 7";
      case 7: return "read -r " + n + " <<< " + number();
      case 8: return "unset " + n;
      case 9: return "declare " + random_.any_of(Texts{"", "-i ", "-x "}) + n + "=" + v;
      case 10: return "cat <<E > /dev/null\n${" + n + ":=h} $((" + sum() + "))\nE";
      case 21: return "if [ -n \"$" + n + "\" ]; then " + statement(depth - 1) + "\nfi";
      case 22: return "for " + n + " in 1 2; do " + statement(depth - 1) + "\ndone";
      case 23: return "for ((" + n + " = 0; " + n + " < 2; " + n + "++)); do :; done";
      case 24: return "( " + statement(depth - 1) + "\n)";
      case 25: return "f() { " + statement(depth - 1) + "\n}\nf";
      case 11: return "false && " + n + "=" + v;
      case 12: return n + "=" + v + " true";
      case 26:
        return "eval " + random_.any_of(Texts{"'" + n + "=" + number() + "'", "'echo; " + n + "=3' > /dev/null",
                                              "\"" + n + "=$B\"", "\"read -r " + n + "\" <<< 4", "'unset " + n + "'"});
      case 27: return "printf -v" + n + " %s 7";
      case 28: return "wait -p " + n + " %1 || :";
      case 29: return "D[" + n + random_.any_of(Texts{"++", "=2", "+1"}) + "]=1";
      case 30: return ": ${D[" + n + "++]} ${D:" + n + "=1:1}";
      case 31: return "declare -n R=" + n + "\nR=" + number() + "\nunset -n R";
      case 32: return n + "=; R=" + n + "; : ${!R:=" + number() + "}";
      case 33: return "declare -i " + n + "=" + v + "\n" + n + "=" + value();
      case 34: return "D=(" + v + " \"$" + n + "\" x)";
      case 35: return "D" + random_.any_of(Texts{"+", ""}) + "=(" + v + ")";
      case 36: return "bash <<'E'\n" + n + "=" + v + "\nE";
      default: return n + "=" + v;
    }
  }

  Random random_;
};

std::string questions() {
  std::string out = "probe";
  for (const std::string& word : asked) out += " \"" + word + "\"";
  return out + "\n";
}

// What bash has for each of the texts: the words of the last command, a line each.
std::vector<Texts> run(const std::vector<std::string>& texts) {
  const muster::tests::TempFolder folder;
  {
    std::ofstream script(folder.path() / "all.sh");
    script << "probe() { printf '%s\\1' \"$@\"; }\n";
    for (const std::string& text : texts) script << "(\nunset A B C D\n" << text << questions() << ")\nprintf '\\2'\n";
  }
  const std::string out = (folder.path() / "out").string();
  REQUIRE(std::system(("bash '" + (folder.path() / "all.sh").string() + "' > '" + out + "' 2> /dev/null").c_str()) ==
          0);
  std::ostringstream all;
  all << std::ifstream(out).rdbuf();
  std::vector<Texts> words(1);
  std::string word;
  for (const char c : all.str()) {
    if (c == '\1') words.back().push_back(std::exchange(word, {}));
    else if (c == '\2') words.emplace_back(), word.clear();
    else word += c;
  }
  words.pop_back();
  return words;
}

}  // namespace

TEST_CASE("a value that is taken for known is the one that bash has", "[property][shell]") {
  std::vector<std::string> texts;
  for (std::uint32_t seed = 0; seed < 2000; seed += muster::tests::case_step) texts.push_back(Assignments(seed).text);
  const std::vector<Texts> bash = run(texts);
  REQUIRE(bash.size() == texts.size());
  std::size_t known = 0, compared = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = texts[i] + questions();
    const muster::shell::Body body = muster::shell::read_body({text, 0, 0, static_cast<std::uint32_t>(text.size())});
    const auto probe = std::find_if(body.commands.begin(), body.commands.end(),
                                    [](const muster::shell::Command& c) { return c.program() == "probe"; });
    REQUIRE(probe != body.commands.end());
    if (bash[i].size() != asked.size()) continue;  // bash ends where a sum has no value
    REQUIRE(probe->words.size() == asked.size() + 1);
    for (std::size_t w = 0; w < asked.size(); ++w) {
      ++compared;
      if (!probe->words[w + 1].literal) continue;
      ++known;
      INFO(text << "word " << asked[w]);
      CHECK(probe->words[w + 1].text == bash[i][w]);
    }
  }
  CHECK(compared > 5 * texts.size());
  CHECK(20 * known > compared);  // not by knowing nothing
}

}  // namespace shell_values_test
