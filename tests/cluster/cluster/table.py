"""Kind by provider by scenario: what was seen, beside what is expected of the provider."""
from . import gangs, outcomes, scenarios

AT_ONCE = 20


def keys(providers):
    """(kind, provider, scenario) of each cell."""
    for provider in providers:
        for kind in (kind for kind, known in outcomes.KINDS.items() if provider in known):
            for scenario in scenarios.ALL:
                if outcomes.of(kind, provider, scenario):
                    yield kind, provider, scenario


def run(lab, report, providers, words=()):
    chosen = [cell for cell in (gangs.Cell(lab, *key) for key in keys(providers)) if not words or any(word in cell.label for word in words)]
    slowest_first = sorted(chosen, key=lambda cell: cell.scenario not in scenarios.SLOW)
    seen = lab.again(lambda cell: scenarios.observe(cell.fresh(), scenarios.ALL[cell.scenario]), slowest_first, AT_ONCE, lambda cell, word: word not in scenarios.expected(cell))
    right = 0
    for cell, word in ((cell, seen[cell]) for cell in chosen):
        right += report.check(cell.label, word in scenarios.expected(cell), f"{word}, not {' or '.join(scenarios.expected(cell))}; {cell.detail}")
    report.say(f"{right} of {len(seen)} gangs do what their provider is said to do")
    for line in lines({(cell.kind, cell.provider, cell.scenario): seen[cell] for cell in chosen}):
        report.say(line)


def lines(words):
    """The table of {(kind, provider, scenario): word}: a row for each kind and provider, a column for each scenario."""
    columns = [name for name in scenarios.ALL if any(scenario == name for _, _, scenario in words)]
    yield "| kind | provider | " + " | ".join(columns) + " |"
    yield "|---" * (len(columns) + 2) + "|"
    for kind, provider in dict.fromkeys((kind, provider) for kind, provider, _ in words):
        yield f"| {kind} | {provider} | " + " | ".join(words.get((kind, provider, column), "") for column in columns) + " |"
