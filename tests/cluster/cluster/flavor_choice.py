"""Which flavors Kueue gives the pods of a job: of each set of pods, the first of the queue's that its selectors and tolerations allow
and the quotas cover. It compares a selector with the labels that a flavor has, and leaves out all others."""
import collections

import yaml

from . import queues
from .random_sites import AMOUNTS, NOTHING, PLENTY, Limit

FIRST_APART = ("rayjob", "lws", "pytorchjob")  # kinds of specs whose first pod has a template of its own
FEW_WAYS = 4  # so many sets of pods have all their combinations of flavors tried


def templates_of(text):
    """The pod specs. That of a TrainJob is its runtime's, with what it says itself in place of that."""
    documents = [document for document in yaml.safe_load_all(text) if document]
    found = [thing for document in documents for thing in queues.walk(document) if "containers" in thing]
    for job in documents:
        if job["kind"] == "TrainJob" and len(found) < 2:
            own = next((thing for thing in queues.walk(job) if {"nodeSelector", "tolerations", "affinity"} & set(thing)), {})
            found = [{**(found[0] if found else {}), **own, "containers": [{"resources": (job["spec"].get("trainer") or {}).get("resourcesPerNode")}]}]
    return found


def gpus_of(template):
    """[(resource, GPUs)]"""
    limits = [(container.get("resources") or {}).get("limits") or {} for container in template["containers"]]
    return [(name, int(amount)) for one in limits for name, amount in one.items() if name.endswith("/gpu")]


def selected(template):
    """{label: values} of a selector, and of an affinity of one term."""
    found = {key: [value] for key, value in (template.get("nodeSelector") or {}).items()}
    affinity = ((template.get("affinity") or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in (affinity.get("nodeSelectorTerms") or [])[:1]:
        for one in term.get("matchExpressions") or []:
            if one["operator"] == "In":
                found[one["key"]] = one["values"]
    return found


def tolerates(template, key):
    return any(one.get("key") in (None, key) and one.get("effect") in (None, "NoSchedule") and (one.get("operator") == "Exists" or one.get("value") == "present")
               for one in template.get("tolerations") or [])


def matches(template, flavor):
    resources = {name for name, amount in gpus_of(template) if amount}
    if resources and not (flavor.has_gpus and resources == {flavor.pools[0].resource}):
        return False  # it has no quota of them
    if not all(tolerates(template, key) for key in flavor.pools[0].taints):
        return False
    return all(flavor.labels.get(key, values[0]) in values for key, values in selected(template).items())


class FlavorChoice:
    """Of one job: `parts` are [(pods, amounts, allowed pools)]; `used` is what the pods of each tenant and flavor hold."""

    def __init__(self, site, used, job, parts, text):
        self.site, self.used, self.tenant, self.parts = site, used, job.tenant, parts
        templates = [(sum(amount for _, amount in gpus_of(one)), one) for one in templates_of(text)]
        self.seen = [self.seen_by([one for gpus, one in templates if gpus == each[0]], allowed) for _, each, allowed in parts]
        self.sets = [(place, count) for place in range(len(parts)) for count in self.sets_of(job, parts[place][0])]

    def seen_by(self, templates, allowed):
        """The flavors that these templates allow; a TrainJob has none."""
        return [flavor for flavor in self.site.flavors
                if any(matches(one, flavor) for one in templates) or (not templates and any(pool in allowed for pool in flavor.pools))]

    def sets_of(self, job, pods):
        """Pods that get one flavor together."""
        if self.site.levels:
            return [pods]
        if job.form == "spec":
            return [1, pods - 1] if job.kind in FIRST_APART and pods > 1 else [pods]
        if job.kind == "deployment":
            return [1] * pods
        groups = job.drawn.groups if job.kind == "lws" else 1
        return [pods // groups] * groups

    def left(self, flavor, what):
        """How much of a flavor Kueue still has for the tenant: its own, and what its cohort lends, at each level."""
        def limit(of):
            return of.quotas[flavor.name].get(what, Limit(PLENTY)).left(self.used.get((of.name, flavor.name), NOTHING)[what])

        def below(cohort):
            members = [limit(of) for of in self.site.tenants if of.cohort == cohort]
            lent = sum(min(one.nominal, PLENTY if one.lend is None else one.lend) for one in members)
            return lent + sum(below(name) for name, above in self.site.cohorts.items() if above == cohort)

        own = limit(self.tenant)
        if not self.tenant.cohort:
            return own.nominal
        lent = own.nominal if own.lend is None else min(own.nominal, own.lend)
        top = next(name for name, above in self.site.cohorts.items() if not above)
        return own.nominal - lent + min(below(top), PLENTY if own.borrow is None else lent + own.borrow)

    def covers(self, way):
        """`way`: [(part, pods, flavor)]"""
        asked = collections.Counter()
        for place, count, flavor in way:
            asked.update({(flavor.name, what): count * amount for what, amount in zip(AMOUNTS, self.parts[place][1])})
        return all(asked[flavor.name, what] <= self.left(flavor, what) for flavor in {one.name: one for _, _, one in way}.values() for what in AMOUNTS)

    def chosen(self):
        """To each set of pods in turn the first flavor that it may have; None: to one there is none. With a topology a set that is alone
        gets the next one, where nodes of the first are none of its own."""
        way, alone = [], self.site.levels and len(self.sets) == 1
        for place, count in self.sets:
            flavors = [flavor for flavor in self.seen[place] if not alone or any(pool in self.parts[place][2] for pool in flavor.pools)]
            first = next((flavor for flavor in flavors if self.covers([*way, (place, count, flavor)])), None)
            if first is None:
                return None
            way.append((place, count, first))
        return way

    def on_flavors(self, way):
        """Of each flavor the parts that have it, on its pools."""
        found = collections.defaultdict(collections.Counter)
        for place, count, flavor in way:
            found[flavor.name][place] += count
        flavors = {flavor.name: flavor for _, _, flavor in way}
        return [[(count, self.parts[place][1], [pool for pool in flavors[name].pools if pool in self.parts[place][2]]) for place, count in parts.items()]
                for name, parts in found.items()]

    def is_admitted(self, free):
        """Kueue without a topology: whether quota covers all pods, as what all nodes have free does, and one of them finds a node."""
        starts = any(pool in allowed and all(want <= have for want, have in zip(each, has)) for _, each, allowed in self.parts for pool, *has in free)
        sets = self.sets if len(self.sets) <= FEW_WAYS else [(place, part[0]) for place, part in enumerate(self.parts)]
        ways = [[]]
        for place, count in sets:
            ways = [[*way, (place, count, flavor)] for way in ways for flavor in self.site.flavors if any(pool in self.parts[place][2] for pool in flavor.pools)]
        return starts and any(self.covers(way) and self.enough(way, free) for way in ways)

    def enough(self, way, free):
        """Whether the nodes of the flavors have in sum what all pods ask for."""
        asked = [sum(count * self.parts[place][1][of] for place, count, _ in way) for of in range(len(AMOUNTS))]
        return all(want <= sum(has[of] for pool, *has in free if any(pool in flavor.pools for _, _, flavor in way)) for of, want in enumerate(asked))
