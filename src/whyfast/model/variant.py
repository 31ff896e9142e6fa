"""What is compared, and what it does: variants and benchmarks."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from whyfast.model.errors import UserError


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
    ``control_of`` is set on a variant that whyfast adds itself: that one again in another layout.
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
    control_of: str | None = None
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
    report (``turn`` runner), or None. ``timeout`` is seconds for one value. ``folder`` is where it
    runs, with ``{source}`` or ``{study}``; empty: where whyfast was started.

    ``distribution`` is a command that prints how long single runs take, ``overhead`` one that
    prints what the timing itself costs, ``figures`` one that prints what a loop does beside taking
    time; all are of :mod:`whyfast.formats.self_report`.
    """

    name: str
    runner: RunnerName
    command: tuple[str, ...]
    check: str | None = None
    timeout: float = 60.0
    folder: str = ""
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


# The kinds of runners: how a benchmark yields values.
#
# How the processes of each are started is in :mod:`whyfast.measure.registry`.

RunnerName = Literal[
    "turn",
    "command",
    "pyperf",
    "bpf",
    "go",
    "google-benchmark",
    "criterion",
    "divan",
    "libtest",
    "pytest-benchmark",
    "jmh",
]


@dataclass(frozen=True)
class RunnerKind:
    """``takes_turns``: one process yields all values of a block, a turn each; it is bound to the
    CPU of its block, and may warm up. Else every value is a process of its own.

    ``says_ready``: it says so once it is set up, before its first turn, so that settings of the
    kernel can be held that long. ``checks``: its values may come with a result. ``countable``: its
    work is done in the process itself, where counters see it. ``boots``: it runs under other
    kernels, where there is the program alone.
    """

    name: RunnerName
    takes_turns: bool = True
    says_ready: bool = False
    checks: bool = False
    countable: bool = True
    boots: bool = False


RUNNER_KINDS: dict[RunnerName, RunnerKind] = {
    kind.name: kind
    for kind in (
        RunnerKind("turn", says_ready=True, checks=True, boots=True),
        RunnerKind("command", takes_turns=False),
        RunnerKind("pyperf"),
        # Its loops run inside of the kernel.
        RunnerKind("bpf", says_ready=True, checks=True, countable=False),
        # They run as many iterations as fit in a time.
        RunnerKind("go", takes_turns=False, countable=False),
        RunnerKind("google-benchmark", takes_turns=False, countable=False),
        RunnerKind("criterion", takes_turns=False, countable=False),
        RunnerKind("divan", takes_turns=False, countable=False),
        RunnerKind("libtest", takes_turns=False, countable=False),
        RunnerKind("pytest-benchmark", takes_turns=False, countable=False),
        RunnerKind("jmh", takes_turns=False, countable=False),
    )
}


# Differences between two variants.

#: The fields of a :class:`Variant` that make another program of it or run it in another way, in the
#: order of the flow: what it is made from, how, where its code lies, how it is run.
Aspect = Literal[
    "revision",
    "toolchain",
    "python",
    "packages",
    "configure",
    "cflags",
    "ldflags",
    "env",
    "keep",
    "control_of",
    "kernel",
    "boot",
    "sysctl",
    "run",
]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
#: Those in which equal programs are run in different ways.
RUN: tuple[Aspect, ...] = ("kernel", "boot", "sysctl", "run")
#: Those that make another program.
MAKING: tuple[Aspect, ...] = tuple(a for a in ASPECTS if a not in RUN)

#: Flags whose value is the next argument.
_TAKES_VALUE = (
    *("-mllvm", "-Xclang", "-Xlinker", "--param"),
    *("-include", "-isystem", "-D", "-U", "-I", "-L", "-l"),
)
#: Flags that change the source as the compiler sees it, and so more than its code generation.
_SOURCE_FLAGS = ("-D", "-U", "-I", "-include", "-isystem", "-std")


@dataclass(frozen=True)
class Difference:
    """One aspect in which a variant differs from another. ``removed`` is what the first alone has,
    ``added`` what the second alone has: flags with their values (``-mllvm -x=1``), words,
    ``NAME=VALUE`` of a mapping. ``reordered``: what both have, and have in another order."""

    aspect: Aspect
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    reordered: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """What only one of the two has."""
        return (*self.removed, *self.added)

    @property
    def changes_source(self) -> bool:
        """Whether the compiler gets to see another source."""
        if self.aspect in ("cflags", "ldflags"):
            return any(flag.startswith(_SOURCE_FLAGS) for flag in self.words)
        return self.aspect in ("revision", "python", "configure", "env")


def differences(a: Variant, b: Variant) -> tuple[Difference, ...]:
    """All that differs from ``a`` to ``b``, an entry an aspect, in the order of :data:`ASPECTS`. A
    revision that one of them names and the other has from the study is a difference too."""
    found = []
    for aspect in ASPECTS:
        first, second = words_of(a, aspect), words_of(b, aspect)
        if first != second:
            (removed, kept), (added, also) = _split(first, second), _split(second, first)
            found.append(Difference(aspect, removed, added, reordered=kept != also))
    return tuple(found)


def differ_in(a: Variant, b: Variant) -> frozenset[Aspect]:
    """The aspects of :func:`differences`."""
    return frozenset(d.aspect for d in differences(a, b))


def alike(variants: Iterable[Variant], *, but: Sequence[Aspect] = ()) -> list[list[Variant]]:
    """The variants in groups in which nothing differs ``but`` those aspects."""
    groups: list[list[Variant]] = []
    for variant in variants:
        for group in groups:
            if differ_in(group[0], variant) <= set(but):
                group.append(variant)
                break
        else:
            groups.append([variant])
    return groups


def same_source(a: Variant, b: Variant) -> bool:
    """Whether compilers get to see the same source: the same files, configured alike."""
    return not any(d.changes_source for d in differences(a, b))


def words_of(variant: Variant, aspect: Aspect) -> tuple[str, ...]:
    """The value of that field as :class:`Difference` has it; empty when it is not set."""
    value: str | Sequence[str] | Mapping[str, str] | None = getattr(variant, aspect)
    if not value:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Mapping):
        return tuple(f"{k}={x}" for k, x in sorted(value.items()))
    if aspect in ("cflags", "ldflags"):
        return tuple(" ".join(unit) for unit in flag_units(value))
    return tuple(value)


def flag_units(words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Flags, each with its value, which distinguishes two uses of ``-mllvm``."""
    units: list[tuple[str, ...]] = []
    for word in words:
        if units and len(units[-1]) == 1 and units[-1][0] in _TAKES_VALUE:
            units[-1] = (units[-1][0], word)
        else:
            units.append((word,))
    return tuple(units)


def _split(words: Sequence[str], others: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """``words`` that ``others`` lack, and those that they have; each counts once."""
    left = Counter(others)
    lacking: list[str] = []
    common: list[str] = []
    for word in words:
        (common if left[word] > 0 else lacking).append(word)
        left[word] -= 1
    return tuple(lacking), tuple(common)


def distinct_names(defaults: Sequence[str], names: Sequence[str]) -> list[str]:
    """``names`` as given, in order, then the default; the same default again gets a number.
    UserError for too many names and for one that is used twice."""
    if len(names) > len(defaults):
        raise UserError(f"{len(names)} names for {len(defaults)} sides", where="--name")
    taken: dict[str, None] = {}
    for i, default in enumerate(defaults):
        name = names[i] if i < len(names) else default
        if name in taken and i < len(names):
            raise UserError(f"{name!r} is given twice", where="--name")
        numbered = (f"{default} ({count})" for count in itertools.count(2))
        if name in taken:
            name = next(n for n in numbered if n not in taken and n not in defaults)
        taken[name] = None
    return list(taken)
