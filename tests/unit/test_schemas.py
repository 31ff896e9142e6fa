"""The JSON Schemas in docs/schemas are those of the types, all JSON that tests write fits, and how
types become schemas."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator
from tests.schemas import DOCUMENTS, Each, Either, Maybe, With, document_schema, schema_of
from tests.unit.report.example import sample_result

from whyfast.model.codec import VERSIONS
from whyfast.report.result_json import to_json

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


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


@dataclass(frozen=True)
class Leaf:
    """A leaf.

    Not the first paragraph.
    """

    name: str
    size: float = 1.0
    secret: str = field(default="", repr=False)


@dataclass(frozen=True)
class Tree:
    """A tree."""

    kind: Literal["oak", "elm"]
    leaves: tuple[Leaf, ...]
    span: tuple[int, float]
    place: Path | None = None
    notes: Mapping[str, bool] = field(default_factory=dict)
    under: tuple[Tree, ...] = ()


NUMBER = {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}]}
LEAF = {
    "description": "A leaf. Not the first paragraph.",
    "type": "object",
    "properties": {"name": {"type": "string"}, "size": NUMBER},
    "required": ["name"],
}


def data_of(keys: Mapping[str, Any], *, closed: bool = False) -> tuple[Any, Any]:
    """The schema of the data of a document, and its definitions."""
    schema = document_schema("check", keys, closed=closed)
    return schema["properties"]["data"], schema["$defs"]


def test_dataclasses_are_defined_once_and_may_hold_themselves() -> None:
    data, definitions = data_of({"tree": Tree})
    assert data["properties"]["tree"] == {"$ref": "#/$defs/Tree"}
    assert definitions["Leaf"] == LEAF
    assert definitions["Tree"]["required"] == ["kind", "leaves", "span"]
    assert definitions["Tree"]["properties"] == {
        "kind": {"enum": ["oak", "elm"]},
        "leaves": {"type": "array", "items": {"$ref": "#/$defs/Leaf"}},
        "span": {
            "type": "array",
            "prefixItems": [{"type": "integer"}, NUMBER],
            "minItems": 2,
            "items": False,
        },
        "place": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "notes": {"type": "object", "additionalProperties": {"type": "boolean"}},
        "under": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
    }


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        ([int], {"type": "array", "items": {"type": "integer"}}),
        (Each(int), {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Either(int, None), {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (
            With(Leaf, {"size": str, "more": int}),
            {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "size": {"type": "string"},
                    "more": {"type": "integer"},
                },
                "required": ["name", "size", "more"],
            },
        ),
        (Any, {}),
    ],
)
def test_forms(kind: Any, schema: Any) -> None:
    data, _ = data_of({"key": kind})
    assert data["properties"]["key"] == schema


def test_a_key_may_be_missing_and_closed_objects_have_no_others() -> None:
    data, _ = data_of({"a": int, "b": Maybe(int)}, closed=True)
    assert data["required"] == ["a"]
    assert data["additionalProperties"] is False
    assert "additionalProperties" not in data_of({"a": int})[0]


def test_the_envelope() -> None:
    schema = document_schema("check", {})
    assert schema["properties"]["schema"] == {"const": schema["title"]}
    assert schema["required"] == ["schema", "generator", "data"]


def test_a_type_without_a_form() -> None:
    with pytest.raises(TypeError):
        document_schema("check", {"key": complex})
