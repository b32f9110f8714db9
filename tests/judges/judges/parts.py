"""Scenarios of slurm-run: jobs of several parts, roles and copies that start together."""
import pathlib

from . import launchers, launches
from .lab import one_value
from .launches import ended, latin, submitted


def where(calls):
    return sorted(call["env"].get("SLURMD_NODENAME") for call in calls)


def ranks(calls):
    return sorted((call["env"].get("SLURMD_NODENAME"), call["env"].get("MUSTER_NODE_RANK")) for call in calls)


def roles(report, lab):
    """Two roles of one shape: four nodes in their order, the readiness of one before the start of the other."""
    job, state = submitted(report, lab, "roles")
    if not job:
        return
    hosts = lab.cluster.hosts(state.get("NodeList"))
    learn, act, asked = (job.calls("probe", first) for first in ("learn", "act", "ready"))
    report.equal("roles learn has the first two nodes", ranks(learn), [(host, str(rank)) for rank, host in enumerate(hosts[:2])])
    report.equal("roles learn argv", [call["argv"] for call in learn], [["learn", latin("$HOME it's")]] * 2)
    report.equal("roles act has a node a copy", sorted((call["env"].get("MUSTER_REPLICA"), call["env"].get("SLURMD_NODENAME")) for call in act),
                 [("0", hosts[2]), ("1", hosts[3])] if len(hosts) == 4 else hosts)
    report.equal("roles heads", sorted({call["env"].get("MUSTER_HEAD_ADDR") for call in learn + act}), sorted({hosts[0], *hosts[2:]}))
    report.equal("roles learn finds act", one_value(learn, "MUSTER_ADDR_ACT"), hosts[2])
    listed = pathlib.Path(one_value(learn, "MUSTER_HOSTS_ACT") or "/none")
    report.equal("roles hosts of act", listed.read_text().split() if listed.exists() else str(listed), hosts[2:])
    report.equal("roles names", [one_value(calls, "MUSTER_ROLE") for calls in (learn, act)], ["learn", "act"])
    first = min((call["begin"] for call in learn), default=0)
    report.check("roles learn starts once act is ready", asked and asked[0]["begin"] < first, f"asked {len(asked)} times")
    report.equal("roles act is told to stop", sorted({tuple(call["signals"][:1]) for call in act}), [("SIGTERM",)])
    ended(report, job, state)


def roles_fail(report, lab):
    """The first failure is the end, whoever still runs."""
    job, state = submitted(report, lab, "roles-fail")
    if job:
        report.equal("roles-fail both started", [len(job.calls("probe", first)) for first in ("keep", "fail")], [1, 1])
        ended(report, job, state, code=3, want="FAILED")


def unlike(report, lab):
    """A heterogeneous job: each component has the role it was made for."""
    job, state = submitted(report, lab, "roles-unlike")
    if not job:
        return
    calls = job.calls()
    learn, act = ([c for c in calls if c["env"].get("MUSTER_ROLE") == role] for role in ("learn", "act"))
    report.equal("roles-unlike learn", [len(learn), launchers.torch_told(learn[0]).get("nnodes") if learn else None, sorted(rank for _, rank in ranks(learn))], [2, "2", ["0", "1"]])
    report.equal("roles-unlike act", [call["argv"] for call in act], [["act", "a b"]])
    report.check("roles-unlike nodes apart", learn and act and not set(where(learn)) & set(where(act)), where(learn + act))
    report.equal("roles-unlike act finds learn", one_value(act, "MUSTER_ADDR_LEARN"), one_value(learn, "MUSTER_HEAD_ADDR"))
    report.equal("roles-unlike GPUs", [one_value(c, "MUSTER_GPUS_PER_NODE") for c in (learn, act)], ["8", "2"])
    ended(report, job, state)


def beside(report, lab):
    """Copies as tasks of one step, with the names that their text has, and no other; the failure of a role starts all again."""
    job, state = submitted(report, lab, "roles-beside")
    if not job:
        return
    hosts = lab.cluster.hosts(state.get("NodeList"))
    learn, act = ([call for call in job.calls("probe", first)] for first in ("learn", "act"))
    second, again = ([call for call in calls if call["env"].get("SLURM_RESTART_COUNT") == "1"] for calls in (learn, act))
    report.equal("roles-beside attempts", sorted({call["env"].get("MUSTER_ATTEMPT") for call in learn}), ["0", "1"])
    report.equal("roles-beside copies", sorted((call["argv"][1:], call["env"].get("SLURMD_NODENAME")) for call in again),
                 [([f"{copy} of 3", "0"], host) for copy, host in enumerate(hosts[2:])])
    report.equal("roles-beside learn finds act", {call["env"].get("MUSTER_ADDR_ACT") for call in second}, {hosts[2]} if len(hosts) > 2 else hosts)
    # MUSTER_NODES is in the site's prelude of the network.
    launches.only(report, "roles-beside learn", learn, {"MUSTER_NODES", "MUSTER_ADDR_ACT", "MUSTER_ATTEMPT"})
    launches.only(report, "roles-beside act", act, {"MUSTER_NODES", "MUSTER_ADDR_ACT", "MUSTER_REPLICA", "MUSTER_REPLICAS", "MUSTER_NODE_RANK"})
    report.equal("roles-beside env", {call["env"].get("WHO") for call in learn + act}, {"it's $HOME"})
    ended(report, job, state)


def share(report, lab):
    """Roles on the same nodes at the same time: each has its own GPUs, CPUs and memory of every node, and one ends with the other."""
    job, state = submitted(report, lab, "roles-share")
    if not job:
        return
    hosts = lab.cluster.hosts(state.get("NodeList"))
    learn, act = (job.calls("probe", first) for first in ("learn", "act"))
    report.equal("roles-share nodes", [ranks(learn), ranks(act)], [[(host, str(rank)) for rank, host in enumerate(hosts)]] * 2)
    devices = {host: [set(call["env"].get("CUDA_VISIBLE_DEVICES", "").split(",")) for calls in (learn, act) for call in calls
                      if call["env"].get("SLURMD_NODENAME") == host] for host in hosts}
    report.equal("roles-share GPUs", {host: [len(own) for own in each] for host, each in devices.items()}, {host: [6, 2] for host in hosts})
    report.check("roles-share GPUs apart", all(len(each) == 2 and not each[0] & each[1] for each in devices.values()), devices)
    report.equal("roles-share told GPUs", [one_value(calls, "MUSTER_GPUS_PER_NODE") for calls in (learn, act)], ["6", "2"])
    report.equal("roles-share told CPUs", [one_value(calls, "SLURM_CPUS_PER_TASK") for calls in (learn, act)],
                 [one_value(calls, "MUSTER_CPUS") for calls in (learn, act)])
    report.equal("roles-share addresses", [one_value(calls, f"MUSTER_ADDR_{name}") for calls in (learn, act) for name in ("LEARN", "ACT")], hosts[:1] * 4)
    ports = [one_value(calls, "MUSTER_PORT") for calls in (learn, act)]
    report.check("roles-share ports differ", len(set(ports)) == 2, ports)
    report.check("roles-share at the same time", act and learn and max(call["begin"] for call in act) < min(call["begin"] for call in learn), len(act))
    report.equal("roles-share act ends with learn", sorted({tuple(call["signals"][:1]) for call in act}), [("SIGTERM",)])
    ended(report, job, state)


def share_unlike(report, lab):
    """Two roles divide the nodes of one component of a heterogeneous job, and a folder of the job is on the nodes of all."""
    job, state = submitted(report, lab, "roles-share-unlike")
    if not job:
        return
    learn, act, data = (job.calls("probe", first) for first in ("learn", "act", "data"))
    report.equal("roles-share-unlike nodes", [len(learn), where(act), len(data)], [2, where(learn), 1])
    report.check("roles-share-unlike data is elsewhere", learn and data and not set(where(data)) & set(where(learn)), where(data))
    for host in where(learn):
        own = [set(call["env"].get("CUDA_VISIBLE_DEVICES", "").split(",")) for call in learn + act if call["env"].get("SLURMD_NODENAME") == host]
        report.check(f"roles-share-unlike GPUs apart on {host}", [len(each) for each in own] == [6, 2] and not own[0] & own[1], own)
    report.equal("roles-share-unlike act ends with the others", sorted({tuple(call["signals"][:1]) for call in act}), [("SIGTERM",)])
    folder = learn[0]["argv"][1] if learn else ""
    report.equal("roles-share-unlike data starts in the job's folder", [call["cwd"] for call in data], [folder])
    report.check("roles-share-unlike the folder is gone", pathlib.Path(folder).stem == str(job.number) and not pathlib.Path(folder).exists(), folder)
    ended(report, job, state)


def roles_logs(report, lab):
    """Each role's output is in a file of its own."""
    job, state = submitted(report, lab, "roles-logs")
    if not job:
        return
    said = {}
    for role in ("learn", "act"):
        path = lab.root / "logs" / f"{role} of {job.number}.out"
        said[role] = path.read_text() if path.exists() else f"no file {path}"
    report.equal("roles-logs", said, {"learn": "it learns\n", "act": "it acts\n"})
    ended(report, job, state)


def replicas(report, lab):
    """Copies that start together: nodes, ranks and heads of their own."""
    job, state = submitted(report, lab, "replicas")
    if not job:
        return
    hosts = lab.cluster.hosts(state.get("NodeList"))
    seen = sorted(tuple(call["env"].get(name) for name in ("SLURMD_NODENAME", "MUSTER_REPLICA", "MUSTER_NODE_RANK", "MUSTER_HEAD_ADDR"))
                  for call in job.calls("probe"))
    report.equal("replicas places", seen, [(host, str(i // 2), str(i % 2), hosts[i // 2 * 2]) for i, host in enumerate(hosts)])
    report.equal("replicas number", len(hosts), 4)
    ended(report, job, state)


def needs(report, lab):
    """What stands around the program is there on every node."""
    job, state = submitted(report, lab, "needs")
    if not job:
        return
    calls = job.calls("probe", "needs")
    want = {"HF_TOKEN": "s3cret $HOME", "KEY": "inherited", "MUSTER_PORT_WEB_UI": "8080", "NCCL_SOCKET_IFNAME": "it's bond0", "FROM_FABRIC": "2 nodes"}
    report.equal("needs environment", {name: one_value(calls, name) for name in want}, want)
    folder = pathlib.Path(one_value(calls, "MUSTER_DIR") or "/none")
    file, secret = folder / "conf/a b.txt", folder / "it's/token"
    report.equal("needs file", [file.read_text(), file.stat().st_mode & 0o777] if file.exists() else str(file), ["  one $HOME\n  'two'\n", 0o640])
    report.equal("needs secret file", [secret.read_text(), secret.stat().st_mode & 0o777] if secret.exists() else str(secret), ["s3cret $HOME", 0o600])
    report.equal("needs two nodes", len(calls), 2)
    ended(report, job, state)


def preflight(report, lab):
    """Before the program: a look at every node, and a rank for each GPU with its share of the cores."""
    job, state = submitted(report, lab, "preflight")
    if not job:
        return
    looks, ranks_of, calls = job.calls("nvidia-smi"), job.calls("all_reduce_perf"), job.calls("probe", "preflight")
    report.equal("preflight looks at each node", len(set(where(looks))), 2)
    report.equal("preflight ranks", sorted(int(call["env"].get("SLURM_PROCID", -1)) for call in ranks_of), list(range(16)))
    report.equal("preflight cores of a rank", one_value(ranks_of, "SLURM_CPUS_PER_TASK"), "4")
    report.check("preflight comes first", ranks_of and calls and max(c["begin"] for c in ranks_of) < min(c["begin"] for c in calls))
    ended(report, job, state)


def roles_retry(report, lab):
    """A failed role brings another attempt of the whole job."""
    job, state = submitted(report, lab, "roles-retry")
    if not job:
        return
    shaky, steady = (sorted(call["env"].get("MUSTER_ATTEMPT") for call in job.calls("probe", first)) for first in ("shaky", "steady"))
    report.equal("roles-retry attempts", shaky, ["0", "1"])
    # An attempt may end before its other role has started.
    report.check("roles-retry the other role has no attempt of its own", set(steady) <= {"0", "1"} and len(set(steady)) == len(steady), steady)
    ended(report, job, state)


SCENARIOS = (needs, preflight, roles_retry, roles, roles_fail, unlike, beside, share, share_unlike, roles_logs, replicas)
