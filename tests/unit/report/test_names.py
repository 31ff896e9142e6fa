"""How names that users chose are shown."""

from __future__ import annotations

import pytest

from whyfast.report.formatting import escape_controls, has, quote


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain µ – 名前 👩‍🔬", "plain µ – 名前 👩‍🔬"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\x00b", "a\\x00b"),
        ("two\nlines\r\n\tand\u2028more", "two lines   and more"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("\udcff\ue000\U000e0001", "\\udcff\\ue000\\U000e0001"),
    ],
)
def test_what_has_no_form_is_an_escape(text: str, seen: str) -> None:
    assert escape_controls(text) == seen


def test_a_name_with_spaces_is_quoted() -> None:
    assert [quote(n) for n in ("a", "sleep 1", "", "a\nb")] == ["a", "'sleep 1'", "''", "'a b'"]


def test_a_name_with_quotes_is_put_in_others() -> None:
    assert quote("awk '{print}' f") == "\"awk '{print}' f\""
    assert quote("""sh -c 'echo "a"'""") == """“sh -c 'echo "a"'”"""


def test_the_verb_follows_the_number() -> None:
    assert has(["a"], "is", "are") == "a is"
    assert has(["a", "b", "c"], "is", "are") == "a, b and c are"
