"""32 benchmarks and 20 variants stay readable, in every way of showing them."""

import re

import pytest
from tests.unit.report.big_example import MEASURED, NAMES, ONLY_READ, big_result
from tests.unit.report.example import sample_result
from tests.unit.report.parts import as_html, as_markdown, as_terminal

from whyfast.model.result import Result
from whyfast.report.render.markdown import MOST

GITHUB = 65_536


@pytest.fixture(scope="module")
def result() -> Result:
    return big_result()


def _printed(result: Result, width: int, verbose: bool = False) -> list[str]:
    return as_terminal(result, width, verbose=verbose).splitlines()


@pytest.fixture(scope="module")
def verbose(result: Result) -> list[str]:
    return _printed(result, 100, verbose=True)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_no_line_is_wider_than_the_terminal(result: Result, verbose: list[str], width: int) -> None:
    small = (_printed(sample_result(), width, everything) for everything in (False, True))
    for lines in (_printed(result, width), *small, *([verbose] if width == 100 else [])):
        assert max(map(len, lines)) <= width


def test_at_100_columns_no_table_of_the_answer_is_cut_or_folded(verbose: list[str]) -> None:
    lines = verbose
    captions = [
        "Time, geometric mean of 32 benchmarks",
        "Indirect jumps of the dispatch",
        "Distribution of the 32 benchmarks, against clang18",
        "Distribution of the 32 benchmarks, against clang19",
    ]
    rows = [len(MEASURED), len(MEASURED) + len(ONLY_READ), *[2 * (len(MEASURED) - 1)] * 2]
    for caption, number in zip(captions, rows, strict=True):
        start = lines.index(caption)
        end = start + lines[start:].index("")
        rule = next(i for i in range(start, end) if lines[i].startswith("───"))
        # One rule a part: a table that was cut would have two.
        assert sum(lines[i].startswith("───") for i in range(start, end)) == 1
        assert end - rule - 1 == number


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_short_report_is_one_screen(result: Result, width: int) -> None:
    assert len(_printed(result, width)) <= 23  # and a line for the prompt


def test_every_benchmark_has_one_line_a_pair(verbose: list[str]) -> None:
    said = [line for line in verbose if re.match(r"nbody +[\d.]+ ms ", line)]
    assert len(said) == 2 * (len(MEASURED) - 1)
    assert all(re.search(r"\[\d\.\d+, \d\.\d+\]", line) for line in said)


def test_markdown_fits_into_an_issue_and_names_what_it_leaves_out(result: Result) -> None:
    text = as_markdown(result, verbose=True)
    assert len(text) < GITHUB
    assert len(text) <= MOST + 500
    assert "<summary>Each benchmark against clang18</summary>" in text
    assert "<sub>Left out, as GitHub takes no more than 65 536 characters: " in text
    assert "each benchmark against clang19" in text.rsplit("<sub>Left out", 1)[1]
    assert text.count("<details>") == text.count("</details>")
    assert "\n| clang20 | 1 | merged | clang 20.1.0 | not measured |\n" in text


def test_html_folds_what_is_long(result: Result) -> None:
    html = as_html(result).split("<script")[0]
    rows = html.count("<tr ")
    open_rows = _unfolded(html).count("<tr ")
    assert rows > 2 * len(NAMES) * (len(MEASURED) - 1)
    # The tables of the answer with their headings, the code that dispatches, and the time spent.
    assert open_rows == (11 + 20 + 10 + 1 + 4) + 12 + (3 + 1)


def _unfolded(html: str) -> str:
    """What shows before anything is unfolded."""
    shown, depth = [], 0
    for piece in re.split(r"(</?details)", html):
        depth += {"<details": 1, "</details": -1}.get(piece, 0)
        if depth == 0:
            shown.append(piece)
    return "".join(shown)
