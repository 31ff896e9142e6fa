"""Looking things up in a study."""

from pathlib import Path

import pytest

from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Variant


def test_a_variant_is_found_by_its_name() -> None:
    old, new = Variant("old", "path:gcc"), Variant("new", "path:gcc", ("-O3",))
    study = Study(
        name="demo",
        title="demo",
        folder=Path("demo"),
        baselines=("old",),
        margin=0.01,
        source=Source("path", "src", Path("demo/src")),
        build=BuildSpec((), "vm"),
        variants=(old, new),
        benchmarks=(),
    )
    assert study.variant("new") is new
    with pytest.raises(KeyError):
        study.variant("newer")
