"""What two files may write differently and mean the same by."""

from __future__ import annotations

import pytest

from whyfast.judge.run_confounds import same_fact, same_revision


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("2026-01-01 10:00:00", "2026-01-01 10:00:01", True),
        ("2026-01-01 10:00:00", "2026-01-01 10:00:02", True),
        ("2026-01-01 10:00:00", "2026-01-01 10:00:03", False),
        ("2026-01-01 10:00:00", "whenever", False),
    ],
)
def test_times_of_boot_jitter(a: str, b: str, same: bool) -> None:
    assert same_fact("boot_time", a, b) is same
    assert not same_fact("commit_date", a, b)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("abc1234", "ABC1234def5", True),
        ("abc1234", "abc1235", False),
        ("abc123", "abc1234", False),  # too short to name a commit
        ("1234567", "12345678", False),  # numbers
        ("abc1234", "abc1234def+", False),  # a checkout with changes
        ("main", "main", True),
    ],
)
def test_a_hash_may_be_cut_off(a: str, b: str, same: bool) -> None:
    assert same_revision(a, b) is same
    assert same_revision(b, a) is same
