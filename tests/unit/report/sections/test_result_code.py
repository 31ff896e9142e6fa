"""The code of a result's builds, and what leads to it."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.report.example import sample_result
from tests.unit.report.examples import THREE_CODES, code_of, code_result
from tests.unit.report.parts import as_terminal

from whyfast.model.result import Result
from whyfast.report.document import CodeSides, Group
from whyfast.report.result_json import from_json, to_json
from whyfast.report.sections.code_sides import MOST_FUNCTIONS, linked, result_code_section

SAID = (
    "The same source with `-x` (clang19-goto-taildup) keeps 5 indirect jumps and is faster than "
    "clang19-goto: merged dispatch is the cause.",
    "clang19-goto is slower than clang18-goto.",
)


def _pairs(result: Result, said: tuple[str, ...] = ()) -> list[str]:
    found = result_code_section(result, said)
    return [b.title for b in found.blocks if isinstance(b, Group)] if found else []


def test_pairs_that_differ_are_laid_side_by_side() -> None:
    assert _pairs(code_result(*THREE_CODES)) == ["clang18-goto → clang19-goto"]


def test_what_the_answer_speaks_of_comes_first() -> None:
    assert _pairs(code_result(*THREE_CODES), SAID) == [
        "clang19-goto → clang19-goto-taildup",
        "clang18-goto → clang19-goto",
    ]


def test_sentences_about_code_lead_to_it() -> None:
    found = linked(code_result(*THREE_CODES), SAID)
    assert found is not None
    assert [item.link for item in found.items] == ["code-clang19-goto--clang19-goto-taildup", ""]
    without = linked(sample_result(), SAID)
    assert without is not None
    assert [item.link for item in without.items] == ["", ""]


def test_handlers_beyond_a_dozen_are_counted() -> None:
    names = tuple(f"op_{i}" for i in range(MOST_FUNCTIONS + 3))
    found = result_code_section(
        code_result(code_of("clang18-goto", 5, names), code_of("clang19-goto", 1, names)), ()
    )
    assert found is not None
    (group,) = found.blocks
    assert isinstance(group, Group)
    assert sum(isinstance(b, CodeSides) for b in group.blocks) == MOST_FUNCTIONS


def test_the_terminal_has_none() -> None:
    assert "vm_run: 5 → 1" not in as_terminal(code_result(*THREE_CODES), 100, verbose=True)


def test_the_code_is_kept_in_the_json() -> None:
    result = code_result(*THREE_CODES)
    assert from_json(to_json(result)).found.code == THREE_CODES


def test_without_code_there_is_no_section() -> None:
    assert result_code_section(sample_result(), SAID) is None
    assert result_code_section(code_result(replace(THREE_CODES[0])), SAID) is None
