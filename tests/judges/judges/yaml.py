"""Mutated manifests, read by muster and by the YAML reader of kubectl (sigs.k8s.io/yaml): one value, or one refusal."""
import collections
import json
import os
import re
import shutil
import subprocess

from . import lib, yaml_cases

PROGRAM = lib.HERE / "yaml"
CASES = int(os.environ.get("MUSTER_YAML_CASES", "2000"))
SEED = int(os.environ.get("MUSTER_YAML_SEED", "1"))
AT_ONCE = 5000
# Where muster refuses, and says so, what kubectl takes. kubectl keeps the last of two keys, and with it goes what only the first one has, so
# any refusal is right there (`~`); of `8` and `"8"` chance decides which it keeps (E0902). It drops what it does not see, takes a blank of Unicode behind `---` for a separator and for a text, and
# behind two byte order marks loses the first letter of each line.
STRICTER = tuple(f"E0901 the YAML cannot be read: {why}" for why in ("this text does not belong", "`---` has a line to itself", "two byte order marks")) + (
    "E0901 the file contains a control character", "E0902 ", "E0904 ")


def program(report, shop):
    if not shutil.which("go"):
        return report.skip("go", "yaml", "Go is not installed")
    path = shop.place("yaml") / "yaml"
    built = lib.run(["go", "build", "-trimpath", "-o", path, "."], timeout=600, cwd=PROGRAM)
    return path if report.check("the yaml program builds", built.returncode == 0, lib.says(built)) else None


def read(command, texts):
    """What a program says to each text: a list of its documents' lines."""
    frames = b"".join(b"%d\n%s" % (len(data), data) for data in texts)
    done = subprocess.run(command, input=frames, capture_output=True, check=True)
    out, one = [], []
    for line in done.stdout.decode("utf-8", "surrogateescape").split("\n"):
        if line == ".":
            out.append(one)
            one = []
        elif line:
            one.append(line)
    assert len(out) == len(texts), f"{command[0]}: {len(out)} answers to {len(texts)} files"
    return out


class Number(str):
    """A number as it is written: 8 and 8.0 are not the same."""


def value(line):
    return json.loads(line[2:], parse_int=Number, parse_float=Number, parse_constant=Number)


def same(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def verdict(ours, theirs):
    """"same", "stricter: …" where muster alone refuses for a reason of STRICTER, or "differs: …"."""
    refused = [line for line in ours if line.startswith("!")]
    stricter = [line for line in refused if line[2:].startswith(STRICTER)]
    if len(refused) == 1 and len(ours) == 1 and any(line.startswith("!") for line in theirs):
        return "same"  # the file as a whole
    if len(ours) != len(theirs):
        ours, theirs = ([line for line in lines if line != "= null"] for lines in (ours, theirs))
    for one, other in zip(ours, theirs):
        if one.startswith("!") and other.startswith("!"):
            if "separator" in other:
                return "same"  # kubectl stops there
            continue
        if one.startswith("!"):
            if one in stricter or other.startswith("~"):
                return "stricter: " + re.sub(r"`.*`", "`…`", one[2:])
            return f"differs: muster refuses ({one[2:]}), kubectl reads {other[2:]}"
        if other.startswith("!"):
            return f"differs: muster reads {one[2:]}, kubectl refuses ({other[2:]})"
        if not same(value(one), value(other)):
            return f"differs: muster reads {one[2:]}, kubectl {other[2:]}"
    if len(ours) != len(theirs):
        return "stricter: " + stricter[0][2:] if stricter else f"differs: {len(ours)} and {len(theirs)} documents"
    return "same"


def compare(tools, texts):
    data = [text.encode("utf-8", "surrogatepass") for text in texts]
    return [verdict(*pair) for pair in zip(*(read([tool], data) for tool in tools))]


def judge(report, shop):
    ours = lib.binary().parent / "tests" / "muster_yaml"
    if not ours.exists():
        return report.skip("muster_yaml", "yaml", f"there is no {ours}")
    theirs = program(report, shop)
    if not theirs:
        return None
    for path in lib.broken_files("yaml", ".txt"):
        lines = path.read_text().split("\n")
        claimed = [line for line in lines if line.startswith(("= ", "! "))]
        text = "\n".join(lines[lines.index("---") + 1:]).encode()
        lib.must_reject(report, path, lambda inner, c=claimed, t=text, p=path: inner.check(
            p.stem, verdict(c, read([theirs], [t])[0]) == "same", verdict(c, read([theirs], [t])[0])))
    mutator = yaml_cases.Mutator(SEED, yaml_cases.seeds())
    counted, different = collections.Counter(), []
    for begin in range(0, CASES, AT_ONCE):
        texts = [mutator.case() for _ in range(min(AT_ONCE, CASES - begin))]
        for text, found in zip(texts, compare((ours, theirs), texts)):
            counted[found if found.startswith("stricter") else found.split(":")[0]] += 1
            if found.startswith("differs"):
                different.append((text, found))
    for found, times in counted.most_common():
        report.say(f"# {times} {found}")
    shown = shop.place("yaml")
    for number, (text, found) in enumerate(different[:20]):
        (shown / f"differs-{number}.yaml").write_text(text, errors="surrogatepass", newline="")
        report.say(f"# {found[:500]}\n#   {text[:300]!r}")
    report.check(f"{CASES - len(different)} of {CASES} mutated manifests are to muster what they are to kubectl", not different)
    return None
