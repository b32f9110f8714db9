"""Archives whose bytes depend on their contents only: no clock, no user, no order of a file system."""
import base64
import gzip
import hashlib
import io
import tarfile
import zipfile
from typing import NamedTuple

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first time that a zip file can hold


class Member(NamedTuple):
    path: str
    data: bytes
    runs: bool = False  # executable


def tar_gz(folder, members):
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for member in sorted(members):
            info = tarfile.TarInfo(f"{folder}/{member.path}")
            info.size, info.mode = len(member.data), 0o755 if member.runs else 0o644
            archive.addfile(info, io.BytesIO(member.data))
    return gzip.compress(plain.getvalue(), compresslevel=9, mtime=0)


def zipped(members):
    """In the given order: RECORD comes last in a wheel."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for member in members:
            info = zipfile.ZipInfo(member.path, EARLIEST)
            info.create_system, info.external_attr = 3, (0o100755 if member.runs else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, member.data, compresslevel=9)
    return out.getvalue()


def record(members, path):
    """The RECORD of a wheel: each file's digest and size, its own line without."""
    lines = []
    for member in members:
        digest = base64.urlsafe_b64encode(hashlib.sha256(member.data).digest()).decode().rstrip("=")
        lines.append(f"{member.path},sha256={digest},{len(member.data)}\n")
    return Member(path, "".join([*lines, f"{path},,\n"]).encode())


def wheel(name, version, tags, metadata, scripts, licenses, sboms):
    """`tags`: "py3-none-…", with several platforms joined by dots, which WHEEL lists one a line."""
    info, data = f"{name}-{version}.dist-info", f"{name}-{version}.data"
    python, abi, platforms = tags.split("-")
    lines = "".join(f"Tag: {python}-{abi}-{platform}\n" for platform in platforms.split("."))
    about = f"Wheel-Version: 1.0\nGenerator: muster-packaging\nRoot-Is-Purelib: false\n{lines}"
    members = [Member(f"{data}/scripts/{script.path}", script.data, True) for script in scripts]
    members += [Member(f"{info}/licenses/{text.path}", text.data) for text in licenses]
    members += [Member(f"{info}/sboms/{text.path}", text.data) for text in sboms]
    members += [Member(f"{info}/METADATA", metadata.encode()), Member(f"{info}/WHEEL", about.encode())]
    return f"{name}-{version}-{tags}.whl", zipped([*members, record(members, f"{info}/RECORD")])
