"""The HTML file as text: complete without JavaScript, and harmless whatever the names are."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.unit.report.example import sample_blocks, sample_result
from tests.unit.report.parts import as_html, changed

from whyfast.report.answer import Answer
from whyfast.report.render.html import script_json
from whyfast.report.sections.timeline import MOST_EXACT, raw_data


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [v or "" for k, v in attrs if k in ("src", "href")]


def _read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    return reader


def test_nothing_is_loaded_and_only_our_scripts_run() -> None:
    html = as_html(sample_result())
    assert _read(html).links == ["data:,"]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    assert policy.group(1).startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy.group(1)
    assert "script-src 'unsafe-inline'" not in policy.group(1)


def test_data_in_a_script_cannot_end_it() -> None:
    assert script_json({"a": "</script>\u2028\u202e"}) == '{"a":"\\u003c/script> \\\\u202e"}'
    assert json.loads(script_json("</script><!--")) == "</script><!--"


def test_raw_values_are_exact() -> None:
    result = sample_result()
    raw = raw_data(result)
    assert not raw["rounded"]
    assert raw["variants"][:2] == ["clang18-goto", "clang19-goto"]
    block = raw["benchmarks"][0]["blocks"][0]
    assert tuple(block["values"]["0"]) == result.recorded.blocks[0].values["clang18-goto"]
    assert block["order"][1] == [1, 2, 3, 0]


def test_very_many_raw_values_are_rounded_and_that_is_said() -> None:
    block = sample_blocks(1)[0]
    many = replace(block, values={"clang18-goto": (0.123456,) * (MOST_EXACT + 1)}, order=())
    result = sample_result(blocks=(many,))
    assert raw_data(result)["benchmarks"][0]["blocks"][0]["values"]["0"][0] == 0.1235
    assert "rounded to 4 significant digits" in as_html(result)
    assert "rounded to 4 significant digits" not in as_html(sample_result())


def test_recorded_runs_are_not_said_to_be_blocks() -> None:
    html = as_html(changed(sample_result(), about="runs"))
    assert "t interval on trimmed means" in html
    assert "A block runs every variant" not in html


def test_a_long_answer_unfolds(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Answer("First.", tuple(f"Sentence {i}." for i in range(9)))
    monkeypatch.setattr("whyfast.report.pages.results.answer_of", lambda result: said)
    html = as_html(sample_result())
    shown, folded = html.split("<details><summary>3 more</summary>")
    assert "<li>Sentence 5.</li>" in shown
    assert "<li>Sentence 6.</li>" in folded
