"""JSON Schemas of types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from whyfast.model.schema import Each, Either, Maybe, With, document_schema


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
