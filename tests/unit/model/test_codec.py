"""The types that data is read as."""

from __future__ import annotations

from whyfast.model.check import Check
from whyfast.model.codec import field_types
from whyfast.model.result import Found
from whyfast.model.trouble import Trouble


def test_types_that_a_module_imports_for_types_only_are_known() -> None:
    types = field_types(Found)
    assert types["check"] == Check | None
    assert types["troubles"] == tuple[Trouble, ...]
