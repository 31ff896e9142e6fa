"""Series over kernel releases, and their steps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from whyfast.judge.lines import release_series, version_key
from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Variant
from whyfast.model.verdict import Coefficient, Line

HERE = Path("/nowhere")


def variant(kernel: str, spectre: str) -> Variant:
    return Variant(
        f"{kernel}-{spectre}",
        "path:gcc",
        kernel=f"debian:linux-{kernel}",
        boot=(f"spectre_v2={spectre}",),
        axes={"kernel": kernel, "spectre_v2": spectre},
    )


def line(name: str, slope: float) -> Line:
    at = Coefficient(slope, None, None)
    return Line(
        "calls", "tail call", name, (), at, Coefficient(9.0, None, None), None, 0, 0, 2, 0.95
    )


def study(*variants: Variant) -> Study:
    return Study(
        name="s",
        title="s",
        folder=HERE,
        baselines=(variants[0].name,),
        margin=0.01,
        source=Source("path", ".", HERE),
        build=BuildSpec((), ""),
        variants=variants,
        benchmarks=(),
    )


SLOPES = {
    "6.12-off": 18.0,
    "6.12-on": 18.1,
    "5.10-off": 12.0,
    "5.10-on": 18.0,
    "6.1-off": 12.0,
    "6.1-on": 18.0,
}
VARIANTS = tuple(variant(*name.split("-")) for name in SLOPES)
RELEASES = {"5.10": "5.10.223", "6.1": "6.1.176", "6.12": "6.12.107"}


def test_a_series_holds_everything_but_the_kernel_still() -> None:
    lines = [line(name, slope) for name, slope in SLOPES.items()]
    releases = {v.name: RELEASES[v.axes["kernel"]] for v in VARIANTS}
    off, on = release_series(study(*VARIANTS), lines, releases)
    assert (off.name, on.name) == ("spectre_v2 off", "spectre_v2 on")
    assert [(p.kernel, p.slope) for p in off.points] == [
        ("5.10.223", 12.0),
        ("6.1.176", 12.0),
        ("6.12.107", 18.0),
    ]
    (step,) = off.steps
    assert (step.before.kernel, step.after.kernel, step.ratio) == ("6.1.176", "6.12.107", 1.5)
    assert on.steps == ()  # 0.6 % is within the margin


def test_a_kernel_without_a_line_is_passed_over() -> None:
    lines = [line("5.10-off", 12.0), line("6.12-off", 18.0)]
    releases = {v.name: RELEASES[v.axes["kernel"]] for v in VARIANTS}
    (off,) = release_series(study(*VARIANTS), lines, releases)
    assert [p.kernel for p in off.points] == ["5.10.223", "6.12.107"]
    assert len(off.steps) == 1


def test_a_slope_of_nothing_is_no_step() -> None:
    lines = [line("5.10-off", 0.0), line("6.12-off", 18.0)]
    releases = {v.name: RELEASES[v.axes["kernel"]] for v in VARIANTS}
    (off,) = release_series(study(*VARIANTS), lines, releases)
    assert off.steps == ()


def test_other_settings_are_another_series() -> None:
    plain = variant("5.10", "off")
    hardened = replace(plain, name="hardened", sysctl={"net.core.bpf_jit_harden": "2"})
    lines = [line(plain.name, 12.0), line("hardened", 18.0)]
    found = release_series(
        study(plain, hardened), lines, {plain.name: "5.10.223", "hardened": "5.10.223"}
    )
    assert [len(s.points) for s in found] == [1, 1]


def test_another_build_is_another_series() -> None:
    plain = variant("5.10", "off")
    others = [
        replace(plain, name="debug", configure=("--debug",)),
        replace(plain, name="env", env={"LC_ALL": "C"}),
        replace(plain, name="older", revision="0123abc"),
    ]
    names = [plain.name, *(v.name for v in others)]
    found = release_series(
        study(plain, *others), [line(n, 12.0) for n in names], dict.fromkeys(names, "5.10.223")
    )
    assert [[p.variant for p in s.points] for s in found] == [[n] for n in names]


def test_releases_are_ordered_as_numbers() -> None:
    assert sorted(["5.10.1", "5.4.9", "6.1.0"], key=version_key) == ["5.4.9", "5.10.1", "6.1.0"]
