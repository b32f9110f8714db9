"""A few emulated nodes that really run jobs, with stubs that write down how they were called."""
import json
import sys

from judges import cases, lib, sandbox

STUBS = ("probe", "torchrun", "accelerate", "deepspeed", "python", "python3", "mpirun")
OVER = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")


class Nodes:
    def __init__(self, place):
        self.root = place.folder / "run"
        (self.root / "bin").mkdir(parents=True)
        stub = (lib.HERE / "stubs" / "record.py").read_text().replace("#!/usr/bin/env python3", f"#!{sys.executable} -IS", 1)
        for name in STUBS:
            path = self.root / "bin" / name
            path.write_text(stub)
            path.chmod(0o755)
        self.cluster = sandbox.Cluster(place, "nodes", cases.Fleet(4, 2, "nodes"), options=("--mode", "run", "--cpus", "256"))

    def __enter__(self):
        if error := self.cluster.up():
            raise RuntimeError(f"no nodes: {error[-2000:]}")
        return self

    def __exit__(self, *_):
        self.cluster.down()

    def calls(self, text):
        """Runs this script to its end; what its programs wrote down, or the refusal as text."""
        path = self.root / "job.sbatch"
        path.write_text(text)
        path_list = f"{self.root / 'bin'}:{self.cluster.environment['PATH']}"
        job = self.cluster.submit(path, cwd=self.root, PATH=path_list, HOME=str(self.root))
        if not isinstance(job, int):
            return job
        lib.until(lambda: self.cluster.job(job).get("JobState") in OVER, 30, 0.2)
        self.cluster.cancel(job)
        found = sorted((self.root / "records" / str(job)).glob("*.json"))
        return [json.loads(record.read_text()) for record in found]
