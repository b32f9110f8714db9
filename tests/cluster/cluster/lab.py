"""A cluster that is up, muster, and a folder: what all scenarios share."""
import concurrent.futures
import itertools
import pathlib
import re
import shutil
import subprocess
import threading
import time

import yaml

from . import api, container, nodes, pods, queues, watched
from .control_plane import ControlPlane
from .pods import Space


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it is there


class Report:
    """Lines as judges print them: `ok`, `FAIL`, and others."""

    def __init__(self):
        self.failed = 0
        self.turn = threading.Lock()

    def check(self, what, good, detail=""):
        text = " ".join(str(detail).split())
        with self.turn:
            self.failed += not good
            print(f"{'ok  ' if good else 'FAIL'} {what}{': ' + text[:600] if text and not good else ''}", flush=True)
        return good

    def say(self, line):
        with self.turn:
            print(f"# {line}", flush=True)


class Kept(Report):
    """Keeps what it is told: what did not hold where the whole machine is busy is looked at again."""

    def __init__(self):
        super().__init__()
        self.told = []

    def check(self, what, good, detail=""):
        self.failed += not good
        self.told.append((what, good, detail))
        return good

    def say(self, line):
        self.told.append((line,))

    def hand_over(self, report):
        for told in self.told:
            report.say(*told) if len(told) == 1 else report.check(*told)


class Lab:
    def __init__(self, parts, folder, muster, once=False):
        self.folder, self.muster, self.once = pathlib.Path(folder), muster, once
        self.plane = ControlPlane(parts, self.folder / "state")
        self.kubelets, self.watched = None, {}
        self.base = container.Base()
        self.numbers = itertools.count(1)
        self.patience = 1  # times as long as a quiet machine needs

    def up(self, operators, flags=None, defined=()):
        self.base.make()
        self.plane.start(operators, flags, defined)
        self.kubelets = nodes.Kubelets(self.api)
        self.watched = {kind: watched.Watched(self.api, f"/apis/{pods.GROUPS[kind]}/{kind}") for kind in pods.WATCHED}
        self.watched["pods"] = self.kubelets.pods

    def down(self):
        if self.kubelets:
            self.kubelets.stop()
        for kind in self.watched.values():
            kind.stop()
        self.plane.stop()
        self.base.remove()

    @property
    def api(self):
        return self.plane.api

    def space_name(self, prefix):
        return f"{prefix}-{next(self.numbers)}"

    def again(self, work, things, at_once, fails):
        """{thing: answer} of `work`, side by side; where one fails, it is asked twice more, with less beside it and more time."""
        found = {}
        for width, patience in ((at_once, 1),) if self.once else ((at_once, 1), (4, 2), (2, 4)):
            left = [thing for thing in things if thing not in found or fails(thing, found[thing])]
            self.patience = patience
            with concurrent.futures.ThreadPoolExecutor(width) as pool:
                found.update(zip(left, pool.map(work, left)))
        self.patience = 1
        return found

    # ---- muster --------------------------------------------------------------------------------

    def ask(self, *words):
        return subprocess.run([str(word) for word in (self.muster, *words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)

    def site_in(self, path, space):
        """A copy of the site's file with another namespace, and of what it imports."""
        text = pathlib.Path(path).read_text()
        changed, count = re.subn(r'(namespace *= *)"[^"]*"', rf'\1"{space}"', text)
        if not count:
            changed = re.sub(r"(kind *= *(?:kubernetes|k3s))", rf'\1  namespace = "{space}"', text)
        folder = self.folder / "sites" / space
        folder.mkdir(parents=True, exist_ok=True)
        for imported in re.findall(r'import "([^"]*)"', text):
            copy = f"imported-{pathlib.PurePath(imported).name}"
            shutil.copy(pathlib.Path(path).parent / imported, folder / copy)
            changed = changed.replace(f'"{imported}"', f'"{copy}"')
        out = folder / pathlib.Path(path).name
        out.write_text(changed)
        return out

    def write(self, spec, site, target, *words):
        """The texts of the files that muster writes, or None and what it says."""
        out = self.folder / "emitted" / pathlib.Path(site).parent.name / pathlib.Path(spec).stem / (target or "chosen")
        done = self.ask("compile", spec, "--site", site, "--root", pathlib.Path(spec).parent, *(["--target", target] if target else []), "-o", out, "--quiet", *words)
        if done.returncode:
            return None, (done.stdout + done.stderr).strip()
        return [path.read_text() for path in sorted(out.glob("*.yaml"))], ""

    def compile(self, spec, site, target, *words):
        """The documents that muster writes, or None and what it says."""
        texts, said = self.write(spec, site, target, *words)
        return texts and [document for text in texts for document in yaml.load_all(text, LOADER) if document], said

    def create(self, documents, space=None):
        """Creates objects in order, as strictly as the server can; Refused otherwise. A webhook may not have seen an object of the moment before."""
        made = set()
        for document in documents:
            if space:
                document["metadata"].setdefault("namespace", space)
            late = time.monotonic() + 30
            while True:
                try:
                    self.api.create(document)
                    break
                except api.Refused as refused:
                    if time.monotonic() > late or not any(f"'{name}' not found" in str(refused) for name in made):
                        raise
                time.sleep(0.5)
            made.add(document["metadata"].get("name"))

    def serves(self, document):
        version = document["apiVersion"]
        known = self.api.find(f"/api/{version}" if "/" not in version else f"/apis/{version}") or {}
        return any(resource["kind"] == document["kind"] for resource in known.get("resources", []))

    def space(self, name):
        return Space(self.api, name, self.watched, self.patience)

    # ---- the cluster's nodes ----------------------------------------------------------------------

    def furnish(self, site, least, topology=None, name="all", quota=None):
        """Nodes of a site and, where Kueue runs, a queue over them."""
        machines = site.nodes(least)
        nodes.make(self.api, machines)
        if "kueue" in self.plane.operators:
            queues.cluster_queue(self.api, name, machines, topology, quota)
        return machines
