"""All that an investigation touches outside of its own data, in one record."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from whyfast.measure.clock import Clock, SystemClock
from whyfast.measure.commands import run_aside
from whyfast.measure.doctor.system import Files, System
from whyfast.measure.invocation import Runner
from whyfast.measure.launch import Launcher, SystemLauncher
from whyfast.measure.launch_arguments import LaunchArguments
from whyfast.measure.probe_run import ProbeRun, probe_run
from whyfast.measure.process import usable_cpus
from whyfast.measure.registry import make_runner
from whyfast.measure.temporary_sysctls import Sysctls, TemporarySysctls
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.runner_kind import RunnerName
from whyfast.store.home import Home
from whyfast.store.samples import SampleStore
from whyfast.toolchain.watcher import WATCHER

if TYPE_CHECKING:  # none of it for commands side by side, which should start at once
    from whyfast.build.recipe import Recipe
    from whyfast.investigate.forecast import InterpreterResolver, Resolver
    from whyfast.model.boot import BootUnit, Kernel
    from whyfast.model.interpreter import Interpreter
    from whyfast.model.toolchain import Toolchain
    from whyfast.store.builds import BuildStore

#: Hears a line worth showing.
Note = Callable[[str], None]


class Aside(Protocol):
    """See :func:`whyfast.measure.commands.run_aside`."""

    def __call__(
        self, command: tuple[str, ...], *, env: Mapping[str, str], timeout: float, what: str
    ) -> None: ...


def _toolchain(name: str, home: Home, note: Note, packages: Sequence[str]) -> Toolchain:
    from whyfast.toolchain.registry import resolve

    return resolve(name, home, note, packages)


def _interpreter(name: str, home: Home, note: Note) -> Interpreter:
    from whyfast.interpreter.registry import resolve_interpreter

    return resolve_interpreter(name, home, note)


def _build(recipes: Sequence[Recipe], store: BuildStore, note: Note) -> Sequence[BuildOutcome]:
    from whyfast.build.run import build_all

    return build_all(recipes, store, note)


def _build_incrementally(
    recipes: Sequence[Recipe], store: BuildStore, note: Note
) -> Sequence[BuildOutcome]:
    from whyfast.build.incremental import build_incrementally

    return build_incrementally(recipes, store, note)


def _relink(
    recipe: Recipe, build: Build, store: BuildStore, seeds: Sequence[int], entries: Sequence[str]
) -> Sequence[Path]:
    from whyfast.build.relink import relink

    return relink(recipe, build, store, seeds, entries)


def _kernel(name: str, home: Home, note: Note) -> Kernel:
    from whyfast.toolchain.kernels import get_kernel

    return get_kernel(name, home, note)


def _valgrind(home: Home, note: Note) -> Path:
    from whyfast.toolchain.valgrind import newer_valgrind

    return newer_valgrind(home, note)


@dataclass(frozen=True)
class Outside:
    """The real thing; a test gives another whole.

    ``system`` has the kernel's files, ``sysctls`` holds settings in them, ``cpus`` are those that
    processes may be bound to; ``new_id`` gives runs and sessions their names, from which all that
    is drawn at random follows. ``toolchain``, ``interpreter``, ``build``,
    ``build_incrementally``, ``relink``, ``kernel`` and ``valgrind`` get and make what is run;
    ``runner``, ``probe``, ``aside`` and ``launcher`` run it; ``left`` says how many processes
    programs have left behind since it was asked the last time. ``build_ahead`` has builds made on
    other machines that are likely to be asked for, the likeliest first, and does not wait for them;
    None: there are no such machines. ``boot_unit`` None: it is found
    out whether the processor can run other kernels.
    """

    clock: Clock = field(default_factory=SystemClock)
    system: System = field(default_factory=Files)
    sysctls: Callable[[System, Path], Sysctls] = TemporarySysctls
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cpus: tuple[int, ...] = field(default_factory=usable_cpus)
    new_id: Callable[[], str] = lambda: os.urandom(16).hex()
    store: Callable[[Path], SampleStore] = SampleStore
    toolchain: Resolver = _toolchain
    interpreter: InterpreterResolver = _interpreter
    build: Callable[[Sequence[Recipe], BuildStore, Note], Sequence[BuildOutcome]] = _build
    build_incrementally: Callable[[Sequence[Recipe], BuildStore, Note], Sequence[BuildOutcome]] = (
        _build_incrementally
    )
    build_ahead: Callable[[Iterable[Recipe], BuildStore], None] | None = None
    relink: Callable[[Recipe, Build, BuildStore, Sequence[int], Sequence[str]], Sequence[Path]] = (
        _relink
    )
    kernel: Callable[[str, Home, Note], Kernel] = _kernel
    boot_unit: BootUnit | None = None
    valgrind: Callable[[Home, Note], Path] = _valgrind
    launcher: Launcher = field(default_factory=SystemLauncher)
    runner: Callable[[RunnerName, LaunchArguments], Runner] = make_runner
    probe: Callable[[LaunchArguments, str, bool], ProbeRun] = probe_run
    aside: Aside = run_aside
    left: Callable[[], int] = WATCHER.left
