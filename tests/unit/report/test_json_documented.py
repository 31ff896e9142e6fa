"""The pages on the JSON explain an object whole, or leave it to the description in its schema."""

import json
import re
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.unit.report.example import sample_result
from tests.unit.report.test_result_json import example

from whyfast.model.build import Build, BuildFailure
from whyfast.model.codec import field_types
from whyfast.model.result import (
    Lacks,
    Machine,
    MachineDifference,
    NeededBlocks,
    Pooled,
    Result,
)
from whyfast.report.result_json import dump_merged, to_json

DOCS = Path(__file__).parents[3] / "docs"
RESULT, MERGE = "result-json.md", "merge.md"
SCHEMAS = {RESULT: "whyfast-result-3.json", MERGE: "whyfast-merged-2.json"}


def _reached(kind: Any, found: dict[type, None]) -> dict[type, None]:
    if is_dataclass(kind) and isinstance(kind, type) and kind not in found:
        found[kind] = None
        for hint in field_types(kind).values():
            _reached(hint, found)
    for inner in get_args(kind):
        _reached(inner, found)
    return found


KINDS = dict.fromkeys(_reached(Build, _reached(BuildFailure, _reached(Result, {}))), RESULT)
del KINDS[Result]
KINDS |= dict.fromkeys((Machine, MachineDifference, Pooled, Lacks, NeededBlocks), MERGE)


def _title(kind: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__).lower()


@cache
def _page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


@cache
def _paragraphs(name: str) -> dict[str, set[str]]:
    paragraphs = re.findall(r"^\*\*(.+?)\*\*(.+?)(?:\n\n|\Z)", _page(name), re.M | re.S)
    return {title: set(re.findall(r"`(\w+)`", body)) for title, body in paragraphs}


@pytest.mark.parametrize(("kind", "page"), KINDS.items(), ids=map(_title, KINDS))
def test_keys_of(kind: type, page: str) -> None:
    documented = _paragraphs(page).get(_title(kind))
    if documented is None:
        schema = json.loads((DOCS / "schemas" / SCHEMAS[page]).read_text("utf-8"))
        definition = schema["$defs"][kind.__name__]
        assert len(definition["description"].split()) > 1
    else:
        # Secret values have no repr and are not written.
        assert [f.name for f in fields(kind) if f.repr and f.name not in documented] == []


def test_what_most_readers_look_for_is_on_the_page() -> None:
    expected = {"verdict", "distribution"}
    assert expected <= set(_paragraphs(RESULT))


def test_top_level() -> None:
    listed = _page(RESULT).split("## Data")[1].split("\n## ")[0]
    assert set(to_json(sample_result())["data"]) == set(re.findall(r"^- `(\w+)`:", listed, re.M))
    merged = set(json.loads(dump_merged(example()))["data"])
    assert merged <= set(re.findall(r"`(\w+)`", _page(MERGE).split("In `data`, ")[1]))


def test_the_distribution_is_documented_as_written() -> None:
    written = to_json(sample_result())["data"]["distributions"][0]
    assert set(written) <= _paragraphs(RESULT)["distribution"]
