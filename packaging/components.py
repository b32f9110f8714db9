"""What the static executable contains besides muster's own code: a row a component, read by NOTICE and by the SBOM."""
import pathlib
import subprocess
from typing import NamedTuple

COMMON = pathlib.Path("/usr/share/common-licenses")  # Debian's texts of the licenses that many packages share


class Component(NamedTuple):
    name: str
    package: str  # Debian's; {gcc} is the compiler's major version
    license: str  # an SPDX expression
    texts: tuple = ()  # files of COMMON that the package's copyright file refers to
    cross: bool = False  # for another architecture it comes with the cross-compiler


COMPONENTS = (
    Component("GNU C Library", "libc6-dev", "LGPL-2.1-or-later", ("LGPL-2.1",)),
    Component("GNU Standard C++ Library", "libstdc++-{gcc}-dev", "GPL-3.0-or-later WITH GCC-exception-3.1", ("GPL-3",), cross=True),
    Component("GCC runtime library", "libgcc-{gcc}-dev", "GPL-3.0-or-later WITH GCC-exception-3.1", ("GPL-3",), cross=True),
    Component("ANTLR 4 C++ runtime", "libantlr4-runtime-dev", "BSD-3-Clause"),
    Component("libuuid of util-linux", "uuid-dev", "BSD-3-Clause"),
    Component("JSON for Modern C++", "nlohmann-json3-dev", "MIT"),
    Component("CLI11", "libcli11-dev", "BSD-3-Clause"),
)


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def compiler_version():
    return output("g++", "-dumpversion").split(".")[0]


class Packages:
    """Debian's packages that an executable of one architecture was linked from."""

    def __init__(self, architecture, sysroot=None):
        self.architecture, self.gcc, self.sysroot = architecture, compiler_version(), sysroot
        self.unpacked = dict(line.split() for line in (sysroot / "packages").read_text().splitlines()) if sysroot else {}

    def name(self, component):
        name = component.package.format(gcc=self.gcc)
        return f"{name}-{self.architecture}-cross" if self.sysroot and component.cross else name

    def version(self, component):
        name = self.name(component)
        return self.unpacked.get(name) or output("dpkg-query", "-W", "-f=${Version}", name)

    def copyright(self, component):
        root = self.sysroot if self.sysroot and not component.cross else pathlib.Path("/")
        return (root / "usr/share/doc" / self.name(component) / "copyright").read_text()
