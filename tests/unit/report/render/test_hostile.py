"""Whatever a text contains, it is shown, and it changes nothing about the rest of a report."""

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.unit.report.parts import printed

from whyfast.report.document import (
    Cell,
    CodeBlock,
    Column,
    Document,
    FactTree,
    Group,
    Sentence,
    Sentences,
    Table,
    document,
    section,
)
from whyfast.report.formatting import escape_controls
from whyfast.report.render.html import render_html
from whyfast.report.render.markdown import escape, prose, render_markdown

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
#: All that Markdown, HTML and terminals give a meaning to, more often than chance would.
SPECIAL = (
    *"\\`*_[]()<>|~$&#@!+-=.:;\"'0123456789 \t\n\r\x00\x07\x1b\x9b\u2028\u202e\ue000\udcff",
    *("<script>", "</script>", "<!--", "-->", "```", "~~~", "\n\n", "\n# x", "](http://x)", "&lt;"),
    *("\x1b[2J", "\x1b]0;x\x07", "| --- |", "{{ x }}", "{% raw %}", "1. ", "- ", "> ", "    "),
)
TEXTS = st.lists(st.one_of(st.sampled_from(SPECIAL), st.text(max_size=3)), max_size=8).map("".join)


def _document(text: str) -> Document:
    """With ``text`` in every place that a document has for one."""
    row = (Cell(text, text, "faster"), Cell(text), Cell("1", number=1.0))
    blocks = (
        Table(text, (Column(text), Column(text), Column(text, "right")), (row, row)),
        Sentences((Sentence(text), Sentence(text, "warning", (text,)))),
        Sentences((Sentence(text),), aside=True),
        CodeBlock((text, text), "toml"),
        FactTree({text or "x": text, "y": {"z": [text, text]}}),
    )
    return document(
        "report",
        section("s", text or "x", *blocks),
        section("d", text or "x", *blocks, Group(text or "x", blocks), importance="detail"),
        title=text or "x",
        headline=text or "x",
        about=(text,),
    )


def _tokens(text: str) -> list[Token]:
    return MARKDOWN.parse(text)


def _inline(text: str, markup: str) -> list[Token]:
    """The pieces of the only paragraph that ``text`` is."""
    tokens = _tokens(markup)
    kinds = [token.type for token in tokens]
    if not kinds:
        assert not escape_controls(text).split()
        return []
    assert kinds == ["paragraph_open", "inline", "paragraph_close"], (text, markup)
    return [t for t in tokens[1].children or [] if t.content != "<!-- -->"]


@given(TEXTS)
def test_escaped_text_is_text(text: str) -> None:
    pieces = _inline(text, escape(text))
    assert {piece.type for piece in pieces} <= {"text"}
    assert "".join(piece.content for piece in pieces) == " ".join(escape_controls(text).split())


@given(TEXTS)
def test_a_sentence_is_text_and_code(text: str) -> None:
    pieces = _inline(text, prose(text))
    assert {piece.type for piece in pieces} <= {"text", "code_inline"}
    said = "".join(piece.content for piece in pieces)
    assert _bare(said) == _bare(escape_controls(text))


def _bare(text: str) -> str:
    return re.sub(r"[\s`]", "", text)


def _structure(tokens: list[Token]) -> list[str]:
    """Types and tags of all tokens, with what HTML they have, but for text."""
    found = []
    for token in tokens:
        html = token.content if token.type.startswith("html") else ""
        found.append(f"{token.type} {token.tag} {re.sub(r'<summary>.*</summary>', '', html)}")
        inner = [t for t in token.children or [] if t.content != "<!-- -->"]
        found += [s for s in _structure(inner) if not s.startswith("text")]
    return found


@given(TEXTS.filter(lambda text: bool(escape_controls(text).split()) and "`" not in text))
def test_markdown_keeps_its_structure(text: str) -> None:
    plain = _structure(_tokens(render_markdown(_document("x"), verbose=True)))
    found = _structure(_tokens(render_markdown(_document(text), verbose=True)))
    assert found == plain


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(" ".join([tag, *(name for name, _ in attrs)]))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(f"/{tag}")


def _tags(page: str) -> list[str]:
    reader = _Tags()
    reader.feed(page)
    return [tag for tag in reader.found if tag.strip("/") != "code"]


@given(TEXTS)
def test_a_heading_and_a_cell_hold_the_whole_text(text: str) -> None:
    seen = " ".join(escape_controls(text).split())
    heading = _tokens(f"## {escape(text)}")[1].children or []
    cells = _tokens(f"| {escape(text)} | {escape(text)} |\n| --- | --- |")
    found = [t.children or [] for t in cells if t.type == "inline"]
    assert len(found) == 2
    for pieces in (heading, *found):
        assert "".join(p.content for p in pieces if p.type == "text") == seen


@given(TEXTS.filter(bool))
def test_html_keeps_its_elements(text: str) -> None:
    assert _tags(render_html(_document(text))) == _tags(render_html(_document("x")))


@given(TEXTS, st.sampled_from([30, 80]))
def test_nothing_steers_the_terminal(text: str, width: int) -> None:
    text = printed(_document(text), width, verbose=True).replace("\n", "")
    assert escape_controls(text) == text
