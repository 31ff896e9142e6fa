"""Go: allocation and garbage collection, in time by samples whose stacks show who allocates, in
number by the runtime's own trace (``GODEBUG=gctrace=1``)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from whyfast.formats.profiles import Stack
from whyfast.measure.runtimes import RuntimeRuns
from whyfast.measure.tools import CannotCount
from whyfast.model.why import Cause, Change, Fact, SourcePlace
from whyfast.why.functions import FunctionKey, plain_name
from whyfast.why.runtimes.protocol import LEAST, Findings, RuntimeProgram, Sides
from whyfast.why.split import change_of

_COLLECTS = re.compile(
    r"runtime\.(gcBgMarkWorker|gcAssistAlloc|gcStart|gcMark\w+|gcDrain\w*|gcmarknewobject|bgsweep"
    r"|bgscavenge|sweepone|deductSweepCredit|deductAssistCredit|wbBufFlush|wbBufFlush1"
    r"|gcWriteBarrier\w*|greyobject|scan(object|block|Span)\w*)\b"
)
_ALLOCATES = re.compile(
    r"runtime\.(mallocgc\w*|newobject|newarray|makeslice\w*|growslice\w*|makechan\w*|makemap\w*"
    r"|concatstring\w*|slicebytetostring|stringtoslice\w*|rawstring\w*|rawbyteslice|convT\w*)\b"
)
_RUNTIME = ("runtime.", "internal/runtime/", "runtime/")

#: Bytes of heap at which the first collection begins (GOGC=100; the runtime's ``heapMinimum``).
HEAP = 4e6
#: Times the bytes that count as more.
MORE = 1.2


@dataclass(frozen=True)
class Collections:
    """What the runtime's trace says of one run: how many collections, and bytes allocated as far as
    collections saw them."""

    number: int
    allocated: float


class Go:
    """Programs of the Go compiler, by the section in which it says how they were built."""

    name = "Go"
    compiles = False
    #: ``usleep`` of its scheduler: ``time.Sleep`` waits in futex or epoll.
    idles: tuple[str, ...] = ("nanosleep",)

    def claims(self, program: RuntimeProgram) -> bool:
        try:
            with program.path.open("rb") as file:
                return ELFFile(file).get_section_by_name(".go.buildinfo") is not None
        except (OSError, ELFError):
            return False

    def explain(self, sides: Sides) -> Findings:
        """Divide the samples; trace both sides only if allocation or collection carry something."""
        divided = _Divided(sides)
        causes = dict(divided.candidates())
        if not causes:
            return Findings()
        sides.runs.note("tracing Go's garbage collector")
        limits: tuple[str, ...] = ()
        traced: dict[str, Collections] = {}
        try:
            traced = {side: trace_collections(sides.runs, side) for side in ("fast", "slow")}
        except CannotCount as error:
            limits = (f"Go's garbage collector was not traced: {error}",)
        if "garbage-collection" in causes and (
            _allocates_more(traced) or ("allocation" in causes and _collects_more(traced))
        ):
            causes = {"allocation": divided.change_of_kinds("allocation", "garbage-collection")}
        return Findings(
            tuple(divided.cause(kind, change, traced) for kind, change in causes.items()),
            divided.seen.__contains__,
            limits,
        )


class _Divided:
    """Seconds of user time of every run by what the runtime does, and by who makes it do that."""

    def __init__(self, sides: Sides) -> None:
        self._sides = sides
        self.seen: set[FunctionKey] = set()
        self._callers: dict[str, Counter[str]] = {"fast": Counter(), "slow": Counter()}
        self._through: Counter[tuple[str, str]] = Counter()
        self._rows: dict[str, list[Counter[str]]] = {"fast": [], "slow": []}
        user = {"fast": sides.split["user"].fast, "slow": sides.split["user"].slow}
        for side, rows in self._rows.items():
            runs = [r for r in sides.runs.sampled if r.side == side]
            sampled = sum(r.seconds for r in runs) / max(1, len(runs))
            factor = user[side] / sampled if sampled > 0 else 1.0
            for run in runs:
                row: dict[str, float] = {}
                for stack, seconds in run.stacks.items():
                    kind = self._kind(stack, side, seconds * factor / len(runs))
                    row[kind] = row.get(kind, 0.0) + seconds * factor
                rows.append(Counter(row))

    def _kind(self, stack: Stack, side: str, seconds: float) -> str:
        names = [f.name for f in stack]
        kind = kind_of(names)
        if kind:
            self.seen.add(FunctionKey("", plain_name(names[0])))
        if kind == "allocation":
            own = next((n for n in names if n and not n.startswith(_RUNTIME)), "")
            self._callers[side][own] += seconds  # type: ignore[assignment]
            if own:
                self._through[own, names[names.index(own) - 1]] += seconds  # type: ignore[assignment]
        return kind

    def candidates(self) -> Iterator[tuple[str, Change]]:
        for kind in ("allocation", "garbage-collection"):
            change = self.change_of_kinds(kind)
            if self._sides.share(change.difference) >= LEAST and change.low > 0:
                yield kind, change

    def change_of_kinds(self, *kinds: str) -> Change:
        """Seconds of the kinds together."""
        return change_of(
            *([sum(r[kind] for kind in kinds) for r in self._rows[s]] for s in ("fast", "slow"))
        )

    def cause(self, kind: str, change: Change, traced: dict[str, Collections]) -> Cause:
        quoted = self._sides.quoted
        fast, slow = traced.get("fast"), traced.get("slow")
        facts = []
        if fast and slow:
            facts = [
                Fact("collections", fast.number, slow.number, "", "counted", "gctrace"),
                Fact(
                    "allocated until then",
                    fast.allocated,
                    slow.allocated,
                    "B",
                    "counted",
                    "gctrace",
                ),
            ]
        times = f"for {_ms(change.slow)} (`{quoted}`: {_ms(change.fast)})"
        if kind == "garbage-collection":
            number = f", in {slow.number:,} collections ({fast.number:,})" if fast and slow else ""
            return self._sides.cause(
                kind,
                f"it collects garbage {times}{number}",
                change,
                "measured",
                facts=facts,
                remedy="allocate less, or a larger GOGC or GOMEMLIMIT",
            )
        more_by = self._callers["slow"].copy()
        more_by.subtract(self._callers["fast"])
        caller = max(more_by, key=lambda n: more_by[n], default="")
        through = max(
            (t for f, t in self._through if f == caller),
            key=lambda t: self._through[caller, t],
            default="",
        )
        size = ""
        if fast and slow and _allocates_more(traced):
            size = (
                f", at least {slow.allocated / 1e6:,.0f} MB ({fast.allocated / 1e6:,.0f} MB), and "
                f"collects it {slow.number:,} times ({fast.number:,})"
            )
        elif slow and slow.number:
            size = f", at least {slow.allocated / 1e6:,.0f} MB"
        where = f", most of it by `{through}` in `{caller}`" if caller else ""
        return self._sides.cause(
            kind,
            f"it allocates memory {times}{size}{where}",
            change,
            "measured",
            SourcePlace(caller),
            facts=facts,
            remedy="go build -gcflags=-m says what escapes to the heap",
        )


def _allocates_more(traced: dict[str, Collections]) -> bool:
    """Whether garbage is collected for longer because there is more of it. The first collection
    begins at :data:`HEAP`, so up to that is not seen of a side."""
    if len(traced) < 2:
        return False
    return traced["slow"].allocated > MORE * traced["fast"].allocated + HEAP


def _collects_more(traced: dict[str, Collections]) -> bool:
    """Whether the slow side has more collections."""
    return len(traced) == 2 and traced["slow"].number > traced["fast"].number


def kind_of(names: list[str]) -> str:
    """What a stack, from the innermost function outwards, does for the runtime: the key of a cause,
    or nothing. Work for the collector that an allocation has to do is the collector's."""
    if any(_COLLECTS.match(n) for n in names):
        return "garbage-collection"
    for name in names:
        if not name.startswith(_RUNTIME):
            return ""
        if _ALLOCATES.match(name):
            return "allocation"
    return ""


_CYCLE = re.compile(r"^gc \d+ @[\d.]+s .*?(\d+)->(\d+)->(\d+) MB,", re.MULTILINE)


def trace_collections(runs: RuntimeRuns, side: str) -> Collections:
    """One run with the collector's trace. Raises CannotCount."""

    def words(command: list[str], folder: Path) -> list[str]:
        return ["sh", "-c", 'exec "$@" 2>"$0"', str(folder / "trace"), *command]

    debug = runs.runs[side].env.get("GODEBUG", "")
    value = f"{debug},gctrace=1" if debug else "gctrace=1"
    output = runs.under(
        "GODEBUG=gctrace=1", side, lambda c, f: words(list(c), f), lambda f: {"GODEBUG": value}
    )
    return parse_gctrace(output.files.get("trace", ""))


def parse_gctrace(text: str) -> Collections:
    """The heap grows from what was live after a collection to its size at the next one; what is
    allocated after the last collection is not seen."""
    cycles = [tuple(map(int, m)) for m in _CYCLE.findall(text)]
    allocated, live = 0, 0
    for before, _, after in cycles:
        allocated += max(0, before - live)
        live = after
    return Collections(len(cycles), allocated * 1e6)


def _ms(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 0.9995 else f"{1000 * seconds:.3g} ms"
