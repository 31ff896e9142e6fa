"""Whether this process may load BPF programs: found out by loading the smallest one there is."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Callable

#: bpf(COMMAND, attributes): a result, or -errno.
Call = Callable[[int, ctypes.Array[ctypes.c_char]], int]

#: The number of the system call (arch/*/entry/syscalls in Linux).
_NUMBERS = {"x86_64": 321, "aarch64": 280, "riscv64": 280}

_MAP_CREATE, _PROG_LOAD = 0, 5
_MAP_PROG_ARRAY, _PROG_SCHED_CLS = 3, 3

#: r0 = 0; exit (RFC 9669).
_PROGRAM = bytes.fromhex("b700000000000000 9500000000000000")


def why_no_bpf(call: Call | None = None) -> str:
    """Why no program with maps can be loaded; empty when one can. ``call`` is for tests."""
    if call is None:
        if sys.platform != "linux":
            return f"BPF is a part of Linux, and this is {platform.system()}"
        number = _NUMBERS.get(platform.machine())
        if number is None:
            return f"the bpf() system call is not known for {platform.machine()}"
        call = _system_call(number)
    made = call(_MAP_CREATE, _buffer(struct.pack("=5I", _MAP_PROG_ARRAY, 4, 4, 1, 0)))
    if made < 0:
        return _reason(-made)
    os.close(made)
    code, license_ = _buffer(_PROGRAM), _buffer(b"GPL\0")
    attributes = struct.pack(
        "=2I2Q", _PROG_SCHED_CLS, 2, ctypes.addressof(code), ctypes.addressof(license_)
    )
    loaded = call(_PROG_LOAD, _buffer(attributes))
    if loaded < 0:
        return _reason(-loaded)
    os.close(loaded)
    return ""


def _reason(number: int) -> str:
    if number in (errno.EPERM, errno.EACCES):
        return (
            "the kernel does not permit bpf(): it needs root, or CAP_BPF with CAP_NET_ADMIN, "
            "and no seccomp filter against it"
        )
    if number == errno.ENOSYS:
        return "this kernel has no bpf() system call, or a seccomp filter hides it"
    return f"the kernel refuses bpf(): {os.strerror(number)}"


def _buffer(data: bytes) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(data, len(data))


def _system_call(number: int) -> Call:
    library = ctypes.CDLL(None, use_errno=True)

    def call(command: int, attributes: ctypes.Array[ctypes.c_char]) -> int:
        result = int(library.syscall(number, command, attributes, len(attributes)))
        return -ctypes.get_errno() if result < 0 else result

    return call
