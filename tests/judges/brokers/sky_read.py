"""SkyPilot's own reading of task files, and the scripts that its nodes run: runs with the Python of the judge's venv.

For each file on the command line a line of JSON: what the parser made of it, or why it refused. Whether a cloud has such
a machine is asked of a catalog on the network, which is left out. A script is what SkyPilot hands to bash on the node of that rank, made by its own code."""
import json
import logging
import os
import sys
import traceback

os.environ["SKYPILOT_DISABLE_USAGE_COLLECTION"] = "1"
import sky  # noqa: E402
import yaml  # noqa: E402
from sky.backends import task_codegen  # noqa: E402
from sky.skylet import log_lib  # noqa: E402

logging.disable(logging.CRITICAL)


def resource(one):
    return {"infra": str(one.infra), "cloud": str(one.cloud), "accelerators": one.accelerators, "cpus": one.cpus, "memory": one.memory, "disk": one.disk_size, "spot": one.use_spot,
            "image": one.image_id, "ports": one.ports, "recovery": one.job_recovery, "labels": one.labels, "overrides": one.cluster_config_overrides}


def script(task, rank, gpus):
    """As sky/backends/task_codegen.py: the text behind what it exports, for a task of that many nodes."""
    ips = [f"10.0.0.{i + 1}" for i in range(task.num_nodes)]
    env = {"SKYPILOT_NODE_IPS": "\n".join(ips), "SKYPILOT_NUM_NODES": task.num_nodes, **task.envs_and_secrets_text, "SKYPILOT_TASK_ID": "sky-2026-11-30-10-00-00-000000_w_1",
           "SKYPILOT_NUM_GPUS_PER_NODE": gpus, "SKYPILOT_NODE_RANK": rank, "SKYPILOT_INTERNAL_JOB_ID": 1}
    text = task_codegen.TaskCodeGen.build_task_bash_script(task.run, env_prefix="unset RAY_RAYLET_PID")
    if task.setup:  # SkyPilot runs it once a node, in a shell of its own, before any task starts
        text = f"(\n{task.setup}\n) || exit\n{text}"
    return log_lib.make_task_bash_script(text, env_vars=env)


def read(path):
    config = yaml.safe_load(open(path, encoding="utf-8"))
    passed = {name: f"value of {name}" for name, value in (config.get("secrets") or {}).items() if value is None}
    task = sky.Task.from_yaml_config(config, secrets_overrides=passed or None)
    task.validate_name()
    task.validate_run()
    task.envs_and_secrets_text = {**task.envs, **passed}
    resources = [resource(one) for one in task.resources]
    gpus = max([int(count) for one in resources for count in (one["accelerators"] or {}).values()] or [0])
    service = task.service
    return {"name": task.name, "nodes": task.num_nodes, "resources": resources, "envs": dict(task.envs), "secrets": sorted(passed), "setup": task.setup, "run": task.run,
            "mounts": sorted([*(task.storage_mounts or {}), *(task.file_mounts or {})]), "volumes": dict(task.volumes or {}), "workdir": task.workdir,
            "service": service and {"path": service.readiness_path, "delay": service.initial_delay_seconds, "replicas": [service.min_replicas, service.max_replicas]},
            "scripts": [script(task, rank, gpus) for rank in range(task.num_nodes)]}


for path in sys.argv[1:]:
    try:
        line = {"ok": True, **read(path)}
    except Exception as error:  # noqa: BLE001
        line = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        if "--trace" in os.environ.get("SKY_READ", ""):
            traceback.print_exc()
    print(json.dumps(line, default=str), flush=True)
