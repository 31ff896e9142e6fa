"""Two functions side by side in every form."""

from __future__ import annotations

import io
import json

from rich.console import Console
from tests.unit.report.examples import CODE_PAIR

from whyfast.report.document import Document, document
from whyfast.report.render.html import dump_document, render_html
from whyfast.report.render.terminal import render_terminal
from whyfast.report.sections.code_sides import code_section, folded


def _page() -> Document:
    return document("explain", "", "", code_section([CODE_PAIR], "main"))


def _printed(width: int) -> list[str]:
    stream = io.StringIO()
    render_terminal(_page(), console=Console(file=stream, width=width, color_system=None))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_what_is_equal_and_far_away_is_folded() -> None:
    assert list(folded(CODE_PAIR.differences[0].rows)) == [(0, 9, True), (9, 13, False)]


def test_one_above_the_other_in_a_narrow_one() -> None:
    lines = _printed(60)
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
