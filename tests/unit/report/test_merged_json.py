"""Results of several machines as JSON: back again, and every key documented."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from tests.unit.fleet.machines import measured

from whyfast.fleet.joining import OneResult
from whyfast.fleet.merging import merge_results
from whyfast.model.errors import UserError
from whyfast.model.result import (
    Lacks,
    Machine,
    MachineDifference,
    MachineResult,
    Merged,
    NeededBlocks,
    Pooled,
)
from whyfast.report.result_json import dump_merged, results_in

PAGE = (Path(__file__).parents[3] / "docs" / "merge.md").read_text("utf-8")


def example() -> Merged:
    """Five machines, one of which was given twice."""
    ratios = [1.0, 1.1, 1.1, 1.1, 1.12]
    given = [
        OneResult(f"m{i}.json", measured(f"m{i}", {"slow": ratio}, seed=i))
        for i, ratio in enumerate(ratios)
    ]
    return merge_results([*given, given[0]])


def test_a_merged_file_is_merged_anew() -> None:
    one = example()
    data = json.loads(dump_merged(one))
    assert data["schema"] == "whyfast-merged/1"
    assert data["answer"][0].startswith("slow is slower than base on m1, m2, m3 and m4, the same ")
    again = merge_results(results_in(data, where="merged.json"))
    assert again == one
    assert [c.text for c in again.confounds] == [
        "m0.json is a run that was given already, and counts once"
    ]


def test_every_key_is_documented() -> None:
    paragraphs = {
        title: set(re.findall(r"`(\w+)`", body))
        for title, body in re.findall(r"^\*\*(.+?)\*\*(.+?)(?:\n\n|\Z)", PAGE, re.M | re.S)
    }
    for kind in (Machine, MachineResult, MachineDifference, Pooled, Lacks, NeededBlocks):
        title = re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__).lower()
        assert {f.name for f in fields(kind)} <= paragraphs[title], title
    top = set(json.loads(dump_merged(example())))
    assert top <= set(re.findall(r"^\| `(\w+)` \|", PAGE, re.M))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"schema": "x"}, "m.json: schema: 'whyfast-merged/1' is wanted"),
        (
            {"schema": "whyfast-merged/1"},
            "m.json: machines: a list is wanted, not null",
        ),
        (
            {"schema": "whyfast-merged/1", "machines": []},
            "m.json: machines: one or more are wanted",
        ),
        (
            {"schema": "whyfast-merged/1", "machines": [{"sources": [3]}]},
            "m.json: machines[0].sources[0]: a string is wanted, not a whole number",
        ),
        (
            {
                "schema": "whyfast-merged/1",
                "machines": [{"sources": [], "notes": [], "result": {"schema": "y"}}],
            },
            "m.json: machines[0].result: schema: 'y' cannot be read; this whyfast reads "
            "'whyfast-result/2'",
        ),
    ],
)
def test_what_is_wrong_is_named(data: dict[str, object], said: str) -> None:
    with pytest.raises(UserError) as error:
        results_in(data, where="m.json")
    assert str(error.value) == said
