"""A private accounting database for one controller: MariaDB with a folder and a socket of its own, and slurmdbd."""
import os
import shutil
import subprocess

from . import cases, lib, sandbox

PROGRAMS = {"slurmdbd": "slurmdbd", "mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server"}
PATHS = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def missing():
    return sorted({package for program, package in PROGRAMS.items() if not shutil.which(program, path=PATHS)})


def install():
    """None once the programs are there; else why they are not."""
    packages = missing()
    if not packages:
        return None
    if os.getuid() or not shutil.which("apt-get"):
        return f"{' and '.join(packages)} missing; root on Debian installs them"
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300"]
    # A server of the package's own that starts would be none of this judge's.
    options = {"timeout": 600, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
    put = [*apt, "install", "-y", "--no-install-recommends", *packages]
    done = lib.run(put, **options)
    if done.returncode:
        lib.run([*apt, "update"], **options)
        done = lib.run(put, **options)
    return f"apt-get install: {lib.says(done)[-400:]}" if missing() else None


class Database:
    """What `conf` says makes a controller use it: lines of slurm.conf."""

    def __init__(self, shop, name, cluster_state):
        self.folder, self.port = shop.place(name), sandbox.free_ports(shop)
        self.munge = cluster_state / "munge" / "munge.socket"
        self.running = []
        shop.closing.callback(self.down)

    def conf(self, *more):
        return "".join(f"{line}\n" for line in (
            "AccountingStorageType=accounting_storage/slurmdbd", "AccountingStorageHost=127.0.0.1", f"AccountingStoragePort={self.port}",
            f"AccountingStoragePass={self.munge}", "AccountingStorageEnforce=associations,limits,qos", *more))

    def up(self):
        """An error message, or None once slurmdbd answers."""
        return self.start_mariadb() or self.start_slurmdbd()

    def start_mariadb(self):
        data, socket, user = self.folder / "data", self.folder / "socket", f"--user={lib.run(['id', '-un']).stdout.strip()}"
        made = lib.run([shutil.which("mariadb-install-db", path=PATHS), "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal", "--skip-test-db", user])
        if made.returncode:
            return lib.says(made)
        self.start("mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={socket}", "--skip-networking", "--innodb-flush-log-at-trx-commit=0", user)
        return None if lib.until(socket.exists, 30) else self.log("mariadbd")

    def start_slurmdbd(self):
        lines = ("AuthType=auth/munge", f"AuthInfo=socket={self.munge}", "DbdHost=localhost", "DbdAddr=127.0.0.1", f"DbdPort={self.port}",
                 f"SlurmUser={lib.run(['id', '-un']).stdout.strip()}", "StorageType=accounting_storage/mysql", "StorageHost=localhost",
                 "StorageUser=root", "StorageLoc=slurm", f"PidFile={self.folder}/slurmdbd.pid")
        path = self.folder / "slurmdbd.conf"
        path.write_text("".join(f"{line}\n" for line in lines))
        path.chmod(0o600)
        # It looks for its file beside the slurm.conf that SLURM_CONF names.
        self.start("slurmdbd", "-D", SLURM_CONF=str(self.folder / "slurm.conf"), MYSQL_UNIX_PORT=str(self.folder / "socket"), MARIADB_UNIX_PORT=str(self.folder / "socket"))
        return None if lib.until(lambda: sandbox.listens(self.port), 30) else self.log("slurmdbd")

    def start(self, program, *words, **environment):
        with open(self.folder / f"{program}.log", "wb") as log:
            self.running.append(subprocess.Popen([shutil.which(program, path=PATHS), *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                 env=sandbox.clean_environment(**environment)))

    def log(self, program):
        return (self.folder / f"{program}.log").read_text(errors="replace")[-600:]

    def down(self):
        """First slurmdbd, then its store."""
        while self.running:
            process = self.running.pop()
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Cluster(sandbox.Cluster):
    """A controller with a database of accounts; jobs are those of an ordinary user where that is possible."""

    def __init__(self, shop, name):
        super().__init__(shop, name, cases.Fleet())
        self.user = "nobody" if os.getuid() == 0 else lib.run(["id", "-un"]).stdout.strip()
        self.database = Database(shop, f"{name}-database", self.state)

    def up(self):
        return self.database.up() or super().up() or self.declare()

    def load(self, qos, associations):
        """What sacctmgr says. QOS are added one by one, by their names and words, for a file has none of them; then all accounts by a file."""
        commands = self.shop.folder / "qos.txt"
        commands.write_text("".join(f"add qos {name} {words}\n" for name, words in qos))
        with open(commands) as lines:
            lib.run(["sacctmgr", "-i"], timeout=300, stdin=lines, env=self.environment)
        tree = self.shop.folder / "accounts.cfg"
        tree.write_text("".join(f"{line}\n" for line in associations))
        return lib.says(self.run("sacctmgr", "-i", "load", f"file={tree}", timeout=300))

    def submit(self, path, *words, cwd=None, **environment):
        if os.getuid():
            return super().submit(path, *words, cwd=cwd, **environment)
        done = self.run("setpriv", f"--reuid={self.user}", "--regid=65534", "--clear-groups", "sbatch", "--parsable", *words, path, cwd=cwd, **environment)
        return int(done.stdout) if done.returncode == 0 and done.stdout.strip().isdigit() else lib.says(done)

    def down(self):
        if self.state.exists():
            self.run("scancel", "--user", self.user)
        super().down()
        self.database.down()
