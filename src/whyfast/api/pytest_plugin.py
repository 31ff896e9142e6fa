"""The pytest plug-in: the fixture ``whyfast`` measures callables against each other.

    def test_parser(whyfast):
        whyfast(old_parse, new_parse, arguments={"text": TEXT})

With ``--whyfast-fail-on slower`` a test fails when a side is slower than the first. What was found
is listed at the end. pytest loads this module in every run, so it imports next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

import whyfast as wf

Side = Callable[..., object] | str

#: The key of a test's property with what was found.
_FOUND = "whyfast"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plug-in."""
    group = parser.getgroup("whyfast", "callables measured against each other by whyfast")
    group.addoption(
        "--whyfast-fail-on", choices=["slower"], help="fail where a side is slower than the first"
    )
    group.addoption("--whyfast-budget", metavar="TIME", default="20s", help="of each comparison")
    text = "smallest relevant difference (default: 1%%)"
    group.addoption("--whyfast-margin", metavar="PERCENT", default="1%", help=text)


class Comparer:
    """What the fixture gives a test: called with sides, it measures them."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._node = request.node
        self._options = request.config.option

    def __call__(
        self,
        *sides: Side | Mapping[str, Side],
        setup: str = "",
        arguments: Mapping[str, object] = {},
        budget: float | str | None = None,
        margin: float | str | None = None,
        different: bool = False,
    ) -> wf.Report:
        """As :func:`whyfast.timeit`, with budget and margin of the command line unless given."""
        report = wf.timeit(
            *sides,
            setup=setup,
            arguments=arguments,
            budget=budget or self._options.whyfast_budget,
            margin=margin or self._options.whyfast_margin,
            different=different,
        )
        self._node.user_properties.append((_FOUND, report.headline))
        fail_on = self._options.whyfast_fail_on
        if fail_on and any(v.outcome == fail_on for v in report.verdicts):
            pytest.fail(report.headline, pytrace=False)
        return report


@pytest.fixture
def whyfast(request: pytest.FixtureRequest) -> Comparer:
    """Measures callables or statements against each other; the first is the baseline."""
    return Comparer(request)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The sentence of each comparison."""
    reports = [r for kind in ("passed", "failed") for r in terminalreporter.getreports(kind)]
    found = [
        f"{report.nodeid}: {text}"
        for report in reports
        if getattr(report, "when", "") == "call"
        for key, text in report.user_properties
        if key == _FOUND
    ]
    if found:
        terminalreporter.section("whyfast")
        terminalreporter.write_line("\n".join(found))
