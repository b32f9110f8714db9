"""Manifests on a real control plane with the real operators and gang schedulers: tests/cluster, as a process of its own."""
import importlib.util
import os
import shutil
import signal
import subprocess
import sys

from . import lib

PROGRAM = lib.CHECKOUT / "tests" / "cluster" / "run"


def missing():
    """Why it cannot run here, or ""."""
    if os.getuid() != 0:
        return "it needs root, for namespaces of its own"
    for tool in ("unshare", "ip", "openssl", "mount"):
        if not shutil.which(tool):
            return f"there is no {tool}"
    if not importlib.util.find_spec("yaml"):
        return "python3-yaml is not installed"
    return ""


def judge(report, shop):
    why = missing()
    if why:
        return report.skip("cluster", "cluster", why)
    environment = {**os.environ, "MUSTER": str(shop.muster)}
    process = subprocess.Popen([sys.executable, PROGRAM], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
                               start_new_session=True)
    shop.closing.callback(stop, process)
    last, closed = "", False
    for line in process.stdout:
        word, _, text = line.rstrip("\n").partition(" ")
        if word in ("ok", "FAIL"):
            report.check(text.strip(), word == "ok")
        else:
            report.say(line.rstrip("\n") if word == "#" else f"# {line.rstrip()}")
            last = line.strip() or last
            closed |= "failed; the largest process" in line  # the last thing that the phases print
    if process.wait() == 2 and "there are no parts" in last:
        return report.skip("cluster", "cluster", last)
    return report.check("the cluster ran to its end", process.returncode in (0, 1) and closed, f"exit {process.returncode}: {last}")


def stop(process):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
