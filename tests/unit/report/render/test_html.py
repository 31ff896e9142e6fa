"""The HTML file as text: complete without JavaScript, and harmless whatever the names are."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.unit.report.example import ab_result, sample_blocks, sample_result
from tests.unit.report.parts import as_html, changed

from whyfast.model.variant import Benchmark, Variant
from whyfast.report.answer import Answer
from whyfast.report.document import FactTree, document, section
from whyfast.report.render.html import render_html, script_json
from whyfast.report.sections.distribution import interval_plot
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


def test_hostile_names_add_no_elements() -> None:
    plain = ab_result()
    evil = "</script><img src=x onerror=alert(1)><script>alert(1)</script>\"'{{ raw_data }}"
    study = replace(
        plain.question,
        title=evil,
        baselines=(evil,),
        variants=(Variant(evil, evil), Variant("b", "")),
        benchmarks=(Benchmark(evil, "command", ("x",)),),
    )
    hostile = changed(
        plain,
        question=study,
        run=evil,
        verdicts=tuple(replace(v, baseline=evil, benchmark=evil) for v in plain.judged.verdicts),
    )
    harmless = changed(hostile, question=replace(study, title="x"))
    assert _read(as_html(hostile)).tags.count("img") == 0
    tags = _read(as_html(hostile)).tags
    assert tags.count("script") == 4
    assert tags == _read(as_html(harmless)).tags


def test_data_in_a_script_cannot_end_it() -> None:
    assert script_json({"a": "</script>\u2028\u202e"}) == '{"a":"\\u003c/script> \\\\u202e"}'
    assert json.loads(script_json("</script><!--")) == "</script><!--"


def test_plots_hold_a_point_for_each_verdict() -> None:
    plot = interval_plot(sample_result())
    assert plot is not None
    baselines = plot.data["baselines"]
    assert [b["name"] for b in baselines] == ["clang18-goto", "clang19-goto"]
    assert [len(p["points"]) for p in baselines[0]["plots"]] == [3] * 7
    first = baselines[0]["plots"][0]
    assert first["title"] == "geometric mean of 6 benchmarks"
    assert first["points"][0]["text"] == "2.14x slower [2.10, 2.19], 24 blocks"
    assert "clang19-goto 2.14x slower [2.10, 2.19]" in first["label"]


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


def test_plain_data_as_a_tree() -> None:
    facts = FactTree({"a": [1, "<b>"], "c": None, "d": True, "e": {"f": "-O2"}})
    html = render_html(document("builds", "", "", section("s", "", facts)))
    assert (
        "<dl>\n<dt>a</dt><dd><code>1 &lt;b&gt;</code></dd>\n"
        "<dt>c</dt><dd><span>unknown</span></dd>\n<dt>d</dt><dd>yes</dd>\n"
        "<dt>e</dt><dd><dl>\n<dt>f</dt><dd><code>-O2</code></dd>\n</dl></dd>\n</dl>"
    ) in html


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
