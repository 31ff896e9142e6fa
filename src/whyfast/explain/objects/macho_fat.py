"""Universal files: the same program for several processors."""

from __future__ import annotations

import struct
from pathlib import Path

from whyfast.explain.objects.elf import SUPPORTED, Architecture, damaged
from whyfast.model.errors import UserError

_KIND = "universal Mach-O"
_NAMES: dict[int, str] = {0x0100_0007: "x86-64", 0x0100_000C: "aarch64"}
_PREFERRED: tuple[Architecture, ...] = ("aarch64", "x86-64")
_MOST = 32  # a class file of Java, which begins alike, has its version in that place


def choose(path: Path, blob: bytes, architecture: Architecture | None) -> tuple[bytes, list[str]]:
    """(the part for that processor, or AArch64's where none is named; notes which one it is).

    What is not universal is its own only part. UserError when there is no such part.
    """
    wide = blob.startswith(b"\xca\xfe\xba\xbf")
    if not wide and not blob.startswith(b"\xca\xfe\xba\xbe"):
        return blob, []
    count = int.from_bytes(blob[4:8], "big")
    if count > _MOST:
        raise UserError(f"this is a Java class, or damaged; {SUPPORTED}", where=path)
    entry = struct.Struct(">IIQQII" if wide else ">IIIII")
    if 8 + count * entry.size > len(blob):
        damaged(path, "it ends inside the header", _KIND)
    parts: dict[str, bytes] = {}
    for i in range(count):
        cpu, _, offset, size, *_ = entry.unpack_from(blob, 8 + i * entry.size)
        if offset + size > len(blob):
            damaged(path, f"part {i + 1} ends behind the file's end", _KIND)
        parts.setdefault(_NAMES.get(cpu, f"{cpu:#x}"), blob[offset : offset + size])
    wanted = (architecture,) if architecture else _PREFERRED
    chosen = next((name for name in wanted if name in parts), None)
    has = " and ".join(parts) or "nothing"
    if chosen is None:
        raise UserError(
            f"holds {has}, and nothing for {' or '.join(wanted)}; {SUPPORTED}", where=path
        )
    others = " and ".join(name for name in parts if name != chosen)
    more = f"; it also holds {others} (--arch)" if others else ""
    return parts[chosen], [f"universal: this is its {chosen} part{more}"]
