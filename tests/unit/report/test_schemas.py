"""The JSON Schemas in docs/schemas are those of the types, and all JSON that tests write fits."""

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.unit.report.example import sample_result

from whyfast.model.codec import VERSIONS
from whyfast.report.result_json import to_json
from whyfast.report.schemas import DOCUMENTS, schema_of

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"


def file_of(name: str) -> Path:
    return SCHEMAS / f"whyfast-{name}-{VERSIONS[name]}.json"


def test_every_kind_of_file_has_one() -> None:
    assert DOCUMENTS.keys() == VERSIONS.keys()


@pytest.mark.golden
@pytest.mark.parametrize("name", DOCUMENTS)
def test_published(name: str) -> None:
    """``make golden`` writes them; those of earlier versions stay."""
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    text = json.dumps(schema, indent=1) + "\n"
    if os.environ.get("WHYFAST_GOLDEN") == "write":
        SCHEMAS.mkdir(exist_ok=True)
        file_of(name).write_text(text)
    assert file_of(name).read_text() == text


def test_a_wrong_document_does_not_fit() -> None:
    good = to_json(sample_result())
    check = Draft202012Validator(schema_of("result", closed=True))
    assert list(check.iter_errors(good)) == []
    changes: tuple[dict[str, object], ...] = (
        {"answer": {"headline": 3}},
        {"unknown": 1},
        {"judged": {}},
    )
    for change in changes:
        bad = {**good, "data": {**good["data"], **change}}
        assert list(check.iter_errors(bad)) != []
