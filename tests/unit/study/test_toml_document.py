"""What is not TOML, the words of errors, and the lines of keys."""

import datetime
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st
from tests.golden_files import Hear, refusal
from tests.unit.study.conftest import Message

from whyfast.model.errors import StudyError
from whyfast.study.notation import kind, quoted
from whyfast.study.toml_table import (
    Key,
    dotted,
    first_duplicate,
    line_of,
    nearest,
    nearest_line,
    parse_toml,
    read_document,
    suggestion,
)


def test_nested_too_deeply(valid: str, message: Message, golden: Hear) -> None:
    text = valid.replace("turns = 40", "turns = " + "[" * 5000)
    golden(message(text))


def test_number_too_long_for_python(valid: str, message: Message) -> None:
    text = valid.replace("turns = 40", "turns = " + "4" * 5000)
    assert message(text).startswith("study.toml: not valid TOML: exceeds the limit")


def test_duplicate_below_a_mistake_is_not_reported_first(message: Message, golden: Hear) -> None:
    text = "title = hello\na = 1\na = 2\n"
    golden(message(text))


def test_not_utf8(tmp_path: Path, golden: Hear) -> None:
    file = tmp_path / "study.toml"
    file.write_bytes(b"[study]\ntitle = '\xff'\n")
    golden(refusal(StudyError, lambda: read_document(file)))


def test_not_readable(tmp_path: Path, golden: Hear) -> None:
    golden(refusal(StudyError, lambda: read_document(tmp_path)))


def test_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_bytes(b"\xef\xbb\xbf[study]\r\n\r\ntitle = 'x'\r\n")
    document = read_document(file)
    assert document.data == {"study": {"title": "x"}}
    assert document.error(("study", "title"), "wrong").line == 3


def test_error_at_a_missing_key_has_the_line_of_its_table(tmp_path: Path, golden: Hear) -> None:
    file = tmp_path / "study.toml"
    file.write_text("\n[study]\n")
    error = read_document(file).error(("study", "title"), "is missing", "write it")
    golden(str(error))


@pytest.mark.parametrize(
    "line", ["{} = 1", "[{}]", "[[{}]]", "a = {{ {} = 1 }}", 'z = "x"\n{} = 1', "  {} = 1"]
)
@pytest.mark.parametrize("part", ["a", '"a b"', "'a'", "a \t"])
def test_a_key_of_too_many_parts(line: str, part: str) -> None:
    with pytest.raises(ValueError, match="a key has more than 100 parts"):
        parse_toml(line.format(".".join([part] * 100_000)))
    assert parse_toml(line.format(".".join([part] * 100)))


def test_dots_in_values_are_no_parts_of_a_key() -> None:
    assert parse_toml('a = "' + "x. " * 99 + '"\nb = [' + "1.5, " * 500 + "]")["a"]


KEYS = ("title", "baseline", "margin", "claim")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ((), ""),
        (("variant", "clang19", "cflags"), "variant.clang19.cflags"),
        (("axes", "exclude", 0, "compiler"), "axes.exclude[0].compiler"),
        (("variant", "gcc 12.1"), 'variant."gcc 12.1"'),
        (("", "a"), '"".a'),
    ],
)
def test_dotted(key: Key, expected: str) -> None:
    assert dotted(key) == expected


def test_quoted_shows_control_characters_and_shortens() -> None:
    assert quoted('a"b\x1b') == '"a\\"b\\u001b"'
    assert quoted("µ" * 100) == '"' + "µ" * 59 + '…"'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", "a string"),
        (1, "a number"),
        (1.5, "a number"),
        (True, "true"),
        ([], "a list"),
        ({}, "a table"),
        (datetime.date(2024, 1, 2), "a date or time"),
    ],
)
def test_kind(value: object, expected: str) -> None:
    assert kind(value) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("margn", "margin"),
        ("Baseline", "baseline"),
        ("MARGIN", "margin"),
        ("xyz", None),
        ("", None),
    ],
)
def test_nearest(name: str, expected: str | None) -> None:
    assert nearest(name, KEYS) == expected


def test_nearest_keeps_the_case_of_the_valid_name() -> None:
    assert nearest("o2", ["O2", "O3"]) == "O2"


def test_suggestion(golden: Hear) -> None:
    golden(suggestion("margn", KEYS))
    golden(suggestion("xyz", KEYS))
    assert suggestion("xyz", []) is None
    many = [f"long-name-{i}" for i in range(14)]
    assert str(suggestion("?", many)).endswith("long-name-11 and 2 more")


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
