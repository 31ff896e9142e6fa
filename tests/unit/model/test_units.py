"""Units of which more is better."""

import pytest

from whyfast.model.series import rate


@pytest.mark.parametrize(
    "unit", ["MB/s", "ops/sec", "qps", "items_per_second", "req per sec", "IOPS"]
)
def test_rates(unit: str) -> None:
    assert rate(unit)


@pytest.mark.parametrize("unit", ["ns/op", "B/op", "second", "byte", "allocs/op", "steps", "score"])
def test_no_rates(unit: str) -> None:
    assert not rate(unit)
