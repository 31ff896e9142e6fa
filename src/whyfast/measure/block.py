"""Running one block: every variant once, in fresh processes that take turns."""

from __future__ import annotations

from collections.abc import Mapping

from whyfast.measure.clock import Clock
from whyfast.measure.runner import Player, PlayerFailed, Reading, Runner
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
    index: int,
    session: str,
    loops: int,
    warmups: int,
    clock: Clock,
) -> Block:
    """Start all players, let them take ``warmups`` unrecorded turns and then the planned ones.

    Raises :class:`BlockFailed` when any player fails, or when two variants report different
    results (then the later one is named). All processes are ended in every case.
    """
    started, t0 = clock.now(), clock.monotonic()
    players: dict[str, Player] = {}
    values: dict[str, list[float]] = {v: [] for v in plan.start_order}
    extra: dict[str, dict[str, list[float]]] = {v: {} for v in plan.start_order}
    current = ""
    try:
        for current in plan.start_order:
            players[current] = runner.enter(current, cpu=plan.cpu, pad=plan.pads[current])
        agreed = _Agreement()
        for _ in range(warmups):
            for current in plan.start_order:
                agreed.add(current, players[current].turn(loops))
        for order in plan.order:
            for current in order:
                reading = players[current].turn(loops)
                agreed.add(current, reading)
                values[current].append(reading.seconds)
                for key, value in reading.extra.items():
                    extra[current].setdefault(key, []).append(value)
    except PlayerFailed as failed:
        raise BlockFailed(failed.as_failure(benchmark, current)) from failed
    finally:
        for player in players.values():
            player.close()
    return Block(
        benchmark=benchmark,
        index=index,
        seed=plan.seed,
        session=session,
        cpu=plan.cpu,
        loops=loops,
        warmups=warmups,
        start_order=plan.start_order,
        order=plan.order,
        values={v: tuple(x) for v, x in values.items()},
        started=started,
        seconds=clock.monotonic() - t0,
        extra=_frozen(extra),
    )


class _Agreement:
    """All variants must report the same result; the first one seen is the measure."""

    def __init__(self) -> None:
        self._first: tuple[str, str] | None = None

    def add(self, variant: str, reading: Reading) -> None:
        if reading.check is None:
            return
        if self._first is None:
            self._first = (variant, reading.check)
        elif reading.check != self._first[1]:
            raise PlayerFailed(
                f"wrong result: {reading.check}, where {self._first[0]} has {self._first[1]}"
            )


def _frozen(
    extra: Mapping[str, Mapping[str, list[float]]],
) -> dict[str, dict[str, tuple[float, ...]]]:
    return {v: {k: tuple(x) for k, x in per.items()} for v, per in extra.items() if per}
