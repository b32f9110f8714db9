"""Random sites of pods, drawn from a seed: two to four pools that are not alike, zones, taints, leaves, nodes that are cordoned
or partly used; flavors of Kueue, tenants with quotas, cohorts that lend. One value says what a site is; the text of its
muster file and the objects of its cluster are both made of it."""
import dataclasses

from . import queues

LEVEL, ZONE, POOL = "example.com/leaf", "topology.kubernetes.io/zone", "example.com/pool"
FLAVOR = "example.com/flavor"  # of the nodes of several pools that are one
TEAM = "example.com/team"  # the key of a taint that is not about GPUs
PLENTY = 10**6  # of what a quota does not limit
AMOUNTS = ("gpus", "cpus", "memory")  # of pods and nodes, in this order; memory in MiB
NOTHING = dict.fromkeys(AMOUNTS, 0)
# Models: vendor, memory of a GPU in GB, GPUs of a node.
MODELS = {"h100": ("nvidia", 80, 8), "a100": ("nvidia", 40, 4), "l40s": ("nvidia", 48, 4), "h200": ("nvidia", 141, 8), "mi300x": ("amd", 192, 8)}
RESOURCES = {"nvidia": "nvidia.com/gpu", "amd": "amd.com/gpu"}
LABELS = {"nvidia": "nvidia.com/gpu.product", "amd": "amd.com/gpu.product-name"}
OPERATORS = {"training-operator": "1.9", "trainer": "2.3", "jobset": "0.12", "kuberay": "1.6", "lws": "0.9", "mpi-operator": "0.8"}


@dataclasses.dataclass
class Pool:
    """Nodes of one kind. `model`: "" of nodes without GPUs. `held`: of some nodes GPUs, CPUs and MiB that others have."""
    name: str
    host: str
    model: str
    nodes: int
    gpus: int
    cpus: int
    memory: int
    reserved: tuple  # CPUs, MiB
    leaf: int
    zone: str = ""
    taints: tuple = ()  # keys
    drained: tuple = ()
    held: dict = dataclasses.field(default_factory=dict)
    label: dict = dataclasses.field(default_factory=dict)
    joined: dict = dataclasses.field(default_factory=dict)  # the label of the flavor that it has with other pools
    slices = 0

    @property
    def vendor(self):
        return MODELS[self.model][0] if self.model else ""

    @property
    def resource(self):
        return RESOURCES[self.vendor] if self.model else RESOURCES["nvidia"]

    @property
    def gpu_memory(self):
        return MODELS[self.model][1] if self.model else 0

    @property
    def room(self):
        """What pods can have of an empty node: GPUs, CPUs, MiB."""
        return self.gpus, self.cpus - self.reserved[0], self.memory - self.reserved[1]

    @property
    def labels(self):
        """What selectors may ask for."""
        return {**self.label, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", **({ZONE: self.zone} if self.zone else {})}

    def node(self, place):
        return f"{self.host}-n{place + 1}"

    def leaf_of(self, place):
        return f"{self.host}-leaf{place // self.leaf}"

    def text(self, in_use, more):
        """`more`: so many nodes that the cluster lacks."""
        hosts = [f"{self.host}-n[1-{self.nodes}]"] + ([f"{self.host}-x[1-{more}]"] if more else [])
        lines = [f'nodes = "{",".join(hosts)}"  leaf-size = {self.leaf}']
        if self.model:
            vendor = "  vendor = amd" if self.vendor == "amd" else ""
            lines.append(f"gpu {{ model = {self.model}  memory = {self.gpu_memory}GB  count = {self.gpus}{vendor} }}")
        lines.append(f"node {{ cpus = {self.cpus}  memory = {self.memory}MiB  reserve-cpus = {self.reserved[0]}  reserve-memory = {self.reserved[1]}MiB }}")
        lines += [f'zone = "{self.zone}"'] if self.zone else []
        lines += [f'taint "{key}" {{ value = "present" }}' for key in self.taints]
        lines += [f'drained = "{",".join(self.node(place) for place in self.drained)}"'] if self.drained else []
        held = [(self.node(place), amounts) for place, amounts in self.held.items()]
        for place, (node, (gpus, cpus, memory)) in enumerate(held + [use for use in in_use if use[0].startswith(f"{self.host}-n")]):
            gpu = f"gpus = {gpus}  " if self.model else ""
            lines.append(f'in-use u{place} {{ nodes = "{node}"  {gpu}cpus = {cpus}  memory = {memory}MiB }}')
        return "\n    ".join([f"pool {self.name} {{", *lines]) + "\n  }"

    def machines(self, levels):
        for place in range(self.nodes):
            labels = {**self.labels, **self.joined, POOL: self.host, **({LEVEL: self.leaf_of(place)} if levels else {})}
            has = {"cpu": str(self.cpus), "memory": f"{self.memory}Mi", "pods": "110", **({self.resource: str(self.gpus)} if self.gpus else {})}
            gives = {**has, "cpu": str(self.room[1]), "memory": f"{self.room[2]}Mi"}
            yield {"name": self.node(place), "labels": labels, "capacity": has, "allocatable": gives, "drained": place in self.drained,
                   "taints": [{"key": key, "value": "present", "effect": "NoSchedule"} for key in self.taints]}


@dataclasses.dataclass
class Limit:
    """Of one resource of a flavor: what a member has, and the most that it borrows and lends; None: all that there is."""
    nominal: int
    borrow: int = None
    lend: int = None

    def left(self, used):
        """What is the same with nothing used: of what is kept for oneself, that goes first."""
        kept = 0 if self.lend is None else max(0, self.nominal - self.lend - used)
        nominal = self.nominal - used
        return Limit(nominal, self.borrow, None if self.lend is None else nominal - kept)


@dataclasses.dataclass
class Flavor:
    name: str  # as muster's file and the cluster say it
    pools: list
    labels: dict

    @property
    def has_gpus(self):
        return bool(self.pools[0].model)

    def sum(self, of):
        return sum(pool.nodes * pool.room[of] for pool in self.pools)


@dataclasses.dataclass
class Tenant:
    name: str
    space: str
    cohort: str = ""
    quotas: dict = dataclasses.field(default_factory=dict)  # {flavor: {of AMOUNTS: Limit}}


class RandomSite:
    """`provider`: `kueue`, `kueue-topology` or `volcano`. `space`: a name that no other cell of the cluster has."""

    def __init__(self, dice, provider, space):
        self.dice, self.provider, self.space = dice, provider, space
        self.by_kueue, self.levels = provider != "volcano", provider == "kueue-topology"
        self.tolerated = tuple(sorted(key for key in (TEAM, *RESOURCES.values()) if dice.random() < 0.5))
        self.zones = dice.random() < 0.3
        self.pools = [self.pool(place, model) for place, model in enumerate(self.models())]
        self.flavors = self.draw_flavors()
        self.tenants = [Tenant(f"team{i}", f"{space}-team{i}") for i in range(1 if dice.random() < 0.5 else 2)]
        self.cohorts = {}  # name: parent
        if self.by_kueue and dice.random() < 0.6:
            self.cohorts = {"all": ""} if dice.random() < 0.6 else {"all": "", "part": "all"}
            for tenant in self.tenants:
                tenant.cohort = dice.choice(list(self.cohorts))
        for tenant in self.tenants:
            self.draw_quotas(tenant)

    # ---- what is drawn -----------------------------------------------------------------------

    def models(self):
        """Two to four pools: GPUs of two purchases, models or vendors, and mostly nodes without GPUs."""
        first = self.dice.choice(list(MODELS))
        found = [first] + [self.dice.choice((first, *MODELS)) for _ in range(self.dice.choice((0, 1, 1, 2)))]
        if len(found) == 1 or self.dice.random() < 0.7:
            found.append("")
        self.dice.shuffle(found)
        return found

    def pool(self, place, model):
        dice = self.dice
        vendor, _, gpus = MODELS[model] if model else ("", 0, 0)
        nodes = dice.randint(1, 4) if model else dice.randint(1, 3)
        cpus = dice.choice((32, 64, 96)) if gpus == 8 else dice.choice((16, 32))
        reserved = (0, 0) if dice.random() < 0.5 else (dice.choice((1, 2)), dice.choice((2000, 8000)))
        found = Pool(f"p{place}", f"{self.space}-p{place}", model, nodes, gpus, cpus, cpus * dice.choice((4000, 8000)), reserved, dice.randint(1, nodes))
        found.label = {LABELS[vendor]: f"{self.space}-{model}"} if model else {}
        found.zone = dice.choice(("z1", "z2")) if self.zones else ""
        found.taints = tuple(([found.resource] if model and dice.random() < 0.5 else []) + ([TEAM] if dice.random() < 0.15 else []))
        # Kueue without a topology counts quota, which administrators do not set for nodes that are not there.
        if self.provider != "kueue":
            if nodes > 1 and dice.random() < 0.15:
                found.drained = (dice.randrange(nodes),)
            for node in range(nodes):
                if model and dice.random() < 0.2:
                    found.held[node] = (dice.randint(1, gpus - 1), dice.randint(1, 4), 4096)
        return found

    def draw_flavors(self):
        """Each pool is a flavor, or several of one model are one."""
        found, joined = [], {}
        for pool in self.pools:
            if pool.model and pool.model in joined and joined[pool.model].pools[0].taints == pool.taints:
                joined[pool.model].pools.append(pool)
                continue
            found.append(Flavor(pool.name, [pool], {**pool.label, POOL: pool.host}))
            if pool.model and self.dice.random() < 0.6:
                joined[pool.model] = found[-1]
        for flavor in found:
            if len(flavor.pools) > 1:
                flavor.name = f"all-{flavor.pools[0].model}"
                joined = {FLAVOR: f"{self.space}-{flavor.name}"}
                flavor.labels = {**flavor.pools[0].label, **joined}
                for pool in flavor.pools:
                    pool.joined = joined
        self.dice.shuffle(found)
        return found

    def draw_quotas(self, tenant):
        if not self.by_kueue:
            total = sum(pool.nodes * pool.gpus for pool in self.pools if pool.vendor == "nvidia")
            if total > 1 and self.dice.random() < 0.4:
                tenant.quotas["nvidia"] = {"gpus": Limit(self.dice.choice((total - 1, total // 2, total)))}
            return
        for flavor in self.flavors:
            first = AMOUNTS[not flavor.has_gpus]
            tenant.quotas[flavor.name] = {what: self.limit(tenant, flavor.sum(AMOUNTS.index(what)), what == first)
                                          for what in AMOUNTS if what == first or (self.provider == "kueue" and what != "gpus")}

    def limit(self, tenant, has, is_scarce):
        """Without a topology the quotas of all tenants together are what the nodes have: Kueue looks at nothing else."""
        dice, most = self.dice, has // len(self.tenants) if self.provider == "kueue" else has
        limit = Limit(most if not is_scarce or dice.random() < 0.4 else dice.choice((most - most // 4, most // 2, most // 2, most // 4)))
        if tenant.cohort and dice.random() < 0.5:
            limit.borrow = dice.choice((0, most // 4, most // 2))
        if tenant.cohort and dice.random() < 0.5:
            limit.lend = min(limit.nominal, dice.choice((0, most // 4, most // 2)))
        return limit

    # ---- muster's file -----------------------------------------------------------------------

    def text(self, in_use=(), used=None, large=None):
        """`in_use`: [(node, amounts)] of pods. `used`: {(tenant, flavor): amounts}. `large`: a pool that has plenty of nodes, without limits of tenants:
        the site for which muster writes what does not fit."""
        gang = "kueue" if self.by_kueue else "volcano"
        flags = {"training-operator": '  flags = ["--gang-scheduler-name=volcano"]', "kuberay": '  flags = ["--batch-scheduler=volcano"]'} if gang == "volcano" else {}
        plane = ['kind = kubernetes  version = "1.36"', f'namespace = "{self.tenants[0].space}"', f"gang = {gang}"]
        plane += [f'operator {name} {{ version = "{version}"{flags.get(name, "")} }}' for name, version in OPERATORS.items()]
        plane += [f'level leaf {{ label = "{LEVEL}" }}'] if self.levels else []
        if self.by_kueue:
            plane += [f"flavor {flavor.name} {{ pools = [{', '.join(pool.name for pool in flavor.pools)}] }}" for flavor in self.flavors if len(flavor.pools) > 1]
        body = ["fleet = f", "plane main {\n    " + "\n    ".join(plane) + "\n  }"]
        tolerates = f"  tolerates = [{', '.join(chr(34) + key + chr(34) for key in self.tolerated)}]" if self.tolerated else ""
        body += [f'queue {tenant.name} {{ name = "{tenant.space}"{"  default = true" if tenant is self.tenants[0] else ""}{tolerates} }}' for tenant in self.tenants]
        body += [f'gpu {model} {{ label = "{self.space}-{model}" }}' for model in sorted({pool.model for pool in self.pools if pool.model})]
        body += [f"cohort {name} {{ {f'parent = {above} ' if above else ''}}}" for name, above in self.cohorts.items()] if large is None else []
        body += [self.tenant_text(tenant, used or {}, large) for tenant in self.tenants]
        body.append('software any { image = "registry.example/any:1" }')
        pools = [pool.text(in_use, 200 if pool is large else 0) for pool in self.pools]
        return "fleet f {\n  " + "\n  ".join(pools) + "\n}\nsite s {\n  " + "\n  ".join(body) + "\n}\n"

    def tenant_text(self, tenant, used, large):
        lines = [f'namespace = "{tenant.space}"  accounts = ["{tenant.name}"]  queues = [{tenant.name}]']
        if large is None and tenant.cohort:
            lines.append(f"cohort = {tenant.cohort}")
        for name, limits in tenant.quotas.items():
            inner = [f"pools = [{', '.join(pool.name for pool in self.pools if pool.vendor == name)}]"] if not self.by_kueue else []
            limited = {}
            for what, limit in limits.items():
                left = limit.left(used.get((tenant.name, name), NOTHING)[what]) if large is None else Limit(PLENTY)
                limited[what] = left
                inner.append(f"{what} = {said(what, left.nominal)}")
            for key in ("borrow", "lend"):
                of = [f"{what} = {said(what, getattr(left, key))}" for what, left in limited.items() if getattr(left, key) is not None]
                inner += [f"{key}-limit {{ {'  '.join(of)} }}"] if of else []
            lines.append(f"quota {name} {{ {'  '.join(inner)} }}")
        return f"tenant {tenant.name} {{ " + "\n    ".join(lines) + " }"

    # ---- the cluster's objects ---------------------------------------------------------------

    def objects(self):
        """Flavors, cohorts and queues of Kueue; {} of Volcano, whose queue has a limit alone."""
        def of(kind, name, spec, **meta):
            return {"apiVersion": queues.KUEUE, "kind": kind, "metadata": {"name": name, **meta}, "spec": spec}
        found = []
        for flavor in self.flavors:
            spec = {"nodeLabels": flavor.labels, "nodeTaints": [{"key": key, "value": "present", "effect": "NoSchedule"} for key in flavor.pools[0].taints]}
            found.append(of("ResourceFlavor", self.called(flavor.name), {**spec, **({"topologyName": queues.TOPOLOGY} if self.levels else {})}))
        for name, above in self.cohorts.items():
            found.append(of("Cohort", self.called(name), {"parentName": self.called(above)} if above else {}))
        for tenant in self.tenants:
            spec = {"namespaceSelector": {}, "queueingStrategy": "BestEffortFIFO", "resourceGroups": [self.group(tenant)], **({"cohortName": self.called(tenant.cohort)} if tenant.cohort else {})}
            found += [of("ClusterQueue", tenant.space, spec), of("LocalQueue", tenant.space, {"clusterQueue": tenant.space}, namespace=tenant.space)]
        return found

    def called(self, name):
        return f"{self.space}-{name}"

    def group(self, tenant):
        covered = ["cpu", "memory", *sorted({pool.resource for pool in self.pools})]
        listed = []
        for flavor in self.flavors:
            limits = tenant.quotas[flavor.name]
            of_gpus = flavor.pools[0].resource if flavor.has_gpus else ""
            named = {"cpu": limits.get("cpus", Limit(PLENTY)), "memory": limits.get("memory", Limit(PLENTY * 1000)), of_gpus: limits.get("gpus", Limit(PLENTY))}
            resources = []
            for resource in covered:
                limit, unit = named.get(resource, Limit(0)), "Mi" if resource == "memory" else ""
                amounts = {"nominalQuota": limit.nominal, "borrowingLimit": limit.borrow, "lendingLimit": limit.lend}
                resources.append({"name": resource, **{key: f"{amount}{unit}" for key, amount in amounts.items() if amount is not None}})
            listed.append({"name": self.called(flavor.name), "resources": resources})
        return {"coveredResources": covered, "flavors": listed}

    # ---- where things are --------------------------------------------------------------------

    def pool_of(self, node):
        return next((pool for pool in self.pools if node.startswith(f"{pool.host}-n")), None)

    def quota_of(self, pool):
        """The name of the quota that counts what is on the pool; "": none does."""
        if not self.by_kueue:
            return pool.vendor
        return next(flavor.name for flavor in self.flavors if pool in flavor.pools)


def said(what, amount):
    return f"{amount}MiB" if what == "memory" else str(amount)
