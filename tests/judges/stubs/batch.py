#!/usr/bin/env python3
"""Stands in for what starts programs on the nodes of a job: srun and scontrol of Slurm, pbsdsh of OpenPBS and of Torque,
blaunch of LSF, mpirun. All nodes are this host; a task knows its own by HOSTNAME. pbsdsh does as the real one: its tasks get nothing of
the script's environment and begin at home, and it ends with 0 whatever they do."""
import os
import pathlib
import signal
import subprocess
import sys
import time

NAME = pathlib.Path(__file__).name
BIN = pathlib.Path(__file__).parent.absolute()


def lines_of_nodes():
    """A line for each process that the system knows of."""
    if "PBS_NODEFILE" in os.environ:
        return pathlib.Path(os.environ["PBS_NODEFILE"]).read_text().split()
    if "LSB_DJOB_HOSTFILE" in os.environ:
        return pathlib.Path(os.environ["LSB_DJOB_HOSTFILE"]).read_text().split()
    return os.environ["SLURM_JOB_NODELIST"].split(",")


def hosts():
    return list(dict.fromkeys(lines_of_nodes()))


def run_all(tasks, ends_all):
    """Runs (command, environment, folder) side by side: their exit codes, and the first that was not 0. `ends_all`: at
    the first failure."""
    running = [subprocess.Popen(words, env=env, cwd=cwd) for words, env, cwd in tasks]
    def end(number, _):
        for one in running:
            one.send_signal(number)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
        signal.signal(number, end)
    first = 0
    while True:
        alive = [one for one in running if one.poll() is None]
        bad = [one.returncode for one in running if one.returncode]
        if bad and not first:
            first = bad[0]
            for one in alive if ends_all else []:
                one.terminate()
        if not alive:
            return [shell_code(one.returncode) for one in running], shell_code(first)
        time.sleep(0.02)


def shell_code(code):
    return code if code >= 0 else 128 - code


def srun(words):
    options = {}
    while words and words[0].startswith("--"):
        name, _, value = words.pop(0)[2:].partition("=")
        options[name] = value
    group = options.get("het-group")
    nodes = hosts()
    if group:
        nodes = [node for one in group.split(",") for node in os.environ[f"SLURM_JOB_NODELIST_HET_GROUP_{one}"].split(",")]
    if "nodelist" in options:
        nodes = options["nodelist"].split(",")
    if "exclude" in options:
        nodes = [node for node in nodes if node not in options["exclude"].split(",")]
    first = int(options.get("relative") or 0)
    nodes = nodes[first:first + int(options.get("nodes") or len(nodes))]
    each = int(options.get("ntasks-per-node") or 1)
    tasks = []
    for rank, node in enumerate(nodes):
        for local in range(each):
            own = {"HOSTNAME": node, "SLURMD_NODENAME": node, "SLURM_NODEID": str(rank), "SLURM_PROCID": str(rank * each + local),
                   "SLURM_LOCALID": str(local)}
            tasks.append((words, os.environ | own, os.getcwd()))
    sys.exit(max(run_all(tasks, "kill-on-bad-exit" in options)[0]))


def pbsdsh(words):
    all_lines, hosts_alone = lines_of_nodes(), False
    chosen = range(len(all_lines))
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "--":
            break
        if option == "-n":
            chosen = [int(words.pop(0))]
        elif option == "-h":
            host = words.pop(0)
            chosen = [all_lines.index(host)]
        elif option == "-u":
            hosts_alone = True
        else:
            sys.exit(f"pbsdsh: option {option}")
    if hosts_alone:
        chosen = [all_lines.index(host) for host in hosts()]
    tasks = []
    for number, line in enumerate(chosen):
        host = all_lines[line]
        own = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": os.environ["HOME"], "PBS_ENVIRONMENT": "PBS_BATCH", "HOSTNAME": host,
               "PBS_JOBID": os.environ["PBS_JOBID"], "PBS_NODENUM": str(hosts().index(host)), "PBS_TASKNUM": str(number + 2), "CUDA_VISIBLE_DEVICES": "0"}
        tasks.append((words, own, own["HOME"]))
    for number, code in enumerate(run_all(tasks, False)[0]):
        if code:
            print(f"pbsdsh: task 0x{number:08X} exit status {code}")
    sys.exit(0)


def blaunch(words):
    """One task on one host, without a shell, with the environment and the folder of the script."""
    if words[0] != "-no-shell" or words[1] not in hosts():
        sys.exit(f"blaunch: {words[:2]}")
    sys.exit(run_all([(words[2:], os.environ | {"HOSTNAME": words[1]}, os.getcwd())], True)[1])


def mpirun(words):
    options = {}
    while words[0].startswith("-"):
        options[words[0]], words = words[1], words[2:]
    count, each = int(options["-np"]), int(options["--map-by"].split(":")[1])
    assert len(lines_of_nodes()) >= count or "SLURM_JOB_NODELIST" in os.environ, "not enough slots"
    tasks = []
    for rank in range(count):
        node = rank // each
        own = {"HOSTNAME": hosts()[node], "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_LOCAL_RANK": str(rank % each), "OMPI_COMM_WORLD_LOCAL_SIZE": str(each)}
        if "SLURM_JOB_NODELIST" in os.environ:
            own |= {"SLURMD_NODENAME": hosts()[node], "SLURM_NODEID": str(node)}
        elif "PBS_NODEFILE" in os.environ:
            own |= {"PBS_NODENUM": str(node)}
        tasks.append((words, os.environ | own, os.getcwd()))
    sys.exit(run_all(tasks, True)[1])


def scontrol(words):
    if words[:2] == ["show", "hostnames"]:
        print("\n".join(words[2].split(",")))


def squeue(_):
    print("")


def hostname(_):
    print(os.environ["HOSTNAME"])


def getent(words):
    print(f"10.0.0.1 STREAM {words[1]}")


{"getent": getent, "srun": srun, "pbsdsh": pbsdsh, "blaunch": blaunch, "mpirun": mpirun, "scontrol": scontrol, "squeue": squeue, "hostname": hostname}[NAME](sys.argv[1:])
