"""What the kernel of a virtual machine starts from: an archive of a few files in cpio's "newc".

The format is that of Documentation/driver-api/early-userspace/buffer-format.rst in Linux.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_MAGIC = b"070701"
_TRAILER = "TRAILER!!!"
#: The kernel reads the archive in blocks of so many bytes.
_BLOCK = 512
#: Major and minor number of /dev/console, which the kernel opens for the first process.
_CONSOLE = (5, 1)


@dataclass(frozen=True)
class CpioEntry:
    """One file, folder or device; ``mode`` has its type, ``device`` its numbers if it is one."""

    name: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)


def initramfs(init: bytes, programs: Mapping[str, bytes], plan: bytes) -> bytes:
    """The archive: ``/init``, ``/plan``, a console, and the programs by absolute path.

    Equal contents give equal bytes: no times, no owners, files in order of their names.
    """
    folders = {"dev"}
    for path in programs:
        parts = path.strip("/").split("/")[:-1]
        folders.update("/".join(parts[: i + 1]) for i in range(len(parts)))
    executable = stat.S_IFREG | 0o755
    return newc(
        [
            *(CpioEntry(folder, stat.S_IFDIR | 0o755) for folder in sorted(folders)),
            CpioEntry("dev/console", stat.S_IFCHR | 0o600, device=_CONSOLE),
            CpioEntry("init", executable, init),
            CpioEntry("plan", stat.S_IFREG | 0o644, plan),
            *(CpioEntry(p.strip("/"), executable, data) for p, data in sorted(programs.items())),
        ]
    )


def newc(entries: Iterable[CpioEntry]) -> bytes:
    """The archive of these entries; a folder must come before what is in it."""
    out = bytearray()
    for number, entry in enumerate(entries, start=1):
        _add(out, number, entry)
    _add(out, 0, CpioEntry(_TRAILER, 0))
    out += bytes(-len(out) % _BLOCK)
    return bytes(out)


def _add(out: bytearray, number: int, entry: CpioEntry) -> None:
    name = entry.name.encode() + b"\0"
    major, minor = entry.device
    # inode, mode, owner, group, links, time, size, device, device of a device file, name, checksum
    fields = (
        *(number, entry.mode, 0, 0, 1, 0, len(entry.data)),
        *(0, 0, major, minor, len(name), 0),
    )
    out += _MAGIC + b"".join(b"%08X" % field for field in fields) + name
    out += bytes(-len(out) % 4)
    out += entry.data
    out += bytes(-len(out) % 4)
