"""Tables that sort, filter and come in pages; every raw value."""

from __future__ import annotations

import csv
import importlib
import io
from dataclasses import replace

from tests.report.conftest import Opening
from tests.unit.report.big_example import big_result
from tests.unit.report.example import sample_blocks, sample_result

from whyfast.report.document import Cell, document, right, section, table
from whyfast.report.render.html import render_html


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
    page = opened(
        render_html(document("explain", "", "", section("f", "F", made, importance="record")))
    )
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
