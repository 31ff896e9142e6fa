"""The services that an investigation uses, and the observer that it reports to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from whyfast.measure.commands import ProbeRun, probe_run, run_aside
from whyfast.measure.doctor.system import System
from whyfast.measure.doctor.tune import TemporarySysctls
from whyfast.measure.invocation import Clock, LaunchArguments, Runner, SystemClock
from whyfast.measure.process import usable_cpus
from whyfast.measure.registry import make_runner
from whyfast.measure.tools import Launcher, SystemLauncher
from whyfast.store.home import Home
from whyfast.store.samples import SampleStore
from whyfast.toolchain.watcher import WATCHER

if TYPE_CHECKING:
    from whyfast.build.recipe import Recipe
    from whyfast.build.run import Rebuilt
    from whyfast.investigate.forecast import InterpreterResolver, Resolver
    from whyfast.model.build import Build, BuildFailure, BuildOutcome, Interpreter, Toolchain
    from whyfast.model.machine import BootUnit, Kernel
    from whyfast.model.sample import RunFailure
    from whyfast.model.variant import RunnerName
    from whyfast.model.verdict import Verdict
    from whyfast.store.builds import BuildStore


class Observer(Protocol):
    """Called from the thread that measures, between blocks, never during one."""

    def phase(self, name: str) -> None:
        """``toolchains``, ``build``, ``explain``, ``measure``, ``judge`` or ``account``
        begins."""

    def step(self, text: str) -> None:
        """The current step, e.g. "building clang19-goto with clang 19.1.7"; may be skipped."""

    def note(self, text: str) -> None:
        """One line that must be shown, e.g. "resuming: 12 blocks are already taken"."""

    def failure(self, failure: RunFailure) -> None:
        """A variant failed on a benchmark and is left out of it."""

    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None:
        """A block is safely stored.

        ``verdicts``: of the benchmark against the main baseline, each at full level.
        """

    def status(self, lines: Sequence[str]) -> None:
        """The status of a search or fleet, as lines that replace the earlier ones."""


class Silent:
    """Ignores everything."""

    def phase(self, name: str) -> None: ...

    def step(self, text: str) -> None: ...

    def note(self, text: str) -> None: ...

    def failure(self, failure: RunFailure) -> None: ...

    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None: ...

    def status(self, lines: Sequence[str]) -> None: ...


#: Called with a line for the user.
Note = Callable[[str], None]

if TYPE_CHECKING:
    Builder = Callable[[Sequence[Recipe], BuildStore, Note], Sequence[BuildOutcome]]


class Aside(Protocol):
    """See :func:`whyfast.measure.commands.run_aside`."""

    def __call__(
        self, command: tuple[str, ...], *, env: Mapping[str, str], timeout: float, what: str
    ) -> None: ...


class Relinker(Protocol):
    """See :func:`whyfast.build.relink.relink`."""

    def __call__(
        self,
        recipe: Recipe,
        build: Build,
        store: BuildStore,
        seeds: Sequence[int],
        keep: Sequence[str],
        seconds: float | None = None,
    ) -> Sequence[Path]: ...


def _toolchain(name: str, home: Home, note: Note, packages: Sequence[str]) -> Toolchain:
    from whyfast.toolchain.registry import resolve

    return resolve(name, home, note, packages)


def _interpreter(name: str, home: Home, note: Note) -> Interpreter:
    from whyfast.interpreter.registry import resolve_interpreter

    return resolve_interpreter(name, home, note)


def _build(recipes: Sequence[Recipe], store: BuildStore, note: Note) -> Sequence[BuildOutcome]:
    from whyfast.build.run import build_all

    return build_all(recipes, store, note)


def _rebuild(recipe: Recipe, home: Home) -> Rebuilt | BuildFailure:
    from whyfast.build.run import rebuild

    return rebuild(recipe, home, os.cpu_count() or 1)


def _build_incrementally(
    recipes: Sequence[Recipe], store: BuildStore, note: Note
) -> Sequence[BuildOutcome]:
    from whyfast.build.incremental import build_incrementally

    return build_incrementally(recipes, store, note)


def _relink(
    recipe: Recipe,
    build: Build,
    store: BuildStore,
    seeds: Sequence[int],
    keep: Sequence[str],
    seconds: float | None = None,
) -> Sequence[Path]:
    from whyfast.build.relink import relink

    return relink(recipe, build, store, seeds, keep, seconds)


def _kernel(name: str, home: Home, note: Note) -> Kernel:
    from whyfast.toolchain.kernels import get_kernel

    return get_kernel(name, home, note)


def _valgrind(home: Home, note: Note) -> Path:
    from whyfast.toolchain.debian import newer_valgrind

    return newer_valgrind(home, note)


@dataclass(frozen=True)
class Services:
    """The real processes, files and clock; tests give doubles.

    ``system`` has the kernel's files, ``sysctls`` holds settings in them, ``cpus`` are those that
    processes may be bound to; ``new_id`` gives runs and sessions their names, from which all that
    is drawn at random follows. ``toolchain``, ``interpreter``, ``build``,
    ``build_incrementally``, ``rebuild``, ``relink``, ``kernel`` and ``valgrind`` get and make what
    is run; ``runner``, ``probe``, ``aside`` and ``launcher`` run it; ``left`` says how many
    processes programs have left behind since the last call. ``build_ahead`` starts builds on other
    machines that are likely to be asked for, the likeliest first; None: there are no such.
    ``boot_unit`` None: it depends on whether the processor can run other kernels.
    """

    clock: Clock = field(default_factory=SystemClock)
    system: System = field(default_factory=System)
    sysctls: Callable[[System, Path], TemporarySysctls] = TemporarySysctls
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cpus: tuple[int, ...] = field(default_factory=usable_cpus)
    new_id: Callable[[], str] = lambda: os.urandom(16).hex()
    store: Callable[[Path], SampleStore] = SampleStore
    toolchain: Resolver = _toolchain
    interpreter: InterpreterResolver = _interpreter
    build: Builder = _build
    build_incrementally: Builder = _build_incrementally
    rebuild: Callable[[Recipe, Home], Rebuilt | BuildFailure] = _rebuild
    build_ahead: Callable[[Iterable[Recipe], BuildStore], None] | None = None
    relink: Relinker = _relink
    kernel: Callable[[str, Home, Note], Kernel] = _kernel
    boot_unit: BootUnit | None = None
    valgrind: Callable[[Home, Note], Path] = _valgrind
    launcher: Launcher = field(default_factory=SystemLauncher)
    runner: Callable[[RunnerName, LaunchArguments], Runner] = make_runner
    probe: Callable[[LaunchArguments, str, bool], ProbeRun] = probe_run
    aside: Aside = run_aside
    left: Callable[[], int] = WATCHER.left


def asking_compilers_once(services: Services) -> Services:
    """For a search, which builds with the same compilers again and again: what they are is found
    out once, by several processes and a digest of their programs."""
    known: dict[tuple[str, Home, tuple[str, ...]], Toolchain] = {}

    def resolve(name: str, home: Home, note: Note, packages: Sequence[str]) -> Toolchain:
        key = (name, home, tuple(packages))
        if key not in known:
            known[key] = services.toolchain(name, home, note, packages)
        return known[key]

    return replace(services, toolchain=resolve)
