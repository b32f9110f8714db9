"""Manifests as nobody should write them: real ones with other spellings, quotes, tags, line ends, merge keys, indents."""
import random
import re

from . import lib

FOLDERS = ("examples", "tests/golden", "tests/lift/manifests_fixtures", "tests/handwritten", "tests/judges/good", "tests/traps")
LARGEST = 6000  # bytes: small files are mutated more often at each place
SCALARS = """
true True TRUE yes Yes YES on On ON y Y yEs tRue false False FALSE no No NO off Off OFF n N
null Null NULL ~ nULL 0 -0 +0 1 8 +8 -8 08 09 010 -010 +010 0o10 0O17 0x8 0X1f 0x 0b11 0B1 0b12 1_0 1__0 _1 1_ 0x_F 0_8 +_1
8.0 8. .5 -.5 +.5 . ._5 .5_0 1e3 1E3 1e+3 1e-3 1e 1e400 1e-400 1.5e300 -0.0 1e20 1e21 1e-6 1e-7 123456789.25
.inf .Inf -.inf +.INF .nan .NaN 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616
-9223372036854775808 -9223372036854775809 190:20:30 12:30:45 2001-12-14 2001-12-14t21:59:43.10-05:00 2001-1-1 0777 0o8
- -- --- ... << = !!str & * # : a:b a: 'a b' x#y x #y @a `a %a ,a [a] {a:b} {a: b} [a: b] [? a] {? a} {a} {:a} [a,] [,] {,}
nvidia.com/gpu 500m 8Gi 1.2.3 v1 "" '' "true" 'yes' "8" "0x8" "\\x41\\u00e9\\_\\N\\L\\P\\e\\0" "\\U0001F600" "\\ud800" "\\q"
""".split("\n")
SCALARS = [word for line in SCALARS for word in line.split(" ") if word] + ["a  b", "a # b", "[a, b, {c: d}]", "{a: 1, 'b': yes}", "{\"a\":1}", "[yes, 010, ~]"]
TAGS = ("!!str", "!!int", "!!float", "!!bool", "!!null", "!!binary", "!!timestamp", "!!map", "!!seq", "!!merge", "!foo", "!",
        "!<tag:yaml.org,2002:str>", "!<tag:yaml.org,2002:int>", "!e!x", "!!", "!foo,bar", "!%41", "!!str &a", "&b !!int", "!<a")
ENDS = ("\r\n", "\r", "\u0085", "\u2028", "\u2029", "\n\n", "\n \n", "\n\t\n", " \n", "\t\n", "\\\n")
KEYS = ("yes", "no", "010", "8", "8.0", "1e6", "1e-5", "1.5", "~", "null", "0x10", ".inf", "-.inf", ".nan", "2024-01-01", "'yes'", "\"8\"",
        "? a", "!!str 8", "!!int '8'", "!!binary YQ==", "&k key", "*a", "<<", "'<<'", "!!merge <<", "[a]", "{a: b}", "18446744073709551615",
        "", "a b", "-", "- a", "123456.75", "0.1", "k" * 1030)
PIECES = (": ", ":", "- ", "-", "? ", "?", "#", " #", ",", "[", "]", "{", "}", "&a ", "*a", "*a:", "*a :", "!", "|", ">", "'", "\"", "%", "@", "`", "<<: *a",
          "<<: {privileged: true}", "---", "\n---\n", "\n--- # c\n", "\n--- a\n", "\n...\n", "...", "\n%YAML 1.1\n---\n", "\\", "\t", " ", "  ", "\n",
          "\ufeff", "é", "\U0001F600", "\u00a0", "\u0085", "\u2028", "\x7f", "\u009b", "\x01", "\ufffe", "\n  ", "''", "\"\"")
BLOCKS = ("|", ">", "|-", ">-", "|+", ">+", "|2", ">1", "|-2", "|2-", "|0", "|+1", "| # c", "|x", "|9")
PAIR = re.compile(r"^(\s*(?:- +)*)([^\s#:][^:#\n]*):(?: +(\S.*))?$")


def seeds():
    """The manifests of the project, as texts."""
    out = []
    for folder in FOLDERS:
        for path in sorted((lib.CHECKOUT / folder).rglob("*.y*ml")):
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            if "apiVersion" in text and len(text) <= LARGEST:
                out.append(text)
    return out


class Mutator:
    def __init__(self, seed, texts):
        self.random = random.Random(seed)
        self.texts = texts

    def case(self):
        text = self.random.choice(self.texts)
        if self.random.random() < 0.5:  # a part of it: what is odd stands closer together
            lines = text.split("\n")
            begin = self.random.randrange(len(lines))
            text = "\n".join(lines[begin:begin + self.random.randint(2, 25)]) + "\n"
        for _ in range(self.random.choice((1, 1, 2, 3, 5))):
            text = self.random.choice(self.MUTATIONS)(self, text)
        return text

    def line(self, lines, wanted=None):
        """The number of a line, of one with a pair where there is one."""
        fitting = [n for n, line in enumerate(lines) if wanted is None or wanted.match(line)]
        return self.random.choice(fitting) if fitting else self.random.randrange(len(lines))

    def edit(self, text, change, wanted=PAIR):
        lines = text.split("\n")
        n = self.line(lines, wanted)
        match = PAIR.match(lines[n])
        lines[n:n + 1] = change(lines[n], match).split("\n")
        return "\n".join(lines)

    def value(self, text):
        return self.edit(text, lambda line, m: f"{m[1]}{m[2]}: {self.random.choice(SCALARS)}" if m else line)

    def quotes(self, text):
        def change(line, m):
            if not m or not m[3]:
                return line
            quote = self.random.choice("\"'")
            bare = m[3].strip("\"'")
            return f"{m[1]}{m[2]}: " + self.random.choice((quote + bare + quote, bare, f"\"{bare}\\n\"", f"'{bare}''s'", f"{quote}{bare}\n\n  more{quote}"))
        return self.edit(text, change)

    def tag(self, text):
        def change(line, m):
            tag = self.random.choice(TAGS)
            if not m:
                return f"{tag} {line}"
            value = self.random.choice((m[3] or "", m[3] or "", self.random.choice(SCALARS)))
            return self.random.choice((f"{m[1]}{m[2]}: {tag} {value}", f"{m[1]}{tag} {m[2]}: {value}", f"{m[1]}{m[2]}: {tag}"))
        return self.edit(text, change)

    def ends(self, text):
        end = self.random.choice(ENDS)
        if self.random.random() < 0.3:
            return text.replace("\n", end)
        places = [n for n, c in enumerate(text) if c == "\n"]
        if not places:
            return text + end
        at = self.random.choice(places)
        return text[:at] + end + text[at + 1:]

    def key(self, text):
        return self.edit(text, lambda line, m: f"{m[1]}{self.random.choice(KEYS)}: {m[3] or ''}" if m else line)

    def merge(self, text):
        def change(line, m):
            if not m:
                return line
            indent = re.sub(r"[^ ]", " ", m[1])
            anchored = f"{m[1]}zz: &a {{{m[2]}: yes, b: 010}}\n{indent}"
            merged = self.random.choice(("<<: *a", "<<: [*a, {c: 1}]", "<<: [{c: 1}, {c: 2}]", "<<: {b: 2}", "<<: [*a, *a]", "<<: x", "<<:", "'<<': *a",
                                         "!!merge <<: *a", "<<: [x]", "<<: &m {d: 1}", "<<: *b", "<<: [[*a]]", f"<<: {{{m[2]}: over}}"))
            own = f"{m[2]}: {m[3] or ''}"
            return anchored + self.random.choice((f"{merged}\n{indent}{own}", f"{own}\n{indent}{merged}", f"{merged}\n{indent}{merged}\n{indent}{own}"))
        return self.edit(text, change)

    def alias(self, text):
        def change(line, m):
            if not m:
                return line
            indent = re.sub(r"[^ ]", " ", m[1])
            use = self.random.choice((f"y: *a", "*a : y", "*a: y", "y: [*a, *a]", "y: *b", "? *a\n{0}: y".format(indent)))
            return f"{m[1]}{m[2]}: &a {m[3] or ''}\n{indent}{use}"
        return self.edit(text, change)

    def indent(self, text):
        def change(line, _):
            by = self.random.choice((-2, -1, 1, 2, 4))
            return " " * by + line if by > 0 else line[min(-by, len(line) - len(line.lstrip(" "))):]
        return self.edit(text, self.random.choice((change, lambda line, _: line.replace("  ", "\t", 1), lambda line, _: "\t" + line)), None)

    def piece(self, text):
        at = self.random.randint(0, len(text))
        return text[:at] + self.random.choice(PIECES) + text[at:]

    def block(self, text):
        def change(line, m):
            if not m:
                return line
            indent = re.sub(r"[^ ]", " ", m[1]) + " " * self.random.choice((0, 1, 2, 2, 2, 3))
            body = "\n".join(self.random.choice((indent, indent, indent + " ", "")) + self.random.choice(("a", "b  c", "", " ", "# d", "\te", "- f", "---"))
                             for _ in range(self.random.randint(0, 5)))
            return f"{m[1]}{m[2]}: {self.random.choice(BLOCKS)}\n{body}"
        return self.edit(text, change)

    def question(self, text):
        def change(line, m):
            indent = re.sub(r"[^ ]", " ", m[1]) if m else ""
            return f"{m[1]}? {m[2]}\n{indent}: {m[3] or ''}" if m else line
        return self.edit(text, change)

    def flow(self, text):
        return self.edit(text, lambda line, m: f"{m[1]}{m[2]}: " + self.random.choice(
            ("{{{}: {}}}", "[{}, {}]", "{{{}:{}}}", "[{}: {}]", "{{\n  {}: {}\n}}", "[\n{},\n  {}\n]", "{{? {}: {}}}", "{{{}, {}}}", "[{} {}", "{{\"{}\":{}}}")
        ).format(m[2], m[3] or "") if m else line)

    def lines(self, text):
        lines = text.split("\n")
        n = self.line(lines)
        kind = self.random.randrange(4)
        if kind == 0:
            del lines[n]
        elif kind == 1:
            lines.insert(n, lines[n])
        elif kind == 2:
            lines.insert(self.line(lines), lines[n])
        else:
            lines.insert(n, self.random.choice(("# comment", "  # comment", "", "   ", "\t", "---", "...", "- x", "x: y", "  x: y", "x", "%TAG ! tag:x,2000:", "--- |", "-----")))
        return "\n".join(lines)

    def without(self, text):
        if not text:
            return text
        at = self.random.randrange(len(text))
        return text[:at] + text[at + self.random.choice((1, 1, 2, 5)):]

    def head(self, text):
        return self.random.choice(("\ufeff", "%YAML 1.1\n---\n", "%YAML 1.2\n---\n", "%TAG !e! tag:yaml.org,2002:\n---\n", "---\n", "--- # c\n", "# c\n", "\n", "...\n",
                                   "\ufeff---\n", "--- {a: b}\n", "--- !!map\n", "&a\n", " ", "- ")) + text

    MUTATIONS = (value, value, value, quotes, quotes, tag, tag, ends, ends, key, key, merge, merge, alias, indent, indent, piece, piece, piece, block, block,
                 question, flow, flow, lines, lines, without, head)
