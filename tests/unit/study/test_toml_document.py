"""What is not TOML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.errors import StudyError
from whyfast.study.toml_document import parse_toml, read_document

CASES = {
    "no equals": (
        'margin = "1%"',
        'margin "1%"',
        ("study.toml:4: not valid TOML: expected '=' after a key in a key/value pair; column 8"),
    ),
    "unquoted": (
        'margin = "1%"',
        "margin = 1%",
        (
            "study.toml:4: not valid TOML: expected newline or end of document after a "
            "statement; column 11"
        ),
    ),
    "bare word": (
        'title = "Is tail faster than goto?"',
        "title = hello",
        "study.toml:2: not valid TOML: invalid value; column 9, a string stands in quotes",
    ),
    "open list": (
        'functions = ["vm_*"]',
        'functions = ["vm_*"',
        "study.toml:59: not valid TOML: unclosed array; the file ends too early",
    ),
    "open string": (
        'margin = "1%"',
        'margin = "1%',
        "study.toml:4: not valid TOML: illegal character '\\n'; column 13",
    ),
    "key twice": (
        'margin = "1%"',
        'margin = "1%"\nmargin = "2%"',
        "study.toml:5: study.margin: is given twice; first on line 4",
    ),
    "table twice": (
        "[axes.compiler.clang19]",
        "[axes.compiler.clang18]",
        "study.toml:35: axes.compiler.clang18: is given twice; first on line 32",
    ),
    "benchmark twice": (
        "[measure]",
        "[benchmarks.collatz]\n[measure]",
        "study.toml:51: benchmarks.collatz: is given twice; first on line 45",
    ),
    "list and add": (
        'cflags.add = ["-DX"]',
        'cflags = []\ncflags.add = ["-DX"]',
        "study.toml:23: variant.taildup.cflags: is given twice; first on line 22",
    ),
    "inline key twice": (
        'env = { SOURCE_DATE_EPOCH = "0" }',
        'env = { A = "0", A = "1" }',
        "study.toml:13: build.env.A: is given twice; first on line 13",
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_mistake(
    old: str, new: str, expected: str, valid: str, message: Callable[[str], str]
) -> None:
    assert valid.count(old) == 1
    assert message(valid.replace(old, new)) == expected


def test_nested_too_deeply(valid: str, message: Callable[[str], str], golden: Hear) -> None:
    text = valid.replace("turns = 40", "turns = " + "[" * 5000)
    golden(message(text))


def test_number_too_long_for_python(valid: str, message: Callable[[str], str]) -> None:
    text = valid.replace("turns = 40", "turns = " + "4" * 5000)
    assert message(text).startswith("study.toml: not valid TOML: exceeds the limit")


def test_duplicate_below_another_mistake_is_not_reported_first(
    message: Callable[[str], str], golden: Hear
) -> None:
    text = "title = hello\na = 1\na = 2\n"
    golden(message(text))


def test_not_utf8(tmp_path: Path, golden: Hear) -> None:
    file = tmp_path / "study.toml"
    file.write_bytes(b"[study]\ntitle = '\xff'\n")
    with pytest.raises(StudyError) as caught:
        read_document(file)
    golden(str(caught.value))


def test_not_readable(tmp_path: Path, golden: Hear) -> None:
    with pytest.raises(StudyError) as caught:
        read_document(tmp_path)
    golden(str(caught.value))


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
