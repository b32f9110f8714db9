"""Random queues of gangs on random nodes, submitted one after the other: what the cluster does with each, beside what
`muster fit` says of it on the nodes as they then are."""
import random

from . import gangs, pods

AT_ONCE = 8
KINDS = {"kueue": ("jobset", "pytorchjob", "job"), "kueue-topology": ("jobset", "job", "trainjob"), "volcano": ("volcano-job", "jobset", "pytorchjob")}


class Queue:
    """One random queue; the same seed is the same queue."""

    def __init__(self, lab, provider, seed):
        self.dice = random.Random(f"{provider} {seed}")
        self.label = f"queue {seed} on {provider}"
        self.cell = gangs.Cell(lab, self.dice.choice(KINDS[provider]), provider, f"queue {seed}", self.dice.randint(2, 6))
        self.cell.leaf = self.dice.choice((2, 3, self.cell.count))
        self.names = []

    def gang(self):
        """(nodes, GPUs of a node, further words)."""
        near = self.dice.random() < 0.3 and self.cell.topology
        return (self.dice.randint(1, self.cell.count), self.dice.choice((1, 2, 4, 8, 8, 8)), "topology { within = leaf }" if near else "")

    def differences(self):
        """What differs, [(whether it is known, sentence)]; and how many gangs were compared."""
        self.dice = random.Random(f"{self.label} gangs")
        found, count = [], self.dice.randint(2, 12)
        try:
            self.cell.fresh().open()
            for number in range(count):
                found += self.step(f"w{number}", *self.gang())
        finally:
            self.cell.close()
        return found, count

    def step(self, name, count, gpus, more):
        said = self.answer(name, count, gpus, more)
        if said is None:
            return []  # muster does not write it
        try:
            self.cell.submit(name, count, gpus=gpus, more=more)
        except LookupError:
            return []
        if said:
            self.cell.starts(name, count, 40)
        else:
            self.cell.share(name, count)
        running, size = len(self.cell.running(name)), count
        share = {0: "waits", size: "runs"}.get(running, f"runs in part ({running})")
        found = []
        if share != ("runs" if said else "waits"):
            # fit gives each pod of a gang a node of its own, and pods share nodes. Kueue without a topology looks at no node.
            shares = share == "runs" and count > 1 and 2 * gpus <= gangs.GPUS
            known = not said and (shares or (self.cell.provider == "kueue" and share not in ("runs", "waits")))
            found = [(known, f"{name} ({count} nodes of {gpus} GPUs {more}) {share}, and fit says {'it fits' if said else 'no'}: {self.cell.why()}")]
        if running != size:  # it must not start later in the place of another
            self.remove(name)
        return found

    def remove(self, name):
        self.cell.delete(name)
        self.cell.space.until(lambda: not self.cell.of(name), 20)

    def answer(self, name, count, gpus, more):
        """Whether muster says that the gang fits on the nodes as they are; None if it cannot say."""
        spec = self.cell.write(name, count, gpus=gpus, more=more)
        site = self.cell.folder / f"{name}.site.muster"
        site.write_text(self.cell.site_text(in_use=self.in_use()))
        done = self.cell.lab.ask("fit", spec, "--site", site, "--root", spec.parent, "--quiet")
        return {0: True, 1: False}.get(done.returncode)

    def in_use(self):
        """An `in-use` block for each pod that is bound."""
        blocks = []
        for number, pod in enumerate(pod for pod in self.cell.space.pods() if pod["spec"].get("nodeName") and pods.state(pod) == "Running"):
            node = pod["spec"]["nodeName"].removeprefix(f"{self.cell.name}-cell-")
            if node.startswith("n"):
                blocks.append(f'in-use u{number} {{ nodes = "{node}"  gpus = {pods.gpus(pod)}  cpus = {gangs.CPUS}  memory = {gangs.MEMORY} }}')
        return "\n    ".join(blocks)


def run(lab, report, providers, words=(), count=17):
    """So many queues on each provider. `words`: another number, or one queue as `seed=N`."""
    seeds = range(count)
    for word in words:
        seeds = [int(word[5:])] if word.startswith("seed=") else range(int(word))
    queues = [Queue(lab, provider, seed) for provider in providers for seed in seeds]
    seen = lab.again(lambda queue: queue.differences(), queues, AT_ONCE, lambda _, answer: not all(known for known, _ in answer[0]))
    answers = list(seen.values())
    for queue, (found, _) in seen.items():
        for known, sentence in found:
            report.say(f"{queue.label}, {queue.cell.kind}{', known' if known else ''}: {sentence}")
    all_found = [known for found, _ in answers for known, _ in found]
    known = sum(all_found)
    report.say(f"{known} of {sum(n for _, n in answers)} gangs differ in a known way: fit gives each pod a node of its own, or Kueue looks at no node")
    report.check(f"{len(queues)} queues: the cluster does what fit says", known == len(all_found), f"{len(all_found) - known} differ")
