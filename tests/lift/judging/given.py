"""The arguments that a script is submitted with, and the same as values of its workload's parameters."""
import json
import random

WORDS = ("7", "a", "b c", "x.yaml", "/data/in put", "2", "it's", "$HOME", "--fast", "*")
COUNTS = (0, 1, 3)


def chosen(blob, seed, every):
    """A list of words for each run: none, one and three, or one of these, by the seed."""
    counts = COUNTS if every else [random.Random(f"{seed} {blob}").choice(COUNTS)]
    return [words(blob, seed, count) for count in counts]


def words(blob, seed, count):
    """So many; of several one has a blank, and so has every other single one."""
    draw = random.Random(f"{seed} {blob} {count}")
    out = draw.sample(WORDS, count)
    if count and not any(" " in word for word in out) and (count > 1 or draw.random() < 0.5):
        out[draw.randrange(count)] = "b c"
    return out


def options(report, given):
    """(the words of the call, options that give the same to the workload). Who leaves out an argument that must be given gives an empty one;
    words that no parameter takes are handed to the result itself."""
    said, words = [], list(given)
    for parameter in report.get("parameters", []):
        if parameter["list"]:
            said += ["--set", f"{parameter['name']}={listed(given)}"]
            continue
        at = int(parameter["of"][1:])
        if at <= len(given) or not optional(parameter):
            words += [""] * (at - len(words))
            said += ["--set", f"{parameter['name']}={words[at - 1]}"]
    return words, said


def optional(parameter):
    return parameter.get("default") is not None


def listed(given):
    return json.dumps(given, ensure_ascii=False).replace("$", "\\$")
