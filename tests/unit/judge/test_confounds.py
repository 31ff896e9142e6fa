"""What else differs between builds and between sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tests.golden_files import Hear

from whyfast.judge.confounds import find_confounds, identical_programs
from whyfast.model.build import Build, BuildFailure, BuildOutcome
from whyfast.model.sample import Block, Session
from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Variant
from whyfast.model.verdict import Confound

STUDY = Study(
    name="demo",
    title="demo",
    folder=Path("demo"),
    baselines=("old",),
    margin=0.01,
    source=Source("path", "src", Path("demo/src")),
    build=BuildSpec((), "vm"),
    variants=(),
    benchmarks=(),
)


def _build(variant: str, toolchain: str = "path:gcc", sha256: str | None = None) -> Build:
    provenance = {"toolchain": {"name": toolchain}}
    return Build(variant, "d" + variant, Path(variant), sha256 or variant, provenance, False)


def _session(**environment: object) -> Session:
    return Session("s", 0.0, environment)


def _find(builds: list[BuildOutcome], *sessions: Session) -> list[Confound]:
    study = replace(STUDY, variants=tuple(Variant(b.variant) for b in builds))
    return list(find_confounds(study, builds, sessions, ()))


def test_one_build_and_one_quiet_session_have_none() -> None:
    assert _find([_build("new")], _session(boot_id="a", system="Linux 6", load=0.1, cpus=2)) == []


def test_builds_of_one_layout_each_are_noted() -> None:
    (only,) = _find([_build("new"), _build("old")])
    assert (only.kind, only.severity) == ("one-layout", "note")


def test_compilers_from_several_providers_are_named() -> None:
    found = _find([_build("a", "path:gcc"), _build("b", "zig:clang-18"), _build("c", "path:gcc")])
    (confound,) = [c for c in found if c.kind == "toolchain-provider"]
    assert "path (a, c); zig (b)" in confound.text
    assert confound.variants == ("a", "c", "b")


def test_programs_that_are_equal_byte_for_byte_are_named() -> None:
    builds = [_build("b", sha256="x"), _build("c", sha256="y"), _build("a", sha256="x")]
    (confound,) = [c for c in _find([*builds]) if c.kind == "identical-programs"]
    assert confound.variants == ("a", "b")


def test_equal_programs_that_are_run_in_different_ways_are_not_compared_with_themselves() -> None:
    builds = [_build(name, sha256="x") for name in ("plain", "again", "hardened")]
    made = (Variant("plain"), Variant("again", "zig:clang-18"))
    hardened = Variant("hardened", sysctl={"net.core.bpf_jit_harden": "2"})
    study = replace(STUDY, variants=(*made, hardened))
    assert identical_programs(study, builds) == (("plain", "again"),)


def test_variants_that_were_not_built_count_for_nothing() -> None:
    failed = BuildFailure("new", "failed", "step ended with exit code 1")
    assert _find([failed, _build("old")]) == []


def test_several_boots_are_noted_and_several_kernels_a_warning_instead(golden: Hear) -> None:
    boots = _find([], _session(boot_id="a", system="Linux 6"), _session(boot_id="b", system=None))
    assert [(c.kind, c.severity) for c in boots] == [("boot", "note")]
    assert "2 boots" in boots[0].text
    kernels = _find(
        [], _session(boot_id="a", system="Linux 6.1"), _session(boot_id="b", system="Linux 5.4")
    )
    assert [(c.kind, c.severity) for c in kernels] == [("kernel", "warning")]
    golden(kernels[0].text)


def test_a_busy_machine_is_noted_with_its_worst_load() -> None:
    (busy,) = _find([], _session(load=1.5, cpus=2), _session(load=6.0, cpus=4), _session())
    assert busy.kind == "load"
    assert "load 1.5 per CPU" in busy.text
    assert _find([], _session(load=1.0, cpus=2)) == []


def test_a_virtual_machine_is_noted() -> None:
    assert [c.kind for c in _find([], _session(hypervisor=True))] == ["virtual-machine"]


def test_what_misleads_comes_before_what_is_worth_knowing() -> None:
    found = _find(
        [_build("a"), _build("b")],
        _session(system="Linux 5", hypervisor=True),
        _session(system="Linux 6"),
    )
    assert [c.severity for c in found] == ["warning", "note", "note"]
    assert found[0].kind == "kernel"


def _waited(seconds: float, values: Mapping[str, tuple[float, ...]]) -> list[Confound]:
    extra = {"a": {"waited": (0.0, seconds)}, "b": {"waited": (seconds, 0.0)}}
    block = Block("x", 0, 0, "s", 0, 1, 0, (), (), values, 0.0, 6.0, extra)
    untold = replace(block, extra={})
    return list(find_confounds(STUDY, (), (), (block, untold)))


def test_what_runs_waited_for_cpus_that_others_had_is_told() -> None:
    values = {"a": (1.0, 2.0), "b": (1.5, 1.5)}
    (confound,) = _waited(1.5, values)
    assert (confound.kind, confound.severity) == ("waited", "note")
    assert "20 %" in confound.text
    assert _waited(0.1, values) == []
    short = {"a": (1e-3, 1e-3), "b": (1e-3, 1e-3)}
    assert _waited(1.2e-4, short) == []  # of four runs, less than 0.1 ms each
    assert len(_waited(8e-4, short)) == 1
