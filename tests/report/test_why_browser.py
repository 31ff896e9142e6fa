"""The account of a difference in a real browser: its pictures, with and without JavaScript."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.report.conftest import PHONE, Opening
from tests.unit.report.why_example import VECTORISED, why_result

from whyfast.model.why import Account, Frame
from whyfast.report.pages.results import why_page
from whyfast.report.render.html import render_html


def _html(account: Account = VECTORISED) -> str:
    return render_html(why_page(why_result(account)))


def _widths(page: Any, picture: str) -> dict[str, float]:
    """The share of the picture's width that each box takes, by its text."""
    boxes: dict[str, float] = page.evaluate(
        """picture => {
          const whole = document.querySelector(picture);
          const width = whole.getBoundingClientRect().width;
          return Object.fromEntries([...whole.querySelectorAll("svg")].map(box => [
            box.querySelector("text").textContent,
            box.querySelector("rect").getBoundingClientRect().width / width]));
        }""",
        picture,
    )
    return {name: round(share, 2) for name, share in boxes.items()}


def test_boxes_are_as_wide_as_their_time_without_javascript(opened: Opening) -> None:
    for viewport in ({"width": 1280, "height": 900}, PHONE):
        page = opened(_html(), java_script_enabled=False, viewport=viewport)
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]
        flames = _widths(page, "svg.flames")
        assert (flames["main"], flames["memset"]) == (0.93, 0.07)
        assert _widths(page, "svg.bars") == {
            "vectorisation: work (v.c:7)": 0.80,
            "page faults": 0.13,
            "not explained": 0.07,
            "user CPU": 0.86,
            "kernel": 0.14,
        }


def test_a_box_tells_its_times_to_who_hovers_and_to_who_listens(opened: Opening) -> None:
    page = opened(_html())
    titles = page.locator("svg.flames title").all_text_contents()
    assert "memset: ./a 0 s, ./b 6.00 ms (7 %); itself 0 s, 6.00 ms" in titles
    named = page.locator("svg.bars").get_attribute("aria-label")
    assert named == (
        "The difference by cause: vectorisation: work (v.c:7), 80 %, page faults, 13 %, not "
        "explained, 7 %; by time: user CPU, 86 %, kernel, 14 %"
    )


def test_more_time_is_red_and_less_is_blue(opened: Opening) -> None:
    page = opened(_html(), color_scheme="light")
    colour = "kind => getComputedStyle(document.querySelector(`svg.flames .${kind}`)).fill"
    assert page.evaluate(colour, "more") == "rgb(176, 46, 34)"
    assert page.evaluate(colour, "less") == "rgb(31, 99, 156)"


def test_the_code_stands_side_by_side_with_its_counts(opened: Opening) -> None:
    page = opened(_html(), java_script_enabled=False)
    rows = page.locator(".counted tbody tr").all_inner_texts()
    assert rows[1].split("\t") == [
        *("30.7 M", "L1: vmulps ymm1, ymm2, [rax] v.c:7"),
        *("246 M", "L1: vmulss xmm0, xmm3, [rax] v.c:7"),
    ]
    assert page.locator(".counted .gap").count() == 2


def test_hostile_names_of_functions_do_nothing(opened: Opening) -> None:
    evil = '</svg><img src=x onerror=alert(1)>"'
    frames = Frame(evil, 0.1, 0.2, (Frame(evil, 0.1, 0.2),))
    code = VECTORISED.code
    assert code is not None
    code = replace(code, fast=evil, slow=evil)
    causes = (replace(VECTORISED.causes[0], key=evil, sentence=evil),)
    page = opened(_html(replace(VECTORISED, frames=frames, code=code, causes=causes)))
    assert page.locator("img").count() == 0
    assert page.locator("svg.flames text").first.text_content() == evil
