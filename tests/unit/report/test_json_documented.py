"""The schemas describe every object of the JSON; the page on it names the parts of a result."""

import json
import re
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.unit.report.example import sample_result

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
from whyfast.report.result_json import to_json

DOCS = Path(__file__).parents[3] / "docs"
RESULT, MERGED = "whyfast-result-3.json", "whyfast-merged-2.json"


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
KINDS |= dict.fromkeys((Machine, MachineDifference, Pooled, Lacks, NeededBlocks), MERGED)


@pytest.mark.parametrize(("kind", "schema"), KINDS.items(), ids=lambda x: getattr(x, "__name__", x))
def test_described(kind: type, schema: str) -> None:
    definitions = json.loads((DOCS / "schemas" / schema).read_text("utf-8"))["$defs"]
    assert len(definitions[kind.__name__]["description"].split()) > 1


def test_the_page_names_the_parts_of_a_result() -> None:
    page = (DOCS / "result-json.md").read_text("utf-8")
    listed = page.split("## Data")[1].split("\n## ")[0]
    assert set(to_json(sample_result())["data"]) == set(re.findall(r"^- `(\w+)`:", listed, re.M))
    assert {"verdict", "distribution"} <= set(re.findall(r"^\*\*(.+?)\*\*", page, re.M))
