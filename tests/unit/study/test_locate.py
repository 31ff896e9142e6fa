"""Lines of keys."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from whyfast.study.toml_document import Key, first_duplicate, line_of, nearest_line

TEXT = '''\
# title = "not here"
top = 1
[study]   # [source]
title = "a = 1 # [x]" # margin = 2
"margin" = '1%'
text = """
claim = 1
[build]
a \\""" ""\\" quote
"""
literal = \'\'\'
claim = 2\'\'\'
claim = { variant = "a", inner.deep = [1, { x = 2 }], baseline = "}" }
list = [
    "]", # comment ]
    "two",
    [3,
     4],
]
after = 1979-05-27 07:32:00

[variant.base]
cflags.add = ["-O2"]
env . "A B" . 'c' = 1
[variant."gcc 12.1"]
"esc\\u0061ped" = 1
[[array]]
x = 1
[[array]]
x = 2
[array.sub]
y = 3
[[array.nested]]
z = 4
[[array.nested]]
z = 5
[axes.compiler.clang18]
[axes]
only = [{ compiler = "a" },
        { compiler = "b" }]
'''

LINES: dict[Key, int | None] = {
    ("top",): 2,
    ("study",): 3,
    ("study", "title"): 4,
    ("study", "margin"): 5,
    ("study", "text"): 6,
    ("study", "literal"): 11,
    ("study", "claim"): 13,
    ("study", "claim", "baseline"): 13,
    ("study", "claim", "inner", "deep", 1, "x"): 13,
    ("study", "list"): 14,
    ("study", "list", 0): 15,
    ("study", "list", 1): 16,
    ("study", "list", 2): 17,
    ("study", "list", 2, 1): 18,
    ("study", "after"): 20,
    ("variant",): 22,
    ("variant", "base"): 22,
    ("variant", "base", "cflags"): 23,
    ("variant", "base", "cflags", "add"): 23,
    ("variant", "base", "cflags", "add", 0): 23,
    ("variant", "base", "env", "A B", "c"): 24,
    ("variant", "gcc 12.1"): 25,
    ("variant", "gcc 12.1", "escaped"): 26,
    ("array",): 27,
    ("array", 0, "x"): 28,
    ("array", 1): 29,
    ("array", 1, "x"): 30,
    ("array", 1, "sub", "y"): 32,
    ("array", 1, "nested", 0, "z"): 34,
    ("array", 1, "nested", 1, "z"): 36,
    ("axes",): 38,
    ("axes", "compiler", "clang18"): 37,
    ("axes", "only", 1, "compiler"): 40,
    ("title",): None,
    ("build",): None,
    ("source",): None,
    ("study", "nothing"): None,
    ("study", "list", 9): None,
    ("array", 0, "sub"): None,
}


def test_the_text_is_toml() -> None:
    assert len(tomllib.loads(TEXT)) == 5


@pytest.mark.parametrize("key", LINES, ids=repr)
def test_line_of(key: Key) -> None:
    assert line_of(TEXT, key) == LINES[key]


def test_line_of_with_windows_line_ends() -> None:
    text = TEXT.replace("\n", "\r\n")
    assert {key: line_of(text, key) for key in LINES} == LINES


def test_nearest_line() -> None:
    assert nearest_line(TEXT, ("study", "nothing", "at", "all")) == 3
    assert nearest_line(TEXT, ("nothing",)) is None
    assert nearest_line(TEXT, ()) is None


@pytest.mark.parametrize(
    "rest",
    ["oops", "= 1", "x = 'open", 'x = """open', "[open", "x = [1, 2", "x = {a = 1", '"\\x" = 1'],
)
def test_what_stands_before_a_mistake_is_found(rest: str) -> None:
    assert line_of(f"\n[a]\nb = 1\n{rest}", ("a", "b")) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\nb = 2\na = 3", (("a",), 1, 3)),
        ("[a]\n[b]\n[a]", (("a",), 1, 3)),
        ("a = { b = 1, b = 2 }", (("a", "b"), 1, 1)),
        ("a = 1\na.b = 2", (("a",), 1, 2)),
        ("a.b = 1\na = 2", (("a",), 1, 2)),
        ("[t]\na = 1\n[t.a]", (("t", "a"), 2, 3)),
        ("[[a]]\nb = 1\n[[a]]\nb = 1", None),
        ("[a.b]\n[a]\nc.d = 1\nc.e = 2", None),
        ("[a]\nx = 1\n[b]\nx = 1", None),
    ],
)
def test_first_duplicate(text: str, expected: tuple[Key, int, int] | None) -> None:
    assert first_duplicate(text) == expected


def _keys(value: Any, key: Key = ()) -> list[Key]:
    pairs: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    return [found for name, inner in pairs for found in ((*key, name), *_keys(inner, (*key, name)))]


_text = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=6)
_scalar = st.one_of(st.integers(-9, 9), st.booleans(), _text, st.dates(), st.datetimes())
_value = st.recursive(
    _scalar,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_text, inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(_text, _value, max_size=4))
def test_every_key_of_a_written_document_is_found(data: dict[str, Any]) -> None:
    text = tomlkit.dumps(data)
    lines = text.count("\n") + 1
    for key in _keys(tomllib.loads(text)):
        line = line_of(text, key)
        assert line is not None, (key, text)
        assert 1 <= line <= lines
    assert first_duplicate(text) is None


@given(st.text("[]{}=.,\"'#\\ \n1ab"))
def test_any_text_is_survived(text: str) -> None:
    nearest_line(text, ("a", "b"))
    first_duplicate(text)
