"""What the machine code says, in words. The table of indirect jumps, measured or not. Two functions
side by side in every form, and the code of a result."""

import json
from dataclasses import replace

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.report.example import sample_evidence, sample_result
from tests.unit.report.examples import (
    CODE_PAIR,
    ONLY_READ,
    THREE_CODES,
    TROUBLE,
    code_of,
    code_result,
)
from tests.unit.report.parts import changed, texts

from whyfast.model.codec import decode, encode
from whyfast.model.evidence import CalleeCounts, DispatchFacts, Evidence, Trouble
from whyfast.model.result import Result
from whyfast.report.document import NOTHING, CodeBlock, CodeSides, Document, Group, document
from whyfast.report.render.html import dump_document
from whyfast.report.sections.dispatching import jump_table, jumps_cell, kind_cell
from whyfast.report.sections.machine_code import calls_sentences, trouble_code, trouble_sentences
from whyfast.report.sections.main_table import summary_table
from whyfast.report.sections.side_by_side import (
    MOST_FUNCTIONS,
    code_section,
    folded,
    linked,
    result_code_section,
)

DEGREES = {"good": "14 indirect jumps for 83 handlers", "bad": "1 indirect jump for 83 handlers"}
TRIED = replace(TROUBLE, toml=())
TROUBLES = {
    "a variant to add": TROUBLE,
    "cured": replace(TRIED, cured=("good",)),
    "untried": replace(TRIED, untried=("good",)),
    "cured, by how much": replace(TRIED, degrees=DEGREES, cured=("good",)),
    "not cured": replace(TRIED, degrees=DEGREES, uncured=("bad",)),
    "known of other versions": replace(TRIED, listed=False, flags=()),
    "unknown": Trouble("x", "tcc 0.9", "merged computed gotos", "1 indirect jump for 9 handlers"),
}


@pytest.mark.golden
def test_troubles_in_sentences() -> None:
    sentences = {n: trouble_sentences([t], [t.variant, "b", "c"]) for n, t in TROUBLES.items()}
    check_golden("report", "troubles.md", paragraphs(sentences))


def test_lines_for_the_study() -> None:
    assert trouble_code([TROUBLE, TROUBLE]) == CodeBlock((*TROUBLE.toml, "", *TROUBLE.toml), "toml")
    assert trouble_code([]) is None


def test_calls_that_one_build_makes_often() -> None:
    counts = {"gcc": 22, "old": 0, "new": 0}
    rows = [
        CalleeCounts("dispatch", "close", True, counts),
        CalleeCounts("dispatch", "rare", True, {"gcc": 2, "old": 0}),
        CalleeCounts("dispatch", "global", False, counts),
    ]
    (text,) = calls_sentences(rows)
    assert "gcc (22) calls close" in text
    assert "old and new" in text


def test_facts_of_older_results_are_unknown() -> None:
    (first, *_) = sample_evidence()
    old = {k: v for k, v in encode(first).items() if k not in ("entry", "options", "compiler")}
    assert decode(Evidence, old) == first
    assert (first.entry, first.options, first.compiler) == (None, None, "")


def test_a_variant_that_is_only_read_is_in_the_second_table_only() -> None:
    plain = sample_result()
    read = replace(sample_evidence()[1], variant="clang20")
    result = changed(
        plain,
        question=replace(plain.question, variants=(*plain.question.variants, ONLY_READ)),
        evidence=(read, *plain.found.evidence),
    )
    assert texts(jump_table(result))[-1] == [
        "clang20",
        "6",
        "merged",
        "–",
        "not measured",
    ]
    assert "clang20" not in [row[0] for row in texts(summary_table(result))]


@pytest.mark.parametrize(
    ("style", "form", "jumps", "kind"),
    [
        ("loop", "partly merged", "40", ("partly merged", "")),
        ("tail-call", "replicated", "40", ("tail calls", "over 3 functions")),
        ("tail-call", "merged", "40", ("tail calls", "over 3 functions, merged")),
        ("none", "none", "–", ("no dispatch", "")),
        ("loop", "unknown", "–", ("unknown", "")),
    ],
)
def test_kinds(style: str, form: str, jumps: str, kind: tuple[str, str]) -> None:
    facts = DispatchFacts(style, form, 40, 9, 3, 100, 400, "")  # type: ignore[arg-type]
    assert (jumps_cell(facts) or NOTHING).text == jumps
    assert (kind_cell(facts).text, kind_cell(facts).detail) == kind


def _page() -> Document:
    return document("explain", code_section([CODE_PAIR], "main"))


def test_what_is_equal_and_far_away_is_folded() -> None:
    assert list(folded(CODE_PAIR.differences[0].rows)) == [(0, 9, True), (9, 13, False)]


def test_json_has_every_row_once() -> None:
    (group,) = json.loads(dump_document(_page()))["data"]["sections"][0]["blocks"]
    sides = group["blocks"][1]
    assert (sides["block"], sides["name"], sides["a"]) == ("codesides", "code-old--new-0", "old")
    assert len(sides["rows"]) == 13
    assert "difference" not in sides


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
