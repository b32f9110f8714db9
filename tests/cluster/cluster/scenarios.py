"""What happens to gangs. A scenario says what it saw in one word; `gang_outcomes.def` has what each provider does, for the
docs and `muster targets --gangs` too. Words: `whole`, `nothing`, `part` (some pods of a gang hold GPUs and wait for the others),
`follows`, `restarts`, `ends`, and others that a scenario explains."""
import signal
import time

from . import outcomes, pods
from .api import Refused
from .gangs import GPUS, belongs

PATIENCE = 60  # seconds in which a gang starts again on other nodes, if it does


def fits_exactly(cell):
    """All nodes have GPUs: what an operator adds to the gang has to run on one of them."""
    cell.other_nodes = False
    cell.open().submit("a", cell.count)
    return with_what_is_added(cell, cell.share("a", cell.count))


def whole_nodes(cell, nodes=None):
    """A gang that has the whole of its nodes, and a quota of no more than these."""
    cell.other_nodes = False
    cell.open().submit("a", cell.count, roles=f"resources {{ nodes = {nodes or cell.count}  gpus = {GPUS}  gpu = h100 }}")
    return with_what_is_added(cell, cell.share("a", 1 if nodes else cell.count))


def whole_nodes_elastic(cell):
    """The same for a Ray cluster with a range of nodes: its head has an autoscaler beside it."""
    return whole_nodes(cell, f"1..{cell.count}")


def with_what_is_added(cell, share):
    """The same word, if every pod runs: those of a gang hold their GPUs in vain where one that its operator adds does not."""
    if cell.kind in ("rayjob", "mpijob"):
        cell.space.settle(quiet=3.0, limit=15)  # that one may come last
    if share == "whole" and not cell.space.until(lambda: all(pods.state(pod) in ("Running", "Succeeded") for pod in cell.space.pods()), 10):
        return "whole without a pod of its operator"
    return share


def unlisted_flag(cell):
    """The training operator makes PodGroups itself, and the site's file, which names no operators, does not say so: a gang
    may then never get a pod. muster's file says what the site lacks; with that the gang starts."""
    cell.unlisted = True
    cell.open()
    spec = cell.write("a", cell.count)
    texts, _ = cell.lab.write(spec, cell.site, cell.target)
    if not any("to `flags` of `operator training-operator`" in text for text in texts or ()):
        return f"{before_the_scheduler(cell)}, and the file does not say why"
    cell.unlisted = False
    cell.site.write_text(cell.site_text())
    return before_the_scheduler(cell)


def before_the_scheduler(cell):
    """How much of a gang runs whose operator has looked at it before Volcano has, as it is where Volcano has much to do. Its
    scheduler is stopped meanwhile: the operator hears of a PodGroup again only if that is its own."""
    scheduler = cell.lab.plane.processes["vc-scheduler"]
    scheduler.send_signal(signal.SIGSTOP)
    try:
        cell.submit("a", cell.count)
        time.sleep(3)
    finally:
        scheduler.send_signal(signal.SIGCONT)
    return cell.share("a", cell.count)


def one_node_short(cell):
    """The site declares a node that is not there, so that muster writes the gang."""
    cell.pretended = 1
    cell.open().submit("a", cell.count + 1)
    return cell.share("a", cell.count + 1)


def one_gpu_held(cell):
    """A pod outside of the queues holds one GPU of a gang that would fit exactly."""
    cell.open().occupy()
    cell.submit("a", cell.count)
    return cell.share("a", cell.count)


def race(cell):
    """Two gangs of three on four nodes. The second follows as soon as the first has ended."""
    cell.open()
    cell.lab.create([document for name in ("a", "b") for document in cell.documents(name, cell.count - 1)], cell.name)
    size = cell.count - 1
    cell.space.until(lambda: cell.running("a") or cell.running("b"), 60)
    cell.space.settle(quiet=4.0)
    if sorted(len(cell.running(name)) for name in ("a", "b")) != [0, size]:
        return "part"
    first, second = ("a", "b") if cell.running("a") else ("b", "a")
    end_all(cell, first)
    return "follows" if cell.starts(second, size) else "stays"


ROLES = """role lead {{ resources {{ nodes = 1  gpus = 8  gpu = h100  cpus = 16  memory = 64GiB }} }}
  role rest {{ resources {{ nodes = {rest}  gpus = 4  gpu = h100  cpus = 8  memory = 32GiB }} }}"""


def unlike_roles(cell):
    """A gang of two roles of unlike pods: all nodes but one for the second."""
    cell.open().submit("a", cell.count, roles=ROLES.format(rest=cell.count - 1))
    return cell.share("a", cell.count)


def unlike_roles_short(cell):
    """The same where a pod outside of the queues holds what the first role needs on every node."""
    cell.open()
    for machine in range(cell.count):
        cell.occupy(1, machine)
    cell.submit("a", cell.count, roles=ROLES.format(rest=cell.count - 1))
    return cell.share("a", cell.count)


def roles_in_order(cell):
    """A gang whose second role waits until the first one has started: a JobSet makes its pods only then."""
    more = "depends-on lead { on = started }"
    cell.open().submit("a", cell.count, roles=ROLES.format(rest=cell.count - 1).replace("role rest {", f"role rest {{ {more} "))
    return cell.share("a", cell.count)


def within_a_leaf(cell):
    """A gang of two that has to be within a leaf: of two leaves of two nodes one has a node that is held."""
    return in_leaves(cell, (0,))


def no_leaf_is_free(cell):
    """The same where a node of each leaf is held: two nodes are free, and no leaf is."""
    return in_leaves(cell, (0, 2))


def replicas_in_leaves(cell):
    """A gang of two replicas, each of which has to be within a leaf: together they need both leaves."""
    cell.leaf, cell.near = 2, True
    cell.open().submit("a", 2, more="gang = all  replicas = 2  topology { within = leaf  required = true }")
    share = cell.share("a", 4)
    replicas = {}
    for pod in cell.running("a"):
        labels = pod["metadata"]["labels"]
        rank = int(labels.get("batch.kubernetes.io/job-completion-index", 0))
        replicas.setdefault(labels.get("jobset.sigs.k8s.io/job-index", rank // 2), set()).add(cell.leaf_of(pod))
    return "across leaves" if any(len(leaves) > 1 for leaves in replicas.values()) else share


def in_leaves(cell, held):
    cell.leaf, cell.near = 2, True
    cell.open()
    for machine in held:
        cell.occupy(GPUS, machine)
    cell.submit("a", 2, more="topology { within = leaf  required = true }")
    share = cell.share("a", 2)
    return "on two leaves" if len(cell.leaves("a")) > 1 else share


def by_claim(cell):
    """A gang that fits exactly and asks for its GPUs by claims of dynamic resource allocation."""
    cell.by_claim = True
    cell.open().submit("a", cell.count)
    return cell.share("a", cell.count)


def by_claim_short(cell):
    """The same where a claim of another pod holds GPUs of a node."""
    cell.by_claim = True
    cell.open().submit("first", 1)
    if not cell.starts("first", 1):
        return "does not start"
    cell.submit("a", cell.count)
    return cell.share("a", cell.count)


def end_all(cell, name):
    """The gang ends: its programs with 0; a service, and what cannot end here, by being deleted."""
    if cell.kind in ("lws", "rayjob"):  # Ray's dashboard, by which a RayJob would end, is not there
        cell.delete(name)
        return
    mine = [pod for pod in cell.space.running() if belongs(pod, name)]
    if cell.kind == "mpijob":
        mine = [pod for pod in mine if "launcher" in pod["metadata"]["name"]]
    cell.lab.kubelets.end(mine)


def preemption(cell):
    """A gang of high priority takes the nodes of a running one of low priority, whole."""
    size = cell.count - 1
    cell.open().submit("low", size, more="priority = low")
    if not cell.starts("low", size):
        return "low does not start"
    cell.submit("high", size, more="priority = high")
    cell.starts("high", size)
    cell.space.settle(quiet=3.0)
    return {(0, size): "whole", (size, 0): "nothing"}.get((len(cell.running("low")), len(cell.running("high"))), "part")


def lost_node(cell):
    """A node of a running gang answers no more; one more is free."""
    size = cell.count - 1
    cell.open().submit("a", size, more="retry { limit = 2 }" if cell.kind != "lws" else "")
    if not cell.starts("a", size):
        return "does not start"
    lost = cell.running("a")[-1]["spec"]["nodeName"]
    before = {pod["metadata"]["uid"] for pod in cell.running("a")}
    cell.lab.kubelets.lose(lost)
    again = cell.space.until(lambda: len(on_others(cell, lost)) == size and on_others(cell, lost), PATIENCE)
    if not again:
        return "fails" if cell.has_failed() else "stays"
    return "restarts" if not before & {pod["metadata"]["uid"] for pod in again} else "one pod again"


def drained(cell):
    """One pod of a running gang is evicted, as `kubectl drain` does it; its node is then closed to new pods, and one more is free."""
    size = cell.count - 1
    cell.open().submit("a", size, more="retry { limit = 2 }" if cell.kind != "lws" else "")
    if not cell.starts("a", size):
        return "does not start"
    gone = cell.running("a")[-1]
    closed = gone["spec"]["nodeName"]
    before = {pod["metadata"]["uid"] for pod in cell.running("a")}
    cell.api.patch(f"/api/v1/nodes/{closed}", {"spec": {"unschedulable": True}})
    cell.lab.kubelets.evict(gone)
    again = cell.space.until(lambda: len(on_others(cell, closed)) == size and on_others(cell, closed), PATIENCE)
    if not again:
        return "fails" if cell.has_failed() else "stays"
    return "restarts" if not before & {pod["metadata"]["uid"] for pod in again} else "one pod again"


def on_others(cell, lost):
    return [pod for pod in cell.running("a") if pod["spec"]["nodeName"] != lost]


def retries(cell):
    """A program that fails on each node, with two retries by `on = [failure]`: how often it runs."""
    return count_runs(cell, lambda found: found)


def retries_of_one(cell):
    """The same where the program of one node fails."""
    return count_runs(cell, lambda found: found[-1:])


def count_runs(cell, chosen):
    cell.open().submit("a", 2, more="retry { limit = 2  on = [failure] }")
    runs, seen = 0, set()

    def is_over():
        nonlocal runs
        now = programs(cell)
        failing = chosen(sorted(now, key=lambda pod: pod["metadata"]["name"]))
        fresh = {(pod["metadata"]["uid"], pod["status"]["containerStatuses"][0]["restartCount"]) for pod in failing}
        if len(now) == (1 if cell.kind == "mpijob" else 2) and not fresh & seen:
            runs += 1
            seen.update(fresh)
            cell.lab.kubelets.end(failing, 1)
        return cell.has_failed()
    over = cell.space.until(is_over, 120)
    if not over:
        return f"{runs} runs and no end"
    return "3 runs" if runs == 3 else "more" if runs > 3 else "fewer"


def programs(cell):
    """The running pods whose program is the user's: of an MPIJob the launcher."""
    if cell.kind == "mpijob":
        return [pod for pod in cell.space.running() if "launcher" in pod["metadata"]["name"]]
    return cell.running("a")


def time_limit(cell):
    cell.open().submit("a", 2, limit="1m")
    if not cell.starts("a", 2):
        return "does not start"
    return "ends" if cell.space.until(lambda: not cell.running("a"), 100) else "runs on"


def suspension(cell):
    """Kueue stops a Workload and starts it again."""
    cell.open().submit("a", 2)
    if not cell.starts("a", 2):
        return "does not start"
    path = f"/apis/kueue.x-k8s.io/v1beta2/namespaces/{cell.name}/workloads/" + cell.space.held("workloads")[0]["metadata"]["name"]
    cell.api.patch(path, {"spec": {"active": False}})
    if not cell.space.until(lambda: not cell.running("a"), 30):
        return "runs on"
    cell.api.patch(path, {"spec": {"active": True}})
    return "resumes" if cell.starts("a", 2) else "stays"


def quota_of_the_namespace(cell):
    """A ResourceQuota that is one node short: Kubernetes refuses single pods, not gangs."""
    cell.open()
    cell.api.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": cell.name}, "spec": {"hard": {"requests.nvidia.com/gpu": str(8 * (cell.count - 1))}}})
    cell.space.until(lambda: (cell.space.core("resourcequotas")[0].get("status") or {}).get("hard"), 10)
    cell.submit("a", cell.count)
    return cell.share("a", cell.count)


def limits_of_the_namespace(cell):
    """A LimitRange with defaults leaves a gang as it is."""
    cell.open()
    cell.api.create({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": cell.name},
                     "spec": {"limits": [{"type": "Container", "default": {"cpu": "1", "memory": "1Gi"}, "defaultRequest": {"cpu": "1", "memory": "1Gi"}}]}})
    cell.submit("a", cell.count)
    return cell.share("a", cell.count)


ALL = {
    "fits exactly": fits_exactly, "whole nodes": whole_nodes, "whole nodes, elastic": whole_nodes_elastic, "unlisted flag": unlisted_flag,
    "unlike roles": unlike_roles, "unlike roles, short": unlike_roles_short, "roles in order": roles_in_order, "one node short": one_node_short, "one GPU held outside": one_gpu_held,
    "within a leaf": within_a_leaf, "no leaf is free": no_leaf_is_free, "replicas in leaves": replicas_in_leaves, "by claim": by_claim, "by claim, short": by_claim_short,
    "two race": race, "preemption": preemption, "lost node": lost_node, "drained": drained,
    "retries": retries, "retries of one": retries_of_one, "time limit": time_limit, "suspend and resume": suspension, "ResourceQuota": quota_of_the_namespace, "LimitRange": limits_of_the_namespace,
}

# These wait for a minute and more while others compute, so they begin first.
SLOW = ("time limit", "drained", "retries", "retries of one")


def observe(cell, scenario):
    """The word of a scenario; `refused` if muster does not write the gang. Another word than expected is explained in `cell.detail`."""
    try:
        word = scenario(cell)
        if word not in expected(cell):
            cell.detail = cell.why()
        return word
    except LookupError as refused:
        cell.detail = str(refused)
        return "refused"
    except Refused as refused:
        return f"not taken: {refused}"
    finally:
        cell.close()


def expected(cell):
    return outcomes.of(cell.kind, cell.provider, cell.scenario)
