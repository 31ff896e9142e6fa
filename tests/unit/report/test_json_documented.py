"""Every key of a result's JSON stands in docs/result-json.md, under the object that has it."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.unit.report.example import sample_result

from whyfast.model.build import Build, BuildFailure
from whyfast.model.codec import field_types
from whyfast.model.result import Result
from whyfast.report.result_json import to_json

PAGE = Path(__file__).parents[3] / "docs" / "result-json.md"


def _reached(kind: Any, found: dict[type, None]) -> dict[type, None]:
    if is_dataclass(kind) and isinstance(kind, type) and kind not in found:
        found[kind] = None
        for hint in field_types(kind).values():
            _reached(hint, found)
    for inner in get_args(kind):
        _reached(inner, found)
    return found


KINDS = list(_reached(Build, _reached(BuildFailure, _reached(Result, {}))))


def _title(kind: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__).lower()


def _paragraphs() -> dict[str, set[str]]:
    page = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"^\*\*(.+?)\*\*(.+?)(?:\n\n|\Z)", page, re.MULTILINE | re.DOTALL)
    return {title: set(re.findall(r"`(\w+)`", body)) for title, body in found}


@pytest.mark.parametrize("kind", [k for k in KINDS if k is not Result], ids=_title)
def test_keys_of(kind: type) -> None:
    title = _title(kind)
    documented = _paragraphs().get(title)
    assert documented is not None, f"{PAGE.name} has no paragraph '**{title}**: …'"
    # Secret values have no repr and are not written.
    assert [f.name for f in fields(kind) if f.repr and f.name not in documented] == []


def test_top_level() -> None:
    table = PAGE.read_text(encoding="utf-8").split("## Data")[1].split("\n## ")[0]
    assert set(to_json(sample_result())["data"]) == _keys(table)


def _keys(table: str) -> set[str]:
    first = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    return {key for cell in first for key in re.findall(r"`(\w+)`", cell)}


def test_the_distribution_is_documented_as_written() -> None:
    written = to_json(sample_result())["data"]["distributions"][0]
    assert set(written) <= _paragraphs()["distribution"]
