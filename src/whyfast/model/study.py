"""A study: a question with its variants, benchmarks and the evidence to gather."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

RunnerName = Literal["turn", "command", "pyperf"]
StopRule = Literal["decided", "budget"]


@dataclass(frozen=True)
class Source:
    """Where the program's source comes from.

    ``kind`` is ``subject`` (bundled, by name), ``path`` (a folder), ``debian`` (the upstream
    tarball of the source package ``name``, of exactly ``version`` and ``sha256``; ``suite`` is
    where to look what there is), ``tarball`` (a file of that ``sha256``) or ``git`` (the commit
    ``revision`` of a repository, a folder or an address).

    ``folder`` is the absolute folder of the files. For the last three kinds it is that only once
    :func:`whyfast.build.source.with_source` has fetched them; before, it is the tarball, the
    repository, or the study's own folder where nothing is local.
    """

    kind: Literal["subject", "path", "debian", "tarball", "git"]
    name: str
    folder: Path
    version: str = ""
    sha256: str = ""
    revision: str = ""
    suite: str = ""


@dataclass(frozen=True)
class BuildSpec:
    """How a variant becomes a program.

    ``steps`` are shell lines, run in order in the build folder by ``sh -eu``; the placeholders
    ``{cc} {cflags} {ldflags} {configure} {source} {include} {jobs} {program}`` are replaced,
    quoted. ``program`` is the path of the result, relative to the build folder. ``link`` is the
    last step where the program can be linked again in another layout: it contains ``{program}``
    and ``{layout}``, which is empty for the program as it is. ``packages`` are what the steps need
    beside the compiler, by Debian's names, for toolchains that bring a root of their own.
    """

    steps: tuple[str, ...]
    program: str
    env: Mapping[str, str] = field(default_factory=dict)
    link: str | None = None
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Variant:
    """One way to build the subject, with everything inherited already filled in.

    ``requires`` lists toolchain features (``computed-goto``, ``musttail``, ``preserve_none``);
    ``expect`` states what the evidence must show for the name to be true, e.g.
    ``{"dispatch": "tail-call"}``; ``axes`` is its place in ``[axes]``, empty when written by hand.
    ``twin_of`` is set on a variant that whyfast adds itself: that one again in another layout.
    """

    name: str
    toolchain: str
    cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    configure: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    requires: tuple[str, ...] = ()
    expect: Mapping[str, str] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    twin_of: str | None = None


@dataclass(frozen=True)
class Benchmark:
    """A workload that yields values.

    ``command`` is an argument vector with the placeholders ``{program}``, ``{source}`` and
    ``{study}``; ``check`` is the result token that every value must report (``turn`` runner), or
    None. ``timeout`` is seconds for one value.
    """

    name: str
    runner: RunnerName
    command: tuple[str, ...]
    check: str | None = None
    timeout: float = 60.0


@dataclass(frozen=True)
class EvidenceSpec:
    """What to look for in the machine code: symbol globs of the dispatching functions."""

    dispatch: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()


@dataclass(frozen=True)
class MeasureSpec:
    """How long and how finely to measure.

    ``budget`` is seconds of measuring for the whole study; ``stop`` ends it early once every
    verdict is decided and precise (``decided``) or never (``budget``). ``turn`` is the wanted
    length of one value in seconds, None to calibrate; ``turns`` the number of values a process
    yields in one block, None to calibrate. ``layouts`` is how many layouts of each build are
    linked; while they last, every second block takes a fresh one. 0 to measure only as linked.
    """

    budget: float = 60.0
    stop: StopRule = "decided"
    turn: float | None = None
    turns: int | None = None
    layouts: int = 0


@dataclass(frozen=True)
class Claim:
    """A published or expected gain to audit: ``variant`` is said to beat ``baseline``."""

    variant: str
    baseline: str


@dataclass(frozen=True)
class Study:
    """One question. ``margin`` is relative: 0.01 means that a ratio within 1 % does not matter.

    ``twin``: the main baseline is measured a second time, in another layout, as a meter of what
    whyfast takes for a difference when only the placement of the code differs.
    """

    name: str
    title: str
    folder: Path
    baselines: tuple[str, ...]
    margin: float
    source: Source
    build: BuildSpec
    variants: tuple[Variant, ...]
    benchmarks: tuple[Benchmark, ...]
    evidence: EvidenceSpec = EvidenceSpec()
    measure: MeasureSpec = MeasureSpec()
    claim: Claim | None = None
    twin: bool = False

    def variant(self, name: str) -> Variant:
        """The variant of that name; KeyError when there is none."""
        for v in self.variants:
            if v.name == name:
                return v
        raise KeyError(name)
