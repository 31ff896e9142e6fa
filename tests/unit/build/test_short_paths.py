"""Paths as reports show them."""

from __future__ import annotations

import pytest

from whyfast.build.steps import without_folders


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cc -o /a/b/c/vm  x.c\n", "cc -o …/vm x.c"),
        ("can't open '/a/b/f.py'", "can't open '…/f.py'"),
        ("/bin/sh and a/b/c stay", "/bin/sh and a/b/c stay"),
        ("https://a.example/b/c", "https://a.example/b/c"),
    ],
)
def test_folders_are_left_out(text: str, shown: str) -> None:
    assert without_folders(text) == shown
