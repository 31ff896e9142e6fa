"""The JSON schema: what it holds, that it reads back exactly, and how it complains."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.unit.report.example import ab_result, sample_result, verdict
from tests.unit.report.parts import changed

from whyfast.model.errors import UserError
from whyfast.model.sample import RunFailure
from whyfast.report.result_json import dump_result, from_json, load_result, to_json


def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(dump_result(sample_result()))
    return data


def test_reads_back_exactly() -> None:
    crash = RunFailure("sieve", "clang18-goto", "signal 11", "oops", ("vm", "sieve"))
    for result in (sample_result(failures=(crash,)), ab_result(), sample_result(complete=False)):
        assert from_json(json.loads(dump_result(result))) == result


def test_reading_does_not_change_what_is_read() -> None:
    data = _data()
    before = json.dumps(data)
    from_json(data)
    assert json.dumps(data) == before


def test_top_level() -> None:
    data = _data()
    assert data["schema"] == "whyfast-result/2"
    assert list(data) == [
        "schema",
        "generator",
        "answer",
        "question",
        "judged",
        "distributions",
        "found",
        "recorded",
    ]
    assert data["question"]["kind"] == "study"
    assert [b["kind"] for b in data["recorded"]["builds"]] == ["built"] * 4 + ["not-buildable"]


def test_a_suite_is_a_verdict_without_a_benchmark() -> None:
    suite = to_json(sample_result())["judged"]["suites"][0]
    influence = suite.pop("influence")
    assert suite.pop("carriers") == []
    assert suite == {
        "variant": "clang19-goto",
        "baseline": "clang18-goto",
        "benchmark": None,
        "verdict": "slower",
        "ratio": 2.14,
        "low": 2.10,
        "high": 2.19,
        "confidence": 0.95,
        "log_e": 12.0,
        "blocks": 24,
        "detectable": None,
        "seconds_to_margin": None,
        "notes": [],
        "metric": "time",
        "seconds_to_margin_90": None,
        "lopsided": None,
        "correlation": None,
        "statistics": {},
        "few": None,
    }
    assert influence["sieve"] == 2.14


def test_unbounded_ends_are_null() -> None:
    unbounded = verdict(
        "clang19-goto", "clang18-goto", "undecided", 1.1, 0.0, math.inf, benchmark="x", blocks=1
    )
    result = changed(sample_result(), verdicts=(unbounded,), metrics=(unbounded,))
    data = json.loads(dump_result(result))
    assert (data["judged"]["verdicts"][0]["low"], data["judged"]["verdicts"][0]["high"]) == (
        None,
        None,
    )
    assert from_json(data) == result


def test_a_line_for_each_block() -> None:
    lines = dump_result(sample_result()).splitlines()
    assert sum(line.startswith('   {"benchmark": ') for line in lines) == 48


def test_keys_of_a_later_whyfast_are_passed_over() -> None:
    data = _data()
    data["new"] = data["answer"]["new"] = 1
    assert from_json(data) == sample_result()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["schema"], "whyfast-result/9", "schema: 'whyfast-result/9' cannot be read; "
         "this whyfast reads 'whyfast-result/2'"),
        (["schema"], None, "is no result of whyfast, which has a schema; "
         "--json of run, ab or check writes one"),
        (["judged", "verdicts", 3, "ratio"], "2",
         "judged.verdicts[3].ratio: a number is wanted, not a string"),
        (["judged", "suites", 0, "verdict"], "fast", "judged.suites[0].verdict: one of 'faster', "
         "'slower', 'same', 'undecided' is wanted, not 'fast'"),
        (["recorded", "builds", 1, "kind"], "gone", "recorded.builds[1].kind: one of 'built', "
         "'not-buildable', 'failed' is wanted, not 'gone'"),
        (["recorded", "builds", 1, "kind"], {}, "recorded.builds[1].kind: one of 'built', "
         "'not-buildable', 'failed' is wanted, not {}"),
        (["recorded", "builds", 1, "variant"], "gone",
         "recorded.builds[1].variant: 'gone' is no variant of the study"),
        (["recorded", "blocks", 2, "seconds"], 10**400,
         "recorded.blocks[2].seconds: a number is wanted, not one so large"),
        (["recorded", "builds", 1, "digest"], 5,
         "recorded.builds[1].digest: a string is wanted, not a whole number"),
        (["recorded", "blocks", 2, "values", "clang18-goto", 1], True,
         "recorded.blocks[2].values.clang18-goto[1]: a number is wanted, not true or false"),
        (["recorded", "blocks", 2, "loops"], 0,
         "recorded.blocks[2].loops: 1 or more is wanted, not 0"),
        (["recorded", "blocks", 2, "loops"], 10**4000,
         "recorded.blocks[2].loops: a whole number is wanted, not one so large"),
        (["recorded", "blocks", 2, "order", 0, 0], "gone",
         "recorded.blocks[2].order: 'gone' is no variant of the block"),
        (["recorded", "blocks", 2, "order"], [],
         "recorded.blocks[2].values.clang18-goto: 5 values do not go with 0 turns in order"),
        (["recorded", "blocks", 2, "values", "clang18-goto", 0], 0.0,
         "recorded.blocks[2].values.clang18-goto: expected a time above 0 in each turn"),
        (["judged", "verdicts", 3, "ratio"], -1.0,
         "judged.verdicts[3].ratio: a number above 0 is wanted"),
        (["judged", "verdicts", 3, "variant"], "gone",
         "judged.verdicts[3].variant: 'gone' is no variant of the study"),
        (["question", "baselines", 0], "gone",
         "question.baselines[0]: 'gone' is no variant of the study"),
        (["question", "variants"], {}, "question.variants: a list is wanted, not an object"),
        (["recorded", "blocks"], None, "recorded.blocks: a list is wanted, not null"),
        (["recorded", "builds"], None, "recorded.builds: a list is wanted, not null"),
    ],
)  # fmt: skip
def test_malformed(path: list[Any], value: Any, message: str) -> None:
    data: Any = _data()
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(UserError) as caught:
        from_json(data, where="result.json")
    assert str(caught.value) == f"result.json: {message}"


@pytest.mark.parametrize("key", ["question", "recorded", "judged"])
def test_a_missing_key_is_named(key: str) -> None:
    data = _data()
    del data[key]
    with pytest.raises(UserError, match=f"^r.json: {key}: is missing$"):
        from_json(data, where="r.json")


def test_load_result(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(dump_result(sample_result()), encoding="utf-8")
    assert load_result(path) == sample_result()
    path.write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match=r"r\.json: is not JSON"):
        load_result(path)
    with pytest.raises(UserError, match="cannot be read: No such file"):
        load_result(tmp_path / "none.json")
    with pytest.raises(UserError, match="a JSON object is wanted at the top"):
        from_json([])  # type: ignore[arg-type]
