"""Two functions side by side in every form."""

from __future__ import annotations

import io
import json

from rich.console import Console

from whyfast.explain.code_diff import align
from whyfast.model.code_listing import CodeLine, CodeListing, CodePair
from whyfast.report.document import Document, document
from whyfast.report.render.document_json import dump_document
from whyfast.report.render.html import render_html
from whyfast.report.render.markdown import render_markdown
from whyfast.report.render.terminal import render_terminal
from whyfast.report.topics.code_sides import code_section, difference_text, folded


def _listing(*texts: str) -> CodeListing:
    lines = []
    for i, text in enumerate(texts):
        flow = "indirect jump" if text.startswith("jmp q") else ""
        lines.append(CodeLine(text, text, flow, f"vm.c:{i}"))  # type: ignore[arg-type]
    return CodeListing("vm_run", tuple(lines))


EQUAL = tuple(f"mov r{i}" for i in range(12))
PAIR = CodePair(
    "old",
    "new",
    (align(_listing(*EQUAL, "jmp qword ptr [rax]"), _listing(*EQUAL, "jmp L1")),),
    others=2,
    only_in_b=("fresh",),
)


def _page() -> Document:
    return document("explain", "", "", code_section([PAIR], "main"))


def _printed(width: int) -> list[str]:
    stream = io.StringIO()
    render_terminal(_page(), console=Console(file=stream, width=width, color_system=None))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_a_line_says_what_differs() -> None:
    assert difference_text(PAIR.differences[0]) == (
        "vm_run: 1 → 0 indirect jumps, 13 → 13 instructions, 8% of the lines differ"
    )


def test_what_is_equal_and_far_away_is_folded() -> None:
    assert list(folded(PAIR.differences[0].rows)) == [(0, 9, True), (9, 13, False)]


def test_side_by_side_in_a_wide_terminal() -> None:
    lines = _printed(100)
    assert lines[:2] == [
        "2 more functions differ.",
        "Only in new: 1 (fresh).",
    ]
    assert lines[4] == "  ⋮ 9 equal instructions"
    assert lines[5].split() == ["mov", "r9", "vm.c:9", "mov", "r9", "vm.c:9"]
    assert lines[8].split() == [
        "jmp", "qword", "ptr", "[rax]", "vm.c:12", "!", "jmp", "L1", "vm.c:12",
    ]  # fmt: skip
    assert max(map(len, lines)) <= 100


def test_one_above_the_other_in_a_narrow_one() -> None:
    lines = _printed(60)
    assert [line.split()[0] for line in lines[-2:]] == ["-", "+"]
    assert max(map(len, lines)) <= 60


def test_markdown_has_a_difference_of_texts() -> None:
    text = render_markdown(_page(), verbose=True)
    assert "```diff\n  … 11 equal\n  mov r11\n- jmp qword ptr [rax]\n+ jmp L1\n```" in text


def test_json_has_every_row_once() -> None:
    (group,) = json.loads(dump_document(_page()))["sections"][0]["blocks"]
    sides = group["blocks"][1]
    assert (sides["block"], sides["name"], sides["a"]) == ("codesides", "code-old--new-0", "old")
    assert len(sides["rows"]) == 13
    assert "difference" not in sides


def test_html_has_a_fold_to_link_to() -> None:
    html = render_html(_page())
    assert '<details class="sides" id="code-old--new-0" data-sides="data-0">' in html
