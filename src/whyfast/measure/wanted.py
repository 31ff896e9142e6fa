"""What the measuring loop wants taken, as plain data, and taking it here."""

from __future__ import annotations

from dataclasses import dataclass

from whyfast.measure.block import BlockFailed, run_block
from whyfast.measure.calibrate import WantedLengths, calibrate
from whyfast.measure.clock import Clock
from whyfast.measure.invocation import InvocationFailed, Runner
from whyfast.measure.schedule import Plan
from whyfast.model.sample import Block, Calibration, RunFailure


@dataclass(frozen=True)
class WantedCalibration:
    """A benchmark to be calibrated with these variants, bound to ``cpu`` (None: anywhere)."""

    benchmark: str
    variants: tuple[str, ...]
    cpu: int | None
    lengths: WantedLengths


@dataclass(frozen=True)
class WantedBlock:
    """The block number ``index`` of a benchmark, as the ``plan`` has it; results are held against
    that of the variant ``reference``."""

    plan: Plan
    benchmark: str
    reference: str
    index: int
    session: str


Wanted = WantedCalibration | WantedBlock

#: What came of it; a failure where a variant failed.
Outcome = Calibration | Block | RunFailure


def take(wanted: Wanted, runner: Runner, clock: Clock) -> Outcome:
    """Take it here, by the benchmark's runner."""
    if isinstance(wanted, WantedCalibration):
        try:
            return calibrate(
                wanted.benchmark,
                runner,
                wanted.variants,
                cpu=wanted.cpu,
                clock=clock,
                wanted=wanted.lengths,
            )
        except InvocationFailed as failed:
            variant = failed.variant or wanted.variants[0]
            return failed.as_failure(wanted.benchmark, variant)
    try:
        return run_block(
            runner,
            wanted.plan,
            benchmark=wanted.benchmark,
            reference=wanted.reference,
            index=wanted.index,
            session=wanted.session,
            clock=clock,
        )
    except BlockFailed as failed:
        return failed.failure
