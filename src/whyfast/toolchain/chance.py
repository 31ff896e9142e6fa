"""No chance in build steps: what asks the kernel for random numbers gets the same ones each time.

Generators of sources order what they write by hashes with a random key, such as sets of Python; so
two builds of one source differ, which a check would take for the change. A fixed date and time
alone, as in the steps' environment, does not help there.

``getrandom`` ends as in a kernel that lacks it, whose programs then read ``/dev/urandom``, which is
a file here. The kernel still gives each process 16 random bytes and other addresses.
"""

from __future__ import annotations

import functools
import hashlib
import struct
from pathlib import Path

from whyfast.store.files import write_whole
from whyfast.toolchain.entrance import says

#: Bytes of the file; a step that reads more comes to its end.
_SIZE = 4 << 20
_DEVICES = ("/dev/urandom", "/dev/random")

#: A filter of system calls (struct sock_filter of <linux/filter.h>): of x86-64 ``getrandom``, 318,
#: is not there (ENOSYS, 38); all others go on. In struct seccomp_data the number is first, the
#: architecture 4 bytes behind it.
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_X86_64, _GETRANDOM = 0xC000003E, 318
_FAIL, _ALLOW = 0x00050000 | 38, 0x7FFF0000
_FILTER = b"".join(
    struct.pack("=HBBI", *line)
    for line in (
        (_LOAD, 0, 0, 4),
        (_JUMP_IF_EQUAL, 0, 3, _X86_64),
        (_LOAD, 0, 0, 0),
        (_JUMP_IF_EQUAL, 0, 1, _GETRANDOM),
        (_RETURN, 0, 0, _FAIL),
        (_RETURN, 0, 0, _ALLOW),
    )
)


def without_chance(words: list[str], scratch: Path) -> list[str]:
    """The words of bubblewrap, up to the command, so that it shows steps no chance; as they are
    where that does not work. ``scratch`` is a folder for files that stay."""
    changed = _changed(words, scratch)
    # The same for all steps of this process: tried with the first.
    return changed if _works(words[0], scratch) else words


def _changed(words: list[str], scratch: Path) -> list[str]:
    files = {"filter": _FILTER, "numbers": hashlib.shake_256(b"whyfast").digest(_SIZE)}
    for name, content in files.items():
        if not (file := scratch / name).exists():
            scratch.mkdir(parents=True, exist_ok=True)
            write_whole(file, content)
    behind = words.index("--proc")
    binds = [w for d in _DEVICES for w in ("--ro-bind", str(scratch / "numbers"), d)]
    opened = ["/bin/sh", "-c", 'exec "$@" 9<"$0"', str(scratch / "filter")]
    return [*opened, words[0], "--seccomp", "9", *words[1:behind], *binds, *words[behind:]]


@functools.cache
def _works(bubblewrap: str, scratch: Path) -> bool:
    plain = [bubblewrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--"]
    return not says([*_changed(plain, scratch), "/bin/true"])
