#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace muster::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t largest = 64 * 1024;  // of an input: what is longer is cut, so that a run stays short

constexpr std::string_view numbers[] = {"0",
                                        "1",
                                        "2",
                                        "-1",
                                        "255",
                                        "256",
                                        "65535",
                                        "65536",
                                        "99999999",
                                        "2147483647",
                                        "2147483648",
                                        "4294967295",
                                        "4294967296",
                                        "9007199254740993",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "18446744073709551616",
                                        "1e308",
                                        "1e-9",
                                        "0.0001",
                                        "00",
                                        "0x10",
                                        "1_000",
                                        "9999999999999999999999",
                                        "9223372036854775807GiB",
                                        "0GiB",
                                        "1KB",
                                        "99999999h",
                                        "0s",
                                        "-5m",
                                        "H100:8",
                                        "h100:0",
                                        "a:b",
                                        "1..2",
                                        "9..1",
                                        "1-0",
                                        "0%",
                                        "101%",
                                        "1/2",
                                        "1Gi",
                                        "500m",
                                        "NaN",
                                        ".inf",
                                        "~",
                                        "null",
                                        "true"};

constexpr std::string_view names[] = {"a\nb",
                                      "\x1b[31mred",
                                      "\r",
                                      "\t",
                                      "a\0b"sv,
                                      "\x7f",
                                      "\xff\xfe",
                                      "\xe2\x80\xae"
                                      "evil",
                                      "\xe2\x80\x8b",
                                      "\xc3\xa9",
                                      "\xf0\x9f\x92\xa5",
                                      "`code`",
                                      "**b**",
                                      "[x](javascript:alert(1))",
                                      "![i](http://x)",
                                      "<script>alert(1)</script>",
                                      "<!-- -->",
                                      "-->",
                                      "]]>",
                                      "&amp;",
                                      "| a | b |",
                                      "\\",
                                      "\\\"",
                                      "\"",
                                      "'",
                                      "$(true)",
                                      "${x}",
                                      "${",
                                      "$",
                                      "%0A::error::x",
                                      "::error file=a::b",
                                      "@everyone",
                                      "#1",
                                      "--output=x",
                                      "-",
                                      ".",
                                      "..",
                                      "../..",
                                      "/",
                                      "a/b",
                                      "",
                                      " ",
                                      "a b",
                                      "|",
                                      "a|b|c",
                                      "constructor",
                                      "null",
                                      "true",
                                      "end",
                                      "subgraph x",
                                      "{{ x }}",
                                      "{% x %}",
                                      "*",
                                      "&a",
                                      "!!str",
                                      "<<<",
                                      ">>>",
                                      "<<EOF",
                                      "#"};

// What brings rare roads into a text. `@` begins a name of a file, which may be there.
constexpr std::string_view snippets[] = {
    "\nimport \"lib.muster\" as lib\n",
    "\nimport \"main.muster\" as me\n",
    "\nimport \"../lib.muster\" as up\n",
    "\nlet n = 8\n",
    "\nparam n: int = 4\n",
    "\nparam s: string = \"$x\"\n",
    "\ntemplate t(n: int in 1..64 = 2, s: string = \"x\") { kind = train nodes = $n command = [$s] }\n",
    "\nworkload made from t(n = 3) { gpus = 8 }\n",
    "\nworkload made2 from lib.t() { nodes = 2 }\n",
    "\nallow CKP001 { reason = \"short\" until = \"2026-01-01\" }\n",
    "\nallow K8S001 { reason = \"a\" }\n",
    "\nallow NOPE9 { reason = \"a\" }\n",
    "\n# muster: allow SLM006 -- reason\n",
    "\n# muster: allow SLM006, CKP001 until=2020-01-01 -- x\n",
    "\n# muster: allow\n",
    "\ntarget kubernetes { pod = <<<yaml\n  spec:\n    containers:\n      - name: side\n        image: a:latest\n  "
    ">>>\n}\n",
    "\ntarget slurm { directives = [\"--exclusive\", \"--time=0\", \"--signal=B:USR1@60\"] }\n",
    "\ntarget slurm { prelude = <<<sh\n  export A=1\n  srun x\n  >>>\n}\n",
    "\nrequire gpu-memory >= 80GB\n",
    "\nprefer fabric == infiniband weight 3\n",
    "\nwhen $n > 1 { nodes = $n }\n",
    "\nassert $n > 2, \"n is ${n}\"\n",
    "\ncheckpoint { every = 10m grace = 1m path = \"/ckpt\" }\n",
    "\nrole r { nodes = 2 gpus = 1 command = [\"x\"] }\n",
    "\nany-of { option a { gpu = H100:8 } option b { gpu = A100:8 nodes = 2 } }\n",
    "\ndepends-on w { on = ready }\n",
    "\naxes { lr = [1, 2, 3] seed = [1, 2] }\n",
    "\nscript = <<<sh\n  srun torchrun a.py\n  >>>\n",
    "\nscript = file(\"lib.muster\")\n",
    "\nrules = \"rules.muster\"\n",
    "\nfleet = lab\n",
    "\nlaunch { runner = torchrun processes = 8 }\n",
    "\nwaive SLM001 { subject = \"*\" reason = \"r\" owner = \"o\" expires = \"2026-12-31\" }\n",
    "\nthreshold serve-plane { value = slurm source = \"s\" }\n",
    "\nextends = [default]\n",
    "\nextends = [seed, default]\n",
    "\nnodes = 1..4\n",
    "\nenv { A = \"$B\" SECRET_TOKEN = \"hunter2\" }\n",
    "\nport = 8080\n",
    "\nreplicas = 1..100\n",
    "\nmetadata:\n  annotations:\n    lint.muster/allow: \"K8S001 -- r\"\n",
    "\n---\n",
    "\n- &a [*a]\n",
    "\nx: &x [1, 2]\ny: [*x, *x]\n",
    "\n#SBATCH --array=0-9%2\n",
    "\n#SBATCH hetjob\n",
    "\n#SBATCH --nodes=2-4\n",
    "\n#SBATCH --gres=gpu:h100:8,tmpfs:1\n",
    "\nsrun --het-group=0,1 a\n",
    "\ncat <<EOF\n$(\n",
    "\n%%%\n",
    "\n# ==> lib.muster <==\n",
    "\n# ==> job.yaml <==\n",
    "\n# ==> policy/p.muster <==\n"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Mutator::Mutator(std::uint64_t seed, std::vector<std::string> pool) : random_(seed), pool_(std::move(pool)) {}

std::string Mutator::mutated(std::string text) {
  for (std::size_t n = 1 + below(8); n > 0; --n) mutate_once(text);
  if (text.size() > largest) text.resize(largest);
  return text;
}

void Mutator::mutate_once(std::string& text) {
  switch (below(16)) {
    case 0: return swap_words(text);
    case 1:
    case 2: return replace_word(text);
    case 3:
    case 4: return bound_number(text);
    case 5: return spoil_name(text);
    case 6: return move_part(text, line_in(text));
    case 7: return move_part(text, block_in(text));
    case 8: return take_foreign(text);
    case 9: return repeat(text, one_in(2) ? line_in(text) : word_in(text));
    case 10: return repeat(text, block_in(text));
    case 11: return wrap(text);
    case 12:
    case 13: return insert_snippet(text);
    case 14: {
      const Range gone = one_in(3) ? block_in(text) : one_in(2) ? line_in(text) : word_in(text);
      text.erase(gone.begin, gone.size());
      return;
    }
    default: return one_in(4) ? spoil_bytes(text) : replace_word(text);
  }
}

// A word, a number or a single sign.
Mutator::Range Mutator::word_in(std::string_view text) {
  if (text.empty()) return {};
  std::size_t begin = below(text.size()), end = begin + 1;
  if (!is_word(text[begin])) return {begin, end};
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  while (end < text.size() && is_word(text[end])) ++end;
  return {begin, end};
}

// A word of the kind that begins with such a sign, where one is soon found.
Mutator::Range Mutator::word_like(std::string_view text, char first) {
  Range found;
  for (int tries = 0; tries < 30; ++tries) {
    found = word_in(text);
    if (found.size() == 0) continue;
    const char begin = text[found.begin];
    if (is_word(begin) == is_word(first) && is_digit(begin) == is_digit(first) && (is_word(begin) || begin == first))
      break;
  }
  return found;
}

Mutator::Range Mutator::line_in(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t at = below(text.size());
  const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
  return {before == text.npos ? 0 : before + 1, std::min(text.find('\n', at), text.size() - 1) + 1};
}

// From the beginning of a line that opens a block to where that is closed; some lines where there is none.
Mutator::Range Mutator::block_in(std::string_view text) {
  const std::size_t open = text.find('{', below(text.size()));
  if (open == text.npos) {
    Range lines = line_in(text);
    for (std::size_t n = below(12); n > 0 && lines.end < text.size(); --n)
      lines.end = std::min(text.find('\n', lines.end), text.size() - 1) + 1;
    return lines;
  }
  const std::size_t line = text.rfind('\n', open);
  std::size_t depth = 0, end = open;
  for (; end < text.size(); ++end) {
    depth += text[end] == '{';
    if (text[end] == '}' && --depth == 0) break;
  }
  end = std::min(end + 1, text.size());
  if (end < text.size() && text[end] == '\n') ++end;
  return {line == text.npos ? 0 : line + 1, end};
}

void Mutator::swap_words(std::string& text) {
  Range a = word_in(text);
  if (a.size() == 0) return;
  Range b = word_like(text, text[a.begin]);
  if (a.begin > b.begin) std::swap(a, b);
  if (a.end > b.begin) return;
  const std::string first(part(text, a)), second(part(text, b));
  text.replace(b.begin, b.size(), first);
  text.replace(a.begin, a.size(), second);
}

void Mutator::replace_word(std::string& text) {
  const Range gone = word_in(text);
  if (gone.size() == 0) return;
  const std::string_view from = one_in(2) ? std::string_view(text) : foreign();
  const std::string word(part(from, word_like(from, text[gone.begin])));
  text.replace(gone.begin, gone.size(), word);
}

void Mutator::bound_number(std::string& text) {
  const Range gone = word_like(text, '1');
  text.replace(gone.begin, gone.size(), one_of(numbers));
}

void Mutator::spoil_name(std::string& text) {
  const Range gone = word_like(text, 'a');
  std::string name(one_of(names));
  if (one_in(8)) name = std::string(1 + below(5000), 'x');
  if (one_in(3)) name = std::string(part(text, gone)) + name;
  if (one_in(2)) name = "\"" + name + "\"";
  text.replace(gone.begin, gone.size(), name);
}

void Mutator::move_part(std::string& text, Range from) {
  const std::string moved(part(text, from));
  if (one_in(2)) text.erase(from.begin, from.size());
  text.insert(line_in(text).begin, moved);
}

void Mutator::take_foreign(std::string& text) {
  const std::string_view from = foreign();
  const std::string taken(part(from, one_in(2) ? block_in(from) : line_in(from)));
  text.insert(line_in(text).begin, taken);
}

// Long repeats of what is short, few of what is long.
void Mutator::repeat(std::string& text, Range what) {
  if (what.size() == 0 || what.size() > largest / 2) return;
  constexpr std::size_t times[] = {1, 1, 1, 2, 3, 10, 100, 1000};
  const std::size_t n = std::min(one_of(times), largest / 2 / what.size());
  std::string all;
  for (std::size_t i = 0; i < n; ++i) all += part(text, what);
  text.insert(what.end, all);
}

void Mutator::wrap(std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> around[] = {{"(", ")"},
                                                                      {"[", "]"},
                                                                      {"{", "}"},
                                                                      {"x {\n", "\n}\n"},
                                                                      {"when true {\n", "\n}\n"},
                                                                      {"not ", ""},
                                                                      {"-", ""},
                                                                      {"\"", "\""},
                                                                      {"if true then ", " else 1"},
                                                                      {"$(", ")"},
                                                                      {"  - ", ""},
                                                                      {"a: {", "}"},
                                                                      {"template w() {\n", "\n}\n"},
                                                                      {"file(\"", "\")"}};
  constexpr std::size_t times[] = {1, 1, 1, 2, 5, 30, 150, 300, 2000};
  const auto& [open, close] = one_of(around);
  const Range inner = one_in(2) ? word_in(text) : one_in(2) ? line_in(text) : block_in(text);
  const std::size_t n = one_of(times);
  std::string before, after;
  for (std::size_t i = 0; i < n; ++i) before += open, after += close;
  text.insert(inner.end, after);
  text.insert(inner.begin, before);
}

void Mutator::insert_snippet(std::string& text) {
  const Range line = line_in(text);
  text.insert(one_in(2) ? line.begin : line.end, one_of(snippets));
}

void Mutator::spoil_bytes(std::string& text) {
  if (text.empty()) return;
  if (one_in(4)) text.resize(below(text.size()));
  else if (one_in(3)) text.insert(0, "\xef\xbb\xbf");
  else
    for (std::size_t n = 1 + below(4); n > 0; --n) text[below(text.size())] = static_cast<char>(below(256));
}

}  // namespace muster::fuzz
