"""A reader of PBS job scripts of its own: which lines qsub reads, and which values a server takes. It knows nothing of
muster. Sources: qsub(1B) and pbs_resources(7B) of OpenPBS, qsub(1) of Torque."""
import re

# Options of qsub with a value, and those without one.
OPENPBS = "a:A:c:C:e:fGhIj:J:k:l:m:M:N:o:p:P:q:r:R:S:u:v:VW:Xz"
TORQUE = "a:A:b:c:C:d:D:e:fF:hIj:k:K:l:L:m:M:nN:o:p:P:q:r:S:t:T:u:v:VwW:Xxz"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,229}")
RESOURCE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
SIZE = re.compile(r"\d+(b|kb|mb|gb|tb|pb|w|kw|mw|gw|tw|pw)?", re.I)
SIZES = {"mem", "vmem", "pmem", "pvmem", "file"}
COUNTS = {"ncpus", "mpiprocs", "ompthreads", "ngpus", "nodect", "naccelerators"}


class Refused(Exception):
    """qsub or the server does not take this."""


def options_of(letters):
    return {letter: follows == ":" for letter, follows in re.findall(r"(\w)(:?)", letters)}


def words_of(line):
    """The words of a directive as qsub splits them: quotes keep blanks, and nothing escapes a quote."""
    words, word, quote = [], None, ""
    for char in line:
        if quote:
            if char == quote:
                quote = ""
            else:
                word += char
        elif char in "\"'":
            quote, word = char, word or ""
        elif char.isspace():
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + char
    if quote:
        raise Refused(f"a quote without an end: {line}")
    return words + ([word] if word is not None else [])


def directives(text):
    """(option, value) of the lines that qsub reads: up to the first that is neither blank nor a comment."""
    if "\r" in text:
        raise Refused("DOS line ends")
    for line in text.split("\n")[1 if text.startswith("#!") else 0:]:
        bare = line.lstrip()
        if bare.startswith("#PBS"):
            yield bare[4:]
        elif bare and not bare.startswith("#"):
            return


def read(text, torque=False):
    """The options of a script in their order; Refused where qsub would not take it."""
    known, out = options_of(TORQUE if torque else OPENPBS), []
    for line in directives(text):
        words = words_of(line)
        while words:
            word = words.pop(0)
            if not re.match(r"-[A-Za-z]", word) or word[1] not in known:
                raise Refused(f"`{word}` is not an option of qsub")
            if not known[word[1]]:
                if word[2:]:
                    raise Refused(f"`{word}` takes no value")
                out.append((word[1], ""))
                continue
            if not word[2:] and not words:
                raise Refused(f"`{word}` needs a value")
            out.append((word[1], word[2:] or words.pop(0)))
    check(out, torque)
    return out


def resources(value):
    """`walltime=1:00,mem=4gb` as pairs; `select=` goes on up to the next comma outside of quotes, as all do."""
    for part in value.split(","):
        name, equals, own = part.partition("=")
        if not equals or not own or not RESOURCE.fullmatch(name):
            raise Refused(f"`-l {part}` is not NAME=VALUE")
        yield name, own


def check(options, torque):
    seen = {}
    for letter, value in options:
        if letter == "l":
            for name, own in resources(value) if not value.startswith("nodes=") else [tuple(value.split("=", 1))]:
                if name in seen:
                    raise Refused(f"a second `-l {name}`, which is not read")
                seen[name] = own
                check_resource(name, own, torque)
        elif letter == "W":
            for part in value.split(",") if not value.startswith("depend=") else [value]:
                if not re.fullmatch(r"\w+=.+", part):
                    raise Refused(f"`-W {part}` is not NAME=VALUE")
        else:
            check_option(letter, value)
            if letter in seen and letter not in "v":
                raise Refused(f"a second `-{letter}`")
            seen[letter] = value
    if "nodes" in seen and ("select" in seen or "place" in seen):
        raise Refused("`-l nodes` beside `select` or `place`")
    if torque and ("select" in seen or "place" in seen or "J" in seen):
        raise Refused("an option of OpenPBS")
    if not torque and ("nodes" in seen or "t" in seen):
        raise Refused("an option of Torque")
    if "J" in seen and (seen.get("r") == "n" or "I" in seen):
        raise Refused("an array that may not run again")


def check_option(letter, value):
    pattern = {"N": NAME.pattern, "r": "[yn]", "j": "oe|eo|n", "p": r"-?\d+", "m": "n|[abefj]+", "q": r"[\w.@-]+",
               "J": r"\d+-\d+(:\d+)?(%\d+)?", "t": r"\d+(-\d+)?(,\d+(-\d+)?)*(%\d+)?", "A": r".+", "M": r"[^\s]+"}.get(letter)
    if pattern and not re.fullmatch(pattern, value):
        raise Refused(f"`-{letter} {value}`")
    if letter == "p" and not -1024 <= int(value) <= 1023:
        raise Refused(f"priority {value}")
    if letter == "J":
        first, last = map(int, re.match(r"(\d+)-(\d+)", value).groups())
        if last <= first:
            raise Refused(f"`-J {value}` ends before it begins")


def check_resource(name, value, torque=False):
    if name == "select":
        return chunks(value)
    if name == "nodes":
        return nodes(value)
    if name == "place":
        return place(value)
    if name in ("walltime", "cput"):
        if not re.fullmatch(r"\d+|(\d+:)?[0-5]?\d:[0-5]?\d(\.\d+)?|\d+:[0-5]\d:[0-5]\d", value):
            raise Refused(f"`{name}={value}` is not a time")
    elif name in SIZES and not SIZE.fullmatch(value):
        raise Refused(f"`{name}={value}` is not a size")
    elif name in COUNTS and not value.isdigit():
        raise Refused(f"`{name}={value}` is not a count")
    return None


def chunks(select):
    """[(count, {resource: value})]"""
    out = []
    for chunk in select.split("+"):
        parts = chunk.split(":")
        count = int(parts.pop(0)) if parts[0].isdigit() else 1
        own = {}
        for part in parts:
            name, equals, value = part.partition("=")
            if not equals or not value or not RESOURCE.fullmatch(name) or name in own or "," in value or name == "walltime":
                raise Refused(f"`{part}` in `select={select}`")
            own[name] = value
            check_resource(name, value)
        if count < 1:
            raise Refused(f"`{chunk}` asks for nothing")
        out.append((count, own))
    return out


def nodes(value):
    """The same of Torque's `nodes=4:ppn=8:gpus=2+1:ppn=4`; a word is a property or, in front, a host."""
    out = []
    for chunk in value.split("+"):
        parts = chunk.split(":")
        first, own = parts.pop(0), {}
        if not first.isdigit():
            if not re.fullmatch(r"[\w.-]+", first):
                raise Refused(f"`nodes={value}`")
            own["host"] = first
        for part in parts:
            name, equals, amount = part.partition("=")
            if equals and (name not in ("ppn", "gpus", "mics") or not amount.isdigit() or name in own) or not re.fullmatch(r"[\w.-]+", name):
                raise Refused(f"`{part}` in `nodes={value}`")
            own[name] = amount
        out.append((int(first) if first.isdigit() else 1, own))
    return out


def place(value):
    words = value.split(":")
    for kind in (r"free|pack|scatter|vscatter", r"excl|exclhost|shared", r"group=[A-Za-z][\w-]*"):
        if words and re.fullmatch(kind, words[0]):
            words.pop(0)
    if words or not value:
        raise Refused(f"`place={value}`")


def check_value(attribute, value):
    """A value of an attribute of a job, as a server names it: `Resource_List.select`."""
    if attribute.startswith("Resource_List."):
        return check_resource(attribute.partition(".")[2], value)
    letter = {"Job_Name": "N", "array_indices_submitted": "J", "Priority": "p"}[attribute]
    return check_option(letter, value)
