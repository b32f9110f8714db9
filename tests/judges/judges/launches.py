"""Scenarios of slurm-run: what each runner starts, and what its programs see."""
import pathlib
import re

from . import cases, launchers, lib
from .lab import one_value
from .references import wrong_words

# What the head of a Ray cluster listens on (`ray start --help`); the workers of its tasks apart.
RAY_PORTS = {"port", "ray-client-server-port", "dashboard-port", "node-manager-port", "object-manager-port", "dashboard-agent-grpc-port",
             "dashboard-agent-listen-port", "metrics-export-port", "runtime-env-agent-port"}


def submitted(report, lab, name, **options):
    """The ended job, its fields, and its calls; no job where submitting failed."""
    job = lab.submit(report, name, **options)
    return (job, job.end()) if job else (None, {})


def ended(report, job, state, code=0, want="COMPLETED"):
    good = state.get("JobState") == want and state.get("ExitCode", "").startswith(f"{code}:")
    report.check(f"{job.case.label} ends {want} with {code}", good, f"{state.get('JobState')} {state.get('ExitCode')} {job.output()[-300:]}")


def latin(text):
    return text.encode("utf-8").decode("latin-1")


def same_words(report, label, calls, want):
    """Every call had exactly these words, byte by byte."""
    want = [latin(word) for word in want]
    wrong = [call["argv"] for call in calls if call["argv"] != want]
    report.check(f"{label} argv, byte by byte", calls and not wrong, f"got {lib.shown(wrong[:1])}, want {lib.shown(want)}")


def per_node(report, label, job, state, calls, count):
    """`count` calls on each node of the job; the nodes in Slurm's order."""
    hosts = job.lab.cluster.hosts(state.get("NodeList"))
    got = {host: sum(call["env"].get("SLURMD_NODENAME") == host for call in calls) for host in hosts}
    report.check(f"{label} {count} a node", got and len(calls) == count * len(hosts) and set(got.values()) == {count}, got)
    return hosts


def contract(report, label, job, hosts, calls, gpus, procs):
    """The names that a program may rely on, on every node."""
    want = {"MUSTER_NAME": job.case.name, "MUSTER_ROLE": "main", "MUSTER_ID": str(job.number), "MUSTER_ATTEMPT": "0", "MUSTER_REPLICA": "0",
            "MUSTER_REPLICAS": "1", "MUSTER_NODES": str(len(hosts)), "MUSTER_HEAD_ADDR": hosts[0] if hosts else None, "MUSTER_GPUS_PER_NODE": str(gpus),
            "MUSTER_PROCS_PER_NODE": str(procs), "MUSTER_WORLD_SIZE": str(procs * len(hosts))}
    for name, value in want.items():
        if one_value(calls, name) != value:
            report.equal(f"{label} {name}", one_value(calls, name), value)
    port = one_value(calls, "MUSTER_PORT")
    report.check(f"{label} MUSTER_PORT", port and port.isdigit() and 1024 <= int(port) <= 65535 - 9, port)
    ranks = {(call["env"].get("SLURMD_NODENAME"), call["env"].get("MUSTER_NODE_RANK"), call["env"].get("MUSTER_NODE_ADDR")) for call in calls}
    report.equal(f"{label} node ranks and addresses", ranks, {(host, str(rank), host) for rank, host in enumerate(hosts)})
    hostfile = pathlib.Path(one_value(calls, "MUSTER_HOSTFILE") or "/none")
    lines = hostfile.read_text().split("\n")[:-1] if hostfile.exists() else f"no file {hostfile}"
    report.equal(f"{label} MUSTER_HOSTFILE", lines, [f"{host} slots={procs}" for host in hosts])
    report.check(f"{label} MUSTER_* say what was asked", all(one_value(calls, n) == v for n, v in want.items()), "see above")
    if gpus:
        seen = {call["env"].get("CUDA_VISIBLE_DEVICES", "").count(",") + 1 for call in calls}
        report.equal(f"{label} GPUs that each program sees", seen, {gpus})


def only(report, label, calls, names):
    """The program finds the names that its text has, and no other."""
    found = {name for call in calls for name in call["env"] if name.startswith("MUSTER_")}
    report.equal(f"{label} MUSTER_* that it names", found, names)


def body(report, label, calls, want, argv):
    """The interpreter got the script's bytes, its name and its arguments."""
    want = [latin(want), *map(latin, argv)]
    wrong = [call["parent"][2:] for call in calls if call["parent"][2:] != want]
    report.check(f"{label} body, byte by byte", calls and not wrong, f"got {lib.shown(wrong[:1], 500)}, want {lib.shown(want, 500)}")


# ---- scenarios -------------------------------------------------------------------------------

def pretrain(report, lab):
    """The example on four nodes."""
    job, state = submitted(report, lab, "pretrain", edit=lambda text: text.replace("nodes      = 8", "nodes      = 4"))
    if not job:
        return
    calls = job.calls("torchrun")
    hosts = per_node(report, "pretrain torchrun", job, state, calls, 1)
    report.equal("pretrain nodes", len(hosts), 4)
    same_words(report, "pretrain", launchers.torch_words(calls), cases.texts(job.spec, "command"))
    only(report, "pretrain", calls, set())
    launchers.torch_names(report, "pretrain", job, hosts, calls, 8)
    report.equal("pretrain env", [one_value(calls, n) for n in ("NCCL_DEBUG", "VIRTUAL_ENV")], ["WARN", f"{lab.root}/env/torch"])
    report.equal("pretrain starts in the folder of the submission", {call["cwd"] for call in calls}, {str(lab.bench.folder)})
    report.equal("pretrain modules", [call["argv"] for call in job.calls("module")], [["load", "cuda/12.6"]])
    ended(report, job, state)


def mpi(report, lab):
    """The example: 16 ranks, each once."""
    job, state = submitted(report, lab, "mpi")
    if not job:
        return
    calls = job.calls("lmp_mpi")
    hosts = per_node(report, "mpi ranks", job, state, calls, 4)
    same_words(report, "mpi", calls, cases.texts(job.spec, "command")[1:])
    report.equal("mpi every rank once", sorted(int(call["env"].get("PMI_RANK", -1)) for call in calls), list(range(16)))
    only(report, "mpi", calls, set())
    report.equal("mpi OMP_NUM_THREADS", one_value(calls, "OMP_NUM_THREADS"), "14")
    ended(report, job, state)


def finetune(report, lab):
    """The example: a body on one node."""
    job, state = submitted(report, lab, "finetune")
    if not job:
        return
    calls = job.calls("torchrun")
    out = lab.root / "data/runs" / f"finetune-{job.number}"
    hosts = per_node(report, "finetune torchrun", job, state, calls, 1)
    same_words(report, "finetune", calls, ["finetune.py", "--lora-rank", "16", "--output", str(out)])
    only(report, "finetune", calls, {"MUSTER_NAME", "MUSTER_ID", "MUSTER_MOUNT_DATA"})
    launchers.torch_names(report, "finetune", job, hosts, calls, 8)
    report.check("finetune made its folder", out.is_dir())
    ended(report, job, state)


def torchrun_script(report, lab):
    job, state = submitted(report, lab, "torchrun-script")
    if not job:
        return
    calls = job.calls("torchrun")
    hosts = per_node(report, "torchrun-script torchrun", job, state, calls, 1)
    report.equal("torchrun-script argv", sorted(call["argv"] for call in calls), [["train.py", f"--node={rank}", "it's"] for rank in (0, 1)])
    launchers.torch_names(report, "torchrun-script", job, hosts, calls, 8)
    body(report, "torchrun-script", calls, cases.heredoc(job.spec, "script"), ["torchrun-script"])
    ended(report, job, state)


def torchrun_flags(report, lab):
    for site in ("plain", "gres"):
        job, state = submitted(report, lab, "torchrun-flags", site=site)
        if not job:
            continue
        calls = job.calls("torchrun")
        hosts = per_node(report, f"{job.case.label} torchrun", job, state, calls, 1)
        same_words(report, job.case.label, launchers.torch_words(calls), [*cases.texts(job.spec, "args"), *cases.texts(job.spec, "command")])
        launchers.torch_names(report, job.case.label, job, hosts, calls, 2)
        ended(report, job, state)


def accelerate(report, lab):
    job, state = submitted(report, lab, "accelerate")
    if not job:
        return
    calls = job.calls("accelerate")
    hosts = per_node(report, "accelerate launch", job, state, calls, 1)
    contract(report, "accelerate", job, hosts, calls, 4, 4)
    launchers.accelerate_words(report, job, hosts, calls, 4)
    ended(report, job, state)


def accelerate_one(report, lab):
    job, state = submitted(report, lab, "accelerate-one")
    if job:
        launchers.accelerate_words(report, job, per_node(report, "accelerate-one", job, state, job.calls("accelerate"), 1), job.calls("accelerate"), 2)
        ended(report, job, state, 3, "FAILED")


def processes(report, lab):
    job, state = submitted(report, lab, "processes")
    if not job:
        return
    calls = job.calls("python3")
    hosts = per_node(report, "processes", job, state, calls, 4)
    same_words(report, "processes", calls, cases.texts(job.spec, "command")[1:])
    contract(report, "processes", job, hosts, calls, 4, 4)
    launchers.ranked(report, "processes", hosts, calls, 4)
    ended(report, job, state)


def processes_uneven(report, lab):
    job, state = submitted(report, lab, "processes-uneven")
    if not job:
        return
    calls = job.calls("probe")
    hosts = per_node(report, "processes-uneven", job, state, calls, 3)
    launchers.ranked(report, "processes-uneven", hosts, calls, 3)
    report.equal("processes-uneven argv", sorted(call["argv"] for call in calls), [[f"{rank} of 6"] for rank in range(6)])
    ended(report, job, state)


def references(report, lab):
    """Each word has the value that the program finds, on every node and in every process, in a container too."""
    for name in ("references-plain", "references-inside"):
        job, state = submitted(report, lab, name)
        if not job:
            continue
        calls = job.calls("probe")
        per_node(report, job.case.label, job, state, calls, 2)
        wrong = [fault for call in calls for fault in wrong_words(call)]
        report.check(f"{job.case.label} words", not wrong, f"(name, word, variable): {wrong}")
        report.equal(f"{job.case.label} ranks", sorted(call["argv"][8] for call in calls), [f"RANK={rank}" for rank in range(4)])
        report.equal(f"{job.case.label} OUT", {call["env"]["OUT"] for call in calls}, {f"/out/{job.number}-{node}" for node in range(2)})
        report.equal(f"{job.case.label} unset", one_value(calls, "LIST"), "/first")
        ended(report, job, state)


def own_folder(report, lab):
    """`${run.tmp}` is a folder of the job on each node, and of one point of a sweep; it goes away with the job, also with one that fails."""
    job, state = submitted(report, lab, "tmp-nodes")
    if job:
        calls = job.calls("probe")
        per_node(report, "tmp-nodes", job, state, calls, 1)
        gone(report, "tmp-nodes", calls, {str(job.number)})
        ended(report, job, state, code=3, want="FAILED")
    job = lab.submit(report, "tmp-points")
    if job:
        lib.until(lambda: len(job.points()) == 2 and all(call["code"] is not None for call in job.points()), 60)
        gone(report, "tmp-points", job.points(), {call["env"]["SLURM_JOB_ID"] for call in job.points()})
        report.equal("tmp-points folders differ", len({call["cwd"] for call in job.points()}), 2)


def gone(report, label, calls, names):
    """The programs started in folders that begin with these names, which no longer are."""
    report.equal(f"{label} folders", {pathlib.Path(call["cwd"]).stem for call in calls}, names)
    report.equal(f"{label} words", [call["argv"][-1] for call in calls], [call["cwd"] for call in calls])
    left = lib.until(lambda: not any(pathlib.Path(call["cwd"]).exists() for call in calls), 20)
    report.check(f"{label} folders are gone", left, [call["cwd"] for call in calls])


def mpirun(report, lab):
    job, state = submitted(report, lab, "mpirun")
    if not job:
        return
    starter, calls = job.calls("mpirun"), job.calls("lmp_mpi")
    per_node(report, "mpirun ranks", job, state, calls, 2)
    report.equal("mpirun is called once, with its flags", [call["argv"][:6] for call in starter], [["-np", "4", "--map-by", "ppr:2:node", "--bind-to", "none"]])
    same_words(report, "mpirun", calls, cases.texts(job.spec, "command")[1:])
    ended(report, job, state)


def hostile(report, lab):
    for site in ("plain", "strict"):
        job, state = submitted(report, lab, "hostile", site=site)
        if not job:
            continue
        calls = job.calls("probe")
        hosts = per_node(report, job.case.label, job, state, calls, 1)
        same_words(report, job.case.label, calls, cases.texts(job.spec, "command")[1:])
        wanted = {name: latin(value) for name, value in cases.environment(job.spec).items()}
        report.check(f"{job.case.label} has values to compare", len(wanted) >= 10, wanted)
        for name, value in wanted.items():
            report.equal(f"{job.case.label} env {name}", one_value(calls, name), value)
        contract(report, job.case.label, job, hosts, calls, 2, 1)
        report.equal(f"{job.case.label} of the submitter's environment", one_value(calls, "JUDGE_OUTSIDE"), "inherited" if site == "plain" else None)
        ended(report, job, state)


def none_script(report, lab):
    job, state = submitted(report, lab, "none-script")
    if not job:
        return
    calls = job.calls("probe")
    args = cases.texts(job.spec, "args")
    per_node(report, "none-script", job, state, calls, 1)
    same_words(report, "none-script", calls, ["in-body", *args])
    body(report, "none-script", calls, cases.heredoc(job.spec, "script"), ["none-script", *args])
    report.equal("none-script directives in the body are not read", state.get("NumNodes"), "1")
    ended(report, job, state)


def job_script(job, state, calls):
    """The file that Slurm gave the batch shell: the name of a text that asks for its own."""
    ending = f"/spool/{state.get('BatchHost')}/job{job.number:05d}/slurm_script"
    return next((word for call in calls for word in call["parent"] if word.endswith(ending)), ending)


def other_bodies(report, lab):
    for name in ("none-sh", "none-python"):
        job, state = submitted(report, lab, name)
        if not job:
            continue
        calls = job.calls("probe")
        own, args = job_script(job, state, calls), cases.texts(job.spec, "args")
        per_node(report, name, job, state, calls, 1)
        body(report, name, calls, cases.heredoc(job.spec, "script"), [own] if name == "none-sh" else args)
        same_words(report, name, calls, [f"sh {own}"] if name == "none-sh" else ["it's \"$HOME\" \\ `x`", *args])
        ended(report, job, state)


def long_script(report, lab):
    job, state = submitted(report, lab, "long-script")
    if not job:
        return
    calls = job.calls("probe")
    same_words(report, "long-script", calls, ["long", "a b"])
    file = pathlib.Path(calls[0]["parent"][1]) if calls else None
    report.check("long-script body, byte by byte", file and file.is_file() and file.read_text() == cases.heredoc(job.spec, "script"), file)
    ended(report, job, state)


def batch_script(report, lab):
    job, state = submitted(report, lab, "batch-script")
    if not job:
        return
    hosts = lab.cluster.hosts(state.get("NodeList"))
    def places(word):
        return sorted(call["env"].get("SLURMD_NODENAME") for call in job.calls("probe", word))
    report.equal("batch-script body once, on the first node", places("body"), hosts[:1])
    report.equal("batch-script its own steps", (places("step"), len(places("last"))), (hosts, 1))
    body(report, "batch-script", job.calls("probe", "body"), cases.heredoc(job.spec, "script"), ["batch-script"])
    ended(report, job, state)


def setup(report, lab):
    job, state = submitted(report, lab, "setup")
    if not job:
        return
    first, then = job.calls("probe", "setup"), job.calls("python3", "train.py")
    per_node(report, "setup", job, state, first, 1)
    per_node(report, "setup program", job, state, then, 2)
    body(report, "setup", first, cases.heredoc(job.spec, "setup"), ["setup"])
    over = max((call["end"] for call in first), default=0)
    report.check("setup is over before the program starts", over and all(call["begin"] >= over for call in then), (over, [call["begin"] for call in then]))
    ended(report, job, state)


def setup_uneven(report, lab):
    """184 of 188 cores: a step that asks for more than the job has would be refused."""
    job, state = submitted(report, lab, "setup-uneven")
    if not job:
        return
    per_node(report, "setup-uneven", job, state, job.calls("probe", "setup"), 1)
    per_node(report, "setup-uneven program", job, state, job.calls("probe", "program"), 3)
    report.equal("setup-uneven MUSTER_CPUS", one_value(job.calls("probe", "program"), "MUSTER_CPUS"), "15")
    ended(report, job, state)


def nodes_range(report, lab):
    """As many nodes as Slurm gave, and everybody counts the same."""
    job, state = submitted(report, lab, "nodes-range")
    if not job:
        return
    calls = job.calls("probe", "range")
    hosts = per_node(report, "nodes-range", job, state, calls, 2)
    report.check("nodes-range has 3 to 5 nodes", 3 <= len(hosts) <= 5, hosts)
    launchers.ranked(report, "nodes-range", hosts, calls, 2)
    report.equal("nodes-range MUSTER_NODES", one_value(calls, "MUSTER_NODES"), str(len(hosts)))
    ended(report, job, state)


def dev_shell(report, lab):
    """The job waits for people, and its log says how they get in."""
    job = lab.submit(report, "dev-shell")
    if not job:
        return
    way = f"srun --jobid={job.number} --overlap --pty bash"
    report.check("dev-shell says how to get in", lib.until(lambda: way in job.output(), 40), job.output()[-300:])
    lib.until(lambda: False, 2)
    report.equal("dev-shell stays", job.state().get("JobState"), "RUNNING")
    lab.cluster.run("scancel", str(job.number))
    report.equal("dev-shell can be cancelled", job.end().get("JobState"), "CANCELLED")


def ray(report, lab):
    if not lab.hosts:
        return report.skip("hosts", "ray", "/etc/hosts cannot be written, so node names have no address")
    for name, count, code in (("ray", 3, 0), ("ray-one", 1, 3)):
        job, state = submitted(report, lab, name)
        if job:
            ray_cluster(report, job, state, count)
            ended(report, job, state, code, "FAILED" if code else "COMPLETED")
    return None


def ray_cluster(report, job, state, count):
    """Head first, then the workers, then the driver on the head; the end of the driver is the end."""
    hosts = job.lab.cluster.hosts(state.get("NodeList"))
    starts = job.calls("ray", "start")
    heads = [call for call in starts if "--head" in call["argv"]]
    label = job.case.name
    report.equal(f"{label} heads", [call["env"].get("SLURMD_NODENAME") for call in heads], hosts[:1])
    report.equal(f"{label} workers", sorted(call["env"].get("SLURMD_NODENAME") for call in starts if call not in heads), hosts[1:])
    report.equal(f"{label} nodes", len(hosts), count)
    drivers = job.calls("probe", "driver")
    report.equal(f"{label} one driver, on the head", [call["env"].get("SLURMD_NODENAME") for call in drivers], hosts[:1])
    if not drivers or not heads:
        return
    report.check(f"{label} the driver comes last", all(call["begin"] < drivers[0]["begin"] for call in starts))
    address = drivers[0]["env"].get("RAY_ADDRESS", "")
    port = [word.partition("=")[2] for word in heads[0]["argv"] if word.startswith("--port=")]
    report.equal(f"{label} RAY_ADDRESS", address.rpartition(":")[2], port[0] if port else None)
    workers = {word for call in starts if call not in heads for word in call["argv"] if word.startswith("--address=")}
    report.check(f"{label} workers join it", workers <= {f"--address={address}"} and (count == 1 or workers), workers)
    report.check(f"{label} every node says its GPUs", all(any(w.startswith("--num-gpus=") for w in call["argv"]) for call in starts))


def listening(start):
    """The fixed ports of one `ray start`, by what they are for."""
    found = dict(re.findall(r"^--([a-z-]+-port|port)=(\d+)$", "\n".join(start["argv"]), re.M))
    return {name: int(number) for name, number in found.items() if number != "0"}


def ray_beside(report, lab):
    """Two clusters on one node listen on ports of their own, all of them from the job's ten."""
    if not lab.hosts:
        return report.skip("hosts", "ray-beside", "/etc/hosts cannot be written, so node names have no address")
    jobs = [job for job in (lab.submit(report, "ray-beside", edit=lambda text: text.replace('"n05"', f'"{lab.fleet.prefix}05"')) for _ in range(2)) if job]
    states = [job.end() for job in jobs]
    report.equal("ray-beside: both on one node", [state.get("NodeList") for state in states], [f"{lab.fleet.prefix}05"] * 2)
    taken = []
    for job, state in zip(jobs, states):
        ended(report, job, state)
        for start in job.calls("ray", "start"):
            ports, first = listening(start), 10000 + 10 * (job.number % 2000)
            report.equal("ray-beside: what has a port", set(ports), RAY_PORTS)
            report.check("ray-beside: one of the job's ten each", len(set(ports.values())) == len(ports) and set(ports.values()) <= set(range(first, first + 10)), ports)
            loose = {"--min-worker-port=0", "--max-worker-port=0"} - set(start["argv"])
            report.check("ray-beside: workers take free ports", not loose, loose)
            taken.append(set(ports.values()))
    return report.check("ray-beside: no port twice", len(taken) == 2 and not taken[0] & taken[1], taken)


def software(report, lab):
    job, state = submitted(report, lab, "software-every")
    if job:
        calls = job.calls("probe")
        modules = [call["argv"] for call in job.calls("module")]
        report.equal("software-every modules", modules, [["purge"], ["use", f"{lab.root}/module files"], ["load", "gcc/13", "cuda/12.6"]])
        want = ["base env", f"{lab.root}/env/torch", "it's $here", f"{lab.root}/code/sub folder"]
        got = [one_value(calls, n) for n in ("CONDA_DEFAULT_ENV", "VIRTUAL_ENV", "FROM_PRELUDE")] + [call["cwd"] for call in calls]
        report.equal("software-every environment and folder", got, want)
        ended(report, job, state)
    job, state = submitted(report, lab, "software-inline")
    if job:
        calls = job.calls("probe")
        report.equal("software-inline", [(c["env"].get("CONDA_DEFAULT_ENV"), c["cwd"]) for c in calls], [("my env", f"{lab.root}/code/sub folder")])
        ended(report, job, state)


def code_git(report, lab):
    job, state = submitted(report, lab, "code-git")
    if not job:
        return
    report.check("code-git runs the tagged revision", state.get("ExitCode") == "0:0", f"{state.get('ExitCode')} {job.output()[-300:]}")
    ended(report, job, state)


def logs(report, lab):
    """Where the output really went."""
    job, state = submitted(report, lab, "logs", edit=lambda text: text.replace('["probe", "logs"]', '["printf", "to %s", "stdout"]'))
    if not job:
        return
    path = lab.root / "logs" / f'100% "of" logs-{job.number} #1.out'
    report.check("logs output is in the file that was named", path.is_file() and path.read_text() == "to stdout", sorted(p.name for p in (lab.root / "logs").iterdir()))
    errors = lab.root / "logs" / f"err $HOME 'e' é.logs.{job.number}"
    report.check("logs error has its own file", errors.is_file() and not errors.read_text(), errors)
    ended(report, job, state)


def containers(report, lab):
    """Pyxis' options are checked by the sandbox's stub; the other runtimes are stubs that start the program."""
    for site in ("pyxis", "apptainer", "enroot"):
        if site == "pyxis" and lab.pyxis:
            report.skip("pyxis", "containers@pyxis", lab.pyxis)
            continue
        if site != "enroot":
            job, state = submitted(report, lab, "container", site=site)
            if job:
                calls = job.calls("torchrun")
                hosts = per_node(report, f"{job.case.label} torchrun", job, state, calls, 1)
                same_words(report, job.case.label, launchers.torch_words(calls), cases.texts(job.spec, "command"))
                launchers.torch_names(report, job.case.label, job, hosts, calls, 2)
                report.equal(f"{job.case.label} env", one_value(calls, "GREETING"), "it's $HOME")
                ended(report, job, state)
        container_file(report, lab, site)


def container_file(report, lab, site):
    job, state = submitted(report, lab, "container-file", site=site)
    if not job:
        return
    first, then = job.calls("probe", "setup"), job.calls("probe", "body")
    report.equal(f"{job.case.label} set-up and body once", (len(first), len(then)), (1, 1))
    same_words(report, job.case.label, then, ["body", "hello"])
    body(report, job.case.label, then, cases.heredoc(job.spec, "script"), ["container-file"])
    contract(report, job.case.label, job, lab.cluster.hosts(state.get("NodeList")), then, 1, 1)
    ended(report, job, state)


def cpu_only(report, lab):
    for site in ("plain", "gres"):
        job, state = submitted(report, lab, "cpu-only", site=site)
        if job:
            calls = job.calls("probe")
            contract(report, job.case.label, job, per_node(report, job.case.label, job, state, calls, 1), calls, 0, 1)
            ended(report, job, state)


SCENARIOS = (pretrain, mpi, finetune, torchrun_script, torchrun_flags, accelerate, accelerate_one, processes, processes_uneven, references, own_folder, mpirun, hostile,
             none_script, other_bodies, long_script, batch_script, setup, setup_uneven, nodes_range, dev_shell, ray, ray_beside, software, code_git, logs, containers, cpu_only)
