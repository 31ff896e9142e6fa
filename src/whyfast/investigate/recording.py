"""The context in which values are taken: what is kept of them, and what becomes of the run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from whyfast.investigate.outside import Outside
from whyfast.investigate.work import Q, Work
from whyfast.measure.clock import Clock
from whyfast.measure.environment import environment, environment_after
from whyfast.model.differences import RUN, words_of
from whyfast.model.result import Recorded
from whyfast.model.sample import Block, Calibration, RunFailure, Session
from whyfast.model.study import Study
from whyfast.store.lock import exclusive
from whyfast.store.samples import Run, SampleStore

if TYPE_CHECKING:
    from whyfast.model.boot import Boot

#: The fact of a session on a host of a fleet that has its name.
FLEET_HOST = "fleet_host"


def counted(blocks: Sequence[Block], sessions: Iterable[Session] = ()) -> list[Block]:
    """Without those that were taken on one CPU before the benchmark was released from it, and
    those that a host of a fleet took before the benchmark went to another."""
    host = {s.id: s.environment.get(FLEET_HOST) for s in sessions}
    last = {b.benchmark: host.get(b.session) for b in blocks} if host else {}
    taken = [b for b in blocks if host.get(b.session) == last.get(b.benchmark)]
    free = {b.benchmark for b in taken if b.cpu is None}
    return [b for b in taken if b.cpu is None or b.benchmark not in free]


@dataclass
class OpenRun:
    """A run while it is recorded; what is added is durable once the call returns.

    ``goes_on``: it ended well, but out of time, and the next recording of its key goes on with it.
    ``recorded`` is all that the store holds of it, from the end of recording on.
    """

    store: SampleStore
    run: Run
    complete: bool = True
    goes_on: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    boots: list[Boot] = field(default_factory=list)
    recorded: Recorded = field(init=False)

    def add_block(self, block: Block) -> None:
        self.store.add_block(self.run.id, block)

    def add_failure(self, failure: RunFailure) -> None:
        self.store.add_failure(self.run.id, failure)

    def add_calibration(self, calibration: Calibration) -> None:
        self.store.add_calibration(self.run.id, calibration)

    def blocks(self) -> list[Block]:
        """Those so far, also of earlier sessions."""
        run = self.run.id
        return counted(self.store.blocks(run), self.store.sessions(run))

    def failures(self) -> list[RunFailure]:
        """Those so far, also of earlier sessions."""
        return self.store.failures(self.run.id)

    def calibrations(self) -> Mapping[str, Calibration]:
        """The latest of each benchmark."""
        return {c.benchmark: c for c in self.store.calibrations(self.run.id)}

    @contextmanager
    def timed(self, phase: str, clock: Clock) -> Iterator[None]:
        """Note how long it takes."""
        began = clock.monotonic()
        try:
            yield
        finally:
            self.seconds[phase] = self.seconds.get(phase, 0.0) + clock.monotonic() - began

    @contextmanager
    def session(self, outside: Outside) -> Iterator[Session]:
        """Measuring, with the state of the machine before and after it."""
        session = Session(outside.new_id(), outside.clock.now(), environment(outside.system))
        self.store.add_session(self.run.id, session)
        try:
            yield session
        finally:
            at_end = environment_after(outside.system)
            facts = {**session.environment, "at_end": at_end}
            self.store.end_session(replace(session, environment=facts))


@contextmanager
def recording(
    work: Work[Q],
    key: str | None,
    *,
    fresh: bool = False,
    alone: bool = True,
    kept: SampleStore | None = None,
) -> Iterator[OpenRun]:
    """The unfinished run of that key, or a new one; always when it is to be ``fresh``. Without a
    key it is new, and never gone on with.

    ``alone``: it waits until nobody else measures on this machine, and puts back first what an
    earlier run left behind. Interrupted (KeyboardInterrupt), it ends there, is not ``complete``,
    and goes on in the next recording of that key. ``kept`` is the store where several runs share
    one, and stays open. UserError when the store cannot be written.
    """
    outside = work.outside
    with nullcontext(kept) if kept else closing(outside.store(work.home.database)) as store:
        run = store.unfinished(key) if key and not fresh else None
        if run is None:
            name, now = work.question.name, outside.clock.now()
            run = Run(outside.new_id(), key or outside.new_id(), name, now, None)
            store.begin(run)
        opened = OpenRun(store, run)
        with ExitStack() as held:
            if alone:
                said = "waiting: another whyfast is measuring on this machine"
                lock = work.home.data / "measuring.lock"
                held.enter_context(exclusive(lock, lambda: work.observer.note(said)))
                _recover(work)
            try:
                yield opened
            except KeyboardInterrupt:
                opened.complete = False
        if key is None or (opened.complete and not opened.goes_on):
            store.finish(run.id, outside.clock.now())
        opened.recorded = Recorded(
            run=run.id,
            started=run.started,
            complete=opened.complete,
            seconds={**work.seconds, **opened.seconds},
            sessions=tuple(store.sessions(run.id)),
            toolchains=work.toolchains,
            builds=work.builds,
            blocks=tuple(opened.blocks()),
            failures=tuple(store.failures(run.id)),
            calibrations=tuple(store.calibrations(run.id)),
            boots=tuple(opened.boots),
            same=work.same,
        )


def run_key(work: Work[Study]) -> str:
    """What must be equal for two runs to be one: builds, how they are run, and how measured."""
    study = work.question
    parts = {
        "study": study.name,
        "variants": {
            b.variant: [b.digest, *(words_of(study.variant(b.variant), a) for a in RUN)]
            for b in work.usable
        },
        "kernels": {name: kernel.sha256 for name, kernel in work.kernels.items()},
        "benchmarks": [
            [b.name, b.runner, list(b.command), b.check, b.timeout] for b in study.benchmarks
        ],
        "baselines": list(study.baselines),
        "layouts": study.measure.layouts,
        "turn": [study.measure.turn, study.measure.turns],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _recover(work: Work[Q]) -> None:
    """Put back the settings that an earlier run of such a study left behind."""
    if work.question.in_vms:
        return  # they are those of other kernels
    names = dict.fromkeys(name for v in work.question.variants for name in v.sysctl)
    for said in work.sysctls.recover(list(names)) if names else ():
        work.observer.note(said)
