"""Two functions side by side in every form, and the code of a result."""

from __future__ import annotations

import json

from tests.unit.report.example import sample_result
from tests.unit.report.examples import CODE_PAIR, THREE_CODES, code_of, code_result
from tests.unit.report.parts import as_terminal, printed

from whyfast.model.result import Result
from whyfast.report.document import CodeSides, Document, Group, document
from whyfast.report.render.html import dump_document, render_html
from whyfast.report.result_json import from_json, to_json
from whyfast.report.sections.code_sides import (
    MOST_FUNCTIONS,
    code_section,
    folded,
    linked,
    result_code_section,
)


def _page() -> Document:
    return document("explain", "", "", code_section([CODE_PAIR], "main"))


def test_what_is_equal_and_far_away_is_folded() -> None:
    assert list(folded(CODE_PAIR.differences[0].rows)) == [(0, 9, True), (9, 13, False)]


def test_one_above_the_other_in_a_narrow_one() -> None:
    lines = [line.rstrip() for line in printed(_page(), 60).splitlines()]
    assert [line.split()[0] for line in lines[-2:]] == ["-", "+"]
    assert max(map(len, lines)) <= 60


def test_json_has_every_row_once() -> None:
    (group,) = json.loads(dump_document(_page()))["data"]["sections"][0]["blocks"]
    sides = group["blocks"][1]
    assert (sides["block"], sides["name"], sides["a"]) == ("codesides", "code-old--new-0", "old")
    assert len(sides["rows"]) == 13
    assert "difference" not in sides


def test_html_has_a_fold_to_link_to() -> None:
    html = render_html(_page())
    assert '<details class="sides" id="code-old--new-0" data-sides="data-0">' in html


TEXTS = (
    "The same source with `-x` (clang19-goto-taildup) keeps 5 indirect jumps and is faster than "
    "clang19-goto: merged dispatch is the cause.",
    "clang19-goto is slower than clang18-goto.",
)


def _pairs(result: Result, said: tuple[str, ...] = ()) -> list[str]:
    found = result_code_section(result, said)
    return [b.title for b in found.blocks if isinstance(b, Group)] if found else []


def test_pairs_that_differ_are_laid_side_by_side_those_of_the_answer_first() -> None:
    assert _pairs(code_result(*THREE_CODES)) == ["clang18-goto → clang19-goto"]
    assert _pairs(code_result(*THREE_CODES), TEXTS) == [
        "clang19-goto → clang19-goto-taildup",
        "clang18-goto → clang19-goto",
    ]
    assert result_code_section(sample_result(), TEXTS) is None
    assert result_code_section(code_result(THREE_CODES[0]), TEXTS) is None


def test_sentences_about_code_lead_to_it() -> None:
    def links(result: Result) -> list[str]:
        sentences = linked(result, TEXTS)
        return [item.link for item in sentences.items] if sentences else []

    assert links(code_result(*THREE_CODES)) == ["code-clang19-goto--clang19-goto-taildup", ""]
    assert links(sample_result()) == ["", ""]


def test_handlers_beyond_a_dozen_are_counted() -> None:
    names = tuple(f"op_{i}" for i in range(MOST_FUNCTIONS + 3))
    found = result_code_section(
        code_result(code_of("clang18-goto", 5, names), code_of("clang19-goto", 1, names)), ()
    )
    assert found is not None
    (group,) = found.blocks
    assert isinstance(group, Group)
    assert sum(isinstance(b, CodeSides) for b in group.blocks) == MOST_FUNCTIONS


def test_the_code_is_kept_in_the_json_and_not_shown_on_the_terminal() -> None:
    result = code_result(*THREE_CODES)
    assert from_json(to_json(result)).found.code == THREE_CODES
    assert "vm_run: 5 → 1" not in as_terminal(result, 100, verbose=True)
