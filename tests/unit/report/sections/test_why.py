"""The account of a difference: its first screen, tables and pictures."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeVar

import pytest
from tests.unit.report.parts import printed
from tests.unit.report.why_example import EQUAL, UNEXPLAINED, VECTORISED, WRITING, why_result

from whyfast.model.why import Account, Change, Frame
from whyfast.report.document import BarPart, FlameGraph, ShareBars, Table
from whyfast.report.pages.results import result_page, why_page
from whyfast.report.render.html import bars_svg, flame_svg, render_html
from whyfast.report.render.markdown import render_markdown
from whyfast.report.sections.why import (
    account_table,
    short_names,
    why_findings,
    why_headline,
    why_summary,
)
from whyfast.report.sections.why_details import why_sections

_Kind = TypeVar("_Kind")


def _blocks(account: Account, kind: type[_Kind]) -> list[_Kind]:
    return [b for s in why_sections(account) if s for b in s.blocks if isinstance(b, kind)]


def _texts(table: Table | None) -> list[list[str]]:
    assert table is not None
    return [[f"{cell.text} {cell.detail}".strip() for cell in row] for row in table.rows]


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.98, "98 % of the difference."),
        (1.0, "all of the difference."),
        (1.06, "all of the difference."),
        (1.4, "140 % of the difference, and other parts are faster."),
    ],
)
def test_a_share_in_words(share: float, said: str) -> None:
    causes = (replace(VECTORISED.causes[0], share=share),)
    assert why_headline(replace(VECTORISED, causes=causes)).endswith(f"; {said}")


@pytest.mark.parametrize(
    ("ratio", "said"), [(1.41, "1.41x"), (2.0, "2.0x"), (27.64, "27.6x"), (412.3, "412x")]
)
def test_the_ratio_has_the_digits_that_it_needs(ratio: float, said: str) -> None:
    account = replace(VECTORISED, ratio=ratio, low=0.98 * ratio, high=1.02 * ratio)
    assert why_headline(account).startswith(f"./b is {said} slower than ./a: ")


@pytest.mark.parametrize(
    ("fast", "slow", "names"),
    [
        ("./a -x in.txt", "./b -x in.txt", ("./a", "./b")),
        ("./p sorted", "./p random", ("'./p sorted'", "'./p random'")),
        ("./p", "./p -v", ("./p", "'./p -v'")),
        ("./p --one x", "./p --two x", ("'./p --one'", "'./p --two'")),
        ("old", "new", ("old", "new")),
        (
            "find tree -type f -exec cat {} +",
            r"find tree -type f -exec cat {} \;",
            ("'find tree -type f -exec cat {} +'", r"'find tree -type …-exec cat {} \;'"),
        ),
        (
            "perl -ne 'print if /error/' in.txt",
            "perl -ne 'print if /error/i' in.txt",
            (
                """ "perl -ne 'print if /error/'" """.strip(),
                """ "perl -ne 'print if /error/i'" """.strip(),
            ),
        ),
        (
            "/opt/python/bin/python3 /tmp/work/a/main.py 5",
            "/opt/python/bin/python3 /tmp/work/b/main.py 5",
            ("'python3 a/main.py'", "'python3 b/main.py'"),
        ),
        (
            "python3 /tmp/work/one/measure_everything.py",
            "python3 /tmp/work/two/measure_everything.py",
            ("one/measure_everything.py", "two/measure_everything.py"),
        ),
    ],
)
def test_names_leave_out_what_both_end_with(fast: str, slow: str, names: tuple[str, str]) -> None:
    assert short_names(replace(EQUAL, fast=fast, slow=slow)) == names


@pytest.mark.parametrize(
    ("fast", "text"), [("./a -c x", "calls './a -c x' less"), ("./a --count --all", "the other")]
)
def test_a_long_name_of_the_faster_side_is_not_repeated(fast: str, text: str) -> None:
    cause = replace(VECTORISED.causes[0], sentence=f"it calls `{fast}` less")
    headline = why_headline(replace(VECTORISED, fast=fast, slow="./b", causes=(cause,)))
    assert text in headline.partition(": it ")[2]


def test_long_names_stay_apart() -> None:
    path = "/home/somebody/work/projects/something/build"
    fast, slow = short_names(replace(EQUAL, fast=f"{path}-1/prog", slow=f"{path}-2/prog"))
    assert fast != slow
    assert max(len(fast), len(slow)) <= 32


def test_what_is_not_explained_is_named_with_its_place() -> None:
    assert why_headline(UNEXPLAINED) == (
        "./b is 3.4x slower than ./a: 87 % of the difference is not explained. It lies in `work` "
        "(80 %)."
    )
    assert why_summary(UNEXPLAINED).findings[0] == (
        "Explained: it touches more memory for the first time: 12,060 page faults where ./a has "
        "60; 13 % of the difference."
    )
    assert next(why_findings(UNEXPLAINED)) == (
        "87 % of the difference is not explained. It lies in `work` (80 %)."
    )
    partly = replace(VECTORISED, explained=0.6)
    assert "40 % of the difference is not explained." in list(why_findings(partly))
    nothing = replace(UNEXPLAINED, causes=(), explained=0.0)
    assert why_headline(nothing) == (
        "./b is 3.4x slower than ./a: not explained. It lies in `work` (80 %), `page faults` "
        "(13 %)."
    )
    nowhere = replace(nothing, items=())
    assert why_headline(nowhere).endswith("not explained. Most of it is user CPU time.")
    first = nothing.items[0]
    place = replace(first.place, library="libz.so.1")
    unnamed = replace(nothing, items=(replace(first, name="0x4970", place=place),))
    assert "`0x4970 in libz.so.1`" in why_headline(unnamed)


def test_waiting_that_is_not_accounted_for_is_not_what_is_left() -> None:
    waiting = replace(UNEXPLAINED.split["user"], slow=9.0)
    split = {**UNEXPLAINED.split, "waiting": waiting}
    left = replace(UNEXPLAINED, causes=(), explained=0.0, items=(), split=split)
    assert why_headline(left).endswith("Most of it is waiting time.")
    assert why_headline(replace(left, of_cpu=True)).endswith("Most of it is user CPU time.")


def test_no_cause_is_named_where_none_was_looked_for() -> None:
    assert why_headline(EQUAL) == (
        "No difference between ./b and ./a to explain: 1.003x [0.998, 1.008]"
    )
    assert why_headline(replace(EQUAL, undecided=True)) == (
        "Whether ./b is slower than ./a is undecided: 1.003x [0.998, 1.008] so far; measure longer "
        "with --budget"
    )
    assert account_table(EQUAL) is None
    assert list(why_findings(EQUAL)) == []
    assert why_headline(replace(EQUAL, low=0.0, high=float("inf"))) == (
        "Too few runs to tell a difference between ./b and ./a: 1.00x so far; measure longer with "
        "--budget"
    )


@pytest.mark.parametrize("account", [VECTORISED, WRITING, UNEXPLAINED, EQUAL])
@pytest.mark.parametrize("width", [80, 40])
def test_the_first_screen_fits(account: Account, width: int) -> None:
    lines = printed(why_page(why_result(account)), width).splitlines()
    assert len(lines) <= 23
    assert all(len(line) <= width for line in lines if line != account.next_command)


def test_bars_add_up_to_the_whole() -> None:
    (bars,) = _blocks(VECTORISED, ShareBars)
    (_, causes), (_, parts) = bars.bars
    assert [p.name for p in causes] == [
        "vectorisation: work (v.c:7)",
        "page faults",
        "not explained",
    ]
    assert sum(p.share for p in causes) == pytest.approx(1)
    assert [p.name for p in parts] == ["user CPU", "kernel"]


def _boxes(svg: str) -> list[tuple[float, float, str]]:
    """(start, width, text) of the boxes."""
    box = r'<svg x="([\d.]+)%" y="\d+" width="([\d.]+)%".*?>([^<]*)</text>'
    return [(float(x), float(width), text) for x, width, text in re.findall(box, svg)]


def test_a_bar_of_more_than_the_whole_is_as_wide_as_the_page() -> None:
    svg = bars_svg(ShareBars((("cause", (BarPart("x", 1.2), BarPart("y", 0.3))),)))
    assert _boxes(svg) == [(0.0, 80.0, "x"), (80.0, 20.0, "y")]


def test_a_box_of_the_flame_graph_is_as_wide_as_its_time_on_the_slow_side() -> None:
    svg = flame_svg(FlameGraph("Calls", VECTORISED.frames or Frame("", 0, 0), "./a", "./b"))
    assert _boxes(svg) == [
        (0.0, 100.0, "all"),
        (0.0, 93.333, "main"),
        (0.0, 88.889, "work"),
        (0.0, 11.111, "work"),
        (88.889, 1.111, "parse&lt;char&gt;"),
        (93.333, 6.667, "memset"),
    ]
    assert svg.count('class="more"') == 5
    assert svg.count('class="less"') == 1
    assert "work: ./a 10.0 ms, ./b 80.0 ms (89 %); itself 10.0 ms, 70.0 ms" in svg
    assert _boxes(flame_svg(FlameGraph("", Frame("all", 0.0, 0.0), "a", "b"))) == []


def test_names_cannot_leave_their_place_in_the_pictures() -> None:
    evil = '"><script>alert(1)</script>'
    frames = Frame(evil, 0.0, 1.0, (Frame(f"{evil}\x1b[31m", 0.0, 0.5),))
    svg = flame_svg(FlameGraph(evil, frames, evil, evil)) + bars_svg(
        ShareBars(((evil, (BarPart(evil, 0.5),)),))
    )
    assert "<script" not in svg
    assert "\x1b" not in svg


def test_the_code_of_both_sides_with_how_often_it_ran() -> None:
    wide = printed(why_page(why_result()), 100, verbose=True)
    assert re.search(r"30\.7 M  L1: vmulps ymm1, ymm2, \[rax\] +!    246 M  L1: vmulss", wide)
    narrow = printed(why_page(why_result()), 80, verbose=True)
    assert "   246 M  add rax, 4\n" in narrow
    assert "30.7 M  L1: vmulps" in render_markdown(why_page(why_result()), verbose=True)
    page = render_html(why_page(why_result()))
    assert '<td class="number">246 M</td><td>add rax, 4 <span class="source">v.c:6</span>' in page


def test_a_result_without_an_account_is_shown_as_a_result() -> None:
    result = why_result()
    plain = replace(result, found=replace(result.found, account=None))
    assert why_page(plain).headline == result_page(plain).headline


def test_a_part_that_goes_the_other_way_has_its_sign() -> None:
    split = next(t for t in _blocks(VECTORISED, Table) if t.columns[0].title == "part")
    assert [[c.text for c in row] for row in split.rows][2] == [
        *("waiting", "1.00 ms", "700 µs", "−300 µs", "0 %"),
    ]
    changed = replace(VECTORISED, time=Change(0.1, 0.09, -0.02, -0.001))
    assert why_headline(changed).endswith("varied too much to say why")


def test_an_interrupted_account_does_not_deny_the_difference() -> None:
    early = replace(VECTORISED, complete=False, items=(), causes=(), costs=None, explained=0.0)
    assert why_headline(early).endswith("slower than ./a: interrupted before the causes")
