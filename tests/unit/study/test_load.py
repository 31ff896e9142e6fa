"""Sections, and keys that no section has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.errors import StudyError
from whyfast.model.study import BuildSpec, Claim, EvidenceSpec, MeasureSpec, Source, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.study.load import load_study


def without(text: str, start: str, end: str) -> str:
    """The text without what stands from ``start`` up to ``end``."""
    return text[: text.index(start)] + text[text.index(end) :]


def test_missing_study_section(valid: str, message: Callable[[str], str]) -> None:
    expected = "study.toml: study: is missing; write the section [study]"
    assert message(without(valid, "[study]", "[source]")) == expected


def test_no_variants(valid: str, message: Callable[[str], str], golden: Hear) -> None:
    golden(message(without(valid, "[variant.base]", "[benchmarks.collatz]")))


def test_only_abstract_variants(valid: str, message: Callable[[str], str], golden: Hear) -> None:
    golden(message(without(valid, "[variant.taildup]", "[benchmarks.collatz]")))


def test_empty_file(message: Callable[[str], str], golden: Hear) -> None:
    golden(message(""))


@pytest.mark.parametrize("section", ["study", "source", "build", "evidence", "axes", "variant"])
def test_section_that_is_no_table(
    section: str, valid: str, message: Callable[[str], str], golden: Hear
) -> None:
    start = f"[{section}"
    kept = [part for part in valid.split("\n\n") if not part.startswith(start)]
    text = "\n\n".join([f"{section} = 3", *kept])
    golden(message(text))


def test_error_has_its_parts(valid: str, write: Callable[[str], Path]) -> None:
    file = write(valid.replace('margin = "1%"', 'margn = "1%"'))
    with pytest.raises(StudyError) as caught:
        load_study(file)
    error = caught.value
    assert (error.file, error.line, error.key) == (file, 4, "study.margn")
    assert (error.message, error.hint) == (
        'study.margn: unknown key; did you mean "margin"?',
        'did you mean "margin"?',
    )


def test_whole_study(valid: str, write: Callable[[str], Path]) -> None:
    file = write(valid)
    before = sorted(file.parent.rglob("*"))
    study = load_study(file.parent)
    assert sorted(file.parent.rglob("*")) == before
    assert study == Study(
        name="demo",
        title="Is tail faster than goto?",
        folder=file.parent,
        baselines=("clang18-goto",),
        margin=0.01,
        source=Source("path", "src", file.parent / "src"),
        build=BuildSpec(
            ("{cc} {cflags} -o {program} {source}/*.c {ldflags}",), "vm", {"SOURCE_DATE_EPOCH": "0"}
        ),
        variants=(
            Variant(
                "clang18-goto",
                "zig:clang-18",
                cflags=("-O2", "-g", "-DGOTO"),
                axes={"compiler": "clang18", "dispatch": "goto"},
            ),
            Variant(
                "clang19-goto",
                "zig:clang-19",
                cflags=("-O2", "-g", "-DGOTO"),
                axes={"compiler": "clang19", "dispatch": "goto"},
            ),
            Variant(
                "clang19-tail",
                "zig:clang-19",
                cflags=("-O2", "-g", "-DTAIL"),
                requires=("musttail",),
                axes={"compiler": "clang19", "dispatch": "tail"},
            ),
            Variant(
                "taildup",
                "zig:clang-19",
                cflags=("-O2", "-g", "-DGOTO", "-DX"),
                ldflags=("-s",),
                requires=("musttail",),
                expect={"dispatch": "replicated"},
                about="one line",
            ),
        ),
        benchmarks=(
            Benchmark(
                "collatz", "turn", ("{program}", "turn", "{source}/collatz.hex"), "0x1f", 10.0
            ),
        ),
        evidence=EvidenceSpec(("vm_run", "op_*"), ("vm_*",)),
        measure=MeasureSpec(180.0, "decided", 0.001, 40),
        claim=Claim("clang19-tail", "clang19-goto"),
    )


SMALL = """
[study]
title = '''Is b
  faster?'''
baseline = "a"
[source]
path = "src"
[build]
steps = ["make"]
program = "out/vm"
[variant.a]
toolchain = "path:cc"
[variant.b]
extends = "a"
[benchmarks.one]
command = ["{program}", ""]
"""


def test_the_only_variant_is_the_baseline(write: Callable[[str], Path]) -> None:
    alone = SMALL.replace('baseline = "a"\n', "").replace('[variant.b]\nextends = "a"\n', "")
    assert load_study(str(write(alone))).baselines == ("a",)


def test_small_study_has_defaults(write: Callable[[str], Path]) -> None:
    study = load_study(str(write(SMALL)))
    assert study.title == "Is b faster?"
    assert study.baselines == ("a",)
    assert study.margin == 0.01
    assert study.variants == (Variant("a", "path:cc"), Variant("b", "path:cc"))
    assert study.benchmarks == (Benchmark("one", "command", ("{program}", ""), None, 60.0),)
    assert study.evidence == EvidenceSpec()
    assert study.measure == MeasureSpec(60.0, "decided", None, None)
    assert study.claim is None


def test_name_of_another_file(write: Callable[[str], Path]) -> None:
    file = write(SMALL)
    assert load_study(file.rename(file.with_name("inline.toml"))).name == "inline"


def test_relative_place(write: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(SMALL)
    monkeypatch.chdir(file.parent)
    study = load_study(".")
    assert (study.name, study.folder) == ("demo", file.parent)
    assert study.source.folder == file.parent / "src"


def test_example_of_the_documentation(write: Callable[[str], Path]) -> None:
    page = Path(__file__).parents[3] / "docs" / "study.md"
    example = page.read_text("utf-8").split("```toml\n")[1].split("```")[0]
    names = [variant.name for variant in load_study(write(example)).variants]
    assert names == ["clang18-goto", "clang19-goto", "clang19-tail", "clang19-taildup"]


@pytest.mark.parametrize("key", ["control", "twin"])
def test_the_control_has_an_old_name(key: str, valid: str, write: Callable[[str], Path]) -> None:
    link = valid.replace('program = "vm"', 'program = "vm"\nlink = "{cc} -o {program} {layout}"')
    assert load_study(write(link)).control
    assert not load_study(write(link.replace("[source]", f"{key} = false\n[source]"))).control
