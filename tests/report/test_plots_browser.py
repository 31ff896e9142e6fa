"""Plots of layouts, parameters and time, and code side by side. Tables that sort, filter and come
in pages; every raw value."""

import csv
import importlib
import io
from dataclasses import replace

from tests.report.conftest import PHONE, Opening, fits_phone
from tests.unit.report.big_example import big_result
from tests.unit.report.example import sample_blocks, sample_result
from tests.unit.report.pages.test_search_page import _searched
from tests.unit.report.parts import changed
from tests.unit.report.placement_example import placement_result
from tests.unit.report.slope_example import slope_result
from tests.unit.search.worlds import step_at

from whyfast.explain.code_diff import align
from whyfast.model.code import CodeLine, CodeListing, CodePair
from whyfast.model.study import Claim
from whyfast.report.document import Cell, document, right, section, table
from whyfast.report.pages.search_page import search_page
from whyfast.report.render.html import render_html
from whyfast.report.sections.side_by_side import code_section

DOTS = "#placement-plots .chart .trace:nth-child(1) .point"


def test_placement_is_drawn_with_a_dot_a_layout(opened: Opening) -> None:
    page = opened(placement_result())
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


def test_of_many_placements_all_but_that_of_the_claim_are_folded(opened: Opening) -> None:
    plain = placement_result()
    pairs = [p for p in plain.judged.placements if p.linked.baseline == "before"]
    many = [
        replace(p, linked=replace(p.linked, variant=f"{p.linked.variant} {i}"))
        for i in range(3)
        for p in pairs
    ]
    claimed = replace(plain.question, claim=Claim("more-work 1", "before"))
    page = opened(changed(plain, question=claimed, placements=(*many,)))
    captions = page.locator("#placement-plots figcaption").all_inner_texts()
    assert captions == ["'more-work 1' against before: the change"]
    assert page.locator("#placement-more figure").count() == 0
    page.locator("#placement-more summary").click()
    page.wait_for_selector("#placement-more figure")
    assert page.locator("#placement-more figure").count() == 5


def test_placement_of_several_benchmarks_is_a_row_each(opened: Opening) -> None:
    evil = "<img src=x onerror=alert(1)>"
    page = opened(placement_result(benchmarks=("calls", evil)))
    figure = page.locator("#placement-plots figure").first
    assert figure.locator(".name").all_text_contents()[:3] == ["geometric mean", "calls", evil]
    assert page.locator("img").count() == 0
    assert figure.locator(".trace:nth-child(1) .point").count() == 48


def test_placement_fits_a_phone_and_follows_the_scheme(opened: Opening) -> None:
    for scheme, ink in (("light", "rgb(28, 31, 35)"), ("dark", "rgb(229, 231, 233)")):
        page = opened(
            placement_result(benchmarks=("calls", "other")), viewport=PHONE, color_scheme=scheme
        )
        assert fits_phone(page)
        color = "getComputedStyle(document.querySelector('#placement-plots .name')).fill"
        assert page.evaluate(color) == ink


def test_placement_without_javascript_is_the_table(opened: Opening) -> None:
    page = opened(placement_result(), java_script_enabled=False)
    section = page.locator("section[aria-labelledby=placement]")
    assert "1.65x slower [1.62, 1.68]" in section.locator("table").inner_text()
    assert section.get_by_text("the tables say the same").is_visible()
    assert page.locator("#placement-plots").is_hidden()


def test_a_slider_shows_the_times_of_one_parameter(opened: Opening) -> None:
    page = opened(slope_result())
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


def test_the_time_line_has_a_dot_a_block(opened: Opening) -> None:
    page = opened(sample_result(), viewport=PHONE)
    assert page.locator("#timeline-plot .point").count() == 6 * 8
    assert page.locator("#timeline-plot .name").all_text_contents() == ["start"]


def test_two_functions_side_by_side(opened: Opening) -> None:
    equal = [CodeLine(f"mov r{i}", f"mov r{i}") for i in range(12)]
    evil = "<img src=x onerror=alert(1)>"
    sides = [
        CodeListing("vm_run", (*equal, CodeLine(text, text, "indirect jump", "vm.c:7")))
        for text in ("jmp qword ptr [rax]", evil)
    ]
    pair = CodePair("old", "new", (align(*sides),))
    page_ = render_html(document("explain", code_section([pair], "main")))
    page = opened(page_, viewport=PHONE)
    assert page.locator("tr").count() == 0
    page.goto(f"{page.url}#code-old--new-0")
    page.wait_for_selector(".sides tr.changed")
    # A link to it opens it; what is equal is one row, that unfolds.
    assert page.locator(".sides tbody tr:visible").count() == 5
    assert page.locator(".sides .indirect").all_inner_texts() == ["jmp qword ptr [rax]", evil]
    assert page.locator("img").count() == 0
    page.get_by_role("button", name="9 equal instructions").click()
    assert page.locator(".sides tbody tr:visible").count() == 13
    assert fits_phone(page)


def test_a_search_draws_where_the_step_may_lie(opened: Opening) -> None:
    page = opened(render_html(search_page(_searched(step_at(8, 16, 0.03)))), viewport=PHONE)
    page = page
    above, below = page.locator("[data-kind=search] .chart").all()
    # A bar and its top for each gap; a point and its interval for each candidate.
    assert above.locator("rect.shape").count() == above.locator(".point").count() > 0
    assert below.locator(".point").count() == below.locator(".yerror").count() == 7
    assert fits_phone(page)


def test_tables_sort_by_keyboard_and_filter(opened: Opening) -> None:
    page = opened(big_result())
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
    page = opened(render_html(document("explain", section("f", "F", made, importance="record"))))
    assert page.locator("tbody tr").count() == 0
    page.get_by_text("Every function").click()
    page.wait_for_selector("tbody tr:visible")
    assert page.locator("tbody tr:visible").count() == 200
    page.locator("thead th").nth(1).click()
    assert page.locator("tbody tr").first.inner_text().split() == ["function", "0", "0"]
    page.get_by_role("searchbox").fill("function 99")
    assert page.locator("tbody tr:visible").count() == 11
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Show more rows (200 of 1000 shown)").click()
    assert page.locator("tbody tr:visible").count() == 400


def test_raw_values_appear_on_demand(opened: Opening) -> None:
    page = opened(sample_result())
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


def test_a_long_table_is_shown_in_pages(opened: Opening) -> None:
    page = opened(sample_result(blocks=sample_blocks(100, 5)))
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
    page = opened(result)
    page.get_by_text("Show the values").click()
    with page.expect_download() as download:
        page.get_by_text("CSV of all").click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(io.StringIO(file.read())))
    assert len(rows) == sum(len(v) for b in result.recorded.blocks for v in b.values.values())
    found = [float(r["seconds_for_all_loops"]) for r in rows if r["variant"] == "clang19-tail"]
    assert found == [v for b in result.recorded.blocks for v in b.values["clang19-tail"]]
    assert rows[0]["place_in_turn"] == "0"


def test_too_many_points_are_summarised_and_that_is_said(opened: Opening) -> None:
    block = replace(sample_blocks(1)[0], order=())
    many = replace(block, values={name: v * 2500 for name, v in block.values.items()})
    page = opened(sample_result(blocks=(many,)))
    page.get_by_text("Show the values").click()
    page.wait_for_selector("#raw-plot .point")
    assert page.locator("#raw-plot .point").count() == 4
    assert "50000 values are too many to draw" in page.locator("#raw-plot-note").inner_text()
