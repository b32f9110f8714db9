"""dstack's own reading of configuration files, and what its nodes run: runs with the Python of the judge's venv.

For each file on the command line a line of JSON: what dstack's models made of it, or why they refused. The words that a node starts and the values of its
variables are made by the code of dstack's server; offers of machines and the image's own user are asked of the network, which is left out."""
import asyncio
import json
import logging
import sys
import types

import yaml
from dstack._internal.core.models.configurations import parse_apply_configuration
from dstack._internal.core.models.envs import EnvSentinel
from dstack._internal.core.services import validate_dstack_resource_name
from dstack._internal.server.services.docker import is_valid_docker_volume_target
from dstack._internal.server.services.jobs import interpolate_job_spec_secrets
from dstack._internal.server.services.jobs.configurators.base import interpolate_job_volumes
from dstack._internal.server.services.jobs.configurators.dev import DevEnvironmentJobConfigurator
from dstack._internal.server.services.jobs.configurators.service import ServiceJobConfigurator
from dstack._internal.server.services.jobs.configurators.task import TaskJobConfigurator
from dstack._internal.server.services.runs.spec import _validate_groups_ip_refs
from dstack._internal.utils.interpolator import VariablesInterpolator

logging.disable(logging.CRITICAL)


class Quiet:
    """Without what dstack's default image does before a text: it makes a Python environment."""

    def _dstack_image_commands(self):
        return []


def words(conf, name):
    of = {"task": TaskJobConfigurator, "service": ServiceJobConfigurator, "dev-environment": DevEnvironmentJobConfigurator}[conf.type]
    maker = type("Maker", (Quiet, of), {})(types.SimpleNamespace(configuration=conf, run_name=name), secrets={})
    return asyncio.run(maker._commands(conf.node_groups[0] if conf.type == "task" else None))


def environment(conf):
    """As `dstack apply` passes values, and as the server puts secrets in."""
    env = {key: f"value of {key}" if isinstance(value, EnvSentinel) else value for key, value in conf.env.items()}
    secrets = {word.split("}}")[0].strip(): "" for value in env.values() for word in value.split("secrets.")[1:]}
    spec = types.SimpleNamespace(env=env, registry_auth=None)
    interpolate_job_spec_secrets(spec, {key: f"value of {key}" for key in secrets})
    return spec.env, sorted(key for key, value in conf.env.items() if isinstance(value, EnvSentinel))


def read(path):
    conf = parse_apply_configuration(yaml.safe_load(open(path, encoding="utf-8")))
    if conf.type not in ("task", "service", "dev-environment"):
        return {"type": conf.type, "service": None, "scripts": []}
    validate_dstack_resource_name(conf.name)
    _validate_groups_ip_refs(types.SimpleNamespace(configuration=conf))
    for volume in interpolate_job_volumes(conf.volumes, 0):
        assert is_valid_docker_volume_target(volume.path), f"invalid volume mount path: {volume.path}"
    env, passed = environment(conf)
    probes = [VariablesInterpolator({"env": env}, skip=["secrets"]).interpolate_or_error(probe.url) for probe in getattr(conf, "probes", None) or []]
    nodes, argv = conf.nodes_num if conf.type == "task" else 1, words(conf, conf.name)
    ips, gpu = [f"10.0.0.{i + 1}" for i in range(nodes)], conf.resources.gpu
    gpus = gpu.count.min or 0
    own = {"DSTACK_RUN_ID": "770077dd-0000-4000-8000-000000000000", "DSTACK_RUN_NAME": conf.name, "DSTACK_NODES_IPS": "\n".join(ips), "DSTACK_MASTER_NODE_IP": ips[0], "DSTACK_NODES_NUM": str(nodes),
           "DSTACK_GPUS_PER_NODE": str(gpus), "DSTACK_GPUS_NUM": str(gpus * nodes)}
    return {"name": conf.name, "type": conf.type, "nodes": nodes, "gpu": f"{','.join(gpu.name or [])}:{gpu.count}", "memory": str(conf.resources.memory), "shm": str(conf.resources.shm_size),
            "duration": conf.max_duration, "spot": conf.spot_policy and conf.spot_policy.value, "fleets": [str(one) for one in conf.fleets or []], "passed": passed, "probes": probes, "working_dir": conf.working_dir,
            "service": {"port": conf.port.container_port} if conf.type == "service" else None, "resources": [],
            "scripts": [{"argv": argv, "env": {**own, "DSTACK_NODE_RANK": str(rank), **env}} for rank in range(nodes)]}


for path in sys.argv[1:]:
    try:
        line = {"ok": True, **read(path)}
    except Exception as error:  # noqa: BLE001
        line = {"ok": False, "error": f"{type(error).__name__}: {error}"}
    print(json.dumps(line, default=str), flush=True)
