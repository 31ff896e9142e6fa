"""Results of several machines as JSON, and back again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.fleet.machines import measured

from whyfast.fleet.merging import merge_results
from whyfast.model.codec import pack
from whyfast.model.errors import UserError
from whyfast.model.result import Merged, OneResult
from whyfast.report.result_json import dump_merged, results_in


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
    assert data["schema"] == "whyfast-merged/2"
    assert data["data"]["answer"][0].startswith(
        "slow is slower than base on m1, m2, m3 and m4, the same "
    )
    again = merge_results(results_in(data, where="merged.json"))
    assert again == one
    assert [c.text for c in again.confounds] == [
        "m0.json is a run that was given already, and counts once"
    ]


def test_a_file_of_version_1_is_merged_anew() -> None:
    old = json.loads((Path(__file__).parent / "data" / "whyfast-result-2.json").read_text("utf-8"))
    machine = {"machine": {"name": "a"}, "sources": ["a.json"], "notes": ["n"], "result": old}
    (one,) = results_in({"schema": "whyfast-merged/1", "machines": [machine]}, where="m.json")
    assert (one.where, one.notes) == ("a.json", ("n",))
    assert one.result.judged.suites[0].verdict.outcome == "faster"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "machines: expected a list, not null"),
        ({"machines": []}, "machines: expected one or more"),
        (
            {"machines": [{"sources": [3]}]},
            "machines[0].sources[0]: expected a string, not a whole number",
        ),
        (
            {"machines": [{"sources": [], "notes": [], "result": {"question": 1}}]},
            "machines[0].result.question: expected an object, not a whole number",
        ),
        (
            {"machines": [{"sources": [], "notes": [], "result": {"schema": "y"}}]},
            "machines[0].result: schema: 'y' is not supported; this whyfast reads "
            "'whyfast-result/3' and 'whyfast-result/2'",
        ),
    ],
)
def test_errors_name_the_key(data: dict[str, object], message: str) -> None:
    with pytest.raises(UserError) as error:
        results_in(pack("merged", data), where="m.json")
    assert str(error.value) == f"m.json: {message}"
