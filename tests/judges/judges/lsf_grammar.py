"""A reader of LSF job scripts of its own: which lines bsub reads, and what it takes as their values. It knows nothing of
muster. Source: the reference of bsub and of resource requirement strings of IBM Spectrum LSF 10.1."""
import re

from .pbs_grammar import Refused, words_of

VALUED = set("""C D E Ep F G J Jd L Lp M P Q R S T U W We a app b c clusters cwd data datagrp e env eo eptl ext f freq g gpu hl hostfile i is k m
    mig n network notify o oo outdir p ptl q rnc sla sp stage t ti u ul v w wa wt""".split())
FLAGS = set("B H I IS ISp ISs Ip Is K N Ne ar r rcacct rn x".split())
SIZE = r"\d+(\.\d+)?(KB|MB|GB|TB|PB|K|M|G|T|P)?"
SECTIONS = {"select", "order", "rusage", "span", "same", "cu", "affinity"}
GPU = {"num": r"\d+(/(host|task))?", "mode": r"shared|exclusive_process", "mps": r"yes|no|per_socket|per_gpu|share|nocvd", "j_exclusive": r"yes|no",
       "gmodel": r"[A-Za-z0-9][\w.-]*", "gmem": SIZE, "mig": r"\d+(/\d+)?", "gtile": r"!|\d+", "aff": r"yes|no", "glink": r"yes|no", "block": r"yes|no"}
VALUES = {"n": r"\d+(,\d+)?", "W": r"\d+(:[0-5]?\d)?", "We": r"\d+(:[0-5]?\d)?", "wt": r"\d+(:[0-5]?\d)?", "sp": r"[1-9]\d*", "q": r"[\w.-]+( [\w.-]+)*",
          "Q": r"(all|\d+)( (~?\d+|EXCLUDE\(.*\)))*", "m": r"[\w.+!-]+( [\w.+!-]+)*", "u": r"\S+", "env": r"none|all(,.+)?|~?\w+.*"}
INDICES = r"[1-9]\d*(-[1-9]\d*(:[1-9]\d*)?)?"


def directives(text):
    """What is behind `#BSUB`, wherever in the file the line is."""
    if "\r" in text:
        raise Refused("DOS line ends")
    for line in text.split("\n"):
        if re.match(r"#BSUB(\s|$)", line):
            yield line[5:]


def read(text):
    """(option, value) in their order; Refused where bsub would not take them."""
    out = []
    for line in directives(text):
        words = words_of(line)
        while words:
            word = words.pop(0)
            name = word[1:]
            if not word.startswith("-") or name not in VALUED | FLAGS:
                raise Refused(f"`{word}` is not an option of bsub")
            if name in FLAGS:
                out.append((name, ""))
            elif not words or (words[0].startswith("-") and words[0] != "-"):
                raise Refused(f"`{word}` needs a value")
            else:
                out.append((name, words.pop(0)))
    check(out)
    return out


def check(options):
    seen, sections = {}, []
    for name, value in options:
        if name == "R":
            sections += requirement(value)
            continue
        if name in seen:
            raise Refused(f"a second `-{name}`")
        seen[name] = value
        if name in VALUES and not re.fullmatch(VALUES[name], value):
            raise Refused(f"`-{name} {value}`")
        if name == "J":
            array(value)
        if name == "gpu":
            gpu(value)
    if {"r", "rn"} <= seen.keys():
        raise Refused("a job that may and may not run again")
    if {"o", "oo"} <= seen.keys() or {"e", "eo"} <= seen.keys():
        raise Refused("two files for one stream")
    for name in ("span", "cu", "affinity"):
        if sum(section == name for section, _ in sections) > 1:
            raise Refused(f"a second `{name}[…]`")
    usages = [item.partition("=")[0] for section, inside in sections if section == "rusage" for item in inside.split(",")]
    if len(usages) != len(set(usages)):
        raise Refused("a resource is reserved twice")


def array(name):
    """(name, [index], limit)"""
    found = re.fullmatch(rf"([^\[\]/%]+)(?:\[({INDICES}(?:,{INDICES})*)\](?:%([1-9]\d*))?)?", name)
    if not found:
        raise Refused(f"`-J {name}`")
    ids = []
    for part in filter(None, (found.group(2) or "").split(",")):
        first, last, step = re.fullmatch(r"(\d+)(?:-(\d+))?(?::(\d+))?", part).groups()
        if int(last or first) < int(first):
            raise Refused(f"`{part}` ends before it begins")
        ids += range(int(first), int(last or first) + 1, int(step or 1))
    return found.group(1), ids, found.group(3)


def gpu(request):
    own = {}
    for part in request.split(":"):
        name, equals, value = part.partition("=")
        if not equals or name in own or name not in GPU or not re.fullmatch(GPU[name], value):
            raise Refused(f"`{part}` in `-gpu {request}`")
        own[name] = value
    if "mig" in own and own.get("mode") == "exclusive_process":
        raise Refused("a slice is not exclusive to a process")
    return own


def requirement(text):
    """[(section, what is inside)]"""
    out, rest = [], text.strip()
    while rest:
        found = re.match(r"(\w+)\[([^\[\]]*)\]\s*", rest)
        if not found or found.group(1) not in SECTIONS:
            raise Refused(f"`-R {text}`")
        check_section(*found.groups())
        out.append(found.groups())
        rest = rest[found.end():]
    if not out:
        raise Refused(f"`-R {text}`")
    return out


def check_section(name, inside):
    if name == "span":
        good = re.fullmatch(r"(ptile|hosts)=[1-9]\d*", inside)
    elif name == "rusage":
        good = all(re.fullmatch(rf"[A-Za-z][\w.-]*={SIZE}(/(host|task|job))?", item) for item in inside.split(","))
    elif name == "cu":
        good = all(re.fullmatch(r"type=[A-Za-z][\w.-]*|pref=(maxavail|minavail|config)|maxcus=[1-9]\d*|balance|excl", item) for item in inside.split(":"))
    elif name == "affinity":
        good = re.fullmatch(r"(core|thread|socket|numa)\([1-9]\d*\)(:.+)?", inside)
    elif name == "select":
        good = inside.count("(") == inside.count(")") and inside.count("'") % 2 == 0 and not re.search(r"(^|[&|])\s*($|[&|]{2})", inside.replace("&&", "&").replace("||", "|"))
    else:
        good = bool(inside)
    if not good:
        raise Refused(f"`{name}[{inside}]`")


def size_of(options):
    """(hosts, slots of each)"""
    slots = next((int(value) for name, value in options if name == "n"), 1)
    for name, value in options:
        for section, inside in requirement(value) if name == "R" else []:
            if section == "span" and inside.startswith("ptile="):
                each = int(inside[6:])
                if slots % each:
                    raise Refused(f"{slots} slots are not whole hosts of {each}")
                return slots // each, each
    return 1, slots
