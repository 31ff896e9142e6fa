"""The HTML report in a real browser: it draws, it stays offline, and no name can harm it."""

from __future__ import annotations

import csv
import importlib
import io
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.report.conftest import Opened
from tests.unit.report.big_example import big_result
from tests.unit.report.example import SUITES, ab_result, sample_blocks, sample_result, verdict
from tests.unit.report.parts import as_html, changed
from tests.unit.report.placement_example import placement_result
from tests.unit.report.slope_example import slope_result

from whyfast.explain.code_diff import align
from whyfast.model.code_listing import CodeLine, CodeListing, CodePair
from whyfast.model.result import Result
from whyfast.model.variant import Benchmark, Variant
from whyfast.report.document import Cell, document, right, section, table
from whyfast.report.render.html import render_html
from whyfast.report.topics.code_sides import code_section

Opening = Callable[..., Opened]
POINTS = "#plots .chart .point"
PHONE = {"width": 380, "height": 800}


def _clean(seen: Opened) -> None:
    assert seen.said == []
    assert [url for url in seen.requests if not url.startswith(("file:", "data:", "blob:"))] == []


def _background(page: Any) -> str:
    color: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return color


def test_the_picture_shows_every_variant_against_the_chosen_baseline(opened: Opening) -> None:
    seen = opened(sample_result())
    page = seen.page
    assert page.locator("#plots figcaption").all_inner_texts() == ["geometric mean of 6 benchmarks"]
    assert page.locator(POINTS).count() == page.locator("#plots .xerror").count() == 3
    assert page.locator("#plots .name").all_text_contents()[:6] == [
        "clang19-tail", "clang19-goto-taildup", "clang19-goto",
        "1.01x faster [1.01, 1.02]", "same 1.001x [0.998, 1.004]", "2.14x slower [2.10, 2.19]",
    ]  # fmt: skip
    label = page.locator("#plots [role=img]").get_attribute("aria-label")
    assert "clang19-goto 2.14x slower [2.10, 2.19]" in label
    assert page.locator("#said").inner_text() == (
        "Against clang18-goto, geometric mean of 6 benchmarks: 1 faster, 1 same, 1 slower. "
        "clang19-tail: 1.01x faster [1.01, 1.02]. clang19-goto: 2.14x slower [2.10, 2.19]."
    )
    page.locator("#baselines").get_by_label("clang19-goto", exact=True).check()
    label = page.locator("#plots [role=img]").get_attribute("aria-label")
    assert "clang18-goto 2.14x faster [2.10, 2.19]" in label
    assert page.evaluate("location.hash") == "#against=clang19-goto"
    _clean(seen)


def test_chosen_benchmarks_change_sentence_picture_and_tables(opened: Opening) -> None:
    seen = opened(sample_result())
    page = seen.page
    summary = page.locator("table[data-overall] tbody tr", has_text="clang19-goto").first
    for name in ("sieve", "fib", "nbody", "sort"):
        page.get_by_label(name, exact=True).uncheck()
    # The estimates of mandel and hash are 2.14 and 2.14 x 1.003, their ends averaged likewise.
    said = page.locator("#said").inner_text()
    assert "geometric mean of 2 of 6 benchmarks" in said
    assert "clang19-goto: 2.14x slower [2.10, 2.20]" in said
    assert "holds with at least 90 %" in said
    assert "2.14x slower [2.10, 2.20]" in summary.inner_text()
    assert page.locator("tr[data-benchmark=sieve]:visible").count() == 0
    assert page.locator("#plots figcaption").inner_text() == "Mean of the chosen benchmarks"
    page.get_by_role("button", name="Back to all benchmarks").click()
    assert "2.14x slower [2.10, 2.19]" in summary.inner_text().replace("\n", " ")
    assert page.evaluate("location.hash") == ""
    _clean(seen)


def test_a_link_shows_the_same_choice(opened: Opening) -> None:
    page = opened(sample_result()).page
    page.goto(f"{page.url}#against=clang19-goto&without=fib&without=hash&order=study")
    expect = importlib.import_module("playwright.sync_api").expect
    expect(page.get_by_label("fib", exact=True)).not_to_be_checked()
    expect(page.locator("#baselines").get_by_label("clang19-goto", exact=True)).to_be_checked()
    expect(page.get_by_label("sorted")).not_to_be_checked()
    assert "4 of 6 benchmarks" in page.locator("#said").inner_text()
    # Tables against another baseline are out of sight, and so is what folds them.
    assert page.locator("[data-against=clang18-goto]:visible").count() == 0
    assert page.get_by_text("Each benchmark against clang18-goto").is_hidden()
    assert page.get_by_text("Each benchmark against clang19-goto").is_visible()


def test_the_last_benchmark_stays_chosen(opened: Opening) -> None:
    page = opened(sample_result()).page
    boxes = page.locator("#chosen input")
    for i in range(6):
        boxes.nth(i).click()
    assert page.locator("#chosen input:checked").count() == 1
    assert "on hash" in page.locator("#said").inner_text()


def test_a_distribution_has_a_dot_a_benchmark_the_fastest_on_top(opened: Opening) -> None:
    seen = opened(big_result())
    seen.page.locator("#more-plots summary").click()
    figure = seen.page.locator("#more-plots figure").nth(1)
    assert figure.locator("figcaption").inner_text() == (
        "clang19-taildup: faster on 14, slower on 11 of 32"
    )
    boxes = [p.bounding_box() for p in figure.locator(".point").all()]
    assert len(boxes) == 32
    middles = sorted((b["y"] + b["height"] / 2, b["x"] + b["width"] / 2) for b in boxes)
    across = [x for _, x in middles]
    # Downwards is slower; the symbols differ in where their middle is.
    assert all(later > earlier - 2 for earlier, later in itertools.pairwise(across))
    assert across[-1] > across[0] + 30
    names = figure.locator(".name").all_text_contents()
    assert (names[0], names[31]) == ("async_generators", "pidigits")
    # The geometric mean: a dashed line and its interval, beside the margin and the line at 1.
    assert figure.locator(".shape").count() == 4
    _clean(seen)


def test_many_variants_and_benchmarks_are_drawn_when_unfolded(opened: Opening) -> None:
    seen = opened(big_result(), viewport=PHONE)
    page = seen.page
    assert page.locator("#plots figure").count() == 1
    more, each = page.locator("#more-plots"), page.locator("#benchmark-plots")
    assert more.locator("figure").count() == each.locator("figure").count() == 0
    more.locator("summary").click()
    page.wait_for_selector("#more-plots .point")
    assert more.locator("figure").count() == 10
    each.locator("summary").click()
    page.wait_for_selector("#benchmark-plots .point")
    assert each.locator("figure").count() == 32
    assert each.locator(".point").count() == 32 * 10
    page.locator("#baselines").get_by_label("clang19", exact=True).check()
    # What is unfolded follows the choice.
    label = each.locator("[role=img]").first.get_attribute("aria-label")
    assert label.startswith("asyncio_tcp_ssl: time relative to clang19.")
    assert more.locator("figure").count() == 10
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    _clean(seen)


def test_a_big_report_is_small_and_quickly_ready(opened: Opening) -> None:
    assert len(as_html(big_result())) < 3_000_000
    page = opened(big_result()).page
    assert page.evaluate("document.querySelectorAll('*').length") < 10_000


def test_tables_sort_by_keyboard_and_filter(opened: Opening) -> None:
    page = opened(big_result()).page
    table = page.locator("table[data-overall]")
    first = table.locator("tbody tr").first.locator("th")
    head = table.locator("thead th").nth(1)
    head.focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert first.inner_text() == "clang22-tc"
    page.keyboard.press("Enter")
    assert first.inner_text() != "clang22-tc"
    shown = table.locator("tbody tr:visible")
    section = page.locator("section[aria-labelledby=answer]")
    section.get_by_role("searchbox").first.fill("gcc")
    assert shown.locator("th").all_inner_texts() != []
    assert all("gcc" in name for name in shown.locator("th").all_inner_texts())


def test_a_long_table_is_drawn_on_demand(opened: Opening) -> None:
    rows = [(f"function {i}", Cell(str(i * 7 % 1000), number=i * 7 % 1000)) for i in range(1000)]
    made = table("Every function", ("function", *right("bytes")), rows)
    page = opened(
        render_html(document("explain", "", "", section("f", "F", made, importance="record")))
    ).page
    assert page.locator("tbody tr").count() == 0
    page.get_by_text("Every function").click()
    page.wait_for_selector("tbody tr")
    assert page.locator("tbody tr").count() == 200
    page.locator("thead th").nth(1).click()
    assert page.locator("tbody tr").first.inner_text().split() == ["function", "0", "0"]
    page.get_by_role("searchbox").fill("function 99")
    assert page.locator("tbody tr").count() == 11
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Show more rows (200 of 1000 shown)").click()
    assert page.locator("tbody tr").count() == 400


def test_one_benchmark_needs_no_folds(opened: Opening) -> None:
    page = opened(ab_result()).page
    assert page.locator("#plots figure").count() == 1
    for hidden in ("#more-plots", "#benchmark-plots", "#chosen", "#baselines"):
        assert page.locator(hidden).is_hidden()


def test_raw_values_appear_on_demand(opened: Opening) -> None:
    seen = opened(sample_result())
    page = seen.page
    assert page.locator("#raw-table tr").count() == 0
    page.get_by_text("Show the values").click()
    page.wait_for_selector("#raw-plot .point")
    # 4 variants x 8 blocks x 5 turns.
    assert page.locator("#raw-plot .point").count() == 160
    assert page.locator("#raw-table tbody tr").count() == 40
    assert page.locator("#raw-table tbody tr").first.inner_text().split() == [
        "0", "0", "1000.0", "2141.2", "999.88", "991.63",
    ]  # fmt: skip
    page.locator("#raw-benchmark").select_option("fib")
    assert page.locator("#raw-table caption").inner_text() == "Time of one inner loop in ms"
    _clean(seen)


def test_a_long_table_is_shown_in_pages(opened: Opening) -> None:
    seen = opened(sample_result(blocks=sample_blocks(100, 5)))
    page = seen.page
    page.get_by_text("Show the values").click()
    more = page.locator("#raw-more")
    expect = importlib.import_module("playwright.sync_api").expect
    expect(more).to_have_text("Show more rows (200 of 500 shown)")  # waits for the script
    more.click()
    more.click()
    expect(page.locator("#raw-table tbody tr")).to_have_count(500)
    assert more.is_hidden()


def test_csv_holds_every_value_exactly(opened: Opening) -> None:
    result = sample_result()
    seen = opened(result)
    page = seen.page
    page.get_by_text("Show the values").click()
    with page.expect_download() as download:
        page.get_by_text("CSV of all").click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    assert len(rows) == sum(len(v) for b in result.recorded.blocks for v in b.values.values())
    found = [float(r["seconds_for_all_loops"]) for r in rows if r["variant"] == "clang19-tail"]
    assert found == [v for b in result.recorded.blocks for v in b.values["clang19-tail"]]
    assert rows[0]["place_in_turn"] == "0"
    _clean(seen)


def test_too_many_points_are_summarised_and_that_is_said(opened: Opening) -> None:
    block = replace(sample_blocks(1)[0], order=())
    many = replace(block, values={name: v * 2500 for name, v in block.values.items()})
    seen = opened(sample_result(blocks=(many,)))
    page = seen.page
    page.get_by_text("Show the values").click()
    page.wait_for_selector("#raw-plot .point")
    assert page.locator("#raw-plot .point").count() == 4
    assert "50000 values are too many to draw" in page.locator("#raw-plot-note").inner_text()


def _hostile() -> tuple[Result, str]:
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
    result, evil = _hostile()
    seen = opened(result)
    page = seen.page
    page.get_by_text("Show the values").click()
    page.wait_for_selector("#raw-plot .point")
    page.locator("#raw-plot .point").first.hover(force=True)
    page.locator(POINTS).first.hover(force=True)
    assert page.locator("h1").inner_text() == evil
    assert page.locator("#raw-benchmark option").inner_text() == evil
    assert page.locator("#plots .name").first.text_content() == ("<script>alert(3)</script>")
    assert page.locator("img").count() == 0
    _clean(seen)


def test_unbounded_intervals_are_points_without_bars(opened: Opening) -> None:
    suites = tuple(
        replace(s, verdict=replace(s.verdict, word="undecided", low=0.0, high=float("inf")))
        for s in SUITES
    )
    seen = opened(changed(sample_result(), suites=suites, verdicts=()))
    assert seen.page.locator(POINTS).count() == 3
    assert "(too few blocks)" in seen.page.locator("table").first.inner_text()
    _clean(seen)


def test_dark_and_light(opened: Opening) -> None:
    light = opened(sample_result(), color_scheme="light").page
    dark = opened(sample_result(), color_scheme="dark").page
    assert _background(light) == "rgb(253, 253, 251)"
    assert _background(dark) == "rgb(21, 24, 27)"
    ink = "getComputedStyle(document.querySelector('#plots .name')).fill"
    assert (light.evaluate(ink), dark.evaluate(ink)) == ("rgb(28, 31, 35)", "rgb(229, 231, 233)")


def test_a_phone_needs_no_sideways_scrolling(opened: Opening) -> None:
    for result in (sample_result(), ab_result(), _hostile()[0]):
        seen = opened(result, viewport=PHONE)
        page = seen.page
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.wait_for_selector("#raw-plot .point")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        _clean(seen)


def test_without_javascript_text_and_tables_are_there(opened: Opening) -> None:
    page = opened(sample_result(), java_script_enabled=False).page
    assert page.locator(".headline").is_visible()
    assert "2.14x slower [2.10, 2.19]" in page.locator("table").first.inner_text()
    assert page.get_by_text("The plots need JavaScript").is_visible()
    assert page.locator("#raw-values").is_hidden()


def test_printing_puts_the_plots_on_the_page(opened: Opening) -> None:
    page = opened(sample_result(), viewport={"width": 1600, "height": 900}).page
    assert page.locator("#plots .chart").first.bounding_box()["width"] > 900
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function("document.querySelector('#plots .chart').clientWidth === 620")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.wait_for_function("document.querySelector('#plots .chart').clientWidth > 900")


DOTS = "#placement-plots .chart .trace:nth-child(1) .point"


def test_placement_is_drawn_with_a_dot_a_layout(opened: Opening) -> None:
    seen = opened(placement_result())
    page = seen.page
    # Two variants against before: 16 dots each, two intervals each.
    assert page.locator("#placement-plots figure").count() == 2
    assert page.locator(DOTS).count() == 32
    assert page.locator("#placement-plots .xerror").count() == 4
    assert page.locator("#placement-plots figcaption").all_inner_texts() == [
        "after against before: placement",
        "more-work against before: the change",
    ]
    label = page.locator("#placement-plots [role=img]").first.get_attribute("aria-label")
    assert "as linked 1.65x slower [1.62, 1.68]" in label
    # The dots lie near 1, the interval as linked far to the right of them.
    figure = page.locator("#placement-plots .plot").first
    dots = [p.bounding_box()["x"] for p in figure.locator(".trace:nth-child(1) .point").all()]
    linked = figure.locator(".trace:nth-child(2) .point").bounding_box()["x"]
    assert linked - max(dots) > 5 * (max(dots) - min(dots)) > 0
    page.locator("#placement-baselines").get_by_label("after", exact=True).check()
    assert page.locator("#placement-plots figure").count() == 1
    assert page.locator("#placement-plots figcaption").inner_text() == (
        "before against after: placement"
    )
    _clean(seen)


def test_placement_of_several_benchmarks_is_a_row_each(opened: Opening) -> None:
    evil = "<img src=x onerror=alert(1)>"
    seen = opened(placement_result(benchmarks=("calls", evil)))
    figure = seen.page.locator("#placement-plots figure").first
    assert figure.locator(".name").all_text_contents()[:3] == [
        "geometric mean",
        "calls",
        evil,
    ]
    assert seen.page.locator("img").count() == 0
    assert figure.locator(".trace:nth-child(1) .point").count() == 48
    _clean(seen)


def test_placement_fits_a_phone_and_follows_the_scheme(opened: Opening) -> None:
    for scheme, ink in (("light", "rgb(28, 31, 35)"), ("dark", "rgb(229, 231, 233)")):
        seen = opened(
            placement_result(benchmarks=("calls", "other")), viewport=PHONE, color_scheme=scheme
        )
        page = seen.page
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        color = "getComputedStyle(document.querySelector('#placement-plots .name')).fill"
        assert page.evaluate(color) == ink
        _clean(seen)


def test_placement_without_javascript_is_the_table(opened: Opening) -> None:
    page = opened(placement_result(), java_script_enabled=False).page
    section = page.locator("section[aria-labelledby=placement]")
    assert "1.65x slower [1.62, 1.68]" in section.locator("table").inner_text()
    assert page.get_by_text("the table says the same without the dots").is_visible()
    assert page.locator("#placement-plots").is_hidden()


def test_a_slider_shows_the_times_of_one_parameter(opened: Opening) -> None:
    seen = opened(slope_result())
    page = seen.page
    assert page.locator(".slopes .chart").count() == 3
    bars = page.locator(".slopes-at")
    assert "hardened: 543 ns [532, 554]" in bars.get_attribute("aria-label")
    assert page.locator(".slopes output").inner_text() == "33"
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".slopes output").inner_text() == "5"
    assert slider.get_attribute("aria-valuetext") == "5 tail calls"
    assert "hardened: 95.0 ns [93.1, 96.9]" in bars.get_attribute("aria-label")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    _clean(seen)


def test_the_time_line_has_a_dot_a_block(opened: Opening) -> None:
    seen = opened(sample_result(), viewport=PHONE)
    assert seen.page.locator("#timeline-plot .point").count() == 6 * 8
    assert seen.page.locator("#timeline-plot .name").all_text_contents() == ["start"]
    _clean(seen)


def test_two_functions_side_by_side(opened: Opening) -> None:
    equal = [CodeLine(f"mov r{i}", f"mov r{i}") for i in range(12)]
    evil = "<img src=x onerror=alert(1)>"
    sides = [
        CodeListing("vm_run", (*equal, CodeLine(text, text, "indirect jump", "vm.c:7")))
        for text in ("jmp qword ptr [rax]", evil)
    ]
    pair = CodePair("old", "new", (align(*sides),))
    page_ = render_html(document("explain", "", "", code_section([pair], "main")))
    seen = opened(page_, viewport=PHONE)
    page = seen.page
    assert page.locator("tr").count() == 0
    page.goto(f"{page.url}#code-old--new-0")
    page.wait_for_selector(".sides tr.changed")
    # A link to it opens it; what is equal is one row, that unfolds.
    assert page.locator(".sides tbody tr").count() == 5
    assert page.locator(".sides .indirect").all_inner_texts() == ["jmp qword ptr [rax]", evil]
    assert page.locator("img").count() == 0
    page.get_by_role("button", name="9 equal instructions").click()
    assert page.locator(".sides tbody tr").count() == 13
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    _clean(seen)
