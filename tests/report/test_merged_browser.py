"""The page of ``whyfast merge`` in a real browser."""

from __future__ import annotations

from tests.report.conftest import PHONE, Opening, fits_phone
from tests.unit.fleet.machines import measured, study

from whyfast.fleet.merging import merge_results
from whyfast.model.result import OneResult
from whyfast.report.pages.many_results import merged_page
from whyfast.report.render.html import render_html

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
