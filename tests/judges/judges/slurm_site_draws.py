"""Random sites as a Slurm controller can have them, and the jobs that are asked for there. Nothing here starts anything."""
import collections
import dataclasses
import random

GPU_TYPES = ("h100", "a100", "l40s", "v100")
FEATURES = ("fast", "ib", "nvme")
TIME_STEP = 20  # minutes: larger than what a judge takes between the description of a site and its last job
RESERVED_AFTER = (70, 130, 250)  # minutes until a later reservation begins: between two steps of a time limit


@dataclasses.dataclass
class Purchase:
    """Nodes that are alike. `type`: of their GPUs; "": they have GPUs without a type; None: they have none."""
    prefix: str
    nodes: list
    sockets: int
    cores: int  # of a socket
    threads: int
    memory: int  # MiB
    type: str | None
    gpus: int
    features: list
    drained: list

    @property
    def cpus(self):
        return self.sockets * self.cores * self.threads

    def conf_line(self):
        gres = f" Gres=gpu:{self.type + ':' if self.type else ''}{self.gpus}" if self.gpus else ""
        features = f" Feature={','.join(self.features)}" if self.features else ""
        return (f"NodeName={','.join(self.nodes)} NodeAddr=127.0.0.1 Port=27001 State=CLOUD CPUs={self.cpus} Sockets={self.sockets} "
                f"CoresPerSocket={self.cores} ThreadsPerCore={self.threads} RealMemory={self.memory}{gres}{features}")


@dataclasses.dataclass
class Partition:
    """`accounts`: that may use it; None: all. `qos`: whose limits it has, or the only one that it allows."""
    name: str
    nodes: list
    max_time: int | None = None  # minutes
    default_time: int | None = None
    max_nodes: int | None = None
    accounts: list | None = None
    own_qos: str | None = None
    allowed_qos: str | None = None

    def conf_line(self):
        words = [f"PartitionName={self.name}", f"Nodes={','.join(self.nodes)}", "PriorityTier=10", "PreemptMode=OFF"]
        words.append(f"MaxTime={self.max_time or 'INFINITE'}")
        words += [f"DefaultTime={self.default_time}"] if self.default_time else []
        words += [f"MaxNodes={self.max_nodes}"] if self.max_nodes else []
        words += [f"AllowAccounts={','.join([*self.accounts, 'others'])}"] if self.accounts else []
        return " ".join(words)

    def qos_words(self):
        """Said once the QOS exist: a controller does not start with names that its database does not have."""
        return ([f"QOS={self.own_qos}"] if self.own_qos else []) + ([f"AllowQos={self.allowed_qos}"] if self.allowed_qos else [])


@dataclasses.dataclass
class Account:
    """Limits as sacctmgr spells them, such as {"GrpTRES": "cpu=8"}; `user`: those of the user in the account."""
    name: str
    parent: str | None
    limits: dict
    qos: list
    user: dict


@dataclasses.dataclass
class Reservation:
    """`after`: minutes until it begins; `accounts` empty: a maintenance."""
    name: str
    nodes: list
    after: int
    minutes: int
    accounts: list


@dataclasses.dataclass
class Job:
    """The options of a script; `edge`: the one that is searched for the largest value that fits, with its step."""
    options: dict
    edge: str | None = None
    step: int = 1
    most: int = 0  # what the edge is looked for below
    spec: bool = False  # asked for as a workload of muster's language: nodes, CPUs, memory and GPUs of a node

    def with_edge(self, value):
        return self.with_option(self.edge, value)

    def of_type(self, kind):
        """The job with a type of GPUs, where it asks for GPUs of any."""
        old, gpus = self.options.get("gres", ("", 0))
        return self if old or not gpus or not kind else self.with_option("gres", (kind, gpus))

    def with_option(self, name, value):
        return dataclasses.replace(self, options={**self.options, name: value})

    def lines(self):
        return [option_line(name, value) for name, value in self.options.items()]

    def text(self):
        return " ".join(self.lines())

    def workload(self):
        """The same request in muster's language."""
        asked = self.options
        kind, gpus = asked.get("gres", ("", 0))
        lines = [f"account = {asked['account']}"] + [f"queue = {asked[name]}" for name in ("partition",) if name in asked]
        lines += [f"time-limit = {asked['time']}m"] if "time" in asked else []
        sizes = [f"nodes = {asked['nodes']}", f"cpus = {asked['cpus-per-task']}", f"memory = {asked['mem']}MiB"]
        sizes += [f"gpus = {gpus}"] * bool(gpus) + [f"gpu = {kind}"] * bool(kind) + ["exclusive = true"] * ("exclusive" in asked) + ["smt = false"] * ("hint" in asked)
        return "workload asked {\n  kind = batch\n" + "".join(f"  {line}\n" for line in lines) + f"  resources {{ {'  '.join(sizes)} }}\n  command = [\"probe\"]\n}}\n"

    def script(self):
        return "#!/bin/bash\n" + "".join(f"#SBATCH {line}\n" for line in self.lines()) + "srun probe\n"


@dataclasses.dataclass
class Site:
    number: int
    purchases: list
    partitions: list  # the first is the default one
    accounts: list
    qos: dict  # name: what sacctmgr is told
    reservations: list
    fillers: list
    jobs: list  # candidates
    asked: int = 0  # how many of them are asked for

    @property
    def name(self):
        return f"s{self.number}"

    def most_common_type(self):
        """Of GPUs; "": it has none with a type."""
        nodes = collections.Counter()
        for purchase in self.purchases:
            nodes[purchase.type or ""] += len(purchase.nodes) if purchase.gpus else 0
        return max(nodes, key=nodes.get)

    def nodes(self):
        return [node for purchase in self.purchases for node in purchase.nodes]


def option_line(name, value):
    """GPUs are drawn as a pair of type and count."""
    if isinstance(value, tuple):
        kind, count = value
        typed = f"{kind}:" if kind else ""
        value = f"gpu:{typed}{count}" if name == "gres" else f"{typed}{count}"
    if name.startswith("mem"):
        value = f"{value}M" if value else "0"
    return f"--{name}" if value is None else f"--{name}={value}"


# ---- machines ----------------------------------------------------------------------------------

def draw_purchase(draw, site, place):
    prefix = f"s{site}p{place}unk"  # the sandbox waits for its own nodes, and leaves out those with `unk` in their line
    nodes = [f"{prefix}{number}" for number in range(1, draw.randint(1, 6) + 1)]
    sockets, cores, threads = draw.choice((1, 2, 2)), draw.choice((2, 4, 7, 8, 16)), draw.choice((1, 1, 2, 2, 4))
    kind, gpus = draw.choice((None, None, "", *GPU_TYPES)), 0
    if kind is not None:
        gpus = draw.choice((1, 2, 4, 4, 8))
    features = draw.sample(FEATURES, draw.choice((0, 0, 1, 2)))
    if kind == "" and draw.random() < 0.7:
        features.append(draw.choice(GPU_TYPES))
    drained = draw.sample(nodes, draw.choice((0, 0, 0, 1)) if len(nodes) > 1 else 0)
    return Purchase(prefix, nodes, sockets, cores, threads, draw.choice((32_000, 64_000, 257_500)), kind, gpus, features, drained)


def draw_partitions(draw, site, purchases):
    """One of all nodes, or of some purchases, or of nodes of several; a node may be in two."""
    every = [node for purchase in purchases for node in purchase.nodes]
    out = [Partition(f"s{site}main", every)]
    for place in range(draw.choice((0, 1, 1, 2))):
        some = draw.sample(purchases, draw.randint(1, len(purchases)))
        nodes = [node for purchase in some for node in purchase.nodes]
        if draw.random() < 0.4:
            nodes = draw.sample(nodes, draw.randint(1, len(nodes)))
        out.append(Partition(f"s{site}part{place}", nodes))
    for partition in out:
        partition.max_time = draw.choice((None, None, 60, 240, 2880))
        partition.default_time = draw.choice((None, None, 30, 60))
        partition.max_nodes = draw.choice((None, None, None, 1, 2, 4))
    return out


# ---- accounts, QOS, reservations ----------------------------------------------------------------

def draw_tres(draw, purchases, spare):
    """Some limits of TRES at the size of the jobs; `spare` leaves room for more than one."""
    out = []
    if draw.random() < 0.4:
        out.append(f"cpu={draw.choice((8, 12, 30, 64, 128))}")
    if draw.random() < 0.4:
        out.append(f"gres/gpu={draw.choice((1, 2, 4, 6, 8))}")
    if draw.random() < 0.3:
        out.append(f"node={draw.choice((1, 2, 3, 5))}")
    if spare and draw.random() < 0.2:
        out.append(f"mem={draw.choice((20_000, 64_000, 200_000))}M")
    return ",".join(out)


def draw_limits(draw, purchases, chance):
    out = {}
    if draw.random() < chance:
        out["GrpTRES"] = draw_tres(draw, purchases, True)
    if draw.random() < chance:
        out["MaxTRES"] = draw_tres(draw, purchases, False)
    if draw.random() < chance / 2:
        out["MaxWall"] = draw.choice((40, 120, 1440))
    return {name: value for name, value in out.items() if value}


def draw_accounts(draw, site, purchases, qos):
    """A group, and one or two accounts below it. What a QOS limits, no account does."""
    group = Account(f"s{site}", None, draw_limits(draw, purchases, 0.3), [], {})
    limited = {name for limits in qos.values() for name in limits}  # of those limits a QOS replaces the accounts' own
    out = [group]
    for place in range(draw.choice((1, 2))):
        user = {"MaxJobs": draw.choice((1, 2))} if draw.random() < 0.2 else {}
        out.append(Account(f"s{site}team{place}", group.name, draw_limits(draw, purchases, 0.3), [*qos, "normal"], user))
    for account in out:
        account.limits = {name: value for name, value in account.limits.items() if {"MaxTRES": "MaxTRESPerJob"}.get(name, name) not in limited}
    return out


def draw_qos(draw, site, purchases):
    out = {}
    if draw.random() < 0.5:
        limits = draw_limits(draw, purchases, 0.5)
        out[f"s{site}qos"] = {{"MaxTRES": "MaxTRESPerJob"}.get(name, name): value for name, value in limits.items()}
    return out


def give_qos(draw, partitions, qos):
    """Some partition has the limits of a QOS, or allows jobs of that QOS alone; the default one, where others are, does not."""
    for name, limits in qos.items():
        partition = draw.choice(partitions)
        if partition is partitions[0] or draw.random() < 0.5:
            partition.own_qos = name
            limits.pop("GrpTRES", None)  # the jobs of others would count, and what a QOS has in use is not imported
        else:
            partition.allowed_qos = name


def draw_reservations(draw, site, nodes, accounts):
    """Nodes that a reservation has are in no other one."""
    left, out = list(nodes), []
    for place in range(draw.choice((0, 0, 1, 1, 2))):
        some = draw.sample(left, draw.randint(1, len(left)) if draw.random() < 0.3 else min(len(left), draw.randint(1, 3))) if left else []
        left = [node for node in left if node not in some]
        later = draw.random() < 0.6
        owners = [draw.choice(accounts).name] if draw.random() < 0.5 else []
        if some:
            out.append(Reservation(f"s{site}res{place}", some, draw.choice(RESERVED_AFTER) if later else 0, draw.choice((60, 690)), owners))
    return out


# ---- jobs ----------------------------------------------------------------------------------------

def draw_fillers(draw, purchases, partitions):
    """Jobs that run before anything is asked for, each on one node."""
    for purchase in purchases:
        for node in draw.sample(purchase.nodes, draw.randint(0, len(purchase.nodes))):
            if node in purchase.drained:
                continue
            options = {"partition": partitions[0].name, "nodes": 1, "nodelist": node, "ntasks": 1, "time": 30,
                       "cpus-per-task": draw.choice((1, 2, max(1, purchase.cpus // 3), purchase.cpus // 2))}
            if draw.random() < 0.9:
                options["mem"] = draw.choice((500, purchase.memory // 4, purchase.memory // 2))
            if purchase.gpus and draw.random() < 0.6:
                options["gres"] = (purchase.type if draw.random() < 0.5 else "", draw.choice((1, max(1, purchase.gpus // 2), purchase.gpus)))
            yield Job(options)


def draw_size(draw, purchase):
    """Nodes, tasks and CPUs, in the ways that people write them."""
    shape = draw.choice(("nodes", "per-node", "per-node", "tasks", "both"))
    if shape == "nodes":
        return {"nodes": draw.randint(1, 4), "cpus-per-task": draw.choice((1, 3, purchase.cpus // 2, purchase.cpus))}
    if shape == "per-node":
        tasks = draw.choice((1, 2, 3, purchase.cores))
        return {"nodes": draw.randint(1, 4), "ntasks-per-node": tasks, "cpus-per-task": draw.choice((1, 2, 3, max(1, purchase.cpus // tasks)))}
    if shape == "tasks":
        return {"ntasks": draw.choice((1, 3, 8, purchase.cpus)), "cpus-per-task": draw.choice((1, 1, 2, 5))}
    nodes = draw.randint(1, 3)
    return {"nodes": nodes, "ntasks": nodes * draw.choice((1, 2, 4)), "cpus-per-task": draw.choice((1, 2, 4))}


def draw_gpus(draw, purchases):
    kinds = [purchase for purchase in purchases if purchase.gpus]
    if not kinds or draw.random() < 0.4:
        return {}
    purchase = draw.choice(kinds)
    kind = purchase.type if draw.random() < 0.5 else ""
    return {draw.choice(("gres", "gres", "gpus-per-node")): (kind, draw.choice((1, 2, purchase.gpus)))}


def draw_rest(draw, purchases, purchase, options):
    if draw.random() < 0.85:
        options.update(draw.choice(({"mem": draw.choice((500, 8000, purchase.memory // 2))}, {"mem": purchase.memory}, {"mem-per-cpu": draw.choice((250, 1000, 2000))},
                                    {"mem": draw.choice((1000, 20_000))})))
    if draw.random() < 0.15:
        options["exclusive"] = None
    if draw.random() < 0.2:
        options["hint"] = "nomultithread"
    features = sorted({feature for one in purchases for feature in one.features})
    if features and draw.random() < 0.12:
        options["constraint"] = draw.choice((draw.choice(features), "&".join(features[:2]), "|".join(features[:2])))


def draw_edge(draw, purchases, options, reserved):
    """The option to search, its step, and a value that no site can have."""
    nodes = sum(len(purchase.nodes) for purchase in purchases) + 1
    cpus, memory = max(purchase.cpus for purchase in purchases), max(purchase.memory for purchase in purchases)
    most = {"nodes": nodes, "ntasks": nodes * cpus, "ntasks-per-node": cpus + 1, "cpus-per-task": cpus + 1, "mem": memory + 1, "mem-per-cpu": memory + 1,
            "gres": 9, "gpus-per-node": 9, "time": 3000 // TIME_STEP}
    names = [name for name in options if name in most]
    if "time" in names and reserved and draw.random() < 0.5:
        names = ["time"]
    name = draw.choice(names)
    return name, TIME_STEP if name == "time" else 1, most[name]


def draw_job(draw, purchases, partitions, accounts, reservations):
    purchase = draw.choice(purchases)
    options = {"account": draw.choice(accounts[1:]).name, **draw_size(draw, purchase), **draw_gpus(draw, purchases)}
    draw_rest(draw, purchases, purchase, options)
    partition = draw.choice(partitions)
    if partition is not partitions[0] or draw.random() < 0.4:
        options["partition"] = partition.name
    if draw.random() < (0.9 if reservations else 0.6):
        options["time"] = TIME_STEP * draw.choice((1, 2, 3, 6, 12, 30))
    if partition.allowed_qos:
        options["qos"] = partition.allowed_qos
    own = [one for one in reservations if options["account"] in one.accounts]
    if reservations and draw.random() < (0.5 if own else 0.1):
        options["reservation"] = draw.choice(own or reservations).name
    edge, step, most = draw_edge(draw, purchases, options, reservations)
    return Job(options, edge, step, most)


def draw_spec(draw, purchases, partitions, accounts):
    """A workload says what it wants of a node."""
    purchase, partition = draw.choice(purchases), draw.choice([one for one in partitions if not one.allowed_qos])
    options = {"account": draw.choice(accounts[1:]).name, "nodes": draw.randint(1, 3), "cpus-per-task": draw.choice((1, 3, purchase.cpus // 2)),
               "mem": draw.choice((500, 8000, purchase.memory // 2))}
    if purchase.gpus:
        options["gres"] = (purchase.type if draw.random() < 0.6 else "", draw.choice((1, purchase.gpus)))
    if partition is not partitions[0] or draw.random() < 0.4:
        options["partition"] = partition.name
    if draw.random() < 0.7:
        options["time"] = TIME_STEP * draw.choice((1, 2, 6, 12))
    options.update({name: None for name in ("exclusive",) if draw.random() < 0.15})
    options.update({"hint": "nomultithread"} if draw.random() < 0.2 else {})
    edge, step, most = draw_edge(draw, purchases, options, [])
    return Job(options, edge, step, most, True)


def draw_site(number, seed, jobs):
    """Each edge is asked for with two jobs: what fits, and one unit more."""
    draw = random.Random(seed * 1_000_003 + number)
    purchases = [draw_purchase(draw, number, place) for place in range(draw.randint(2, 4))]
    partitions = draw_partitions(draw, number, purchases)
    qos = draw_qos(draw, number, purchases)
    give_qos(draw, partitions, qos)
    accounts = draw_accounts(draw, number, purchases, qos)
    reservations = draw_reservations(draw, number, [node for purchase in purchases for node in purchase.nodes], accounts[1:])
    fillers = list(draw_fillers(draw, purchases, partitions))
    asked = []
    while len(asked) < 4 * jobs:
        is_spec = draw.random() < 0.2
        job = draw_spec(draw, purchases, partitions, accounts) if is_spec else draw_job(draw, purchases, partitions, accounts, reservations)
        asked.append(job if draw.random() < 0.85 else dataclasses.replace(job, edge=None))
    return Site(number, purchases, partitions, accounts, qos, reservations, fillers, asked, jobs)
