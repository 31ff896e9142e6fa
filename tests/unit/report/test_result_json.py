"""The JSON schema: what it holds, that it reads back exactly, and how it complains. Results of
several machines as JSON, and back again."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.fleet.machines import measured
from tests.unit.report.example import ab_result, sample_result, verdict
from tests.unit.report.parts import changed

from whyfast.fleet.merging import merge_results
from whyfast.model.codec import pack
from whyfast.model.errors import UserError
from whyfast.model.result import Merged, OneResult
from whyfast.model.sample import RunFailure
from whyfast.report.result_json import (
    dump_merged,
    dump_result,
    from_json,
    load_result,
    results_in,
    to_json,
)


def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(dump_result(sample_result()))["data"]
    return data


def test_reads_back_exactly() -> None:
    crash = RunFailure("sieve", "clang18-goto", "signal 11", "oops", ("vm", "sieve"))
    for result in (sample_result(failures=(crash,)), ab_result(), sample_result(complete=False)):
        assert from_json(json.loads(dump_result(result))) == result


def test_reading_does_not_change_what_is_read() -> None:
    document = json.loads(dump_result(sample_result()))
    before = json.dumps(document)
    from_json(document)
    assert json.dumps(document) == before


def test_numbers_that_are_not_finite_are_strings() -> None:
    unbounded = verdict(
        "clang19-goto", "clang18-goto", "undecided", 1.1, 0.0, math.inf, benchmark="x", blocks=1
    )
    result = changed(sample_result(), verdicts=(unbounded,), metrics=(unbounded,))
    document = json.loads(dump_result(result))
    written = document["data"]["judged"]["verdicts"][0]
    assert (written["outcome"], written["low"], written["high"]) == ("undecided", 0.0, "inf")
    assert from_json(document) == result
    absent = changed(sample_result(), verdicts=(replace(unbounded, ratio=math.nan),))
    (back,) = from_json(to_json(absent)).judged.verdicts
    assert math.isnan(back.ratio)
    unlike = changed(sample_result(), verdicts=(replace(unbounded, ratio=3e-36),))
    assert from_json(to_json(unlike)).judged.verdicts[0].ratio == 3e-36


def test_keys_of_a_later_whyfast_are_passed_over() -> None:
    data = _data()
    data["new"] = data["answer"]["new"] = 1
    assert from_json(pack("result", data)) == sample_result()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["judged", "verdicts", 3, "ratio"], "2",
         "judged.verdicts[3].ratio: expected a number, not a string"),
        (["judged", "suites", 0, "verdict", "outcome"], "fast", "judged.suites[0].verdict.outcome: "
         "expected one of 'faster', 'slower', 'same', 'undecided', not 'fast'"),
        (["recorded", "builds", 1, "kind"], "gone", "recorded.builds[1].kind: expected one of "
         "'built', 'not-buildable', 'failed', 'late', not 'gone'"),
        (["recorded", "builds", 1, "kind"], {}, "recorded.builds[1].kind: expected one of "
         "'built', 'not-buildable', 'failed', 'late', not {}"),
        (["recorded", "builds", 1, "variant"], "gone",
         "recorded.builds[1].variant: 'gone' is not a variant of the study"),
        (["recorded", "blocks", 2, "seconds"], 10**400,
         "recorded.blocks[2].seconds: the number is too large"),
        (["recorded", "builds", 1, "digest"], 5,
         "recorded.builds[1].digest: expected a string, not a whole number"),
        (["recorded", "blocks", 2, "values", "clang18-goto", 1], True,
         "recorded.blocks[2].values.clang18-goto[1]: expected a number, not true or false"),
        (["recorded", "blocks", 2, "loops"], 0,
         "recorded.blocks[2].loops: expected 1 or more, not 0"),
        (["recorded", "blocks", 2, "loops"], 10**4000,
         "recorded.blocks[2].loops: the whole number is too large"),
        (["recorded", "blocks", 2, "order", 0, 0], "gone",
         "recorded.blocks[2].order: 'gone' is not a variant of the block"),
        (["recorded", "blocks", 2, "order"], [],
         "recorded.blocks[2].values.clang18-goto: 5 values for 0 turns in order"),
        (["recorded", "blocks", 2, "values", "clang18-goto", 0], 0.0,
         "recorded.blocks[2].values.clang18-goto: expected a time above 0 in each turn"),
        (["judged", "verdicts", 3, "ratio"], -1.0,
         "judged.verdicts[3].ratio: expected a number above 0"),
        (["judged", "verdicts", 3, "variant"], "gone",
         "judged.verdicts[3].variant: 'gone' is not a variant of the study"),
        (["question", "baselines", 0], "gone",
         "question.baselines[0]: 'gone' is not a variant of the study"),
        (["question", "variants"], {}, "question.variants: expected a list, not an object"),
        (["recorded", "blocks"], None, "recorded.blocks: expected a list, not null"),
        (["recorded", "builds"], None, "recorded.builds: expected a list, not null"),
    ],
)  # fmt: skip
def test_malformed(path: list[Any], value: Any, message: str) -> None:
    data: Any = _data()
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(UserError) as caught:
        from_json(pack("result", data), where="result.json")
    assert str(caught.value) == f"result.json: {message}"


@pytest.mark.parametrize("key", ["question", "recorded", "judged"])
def test_a_missing_key_is_named(key: str) -> None:
    data = _data()
    del data[key]
    with pytest.raises(UserError, match=f"^r.json: {key}: is missing$"):
        from_json(pack("result", data), where="r.json")


def test_load_result(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(dump_result(sample_result()), encoding="utf-8")
    assert load_result(path) == sample_result()
    path.write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match=r"r\.json: not JSON"):
        load_result(path)
    with pytest.raises(UserError, match="cannot be read: No such file"):
        load_result(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "not a whyfast result: expected a JSON object at the top"),
        ({"results": []}, 'not a whyfast result: no "schema" key'),
        ({"schema": "whyfast-result/9"}, "schema: 'whyfast-result/9' is not supported; this "
         "whyfast reads 'whyfast-result/3'"),
        ({"schema": "whyfast-result/3"}, "data: expected an object, not null"),
    ],
)  # fmt: skip
def test_what_is_not_a_result_is_refused(document: object, message: str) -> None:
    with pytest.raises(UserError) as caught:
        from_json(document, where="result.json")
    assert str(caught.value) == f"result.json: {message}"


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
    assert [c.text for c in again.confounds] == ["m0.json repeats a run, which counts once"]


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
    ],
)
def test_errors_name_the_key(data: dict[str, object], message: str) -> None:
    with pytest.raises(UserError) as error:
        results_in(pack("merged", data), where="m.json")
    assert str(error.value) == f"m.json: {message}"
