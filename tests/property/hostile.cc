#include "tests/property/hostile.h"

#include <random>

namespace muster::test {
namespace {

using namespace std::string_literals;

// What a shell, sbatch, YAML, JSON, Kubernetes or a path would read as more than bytes.
const std::vector<std::string> words = {"",
                                        " ",
                                        "'",
                                        "\"",
                                        "\\",
                                        "a\\",
                                        "$(touch x)",
                                        "`touch x`",
                                        "$HOME",
                                        "${x:-y}",
                                        "!!",
                                        "*",
                                        "~",
                                        "~root",
                                        "-x",
                                        "--",
                                        "#",
                                        " # a",
                                        "a#b",
                                        "\n",
                                        "a\n",
                                        "\n\n",
                                        "a\nb",
                                        "\t",
                                        "\r",
                                        "\r\n",
                                        "a\r",
                                        "a\r\nb",
                                        "EOF",
                                        "SCRIPT",
                                        "SCRIPT\n",
                                        "\nSCRIPT\nSCRIPT_2\n",
                                        "SETUP",
                                        "NODE\n",
                                        "TEXT",
                                        ">>>",
                                        "<<<bash",
                                        "#PBS -l nodes=4",
                                        "\n#PBS -N x\n#BSUB -n 3\n",
                                        "#SBATCH --nodes=9",
                                        "\n#SBATCH --nodes=9\n",
                                        "a,b",
                                        "a:b",
                                        "a=b",
                                        "A=1",
                                        "%1",
                                        "%x-%j",
                                        "100%",
                                        "{name}-{id}",
                                        "{role}",
                                        "7",
                                        "é",
                                        "日本",
                                        "\xff\xfe",
                                        "\x01\x7f\x01",
                                        "\xc3",
                                        "a.b_c-d",
                                        "a b",
                                        "';exit 3;'",
                                        "\"; exit 3; \"",
                                        "$'\\x41'",
                                        "a\0b"s,
                                        "\0"s,
                                        "[a]",
                                        "{a,b}",
                                        "a&b",
                                        "a|b",
                                        "(",
                                        "hetjob",
                                        "docker://x",
                                        "a@b",
                                        "x//y",
                                        "./x",
                                        "\xc2\xa0",
                                        "plain",
                                        "$(HOME)",
                                        "$$(HOME)",
                                        "$$$$(X)",
                                        "$$",
                                        "$",
                                        "`id`",
                                        "a: b",
                                        "- a",
                                        "  a\n b",
                                        "yes",
                                        "null",
                                        "1e3",
                                        "0x10",
                                        "017",
                                        "1:30",
                                        "2001-01-01",
                                        "!!str a",
                                        "&a",
                                        "*a",
                                        "|",
                                        ">",
                                        "%",
                                        "@",
                                        "{a}",
                                        "---",
                                        "...",
                                        "\xc2\x85",
                                        "\xe2\x80\xa8",
                                        "\xef\xbb\xbf",
                                        "\x01",
                                        "\x7f",
                                        "\xff",
                                        "../x",
                                        "x/../y",
                                        "', x: '",
                                        "\"}], \"a\": [",
                                        "A",
                                        "aB",
                                        "/",
                                        "//"};

const std::vector<std::string> pieces = {"'",  "\"", "\\", "$", "`",      "$(",   ")",      "#",   " ", "\n",
                                         "\r", "\t", ",",  ":", "-",      "EOF",  "SCRIPT", ">>>", "%", "{",
                                         "}",  "!",  "*",  "?", "~",      "=",    "&",      ";",   "|", "<<",
                                         "é",  "a",  "B7", "/", "\n#PBS", "\x01", "\x7f",   "\xff"};

}  // namespace

std::vector<std::string> hostile_strings() { return words; }

std::vector<std::string> hostile_strings(std::size_t count) {
  std::vector<std::string> out = words;
  std::mt19937 random(20260101);
  while (out.size() < count) {
    std::string s;
    for (auto n = random() % 12; n > 0; --n)
      s += random() % 8 == 0 ? std::string(1, static_cast<char>(random() % 256)) : pieces[random() % pieces.size()];
    out.push_back(s);
  }
  return out;
}

}  // namespace muster::test
