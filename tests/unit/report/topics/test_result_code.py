"""The code of a result's builds, and what leads to it."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.report.example import sample_result
from tests.unit.report.parts import as_html, as_terminal, changed

from whyfast.model.code_listing import CodeLine, CodeListing, ProgramCode
from whyfast.model.result import Result
from whyfast.report.document import CodeSides, Group
from whyfast.report.result_json import from_json, to_json
from whyfast.report.topics.result_code import MOST_FUNCTIONS, linked, result_code_section


def _code(variant: str, jumps: int, functions: tuple[str, ...] = ("vm_run",)) -> ProgramCode:
    lines = (
        CodeLine("mov eax, ecx", "mov R32, R32"),
        *(CodeLine("jmp qword ptr [rax]", "jmp qword ptr [R64]", "indirect jump"),) * jumps,
    )
    return ProgramCode(variant, tuple(CodeListing(name, lines) for name in functions))


def _result(*code: ProgramCode) -> Result:
    return changed(sample_result(), code=code)


THREE = (_code("clang18-goto", 5), _code("clang19-goto", 1), _code("clang19-goto-taildup", 5))
SAID = (
    "The same source with `-x` (clang19-goto-taildup) keeps 5 indirect jumps and is faster than "
    "clang19-goto: the merging is what costs.",
    "clang19-goto is slower than clang18-goto.",
)


def _pairs(result: Result, said: tuple[str, ...] = ()) -> list[str]:
    found = result_code_section(result, said)
    return [b.title for b in found.blocks if isinstance(b, Group)] if found else []


def test_pairs_that_differ_are_laid_side_by_side() -> None:
    assert _pairs(_result(*THREE)) == ["clang18-goto → clang19-goto"]


def test_what_the_answer_speaks_of_comes_first() -> None:
    assert _pairs(_result(*THREE), SAID) == [
        "clang19-goto → clang19-goto-taildup",
        "clang18-goto → clang19-goto",
    ]


def test_sentences_about_code_lead_to_it() -> None:
    found = linked(_result(*THREE), SAID)
    assert found is not None
    assert [item.link for item in found.items] == ["code-clang19-goto--clang19-goto-taildup", ""]
    without = linked(sample_result(), SAID)
    assert without is not None
    assert [item.link for item in without.items] == ["", ""]


def test_each_link_of_the_page_has_its_place() -> None:
    html = as_html(_result(*THREE))
    assert '<a href="#code-clang19-goto--clang19-goto-taildup">The code</a>' in html
    assert 'id="code-clang19-goto--clang19-goto-taildup"' in html


def test_handlers_beyond_a_dozen_are_counted() -> None:
    names = tuple(f"op_{i}" for i in range(MOST_FUNCTIONS + 3))
    found = result_code_section(
        _result(_code("clang18-goto", 5, names), _code("clang19-goto", 1, names)), ()
    )
    assert found is not None
    (group,) = found.blocks
    assert isinstance(group, Group)
    assert sum(isinstance(b, CodeSides) for b in group.blocks) == MOST_FUNCTIONS


def test_the_terminal_has_none() -> None:
    assert "vm_run: 5 → 1" not in as_terminal(_result(*THREE), 100, verbose=True)


def test_the_code_is_kept_in_the_json() -> None:
    result = _result(*THREE)
    assert from_json(to_json(result)).found.code == THREE


def test_without_code_there_is_no_section() -> None:
    assert result_code_section(sample_result(), SAID) is None
    assert result_code_section(_result(replace(THREE[0])), SAID) is None
