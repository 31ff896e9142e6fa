"""Kept results as points: runs of a study, checks, imported files."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.example_blocks import block

from whyfast.formats.timeline import PointValue, Wanted
from whyfast.history.kept import KeptPoint, imported_result, points_of, timeline_of_kept
from whyfast.model.build import Build
from whyfast.model.code import Check, CodeComparison
from whyfast.model.cost import VariantCost
from whyfast.model.errors import UserError
from whyfast.model.history import CostSeries
from whyfast.model.result import Found, Judged, Recorded, Result
from whyfast.model.sample import Recording, Series, Session
from whyfast.model.study import Commands
from whyfast.model.variant import Benchmark, Variant
from whyfast.report.result_json import from_json, to_json
from whyfast.report.sections.history import cost_history_table

BUILD = Build(
    "head",
    "d",
    Path("p"),
    "s",
    {"toolchain": {"name": "path:gcc", "version": "13.1", "packages": {"libc": "2.36"}}},
    False,
)


def measured(check: Check | None = None, **times: list[float]) -> Result:
    """A run in which each variant took these seconds a loop, a block each of two loops."""
    blocks = tuple(
        replace(block({name: [t[i] * 2] for name, t in times.items()}, index=i), loops=2)
        for i in range(len(next(iter(times.values()))))
    )
    return Result(
        Commands(
            baselines=(next(iter(times)),),
            margin=0.01,
            variants=tuple(Variant(name) for name in times),
            benchmarks=(Benchmark("b", "command", ()),),
            budget=1.0,
        ),
        Recorded(
            "r",
            1767225600.0,
            sessions=(Session("s", 1.0, {"system": "Linux 6.1", "python": "3.11", "cpus": 2}),),
            builds=(BUILD,),
            blocks=blocks,
        ),
        Judged("commands"),
        Found(check=check),
    )


def kept(started: float, values: Mapping[tuple[str, str], float], **facts: str) -> KeptPoint:
    found = {key: PointValue(value, None) for key, value in values.items()}
    return KeptPoint(f"p{started:.0f}", started, found, facts)


def test_a_run_is_a_point_with_the_median_over_its_blocks() -> None:
    (point,) = points_of(measured(old=[1.0, 1.5, 9.0], new=[3.0, 3.0, 3.0]))
    assert point.name == "2026-01-01 00:00"
    benchmark = next(iter(point.values))[1]
    value = point.values["old", benchmark]
    assert value.value == 1.5
    # 1.4826 times the median distance, 0.5; 1.2533 over the root of three; of 1.5.
    assert value.spread == pytest.approx(1.4826 * 0.5 * 1.2533 / 3**0.5 / 1.5)
    assert point.values["new", benchmark] == PointValue(3.0, 0.0)
    assert point.facts["system"] == "Linux 6.1"
    assert point.facts["toolchain of head"] == "path:gcc 13.1"
    assert point.facts["dependencies of head"] == "libc=2.36"
    assert "python" not in point.facts


def test_of_a_check_the_head_is_the_point() -> None:
    check = Check("b" * 40, "a" * 40, "main", "topic", CodeComparison(False, False))
    (point,) = points_of(measured(check, base=[1.0, 1.0], head=[2.0, 2.0]))
    assert point.name == "aaaaaaaaaa"
    assert [key[0] for key in point.values] == [""]
    assert [v.value for v in point.values.values()] == [2.0]
    assert point.facts["revision"] == "a" * 40
    assert point.facts["toolchain"] == "path:gcc 13.1"


def test_an_imported_file_comes_back_from_what_is_kept() -> None:
    recording = Recording(
        "nightly",
        "nightly.json",
        "pyperf",
        {
            "x": Series("x", "second", ((1.0, 3.0), (4.0,))),
            "ops": Series("ops", "op/s", ((7.0,),)),
            "size": Series("size", "byte", ((7.0,),)),
        },
        {"platform": "Linux-6.1", "cpu_config": ("a", "b")},
        started=1767225600.0,
    )
    result = imported_result(recording, "id", "main", 5.0)
    (point,) = points_of(from_json(to_json(result)))
    assert (point.name, point.started) == ("nightly", 1767225600.0)
    assert point.values == {
        ("main", "x"): PointValue(3.0, pytest.approx(1 / 3)),  # type: ignore[arg-type]
        ("main", "ops"): PointValue(7.0, None),
    }
    assert point.rates == {"ops"}
    assert point.facts == {"platform": "Linux-6.1", "cpu_config": "a and b"}


def test_points_are_in_the_order_of_time() -> None:
    timeline = timeline_of_kept(
        "mine",
        [kept(2, {("v", "x"): 4.0}, cpus="2"), kept(1, {("v", "x"): 3.0, ("v", "y"): 1.0})],
        Wanted(),
    )
    assert timeline.points == ("p1", "p2")
    assert timeline.when == (1, 2)
    assert (timeline.by, timeline.study) == ("run", "mine")
    assert [(s.name, s.values) for s in timeline.series] == [("x", (3.0, 4.0)), ("y", (1.0, None))]
    assert timeline.facts == {"": ({}, {"cpus": "2"})}


def test_variants_are_named_where_there_are_several() -> None:
    points = [kept(i, {("a", "x"): 1.0, ("b", "x"): 2.0, ("", "x"): 3.0}) for i in (1, 2)]
    names = [s.name for s in timeline_of_kept("mine", points, Wanted()).series]
    assert names == ["a: x", "b: x", "x"]


def test_one_revision_on_two_machines_is_one_point() -> None:
    points = [
        kept(10 * i + j, {("", "x"): 1.0}, hostname=host, commit_id="abc"[i] * 12)
        for i in range(3)
        for j, host in enumerate(("m", "n"))
    ]
    timeline = timeline_of_kept("mine", points, Wanted(machine="hostname"))
    assert timeline.points == ("aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc")
    assert [s.name for s in timeline.series] == ["x on m", "x on n"]
    assert len(timeline_of_kept("mine", points, Wanted()).points) == 6


def test_what_cannot_be_a_history_of_kept_results() -> None:
    points = [kept(i, {("", "x"): 1.0}) for i in (1, 2)]
    with pytest.raises(UserError, match=r"^mine: .*: 1;"):
        timeline_of_kept("mine", points[:1], Wanted())
    with pytest.raises(UserError, match=r"^--order commit: "):
        timeline_of_kept("mine", points, Wanted(order="commit"))
    with pytest.raises(UserError, match=r"^--machine folder: .*hostname"):
        timeline_of_kept("mine", points, Wanted(machine="folder"))


def test_exact_costs_are_series_and_what_does_not_repeat_is_none() -> None:
    def at(started: float, size: float, allocations: float, again: float) -> KeptPoint:
        costs = (
            VariantCost("size", "old", size),
            VariantCost("allocations", "old", allocations, "b", again=again),
            VariantCost("build-time", "old", 2.0 + started),
            VariantCost("peak-heap", "old", None, "b", note="no DHAT"),
        )
        result = measured(old=[1.0, 1.1])
        result = replace(result, recorded=replace(result.recorded, started=started))
        (point,) = points_of(replace(result, found=replace(result.found, costs=costs)))
        return point

    points = [at(1.0, 100.0, 7.0, 7.0), at(2.0, 100.0, 7.0, 8.0), at(3.0, 120.0, 9.0, 9.0)]
    timeline = timeline_of_kept("study", points, Wanted())
    assert timeline.costs == (
        CostSeries("size", "old", None, (100.0, 100.0, 120.0)),
        CostSeries("allocations", "old", "b", (7.0, None, 9.0)),
    )
    found = cost_history_table(timeline)
    assert found is not None
    assert [[str(c.number) for c in row[2:]] for row in found.rows] == [
        ["100.0", "120.0", "1.2"],
        ["7.0", "9.0", str(9 / 7)],
    ]


def test_the_costs_of_checks_are_those_of_the_head() -> None:
    check = Check("b" * 40, "h" * 40, "base", "head", CodeComparison(False, False))
    result = measured(check, base=[1.0], head=[1.0])
    costs = tuple(VariantCost("size", name, x) for name, x in (("base", 1.0), ("head", 2.0)))
    (point,) = points_of(replace(result, found=replace(result.found, costs=costs)))
    assert point.costs == {("", None, "size"): 2.0}
