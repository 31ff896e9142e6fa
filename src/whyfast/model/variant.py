"""What is compared, and what it does: variants and benchmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whyfast.model.runner_kind import RUNNER_KINDS, RunnerKind, RunnerName


@dataclass(frozen=True)
class Variant:
    """One way to build the subject, or to run it, with everything inherited already filled in;
    or a command or a recorded result, which have a ``name`` and what it is ``about`` alone.

    ``run`` are words for ``{run}`` in commands; ``sysctl`` maps settings of the kernel
    (``net.core.bpf_jit_harden``) to what they must hold while a process of this variant starts.

    ``packages`` are what it needs beside those of :class:`BuildSpec`, e.g. its compiler's runtime.
    ``requires`` lists toolchain features (``computed-goto``, ``musttail``, ``preserve_none``);
    ``expect`` states what the evidence must show for the name to be true, e.g.
    ``{"dispatch": "tail-call"}``; ``axes`` is its place in ``[axes]``, empty when written by hand.
    ``twin_of`` is set on a variant that whyfast adds itself: that one again in another layout.
    ``evidence_only``: its machine code is read, and it is not measured. ``fixes`` names the variant
    of which it is a fix of placement; ``keep`` are patterns of section names (``.text.hot.*``) that
    layouts leave side by side. ``revision`` is the commit whose files it is built from, empty for
    the study's own. ``kernel`` is the kernel that it runs under in a virtual machine
    (``debian:linux-6.12``) and ``boot`` that kernel's further parameters; empty: this machine's.
    ``python`` is the interpreter that it is built for and runs in (``pyenv:3.12``), if any.
    """

    name: str
    toolchain: str = ""
    cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    configure: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    requires: tuple[str, ...] = ()
    expect: Mapping[str, str] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    twin_of: str | None = None
    run: tuple[str, ...] = ()
    sysctl: Mapping[str, str] = field(default_factory=dict)
    evidence_only: bool = False
    packages: tuple[str, ...] = ()
    fixes: str | None = None
    keep: tuple[str, ...] = ()
    revision: str = ""
    kernel: str = ""
    boot: tuple[str, ...] = ()
    python: str = ""


@dataclass(frozen=True)
class Parameter:
    """What sets a benchmark apart from the others of its family: the whole number ``value`` of
    what ``name`` says, in the singular (``tail call``). ``linear``: is the slope of interest, or
    only the points?"""

    family: str
    name: str
    value: int
    linear: bool = True


@dataclass(frozen=True)
class Benchmark:
    """A workload that yields values.

    ``command`` is an argument vector with the placeholders ``{program}``, ``{source}``,
    ``{study}``, ``{python}`` and ``{run}``; ``check`` is the result token that every value must
    report (``turn`` runner), or None. ``timeout`` is seconds for one value.

    ``distribution`` is a command that prints how long single runs take, ``overhead`` one that
    prints what the timing itself costs, ``figures`` one that prints what a loop does beside taking
    time; all are of :mod:`whyfast.formats.self_report`.
    """

    name: str
    runner: RunnerName
    command: tuple[str, ...]
    check: str | None = None
    timeout: float = 60.0
    parameter: Parameter | None = None
    distribution: tuple[str, ...] = ()
    overhead: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()

    @property
    def kind(self) -> RunnerKind:
        """What can be expected of its runner."""
        return RUNNER_KINDS[self.runner]

    @property
    def family_name(self) -> str:
        """That of its family; its own where it has no parameter."""
        return self.parameter.family if self.parameter else self.name
