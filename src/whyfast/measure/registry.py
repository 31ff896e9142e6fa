"""How the processes of each kind of runner are started, and what it needs of this machine.

A new kind is one line here, one record in ``RUNNER_KINDS`` of :mod:`whyfast.model.variant`, and one
file where it is started in a way of its own. Two kinds need more than a command: pyperf benchmarks,
which run unmodified and take turns value by value through a pyperf hook; and BPF programs, for
which the smallest one there is tells whether this process may load any."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.measure.commands import CommandRunner
from whyfast.measure.forks import ForkRunner
from whyfast.measure.invocation import LaunchArguments, Runner
from whyfast.measure.turns import TurnRunner
from whyfast.model.variant import RunnerName
from whyfast.store.home import Home

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
        library = ctypes.CDLL(None, use_errno=True)

        def call(command: int, attributes: ctypes.Array[ctypes.c_char]) -> int:
            result = int(library.syscall(number, command, attributes, len(attributes)))
            return -ctypes.get_errno() if result < 0 else result

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


#: More values than any block has; the worker leaves when its grants end.
_VALUES = 10**9

#: What makes a pyperf script a single process whose values take turns.
WORKER = ("--worker", "--loops=1", f"--values={_VALUES}", "--warmups=0", "--hook=whyfast")


def hook_folder() -> Path:
    """What has to be on the ``PYTHONPATH`` of the interpreter under study."""
    return Path(__file__).resolve().parent.parent / "turns" / "pyperf_hook"


def as_workers(arguments: LaunchArguments) -> LaunchArguments:
    """The same for pyperf scripts: the commands are an interpreter and a script each. The scripts
    run as pyperf workers: one process, no warm-ups or calibration of pyperf's own, the hook and
    ``packages`` within reach. Hash randomisation stays on, a new seed a process, as one more thing
    that each block draws anew."""
    path = [str(hook_folder())]
    if arguments.packages is not None:
        path.append(str(arguments.packages))
    if arguments.env.get("PYTHONPATH"):
        path.append(arguments.env["PYTHONPATH"])
    more = {"PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"}
    return replace(
        arguments,
        commands={v: (*argv, *WORKER) for v, argv in arguments.commands.items()},
        layouts={v: [(*argv, *WORKER) for argv in argvs] for v, argvs in arguments.layouts.items()},
        env={**arguments.env, **more},
    )


#: Brings a folder and reports its steps; CannotBuildHere where that fails.
Fetch = Callable[[Home, Callable[[str], None]], Path]


@dataclass(frozen=True)
class RunnerMaker:
    """``make`` gives a runner for arguments that ``adapt`` made of a study's. ``packages`` brings
    the folder of Python packages that it needs, ``why_not`` says why this machine or user cannot
    run it; empty when it can (None: any can). ``to_see`` gives the commands with which a simulator
    sees what it executes, the shortest first; by itself that is the command."""

    make: Callable[[LaunchArguments], Runner]
    adapt: Callable[[LaunchArguments], LaunchArguments] = lambda arguments: arguments
    packages: Fetch | None = None
    why_not: Callable[[], str] | None = None
    to_see: Callable[[tuple[str, ...]], tuple[tuple[str, ...], ...]] | None = None


def _harness(name: RunnerName) -> RunnerMaker:
    def make(arguments: LaunchArguments) -> Runner:
        from whyfast.measure.harnesses import HARNESSES, HarnessRunner

        return HarnessRunner(HARNESSES[name], arguments)

    def commands_to_see(command: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        from whyfast.measure.harnesses import HARNESSES, to_see

        return to_see(command, harness=HARNESSES[name])

    return RunnerMaker(make, to_see=commands_to_see)


def _turns(arguments: LaunchArguments) -> Runner:
    return ForkRunner(arguments) if arguments.shared else TurnRunner(arguments)


def _pyperf(home: Home, tell: Callable[[str], None]) -> Path:
    from whyfast.toolchain.wheels import pyperf_folder

    return pyperf_folder(home, tell)


_HARNESSES: tuple[RunnerName, ...] = (
    *("go", "google-benchmark", "criterion", "divan", "libtest", "pytest-benchmark", "jmh"),
)

MAKERS: dict[RunnerName, RunnerMaker] = {
    "turn": RunnerMaker(_turns),
    "command": RunnerMaker(CommandRunner),
    "pyperf": RunnerMaker(TurnRunner, adapt=as_workers, packages=_pyperf),
    "bpf": RunnerMaker(TurnRunner, why_not=why_no_bpf),
    **{name: _harness(name) for name in _HARNESSES},
}


def make_runner(name: RunnerName, arguments: LaunchArguments) -> Runner:
    """A runner of that kind."""
    maker = MAKERS[name]
    return maker.make(maker.adapt(arguments))
