"""What is not TOML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.errors import StudyError
from whyfast.study.toml_document import parse_toml, read_document


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
