"""docs/board.md: what the table and the answers of the last run make."""
import re

from . import HERE

DOCS = HERE.parents[1] / "docs"

HEAD = """# Real faults in public repositories

For people who want to know what `muster lint` finds in files that others publish. At the end you have seen {count} findings, each with the answer of the real system.

The projects below are well known, and we thank them for publishing how they run their work. In a large collection of examples, some lines are tried rarely: these are such lines.
Each entry links to one line of a file, at the newest commit of the default branch that we had. The date of the commit is given; a later commit may have changed the line.

`muster lint FILE` reports the rule on that line, in the default profile and without a site{preview}. Then the file was given to the real system, and the entry quotes its answer:
kubectl and the API server of {kubernetes} with the operators that the files use, or {slurm} with emulated nodes. A finding that they do not confirm is not on this page. Each of these releases of Slurm must confirm what is reported of a script.
[tests/corpus/board](../tests/corpus/README.md) repeats all of this and writes the page.

| | repository | rule | reports | confirmed by |
|---|---|---|---|---|
"""


# How a row was tried, before its answer.
SHOWN = {
    "refused": "`kubectl create -f` with this file:",
    "waits": "The file is created, with nodes and a queue that have room for it. The cluster reports:",
    "runs": "The file is created, with nodes that have room for it. The pods that run, their GPUs, and what the program in them gets:",
    "runs:5": "The file is created, with nodes that have room for it, and its scale is set to 5, as an autoscaler does. The pods that run, their GPUs, and what the program in them gets:",
    "reapplied": "`kubectl apply` of the Deployment and its autoscaler, then two replicas more as the autoscaler adds them, then `kubectl apply` again:",
    "twice:resources": "`kubectl create` with this file, and the same text sent to the API server as it is:",
    "crowded:5": "The file is created, with one node that has room for 5 pods:",
    "sbatch-refuses": "`sbatch` with this file:",
    "sbatch-ignores": "The job that the controller records:",
    "recorded": "The job that the controller records:",
    "own-folder": "The line runs in a job. The folder, and the files in it:",
    "requeued": "A job with these lines is requeued once:",
    "in-turn": "The loop runs as a job:",
}


def rules():
    """{rule: (its name, severity, what it reports, its page)} of the reference; {code: (its name, "error", "")} of diagnostics."""
    text, codes = ((DOCS / "reference" / name).read_text() for name in ("rules.md", "diagnostics.md"))
    listed = re.findall(r"^\| \[`(\w+)`\]\(../../([\w/]+\.md)\) (\S+) \| ([^|]+) \|.*\| ([^|]+) \|$", text, re.M)
    return {code: (name, "error", "") for code, name in re.findall(r"^### (E\d+) (\S+)$", codes, re.M)} | {rule: (*rest, page) for rule, page, *rest in listed}


def page(rows, answers):
    catalogue = rules()
    names = {name for answer in answers.values() for name in answer["judges"]}
    judges = {kind: confirmed(name for name in names if name.startswith(kind)) for kind in ("Kubernetes", "Slurm")}
    preview = [f"`{rule}`" for rule in sorted({row.rule for row in rows if "preview" in catalogue[row.rule][1]})]
    also = f"; {' and '.join(preview)} {'is' if len(preview) == 1 else 'are'} in preview and need{'s' if len(preview) == 1 else ''} `--preview`" if preview else ""
    out = HEAD.format(count=len(rows), preview=also, kubernetes=judges["Kubernetes"], slurm=judges["Slurm"])
    for number, row in enumerate(rows, 1):
        reports = catalogue[row.rule][2] or answers[row.key]["message"]
        out += f"| {number} | [{row.repository}](#{number}-{anchor(row.repository)}) | {link(row, catalogue)} | {reports} | {confirmed(answers[row.key]['judges'])} |\n"
    return out + "".join(section(number, row, catalogue, answers[row.key]) for number, row in enumerate(rows, 1))


def confirmed(names):
    """`Slurm 22.05.8, 24.11.5 and 26.05.5`."""
    names = sorted(names)
    releases = [name.split()[1] for name in names]
    return f"{names[0].split()[0]} {' and '.join(filter(None, [', '.join(releases[:-1]), releases[-1]]))}" if names else ""


def anchor(title):
    return re.sub(r"[^\w-]", "", title.lower())


def link(row, catalogue):
    name, *_, page = catalogue[row.rule]
    return f"[`{row.rule}`]({f'reference/diagnostics.md#{row.rule.lower()}-{name}' if row.rule.startswith('E') else f'../{page}'}) {name}"


def section(number, row, catalogue, answer):
    place = f"https://github.com/{row.repository}/blob/{row.commit}/{row.path}#L{row.line}"
    return (f"\n## {number}. {row.repository}\n\n[{row.path}, line {row.line}]({place}) at `{row.commit[:12]}` of {answer['date']}:\n\n```text\n{row.text}\n```\n\n"
            f"{link(row, catalogue)}, {answer['severity']}: {answer['message']}.\n\n{row.meaning}\n\n{SHOWN[row.proof]}\n\n```text\n{answer['seen']}\n```\n")
