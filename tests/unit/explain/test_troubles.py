"""Symptoms of compilers' troubles: by evidence, not by version."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.explain.program import explain_program
from whyfast.explain.troubles import (
    MERGED,
    SAVING,
    find_troubles,
    known_troubles,
    look_up,
    program_troubles,
    workarounds,
)
from whyfast.model.build import Toolchain
from whyfast.model.evidence import DispatchFacts, EntryFacts, Evidence
from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Variant
from whyfast.study.load import load_study

Compile = Callable[..., Path]
SourceOf = Callable[[str, int], str]
TAILDUP = ("-mllvm", "-tail-dup-pred-size=5000")
UNSUNK = ("-mllvm", "-sink-common-insts=false")
LINKED = ("-Wl,-mllvm,-sink-common-insts=false", "-Wl,-mllvm,-tail-dup-pred-size=5000")


def _loop(variant: str, jumps: int, *, goto: bool | None = True) -> Evidence:
    form = "merged" if jumps < 5 else "replicated"
    facts = DispatchFacts("loop", form, jumps, 225, 1, 9000, 60_000, "", goto)  # type: ignore[arg-type]
    return Evidence(variant, "x86-64", facts, ())


def _study(*variants: Variant, left_out: Sequence[Variant] = ()) -> Study:
    return Study(
        name="demo",
        title="demo",
        folder=Path("demo"),
        baselines=(variants[0].name,),
        margin=0.01,
        source=Source("path", "src", Path("demo/src")),
        build=BuildSpec((), "vm"),
        variants=variants,
        benchmarks=(),
        left_out=tuple(left_out),
    )


def _toolchain(name: str, version: str) -> Toolchain:
    return Toolchain(name, "path", version, "x86_64-linux-gnu", "d", ("cc",), frozenset())


TOOLCHAINS = tuple(
    _toolchain(f"path:{name.replace(chr(32), chr(45))}", name)
    for name in ("clang 18.1.8", "clang 19.1.7", "clang 22.1.8", "gcc 14.2.0")
)
OLD = Variant("old", "path:clang-18.1.8", ("-O3",))
NEW = Variant("new", "path:clang-19.1.7", ("-O3",))
CURED = Variant("cured", "path:clang-19.1.7", ("-O3", *TAILDUP))


def test_a_known_version_with_the_symptom(golden: Hear) -> None:
    (trouble,) = find_troubles(_study(OLD, NEW), TOOLCHAINS, [_loop("old", 266), _loop("new", 1)])
    assert (trouble.variant, trouble.compiler, trouble.symptom) == ("new", "clang 19.1.7", MERGED)
    assert (trouble.name, trouble.listed) == ("llvm-tail-duplication-limit", True)
    golden(trouble.shows)
    golden(*trouble.toml)


@pytest.mark.parametrize("new", [_loop("new", 250), _loop("new", 1, goto=False)])
def test_no_symptom_and_a_switch_that_stays_one_jump_are_no_trouble(new: Evidence) -> None:
    assert find_troubles(_study(OLD, NEW), TOOLCHAINS, [_loop("old", 266), new]) == ()


def test_a_version_not_known_for_it() -> None:
    newer = replace(NEW, toolchain="path:clang-22.1.8")
    (trouble,) = find_troubles(_study(OLD, newer), TOOLCHAINS, [_loop("old", 266), _loop("new", 1)])
    assert (trouble.name, trouble.listed) == ("llvm-tail-duplication-limit", False)


def test_a_compiler_of_which_nothing_is_known() -> None:
    other = _toolchain("path:tcc", "tcc 0.9.27")
    study = _study(Variant("new", "path:tcc"))
    (trouble,) = find_troubles(study, (other,), [_loop("new", 1)])
    assert (trouble.name, trouble.compiler, trouble.toml) == ("", "tcc 0.9.27", ())


def test_a_variant_that_has_the_workaround_is_named() -> None:
    evidence = [_loop("old", 266), _loop("new", 1), _loop("cured", 266)]
    (trouble,) = find_troubles(_study(OLD, NEW, CURED), TOOLCHAINS, evidence)
    assert (trouble.cured, trouble.untried, trouble.toml) == (("cured",), (), ())
    (trouble,) = find_troubles(_study(OLD, NEW, left_out=[CURED]), TOOLCHAINS, evidence[:2])
    assert (trouble.cured, trouble.untried, trouble.toml) == ((), ("cured",), ())
    still = [*evidence[:2], _loop("cured", 1)]
    (trouble, two) = find_troubles(_study(OLD, NEW, CURED), TOOLCHAINS, still)
    assert (trouble.uncured, two.variant) == (("cured",), "cured")


@pytest.mark.parametrize(
    ("jumps", "flags", "cured"),
    [
        ({"param": 1, "uncrossed": 78}, ("-fno-crossjumping",), ("uncrossed",)),
        ({"param": 78, "uncrossed": 1}, ("--param=max-goto-duplication-insns=24",), ("param",)),
    ],
)
def test_the_workaround_is_the_one_that_helps_this_program(
    jumps: dict[str, int], flags: tuple[str, ...], cured: tuple[str, ...]
) -> None:
    gcc = Variant("gcc", "path:gcc-14.2.0", ("-O2",))
    param = replace(gcc, name="param", cflags=("-O2", "--param=max-goto-duplication-insns=24"))
    uncrossed = replace(gcc, name="uncrossed", cflags=("-O2", "-fno-crossjumping"))
    evidence = [_loop(name, n) for name, n in {"gcc": 1, **jumps}.items()]
    trouble = find_troubles(_study(gcc, param, uncrossed), TOOLCHAINS, evidence)[0]
    assert (trouble.variant, trouble.flags, trouble.cured) == ("gcc", flags, cured)


def test_late_code_generation_needs_the_flag_at_the_link(golden: Hear) -> None:
    late = replace(NEW, configure=("--with-lto=thin",))
    (trouble,) = find_troubles(_study(late), TOOLCHAINS, [_loop("new", 1)])
    golden(trouble.toml[-1])


@pytest.mark.parametrize("axes", [{}, {"compiler": "clang19"}])
def test_the_lines_make_a_variant(tmp_path: Path, axes: dict[str, str]) -> None:
    place = replace(NEW, axes=axes, env={"A": 'x"y'}, configure=("--a",))
    (trouble,) = find_troubles(_study(place), TOOLCHAINS, [_loop("new", 1)])
    (tmp_path / "study.toml").write_text(
        "[study]\ntitle = 'x'\nbaseline = 'new'\n[source]\npath = '.'\n"
        "[build]\nsteps = ['{cc} {cflags} -o {program} a.c']\nprogram = 'vm'\n"
        "[variant.new]\ntoolchain = 'path:clang-19.1.7'\ncflags = ['-O3']\nconfigure = ['--a']\n"
        "env.A = 'x\"y'\n[benchmarks.a]\nrunner = 'command'\ncommand = ['{program}']\n"
        + "\n".join(trouble.toml)
    )
    added = load_study(str(tmp_path)).variant("new-workaround")
    assert added.cflags == ("-O3", *TAILDUP)
    rest = added.toolchain, added.configure, dict(added.env)
    assert rest == (NEW.toolchain, ("--a",), {"A": 'x"y'})


def test_the_lines_keep_what_else_sets_a_place_of_axes_apart() -> None:
    place = replace(
        NEW,
        axes={"release": "1.0"},
        revision="v1.0",
        run=("--jit",),
        packages=("libgcc",),
        keep=(".text.hot.*",),
        kernel="debian:linux-6.12",
        boot=("quiet",),
        sysctl={"net.core.bpf_jit_harden": "2"},
        env={"A": "x\ty"},
    )
    (trouble,) = find_troubles(_study(place), TOOLCHAINS, [_loop("new", 1)])
    added = tomllib.loads("\n".join(trouble.toml))["variant"]["new-workaround"]
    assert added == {
        "toolchain": NEW.toolchain,
        "cflags": ["-O3", *TAILDUP],
        "packages": ["libgcc"],
        "keep": [".text.hot.*"],
        "run": ["--jit"],
        "revision": "v1.0",
        "kernel": "debian:linux-6.12",
        "boot": ["quiet"],
        "env": {"A": "x\ty"},
        "sysctl": {"net.core.bpf_jit_harden": "2"},
    }
    # Control characters have no place in a string of TOML.
    study = _study(replace(place, env={"A": "x\ny"}))
    (broken,) = find_troubles(study, TOOLCHAINS, [_loop("new", 1)])
    assert 'env.A = "x\\ny"' in broken.toml


def test_handlers_that_save_registers() -> None:
    facts = DispatchFacts("tail-call", "replicated", 220, 228, 232, 9000, 60_000, "")
    saving = Evidence("new", "x86-64", facts, (), entry=EntryFacts(228, 200, 800, 4.0, 0, 0.0))
    (trouble,) = find_troubles(_study(replace(NEW, toolchain=OLD.toolchain)), TOOLCHAINS, [saving])
    assert (trouble.symptom, trouble.name, trouble.listed) == (
        SAVING,
        "clang-without-preserve_none",
        True,
    )
    # One push may be there to align the stack.
    few = replace(saving, entry=EntryFacts(228, 200, 200, 1.0, 0, 0.0))
    assert find_troubles(_study(NEW), TOOLCHAINS, [few]) == ()


@pytest.mark.parametrize(
    ("name", "family", "versions", "flags", "listed"),
    [
        ("llvm-tail-duplication-limit", "clang", ["19.1.0", "19.1", "20.1.0"], ["-O3"], True),
        ("llvm-tail-duplication-limit", "clang", ["20.1.2"], ["-O3"], False),
        ("llvm-sinks-dispatch", "clang", ["18.1.8"], ["-O3"], True),
        ("gcc-merged-without-O2", "gcc", ["12.2.0"], ["-O2", "-Os"], True),
        ("gcc-goto-duplication-limit", "gcc", ["12.2.0"], ["-Os", "-O2"], True),
    ],
)
def test_which_trouble_fits(
    name: str, family: str, versions: list[str], flags: list[str], listed: bool
) -> None:
    for version in versions:
        known, is_listed = look_up(family, version, MERGED, flags)
        assert known is not None
        assert (known.name, is_listed) == (name, listed)


@pytest.mark.parametrize("level", ["-O1", "-Os"])
def test_the_level_of_a_program_alone_is_not_guessed(
    gcc: Compile, interpreter: SourceOf, level: str, golden: Hear
) -> None:
    found = explain_program(gcc(interpreter("goto", 30), level), variant="x", dispatch=("vm_run",))
    (trouble,) = program_troubles(found)
    assert (trouble.symptom, trouble.flags) == (MERGED, ())
    golden(trouble.name)
    golden(trouble.remedy)
    # clang has one trouble with this symptom, at all levels.
    (trouble,) = program_troubles(replace(found, compiler="clang 19.1.7"))
    assert trouble.name == "llvm-tail-duplication-limit"


def test_flags_that_the_compiler_recorded_decide_which_trouble_it_is() -> None:
    evidence = replace(_loop("x", 1), compiler="gcc 12.2.0")
    (trouble,) = program_troubles(evidence, ["-g", "-Os"])
    assert (trouble.name, trouble.flags) == ("gcc-merged-without-O2", ("-O2",))
    (trouble,) = program_troubles(evidence, ["-O2"])
    assert trouble.name == "gcc-goto-duplication-limit"
    flags, _, more = trouble.remedy.partition("; ")
    assert flags == "`--param=max-goto-duplication-insns=24` or `-fno-crossjumping`"
    assert "`-fno-tree-slp-vectorize`" in more


@pytest.mark.parametrize(
    ("compiler", "flags", "added"),
    [
        (
            *("gcc 14.2.0", ("-O2",)),
            [
                ("v-max-goto-duplication-insns", ("--param=max-goto-duplication-insns=24",), ()),
                ("v-no-crossjumping", ("-fno-crossjumping",), ()),
            ],
        ),
        (
            *("gcc 14.2.0", ("-O2", "-fno-crossjumping")),
            [("v-max-goto-duplication-insns", ("--param=max-goto-duplication-insns=24",), ())],
        ),
        ("gcc 14.2.0", ("-Os",), [("v-O2", ("-O2",), ())]),
        (
            *("clang 19.1.7", ("-O3", "-flto")),
            [
                ("v-tail-dup-pred-size", TAILDUP, LINKED[1:]),
                ("v-sink-common-insts-tail-dup-pred-size", (*UNSUNK, *TAILDUP), LINKED),
            ],
        ),
        ("clang 18.1.6", ("-O2",), [("v-sink-common-insts", UNSUNK, ())]),
        ("rustc 1.70", ("-O2",), []),
    ],
)
def test_variants_that_work_around_a_trouble(
    compiler: str, flags: tuple[str, ...], added: list[tuple[str, tuple[str, ...], tuple[str, ...]]]
) -> None:
    variant = Variant("v", "path:cc", flags, expect={"dispatch": "merged"})
    made = list(workarounds(variant, compiler, _loop("v", 1)))
    assert [(w.name, w.cflags[len(flags) :], w.ldflags) for w in made] == added
    assert all(w.cflags[: len(flags)] == flags and not w.expect for w in made)
    assert list(workarounds(variant, compiler, _loop("v", 200))) == []


def test_every_entry_says_where_it_is_from() -> None:
    assert len({t.name for t in known_troubles()}) == len(known_troubles())
    for trouble in known_troubles():
        assert trouble.symptom in (MERGED, SAVING)
        assert trouble.sources
        assert trouble.seen
        assert trouble.cflags or trouble.remedy


@pytest.mark.parametrize(("style", "computed"), [("goto", True), ("switch", False)])
def test_a_table_of_the_source_is_told_from_one_of_the_compiler(
    gcc: Compile, interpreter: SourceOf, style: str, computed: bool
) -> None:
    for flags in (("-fPIE", "-pie"), ("-fno-pie", "-no-pie")):
        program = gcc(interpreter(style, 30), "-Os", *flags)
        found = explain_program(program, variant="x", dispatch=("vm_run",))
        assert found.dispatch is not None
        assert (found.dispatch.form, found.dispatch.computed_goto) == ("merged", computed)
        assert [t.symptom for t in program_troubles(found)] == [MERGED] * computed


@pytest.mark.parametrize(
    ("flags", "computed"), [(("-pie", "-fPIE"), True), (("-no-pie", "-fno-pie"), None)]
)
def test_a_stripped_program_at_a_fixed_place_does_not_tell(
    gcc: Compile, interpreter: SourceOf, flags: tuple[str, ...], computed: bool | None
) -> None:
    """In a program at any place the loader writes the addresses of an array of the source."""
    program = gcc(interpreter("goto", 30), "-Os", "-s", "-rdynamic", *flags)
    found = explain_program(program, variant="x", dispatch=("vm_run",))
    assert found.dispatch is not None
    assert found.dispatch.computed_goto is computed
    assert len(program_troubles(found)) == (computed is True)
