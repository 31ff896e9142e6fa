"""What else differs between builds, sessions, roots and interpreters."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tests.golden_files import Hear
from tests.unit.example_blocks import block
from tests.unit.judge.example_study import plain_study

from whyfast.judge.confounds import (
    SETTINGS,
    UNMOVED,
    find_confounds,
    identical_programs,
    interpreter_confounds,
    machine_confounds,
    root_confounds,
)
from whyfast.measure.doctor.readings import CHECKS
from whyfast.model.build import Build, BuildFailure, BuildOutcome
from whyfast.model.sample import Block, Session
from whyfast.model.variant import Variant
from whyfast.model.verdict import Confound


def _build(variant: str, toolchain: str = "path:gcc", sha256: str | None = None) -> Build:
    provenance = {"toolchain": {"name": toolchain}}
    return Build(variant, "d" + variant, Path(variant), sha256 or variant, provenance, False)


def _session(**environment: object) -> Session:
    return Session("s", 0.0, environment)


def _find(builds: list[BuildOutcome], *sessions: Session) -> list[Confound]:
    study = plain_study(*(Variant(b.variant) for b in builds))
    return list(find_confounds(study, builds, sessions, ()))


def test_one_build_and_one_quiet_session_have_none() -> None:
    assert _find([_build("new")], _session(boot_id="a", system="Linux 6", load=0.1, cpus=2)) == []


def test_builds_of_one_layout_each_are_noted() -> None:
    (only,) = _find([_build("new"), _build("old")])
    assert (only.kind, only.severity) == ("one-layout", "note")


def test_libraries_that_layouts_do_not_move_are_named(golden: Hear) -> None:
    old = _build("old")
    libraries = {**old.provenance, "libraries": ["build/src/libvm.so.1"]}
    builds: list[BuildOutcome] = [_build("new"), replace(old, provenance=libraries)]
    study = plain_study(*(Variant(b.variant) for b in builds))
    drawn = block({"new": [1.0], "old": [1.0]}, layouts={"new": 1, "old": 1})
    (only,) = find_confounds(study, builds, (), [drawn])
    assert (only.kind, only.variants, "libvm.so.1" in only.text) == (UNMOVED, ("old",), True)
    golden(only.text)
    (linked,) = find_confounds(study, builds, (), [replace(drawn, layouts={})])
    assert linked.kind == "one-layout"


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
    study = plain_study(*made, hardened)
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
    return list(find_confounds(plain_study(), (), (), (block, untold)))


def test_what_runs_waited_for_cpus_that_others_had_is_told() -> None:
    values = {"a": (1.0, 2.0), "b": (1.5, 1.5)}
    (confound,) = _waited(1.5, values)
    assert (confound.kind, confound.severity) == ("waited", "note")
    assert "20 %" in confound.text
    assert _waited(0.1, values) == []
    short = {"a": (1e-3, 1e-3), "b": (1e-3, 1e-3)}
    assert _waited(1.2e-4, short) == []  # of four runs, less than 0.1 ms each
    assert len(_waited(8e-4, short)) == 1


def _finding(value: str, state: str = "warning") -> dict[str, str]:
    return {"value": value, "state": state}


def _of(name: str, **environment: object) -> Session:
    return Session(name, 0.0, environment)


def _found(*sessions: Session, blocks: tuple[str, ...]) -> list[Confound]:
    taken = [Block("b", 0, 0, name, 0, 1, 0, (), (), {}, 0.0, 1.0) for name in blocks]
    return machine_confounds(sessions, taken)


def test_another_governor_in_a_resumed_run_is_named() -> None:
    one = _of("s", doctor={"governor": _finding("powersave")}, cpus=2)
    two = _of("t", doctor={"governor": _finding("performance", "good")}, cpus=2)
    (confound,) = _found(one, two, blocks=("s", "t", "t"))
    assert confound.kind == "machine-governor"
    assert confound.severity == "warning"
    assert ": powersave (1 block); performance (2 blocks)" in confound.text


def test_sessions_without_blocks_and_unknown_findings_do_not_count() -> None:
    one = _of("s", doctor={"smt": _finding("on")})
    two = _of("t", doctor={"smt": _finding("unknown", "unknown")})
    three = _of("u", doctor={"smt": _finding("off")})
    assert _found(one, two, three, blocks=("s", "t")) == []


def test_another_machine() -> None:
    (confound,) = _found(_of("s", hostname="a"), _of("t", hostname="b"), blocks=("s", "t"))
    assert "a (1 block); b (1 block)" in confound.text


def test_a_setting_that_changed_while_measuring(golden: Hear) -> None:
    session = _of(
        "s", doctor={"turbo": _finding("off", "good")}, at_end={"doctor": {"turbo": _finding("on")}}
    )
    (confound,) = _found(session, blocks=("s",))
    golden(confound.text)


def test_what_the_host_kept_and_heat_did_meanwhile() -> None:
    session = _of(
        "s",
        at_start={"stolen_ticks": 100, "ticks": 10_000, "throttle_events": 5},
        at_end={"stolen_ticks": 140, "ticks": 12_000, "throttle_events": 8},
    )
    steal, throttling = _found(session, blocks=("s",))
    assert "2.0 %" in steal.text
    assert "3 events" in throttling.text
    assert {steal.severity, throttling.severity} == {"note"}


def test_a_quiet_machine_and_records_of_an_earlier_whyfast() -> None:
    quiet = {"stolen_ticks": 100, "ticks": 10_000, "throttle_events": 5}
    later = {"stolen_ticks": 100, "ticks": 20_000, "throttle_events": 5}
    assert _found(_of("s", at_start=quiet, at_end=later), blocks=("s",)) == []
    assert _found(_of("s", cpus=2), blocks=("s",)) == []
    assert _found(_of("s", at_start=quiet), blocks=("s",)) == []


def _root(variant: str, **packages: str) -> Build:
    named = {n.replace("_", "-"): f"{v} sha256:{v}" for n, v in packages.items()}
    toolchain = {"name": "debian:gcc-14", **({"packages": named} if named else {})}
    return Build(variant, "d", Path(variant), variant, {"toolchain": toolchain}, False)


def test_the_c_library_is_named_with_the_variants() -> None:
    builds = [
        _root("clang18", libc6="2.41-12", clang_18="1", bash="5.2"),
        _root("gcc14", libc6="2.41-12", gcc_14="1", bash="5.2"),
        _root("gcc16", libc6="2.43-7", gcc_16="1", bash="5.3"),
    ]
    (only,) = root_confounds(builds)
    assert (only.kind, only.severity) == ("root-libc", "warning")
    assert "2.41-12 (clang18, gcc14); 2.43-7 (gcc16)" in only.text
    assert only.variants == ("clang18", "gcc14", "gcc16")


def test_other_packages_that_go_into_programs_are_one_note(golden: Hear) -> None:
    builds = [
        _root("a", libc6="2", binutils="2.44", zlib1g="1.3.1", tar="1", libisl23="1"),
        _root("b", libc6="2", binutils="2.47", zlib1g="1.3.2", tar="2", libisl23="2"),
    ]
    (only,) = root_confounds(builds)
    assert (only.kind, only.severity) == ("root-packages", "note")
    golden(only.text)


def test_only_what_is_compared_with_each_other_can_mislead() -> None:
    rows = [(c, d) for c in ("gcc14", "gcc16") for d in ("old", "new")]
    variants = [Variant(f"{c}-{d}", axes={"compiler": c, "release": d}) for c, d in rows]
    libc = {"gcc14": "2.41", "gcc16": "2.43"}
    builds = [_root(f"{c}-{d}", libc6=libc[c]) for c, d in rows]
    study = plain_study(*variants)
    kinds = {c.kind for c in find_confounds(study, builds, (), ())}
    assert "root-libc" in kinds
    along = replace(study, along={"release": "old"}, baselines=("gcc14-old", "gcc16-old"))
    kinds = {c.kind for c in find_confounds(along, builds, (), ())}
    assert "root-libc" not in kinds


def test_of_many_variants_a_few_are_named() -> None:
    builds = [_root(f"v{n}", libc6="2.41") for n in range(7)] + [_root("other", libc6="2.43")]
    (only,) = root_confounds(builds)
    assert "2.41 (v0, v1, v2, v3 and 3 more); 2.43 (other)" in only.text


def test_equal_roots_and_builds_outside_of_any_have_none() -> None:
    assert list(root_confounds([_root("a", libc6="2"), _root("b", libc6="2")])) == []
    assert list(root_confounds([_root("a", libc6="2"), _root("b")])) == []


PLAIN = {
    "compiler": "GCC 12.2.0",
    "flags": "-O3",
    "PGO": "without PGO",
    "LTO": "without LTO",
    "libpython": "shared",
    "build": "release",
}


def _python(variant: str, facts: dict[str, str] | None) -> Build:
    provenance = {} if facts is None else {"interpreter": {"facts": facts}}
    return Build(variant, "d", Path(variant), variant, provenance, False)


def test_each_fact_that_differs_is_named_with_its_groups(golden: Hear) -> None:
    builds = [
        _python("py3.12", PLAIN),
        _python("py3.13", PLAIN),
        _python("debian", {**PLAIN, "PGO": "not known", "libpython": "in the program"}),
    ]
    pgo, linked = interpreter_confounds(builds)
    assert (pgo.kind, pgo.severity, pgo.variants) == (
        "interpreter-pgo",
        "warning",
        ("py3.12", "py3.13", "debian"),
    )
    golden(pgo.text)
    assert (linked.kind, linked.severity) == ("interpreter-libpython", "note")


def test_equal_interpreters_and_builds_without_any_have_none() -> None:
    assert list(interpreter_confounds([_python("a", PLAIN), _python("b", PLAIN)])) == []
    assert list(interpreter_confounds([_python("a", None), _python("b", PLAIN)])) == []


def test_every_setting_is_one_that_the_doctor_finds() -> None:
    assert set(SETTINGS) <= {check.key for check in CHECKS}
