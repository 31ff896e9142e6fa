"""Placeholders and their escapes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.study.sections import names_in, substitute


def test_names_in_order() -> None:
    assert names_in("{cc} {cflags} -o {program} {cc}") == ["cc", "cflags", "program", "cc"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("make", "make"),
        ("{a}{b}", "1{a}"),
        ("{{a}}", "{a}"),
        ("{{{a}}}", "{1}"),
        ("awk '{{print $1}}' {a}", "awk '{print $1}' 1"),
        ("$${{HOME}}", "$${HOME}"),
        ("{{}}", "{}"),
    ],
)
def test_substitute(text: str, expected: str) -> None:
    assert substitute(text, {"a": "1", "b": "{a}"}) == expected


@pytest.mark.parametrize("text", ["{", "}", "{a", "a}", "{{}", "{a}}", "{a{b}", "{{a}"])
def test_stray_brace(text: str) -> None:
    with pytest.raises(ValueError, match="stray"):
        names_in(text)
    with pytest.raises(ValueError, match="stray"):
        substitute(text, {"a": "", "b": ""})


@pytest.mark.parametrize(("text", "name"), [("{b}", "b"), ("{}", ""), ("{ a }", " a ")])
def test_unknown_placeholder(text: str, name: str) -> None:
    assert names_in(text) == [name]
    with pytest.raises(KeyError):
        substitute(text, {"a": "1"})


@given(st.text())
def test_escaped_text_comes_back(text: str) -> None:
    escaped = text.replace("{", "{{").replace("}", "}}")
    assert names_in(escaped) == []
    assert substitute(escaped, {}) == text


@given(st.text("{}ab"))
def test_names_are_what_substitute_asks_for(text: str) -> None:
    try:
        names = names_in(text)
    except ValueError:
        return
    substitute(text, dict.fromkeys(names, ""))
