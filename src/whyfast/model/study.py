"""A study: a question with its variants, benchmarks and the evidence to gather."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from whyfast.model.cost import CostsSpec
from whyfast.model.variant import Benchmark, Variant

# Questions: a study, commands side by side, recorded results.


@dataclass(frozen=True)
class Claim:
    """A published or expected gain to audit: ``variant`` beats ``baseline``."""

    variant: str
    baseline: str


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is compared on what, and the smallest difference that matters.

    ``title`` is empty where nobody gave one. The first of ``baselines`` is the main one. Where
    ``along`` names values of axes (``{"dispatch": "switch"}``), the variants with these values are
    the baselines, each of those that differ from it in these axes alone.
    ``margin`` is relative: 0.01 means that a ratio within 1 % does not matter. ``stands_for`` is
    set where this is asked instead of something else: what cannot be asked here, and why.
    """

    name: str
    title: str = ""
    baselines: tuple[str, ...]
    margin: float
    variants: tuple[Variant, ...]
    benchmarks: tuple[Benchmark, ...]
    claim: Claim | None = None
    stands_for: str = ""
    along: Mapping[str, str] = field(default_factory=dict)
    costs: CostsSpec = field(default_factory=CostsSpec)

    @property
    def measured(self) -> tuple[Variant, ...]:
        """The variants that are measured, and not only read."""
        return tuple(v for v in self.variants if not v.evidence_only)

    @property
    def in_vms(self) -> bool:
        """Whether the variants run under kernels of their own."""
        return any(v.kernel for v in self.measured)

    @property
    def in_python(self) -> bool:
        """Whether the program is the interpreter of Python on PATH."""
        return self.variants[0].toolchain.startswith("path:python")

    def variant(self, name: str) -> Variant:
        """The variant of that name; KeyError without one."""
        for v in self.variants:
            if v.name == name:
                return v
        raise KeyError(name)

    def counterpart(self, variant: Variant) -> str | None:
        """The baseline that a variant has where there are baselines ``along`` axes: the one that is
        equal but for these. None without one; of an A/A control, its original."""
        if variant.control_of:
            return variant.control_of
        wanted = {**variant.axes, **self.along}
        named = (v.name for v in self.variants if v.axes == wanted and not v.control_of)
        return next(named, None) if variant.axes else None

    def compared(
        self,
        variants: Iterable[str],
        baselines: Sequence[str],
        same: Mapping[str, str] | None = None,
    ) -> tuple[tuple[str, str], ...]:
        """The pairs (variant, baseline) to compare of those names: every variant with every
        baseline, or ``along`` axes with its own; in the order of the baselines. ``same`` maps
        variants to those that stand for them; each pair is of the latter then."""
        names = list(variants)
        if not self.along:
            return tuple((v, b) for b in baselines for v in names if v != b)
        same = {v: stand_in for v, stand_in in (same or {}).items() if stand_in in names}
        counterparts = {v: self.counterpart(self.variant(v)) for v in (*names, *same)}
        bases = [*baselines, *(v for v in same if v in self.baselines)]
        pairs = [
            (same.get(v, v), same.get(b, b))
            for b in bases
            for v, c in counterparts.items()
            if c == b
        ]
        return tuple((v, b) for v, b in dict.fromkeys(pairs) if v != b)


@dataclass(frozen=True, kw_only=True)
class Commands(Question):
    """Commands against each other, as ``whyfast ab`` measures them. ``budget`` in seconds;
    ``shell`` is what runs them, empty where nothing does."""

    kind: Literal["commands"] = "commands"
    name: str = "ab"
    budget: float
    shell: str = ""


@dataclass(frozen=True, kw_only=True)
class Recordings(Question):
    """Results that other tools wrote, the first against the others. A variant is one of them."""

    kind: Literal["recordings"] = "recordings"
    name: str = "compare"


CountersFrom = Literal["nothing", "hardware or simulation", "simulation"]
StopRule = Literal["decided", "budget"]

#: How what stands for a hidden value of an environment variable begins.
HIDDEN = "hidden:"


@dataclass(frozen=True)
class Source:
    """Where the program's source comes from.

    ``kind`` is ``subject`` (bundled, by name), ``path`` (a folder), ``debian`` (the upstream
    tarball of the source package ``name``, of exactly ``version`` and ``sha256``; ``suite`` is
    where to look what there is), ``tarball`` (a file of that ``sha256``) or ``git`` (the commit
    ``revision`` of a repository, a folder or an address).

    ``folder`` is the absolute folder of the files. For the last three kinds it is that only once
    :func:`whyfast.build.source.with_source` has fetched them; before, it is the tarball, the
    repository, or the study's own folder where nothing is local. ``repository`` is where a git
    source was taken from, once it has been. ``inner`` is the folder of the project inside of that.
    ``address`` is a remote repository with its user, which may be a token: it is never kept, and
    ``name`` has none.
    """

    kind: Literal["subject", "path", "debian", "tarball", "git"]
    name: str
    folder: Path
    version: str = ""
    sha256: str = ""
    revision: str = ""
    suite: str = ""
    repository: Path | None = None
    inner: str = ""
    address: str = field(default="", repr=False)


@dataclass(frozen=True)
class EvidenceBuild:
    """A shorter way to build, to read machine code only: ``steps`` as in :class:`BuildSpec`, and
    the ``object`` (or program) that they make, relative to the build folder. ``packages`` are what
    these steps need beside the compiler; ``takes`` and ``room`` as in :class:`BuildSpec`."""

    steps: tuple[str, ...]
    object: str
    packages: tuple[str, ...] = ()
    takes: float | None = None
    room: int | None = None


@dataclass(frozen=True)
class BuildSpec:
    """How a variant becomes a program.

    ``steps`` are shell lines, run in order in the build folder by ``sh -eu``; the placeholders
    ``{cc} {cflags} {ldflags} {configure} {source} {include} {jobs} {program}`` are replaced,
    quoted, and ``{profile}``, the number of the training run, 0 for the first. ``program`` is the
    path of the result, relative to the build folder. ``link`` is the last step where the program
    can be linked again in another layout: it contains ``{program}`` and ``{layout}``, which is
    empty for the program as it is. ``packages`` are what the steps need beside the compiler, by
    Debian's names, for toolchains that bring a root of their own. ``evidence`` is how variants are
    built that are not measured; None: like the others. ``takes`` (seconds) and ``room`` (bytes) are
    what one build takes, about, for a forecast before any was made. ``incremental``: a search over
    commits may build each from what the last one left. ``hide`` are patterns of further names in
    ``env`` whose values are hidden.
    """

    steps: tuple[str, ...]
    program: str
    env: Mapping[str, str] = field(default_factory=dict)
    link: str | None = None
    packages: tuple[str, ...] = ()
    evidence: EvidenceBuild | None = None
    takes: float | None = None
    room: int | None = None
    incremental: bool = False
    hide: tuple[str, ...] = ()


@dataclass(frozen=True)
class EvidenceSpec:
    """What to look for in the machine code: symbol globs of the dispatching functions; and in runs
    apart from the timed ones.

    ``counters``: count nothing, what the hardware counts or else a simulation, or a simulation in
    any case; ``events`` are those wanted of :data:`whyfast.model.counters.MEASURED` and
    ``SIMULATED``, all when empty; ``counted`` the benchmarks, all when empty. ``change`` is a range
    of commits (``BASE..HEAD``): which hot functions does it touch? ``image`` is a command that
    prints machine code made at run time, see :mod:`whyfast.formats.self_report`. ``why`` accounts
    for the largest difference from the main baseline. Counting takes at most ``limit`` seconds.
    """

    dispatch: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    counters: CountersFrom = "nothing"
    events: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()
    change: str = ""
    image: tuple[str, ...] = ()
    why: bool = False
    limit: float | None = None


@dataclass(frozen=True)
class MeasureSpec:
    """How long and how finely to measure.

    ``budget`` is seconds of measuring for the whole study; ``stop`` ends it early once every
    verdict is decided and precise (``decided``) or never (``budget``). ``turn`` is the wanted
    length of one value in seconds, None to calibrate; ``turns`` the number of values a process
    yields in one block, None to calibrate. ``layouts`` is how many layouts of each build are
    linked; while they last, every second block takes a fresh one. 0 to measure only as linked.
    ``profiles`` is how many times more each build is made, with another profile; further blocks
    take a fresh one of these likewise. ``copies``: each process runs a fresh copy of its program's
    file.
    """

    budget: float = 60.0
    stop: StopRule = "decided"
    turn: float | None = None
    turns: int | None = None
    layouts: int = 0
    profiles: int = 0
    copies: bool = False


@dataclass(frozen=True)
class Quick:
    """What a quick look is restricted to; an empty tuple and None leave things as they are, but
    for the budget, of which None means :data:`QUICK_SHARE`. ``budget`` in seconds."""

    variants: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    budget: float | None = None


@dataclass(frozen=True)
class Ways:
    """Ways to do the same, which are compared within each variant: ``benchmarks`` has the benchmark
    of each way, the first what the others are held against. ``what`` they all do."""

    what: str
    benchmarks: Mapping[str, str]


#: Seconds that counting may take in a quick look, as a part of its budget.
QUICK_COUNTING = 0.25

#: The part of a study's budget that a quick look takes where the study says nothing else.
QUICK_SHARE = 1 / 5


@dataclass(frozen=True, kw_only=True)
class Study(Question):
    """A question with everything that it takes to build and measure its variants.

    ``control``: the main baseline is measured a second time, in another layout, as a meter of what
    whyfast takes for a difference when only the placement of the code differs. ``left_out`` are
    the variants that this run was told to leave out.
    ``otherwise`` is the study to run where this one cannot be, a name or a path.
    ``hidden`` has the hidden values of environment variables by what stands for them in ``env``.
    ``ways`` are benchmarks that do the same, one set each: the answer begins with them.
    """

    kind: Literal["study"] = "study"
    folder: Path
    source: Source
    build: BuildSpec
    evidence: EvidenceSpec = EvidenceSpec()
    measure: MeasureSpec = MeasureSpec()
    control: bool = False
    left_out: tuple[Variant, ...] = ()
    quick: Quick = Quick()
    otherwise: str = ""
    hidden: Mapping[str, str] = field(default_factory=dict, repr=False)
    ways: tuple[Ways, ...] = ()

    @property
    def longest(self) -> Mapping[str, float]:
        """Seconds that each part of a run takes at most, beside building, where a quick look limits
        them; else empty."""
        limit, budget = self.evidence.limit, self.measure.budget
        if limit is None:
            return {}
        counting = limit * ((self.evidence.counters != "nothing") + self.costs.count)
        parts = {
            "measuring": budget,
            "counting": counting,
            "building again": budget * self.costs.build,
        }
        return {part: seconds for part, seconds in parts.items() if seconds}
