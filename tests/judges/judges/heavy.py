"""Heavy judges run only where their sources changed since they last passed: the file HEAVY beside `run` says which."""
import hashlib
import os
import re

from . import lib

FILE = lib.HERE / "HEAVY"
ROW = re.compile(r"^(\S+) (-|[0-9a-f]{64})$")


def read(text):
    """Name of a judge -> (digest that last passed, patterns)."""
    rows = {}
    for number, line in enumerate(text.splitlines(), 1):
        row = ROW.match(line)
        if row:
            patterns = rows.setdefault(row[1], (row[2], []))[1]
        elif line.startswith("  ") and rows:
            patterns += line.split()
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"HEAVY:{number}: neither `JUDGE DIGEST` nor indented patterns")
    return rows


def of_every(name):
    """What every judge consists of."""
    return (f"tests/judges/judges/{name.replace('-', '_')}.py", "tests/judges/judges/lib.py")


def digest(checkout, name, patterns):
    """Of paths and contents alone, so that it is the same on every machine."""
    files = set()
    for pattern in (*of_every(name), *patterns):
        found = {path.relative_to(checkout).as_posix() for path in checkout.glob(pattern) if path.is_file() and path.suffix != ".pyc"}
        if not found:
            raise ValueError(f"HEAVY: {name}: no file matches {pattern}")
        files |= found
    whole = hashlib.sha256()
    for path in sorted(files, key=str.encode):
        whole.update(f"{path}\0{hashlib.sha256((checkout / path).read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def unchanged(names, file=FILE, checkout=lib.CHECKOUT):
    """The judges among `names` that need not run, each with the digest that passed."""
    if os.environ.get("MUSTER_JUDGES_ALL") == "1":
        return {}
    rows = read(file.read_text())
    return {name: rows[name][0] for name in names if name in rows and rows[name][0] == digest(checkout, name, rows[name][1])}


def record(name, file=FILE, checkout=lib.CHECKOUT):
    """Writes the digest of a judge that has passed. Its digest, or None if it is not a heavy one."""
    text = file.read_text()
    rows = read(text)
    if name not in rows:
        return None
    now = digest(checkout, name, rows[name][1])
    file.write_text(re.sub(rf"^{re.escape(name)} \S+$", f"{name} {now}", text, flags=re.M))
    return now
