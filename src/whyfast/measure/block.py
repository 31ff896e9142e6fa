"""Running one block: every variant once, in fresh processes that take turns."""

from __future__ import annotations

from collections.abc import Mapping

from whyfast.measure.clock import Clock
from whyfast.measure.invocation import Invocation, InvocationFailed, Runner, Sample
from whyfast.measure.run_queue import without_waiting
from whyfast.measure.schedule import Plan
from whyfast.model.sample import Block, RunFailure


class BlockFailed(Exception):
    """A variant failed; the block is not counted."""

    def __init__(self, failure: RunFailure) -> None:
        self.failure = failure
        super().__init__(f"{failure.variant} on {failure.benchmark}: {failure.reason}")


def run_block(
    runner: Runner,
    plan: Plan,
    *,
    benchmark: str,
    reference: str,
    index: int,
    session: str,
    clock: Clock,
) -> Block:
    """Start all invocations, let them take their unrecorded turns and then the others.

    Raises :class:`BlockFailed` when any invocation fails, or reports another result than
    ``reference``, the variant that the others are measured against. All processes are ended in
    every case. Where it is known of every turn how long it waited for a CPU, that is no part of the
    values.
    """
    started, t0 = clock.now(), clock.monotonic()
    invocations: dict[str, Invocation] = {}
    values: dict[str, list[float]] = {v: [] for v in plan.start_order}
    extra: dict[str, dict[str, list[float]]] = {v: {} for v in plan.start_order}
    current = ""
    try:
        for current in plan.start_order:
            invocations[current] = runner.enter(
                current,
                cpu=plan.cpu,
                pad=plan.pads[current],
                layout=plan.layouts.get(current, 0),
            )
        agreed = _Agreement(reference)
        for _ in range(plan.warmups):
            for current in plan.start_order:
                agreed.add(current, invocations[current].turn(plan.loops))
        for order in plan.order:
            for current in order:
                sample = invocations[current].turn(plan.loops)
                agreed.add(current, sample)
                values[current].append(sample.seconds)
                for key, value in sample.extra.items():
                    extra[current].setdefault(key, []).append(value)
        threads = {v: invocation.threads for v, invocation in invocations.items()}
    except InvocationFailed as failed:
        raise BlockFailed(failed.as_failure(benchmark, failed.variant or current)) from failed
    finally:
        for invocation in invocations.values():
            invocation.close()
    net, came = without_waiting(values, _frozen(extra, len(plan.order)))
    return Block(
        benchmark=benchmark,
        index=index,
        seed=plan.seed,
        session=session,
        cpu=plan.cpu,
        loops=plan.loops,
        warmups=plan.warmups,
        start_order=plan.start_order,
        order=plan.order,
        values=net,
        started=started,
        seconds=clock.monotonic() - t0,
        extra=came,
        layouts=dict(plan.layouts),
        threads=threads,
    )


class _Agreement:
    """Every variant must report the result that the reference reports, in every turn."""

    def __init__(self, reference: str) -> None:
        self._reference = reference
        self._first: dict[str, str] = {}

    def add(self, variant: str, sample: Sample) -> None:
        """Raises :class:`InvocationFailed`, with its ``variant`` set, at the first disagreement."""
        if sample.check is None:
            return
        first = self._first.setdefault(variant, sample.check)
        if first != sample.check:
            raise self._wrong(variant, f"{sample.check} after {first}")
        expected = self._first.get(self._reference)
        for name, check in self._first.items() if expected is not None else ():
            if check != expected:
                raise self._wrong(name, f"{check}, where {self._reference} has {expected}")

    @staticmethod
    def _wrong(variant: str, what: str) -> InvocationFailed:
        failed = InvocationFailed(f"wrong result: {what}")
        failed.variant = variant
        return failed


def _frozen(
    extra: Mapping[str, Mapping[str, list[float]]], turns: int
) -> dict[str, dict[str, tuple[float, ...]]]:
    """Only what came with every turn, so that the t-th value is that of turn t."""
    whole = {
        v: {k: tuple(x) for k, x in per.items() if len(x) == turns} for v, per in extra.items()
    }
    return {v: per for v, per in whole.items() if per}
