"""The services that an investigation uses, and the observer that it reports to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whyfast.measure.commands import ProbeRun, probe_run, run_aside
from whyfast.measure.doctor import System
from whyfast.measure.doctor.tune import TemporarySysctls
from whyfast.measure.invocation import Clock, LaunchArguments, Runner
from whyfast.measure.process import usable_cpus
from whyfast.measure.registry import make_runner
from whyfast.measure.tools import Launcher
from whyfast.store.home import Home
from whyfast.store.samples import SampleStore
from whyfast.toolchain.watcher import WATCHER

if TYPE_CHECKING:
    from whyfast.build.recipe import Recipe
    from whyfast.build.run import Rebuilt
    from whyfast.investigate.forecast import InterpreterResolver, Resolver
    from whyfast.model.build import BootUnit, Build, BuildFailure, BuildOutcome, Kernel, Toolchain
    from whyfast.model.sample import RunFailure
    from whyfast.model.variant import RunnerName
    from whyfast.model.verdict import Verdict
    from whyfast.store.builds import BuildStore


class Observer:
    """Called from the thread that measures, between blocks, never during one. Ignores everything
    but what its subclasses listen to."""

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


#: Ignores everything.
Silent = Observer

#: Called with a line for the user.
Note = Callable[[str], None]

if TYPE_CHECKING:
    #: The last is the limit in seconds, see :func:`whyfast.build.run.build_all`.
    Builder = Callable[[Sequence[Recipe], BuildStore, Note, float], Sequence[BuildOutcome]]
    #: See :func:`whyfast.build.relink.relink`.
    Relinker = Callable[[Recipe, Build, BuildStore, Sequence[int], float | None], Sequence[Path]]


def _later(module: str, name: str) -> Any:
    """The function ``name`` of ``module``, which is imported when it is called: ``ab`` and
    ``timeit`` start at once, as they build nothing."""

    def call(*arguments: Any) -> Any:
        return getattr(import_module(module), name)(*arguments)

    return call


_toolchain = _later("whyfast.toolchain.registry", "resolve")
_interpreter = _later("whyfast.interpreter.providers", "resolve_interpreter")
_build = _later("whyfast.build.run", "build_all")
_build_beside = _later("whyfast.build.run", "build_beside")
_build_incrementally = _later("whyfast.build.incremental", "build_incrementally")
#: For two sides of a check: the second goes on from the first, where it is as if made anew.
build_checked = _later("whyfast.build.incremental", "build_checked")
_rebuild = _later("whyfast.build.run", "rebuild")
_relink = _later("whyfast.build.relink", "relink")
_kernel = _later("whyfast.toolchain.kernels", "get_kernel")
_valgrind = _later("whyfast.toolchain.debian", "newer_valgrind")


@dataclass(frozen=True)
class Services:
    """The real processes, files and clock; tests give doubles.

    ``system`` has the kernel's files, ``sysctls`` holds settings in them, ``cpus`` are those that
    processes may be bound to; ``new_id`` gives runs and sessions their names, from which all that
    is drawn at random follows. ``toolchain``, ``interpreter``, ``build``,
    ``build_beside``, ``build_incrementally``, ``rebuild``, ``relink``, ``kernel``, ``valgrind`` get
    and make what is run; ``runner``, ``probe``, ``aside`` and ``launcher`` run it; ``left`` says
    how many processes programs have left behind since the last call. ``build_ahead`` starts builds
    on other machines that are likely to be asked for, the likeliest first; None: there are no such.
    ``boot_unit`` None: it depends on whether the processor can run other kernels.
    """

    clock: Clock = field(default_factory=Clock)
    system: System = field(default_factory=System)
    sysctls: Callable[[System, Path], TemporarySysctls] = TemporarySysctls
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cpus: tuple[int, ...] = field(default_factory=usable_cpus)
    new_id: Callable[[], str] = lambda: os.urandom(16).hex()
    store: Callable[[Path], SampleStore] = SampleStore
    toolchain: Resolver = _toolchain
    interpreter: InterpreterResolver = _interpreter
    build: Builder = _build
    build_beside: Callable[..., Sequence[BuildOutcome]] = _build_beside
    build_incrementally: Builder = _build_incrementally
    rebuild: Callable[[Recipe, Home], Rebuilt | BuildFailure] = _rebuild
    build_ahead: Callable[[Iterable[Recipe], BuildStore], None] | None = None
    relink: Relinker = _relink
    kernel: Callable[[str, Home, Note], Kernel] = _kernel
    boot_unit: BootUnit | None = None
    valgrind: Callable[[Home, Note], Path] = _valgrind
    launcher: Launcher = field(default_factory=Launcher)
    runner: Callable[[RunnerName, LaunchArguments], Runner] = make_runner
    probe: Callable[[LaunchArguments, str, bool], ProbeRun] = probe_run
    aside: Callable[..., None] = run_aside
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
