"""Jobs for a random site: workloads whose roles may go to several pools, and manifests as people write them. Each says which
pools it allows, from its own text and the site alone."""
import dataclasses

from . import drawn_manifests, gangs
from .random_sites import MODELS, ZONE

SPEC_KINDS = {"kueue": ("job", "jobset", "jobset", "pytorchjob", "trainjob", "mpijob", "rayjob", "lws"),
              "volcano": ("volcano-job", "volcano-job", "job", "jobset", "pytorchjob", "mpijob", "rayjob", "lws")}
RAW_KINDS = {"kueue": tuple(kind for kind in drawn_manifests.KINDS if kind not in drawn_manifests.SCHEDULED_BY_VOLCANO), "volcano": drawn_manifests.SCHEDULED_BY_VOLCANO}
ROLES = ("jobset", "volcano-job")  # kinds that have several roles
ONLY_GPUS = ("mpijob", "rayjob")  # kinds with pods that are no role's
MOST_PODS = 12


@dataclasses.dataclass
class Role:
    """`models`: one of them, as the spec says it; (): any."""
    name: str
    pods: int
    gpus: int
    cpus: int
    memory: int  # MiB
    models: tuple = ()

    @property
    def amounts(self):
        return self.gpus, self.cpus, self.memory

    def text(self):
        gpu = ""
        if self.gpus:
            gpu = f"gpus = {self.gpus}  " + (f"gpu = {self.models[0]}  " if len(self.models) == 1 else f"gpu = [{', '.join(self.models)}]  " if self.models else "")
        return f"resources {{ nodes = {self.pods}  {gpu}cpus = {self.cpus}  memory = {self.memory}MiB }}"


@dataclasses.dataclass
class Spec:
    """`conditions`: what `require` says, and whether a pool meets it. `near`: all pods in one leaf."""
    name: str
    kind: str
    tenant: object
    roles: list
    conditions: list = dataclasses.field(default_factory=list)
    prefer: str = ""
    near: bool = False

    form, few = "spec", 0

    @property
    def size(self):
        return sum(role.pods for role in self.roles)

    @property
    def target(self):
        return gangs.KINDS[self.kind][0]

    def text(self):
        lines = [gangs.KINDS[self.kind][1].format(limit="1h"), f"account = {self.tenant.name}  queue = {self.tenant.name}", "software = any"]
        lines += [f"role {role.name} {{ {role.text()} }}" for role in self.roles] if len(self.roles) > 1 else [self.roles[0].text()]
        lines += [f"require {text}" for text, _ in self.conditions]
        lines += [f"prefer {self.prefer} weight 3"] if self.prefer else []
        lines += ["topology { within = leaf  required = true }"] if self.near else []
        return f"workload {self.name} {{\n  " + "\n  ".join(lines) + "\n}\n"

    def counts(self, pod, gpus):
        """Whether a pod is of a role, and not one that an operator adds."""
        return gpus > 0 or self.kind not in ONLY_GPUS

    def parts(self, site):
        """(pods, amounts, allowed pools) of each role."""
        return [(role.pods, role.amounts, [pool for pool in site.pools if self.allows(role, pool, site)]) for role in self.roles]

    def allows(self, role, pool, site):
        of_gpus = {pool.resource} if role.gpus and pool.model else set()
        tolerated = set(pool.taints) <= {*site.tolerated, *of_gpus}
        right = pool.gpus >= role.gpus and (not role.models or not role.gpus or pool.model in role.models)
        return tolerated and right and all(holds(pool) for _, holds in self.conditions)

    def __str__(self):
        return " ".join(self.text().split())


@dataclasses.dataclass
class Raw:
    """A manifest, in the namespace of a tenant."""
    drawn: drawn_manifests.Drawn
    tenant: object

    form, near = "manifest", False

    @property
    def name(self):
        return self.drawn.name

    @property
    def kind(self):
        return self.drawn.kind

    @property
    def size(self):
        return self.drawn.size

    @property
    def few(self):
        return self.drawn.few

    def text(self):
        return self.drawn.text().replace("NAMESPACE", self.tenant.space)

    def counts(self, pod, gpus):
        return True

    def parts(self, site):
        found = []
        for part in self.drawn.parts:
            cpus = max(part.millis + part.beside + part.sidecar, part.before + part.sidecar)
            tolerated = set(part.taints) if part.tolerates else set()
            allowed = [pool for pool in site.pools if set(pool.taints) <= tolerated and (not part.gpus or pool.resource == part.resource)
                       and part.selector.items() <= pool.labels.items()]
            found.append((part.pods * self.drawn.groups, (part.gpus, -(-cpus // 1000), part.memory), allowed))
        return found

    def is_whole(self):
        """Whether what its pods hold can be said in whole CPUs."""
        return not drawn_manifests.ADDED.get(self.kind) and all(part.millis % 1000 == 0 and not (part.beside or part.sidecar or part.before) for part in self.drawn.parts)

    def __str__(self):
        where = [f"{part.role}: {part.selector or 'any'}{' tolerates ' + ' '.join(part.taints) if part.tolerates else ''}" for part in self.drawn.parts]
        return f"{self.drawn} {'; '.join(where)}"


# ---- what is drawn ---------------------------------------------------------------------------

def draw_role(dice, site, name, most=MOST_PODS, bare=False):
    """Pods for one of the pools, at the edge of what it has, which may say less of it than its model. `bare`: may be without GPUs."""
    pool = dice.choice([pool for pool in site.pools if pool.model or (bare and dice.random() < 0.5)] or [pool for pool in site.pools if pool.model])
    gpus = dice.choice([size for size in (1, 2, 4, 8) if size <= pool.gpus] + [pool.gpus]) if pool.model else 0
    room = pool.gpus // gpus if gpus else dice.choice((1, 2, 4))
    fair = max(pool.room[1] // room, 1)
    cpus = dice.choice((1, max(fair // 2, 1), max(fair - 1, 1), fair, fair, fair + 1))
    memory = max(dice.choice((1024, 4096, pool.room[2] // room // 2, pool.room[2] // room)), 64)
    edge = pool.nodes * room
    pods = dice.choice((1, 2, edge // 2, edge - 1, edge, edge, edge + 1, dice.randint(1, edge)))
    models = ()
    if gpus and dice.random() < 0.6:
        models = (pool.model,) if dice.random() < 0.7 else tuple(sorted({pool.model, dice.choice(list(MODELS))}))
    return Role(name, min(max(pods, 1), most), gpus, cpus, memory, models)


def draw_condition(dice, site):
    """What a spec may require of pools, and which meet it."""
    pool = dice.choice([pool for pool in site.pools if pool.model])
    least, vendor, memory = pool.gpu_memory, pool.vendor, pool.memory
    found = [(f"gpu.memory >= {least}GB", lambda p: p.gpu_memory >= least), (f"gpu.vendor == {vendor}", lambda p: p.vendor == vendor),
             (f"gpu.memory >= 40GB and gpu.memory <= {least}GB", lambda p: 40 <= p.gpu_memory <= least), (f"node.memory >= {memory}MiB", lambda p: p.memory >= memory)]
    if all(pool.zone for pool in site.pools):
        zone = pool.zone
        found += [(f'pool.zone == "{zone}"', lambda p: p.zone == zone)] * 2
    return dice.choice(found)


def draw_spec(dice, site, name, provider):
    kind = dice.choice(SPEC_KINDS[provider])
    if kind in ROLES and dice.random() < 0.35:
        roles = [draw_role(dice, site, "lead", 2, bare=True), draw_role(dice, site, "rest", 8)]
    else:
        roles = [draw_role(dice, site, "main", bare=kind not in ONLY_GPUS)]
    found = Spec(name, kind, dice.choice(site.tenants), roles)
    with_gpus = all(role.gpus for role in roles)
    if with_gpus and dice.random() < 0.35:
        found.conditions.append(draw_condition(dice, site))
    if with_gpus and dice.random() < 0.25:
        found.prefer = f"gpu.model == {dice.choice([pool.model for pool in site.pools if pool.model])}"
    found.near = site.levels and len(roles) == 1 and dice.random() < 0.2
    return found


def draw_raw(dice, site, name, provider):
    """A manifest in a queue; some select a zone, and some tolerate more than the taint of GPUs."""
    kind, tenant = dice.choice(RAW_KINDS[provider]), dice.choice(site.tenants)
    drawn = drawn_manifests.draw(dice, site.pools, name, tenant.space, kind)
    drawn.queue = tenant.space
    keys = tuple(sorted({key for pool in site.pools for key in pool.taints}))
    zones = sorted({pool.zone for pool in site.pools if pool.zone})
    tolerated = {part.resource: tuple(key for key in keys if key == part.resource or dice.random() < 0.5) or (part.resource,) for part in drawn.parts}
    for part in drawn.parts:
        part.taints = tolerated[part.resource]
        if zones and dice.random() < 0.2:
            part.selector = {**part.selector, ZONE: dice.choice(zones)}
    return Raw(drawn, tenant)
