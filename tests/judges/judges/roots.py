"""Root folders to run something in: an empty one, and a small Debian where root can make it."""
import os
import shutil

from . import lib


def entered(root, *command):
    """The command with `root` as its root folder; without root rights in a user namespace."""
    if os.geteuid() == 0:
        return ["chroot", root, *command]
    return ["unshare", "--map-root-user", "--root", root, *command]


def debian(report, shop, suite, packages):
    """A minimal Debian with these packages; None and a skip where it cannot be made."""
    root = shop.folder / "roots" / suite
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        return report.skip("debootstrap", f"Debian {suite}", "needs root and debootstrap")
    root.parent.mkdir(parents=True, exist_ok=True)
    made = lib.run(["debootstrap", "--variant=minbase", f"--include={','.join(packages)}", suite, root], timeout=900)
    return root if made.returncode == 0 else report.skip("debootstrap", f"Debian {suite}", f"debootstrap failed: {lib.says(made)[-200:]}")
