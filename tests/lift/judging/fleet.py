"""Two controllers with the same nodes in one world: one for originals, one for results, so that both see the same job ids."""
import os
import pathlib
import re
import subprocess
import time

from . import world

FIRST_JOB = 61000001
SETTINGS = """\
ClusterName=judge
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort={port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/spool/%n
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/slurmd.%n.pid
SlurmctldLogFile={at}/slurmctld.log
SlurmdLogFile={at}/slurmd.%n.log
MailProg=/usr/bin/true
ProctrackType=proctrack/linuxproc
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_continue,nohold_on_prolog_fail
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
EpilogSlurmctld={at}/ended.sh
PrivateData=cloud
PreemptType=preempt/none
KillWait=1
MinJobAge=600
UnkillableStepTimeout=5
CompleteWait=0
MaxArraySize=4000001
MaxJobCount=4100000
FirstJobId={first}
"""


class Slurm:
    def __init__(self, name, port, fleet):
        self.name, self.port, self.fleet = name, port, fleet
        self.at = pathlib.Path("/slurm") / name
        self.conf = self.at / "slurm.conf"
        self.last_job = FIRST_JOB - 1
        self.environment = {"SLURM_CONF": str(self.conf), "PATH": "/.real/usr/bin:/.real/usr/sbin:/usr/bin", "LANG": "C.UTF-8", "HOME": "/root"}

    def up(self):
        for folder in ("state", "spool"):
            (self.at / folder).mkdir(parents=True)
        text = SETTINGS.format(port=self.port, at=self.at, first=FIRST_JOB) + self.fleet["lines"]
        lines, ports = [], self.port + 1
        for node in self.fleet["nodes"]:
            lines.append(f"NodeName={node['name']} NodeAddr=127.0.0.1 NodeHostname=localhost Port={ports} {node['rest']}")
            (self.at / "spool" / node["name"]).mkdir()
            ports += 1
        self.conf.write_text(text + "\n".join(lines) + "\n" + self.fleet["partitions"])
        (self.at / "gres.conf").write_text("AutoDetect=off\n" + self.fleet["gres"])
        (self.at / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        (self.at / "plugstack.conf").write_text("# none\n")
        ended = self.at / "ended.sh"
        ended.write_text(f'#!/.real/usr/bin/bash\necho "$SLURM_JOB_ID ${{SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}} ${{SLURM_ARRAY_TASK_ID:--}} $SLURM_JOB_EXIT_CODE2" >> /.rec/ended-{self.name}\n')
        ended.chmod(0o755)
        self.call("/usr/sbin/slurmctld", "-c", "-f", self.conf, check=True)
        for node in self.fleet["nodes"]:
            self.call("/usr/sbin/slurmd", "-N", node["name"], "-f", self.conf, check=True)
        deadline = time.monotonic() + 40
        while time.monotonic() < deadline:
            states = self.call("sinfo", "-h", "-N", "-p", "judge", "-o", "%t").stdout.split()
            if len(states) == len(self.fleet["nodes"]) and all(state == "idle" for state in states):
                break
            time.sleep(0.05)
        else:
            raise RuntimeError(f"the nodes of {self.name} are not up: " + self.said())
        for name in self.fleet["reservations"]:
            self.call("scontrol", "create", "reservation", f"ReservationName={name}", "Users=judge,root", "StartTime=now", "Duration=UNLIMITED", "NodeCnt=2",
                      "Flags=OVERLAP,IGNORE_JOBS")
        return self

    def said(self):
        log = self.at / "slurmctld.log"
        return log.read_text()[-1500:] if log.exists() else "no log"

    def call(self, *words, check=False, timeout=30):
        done = subprocess.run([str(word) for word in words], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=timeout)
        if check and done.returncode:
            raise RuntimeError(f"{words[0]}: {done.stdout}{done.stderr}\n{self.said()}")
        return done

    # ---- one job ------------------------------------------------------------------------------

    def submit(self, file, words, cwd, environment, arguments=()):
        """(the job's number or 0, what sbatch said). A script may ask sbatch to wait for the end: that is not waited for."""
        sbatch = subprocess.Popen(["/.real/usr/bin/sbatch", "--parsable", *words, file, *arguments], cwd=cwd, env={**environment, "SLURM_CONF": str(self.conf)}, user=world.USER, group=world.USER,
                                  extra_groups=[], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        first = sbatch.stdout.readline()
        number = re.match(r"\d+", first)
        if number:
            sbatch.kill()
        _, said = sbatch.communicate()
        if number:
            self.last_job = max(self.last_job, int(number[0]))
        return int(number[0]) if number else 0, said

    def wait(self, number, tasks, seconds):
        """The exit code of each task by its id, and why it did not end: "", "time" or the reason for which it waits."""
        path, deadline, started = f"/.rec/ended-{self.name}", time.monotonic() + seconds, time.monotonic()
        asked = False
        while time.monotonic() < deadline:
            codes = self.codes(path, number)
            if len(codes) >= tasks:
                return codes, ""
            time.sleep(0.01)
            if not asked and time.monotonic() > started + 3:
                asked = True
                waiting = {line for line in self.call("squeue", "-h", "-r", "-j", number, "-o", "%T|%r").stdout.split("\n") if line.startswith("PENDING")}
                reasons = {line.partition("|")[2] for line in waiting} - {"None", "Priority", "Resources", "JobArrayTaskLimit"}
                if reasons and not codes:
                    self.end(number)
                    return codes, f"waits: {sorted(reasons)[0]}"
        self.end(number)
        return self.codes(path, number), "time"

    def codes(self, path, number):
        out = {}
        if os.path.exists(path):
            with open(path, encoding="ascii") as lines:
                for line in lines:
                    words = line.split()
                    if len(words) >= 3:
                        self.last_job = max(self.last_job, int(words[0]))
                        if int(words[1]) == number:
                            out[words[2]] = words[3] if len(words) > 3 else ""
        return out

    def end(self, number):
        self.call("scancel", "-s", "KILL", "-f", number)
        self.call("scancel", number)
        world.end_processes()
        deadline = time.monotonic() + 8
        while self.call("squeue", "-h", "-j", number).stdout.strip() and time.monotonic() < deadline:
            world.end_processes()
            time.sleep(0.1)

    def burn(self, to):
        """Takes job numbers until the last one is `to`."""
        while self.last_job < to:
            done = self.call("sbatch", "--parsable", "--hold", "-N1", "-n1", "--wrap", "true")
            number = re.match(r"\d+", done.stdout)
            if not number:
                return
            self.last_job = int(number[0])
            self.call("scancel", number[0])

    def rests(self):
        """Until no job is left; what will not go by itself is ended, so that the next script is alone."""
        deadline = time.monotonic() + 3
        while self.call("squeue", "-h", "-o", "%i").stdout.strip():
            if time.monotonic() > deadline:
                self.call("scancel", "--user=judge")
                world.end_processes()
            if time.monotonic() > deadline + 8:
                return
            time.sleep(0.02)
