"""One host of a fleet and the benchmarks that it measures, over its restarts; the status lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from whyfast.fleet.messages import HostFacts
from whyfast.investigate.context import RunContext
from whyfast.investigate.recording import FLEET_HOST, LiveSink, OpenRun, measuring_session
from whyfast.investigate.services import Observer, Silent
from whyfast.judge.looks import Looks, TogetherJudge
from whyfast.measure.block import WantedBlock
from whyfast.measure.calibrate import WantedCalibration
from whyfast.measure.campaign import BenchmarkRun, Outcome, Wanted, campaign
from whyfast.measure.invocation import Clock
from whyfast.model.sample import RunFailure, Session
from whyfast.model.study import Study
from whyfast.model.verdict import Verdict


@dataclass
class PresentClock(Clock):
    """``base``, stopped while the host is away: a budget is for measuring, not waiting."""

    base: Clock
    _lost: float = 0.0
    _left: float | None = None

    def now(self) -> float:
        return self.base.now()

    def monotonic(self) -> float:
        return (self.base.monotonic() if self._left is None else self._left) - self._lost

    def away(self) -> None:
        """Stop."""
        if self._left is None:
            self._left = self.base.monotonic()

    def back(self) -> None:
        """Go on."""
        if self._left is not None:
            self._lost += self.base.monotonic() - self._left
            self._left = None


#: ``away``: disconnected, but expected back; ``out``: cannot measure, connected or not.
State = Literal["away", "surveyed", "receiving", "measuring", "done", "out"]


@dataclass
class HostObserver(Silent):
    """Reports the events of a host to ``observer``, with its name before them."""

    observer: Observer
    host: str
    spent: float = 0.0

    def step(self, text: str) -> None:
        self.observer.step(f"{self.host}: {text}")

    def note(self, text: str) -> None:
        self.observer.note(f"{self.host}: {text}")

    def failure(self, failure: RunFailure) -> None:
        self.observer.failure(replace(failure, benchmark=f"{self.host}: {failure.benchmark}"))

    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None:
        self.spent = spent
        self.observer.block(f"{self.host}: {benchmark}", verdicts, spent, budget)


@dataclass
class HostRun:
    """``run`` stores the measurements of the host. ``waiting``: benchmarks that no campaign has
    begun; ``wanted``: the next block or calibration; ``looks``: how often blocks are judged,
    ``together`` for all hosts; ``since``: when its state began, on the monotonic clock here."""

    host: str
    context: RunContext[Study]
    run: OpenRun
    waiting: list[BenchmarkRun] = field(default_factory=list)
    state: State = "away"
    since: float = 0.0
    looks: Looks | None = None
    together: TogetherJudge | None = None
    why: str = ""
    warnings: tuple[str, ...] = ()
    wanted: Wanted | None = None

    def __post_init__(self) -> None:
        self.clock = PresentClock(self.context.services.clock)
        self.observer = HostObserver(self.context.observer, self.host)
        services = replace(self.context.services, clock=self.clock, left=lambda: 0)
        self._own = replace(self.context, observer=self.observer, services=services)
        self._steps: Generator[Wanted, Outcome, float] | None = None
        self._live: LiveSink | None = None
        self._entries: list[BenchmarkRun] = []
        self._session: Session | None = None

    @property
    def budget(self) -> float:
        """Seconds."""
        return self.context.question.measure.budget

    @property
    def open(self) -> bool:
        """Whether something is left to measure."""
        return self.wanted is not None or bool(self.waiting)

    def enter(self, state: State, why: str = "") -> None:
        """Begin a state, for the reason ``why``."""
        self.state, self.why = state, why
        self.since = self.context.services.clock.monotonic()
        if state in ("away", "out"):
            self.clock.away()
        else:
            self.clock.back()

    def begin(self, facts: HostFacts) -> None:
        """Begin a session, and a campaign over the waiting benchmarks if none is under way."""
        services = self.context.services
        environment = {**facts.environment, "machine": self.host, FLEET_HOST: self.host}
        self._session = Session(services.new_id(), services.clock.now(), environment)
        self.run.store.add_session(self.run.run.id, self._session)
        self.warnings = doctor_warnings(facts.environment)
        self.next_campaign(facts)

    def next_campaign(self, facts: HostFacts) -> None:
        """Begin a campaign over the waiting benchmarks, if none is under way."""
        if self.wanted is not None or not self.waiting:
            return
        self._entries, self.waiting = self.waiting, []
        assert self._session is not None
        spec = self.context.question.measure
        self._live = live = LiveSink(
            self._own, self.run, self._entries, spec, self.looks, self.together
        )
        session = measuring_session(self._own, self.run, self._session.id, live, facts.cpus)
        self._steps = campaign(self._entries, session, live.settled)
        self.wanted = next(self._steps, None)

    def next_wanted(self) -> Wanted | None:
        """The next block or calibration, for the current session."""
        wanted, session = self.wanted, self._session
        if isinstance(wanted, WantedBlock) and session is not None:
            return replace(wanted, session=session.id)
        return wanted

    def advance(self, outcome: Outcome) -> None:
        """Store the outcome of the wanted block or calibration, and go on."""
        assert self._steps is not None
        try:
            self.wanted = self._steps.send(outcome)
        except StopIteration:
            self.wanted = None

    def end(self, facts: HostFacts) -> None:
        """End the session."""
        if self._session is not None:
            environment = {**self._session.environment, "at_end": dict(facts.after)}
            self.run.store.end_session(replace(self._session, environment=environment))

    def give_up(self) -> list[str]:
        """Drop the remaining measurements; returns the names of their benchmarks."""
        names = [e.name for e in self.waiting]
        if self.wanted is not None and self._live is not None:
            names += [e.name for e in self._entries if e.comparable and not self._live.settled(e)]
        self.waiting, self.wanted, self._steps = [], None, None
        return names


def doctor_warnings(environment: Mapping[str, object]) -> tuple[str, ...]:
    """The keys of the warnings of ``whyfast doctor``."""
    findings = environment.get("doctor")
    if not isinstance(findings, Mapping):
        return ()
    return tuple(
        str(key)
        for key, finding in findings.items()
        if isinstance(finding, Mapping) and finding.get("state") == "warning"
    )


#: With more hosts than this, only the number in each state is shown.
MOST = 20

_STATES: dict[State, str] = {
    "away": "away",
    "surveyed": "asked what it is",
    "receiving": "receiving programs",
    "measuring": "measuring",
    "done": "done",
    "out": "left out",
}


def status(host_runs: Sequence[HostRun], now: float) -> tuple[str, ...]:
    """A line for each host: state, benchmark, time left, warnings; of many, the numbers."""
    ordered = sorted(host_runs, key=lambda s: s.host)
    if len(ordered) <= MOST:
        return tuple(_line(host_run, now) for host_run in ordered)
    counts = Counter(_STATES[host_run.state] for host_run in ordered)
    return (f"{len(ordered)} hosts: " + ", ".join(f"{n} {word}" for word, n in counts.items()),)


def _line(host_run: HostRun, now: float) -> str:
    parts = [_STATES[host_run.state]]
    wanted = host_run.wanted
    if host_run.state == "measuring" and wanted is not None:
        doing = "calibrating" if isinstance(wanted, WantedCalibration) else "block of"
        left = max(0.0, host_run.budget - host_run.observer.spent)
        parts = [f"{doing} {wanted.benchmark}", f"at most {left:.0f} s left"]
    elif host_run.state == "away":
        parts.append(f"for {now - host_run.since:.0f} s")
    if host_run.why:
        parts.append(host_run.why)
    if host_run.warnings:
        parts.append(f"doctor warns of {', '.join(host_run.warnings)}")
    return f"{host_run.host}: " + "; ".join(parts)
