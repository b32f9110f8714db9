"""Every emitted file through `bash -n` and shellcheck."""
import shutil

from . import cases, lib


def reads(report, label, path, severity="style"):
    """Whether bash can parse the file and shellcheck has nothing to say."""
    parsed = lib.run(["bash", "-n", path])
    report.check(f"{label} bash -n", parsed.returncode == 0 and not lib.says(parsed), lib.says(parsed))
    if not shutil.which("shellcheck"):
        return report.skip("shellcheck", f"{label} shellcheck", "it is not installed")
    linted = lib.run(["shellcheck", "--norc", f"--severity={severity}", "--format=gcc", path])
    return report.check(f"{label} shellcheck", linted.returncode == 0, lib.says(linted).replace(str(path), path.name))


def judge(report, shop):
    bench = cases.Bench(shop, "shell")
    for case in [*cases.all_cases(), *cases.public_cases()]:
        # Segments need a newer Slurm than the oldest.
        bench.version = "24.11" if case.site == "block" else "22.05"
        path = bench.compile(report, case)
        if path:
            # `style` is shellcheck's default; a spec whose own words look like expansions says `warning`.
            severity = cases.header(case.spec.read_text(), "shellcheck") or ["style"]
            reads(report, case.label, path, severity[0])
    for path in lib.broken_files("shell", ".sbatch"):
        lib.must_reject(report, path, lambda inner, path=path: reads(inner, path.name, path))
