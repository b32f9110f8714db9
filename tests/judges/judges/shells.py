"""What `muster completion` and `muster man` print, taken by those who read it: bash, zsh and fish complete command lines
with it, groff and mandoc take the manual pages."""
import os
import pty
import re
import select
import shutil
import subprocess
import time

from . import lib

# What is typed before the Tab key, and the word that has to stand there after it.
COMPLETED = (
    ("li", "lint"),
    ("rel", "reliability"),
    ("lint --prev", "--preview"),
    ("lint --diagnostics j", "json"),
    ("lint --diagnostics=j", "--diagnostics=json"),
    ("lint --fail-level warn", "warning"),
    ("lint -o sar", "sarif"),
    ("lint --site lab.m", "lab.muster"),
    ("lint --site=lab.m", "--site=lab.muster"),
    ("lint --policy pol", "policies/"),
    ("lint trai", "train.sbatch"),
    ("lint --site lab.muster two", "two words.sbatch"),
    ("lint --ignore SLM02", "SLM02"),  # several: nothing is added
    ("lint --nothing", "--nothing"),
    ("compile a.muster --target jobs", "jobset"),
    ("compile --emit plac", "placement"),
    ("decide --profile green", "greenfield"),
    ("explain E0702", "E0702"),
    ("explain trai", "train.sbatch"),
    ("review --fail-on allo", "allowed"),
    ("review --fail-on total-cos", "total-cost>"),
    ("review --fail-on total-c", "total-c"),  # two begin so
    ("rules ver", "verify"),
    ("rules verify --cov", "--cov"),  # an option of another verb
    ("rules test --cov", "--coverage"),
    ("rules table --format merm", "mermaid"),
    ("rules diff green", "greenfield"),
    ("site import --ou", "--output"),
    ("test trai", "train.sbatch"),  # `test` is a verb below `rules`, too
    ("completion fi", "fish"),
    ("man revi", "review"),
)
PRINTS = r"""muster() { printf 'CALLED'; printf '{%s}' "$@"; printf 'END\n'; }"""


class Terminal:
    """An interactive shell on a terminal of its own."""

    def __init__(self, command, folder, setup):
        self.master, slave = pty.openpty()
        env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        self.shell = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=env, start_new_session=True)
        os.close(slave)
        self.called(setup + "; muster ready\n")

    def called(self, typed):
        """The arguments that the next call of muster gets; None after ten seconds without one."""
        os.write(self.master, typed.encode())
        seen, end = "", time.monotonic() + 10
        while time.monotonic() < end:
            if select.select([self.master], [], [], 0.2)[0]:
                seen += os.read(self.master, 65536).decode("utf-8", "replace")
            found = re.search(r"CALLED((?:{[^}]*})*)END", seen)
            if found:
                return re.findall(r"{([^}]*)}", found[1])
        return None

    def close(self):
        self.shell.kill()
        self.shell.wait()
        os.close(self.master)


def scene(shop, shell):
    folder = shop.place(f"shells/{shell}")
    for name in ("train.sbatch", "two words.sbatch", "lab.muster", "a.muster"):
        (folder / name).write_text("")
    (folder / "policies").mkdir()
    script = folder / "completion"
    written = shop.ask("completion", shell)
    script.write_text(written.stdout)
    return folder, script


def judge_typed(report, shop, shell, command, setup):
    folder, script = scene(shop, shell)
    (folder / "setup").write_text(PRINTS + "\n" + setup.format(script=script))
    terminal = Terminal(command, folder, ". ./setup")
    try:
        for typed, wanted in COMPLETED:
            got = terminal.called(f"muster {typed}\t\n")
            report.check(f"{shell}: muster {typed}<Tab>", got is not None and got[-1:] == [wanted], f"{got}, not {wanted}")
    finally:
        terminal.close()


def options_of(text):
    """The names of the options that --help lists."""
    return [name for line in text.splitlines() for name in re.findall(r"^  (-\w)?,?(--[a-z-]+)?", line)[:1] for name in name if name]


def judge_bash(report, shop):
    judge_typed(report, shop, "bash", ["bash", "--norc", "--noprofile", "-i"], ". {script}\n")
    folder, script = scene(shop, "bash-lists")
    script.write_text(shop.ask("completion", "bash").stdout)
    checked = lib.run(["shellcheck", "-s", "bash", "-e", "SC2207,SC2034", script]) if shutil.which("shellcheck") else None
    if checked:
        report.check("shellcheck takes the script", checked.returncode == 0, lib.says(checked))
    for verb in re.findall(r"^  (\w+) ", shop.ask("--help").stdout, re.M):
        below = re.findall(r"^  (\w+) ", shop.ask(verb, "--help").stdout.partition("Subcommands:")[2], re.M)
        for words in ([verb, name] for name in below) if below else ([verb],):
            if words == ["version"]:
                continue
            known = set(options_of(shop.ask(*words, "--help").stdout))
            lines = f". {script}; COMP_WORDS=(muster {' '.join(words)} -) COMP_CWORD={len(words) + 1}; _muster; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            offered = set(lib.run(["bash", "-c", lines]).stdout.split())
            report.equal(f"bash offers every option of muster {' '.join(words)}", sorted(offered), sorted(known))


def judge_fish(report, shop):
    folder, script = scene(shop, "fish")
    for typed, wanted in COMPLETED:
        asked = lib.run(["fish", "--no-config", "-c", f"source {script}; complete -C 'muster {typed}'"], cwd=folder)
        offered = [line.split("\t")[0] for line in asked.stdout.splitlines()]
        last = typed.rsplit(" ", 1)[-1]
        good = offered == [wanted] if wanted != last else wanted in offered or not offered or len(offered) > 1
        report.check(f"fish: muster {typed}<Tab>", asked.returncode == 0 and not asked.stderr and good, f"{offered} {asked.stderr}, not {wanted}")


def judge_man(report, shop):
    verbs = re.findall(r"^  (\w+) ", shop.ask("--help").stdout, re.M)
    folder = shop.place("shells/man")
    for verb in ("", *verbs):
        page = folder / f"{'muster-' + verb if verb else 'muster'}.1"
        page.write_text(shop.ask("man", *([verb] if verb else [])).stdout)
        # It has no date: the same version prints the same bytes.
        if shutil.which("mandoc"):
            linted = [line for line in lib.run(["mandoc", "-Tlint", "-W", "warning", page]).stdout.splitlines() if "missing date" not in line]
            report.check(f"mandoc takes {page.name}", not linted, linted)
        if shutil.which("groff"):
            shown = lib.run(["groff", "-man", "-Tascii", "-ww", "-P-cbou", page])
            report.check(f"groff takes {page.name}", shown.returncode == 0 and not shown.stderr and len(shown.stdout) > 300, shown.stderr)
            if verb:
                missing = [name for name in options_of(shop.ask(verb, "--help").stdout) if name not in shown.stdout]
                report.equal(f"{page.name} has every option", missing, [])
    for tool in ("mandoc", "groff"):
        if not shutil.which(tool):
            report.skip(tool, f"manual pages with {tool}", f"{tool} is not installed")


def judge(report, shop):
    judge_bash(report, shop)
    zsh_setup = "autoload -U compinit; compinit -D -u; setopt no_auto_remove_slash; zstyle ':completion:*' list-prompt ''; . {script}\n"
    for shell, judged in (("zsh", lambda: judge_typed(report, shop, "zsh", ["zsh", "-f", "-i"], zsh_setup)), ("fish", lambda: judge_fish(report, shop))):
        if shutil.which(shell):
            judged()
        else:
            report.skip(shell, f"completion in {shell}", f"{shell} is not installed")
    judge_man(report, shop)
    unknown = shop.ask("completion", "tcsh")
    report.check("another shell is refused", unknown.returncode == 2 and "tcsh" in unknown.stderr, lib.says(unknown))
