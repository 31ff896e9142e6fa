"""Recordings with a known truth."""

import numpy as np

from whyfast.model.sample import SECOND, Recording, Series


def recording(
    name: str,
    logs: dict[str, list[float]],
    *,
    started: float | None = None,
    ended: float | None = None,
) -> Recording:
    """One value a process: exp of the given log times."""
    return Recording(
        name=name,
        source=f"{name}.json",
        tool="pyperf",
        series={
            b: Series(b, SECOND, tuple((float(np.exp(x)),) for x in xs)) for b, xs in logs.items()
        },
        started=started,
        ended=ended,
    )


def noisy(
    name: str,
    rng: np.random.Generator,
    *,
    effect: float = 0.0,
    benchmarks: int = 20,
    processes: int = 20,
    spread: float = 0.01,
    drift: float = 0.0,
) -> Recording:
    """Normal noise of ``spread`` between processes, and ``drift`` that a benchmark's run shares."""
    return recording(
        name,
        {
            f"b{i}": list(effect + drift * rng.normal() + spread * rng.normal(size=processes))
            for i in range(benchmarks)
        },
    )
