"""The picture of all variants, and the choice of baseline and benchmarks."""

from __future__ import annotations

import importlib
import itertools
from dataclasses import replace

from tests.report.conftest import PHONE, POINTS, Opening, fits_phone
from tests.unit.report.big_example import big_result
from tests.unit.report.example import SUITES, ab_result, sample_result
from tests.unit.report.parts import changed


def test_the_picture_shows_every_variant_against_the_chosen_baseline(opened: Opening) -> None:
    page = opened(sample_result())
    assert page.locator("#plots figcaption").all_inner_texts() == ["geometric mean of 6 benchmarks"]
    assert page.locator(POINTS).count() == page.locator("#plots .xerror").count() == 3
    assert page.locator("#plots .name").all_text_contents()[:6] == [
        "clang19-tail", "clang19-goto-taildup", "clang19-goto",
        "1.012x faster [1.006, 1.018]", "same 1.001x [0.998, 1.004]", "2.14x slower [2.10, 2.19]",
    ]  # fmt: skip
    label = page.locator("#plots [role=img]").get_attribute("aria-label")
    assert "clang19-goto 2.14x slower [2.10, 2.19]" in label
    assert page.locator("#choice-text").inner_text() == (
        "Against clang18-goto, geometric mean of 6 benchmarks: 1 faster, 1 same, 1 slower. "
        "clang19-tail: 1.012x faster [1.006, 1.018]. clang19-goto: 2.14x slower [2.10, 2.19]."
    )
    page.locator("#baselines").get_by_label("clang19-goto", exact=True).check()
    label = page.locator("#plots [role=img]").get_attribute("aria-label")
    assert "clang18-goto 2.14x faster [2.10, 2.19]" in label
    assert page.evaluate("location.hash") == "#against=clang19-goto"


def test_chosen_benchmarks_change_sentence_picture_and_tables(opened: Opening) -> None:
    page = opened(sample_result())
    summary = page.locator("table[data-overall] tbody tr", has_text="clang19-goto").first
    for name in ("sieve", "fib", "nbody", "sort"):
        page.get_by_label(name, exact=True).uncheck()
    # The estimates of mandel and hash are 2.14 and 2.14 x 1.003, their ends averaged likewise.
    said = page.locator("#choice-text").inner_text()
    assert "geometric mean of 2 of 6 benchmarks" in said
    assert "clang19-goto: 2.14x slower [2.10, 2.20]" in said
    assert "holds with at least 90 %" in said
    assert "2.14x slower [2.10, 2.20]" in summary.inner_text()
    assert page.locator("tr[data-benchmark=sieve]:visible").count() == 0
    assert page.locator("#plots figcaption").inner_text() == "Mean of the chosen benchmarks"
    page.get_by_role("button", name="Back to all benchmarks").click()
    assert "2.14x slower [2.10, 2.19]" in summary.inner_text().replace("\n", " ")
    assert page.evaluate("location.hash") == ""


def test_a_link_shows_the_same_choice(opened: Opening) -> None:
    page = opened(sample_result())
    page.goto(f"{page.url}#against=clang19-goto&without=fib&without=hash&order=study")
    expect = importlib.import_module("playwright.sync_api").expect
    expect(page.get_by_label("fib", exact=True)).not_to_be_checked()
    expect(page.locator("#baselines").get_by_label("clang19-goto", exact=True)).to_be_checked()
    expect(page.get_by_label("sorted")).not_to_be_checked()
    assert "4 of 6 benchmarks" in page.locator("#choice-text").inner_text()
    # Tables against another baseline are out of sight, and so is what folds them.
    assert page.locator("[data-against=clang18-goto]:visible").count() == 0
    assert page.get_by_text("Each benchmark against clang18-goto").is_hidden()
    assert page.get_by_text("Each benchmark against clang19-goto").is_visible()


def test_the_last_benchmark_stays_chosen(opened: Opening) -> None:
    page = opened(sample_result())
    boxes = page.locator("#chosen input")
    for i in range(6):
        boxes.nth(i).click()
    assert page.locator("#chosen input:checked").count() == 1
    assert "on hash" in page.locator("#choice-text").inner_text()


def test_a_distribution_has_a_dot_a_benchmark_the_fastest_on_top(opened: Opening) -> None:
    page = opened(big_result())
    page.locator("#more-plots summary").click()
    figure = page.locator("#more-plots figure").nth(1)
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


def test_many_variants_and_benchmarks_are_drawn_when_unfolded(opened: Opening) -> None:
    page = opened(big_result(), viewport=PHONE)
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
    assert fits_phone(page)


def test_one_benchmark_needs_no_folds(opened: Opening) -> None:
    page = opened(ab_result())
    assert page.locator("#plots figure").count() == 1
    for hidden in ("#more-plots", "#benchmark-plots", "#chosen", "#baselines"):
        assert page.locator(hidden).is_hidden()


def test_unbounded_intervals_are_points_without_bars(opened: Opening) -> None:
    suites = tuple(
        replace(s, verdict=replace(s.verdict, outcome="undecided", low=0.0, high=float("inf")))
        for s in SUITES
    )
    page = opened(changed(sample_result(), suites=suites, verdicts=()))
    assert page.locator(POINTS).count() == 3
    assert "(too few blocks)" in page.locator("table").first.inner_text()
