"""Settings of all unit tests."""

from functools import cache
from typing import Any

import pytest
from hypothesis import settings
from jsonschema import Draft202012Validator
from tests.schemas import schema_of

from whyfast.model import codec

# The same examples in every run, and none too slow: a busy machine must not fail a test.
settings.register_profile("whyfast", max_examples=25, deadline=None, derandomize=True)
settings.load_profile("whyfast")

PACK = codec.pack


@cache
def validator(name: str) -> Draft202012Validator:
    """Of what is written under that name, without a key that the schema does not name."""
    return Draft202012Validator(schema_of(name, closed=True))


def packed(name: str, data: object) -> dict[str, Any]:
    """As the codec does it, and checked against its schema, where it is no bulk of values."""
    document = PACK(name, data)
    checked = document["data"]
    if name == "result":
        recorded = {**checked["recorded"], "blocks": checked["recorded"]["blocks"][:3]}
        checked = {**checked, "recorded": recorded}
    for error in validator(name).iter_errors({**document, "data": checked}):
        raise AssertionError(f"whyfast-{name}: {error.json_path}: {error.message[:300]}")
    return document


@pytest.fixture(autouse=True)
def json_fits_its_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test has written as JSON."""
    monkeypatch.setattr(codec, "pack", packed)
