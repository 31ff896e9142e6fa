"""A made-up result with drawn layouts: a difference that is placement, and one that is a change."""

import math
from collections.abc import Sequence
from dataclasses import replace

from tests.unit.report.example import sample_result, verdict
from tests.unit.report.parts import changed

from whyfast.model.result import Result
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Placement, PlacementOutcome, Verdict

#: Log ratios of 16 blocks in drawn layouts, around no difference.
POINTS = tuple(0.004 * math.sin(5 * i) for i in range(16))


def placement(
    outcome: PlacementOutcome,
    linked: Verdict,
    varied: Verdict,
    *,
    spread: float = 0.0025,
    points: Sequence[float] = POINTS,
) -> Placement:
    """One pair with 16 points."""
    return Placement(outcome, linked, varied, spread, len(points), tuple(points))


PLACED = placement(
    "placement",
    verdict("after", "before", "slower", 1.65, 1.62, 1.68, benchmark="calls"),
    verdict("after", "before", "same", 1.0, 0.997, 1.003, benchmark="calls", blocks=16),
)
CHANGED = placement(
    "change",
    verdict("more-work", "before", "slower", 1.051, 1.049, 1.053, benchmark="calls"),
    verdict("more-work", "before", "slower", 1.05, 1.046, 1.054, benchmark="calls", blocks=16),
    points=[p + math.log(1.05) for p in POINTS],
)


def placement_result(*, benchmarks: Sequence[str] = ("calls",)) -> Result:
    """Baselines before and after, and more-work; a suite where there are several benchmarks."""
    plain = sample_result()
    names = ("before", "after", "more-work")
    study = replace(
        plain.question,
        title="Is it the change?",
        baselines=("before", "after"),
        variants=tuple(Variant(n, "path:gcc", ("-O2",)) for n in names),
        benchmarks=tuple(Benchmark(n, "turn", ("{program}",)) for n in benchmarks),
        claim=None,
    )
    back = placement(
        "placement",
        verdict("before", "after", "faster", 1 / 1.65, 1 / 1.68, 1 / 1.62, benchmark="calls"),
        verdict("before", "after", "same", 1.0, 0.997, 1.003, benchmark="calls", blocks=16),
        points=[-p for p in POINTS],
    )
    keys = [None, *benchmarks] if len(benchmarks) > 1 else list(benchmarks)
    placements = tuple(
        replace(p, linked=replace(p.linked, benchmark=k), varied=replace(p.varied, benchmark=k))
        for p in (PLACED, CHANGED, back)
        for k in keys
    )
    verdicts = tuple(p.varied for p in placements if p.varied.benchmark is not None)
    return changed(
        plain,
        question=study,
        builds=(),
        toolchains=(),
        blocks=(),
        verdicts=verdicts,
        suites=(),
        evidence=(),
        confounds=(),
        about="change",
        placements=placements,
    )
