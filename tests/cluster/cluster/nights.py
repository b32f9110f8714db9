"""Nights on pods: every row of muster's table of failures (`targets/failures.def`) that is a kind's is executed by the real
controllers; what only a kubelet does is played by `nodes.py`. A cell that disagrees fails."""
from . import failures, gangs, outcomes

PATIENCE = 60
LIMIT = "1m"  # the `time-limit` of what has to reach it
SIZE = f"gpus = {gangs.GPUS}  gpu = h100  cpus = {gangs.CPUS}  memory = {gangs.MEMORY}"

# Of each kind: a kind of gangs.py, the number of nodes, and what the workload says instead.
KINDS = {
    "job": ("job", 1, None),
    "jobset": ("jobset", 2, None),
    "pytorchjob": ("pytorchjob", 2, None),
    "pytorchjob, one node": ("pytorchjob", 1, None),
    "pytorchjob, elastic": ("pytorchjob", 2, "2..3"),
    "trainjob": ("trainjob", 2, None),
    "mpijob": ("mpijob", 2, None),
    "rayjob": ("rayjob", 2, None),
    "volcano-job": ("volcano-job", 2, None),
    "lws": ("lws", 2, None),
}
MANY = 4  # runs, after which a program is taken to start for as long as there is the object
SLOW = ("time limit", "node lost", "preempted")


class Night(gangs.Cell):
    """A gang with a night of its own."""

    def __init__(self, lab, kind, provider, failure, setting):
        self.row, self.failure, self.setting = kind, failure, setting
        base, self.size, self.range = KINDS[kind]
        super().__init__(lab, base, provider, f"{failure}, {setting}", count=self.size + 1)
        self.label = f"{kind} on {provider}: {failure}, {setting}"

    def start(self):
        """The gang runs; LookupError where muster refuses it."""
        keys = failures.SETTINGS[self.setting]
        wide = f"resources {{ nodes = {self.range}  {SIZE} }}" if self.range else ""
        # Where the scheduler takes nodes back, there is no other one.
        if self.failure == "preempted":
            self.count = self.size
        self.open().submit("a", self.size, more=keys, roles=wide, limit=LIMIT if self.failure == "time limit" else "1h")
        return self.starts("a", self.size) and self.space.until(lambda: len(self.programs()) == self.ranks(), 30)

    def more_important(self):
        """A gang of another kind takes the nodes back for a moment: not every kind can say how important it is."""
        kind, self.kind = self.kind, "volcano-job" if self.kind == "volcano-job" else "jobset"
        self.target = gangs.KINDS[self.kind][0]
        self.submit("b", self.size, more="priority = high")
        self.starts("b", self.size)
        self.lab.kubelets.end(self.running("b"), 0)
        self.space.until(lambda: not self.running("b"), 20)
        self.delete("b")
        self.kind, self.target = kind, gangs.KINDS[kind][0]

    def programs(self):
        """The running pods whose program is the user's: of an MPIJob the launcher."""
        return [pod for pod in self.space.running() if gangs.belongs(pod, "a") and (self.kind != "mpijob" or "launcher" in pod["metadata"]["name"])]

    def ranks(self):
        return 1 if self.kind == "mpijob" else self.size


def starts_of(pod):
    return 1 + max((status.get("restartCount", 0) for status in pod["status"].get("containerStatuses", [])), default=0)


def once_of(night):
    return {(pod["metadata"]["uid"], starts_of(pod)) for pod in night.programs()}


def again_and_again(night, code):
    """The program of the last rank ends with this code, as often as it is there: (what restarts, how often it ran)."""
    runs, before, restarts = 0, set(), "nothing"

    def is_over():
        nonlocal runs, before, restarts
        now = night.programs()
        if len(now) == night.ranks():
            last = max(now, key=lambda pod: pod["metadata"]["name"])
            starts = once_of(night)
            if (last["metadata"]["uid"], starts_of(last)) not in before:
                if before:
                    restarts = what_restarted(night, before, starts)
                runs, before = runs + 1, starts
                night.lab.kubelets.end([last], code)
        return night.has_failed() or runs > MANY
    night.space.until(is_over, PATIENCE * 2)
    return restarts, "always" if runs > MANY else str(runs)


def what_restarted(night, before, now):
    """Between two sets of (pod, number of its start)."""
    if {uid for uid, _ in now} == {uid for uid, _ in before}:
        return "the container"
    if night.kind == "mpijob":
        return "mpirun"
    if night.ranks() == 1:
        return "the pod"
    return "one pod" if now & before else "the gang"


def happens(night):
    """What is done to the running gang once; the others end by themselves."""
    if night.failure == "node lost":
        night.lab.kubelets.lose(night.running("a")[-1]["spec"]["nodeName"])
        if night.kind == "mpijob":
            night.lab.kubelets.end(night.programs(), failures.PLAYED["mpirun"])
    elif night.failure == "cancelled":
        night.delete("a")
    elif night.failure == "preempted":
        night.more_important()


def observe(night):
    """(what restarts, how often the program runs, how it ends)."""
    try:
        if not night.start():
            return ("does not start", "", "")
        before = once_of(night)
        if night.failure in ("exits", "killed"):
            return (*again_and_again(night, 3 if night.failure == "exits" else failures.PLAYED["killed"]), end_of(night))
        happens(night)
        settle(night, before)
        now = once_of(night)
        again = bool(now - before)
        return what_restarted(night, before, now) if again else "nothing", "2" if again else "1", end_of(night)
    except LookupError as refused:
        night.detail = str(refused)
        return None
    finally:
        night.close()


def settle(night, before):
    """Waits until nothing happens any more."""
    def decided():
        now = once_of(night)
        return (now - before and len(now) == night.ranks()) or night.has_failed() or not night.objects()
    night.space.until(decided, PATIENCE + (60 if night.failure == "time limit" else 0))
    night.space.settle(quiet=3.0, limit=20)


def end_of(night):
    night.detail = night.why()
    return "Failed" if night.has_failed() else "gone" if not night.objects() else "runs" if night.programs() else "ended"


def keys(providers):
    for kind, (base, _, _) in KINDS.items():
        provider = next((each for each in outcomes.KINDS[base] if each in providers), None)
        if kind not in failures.KINDS or provider is None or (provider == "volcano" and base != "volcano-job"):
            continue
        for failure in failures.FAILURES:
            for setting in failures.SETTINGS:
                if (failure, kind) not in failures.NO_CASES:
                    yield kind, provider, failure, setting


def is_right(night, word):
    wanted = failures.of(night.failure, night.row, night.setting)
    if wanted is None or word is None:
        return wanted is None and word is None
    return all(got in right for got, right in zip(word, wanted))


def shown(word):
    return "refused" if word is None else "; ".join(word)


def run(lab, report, providers, words=()):
    nights = [night for night in (Night(lab, *key) for key in keys(providers)) if not words or all(word in night.label for word in words)]
    slowest_first = sorted(nights, key=lambda night: night.failure not in SLOW)

    def told(night):
        word = observe(night.fresh())
        report.say(f"night {night.row} | {night.failure} | {night.setting} | {shown(word)}")
        return word
    found = lab.again(told, slowest_first, 12, lambda night, word: not is_right(night, word))
    right = 0
    for night in nights:
        word = found[night]
        right += report.check(night.label, is_right(night, word), f"{shown(word)}, not {failures.of(night.failure, night.row, night.setting)}; {night.detail}")
    report.say(f"{right} of {len(nights)} nights end as the table says")
