"""Traps that show where a container's program runs: the broken manifest of `tests/traps/broken` beside muster's own for the
same job, `tests/traps/ours`.

A process gets from the kernel what a container runtime gives the pod's container: its user, its capabilities, its limit of
locked memory, its variables, its own /dev/shm and /etc/passwd, for NCCL a network. A short program does what the real one
fails at. `traps.tsv` says which traps are shown here."""
import os
import shutil
import sys

from . import cases, lib, trap_pods, traps

# What containerd and CRI-O give a container unless its pod says otherwise.
CAPABILITIES = ("chown", "dac_override", "fsetid", "fowner", "mknod", "net_raw", "setgid", "setuid", "setfcap", "setpcap", "net_bind_service", "sys_chroot",
                "kill", "audit_write")
SHARED_MEMORY, LOCKED_MEMORY = "64m", 64  # the latter in KiB
START = """
mount --bind "$1" /etc/passwd
mount -t tmpfs -o "size=$2,mode=1777" tmpfs /dev/shm
ulimit -l "$3"; cd /; shift 3
exec "$@"
"""
# Two nodes with a network between them: `ip netns exec a` and `b`.
NETWORK = """
mount -t tmpfs tmpfs /run
for node in a b; do ip netns add "$node"; done
ip link add a0 type veth peer name b0
for node in a b; do
  ip link set "${node}0" netns "$node" name eth0
  ip -n "$node" link set eth0 up; ip -n "$node" link set lo up
done
ip -n a address add 10.0.0.1/24 dev eth0; ip -n b address add 10.0.0.2/24 dev eth0
ip netns exec a "$@" & ip netns exec b "$@" connect; wait
"""

# ---- programs --------------------------------------------------------------------------------------

LOCK = """
import ctypes, mmap
memory = mmap.mmap(-1, 1 << 20)
address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
print("memory is locked" if ctypes.CDLL(None).mlock(address, len(memory)) == 0 else "memory cannot be locked")
"""
HOME = """
import getpass, pathlib, tempfile
try:
    name = getpass.getuser()
except (KeyError, OSError):
    name = "no name"
try:
    tempfile.TemporaryDirectory(dir=pathlib.Path.home()).cleanup()
    print(f"{name}, a home where it writes")
except OSError as error:
    print(f"{name}, {type(error).__name__} at home")
"""
LOADERS = """
import errno
try:
    with open("/dev/shm/batches", "wb") as file:
        for _ in range(8):
            file.write(bytes(16 << 20))
    print("8 loaders have room")
except OSError as error:
    print(f"8 loaders: {errno.errorcode[error.errno]}")
"""
# As NCCL does: rank 0 listens at the interface that is named, else at the first besides loopback, and publishes where.
NCCL = """
import fcntl, os, pathlib, socket, struct, sys, time
place = pathlib.Path(sys.argv[1])
def address():
    wanted = os.environ.get("NCCL_SOCKET_IFNAME") or next(name for _, name in socket.if_nameindex() if name != "lo")
    with socket.socket() as own:
        return socket.inet_ntoa(fcntl.ioctl(own.fileno(), 0x8915, struct.pack("256s", wanted.encode()))[20:24])
if sys.argv[2:] == ["connect"]:
    end = time.monotonic() + 20
    while not place.exists() and time.monotonic() < end:
        time.sleep(0.05)
    with socket.socket() as own:
        own.settimeout(5)
        host, port = place.read_text().split()
        print("the ranks meet" if own.connect_ex((host, int(port))) == 0 else f"no answer at {host}")
else:
    with socket.socket() as own:
        own.settimeout(5)
        own.bind((address(), 0))
        own.listen()
        place.with_suffix(".part").write_text(" ".join(map(str, own.getsockname())))
        place.with_suffix(".part").rename(place)
        try:
            own.accept()
        except TimeoutError:
            pass
"""


class Container:
    """The container of a manifest that does the work, as a runtime starts it."""

    def __init__(self, folder, objects):
        _, self.pod, self.container = next(found for found in trap_pods.containers(objects) if trap_pods.gpus(found[2]))
        self.folder = folder
        folder.chmod(0o777)  # its user may be another than ours
        self.passwd = folder / "passwd"  # the image's
        self.passwd.write_text("root:x:0:0:root:/root:/bin/sh\n")

    def setting(self, name, default):
        own, whole = self.container.get("securityContext") or {}, self.pod.get("securityContext") or {}
        return own.get(name, whole.get(name, default))

    def environment(self):
        """The variables that have values; the home is that of /etc/passwd, for a user who is not there the root."""
        home = "/root" if self.setting("runAsUser", 0) == 0 else "/"
        values = {name: value for name, value in trap_pods.env(self.container).items() if value is not None}
        return [f"{name}={value}" for name, value in {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, **values}.items()]

    def shared_memory(self):
        """The size of /dev/shm: a volume in memory may grow to its own limit, and to that of the container."""
        mounted = {mount["name"] for mount in self.container.get("volumeMounts") or [] if mount["mountPath"] == "/dev/shm"}
        kinds = [volume.get("emptyDir") or {} for volume in self.pod.get("volumes") or [] if volume["name"] in mounted]
        if not kinds or kinds[0].get("medium") != "Memory":
            return SHARED_MEMORY
        return str(kinds[0].get("sizeLimit") or trap_pods.limits(self.container)["memory"]).rstrip("i")

    def words(self, *program):
        """What runs the program as the container's user, with the container's capabilities."""
        added = [name.lower() for name in (self.setting("capabilities", {}).get("add") or [])]
        user, group = self.setting("runAsUser", 0), self.setting("runAsGroup", 0)
        return ["env", "-i", *self.environment(), "setpriv", "--reuid", user, "--regid", group, "--clear-groups", "--inh-caps", "-all",
                "--bounding-set", ",".join(["-all", *(f"+{name}" for name in (*CAPABILITIES, *added))]), *program]

    def run(self, program):
        """What the program prints."""
        start = ["unshare", "--mount", "sh", "-ec", START, "sh", self.passwd, self.shared_memory(), LOCKED_MEMORY]
        return lib.says(lib.run([*start, *self.words(sys.executable, "-Ic", program)]))

    def run_two(self, program):
        """What the second of two containers prints, each on a node of its own."""
        words = self.words(sys.executable, "-Ic", program, self.folder / "address")
        return lib.says(lib.run(["unshare", "--net", "--mount", "sh", "-ec", NETWORK, "sh", *words]))


# What is run and how, what is seen of the broken file, and of ours.
TRAPS = {
    "ipc-lock-without-root": (LOCK, Container.run, "memory cannot be locked", "memory is locked"),
    "rootless-home": (HOME, Container.run, "no name, PermissionError at home", "nonroot, a home where it writes"),
    "small-shm": (LOADERS, Container.run, "8 loaders: ENOSPC", "8 loaders have room"),
    "loopback-nccl": (NCCL, Container.run_two, "no answer at 127.0.0.1", "the ranks meet"),
}


def emitted(report, shop, name):
    """What muster writes for the same job at a site of the examples."""
    case = next(case for case in cases.own_cases(traps.FOLDER / "ours") if case.name == name)
    path = shop.place(f"trap-containers/{name}") / "ours.yaml"
    done = shop.ask("compile", case.spec, "--site", cases.EXAMPLES / "sites" / f"{case.site}.muster", "--root", case.spec.parent, "--target", "jobset")
    report.check(f"{name}: ours is written", done.returncode == 0, lib.says(done))
    path.write_text(done.stdout)
    return path


def judge(report, shop):
    missing = next((tool for tool in ("unshare", "setpriv", "ip") if not shutil.which(tool)), "root" if os.getuid() != 0 else None)
    if missing:
        return report.skip("containers", "trap-containers", f"there is no {missing}")
    for name, (program, run, fault, right) in TRAPS.items():
        files = ((traps.FOLDER / "broken" / f"{name}.yaml", fault), (emitted(report, shop, name), right))
        for path, want in files:
            kind = "ours does not have it" if want == right else "the broken manifest shows it"
            folder = shop.place(f"trap-containers/{name}/{path.parent.name}")
            report.equal(f"{name}: {kind}: {want}", run(Container(folder, traps.read(path)), program), want)
    return None
