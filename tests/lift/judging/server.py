"""An API server with the operators' kinds, which says what an object is once its defaults are filled in."""
import copy
import json
import os
import pathlib
import ssl
import subprocess
import urllib.error
import urllib.request

OPERATORS = ("kueue", "jobset", "volcano", "training-operator", "trainer", "kuberay", "lws", "mpi-operator")
SANDBOX = pathlib.Path(os.environ.get("MUSTER_SHARED", "")) / "cluster-sandbox"


def missing():
    """Why there is none, or ""."""
    if not (SANDBOX / "up.sh").exists():
        return "there is no MUSTER_SHARED with cluster-sandbox"
    return "" if os.getuid() == 0 else "it needs root, for a network of its own"


class Server:
    """Of one network namespace, in which this program already runs (alone.sh)."""

    def __init__(self, state):
        self.state = pathlib.Path(state)

    def __enter__(self):
        environment = {**os.environ, "STATE": str(self.state), "KUBECONFIG": str(self.state / "kubeconfig")}
        subprocess.run([SANDBOX / "up.sh", "-"], check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for operator in OPERATORS:
            self.define(SANDBOX / "objects" / f"{operator}.crds.json.gz", environment)
        return self

    def define(self, path, environment):
        """The kinds of an operator; on a busy machine the server may not answer in time, and what it has made stays."""
        for last in (False,) * 9 + (True,):
            done = subprocess.run([SANDBOX / "post.py", "--wait", path], env=environment, cwd=self.state, capture_output=True, text=True)
            if done.returncode == 0:
                return
            if last:
                raise RuntimeError(f"{path.name}: {done.stderr.strip()[-300:]}")

    def __exit__(self, *_):
        subprocess.run([SANDBOX / "down.sh", "--wipe"], env={**os.environ, "STATE": str(self.state)}, check=False)

    def defaulted(self, thing, strict):
        """(the object with its defaults, why it was refused)"""
        thing = copy.deepcopy(thing)
        metadata = thing.setdefault("metadata", {})
        for key in ("namespace", "resourceVersion", "uid", "generateName"):
            metadata.pop(key, None)
        metadata["name"] = "thing"
        version = thing.get("apiVersion", "")
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        path = f"{root}/namespaces/default/{thing['kind'].lower()}s?dryRun=All&fieldValidation={'Strict' if strict else 'Warn'}"
        request = urllib.request.Request(self.address() + path, json.dumps(thing, default=str).encode(), {"Content-Type": "application/json", "Authorization": "Bearer judge"})
        try:
            with urllib.request.urlopen(request, timeout=120, context=self.trust()) as answer:
                return json.load(answer), ""
        except urllib.error.HTTPError as error:
            text = error.read().decode("utf-8", "replace")
            try:
                return None, json.loads(text).get("message", text)[:400]
            except ValueError:
                return None, text[:400]

    def address(self):
        return f"https://127.0.0.1:{(self.state / 'port').read_text().strip()}"

    def trust(self):
        return ssl.create_default_context(cafile=str(self.state / "pki" / "ca.pem"))
