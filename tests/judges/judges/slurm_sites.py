"""Random sites of two to four purchases, as one controller has many of them, imported by `muster site import` from what that
controller prints: what `muster fit` answers about a job script or a workload, the controller does.

Jobs are searched at the edge of what fits, and asked for with one unit more too: that one must wait or be refused.
MUSTER_SITES is how many sites (14), MUSTER_SITES_JOBS how many jobs each is asked for (6), MUSTER_SITES_SEED where they start."""
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re

from . import accounting, lib, slurm_limits
from .slurm_site_draws import GPU_TYPES, draw_site

AT_A_TIME = 50  # sites of one controller
ASSOC = "format=cluster,account,user,partition,parentname,grptres,grpjobs,maxtres,maxjobs,maxwall,qos,defaultqos"
# A limit of nodes narrows what is searched: Slurm then finds no nodes, and says that. A time that the partition does not
# allow is its configuration.
LIMIT = re.compile(slurm_limits.LIMIT.pattern + "|Requested partition configuration not available now|Access denied to requested reservation|Requested node configuration is not available")
ROOM = re.compile(slurm_limits.ROOM.pattern + "|^(Priority|Reservation|Reserved|BadConstraints)|Requested reservation|Access denied to requested reservation"
                  "|Invalid feature specification")
BARE = """site bare {{
  job-dir = "{folder}"
  plane slurm {{ kind = slurm }}
{queues}}}
"""
LEVELS = ("capacity", "policy", "now")


# ---- the controller ------------------------------------------------------------------------------

class Cluster(accounting.Cluster):
    """A controller with these sites and a database of their accounts; jobs are those of an ordinary user."""

    def __init__(self, shop, name, sites):
        super().__init__(shop, name)
        self.sites = sites
        types = ",".join(f"gres/gpu:{kind}" for kind in GPU_TYPES)
        lines = [owner.conf_line() for site in sites for owner in (*site.purchases, *site.partitions)]
        conf = shop.folder / f"{name}.conf"
        conf.write_text(self.database.conf(f"AccountingStorageTRES=gres/gpu,{types}", *lines))
        self.options = ["--topology", "none", "--group", "own:1::0:2:1000", "--conf", conf]

    def up(self):
        return super().up() or self.withdraw()

    def declare(self):
        qos = ((name, " ".join(f"{key}={value}" for key, value in limits.items())) for site in self.sites for name, limits in site.qos.items())
        said = self.load(qos, association_lines(self.sites, self.user))
        known = set(self.run("sacctmgr", "-n", "-P", "show", "assoc", "format=account,user").stdout.split())
        return None if all(f"{account.name}|{self.user}" in known for site in self.sites for account in site.accounts[1:]) else said

    def withdraw(self):
        """Gives partitions their QOS, drains nodes, and makes the reservations."""
        for partition in (partition for site in self.sites for partition in site.partitions if partition.qos_words()):
            done = self.run("scontrol", "update", f"PartitionName={partition.name}", *partition.qos_words())
            if done.returncode:
                return lib.says(done)
        drained = [node for site in self.sites for purchase in site.purchases for node in purchase.drained]
        said = lib.says(self.run("scontrol", "update", f"NodeName={','.join(drained)}", "State=DRAIN", "Reason=judge")) if drained else ""
        for one in (one for site in self.sites for one in site.reservations):
            owner = [f"Accounts={','.join(one.accounts)}", "Flags=IGNORE_JOBS"] if one.accounts else ["Users=root", "Flags=MAINT,IGNORE_JOBS"]
            done = self.run("scontrol", "create", "reservation", f"ReservationName={one.name}", f"StartTime=now{f'+{one.after}minutes' if one.after else ''}",
                            f"Duration={one.minutes}", f"Nodes={','.join(one.nodes)}", *owner)
            said += lib.says(done) if done.returncode else ""
        return said


def association_lines(sites, user):
    def words(limits):
        return "".join(f":{name}='{value}'" for name, value in {"MaxTRESPerJob" if name == "MaxTRES" else name: value for name, value in limits.items()}.items())
    yield "Cluster - 'sandbox'"
    yield "Parent - 'root'"
    yield "User - 'root':DefaultAccount='root':AdminLevel='Administrator'"
    yield "Account - 'others'"
    for account in (account for site in sites for account in site.accounts if not account.parent):
        yield f"Account - '{account.name}'{words(account.limits)}"
    for site in sites:
        yield f"Parent - '{site.name}'"
        for account in site.accounts[1:]:
            qos = f":QOS='{','.join(account.qos)}':DefaultQOS='normal'"
            yield f"Account - '{account.name}'{words(account.limits)}{qos}"
    yield "Parent - 'others'"
    yield f"User - '{user}'"
    for account in (account for site in sites for account in site.accounts[1:]):
        yield f"Parent - '{account.name}'"
        yield f"User - '{user}'{words(account.user)}"


# ---- the site as muster reads it -------------------------------------------------------------------

def lines_with(text, key, names):
    return "".join(f"{line}\n" for line in text.splitlines() if re.match(rf"{key}=(\S+)", line) and re.match(rf"{key}=(\S+)", line)[1] in names)


def dump(cluster, site):
    """What the administrator of the site would save, of a controller that has no other one."""
    partitions = lines_with(cluster.run("scontrol", "-o", "show", "partition").stdout, "PartitionName", [one.name for one in site.partitions])
    # A controller has one default partition: the sites have theirs by SBATCH_PARTITION.
    first = rf"^(PartitionName={site.partitions[0].name} .*)Default=NO"
    accounts = ",".join(account.name for account in site.accounts)
    own_qos = ",".join([*site.qos, "normal"])
    return "\n".join((
        cluster.run("scontrol", "-d", "show", "node", ",".join(site.nodes())).stdout,
        re.sub(first, r"\1Default=YES", partitions, flags=re.M),
        cluster.run("scontrol", "show", "config").stdout,
        lines_with(cluster.run("scontrol", "-o", "show", "reservation").stdout, "ReservationName", [one.name for one in site.reservations]),
        cluster.run("sacctmgr", "-P", "show", "assoc", f"account={accounts}", ASSOC).stdout,
        cluster.run("sacctmgr", "-P", "show", "qos", f"name={own_qos}").stdout))


@dataclasses.dataclass
class Scene:
    """One site: the controller, what was imported, and the jobs with what became of each."""
    cluster: Cluster
    site: object
    folder: pathlib.Path
    seen: list = dataclasses.field(default_factory=list)

    @property
    def path(self):
        return self.folder / "site.muster"

    def read(self, report):
        (self.folder / "dump.txt").write_text(dump(self.cluster, self.site))
        done = self.cluster.shop.ask("site", "import", self.folder / "dump.txt", "--name", self.site.name)
        if not report.check(f"site {self.site.number} is imported", done.returncode == 0, lib.says(done)):
            return False
        text = re.sub(rf"^site {self.site.name} {{\n", lambda found: found[0] + f'  job-dir = "{self.folder}"\n', done.stdout, flags=re.M)
        self.path.write_text(text)
        return True

    def fit(self, path, site=None):
        done = self.cluster.shop.ask("fit", path, "--site", site or self.path, "--format", "json")
        return json.loads(done.stdout) if done.stdout.startswith("{") else {"verdict": "none", "levels": {}, "said": lib.says(done)}

    def file_of(self, job):
        path = self.folder / ("asked.muster" if job.spec else "asked.sbatch")
        path.write_text(job.workload() if job.spec else job.script())
        return path

    def fit_job(self, job, site=None):
        return self.fit(self.file_of(job), site)

    def compile(self, job):
        """What muster writes for a workload; where it refuses, what it writes when the site declares no fleet and no limit: for the GPU
        type of most nodes where any would do, as the GPUs of a gang are of one model. An error as text."""
        spec, bare = self.file_of(job), self.folder / "bare.muster"
        typed = self.folder / "typed.muster"
        typed.write_text(job.of_type(self.site.most_common_type()).workload())
        first, *others = self.site.partitions
        queues = f"  queue {first.name} {{ default = true }}\n" + "".join(f"  queue {one.name} {{ }}\n" for one in others)
        bare.write_text(BARE.format(folder=self.folder, queues=queues))
        for asked, site in ((spec, self.path), (typed, bare)):
            done = self.cluster.shop.ask("compile", asked, "--site", site)
            if done.returncode == 0:
                return done.stdout
        return lib.says(done)

    def submit(self, job):
        path = self.folder / "job.sbatch"
        text = self.compile(job) if job.spec else job.script()
        if not text.startswith("#!"):
            return f"muster does not write it: {text}"
        path.write_text(text)
        default = {} if "partition" in job.options else {"SBATCH_PARTITION": self.site.partitions[0].name}
        return self.cluster.submit(path, cwd=self.folder, **default)


# ---- what is asked ----------------------------------------------------------------------------------

def value_of(job, number):
    old = job.options[job.edge]
    return (old[0], number) if isinstance(old, tuple) else number * job.step


def largest(scene, job):
    """The largest value of the job's edge that muster says fits; 0: none does."""
    fits = lambda number: scene.fit_job(job.with_edge(value_of(job, number)))["verdict"] == "fits"
    low, high = 0, 1
    while high <= job.most and fits(high):
        low, high = high, high * 2
    high = min(high, job.most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def at_the_edge(scene, job):
    """The job at its edge and beyond; nothing where there is no edge, and as it was drawn where none is looked for."""
    if not job.edge:
        return [job]
    edge = largest(scene, job)
    return [job.with_edge(value_of(job, number)) for number in (edge, edge + 1)] if 0 < edge < job.most else []


def jobs_of(scene):
    """As many as are asked for, of those that were drawn."""
    out = []
    for job in scene.site.jobs:
        out += at_the_edge(scene, job) if len(out) < scene.site.asked else []
    return out[:scene.site.asked]


def kinds(text):
    said = str(text).removeprefix("sbatch: error: ").replace("Batch job submission failed: ", "")
    return {kind for kind, pattern in (("limit", LIMIT), ("room", ROOM)) if pattern.search(said)}


def difference(job, answer, why):
    """What is wrong with the answer; None: nothing. `why` is None of a job that started."""
    levels = {name: answer["levels"].get(name) for name in LEVELS}
    if why is None:
        return None if answer["verdict"] == "fits" else "Slurm starts it"
    if answer["verdict"] == "fits":
        return f"Slurm: {why}"
    # Of a job that the site can never take Slurm may name another reason first; and of one that has nodes alone and waits,
    # the limit that it would be over on the nodes that it could have later.
    if levels["capacity"] == "does-not-fit" or ("exclusive" in job.options and levels["now"] == "does-not-fit"):
        return None
    possible = {kind for kind, names in (("limit", ("policy",)), ("room", ("capacity", "now"))) if any(levels[name] != "fits" for name in names)}
    return None if kinds(why) & possible else f"for another reason than Slurm: {why}"


def outcome(job, seen):
    """None if it started; else why not."""
    if not isinstance(job, int):
        return job
    state, reason = (seen.get(job) or [("gone", "")])[0]
    return None if state in ("CONFIGURING", "RUNNING") else reason if state == "PENDING" else f"{state} {reason}"


def compare(report, scene, job, answer, why, counts):
    counts["asked"] += 1
    scene.seen.append((job, why))
    label = f"site {scene.site.number}: {'workload ' if job.spec else ''}{job.text()}: {answer['verdict']}"
    if answer.get("otherwise"):  # a reason of docs/reference/fit.md, stated before Slurm is asked; none is about Slurm
        counts["excused"] += 1
        return report.say(f"     {label}: {answer['otherwise']}")
    if answer["verdict"] == "unknown":
        counts["unknown"] += 1
        return report.say(f"     {label}: {json.dumps(answer['workloads'][0]['levels'])[:300]}")
    wrong = difference(job, answer, why)
    counts["wrong"] += bool(wrong)
    counts["started" if why is None else "not started"] += 1
    return report.check(label, not wrong, f"{wrong}; {answer['levels']}; {json.dumps(answer.get('workloads', answer))[:700]}")


def one_round(report, cluster, scenes, jobs, counts):
    """A job of each site at a time, as many rounds as needed: its answer first, then what the controller does."""
    answers = {number: scenes[number].fit_job(job) for number, job in jobs.items()}
    submitted = {number: scenes[number].submit(job) for number, job in jobs.items()}
    numbers = [job for job in submitted.values() if isinstance(job, int)]
    seen = cluster.all_settled(numbers)
    for number, job in jobs.items():
        compare(report, scenes[number], job, answers[number], outcome(submitted[number], seen), counts)
    cluster.cancel(*numbers)


# ---- a controller's sites ------------------------------------------------------------------------------

def occupy(report, cluster, folder):
    """The jobs of others; one that waits is taken back."""
    path, jobs = folder / "filler.sbatch", []
    for job in (job for site in cluster.sites for job in site.fillers):
        path.write_text(job.script().replace("srun probe", "sleep 600"))
        jobs.append(cluster.submit(path, "--account=others", "--qos=normal"))
    numbers = [job for job in jobs if isinstance(job, int)]
    found = cluster.all_settled(numbers)
    waiting = [job for job in numbers if found[job] != [("CONFIGURING", "None")]]
    cluster.cancel(*waiting)
    started = len(numbers) - len(waiting)
    report.check(f"{started} of {len(jobs)} jobs of others run", started * 2 > len(jobs), [job for job in jobs if not isinstance(job, int)][:3])


def rejects_broken(report, scenes):
    """Imported sites that were spoilt afterwards: with what Slurm did to the jobs, the judge has to object to each."""
    for path in lib.broken_files("slurm-sites", ".sed"):
        lib.must_reject(report, path, lambda inner, edit=lib.mutation(path): [with_other_site(inner, scene, edit) for scene in scenes])


def with_other_site(report, scene, edit):
    try:
        text = edit(scene.path.read_text())
    except ValueError:  # the site has nothing of that
        return
    other = scene.folder / "broken.muster"
    other.write_text(text)
    for job, why in scene.seen:
        answer = scene.fit_job(job, other)
        wrong = answer["verdict"] != "unknown" and difference(job, answer, why)
        report.check(job.text(), not wrong, wrong)


def ask_all(report, shop, name, sites, counts):
    cluster = Cluster(shop, name, sites)
    error = cluster.up()
    if report.check(f"a Slurm of the sites {sites[0].number} to {sites[-1].number} is up", not error, error):
        occupy(report, cluster, shop.folder)
        scenes = {site.number: Scene(cluster, site, shop.place(f"{name}-{site.name}")) for site in sites}
        scenes = {number: scene for number, scene in scenes.items() if scene.read(report)}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            asked = dict(zip(scenes, pool.map(jobs_of, scenes.values())))
        for place in range(max(len(jobs) for jobs in asked.values())):
            one_round(report, cluster, scenes, {number: jobs[place] for number, jobs in asked.items() if place < len(jobs)}, counts)
        if sites[0].number == 1:
            rejects_broken(report, scenes.values())
    cluster.down()


def judge(report, shop):
    if not lib.sandbox_folder():
        return report.skip("sandbox", "slurm-sites", "no slurm-sandbox folder beside the checkout; MUSTER_SHARED names the folder that has it")
    why_not = accounting.install()
    if why_not:
        return report.skip("slurmdbd", "slurm-sites", why_not)
    seed, count, jobs = (int(os.environ.get(f"MUSTER_SITES{name}", value)) for name, value in (("_SEED", "20261128"), ("", "14"), ("_JOBS", "6")))
    counts = collections.Counter()
    for first in range(1, count + 1, AT_A_TIME):
        numbers = range(first, min(first + AT_A_TIME, count + 1))
        ask_all(report, shop, f"sites-{first}", [draw_site(number, seed, jobs) for number in numbers], counts)
    summary(report, counts)
    report.say(f"sites from seed {seed}: {dict(counts)}")
    return None


def summary(report, counts):
    asked, decided = counts["asked"], counts["asked"] - counts["unknown"] - counts["excused"]
    report.check(f"{decided - counts['wrong']} of {decided} verdicts are what Slurm does", not counts["wrong"], dict(counts))
    report.check(f"{counts['unknown']} of {asked} are unknown", counts["unknown"] * 20 <= asked, dict(counts))
    report.check(f"{counts['excused']} of {asked} have a reason why Slurm may do otherwise", counts["excused"] * 50 <= asked, dict(counts))
    report.check("some start, some do not", min(counts["started"], counts["not started"]) * 4 >= decided > 0, dict(counts))
