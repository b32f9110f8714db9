"""Scenarios of slurm-run: how programs are told to end, what becomes of their exit code, and what is tried again."""
import time

from . import lib
from .lab import ENDED, one_value
from .launches import ended, submitted


def attempts(job, name=None):
    """The attempts that the programs saw, in order, each once."""
    seen = []
    for call in job.calls(name):
        attempt = call["env"].get("MUSTER_ATTEMPT")
        if attempt not in seen:
            seen.append(attempt)
    return seen


def running(report, lab, name, count, program=None, **options):
    """A job whose `count` programs wait for a signal."""
    job = lab.submit(report, name, **options)
    if not job:
        return None
    return job if report.check(f"{job.case.label} its programs run", started(job, count, program), f"{job.state().get('JobState')} {job.output()[-300:]}") else None


def started(job, count, program=None, attempt=0):
    calls = job.wait_calls(count, program, attempt, 60)
    time.sleep(0.3)  # the handlers are set after the record is written
    return calls


def told(report, label, calls, signal):
    """Every program got this signal, and had the time to save."""
    got = [sorted(set(call["signals"])) for call in calls]
    report.check(f"{label} {signal} reaches every program", got and all(signals == [signal] for signals in got), got)
    report.check(f"{label} every program could save", calls and all(call["code"] is not None for call in calls), [call["code"] for call in calls])


def warn(job):
    """What Slurm does at `--signal=B:USR1@…`, without waiting for it."""
    job.signal("USR1", "--batch")


# ---- stop ------------------------------------------------------------------------------------

def stop_step(report, lab):
    """Both programs end with 7 at once; where one is so late that Slurm ends it for the other, srun says 143, and it is tried again."""
    for more in (True, False):
        job = running(report, lab, "stop-step", 2, "torchrun")
        if not job:
            return
        warn(job)
        state = job.end()
        if more and state.get("ExitCode", "").startswith("143:") and "Terminated" in job.output():
            continue
        told(report, "stop-step", job.calls("torchrun"), "SIGTERM")
        return ended(report, job, state, 7, "FAILED")


def stop_signal(report, lab):
    job = running(report, lab, "stop-signal", 2)
    if job:
        warn(job)
        state = job.end()
        told(report, "stop-signal", job.calls("probe"), "SIGUSR2")
        ended(report, job, state)


def stop_shell(report, lab):
    job = running(report, lab, "stop-shell", 1)
    if job:
        warn(job)
        state = job.end()
        told(report, "stop-shell", job.calls("probe", "wait"), "SIGUSR2")
        report.equal("stop-shell the body hears it too", [call["argv"] for call in job.calls("probe")][1:], [["told=1", "exit=4"]])
        ended(report, job, state, 4, "FAILED")


def stop_limit(report, lab):
    """Slurm itself warns before the time limit."""
    job, state = submitted(report, lab, "stop-limit")
    if job:
        told(report, "stop-limit", job.calls("probe"), "SIGTERM")
        ended(report, job, state, 6, "FAILED")


def time_is_up(report, lab):
    """Nothing was said before: the limit itself tells the program, which has KillWait to save."""
    job, state = submitted(report, lab, "stop-limit", edit=lambda text: text.replace("lead = 20s", "signal = TERM"))
    if job:
        told(report, "time-is-up", job.calls("probe"), "SIGTERM")
        report.check("time-is-up ends it", state.get("JobState") in ("TIMEOUT", "FAILED"), state.get("JobState"))


# ---- failure and cancelling ------------------------------------------------------------------

def without_retry(text):
    return "\n".join(line for line in text.split("\n") if not line.startswith("  retry "))


def one_fails(report, lab):
    """One node's failure ends the gang; the job's code is that of the failure."""
    job, state = submitted(report, lab, "retry-codes", edit=lambda text: without_retry(text).replace("exit-by-attempt=42,3", "exit=3"))
    if job:
        told(report, "one-fails", [call for call in job.calls("probe") if call["env"].get("SLURM_NODEID") == "0"], "SIGTERM")
        ended(report, job, state, 3, "FAILED")


def retry_never(report, lab):
    job, state = submitted(report, lab, "retry-never")
    if job:
        report.equal("retry-never attempts", attempts(job), ["0"])
        ended(report, job, state, 3, "FAILED")


def cancel(report, lab):
    """A cancelled job is told, ends, and is not tried again."""
    for name, count, program in (("stop-step", 2, "torchrun"), ("retry-all", 1, "probe"), ("retry-timeout", 2, "probe")):
        job = running(report, lab, name, count, program)
        if not job:
            continue
        lab.cluster.run("scancel", str(job.number))
        state = job.end(20)
        report.equal(f"cancel {name} state", state.get("JobState"), "CANCELLED")
        calls = job.calls(program)
        report.check(f"cancel {name} every program is told and ends", calls and all("SIGTERM" in c["signals"] and c["code"] is not None for c in calls),
                     [(c["signals"], c["code"]) for c in calls])
        report.equal(f"cancel {name} attempts", attempts(job), ["0"])


# ---- another attempt -------------------------------------------------------------------------

def retry_failure(report, lab):
    job, state = submitted(report, lab, "retry-failure")
    if job:
        report.equal("retry-failure attempts", attempts(job), ["0", "1", "2"])
        report.equal("retry-failure one program an attempt", len(job.calls("probe")), 3)
        ended(report, job, state, 5, "FAILED")


def retry_codes(report, lab):
    """42 is tried again, 3 is not; the code is that of the node which failed first."""
    job, state = submitted(report, lab, "retry-codes")
    if job:
        report.equal("retry-codes attempts", attempts(job), ["0", "1"])
        ended(report, job, state, 3, "FAILED")


def retry_timeout(report, lab):
    job = running(report, lab, "retry-timeout", 2)
    if not job:
        return
    warn(job)
    lib.until(lambda: job.hurry().get("Restarts") == "1", 20)
    again = lib.until(lambda: job.hurry() and len(job.calls("probe")) >= 4, 30)
    report.check("retry-timeout goes on in another attempt", again, job.output()[-300:])
    if again:
        time.sleep(0.5)
        warn(job)
    state = job.end()
    told(report, "retry-timeout", job.calls("probe"), "SIGTERM")
    report.equal("retry-timeout attempts", attempts(job), ["0", "1"])
    ended(report, job, state)


def retry_all(report, lab):
    job = running(report, lab, "retry-all", 1, edit=lambda text: text.replace("limit      = 3", "limit = 1"))
    if not job:
        return
    for count in (1, 2):
        lib.until(lambda: job.hurry() and len(job.calls("probe")) >= count, 30)
        time.sleep(0.5)
        warn(job)
    state = job.end()
    told(report, "retry-all", job.calls("probe"), "SIGINT")
    report.equal("retry-all attempts", attempts(job), ["0", "1"])
    ended(report, job, state, 9, "FAILED")


def requeue(report, lab):
    """An operator requeues a running job: the attempts count up to the limit, one more ends at once."""
    def smaller(text):
        return text.replace("limit = 3", "limit = 1").replace("nodes      = 4", "nodes      = 2").replace("H100:8", "H100:1").replace("queue      = spare", "queue = main")
    job = running(report, lab, "spare", 2, "torchrun", edit=smaller)
    if not job:
        return
    for count in (1, 2):
        lib.until(lambda: job.hurry().get("JobState") == "RUNNING" and len(job.calls("torchrun")) >= 2 * count, 40)
        time.sleep(0.5)
        done = job.scontrol("requeue")
        report.check(f"requeue {count} is taken", done.returncode == 0, lib.says(done))
    state = job.end()
    report.equal("requeue attempts", attempts(job, "torchrun"), ["0", "1"])
    report.check("requeue one attempt too many ends at once", state.get("JobState") == "FAILED" and "no attempts left" in job.output(),
                 f"{state.get('JobState')} {job.output()[-300:]}")


def preempted(report, lab):
    """Capacity is taken back: the program gets the job's own signal, saves, and goes on later."""
    job = running(report, lab, "spare", 4, "torchrun")
    if not job:
        return
    nodes = job.state()["NodeList"]
    other = lab.shop.folder / "urgent.sbatch"
    other.write_text(f"#!/bin/bash\n#SBATCH --partition=gpu\n#SBATCH --nodelist={nodes}\n#SBATCH --gpus-per-node=8\n#SBATCH --mem=1000\ntrue\n")
    urgent = lab.cluster.submit(other)
    lib.until(lambda: job.state().get("Restarts") == "1", 40)
    told(report, "preempted", job.calls("torchrun")[:4], "SIGUSR1")
    # Hurried before the urgent job has had its nodes, it would be preempted once more.
    over = lib.until(lambda: lab.cluster.job(urgent).get("JobState") in ENDED, 60)
    report.check("preempted the urgent job ran", over, lab.cluster.job(urgent).get("JobState"))
    again = lib.until(lambda: job.hurry() and len(job.calls("torchrun")) >= 8, 40)
    report.check("preempted goes on in attempt 1", again and one_value(job.calls("torchrun")[4:], "MUSTER_ATTEMPT") == "1",
                 f"{attempts(job, 'torchrun')} {job.state()} {job.output()[-400:]}")
    lab.cluster.cancel(job.number)


SCENARIOS = (stop_limit, time_is_up, retry_timeout, retry_all, requeue, retry_failure, retry_codes, stop_step, stop_signal, stop_shell, one_fails,
             retry_never, cancel)
ALONE = (preempted,)  # any job of the other scenarios may take its nodes
