"""Scripts that an expert wrote (tests/handwritten) beside muster's for the same jobs, in one Slurm: the same programs run."""
import collections
import json
import re
import sys

from . import cases, lib

sys.path.insert(0, str(lib.CHECKOUT / "tests/handwritten"))
import handwritten  # noqa: E402

NODES = 4  # of a job of eight, in both files
OURS = ("module", "conda", "nvidia-smi")  # and `ray status`: called by scripts, not the job's programs


def smaller(text):
    """A job of eight nodes on NODES of them."""
    return re.sub(r"(nodes *=)( ?)8\b", rf"\g<1>\g<2>{NODES}", text)


def files(report, lab, job):
    """(by hand, by muster), with this lab's paths; None where muster does not write it."""
    folder = lab.bench.folder / "handwritten" / job.file
    folder.mkdir(parents=True)
    spec, site, hand, ours = (folder / name for name in ("job.muster", "site.muster", "hand.sbatch", "ours.sbatch"))
    spec.write_text(smaller(cases.at_root(job.spec.read_text(), lab.root)))
    site.write_text(cases.site_text("example", lab.root, lab.fleet))
    hand.write_text(smaller(cases.at_root(job.path.read_text(), lab.root)))
    done = lab.shop.ask("compile", spec, "--site", site, "--root", folder, "--target", job.target)
    ours.write_text(done.stdout)
    return (hand, ours) if report.check(f"{job.file}: muster writes the job", done.returncode == 0, lib.says(done)) else None


def calls(lab, number):
    """Of the job, or of all tasks of the array."""
    found = [json.loads(path.read_text()) for path in (lab.root / "records").glob("*/*.json")]
    mine = [call for call in found if str(number) in (call["env"].get("SLURM_JOB_ID"), call["env"].get("SLURM_ARRAY_JOB_ID"))]
    return [call for call in mine if call["name"] not in OURS and call["argv"][:1] != ["status"]]


def behaviour(lab, job, number):
    """How often each program was called, with what; and on how many nodes: tasks of an array may share them."""
    text = cases.at_root(job.spec.read_text(), lab.root)
    names = {"VIRTUAL_ENV", "CONDA_DEFAULT_ENV", *handwritten.variables(job), *(() if is_small(job) else ("NCCL_IB_HCA",))}
    seen, nodes = collections.Counter(), set()
    for call in calls(lab, number):
        program, told, words = handwritten.program([call["name"], *call["argv"]], call["env"])
        words = tuple(word.replace(f"finetune-{number}", "finetune-JOB") for word in words)  # its folder of results
        gpus = len([gpu for gpu in call["env"].get("CUDA_VISIBLE_DEVICES", "").split(",") if gpu])
        env = tuple(sorted((name, call["env"].get(name)) for name in names if name in call["env"]))
        seen[program, tuple(sorted(told.items())), words, gpus, env, call["cwd"], call["code"]] += 1
        nodes.add(call["env"].get("SLURMD_NODENAME"))
    return seen, None if "sweep" in text else len(nodes)


def is_small(job):
    """Whether it has one node, where no fabric is used."""
    return not re.search(r"nodes *=", job.spec.read_text())


def over(lab, number):
    return not lab.cluster.run("squeue", "-h", "-j", str(number)).stdout.strip()


def handwritten_scripts(report, lab):
    chosen = [job for job in handwritten.jobs() if job.path.suffix == ".sbatch" and (lab.hosts or job.target != "ray-on-slurm")]
    pairs = {job.file: (job, files(report, lab, job)) for job in chosen}
    sent = {}
    for name, (job, paths) in pairs.items():
        numbers = [lab.cluster.submit(path, cwd=lab.bench.folder, **lab.variables) for path in paths or ()]
        if report.check(f"{name} and muster's are taken", len(numbers) == 2 and all(isinstance(number, int) for number in numbers), numbers):
            sent[name] = numbers
    for name, numbers in sent.items():
        report.check(f"{name} and muster's end", all(lib.until(lambda number=number: over(lab, number), 240, 0.5) for number in numbers))
        hand, ours = (behaviour(lab, pairs[name][0], number) for number in numbers)
        report.check(f"{name} calls programs that end with 0", hand[0] and all(key[-1] == 0 or key[0] == "ray" for key in hand[0]), hand)
        report.equal(f"{name} and muster's: programs, words, GPUs, variables, nodes", hand, ours)
