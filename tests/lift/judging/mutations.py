"""One change of a lifted workload or of its site at a time, each of which changes what runs."""
import re

STRING = r'"(?:[^"\\]|\\.)*"'


def write(scripts, lifted, folder, names):
    """Writes NAME--NUMBER.sbatch, .muster and .site for each mutant; {its name: what was changed}."""
    made = {}
    site = (lifted / "site.muster").read_text()
    (folder / "site.muster").write_text(site)
    for path in sorted(lifted.glob("*.muster")):
        if path.stem == "site" or (names and path.stem not in names):
            continue
        text = path.read_text()
        changes = [(what, mutant, site) for what, mutant in of_workload(text)] + [(f"site: {what}", text, mutant) for what, mutant in of_site(site, text)]
        for number, (what, workload, its_site) in enumerate(changes):
            name = f"{path.stem}--{number:02d}"
            (folder / f"{name}.sbatch").write_bytes((scripts / f"{path.stem}.sbatch").read_bytes())
            (folder / f"{name}.muster").write_text(workload)
            (folder / f"{name}.site").write_text(its_site)
            made[name] = what
    return made


def replaced(text, match, new, group=0):
    return text[:match.start(group)] + new + text[match.end(group):]


def of_workload(text):
    for key in ("command", "args"):
        for block in re.finditer(rf"\b{key}\s*=\s*\[(.*?)\]", text, re.S):
            yield from words(text, key, block)
    for block in re.finditer(r"\benv\s*\{(.*?)\}", text, re.S):
        for entry in re.finditer(rf"(\w+)\s*=\s*({STRING}|[^\s}}]+)", block[1]):
            start, end = block.start(1) + entry.start(), block.start(1) + entry.end()
            yield f"env {entry[1]} dropped", text[:start] + text[end:]
            yield f"env {entry[1]} changed", text[:start] + f'{entry[1]} = "mutant"' + text[end:]
    for key in ("processes", "nodes", "gpus"):
        for match in re.finditer(rf"(?m)\b{key}\s*=\s*(\d+)", text):
            yield f"{key} one more", replaced(text, match, str(int(match[1]) + 1), 1)
            if int(match[1]) > 1:
                yield f"{key} one less", replaced(text, match, str(int(match[1]) - 1), 1)
    for key in ("software", "workdir", "image"):
        for match in re.finditer(rf"(?m)^\s*{key}\s*=.*\n", text):
            yield f"{key} dropped", replaced(text, match, "")
    for match in re.finditer(r'(?m)^\s*workdir\s*=\s*"(.*)"', text):
        yield "workdir changed", replaced(text, match, match[1] + "/mutant", 1)
    yield from runners(text)
    yield from axes(text)


def words(text, key, block):
    for word in re.finditer(STRING, block[1]):
        start, end = block.start(1) + word.start(), block.start(1) + word.end()
        after = re.match(r"\s*,\s*", text[end:])
        if len(re.findall(STRING, block[1])) > 1:
            yield f"{key}: {word[0]} dropped", text[:start] + text[end + (len(after[0]) if after else 0):]
        yield f"{key}: {word[0]} changed", text[:end - 1] + "-mutant" + text[end - 1:]
    for pair in re.finditer(rf"({STRING})\s*,\s*({STRING})", block[1]):
        joined = f"{pair[1][:-1]} {pair[2][1:]}"
        yield f"{key}: {pair[1]} and {pair[2]} merged", text[:block.start(1) + pair.start()] + joined + text[block.start(1) + pair.end():]


def runners(text):
    match = re.search(r"\brunner\s*=\s*([\w-]+)", text)
    for other in ("torchrun", "processes", "none"):
        if match and other != match[1]:
            yield f"runner {match[1]} is {other}", replaced(text, match, other, 1)


def axes(text):
    block = re.search(r"\baxes\s*\{(.*?)\}", text, re.S)
    if not block:
        return
    for axis in re.finditer(r"([\w-]+)\s*=\s*\[(.*?)\]", block[1], re.S):
        start = block.start(1) + axis.start(2)
        values = re.findall(rf"{STRING}|[^\s,]+", axis[2])
        if all(value.isdigit() for value in values) and len(re.findall(r"=\s*\[", block[1])) == 1:  # these may be the array's ids, which have no order
            yield f"axis {axis[1]} with another value", text[:start] + ", ".join([*values[:-1], "77"]) + text[start + len(axis[2]):]
            continue
        yield f"axis {axis[1]} reversed", text[:start] + ", ".join(reversed(values)) + text[start + len(axis[2]):]
        yield f"axis {axis[1]} shifted", text[:start] + ", ".join(values[1:] + values[:1]) + text[start + len(axis[2]):]
        yield f"axis {axis[1]} without its last value", text[:start] + ", ".join(values[:-1]) + text[start + len(axis[2]):]
    found = re.findall(r"[\w-]+\s*=\s*\[.*?\]", block[1], re.S)
    if len(found) == 2:
        yield "axes in the other order", replaced(text, block, f" {found[1]}  {found[0]} ", 1)


def of_site(site, workload):
    """Changes of the software that this workload names."""
    named = re.search(r"(?m)^\s*software\s*=\s*([\w-]+)", workload)
    line = named and re.search(rf"(?ms)^  software {re.escape(named[1])}\s*\{{(.*?)\}}\n", site)
    if not line:
        return
    modules = re.search(r"modules\s*=\s*\[(.*?)\]", line[1])
    for word in re.finditer(STRING, modules[1]) if modules else ():
        start = line.start(1) + modules.start(1) + word.start()
        yield f"module {word[0]} changed", site[:start] + '"mutant"' + site[start + len(word[0]):]
    for key in ("conda", "venv"):
        match = re.search(rf'{key}\s*=\s*"(.*?)"', line[1])
        if match:
            yield f"{key} changed", site[:line.start(1) + match.start(1)] + "/mutant" + site[line.start(1) + match.end(1):]
    if "purge = true" in line[1]:
        yield "purge dropped", site[:line.start(1)] + line[1].replace("purge = true", "") + site[line.end(1):]
    prelude = re.search(r"(?m)^\s*export .*\n", line[1])
    if prelude:
        yield "prelude dropped", site[:line.start(1) + prelude.start()] + "      :\n" + site[line.start(1) + prelude.end():]
