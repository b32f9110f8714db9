"""One script run with stubs: what its processes were. Inside the world (world.py)."""
import ast
import os
import re
import shutil

from . import world

WHERE = world.HOME + "/job"
ROUNDS = 4
SECONDS = 15
ENVIRONMENT = {"HOME": world.HOME, "USER": "judge", "LOGNAME": "judge", "SHELL": "/bin/bash", "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
               "BASH_ENV": "/.judge/shell.sh"}
BUILTINS = set(". : [ alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs disown do done echo elif else enable esac eval exec exit export "
               "false fc fg fi for function getopts hash help history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source "
               "suspend test then time times trap true sh type typeset ulimit umask unalias unset until wait while module ml".split())
IN_BACKGROUND = re.compile(r"(?m)[^&>]&\s*(\)|done|$)")
MISSING = (
    re.compile(r"line \d+: cd: (.+): No such file or directory"),
    re.compile(r"line \d+: pushd: (.+): No such file or directory"),
    re.compile(r"line \d+: ([^\s:]*/[^:]*): No such file or directory"),
    re.compile(r"bash: (?:line \d+: )?([^\s:]+): No such file or directory"),
    re.compile(r"sh: (?:line \d+: )?([^\s:]+): No such file or directory"),
    re.compile(r"execve\(\): (\S+): No such file or directory"),
    re.compile(r"couldn't chdir to `(.+?)': No such file or directory"),
    re.compile(r"Could not open (?:stdout|stderr) file (.+?): No such file or directory"),
    re.compile(r"/bin/bash: (\S+): No such file or directory"),
    re.compile(r"env: '([^']+)': No such file or directory"),
)


def words_of(text):
    """Every word that might be a command: a stub too many does no harm, but for a script that bash would find on the PATH."""
    found = set(re.findall(r"(?<![\w./$-])[A-Za-z_][\w.+-]*", text))
    return sorted(word for word in found - BUILTINS - set(world.TOOLS) if len(word) < 60 and not word.endswith((".sh", ".bash")))[:1500]


class Bench:
    """Where scripts run, one after the other."""

    def __init__(self):
        self.made = set()   # stubs of the last script
        self.extra = set()  # folders at the top that the last script asked for

    def furnish(self, item, learnt):
        world.clean(self.extra)
        for path in self.made:
            os.unlink(path)
        self.made, self.extra = set(), set()
        for word in words_of(item["text"]):
            path = f"/usr/local/bin/{word}"
            if not os.path.lexists(path):
                os.symlink("/.judge/call", path)
                self.made.add(path)
        if IN_BACKGROUND.search(item["text"]):
            open("/.rec/slow", "w").close()
        world.give_folder(WHERE)
        for kind, path in sorted(learnt):
            top = "/" + path.split("/")[1]
            if not os.path.exists(top):
                self.extra.add(top)
            world.give_folder(path) if kind == "folder" else world.give_program(path)

    def run(self, slurm, file, options, tasks, failing=False, arguments=(), asked=()):
        """What happened, as plain data. `asked`: variables that people are told to export before they submit."""
        if failing:
            open("/.rec/failing", "w").close()
        shutil.copy(file, f"{WHERE}/{os.path.basename(file)}")
        places = (*world.TOPS, *self.extra)
        before = world.tree(places)
        number, said = slurm.submit(f"{WHERE}/{os.path.basename(file)}", ["--output=/.rec/out.%a", "--error=/.rec/err.%a", "--begin=now", *options], WHERE, {**dict.fromkeys(asked, "asked"), **ENVIRONMENT}, arguments)
        if not number:
            return {"refused": objection(said)}
        codes, unended = slurm.wait(number, tasks, SECONDS)
        slurm.rests()
        after = world.tree(places)
        return {"job": number, "codes": codes, "unended": unended, "log": log(), "errors": errors(), "lost": lost(before, after),
                "tree": {path: held for path, held in after.items() if path not in before}}


def lost(before, after):
    """What stood there before the job, and is gone or another: {path: how}."""
    return {path: "changes" if path in after else "deletes" for path, held in before.items()
            if (held != after[path] if path in after else not os.path.lexists(path))}


def log():
    try:
        with open("/.rec/log", encoding="ascii") as lines:
            return [ast.literal_eval(line) for line in lines]
    except (OSError, SyntaxError):
        return []


def errors():
    out = []
    for entry in sorted(os.scandir("/.rec"), key=lambda entry: entry.name):
        if entry.name.startswith(("err.", "out.")):
            with open(entry.path, encoding="utf-8", errors="replace") as file:
                out.append(file.read(20000))
    return "".join(out)


def objection(said):
    lines = [re.sub(r"^sbatch: (error: |fatal: )?", "", line) for line in said.splitlines() if re.match(r"sbatch: (error|fatal|invalid|unrecognized)", line)]
    return "; ".join(lines)[:300] or said.strip()[-200:] or "no answer"


def missing(errors_, cwds, learnt):
    """Folders and programs that the run did not find, as (kind, path)."""
    out = set()
    for line in errors_.splitlines()[:400]:
        for number, pattern in enumerate(MISSING):
            match = pattern.search(line)
            if not match:
                continue
            path = match[1]
            kind = "folder" if number in (0, 1, 6) else "program"
            if number == 7:
                kind, path = "folder", os.path.dirname(path) or "."
            for base in ([""] if path.startswith("/") else sorted(cwds)):
                whole = re.sub("^//", "/", os.path.normpath(os.path.join(base, path)))
                if whole.startswith("/") and not world.protected(whole) and len(whole) < 250 and not re.search(r"610\d{5}", whole):
                    out.add((kind, whole))
            break
    taken = {path for _, path in learnt}
    return {(kind, path) for kind, path in out if path not in taken}


def original(bench, slurm, item):
    """The original, again until it finds what it looks for."""
    learnt = set()
    if item.get("chdir", "").startswith("/") and not world.protected(item["chdir"]):
        learnt.add(("folder", os.path.normpath(item["chdir"])))
    for path in re.findall(r"(?m)^\s*(?:cd|pushd)\s+[\"']?(/[\w./+-]+)", item["text"]):
        if not world.protected(path):
            learnt.add(("folder", os.path.normpath(path)))
    for line in item["text"].splitlines():  # of a step: srun does not name the file that it cannot open
        for path in [] if line.lstrip().startswith("#") else re.findall(r"--(?:output|error)[= ][\"']?(/[\w./+-]+)/", line):
            if not world.protected(path):
                learnt.add(("folder", os.path.normpath(path)))
    for path in re.findall(r"(?<![\w.])\./([\w./-]+)", item["text"]):
        if item["text"].find(f"./{path}") and ".." not in path:
            learnt.add(("program", f"{WHERE}/{path}"))
    for turn in range(ROUNDS):
        bench.furnish(item, learnt)
        if item.get("elsewhere"):
            open("/.rec/elsewhere", "w").close()
        seen = bench.run(slurm, item["file"], item["options"], item["tasks"], False, item["arguments"])
        if "refused" in seen or seen["unended"]:
            break
        said = "\n".join([seen["errors"], *(held for held in seen["tree"].values() if "No such file" in held)])
        more = missing(said, {WHERE, *(record["c"] for record in seen["log"])}, learnt)
        if not more or turn == ROUNDS - 1:  # the result finds what this run found
            break
        learnt |= more
    return seen, learnt


def pair(bench, slurms, item, pods=None):
    """Both runs of one script, and two more with programs that fail where that is asked."""
    slurms[0].burn(slurms[1].last_job)
    seen, learnt = original(bench, slurms[0], item)
    out = {"before": seen}
    if "refused" in seen or seen["unended"] or not item.get("result"):
        return out
    out["after"] = result(bench, slurms[1], item, seen, learnt)
    if item.get("pods"):
        out["pods"] = pods(bench, item, learnt)
    if item["failing"]:
        slurms[0].burn(slurms[1].last_job)
        bench.furnish(item, learnt)
        out["before_failing"] = bench.run(slurms[0], item["file"], item["options"], item["tasks"], True, item["arguments"])
        out["after_failing"] = result(bench, slurms[1], item, out["before_failing"], learnt, failing=True)
    return out


def result(bench, slurm, item, seen, learnt, failing=False):
    """The result, with the job number that the original had: what a script computes from it must not differ."""
    slurm.burn(seen["job"] - 1)
    bench.furnish(item, learnt)
    out = bench.run(slurm, item["result"], item["result_options"], item["tasks"], failing, item["result_arguments"], item["asked"])
    if out.get("unended") == "time":  # the original did end: perhaps the machine was busy
        bench.furnish(item, learnt)
        out = bench.run(slurm, item["result"], item["result_options"], item["tasks"], failing, item["result_arguments"], item["asked"])
    return out
