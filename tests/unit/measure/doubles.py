"""A clock that moves only when told to, players that answer from a script, and a campaign of them
whose sink remembers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from whyfast.measure.campaign import BenchmarkRun, MeasuringSession, measure
from whyfast.measure.invocation import Clock, Invocation, InvocationFailed, Sample
from whyfast.model.sample import Block, Calibration, RunFailure


class FakeClock(Clock):
    """Starts at 0 seconds, which is the epoch second 1,000,000."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return 1_000_000 + self.seconds

    def monotonic(self) -> float:
        return self.seconds


#: From a variant, the loops and how many turns it took before (warm-ups and calibration count) to
#: its reading; raises InvocationFailed for one that fails.
Script = Callable[[str, int, int], Sample]


class FakeRunner:
    """Runs nothing, keeps ``events``, and lets the clock advance by what the readings say.
    ``entering`` maps a variant to the reason for which it does not come up; ``threads`` are those
    at work in a variant, 1 where nothing is said."""

    def __init__(
        self,
        script: Script,
        clock: FakeClock,
        *,
        loops_vary: bool = False,
        entering: Mapping[str, str] | None = None,
    ) -> None:
        self.loops_vary = loops_vary
        self.script = script
        self.clock = clock
        self.entering = entering or {}
        self.events: list[str] = []
        self.places: list[tuple[str, int | None, int, int]] = []
        self.turns: dict[str, int] = {}
        self.threads: dict[str, int] = {}

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        self.events.append(f"enter {variant}")
        self.places.append((variant, cpu, pad, layout))
        if variant in self.entering:
            raise InvocationFailed(self.entering[variant], output="out", command=("./" + variant,))
        return _FakePlayer(self, variant)

    @property
    def open(self) -> list[str]:
        """Players that were started and not closed yet."""
        names = [e.split(" ")[1] for e in self.events if e.startswith("enter ")]
        for event in self.events:
            if event.startswith("close "):
                names.remove(event.split(" ")[1])
        return [n for n in names if n not in self.entering]


class _FakePlayer:
    def __init__(self, runner: FakeRunner, variant: str) -> None:
        self._runner = runner
        self._variant = variant

    def turn(self, loops: int) -> Sample:
        runner, variant = self._runner, self._variant
        runner.events.append(f"{variant} {loops}")
        before = runner.turns.get(variant, 0)
        runner.turns[variant] = before + 1
        reading = runner.script(variant, loops, before)
        runner.clock.seconds += reading.seconds
        return reading

    @property
    def threads(self) -> int:
        return self._runner.threads.get(self._variant, 1)

    peak_memory = None

    def close(self) -> None:
        self._runner.events.append(f"close {self._variant}")


def steady(seconds: float) -> Script:
    """Every loop of every variant takes as long."""
    return lambda variant, loops, before: Sample(seconds * loops)


def fails_at(variant: str, turn: int, seconds: float = 1.0, reason: str = "exit code 3") -> Script:
    """Like :func:`steady`, but one variant crashes in its turn of that number."""

    def script(name: str, loops: int, before: int) -> Sample:
        if name == variant and before >= turn:
            raise InvocationFailed(reason, output="boom", command=("./" + name,))
        return Sample(seconds * loops)

    return script


@dataclass
class Memory:
    """A sink that remembers what it was given, in order."""

    blocks: list[Block] = field(default_factory=list)
    failures: list[RunFailure] = field(default_factory=list)
    calibrations: list[Calibration] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    def add_block(self, block: Block) -> None:
        self.blocks.append(block)
        self.order.append(f"{block.benchmark} {block.index}")

    def add_calibration(self, calibration: Calibration) -> None:
        self.calibrations.append(calibration)

    def add_failure(self, failure: RunFailure) -> None:
        self.failures.append(failure)
        self.order.append(f"{failure.benchmark} without {failure.variant}")


@dataclass
class Bench:
    """Entries on one clock; every turn takes a second unless a script says otherwise."""

    clock: FakeClock = field(default_factory=FakeClock)
    sink: Memory = field(default_factory=Memory)
    entries: list[BenchmarkRun] = field(default_factory=list)
    runners: dict[str, FakeRunner] = field(default_factory=dict)
    released: list[tuple[str, int]] = field(default_factory=list)
    run: str = "r1"

    def add(
        self,
        name: str = "fib",
        variants: Sequence[str] = ("a", "b"),
        script: Script | None = None,
        *,
        baselines: Sequence[str] = ("a",),
        turns: int | None = 2,
        loops_vary: bool = False,
        entering: dict[str, str] | None = None,
    ) -> BenchmarkRun:
        runner = FakeRunner(
            script or steady(1.0), self.clock, loops_vary=loops_vary, entering=entering
        )
        self.runners[name] = runner
        self.entries.append(BenchmarkRun(name, runner, list(variants), baselines, turns=turns))
        return self.entries[-1]

    def measure(
        self,
        budget: float = 1000.0,
        *,
        blocks: int | None = None,
        spent: float = 0.0,
        session: str = "s1",
        settled: Callable[[BenchmarkRun], bool] | None = None,
    ) -> float:
        """Measure; ``blocks`` settles each benchmark after so many."""

        def enough(entry: BenchmarkRun) -> bool:
            return blocks is not None and len(entry.blocks) >= blocks

        return measure(
            self.entries,
            MeasuringSession(
                *(self.run, session, self.sink, self.clock, (4, 5, 6), budget, spent),
                released=lambda name, threads: self.released.append((name, max(threads.values()))),
            ),
            settled or enough,
        )

    def indexes(self, name: str = "fib") -> list[int]:
        return [b.index for b in self.sink.blocks if b.benchmark == name]
