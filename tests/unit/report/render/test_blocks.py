"""Every kind of block in every way of showing it. The Markdown report and its escapes."""

from dataclasses import replace

import pytest
from tests.unit.report.big_example import big_result
from tests.unit.report.example import ab_result, sample_result
from tests.unit.report.parts import as_markdown, as_terminal, changed, printed

from whyfast.model.result import Result
from whyfast.report.document import (
    CodeBlock,
    FactTree,
    Group,
    Plot,
    Sentence,
    Sentences,
    document,
    section,
    sentences,
    table,
)
from whyfast.report.render.html import render_html
from whyfast.report.render.markdown import escape, prose, render_markdown

FINDING = Sentence("ASLR: off", "warning", ("One layout in all.", "To change it: `whyfast doctor`"))
CPU = {"model": "X", "smt": None}
PAGE = document(
    "builds",
    section("said", "", Sentences((FINDING, Sentence("load: none", "good", ("Quiet.",))))),
    section("facts", "Facts", FactTree({"flags": ["-O2", "-g"], "cpu": CPU})),
    section("code", "Code", CodeBlock(("[a]", "x = 1"), "toml"), CodeBlock(("cc a.c",), "sh")),
    section("more", "More", table("Rows", ("n",), [("1",)]), importance="detail", hint="-v: rows"),
    section("folds", "Folds", Group("Inside", (CodeBlock(("x",)),)), importance="detail"),
    section("kept", "Kept", sentences(["for the record"]), importance="record"),
    section("plot", "Plot", Plot("raw", {"variants": []}, "See the tables.")),
    title="Why?",
    headline="Because of `-O2`.",
)


def _terminal(*, verbose: bool = False) -> list[str]:
    return [line.rstrip() for line in printed(PAGE, 60, verbose=verbose).splitlines()]


def test_the_terminal() -> None:
    assert _terminal() == [
        "Why?",
        "",
        "Because of `-O2`.",
        "",
        "warning  ASLR: off",
        "         One layout in all.",
        "         To change it: `whyfast doctor`",
        "good     load: none",
        "         Quiet.",
        "",
        "flags  -O2 -g",
        "cpu",
        "  model  X",
        "  smt    unknown",
        "",
        "    [a]",
        "    x = 1",
        "",
        "cc a.c",
        "",
        "-v: rows",
    ]
    more = _terminal(verbose=True)
    assert more[: more.index("cc a.c")] == _terminal()[: more.index("cc a.c")]
    assert more[more.index("cc a.c") + 1 :] == ["", "Rows", "n", "─", "1", "", "    x"]


def test_markdown() -> None:
    assert render_markdown(PAGE, verbose=True) == (
        "## Why?\n\n**Because of `-O2`.**\n\n"
        "- **warning:** ASLR: off\\\n  One layout in all.\\\n  To change it: `whyfast doctor`\n"
        "- **good:** load: none\\\n  Quiet.\n\n"
        "- flags: \\-O2 -g\n- cpu:\n  - model: X\n  - smt: unknown\n\n"
        "```toml\n[a]\nx = 1\n```\n\n```sh\ncc a.c\n```\n\n"
        "<details><summary>Rows</summary>\n\n| n |\n| --- |\n| 1 |\n\n</details>\n\n"
        "<details><summary>Inside</summary>\n\n```text\nx\n```\n\n</details>\n"
    )


def test_html() -> None:
    html = render_html(PAGE)
    for part in (
        "<h1>Why?</h1>",
        '<p class="headline" data-all-benchmarks>Because of <code>-O2</code>.</p>',
        '<li class="warning"><strong>warning</strong> ASLR: off<br>One layout in all.<br>',
        "<dt>flags</dt><dd><code>-O2 -g</code></dd>",
        "<dt>smt</dt><dd><span>unknown</span></dd>",
        '<pre><code class="language-toml">[a]\nx = 1</code></pre>',
        "<details><summary>Inside</summary>",
        "<p>for the record</p>",
        '<p class="without-script">See the tables.</p>',
        '<div class="needs-script" data-kind="raw" data-from="data-0" hidden></div>',
        '<script type="application/json" id="data-0">{"variants":[]}</script>',
    ):
        assert part in html


def test_without_a_plot_there_is_no_script() -> None:
    html = render_html(document("studies", headline="None."))
    assert "<script" not in html
    assert "script-src 'none'" in html
    assert ">None.</h1>" in html
    assert len(html) < 20_000


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
