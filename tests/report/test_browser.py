"""The HTML report in a real browser: it draws, it stays offline, and no name can harm it. The page
of ``whyfast merge`` in a real browser."""

from dataclasses import replace
from typing import Any

from tests.report.conftest import PHONE, POINTS, Opening, fits_phone
from tests.unit.fleet.machines import measured, study
from tests.unit.report.big_example import big_result
from tests.unit.report.example import ab_result, sample_result, verdict
from tests.unit.report.parts import as_html, changed

from whyfast.fleet.merging import merge_results
from whyfast.model.result import OneResult, Result
from whyfast.model.variant import Benchmark, Variant
from whyfast.report.pages.results import merged_page
from whyfast.report.render.html import render_html


def _background(page: Any) -> str:
    color: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return color


def test_a_big_report_is_small_and_quickly_ready(opened: Opening) -> None:
    assert len(as_html(big_result())) < 3_000_000
    page = opened(big_result())
    assert page.evaluate("document.querySelectorAll('*').length") < 10_000


def hostile() -> tuple[Result, str]:
    plain = ab_result()
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>%{x}<b>"
    names = {"sleep 0.10": evil, "sleep 0.11": "<script>alert(3)</script>"}
    study = replace(
        plain.question,
        title=evil,
        baselines=(evil,),
        variants=tuple(Variant(n, evil) for n in names.values()),
        benchmarks=(Benchmark(evil, "command", ("x",)),),
    )
    blocks = tuple(
        replace(
            b,
            benchmark=evil,
            order=tuple(tuple(names[n] for n in turn) for turn in b.order),
            values={names[n]: v for n, v in b.values.items()},
        )
        for b in plain.recorded.blocks
    )
    verdicts = (verdict(names["sleep 0.11"], evil, "slower", 1.1, 1.0, 1.2, benchmark=evil),)
    return changed(plain, question=study, blocks=blocks, verdicts=verdicts), evil


def test_hostile_names_are_shown_and_do_nothing(opened: Opening) -> None:
    result, evil = hostile()
    page = opened(result)
    page.get_by_text("Show the values").click()
    page.wait_for_selector("#raw-plot .point")
    page.locator("#raw-plot .point").first.hover(force=True)
    page.locator(POINTS).first.hover(force=True)
    assert page.locator("h1").inner_text() == evil
    assert page.locator("#raw-benchmark option").inner_text() == evil
    assert page.locator("#plots .name").first.text_content() == ("<script>alert(3)</script>")
    assert page.locator("img").count() == 0


def test_dark_and_light(opened: Opening) -> None:
    light = opened(sample_result(), color_scheme="light")
    dark = opened(sample_result(), color_scheme="dark")
    assert _background(light) == "rgb(253, 253, 251)"
    assert _background(dark) == "rgb(21, 24, 27)"
    ink = "getComputedStyle(document.querySelector('#plots .name')).fill"
    assert (light.evaluate(ink), dark.evaluate(ink)) == ("rgb(28, 31, 35)", "rgb(229, 231, 233)")


def test_a_phone_needs_no_sideways_scrolling(opened: Opening) -> None:
    for result in (sample_result(), ab_result(), hostile()[0]):
        page = opened(result, viewport=PHONE)
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.wait_for_selector("#raw-plot .point")
        assert fits_phone(page)


def test_without_javascript_text_and_tables_are_there(opened: Opening) -> None:
    page = opened(sample_result(), java_script_enabled=False)
    assert page.locator(".headline").is_visible()
    assert "2.14x slower [2.10, 2.19]" in page.locator("table").first.inner_text()
    assert page.get_by_text("The plots need JavaScript").is_visible()
    assert page.locator("#raw-values").is_hidden()


def test_printing_puts_the_plots_on_the_page(opened: Opening) -> None:
    page = opened(sample_result(), viewport={"width": 1600, "height": 900})
    assert page.locator("#plots .chart").first.bounding_box()["width"] > 900
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function("document.querySelector('#plots .chart').clientWidth === 620")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.wait_for_function("document.querySelector('#plots .chart').clientWidth > 900")


NAMES = ("kite", "<b>wren</b>", "owl", "rook", "finch")


def _page() -> str:
    asked = study(benchmarks=("fib", "sort"))
    results = [
        measured(name, {"slow": 1 + 0.03 * i}, asked=asked, seed=i, blocks=15)
        for i, name in enumerate(NAMES)
    ]
    return render_html(
        merged_page(merge_results([OneResult(n, r) for n, r in zip(NAMES, results, strict=True)]))
    )


def test_machines_are_chosen_and_everything_follows(opened: Opening) -> None:
    page = opened(_page())
    table = page.locator("section[aria-labelledby=answer] table")
    heads = ["variant", *NAMES, "machines like these"]
    assert table.locator("th:visible", has_text="").all_inner_texts()[: len(heads)] == heads
    # five machines and what is pooled
    assert page.locator("#machine-plots .point").count() == 6
    page.get_by_role("checkbox", name="owl").uncheck()
    page.get_by_role("checkbox", name="<b>wren</b>").uncheck()
    assert page.locator("#machine-plots .point").count() == 4
    left = ["variant", "kite", "rook", "finch", "machines like these"]
    assert table.locator("th:visible").all_inner_texts()[: len(left)] == left
    machines = page.locator("section[aria-labelledby=machines] tbody tr:visible th")
    assert machines.all_inner_texts() == ["kite", "rook", "finch"]
    address = page.url
    assert address.endswith("#without-machine=owl&without-machine=%3Cb%3Ewren%3C%2Fb%3E")
    page.get_by_role("button", name="Back to all machines").click()
    assert page.locator("#machine-plots .point").count() == 6
    assert "#" not in page.url


def test_it_fits_a_phone(opened: Opening) -> None:
    page = opened(_page(), viewport=PHONE)
    assert fits_phone(page)
