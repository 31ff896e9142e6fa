"""A study of nothing but variants."""

from __future__ import annotations

from pathlib import Path

from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Variant


def plain_study(*variants: Variant, baseline: str = "old") -> Study:
    """Those variants against ``baseline``, without benchmarks, at a margin of 1 %."""
    return Study(
        name="demo",
        title="demo",
        folder=Path("demo"),
        baselines=(baseline,),
        margin=0.01,
        source=Source("path", "src", Path("demo/src")),
        build=BuildSpec((), "vm"),
        variants=variants,
        benchmarks=(),
    )
