"""The page of ``whyfast history`` in a real browser."""

from playwright.sync_api import Page, expect
from tests.report.conftest import PHONE, Opening, fits_phone

from whyfast.history.detect import detect
from whyfast.model.history import PointSeries, Timeline
from whyfast.report.pages.history_page import history_page
from whyfast.report.render.html import render_html

POINTS = ("v1", "v2", "v3", "<b>v4</b>", "v5", "v6", "v7", "v8")


def _page() -> str:
    noise = (1.0, 1.01, 0.99, 1.005, 0.992, 1.004, 0.998, 1.003)
    series = []
    for mode, after in (("y", 1.0), ("n", 3.0)):
        for size in ("1", "2"):
            values = tuple(e * (after if i >= 4 else 1.0) for i, e in enumerate(noise))
            series.append(
                PointSeries(f"mode={mode} size={size}", values, {"mode": mode, "size": size})
            )
    return render_html(history_page(detect(Timeline(POINTS, tuple(series), by="release"))))


def test_the_series_and_the_step_are_drawn(opened: Opening) -> None:
    page = opened(_page(), viewport=PHONE)
    assert page.locator(".headline").inner_text() == (
        "Step <b>v4</b> → v5: 2.99x slower in 2 of 2 series with mode=n (median)."
    )
    assert page.locator("#history-plot .point").count() == 4 * 8
    assert page.locator("#history-plot .shape").count() == 1
    page.get_by_label("mode").select_option("n")
    assert page.locator("#history-plot .point").count() == 2 * 8
    page.get_by_label("size").select_option("2")
    assert page.locator("#history-plot .point").count() == 8
    assert fits_phone(page)


def _pictures(page: Page) -> list[str]:
    return page.locator("#series-plots figcaption").all_inner_texts()


def test_a_picture_a_series_is_filtered_and_sorted(opened: Opening) -> None:
    page = opened(_page())
    suite = ["geometric mean of 4 series", "median of 4 series"]
    names = [f"mode={mode} size={size}" for mode in "ny" for size in "12"]
    assert sorted(_pictures(page)) == sorted([*suite, *names])
    page.get_by_label("show").select_option("step")
    assert _pictures(page) == [*suite, *names[:2]]
    assert page.locator("#series-count").inner_text() == "2 of 4 series."
    page.get_by_label("name has").fill("SIZE=2 n")
    assert _pictures(page) == [*suite, names[1]]
    assert "found=step" in page.url
    assert "q=SIZE%3D2+n" in page.url


def test_what_is_chosen_stands_in_the_fragment(opened: Opening) -> None:
    page = opened(_page())
    page.evaluate("location.hash = '#sort=name&by.mode=y'")
    expect(page.locator("#series-plots figure")).to_have_count(4)
    assert _pictures(page)[2:] == ["mode=y size=1", "mode=y size=2"]
    assert page.get_by_label("mode").input_value() == "y"
    page.get_by_role("link", name="mode=y size=2").click()
    expect(page.locator("#series-plots figure")).to_have_count(1)
    assert page.locator("#history-plot .point").count() == 8
    page.get_by_role("link", name="All series").click()
    expect(page.locator("#series-plots figure")).to_have_count(4)
