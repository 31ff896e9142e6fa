"""The Markdown report and its escapes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.report.big_example import big_result
from tests.unit.report.example import ab_result, sample_result
from tests.unit.report.parts import as_markdown, as_terminal, changed

from whyfast.model.result import Result
from whyfast.report.render.markdown import escape, prose


def test_details_are_folded_and_only_if_asked_for() -> None:
    assert "<details>" not in as_markdown(sample_result())
    text = as_markdown(sample_result(), verbose=True)
    assert text.count("<details>") == text.count("</details>") == 5


def test_verbose_says_what_could_not_be_seen() -> None:
    result = sample_result()
    evidence = tuple(
        replace(e, missing=("op_*",), notes=("stripped",)) for e in result.found.evidence
    )
    result = changed(result, evidence=evidence)
    text = as_markdown(result, verbose=True)
    names = "clang18-goto, clang19-goto, clang19-goto-taildup"
    assert f"\n- {names} and clang19-tail have no function that matches op\\_\\*.\n" in text
    assert f"\n- {names}, clang19-tail: stripped\n" in text
    assert f"\n{names}, clang19-tail: stripped\n" in as_terminal(result, 200, verbose=True)
    assert "stripped" not in as_terminal(result, 200)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a|b", "a\\|b"),
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("_x_ *y* `z`", "\\_x\\_ \\*y\\* \\`z\\`"),
        ("[text](link)", "\\[text](link)"),
        ("- item", "\\- item"),
        ("1. item", "1\\. item"),
        ("1.01x", "1.01x"),
        ("# head", "\\# head"),
        ("@someone #12", "@<!-- -->someone #<!-- -->12"),
        ("two\nlines", "two lines"),
        ("&lt;", "&amp;lt;"),
    ],
)
def test_escape(name: str, shown: str) -> None:
    assert escape(name) == shown


def test_code_in_a_sentence_stays_code() -> None:
    assert prose("with `-x_y_` a_b") == "with `-x_y_` a\\_b"


@pytest.mark.parametrize("result", [sample_result(), ab_result(), big_result()])
def test_a_parser_finds_every_table_and_no_stray_bar(result: Result) -> None:
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark", {"html": True})
    tokens = markdown.enable("table").parse(as_markdown(result, verbose=True))
    tables = sum(token.type == "table_open" for token in tokens)
    rules = [line for line in as_markdown(result, verbose=True).splitlines() if "| ---" in line]
    assert tables == len(rules) > 0
    inline = [token.content for token in tokens if token.type == "inline"]
    assert not [said for said in inline if "|" in said.replace("\\|", "")]
    folds = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert sum(fold.startswith("<details>") for fold in folds) == folds.count("</details>")
