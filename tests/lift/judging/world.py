"""A root folder of its own for strangers' scripts: no network, no process of the machine, nothing writable but folders in memory,
and for programs only bash, harmless tools and stubs. This file runs as root inside `unshare`; jobs run there as the user `judge`."""
import fcntl
import os
import pathlib
import shutil
import signal
import socket
import stat
import struct
import subprocess

USER = 4242
FIRST_PROCESS = 20000
HOME = "/home/judge"
STUBS = pathlib.Path(__file__).resolve().parent.parent / "stubs"

# Real ones: they change nothing but files that the job may write anyway.
TOOLS = ("bash awk basename cat cmp comm cut dirname diff egrep env expand expr false fgrep fold getent grep head join ln ls mawk md5sum mkdir mkfifo nl nohup od paste "
         "printenv printf pwd readlink realpath rev rmdir sed seq setsid sha256sum sort split stat tac tail tee test timeout touch tr true tsort uniq wc which xargs "
         "yes echo bc logname numfmt gzip gunzip zcat chmod column nice").split()
# Always there, whether or not a text names them; those that would change or leave the machine only record.
RECORDED = ("python python3 python2 torchrun accelerate deepspeed mpirun mpiexec mpiexec.hydra orterun ray singularity apptainer docker podman shifter sarus enroot numactl taskset "
            "stdbuf unbuffer catchsegv time xvfb-run srun scontrol hostname date mktemp shuf nvidia-smi conda mamba micromamba sbatch salloc scancel squeue sinfo sacct nproc whoami id uuidgen su sudo "
            "rm mv cp rsync tar wget curl git pip pip3 kill ssh scp find dd chown killall pkill zip unzip install make cmake gcc nvcc perl ruby node R Rscript julia matlab java "
            "uname free top ps df du lscpu sync mount umount dos2unix").split()
# What others have: a job that takes it away does harm.
CANARIES = tuple(f"{top}/neighbour/keep.txt" for top in ("/home", "/scratch", "/data", "/project")) + (f"{HOME}/results/keep.txt", "/tmp/neighbour/keep.txt")
TOPS = ("/home", "/tmp", "/scratch", "/data", "/project")  # folders of each world, where a job may write
# No time to lose, unless programs in the background shall start meanwhile (/.rec/slow): they need longer where others compute.
SLEEP = '''#!/.real/usr/bin/bash
[ -e /.rec/slow ] || exit 0
read -r load _ < /proc/loadavg
case $load in [01].*) seconds=0.7 ;; [2-5].*) seconds=1.4 ;; *) seconds=2.8 ;; esac
exec /.real/usr/bin/sleep "$seconds"
'''


def enter(root, python):
    """Makes the root below `root`, goes into it, and returns nothing; everything after this sees only what is there."""
    sh("mount", "--make-rprivate", "/")
    sh("mount", "-t", "tmpfs", "-o", "mode=755,size=2g", "world", root)
    for name in ("usr/bin", "usr/sbin", "usr/local/bin", ".real/usr", ".real/python", ".judge", ".rec", "etc", "proc", "sys", "dev/shm", "dev/pts", "tmp", "var/tmp", "var/run",
                 "home/judge", "slurm", "run"):
        os.makedirs(f"{root}/{name}")
    for link in ("bin", "sbin"):
        os.symlink(f"usr/{link}", f"{root}/{link}")
    bind("/usr", f"{root}/.real/usr")
    bind(python, f"{root}/.real/python")
    for name in ("lib", "lib64", "lib32", "libx32"):
        if os.path.isdir(f"/usr/{name}"):
            os.mkdir(f"{root}/usr/{name}")
            bind(f"/usr/{name}", f"{root}/usr/{name}")
            os.symlink(f"usr/{name}", f"{root}/{name}")
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        pathlib.Path(f"{root}/dev/{name}").touch()
        sh("mount", "--bind", f"/dev/{name}", f"{root}/dev/{name}")
    os.symlink("/proc/self/fd", f"{root}/dev/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"{root}/dev/{name}")
    os.chmod(f"{root}/dev/shm", 0o1777)
    sh("mount", "-t", "proc", "proc", f"{root}/proc")
    slurm = {name: os.path.realpath(shutil.which(name, path="/usr/sbin:/usr/bin:/sbin")) for name in ("slurmctld", "slurmd", "slurmstepd")}
    furnish(root, slurm)
    loopback()
    socket.sethostname("localhost")
    os.chroot(root)
    os.chdir("/")


def sh(*words):
    subprocess.run([str(word) for word in words], check=True)


def bind(source, target):
    sh("mount", "--bind", "-o", "ro", source, target)
    sh("mount", "-o", "remount,bind,ro", target)


def loopback():
    """The loopback device, with an address of a second network: names are looked up only where there is one."""
    with socket.socket() as any_socket:
        flags = 0x1 | 0x40  # up and running
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", flags))
        address = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton("10.77.0.254"))
        fcntl.ioctl(any_socket, 0x8916, struct.pack("16s16s8x", b"lo:1", address))


def furnish(root, slurm):
    at = pathlib.Path(root)
    for name in TOOLS:
        real = shutil.which(name, path="/usr/bin:/bin")
        if real:
            real = os.path.realpath(real)
            (at / "usr/bin" / name).symlink_to("/.real" + real if real.startswith("/usr/") else real)
    # sh is bash, as on the clusters that these scripts are for, but not in its POSIX mode, where it would not read BASH_ENV.
    shell = next(name for name in ("dash", "bash") if os.path.exists(f"/usr/bin/{name}"))
    write(at / "usr/bin/sh", f'#!/.real/usr/bin/{shell}\nexec /usr/bin/bash "$@"\n')
    os.chmod(at / "usr/bin/sh", 0o755)
    for name, real in slurm.items():
        (at / "usr/sbin" / name).symlink_to("/.real" + real)
    shutil.copy(STUBS / "stub.py", at / ".judge/stub.py")
    shutil.copy(STUBS / "stub.py", at / ".judge/call")
    for module in STUBS.glob("*.py"):
        if module.name != "stub.py":
            shutil.copy(module, at / ".judge")
    shutil.copy(STUBS / "shell.sh", at / ".judge/shell.sh")
    os.chmod(at / ".judge/call", 0o755)
    for name in RECORDED:
        if not (at / "usr/bin" / name).exists():
            stub_at(at / "usr/bin" / name)
        stub_at(at / "usr/local/bin" / name)
    for folder in ("usr/bin", "usr/local/bin"):
        write(at / folder / "sleep", SLEEP)
        os.chmod(at / folder / "sleep", 0o755)
    write(at / "etc/passwd", f"root:x:0:0:root:/root:/bin/bash\njudge:x:{USER}:{USER}:judge:{HOME}:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n")
    write(at / "etc/group", f"root:x:0:\njudge:x:{USER}:\nnogroup:x:65534:\n")
    write(at / "etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
    write(at / "etc/profile", "export PATH=/usr/local/bin:/usr/bin:/bin\n. /.judge/shell.sh\njudge_software profile\n")
    write(at / "etc/bash.bashrc", ". /.judge/shell.sh\n")  # an interactive bash does not read BASH_ENV
    os.chmod(at / ".rec", 0o777)


def write(path, text):
    path.write_text(text)


def stub_at(path):
    """A name by which the recorder is called. A link would do, but the kernel must see the name as the interpreter's first word."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/.judge/call")


def clean(extra):
    """What the last job left is gone: its processes, and everything it could write. Process ids begin anew, where no other number is."""
    end_processes()
    if os.path.exists("/proc/sys/kernel/ns_last_pid"):
        with open("/proc/sys/kernel/ns_last_pid", "w", encoding="ascii") as last:
            last.write(str(FIRST_PROCESS))
    for folder in (*TOPS, "/var/tmp", "/dev/shm", *sorted(extra)):
        if os.path.isdir(folder) and not os.path.islink(folder):
            shutil.rmtree(folder, ignore_errors=True)
    for folder, mode in ((HOME, 0o755), ("/tmp", 0o1777), ("/var/tmp", 0o1777), ("/dev/shm", 0o1777)):
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, mode)
    os.chown(HOME, USER, USER)
    for path in CANARIES:
        give_folder(os.path.dirname(path))
        write(pathlib.Path(path), "keep\n")
        os.chown(path, USER, USER)
    for entry in os.scandir("/.rec"):
        os.unlink(entry.path) if not entry.is_dir() else shutil.rmtree(entry.path)


def end_processes():
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.stat(f"/proc/{entry}").st_uid == USER:
                os.kill(int(entry), signal.SIGKILL)
        except OSError:
            pass


def give_folder(path):
    """A folder that the job may write, with the ones above it. Not where the machine's own things are."""
    made = pathlib.Path(path)
    if made.is_symlink() or protected(path):
        return
    for folder in [*reversed(made.parents), made]:
        try:
            if not folder.exists():
                folder.mkdir()
                os.chown(folder, USER, USER)
        except OSError:
            return


def give_program(path):
    """A file that records, whether it is started or handed to a shell."""
    if protected(path) or os.path.lexists(path):
        return
    give_folder(os.path.dirname(path))
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write('#!/bin/bash\n# a stub\nexec /.judge/call "$0" "$@"\n')
        os.chmod(path, 0o755)
        os.chown(path, USER, USER)
    except OSError:
        pass


def protected(path):
    first = pathlib.PurePosixPath(os.path.normpath(path)).parts[1:2]
    return not first or first[0] in (".real", ".judge", ".rec", "proc", "sys", "dev", "etc", "slurm", "bin", "sbin", "lib", "lib64", "lib32", "libx32") or (
        path.startswith("/usr/") and not path.startswith("/usr/local/") and os.path.lexists(path))


def tree(folders):
    """Every file and folder that was made: path, and a digest of what a file holds."""
    import hashlib
    out = {}
    for top in folders:
        for base, names, files in os.walk(top):
            for name in sorted(names):
                out[os.path.join(base, name)] = "folder"
            for name in sorted(files):
                path = os.path.join(base, name)
                mode = os.lstat(path).st_mode
                if stat.S_ISREG(mode):
                    with open(path, "rb") as file:
                        data = file.read(1 << 16)
                    if b"# a stub\n" not in data[:40]:
                        out[path] = data.decode("latin-1") if len(data) < 1 << 16 else hashlib.md5(data).hexdigest()
                else:
                    out[path] = "link" if stat.S_ISLNK(mode) else "other"
    return dict(list(out.items())[:400])
