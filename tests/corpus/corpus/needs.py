"""What a controller must know so that it can take a set of scripts: names from their directives, and nodes that are big enough."""
import itertools
import re

from . import directives

CPUS, GPUS, MEMORY_MB = 256, 16, 4_000_000  # of each node
FEWEST_NODES, MOST_NODES = 64, 20_000
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
NODE = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
COUNT = re.compile(r"\d+[kKmMgGtT]?")
BY_SANDBOX = ("gpu", "low")  # partitions that it declares anyway
UNWANTED = ("default", "gpu", "mps", "shard", "craynetwork", "none")  # words with a meaning of their own where names are declared


class Needs:
    def __init__(self, texts=()):
        self.partitions, self.features, self.licences, self.reservations, self.nodes = set(), set(), set(), set(), set()
        self.gpu_types, self.gres = set(), {}
        self.most_nodes, self.most_gpus = FEWEST_NODES, GPUS
        for text in texts:
            self.add(text)

    def add(self, text):
        counts = {"nodes": 1, "ntasks": 1, "cpus-per-task": 1}
        for option, value in directives.options(text):
            take = getattr(self, "take_" + option.replace("-", "_"), None)
            if take:
                take(value)
            if option in counts and (number := re.match(r"(\d+)([kK]?)", value.split("-")[-1])):
                counts[option] = min(int(number[1]) * (1000 if number[2] else 1), 10**7)
        wanted = max(counts["nodes"], -(-counts["ntasks"] * counts["cpus-per-task"] // CPUS))
        self.most_nodes = max(self.most_nodes, min(wanted, MOST_NODES))

    def take_partition(self, value):
        self.partitions.update(names(value.split(",")))

    def take_constraint(self, value):
        self.features.update(names(re.split(r"[&|\[\](),*]", value)))

    take_prefer = take_constraint

    def take_licenses(self, value):
        self.licences.update(names(re.split(r"[:*@]", part)[0] for part in re.split("[,;|]", value)))

    def take_reservation(self, value):
        self.reservations.update(names(value.split(",")))

    def take_nodelist(self, value):
        self.nodes.update(node for node in expanded(value) if NODE.fullmatch(node))

    take_exclude = take_nodelist

    def take_gres(self, value):
        for part in value.split(","):
            name, *rest = part.removeprefix("gres:").removeprefix("gres/").split(":")
            kind = rest[0] if rest and not COUNT.fullmatch(rest[0]) else ""
            if name == "gpu":
                self.take_gpus(":".join(rest))
            elif list(names([name])):
                self.gres.setdefault(name, set()).update(names([kind]))

    def take_gpus(self, value):
        for part in value.split(","):
            kind = part.split(":")[0]
            if not COUNT.fullmatch(kind):
                self.gpu_types.update(names([kind]))

    take_gpus_per_node = take_gpus_per_task = take_gpus_per_socket = take_gpus

    # ---- slurm.conf ------------------------------------------------------------------------

    def node_resources(self):
        gpus = [f"gpu:{kind}:{GPUS}" for kind in sorted(self.gpu_types)] or [f"gpu:{GPUS}"]
        others = [f"{name}:{kind}:1T" if kind else f"{name}:1T" for name, kinds in sorted(self.gres.items()) for kind in sorted(kinds) or [""]]
        return ",".join(gpus + others)

    def configuration(self):
        """Lines for slurm.conf. The nodes are down: what is submitted stays as it was asked for, and what
        could never be placed is refused all the same."""
        shape = (f"NodeAddr=127.0.0.1 CPUs={CPUS} Sockets=2 CoresPerSocket={CPUS // 4} ThreadsPerCore=2 RealMemory={MEMORY_MB} "
                 f"TmpDisk=100000000 State=DOWN Gres={self.node_resources()} Feature={','.join(sorted(self.features)) or 'none'}")
        lines = ["MaxArraySize=4000001", "MaxJobCount=4100000", "FirstJobId=61000001", "MinJobAge=2", "SlurmdTimeout=0",
                 f"GresTypes={','.join(['gpu', *sorted(self.gres)])}"]
        if self.licences:
            lines.append("Licenses=" + ",".join(f"{name}:1000000" for name in sorted(self.licences)))
        lines += [f"NodeName={name} {shape}" for name in [f"zz-node-[1-{self.most_nodes}]", *sorted(self.nodes)]]
        lines += [f"PartitionName={name} Nodes=ALL MaxTime=INFINITE" for name in sorted(self.partitions - set(BY_SANDBOX))]
        lines.append("PartitionName=zz-unnamed Nodes=ALL Default=YES MaxTime=INFINITE")
        return "".join(line + "\n" for line in lines)


def names(words):
    return (word for word in words if NAME.fullmatch(word) and word.lower() not in UNWANTED and len(word) < 200)


def expanded(hostlist, most=2000):
    """The names of `a[1-3,07]b,c`."""
    found = []
    for item in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", hostlist):
        pieces = [part_names(piece) for piece in re.split(r"(\[[^\]]*\])", item)]
        found += ("".join(parts) for parts in itertools.islice(itertools.product(*pieces), most))
    return found[:most]


def part_names(piece):
    if not piece.startswith("["):
        return [piece]
    out = []
    for part in piece[1:-1].split(","):
        first, _, last = part.partition("-")
        if first.isdigit() and last.isdigit() and int(last) - int(first) < 2000:
            out += (f"{number:0{len(first)}d}" for number in range(int(first), int(last) + 1))
        else:
            out.append(part)
    return out
