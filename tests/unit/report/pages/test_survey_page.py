"""The answer of a survey, and what its tables hold."""

from dataclasses import replace

from tests.unit.report.example import verdict
from tests.unit.report.parts import printed

from whyfast.model.evidence import DispatchFacts, SurveyedProgram, SurveyedVariant, other_dispatch
from whyfast.report.pages.survey_page import survey_page

MERGED = DispatchFacts("loop", "merged", 5, 83, 1, 3802, 15881, "", True)
REPLICATED = replace(MERGED, form="replicated", indirect_jumps=78)
SWITCH = replace(MERGED, computed_goto=False, indirect_jumps=1)


def program(
    name: str, *variants: SurveyedVariant, failures: tuple[str, ...] = ()
) -> SurveyedProgram:
    return SurveyedProgram(name, name, f"{name} 1.0", {"fix": "plain"}, 0.01, variants, failures)


def variant(
    compiler: str, fix: str, facts: DispatchFacts | None, **more: object
) -> SurveyedVariant:
    axes = {"compiler": compiler, "fix": fix}
    return SurveyedVariant(f"{compiler}-{fix}", f"{compiler}-plain", axes, facts, **more)  # type: ignore[arg-type]


FASTER = verdict("gcc12-uncrossed", "gcc12-plain", "faster", 0.9, 0.88, 0.92)
LUA = program(
    "lua",
    variant("gcc12", "plain", MERGED),
    variant("gcc12", "uncrossed", REPLICATED, verdict=FASTER),
    variant("clang18", "plain", REPLICATED),
    failures=("gcc16-plain: no such compiler",),
)
DUKTAPE = program("duktape", variant("gcc12", "plain", SWITCH), variant("clang18", "plain", None))


def test_another_dispatch() -> None:
    assert other_dispatch(REPLICATED, MERGED)
    assert not other_dispatch(replace(REPLICATED, indirect_jumps=75), REPLICATED)
    assert other_dispatch(replace(REPLICATED, indirect_jumps=60), REPLICATED)
    assert not other_dispatch(None, MERGED)


def test_who_is_merged_by_which_compiler_and_what_that_costs() -> None:
    page = survey_page([LUA, DUKTAPE])
    assert page.headline == "Of 1 threaded interpreter: lua is merged by gcc12."
    text = printed(page, 100)
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "merged (switch)" in rows["duktape"]
    change = next(line for line in text.splitlines() if "uncrossed" in line)
    assert "5 → 78" in change
    assert "1.11x faster" in change
    # A table in parts says in each which option it is about.
    times = [line for line in printed(page, 58).splitlines() if "1.11x" in line]
    assert times
    assert all("uncrossed" in line for line in times)
    assert "gcc16-plain: no such compiler" in text
    assert "whyfast report lua" in text


def test_nothing_merged_and_nothing_threaded() -> None:
    replicated = program("lua", variant("gcc12", "plain", REPLICATED))
    assert "none is merged" in survey_page([replicated]).headline
    assert "None of the programs" in survey_page([DUKTAPE]).headline
