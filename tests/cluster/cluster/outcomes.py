"""What gangs are expected to do: the rows of muster's own table, `targets/kubernetes/gang_outcomes.def`."""
import pathlib
import re

TABLE = pathlib.Path(__file__).resolve().parents[3] / "targets/kubernetes/gang_outcomes.def"
ROWS = [(name, re.findall(r'"([^"]*)"', rest)) for name, rest in re.findall(r'^([A-Z_]+)\(((?:\s*"[^"]*",?)+)\)', TABLE.read_text(), re.M)]

KINDS = {words[0]: words[2].split() for name, words in ROWS if name == "GANG_KIND"}  # with the providers of each
SCENARIOS = [words[0] for name, words in ROWS if name == "SCENARIO"]
OUTCOMES = {(words[0], words[1]): words[2] for name, words in ROWS if name == "OUTCOME"}
NO_CASES = {(words[0], whose) for name, words in ROWS if name == "NO_CASE" for whose in words[1].split()}


def of(kind, provider, scenario):
    """The words that are right; none if there is no such case."""
    if {(scenario, kind), (scenario, provider)} & NO_CASES:
        return ()
    if OUTCOMES.get((scenario, kind)) == "refused":
        return ("refused",)
    found = next(OUTCOMES[scenario, key] for key in (f"{kind} on {provider}", provider, kind, "") if (scenario, key) in OUTCOMES)
    first, _, rest = found.partition(" or ")
    return (first, rest) if rest else (first,)
