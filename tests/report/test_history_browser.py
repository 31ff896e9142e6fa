"""The page of ``whyfast history`` in a real browser."""

from __future__ import annotations

from collections.abc import Callable

from tests.report.conftest import Opened

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


def test_the_series_and_the_step_are_drawn(opened: Callable[..., Opened]) -> None:
    seen = opened(_page())
    page = seen.page
    assert page.locator(".headline").inner_text() == (
        "Step <b>v4</b> → v5: 2.99x slower in 2 of 2 series with mode=n (median)."
    )
    assert page.locator("#history-plot .point").count() == 4 * 8
    assert page.locator("#history-plot .shape").count() == 1
    page.get_by_label("mode").select_option("n")
    assert page.locator("#history-plot .point").count() == 2 * 8
    page.get_by_label("size").select_option("2")
    assert page.locator("#history-plot .point").count() == 8
    assert seen.said == []
    assert [url for url in seen.requests if not url.startswith(("file:", "data:"))] == []


def test_it_fits_a_phone(opened: Callable[..., Opened]) -> None:
    page = opened(_page(), viewport={"width": 380, "height": 800}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
