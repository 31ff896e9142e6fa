"""One block: every variant once, in fresh processes that take turns.

Whatever could tell two variants apart without being the variant is drawn at random beforehand."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from whyfast.measure.accounts import without_waiting
from whyfast.measure.invocation import Clock, Invocation, InvocationFailed, Runner, Sample
from whyfast.model.sample import Block

#: Bytes added to a process's environment are drawn from 0 to this. One page covers every stack
#: alignment that the environment's size can cause.
MAX_PAD = 4095


@dataclass(frozen=True)
class Plan:
    """What a block will do; everything follows from ``seed`` and the arguments of :func:`draw`.
    ``order[t]`` is the order of the variants in turn ``t``. ``warmups`` turns come before these and
    are not recorded; each is of ``loops`` loops. ``layouts`` and ``profiles`` as in
    :class:`~whyfast.model.sample.Block`."""

    seed: int
    cpu: int | None
    start_order: tuple[str, ...]
    pads: dict[str, int]
    order: tuple[tuple[str, ...], ...]
    layouts: Mapping[str, int] = field(default_factory=dict)
    profiles: bool = False
    loops: int = 1
    warmups: int = 0


def draw(
    seed: int,
    variants: Sequence[str],
    turns: int,
    cpus: Sequence[int],
    layouts: Mapping[str, int] | None = None,
) -> Plan:
    """Draw the CPU, the order of starting, the environment padding and the order of each turn.
    ``layouts``: the layout of each variant (numbered from 1; see :func:`draw_layouts`); None or
    absent variants run as linked, which is layout 0. Independent uniform draws, so that exchanging
    two variants leaves the distribution of the whole block as it was: what the statistics rest
    on."""
    rng = random.Random(seed)
    cpu = rng.choice(list(cpus)) if cpus else None
    start = rng.sample(list(variants), len(variants))
    pads = {v: rng.randint(0, MAX_PAD) for v in variants}
    order = tuple(tuple(rng.sample(list(variants), len(variants))) for _ in range(turns))
    drawn = {v: n for v, n in (layouts or {}).items() if v in variants}
    return Plan(seed, cpu, tuple(start), pads, order, drawn)


def draw_layouts(seed: int, variant: str, count: int, turn: int) -> int | None:
    """Which of ``count`` layouts (from 1) a variant takes when it is varied for the n-th time. Each
    layout is used once, in an order drawn for each variant alone, so that every varied block
    compares fresh layouts; None once all are used (``turn`` counts from 0)."""
    if turn >= count:
        return None
    return random.Random(f"{seed} {variant}").sample(range(1, count + 1), count)[turn]


@dataclass(frozen=True)
class WantedBlock:
    """The block number ``index`` of a benchmark, as the ``plan`` has it; results are compared with
    that of the variant ``reference``."""

    plan: Plan
    benchmark: str
    reference: str
    index: int
    session: str
    kind: Literal["block"] = "block"


def run_block(runner: Runner, wanted: WantedBlock, clock: Clock) -> Block:
    """Start all invocations, let them take their unrecorded turns and then the others. Raises
    :class:`InvocationFailed`, with its ``variant`` set, when any invocation fails, or reports
    another result than the reference. All processes are ended in every case. Where it is known of
    every turn how long it waited for a CPU, that is no part of the values."""
    plan = wanted.plan
    started, t0 = clock.now(), clock.monotonic()
    invocations: dict[str, Invocation] = {}
    values: dict[str, list[float]] = {v: [] for v in plan.start_order}
    extra: dict[str, dict[str, list[float]]] = {v: {} for v in plan.start_order}
    current = ""
    try:
        for current in plan.start_order:
            invocations[current] = runner.enter(
                current, cpu=plan.cpu, pad=plan.pads[current], layout=plan.layouts.get(current, 0)
            )
        agreed = _Agreement(wanted.reference)
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
        for name, invocation in invocations.items():
            if (peak := invocation.peak_memory) is not None:  # of the process, so of each turn
                extra[name]["maxrss"] = [peak] * len(plan.order)
    except InvocationFailed as failed:
        failed.variant = failed.variant or current
        raise
    finally:
        for invocation in invocations.values():
            invocation.close()
    # Only what came with every turn, so that the t-th value is that of turn t.
    whole = {
        v: {k: tuple(x) for k, x in per.items() if len(x) == len(plan.order)}
        for v, per in extra.items()
    }
    net, came = without_waiting(values, {v: per for v, per in whole.items() if per})
    return Block(
        benchmark=wanted.benchmark,
        index=wanted.index,
        seed=plan.seed,
        session=wanted.session,
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
        profiles=plan.profiles,
    )


@dataclass
class _Agreement:
    """Every variant must report the result that the reference reports, in every turn."""

    reference: str
    _first: dict[str, str] = field(default_factory=dict)

    def add(self, variant: str, sample: Sample) -> None:
        """Raises :class:`InvocationFailed`, with its ``variant`` set, at the first disagreement."""
        if sample.check is None:
            return
        first = self._first.setdefault(variant, sample.check)
        if first != sample.check:
            reason = f"wrong result: {sample.check} after {first}"
            raise InvocationFailed(reason, variant=variant)
        expected = self._first.get(self.reference)
        for name, check in self._first.items() if expected is not None else ():
            if check != expected:
                reason = f"wrong result: {check}, where {self.reference} has {expected}"
                raise InvocationFailed(reason, variant=name)
