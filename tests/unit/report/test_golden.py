"""Whole reports as a reader sees them; between them they hold every section.

NAME.txt is the terminal at 80 columns, and below it with ``--verbose`` at 100; NAME.md is Markdown
with everything, NAME.html.txt the text of the HTML.
"""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.golden_files import check_golden, check_no_others, html_as_text
from tests.unit.fleet.machines import measured, study
from tests.unit.report import examples
from tests.unit.report.big_example import big_result
from tests.unit.report.example import SUITES, ab_result, sample_blocks, sample_result
from tests.unit.report.kernel_example import kernel_result
from tests.unit.report.loop_example import loop_result
from tests.unit.report.parts import changed, printed
from tests.unit.report.placement_example import placement_result
from tests.unit.report.screens.test_one_screen import PAGES, SMALL
from tests.unit.report.slope_example import slope_result
from tests.unit.report.why_example import EQUAL, UNEXPLAINED, WRITING, why_result

from whyfast.fleet.merging import merge_results
from whyfast.history.detect import detect
from whyfast.model.build import BuildFailure
from whyfast.model.evidence import CalleeCounts, EntryFacts, FailedExpectation, OptionTrace
from whyfast.model.history import Timeline
from whyfast.model.result import Merged, OneResult, Result
from whyfast.model.sample import RunFailure
from whyfast.model.study import Claim
from whyfast.report.document import Document, document
from whyfast.report.pages.code_page import code_page
from whyfast.report.pages.history_page import history_page
from whyfast.report.pages.results import merged_page, result_page, why_page
from whyfast.report.render.html import render_html
from whyfast.report.render.markdown import render_markdown
from whyfast.report.result_json import dump_result, from_json
from whyfast.report.sections.side_by_side import code_section, counts_section


def _with_code() -> Result:
    """What handlers save, an option's trace, calls, a known trouble, and two programs' code."""
    result = examples.code_result(*examples.THREE_CODES)
    first, second, *others = result.found.evidence
    entry = EntryFacts(228, 184, 184, 1.0, 82, 0.0)
    first = replace(first, entry=entry, options=(OptionTrace("-pg", 220, 228),))
    return changed(
        result,
        evidence=(first, replace(second, options=()), *others),
        calls=(CalleeCounts("dispatch", "close", True, {"clang18-goto": 22, "clang19-goto": 0}),),
        troubles=(examples.TROUBLE,),
    )


def _troubled() -> Result:
    """A run that was interrupted, with a crash, a failed build, and a variant that is not what its
    name says; too few blocks for the rest."""
    suites = tuple(
        replace(s, verdict=replace(s.verdict, outcome="undecided", low=0.0, high=float("inf")))
        for s in SUITES
    )
    crash = RunFailure("sieve", "clang18-goto", "it ended by signal 11", "vm: no file\n", ())
    return changed(
        sample_result(complete=False),
        suites=suites,
        verdicts=(),
        failures=(crash, crash),
        builds=(BuildFailure("clang19-goto", "failed", "step 1 ended with 1"),),
        failed_expectations=(
            FailedExpectation("clang19-tail", "dispatch", "tail-call", "loop", "168 jumps"),
        ),
    )


def _only_read() -> Result:
    plain = sample_result()
    variants = tuple(replace(v, evidence_only=True) for v in plain.question.variants)
    asked = replace(plain.question, variants=variants, benchmarks=())
    return changed(plain, question=asked, verdicts=(), suites=(), blocks=())


def _merged(*ratios: float, blocks: int = 15) -> Merged:
    asked = replace(
        study(variants=("base", "slow"), benchmarks=("fib", "sort")), claim=Claim("slow", "base")
    )
    names = ("kite", "wren", "owl", "rook", "finch")
    results = [
        OneResult(n, measured(n, {"slow": r}, asked=asked, seed=i, blocks=blocks))
        for i, (n, r) in enumerate(zip(names, ratios, strict=False))
    ]
    return merge_results(results)


def _counters() -> Document:
    base, other = (replace(c, profile=None) for c in examples.simulated().counts)
    return code_page(counts_section([base, other], examples.simulated().hot, ()))


def _steps() -> Document:
    facts = {"": examples.facts(99)}
    series = (examples.series("x", 1.5), *map(examples.series, "abc"))
    return history_page(detect(Timeline(examples.VERSIONS, series, facts=facts, study="my study")))


RESULTS: dict[str, Callable[[], Result]] = {
    "study": sample_result,
    "troubled": _troubled,
    "only-read": _only_read,
    "commands": ab_result,
    "loops": loop_result,
    "metrics": examples.metrics_result,
    "axes": examples.axes_result,
    "parameter": slope_result,
    "counted": lambda: examples.counted_result(examples.simulated(), examples.simulated("c")),
    "placement": lambda: placement_result(benchmarks=("calls", "other")),
    "fixes": lambda: examples.fixes_result(examples.fix_of("removed")),
    "kernel-counts": kernel_result,
    "kernel-counts-without-parameter": lambda: kernel_result(parameter=False),
    "machine-code": _with_code,
    "matrix": lambda: examples.matrix_result(observed=examples.figures()),
}
OTHERS: dict[str, Callable[[], Document]] = {
    **{name.replace(" ", "-"): page for name, page in {**PAGES, **SMALL}.items() if name != "run"},
    "why": lambda: why_page(why_result()),
    "why-calls": lambda: why_page(why_result(WRITING)),
    "why-unexplained": lambda: why_page(why_result(UNEXPLAINED)),
    "why-equal": lambda: why_page(why_result(EQUAL)),
    "merged": lambda: merged_page(_merged(1.0, 1.1, 1.0, 0.9, 1.05)),
    "merged-alike": lambda: merged_page(_merged(1.1, 1.1)),
    "merged-too-few": lambda: merged_page(_merged(1.0, 1.1, blocks=9)),
    "history-of-machines": lambda: history_page(examples.two_machines()),
    "history-of-commits": _steps,
    "benchmarks-as-rows": lambda: result_page(examples.matrix_result(), "benchmarks"),
    "history-of-nothing": lambda: history_page(
        detect(Timeline(examples.VERSIONS, tuple(map(examples.series, "abc"))))
    ),
    "code-side-by-side": lambda: document("explain", code_section([examples.CODE_PAIR], "main")),
    "counters": _counters,
}
#: Sentences that the tests of their topics compare.
ELSEWHERE = [
    *("answers.md", "fixes.md", "kernels.md", "machines.md", "placements.md", "searches.md"),
    *("troubles.md", "unusual-blocks.md"),
]
#: Shown in every form; of all others the terminal shows the same tables and sentences.
EVERY_FORM = (
    "study",
    "commands",
    "parameter",
    "placement",
    "kernel-counts",
    "machine-code",
    "matrix",
    "code-side-by-side",
    "why",
)
#: So long that only the first screen is kept.
LONG = tuple(n for n in OTHERS if "many" in n or n.endswith(("-two", "-long-commands")))


def _pages() -> dict[str, Callable[[], Document]]:
    def page_of(make: Callable[[], Result]) -> Callable[[], Document]:
        return lambda: result_page(make())

    return {**{name: page_of(make) for name, make in RESULTS.items()}, **OTHERS}


def _terminal(name: str, page: Document) -> str:
    short = printed(page, 80)
    if name in LONG:
        return short
    return f"{short}\n{'=' * 20} --verbose, 100 columns\n{printed(page, 100, verbose=True)}"


CASES: dict[str, Callable[[], str]] = {
    "big.txt": lambda: printed(result_page(big_result()), 80),
    "study.json": lambda: dump_result(sample_result(blocks=sample_blocks(1, 2)[:2])),
    **{
        f"{name}.txt": lambda name=name, page=page: _terminal(name, page())  # type: ignore[misc]
        for name, page in _pages().items()
    },
    **{
        f"{name}.md": lambda page=page: render_markdown(page(), verbose=True)  # type: ignore[misc]
        for name, page in _pages().items()
        if name in EVERY_FORM
    },
    **{
        f"{name}.html.txt": lambda page=page: html_as_text(render_html(page()))  # type: ignore[misc]
        for name, page in _pages().items()
        if name in EVERY_FORM
    },
}


@pytest.mark.golden
@pytest.mark.parametrize("name", CASES)
def test_it_is_what_was_reviewed(name: str) -> None:
    check_golden("report", name, CASES[name]())


@pytest.mark.golden
def test_no_document_is_left_over() -> None:
    check_no_others("report", [*CASES, *ELSEWHERE])


@pytest.mark.parametrize("name", [*RESULTS, "why"])
def test_json_gives_a_result_back(name: str) -> None:
    result = {**RESULTS, "why": why_result}[name]()
    again = from_json(json.loads(dump_result(result)))
    assert again == result
