"""Containers: nothing is started but the program inside, which gets image, binds and folder in its environment."""
import os

import stub
from launchers import become, last, options

SINGULARITY = frozenset(("B bind pwd env env-file H home overlay o S scratch W workdir app security hostname network mount add-caps drop-caps fusemount network-args "
                         "pid-file apply-cgroups dns cwd").split())
DOCKER = frozenset(("v volume e env name w workdir gpus shm-size ipc network net p publish mount u user entrypoint ulimit device m memory cpus hostname h label l env-file "
                    "add-host cap-add security-opt runtime log-driver volumes-from restart pid platform cpuset-cpus").split())


def container(name, image, seen, words):
    """The program inside: with the image, what is bound, where it starts and what its environment gains."""
    env = dict(os.environ)
    env["STUB_IMAGE"] = image.removeprefix("./")
    binds = [value for key in ("B", "bind", "v", "volume", "mount", "overlay", "container-mounts", "V") for value in seen.get(key, [])]
    env["STUB_BINDS"] = " ".join(sorted(bind if ":" in bind else f"{bind}:{bind}" for bind in ",".join(binds).split(","))) if binds else ""
    for key in ("env", "e"):
        for pair in [pair for value in seen.get(key, []) for pair in (value.split(",") if name == "singularity" else [value])]:
            if "=" in pair:
                env[pair.partition("=")[0]] = pair.partition("=")[2]
    for key in [key for key in env if key.startswith(("SINGULARITYENV_", "APPTAINERENV_"))]:
        env[key.partition("_")[2]] = env.pop(key)
    folder = next((seen[key][-1] for key in ("pwd", "cwd", "w", "workdir", "container-workdir") if key in seen), "")
    if folder:
        env["STUB_FOLDER"] = folder
    return become(words, env) if words else stub.leaf("the image's own program", [], env=env)


def singularity(name, words):
    _, words = options(words)
    if not words or words[0] not in ("exec", "run", "shell"):
        return stub.leaf(name, words)
    seen, rest = options(words[1:], SINGULARITY)
    seen.pop("W", None), seen.pop("workdir", None)
    inner = rest[1:] if words[0] == "exec" else []
    if words[0] != "exec" and len(rest) > 1:
        seen["env"] = [*seen.get("env", []), "STUB_RUN=" + " ".join(rest[1:]).replace(",", ";")]
    return container("singularity", rest[0] if rest else "", seen, inner)


def docker(name, words):
    if words[:1] not in (["run"], ["exec"], ["start"]):
        return stub.leaf(name, words)
    seen, rest = options(words[1:], DOCKER)
    return container(name, rest[0] if rest else "", seen, rest[1:])


def shifter(name, words):
    words = words[1:] if name == "sarus" and words[:1] == ["run"] else words
    seen, rest = options(words, frozenset("image i volume V module m env e workdir w mount entrypoint".split()))
    if name == "sarus":
        return container(name, rest[0] if rest else "", seen, rest[1:])
    for key in ("volume", "V"):  # several are parted by semicolons
        seen[key] = [bind for value in seen.get(key, []) for bind in value.split(";")]
    return container(name, last(seen, "image", last(seen, "i", "")).removeprefix("docker:"), seen, rest)


def start(base, name, words):
    if base in ("singularity", "apptainer"):
        return singularity(name, words)
    return shifter(base, words) if base in ("shifter", "sarus") else docker(name, words)
