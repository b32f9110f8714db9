"""What a controller must know so that it can take a set of scripts: names from their directives, and nodes that are big enough."""
import itertools
import re

from . import directives

CPUS, GPUS, MEMORY_MB = 256, 16, 16_000_000  # of each node
FEWEST_NODES, MOST_NODES = 64, 20_000
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
FEATURE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:=/+-]*")
NODE = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
COUNT = re.compile(r"\d+[kKmMgGtT]?")
BY_SANDBOX = ("gpu", "low")  # partitions that it declares anyway
OWN_MEANING = ("default", "gpu", "mps", "shard", "craynetwork", "none")  # GRES that Slurm treats in its own way


class Needs:
    def __init__(self, texts=()):
        self.partitions, self.features, self.licences, self.reservations, self.named_nodes = set(), set(), set(), set(), set()
        self.gres = {}
        self.nodes = {"": FEWEST_NODES}  # of each GPU type; "" are those of no type
        for text in texts:
            self.add(text)

    def add(self, text):
        counts = {"nodes": 1, "ntasks": 1, "cpus-per-task": 1}
        self.gpu_types = set()  # of this script
        for option, value in directives.options(text):
            take = getattr(self, "take_" + option.replace("-", "_"), None)
            if take:
                take(value)
            if option in counts and (number := re.match(r"(\d+)([kK]?)", value.split("-")[-1])):
                counts[option] = min(int(number[1]) * (1000 if number[2] else 1), 10**7)
        wanted = max(counts["nodes"], -(-counts["ntasks"] * counts["cpus-per-task"] // CPUS))
        for kind in self.gpu_types or {""}:
            self.nodes[kind] = max(self.nodes.get(kind, FEWEST_NODES), min(wanted, MOST_NODES))

    def take_partition(self, value):
        self.partitions.update(names(value.split(",")))

    def take_constraint(self, value):
        self.features.update(names(re.split(r"[&|\[\](),*]", value), FEATURE))

    take_prefer = take_constraint

    def take_licenses(self, value):
        self.licences.update(names(re.split(r"[:*@]", part)[0] for part in re.split("[,;|]", value)))

    def take_reservation(self, value):
        self.reservations.update(names(value.split(",")))

    def take_nodelist(self, value):
        self.named_nodes.update(node for node in expanded(value) if NODE.fullmatch(node))

    take_exclude = take_nodelist

    def take_gres(self, value):
        for part in value.split(","):
            name, *rest = part.removeprefix("gres:").removeprefix("gres/").split(":")
            if name == "gpu":
                self.take_gpus(":".join(rest))
            elif list(names([name])) and name.lower() not in OWN_MEANING:
                self.gres.setdefault(name, set()).update(names(kinds(rest)))

    def take_gpus(self, value):
        for part in value.split(","):
            self.gpu_types.update(names(kinds(part.split(":"))))

    take_gpus_per_node = take_gpus_per_task = take_gpus_per_socket = take_gpus

    # ---- slurm.conf ------------------------------------------------------------------------

    def node(self, name, gpus):
        """Down: what is submitted stays as it was asked for, and what could never be placed is refused all the same."""
        others = [f"{gres}:{kind}:1T" if kind else f"{gres}:1T" for gres, types in sorted(self.gres.items()) for kind in sorted(types) or [""]]
        return (f"NodeName={name} NodeAddr=127.0.0.1 CPUs={CPUS} Sockets=2 CoresPerSocket={CPUS // 4} ThreadsPerCore=2 "
                f"RealMemory={MEMORY_MB} TmpDisk=100000000 State=DOWN Gres={','.join(gpus + others)} "
                f"Feature={','.join(sorted(self.features)) or 'none'}")

    def configuration(self):
        """Lines for slurm.conf."""
        lines = ["MaxArraySize=4000001", "MaxJobCount=4100000", "FirstJobId=61000001", "MinJobAge=2", "SlurmdTimeout=0",
                 f"GresTypes={','.join(['gpu', *sorted(self.gres)])}"]
        if self.licences:
            lines.append("Licenses=" + ",".join(f"{name}:1000000" for name in sorted(self.licences)))
        every = []
        for number, (kind, count) in enumerate(sorted(self.nodes.items())):
            every.append(f"gpu:{kind}:{GPUS}" if kind else f"gpu:{GPUS}")
            lines.append(self.node(f"zz-{number}-[1-{count}]", every[-1:]))
        lines += [self.node(name, every[1:] or every) for name in sorted(self.named_nodes)]
        lines += [f"PartitionName={name} Nodes=ALL MaxTime=INFINITE" for name in sorted(self.partitions - set(BY_SANDBOX))]
        lines.append("PartitionName=zz-unnamed Nodes=ALL Default=YES MaxTime=INFINITE")
        return "".join(line + "\n" for line in lines)


def kinds(parts):
    """The type of `type:count` or `type`, if there is one."""
    return parts[:1] if len(parts) > 1 or not COUNT.fullmatch(parts[0] if parts else "0") else []


def names(words, shape=NAME):
    """Those that can be declared; in slurm.conf `DEFAULT` has a meaning of its own."""
    return (word for word in words if shape.fullmatch(word) and word.lower() != "default" and len(word) < 200)


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
