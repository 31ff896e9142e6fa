"""Facts that mean the same in other words."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.judge.runs_example import recording

from whyfast.judge.run_confounds import metadata_confounds, one_form


def test_boots_a_second_apart_are_one() -> None:
    texts = ["2023-03-06 05:49:52", "2023-03-06 05:49:53", "2023-03-06 05:52:00", "unknown"]
    forms = one_form("boot_time", texts)
    assert forms == {
        "2023-03-06 05:49:52": "2023-03-06 05:49:52",
        "2023-03-06 05:49:53": "2023-03-06 05:49:52",
        "2023-03-06 05:52:00": "2023-03-06 05:52:00",
        "unknown": "unknown",
    }


def test_a_revision_and_its_prefix_are_one() -> None:
    forms = one_form("commit_id", ["c4e4b91557f1", "c4e4b91", "c4e4b92", "v3.11"])
    assert forms["c4e4b91557f1"] == forms["c4e4b91"] == "c4e4b91"
    assert forms["c4e4b92"] == "c4e4b92"
    texts = ["3.11.0 (64-bit) revision deaf509", "3.11.0 (64-bit) revision deaf509e8f"]
    assert len(set(one_form("python_version", texts).values())) == 1


def test_neither_is_a_confound() -> None:
    a = replace(
        recording("a", {"x": [0.0]}),
        metadata={
            "boot_time": ("2023-03-06 05:49:52", "2023-03-06 05:49:53"),
            "commit_id": "c4e4b91557",
        },
    )
    b = replace(
        recording("b", {"x": [0.1]}),
        metadata={"boot_time": "2023-03-06 05:49:54", "commit_id": "c4e4b91"},
    )
    found = metadata_confounds([a, b])
    assert {c.kind for c in found} == {"unnamed"}
    other = replace(b, metadata={**b.metadata, "boot_time": "2023-03-07 05:49:54"})
    kinds = [c.kind for c in metadata_confounds([a, other]) if c.severity == "warning"]
    assert kinds == ["boot_time"]
