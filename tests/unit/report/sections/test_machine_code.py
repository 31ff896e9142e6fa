"""What the machine code says, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.report.example import sample_evidence
from tests.unit.report.examples import TROUBLE

from whyfast.model.codec import decode, encode
from whyfast.model.evidence import CalleeCounts, Evidence, Trouble
from whyfast.report.document import CodeBlock
from whyfast.report.sections.machine_code import calls_sentences, trouble_code, trouble_sentences

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
    texts = {name: trouble_sentences([t], [t.variant, "b", "c"]) for name, t in TROUBLES.items()}
    check_golden("report", "troubles.md", paragraphs(texts))


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
