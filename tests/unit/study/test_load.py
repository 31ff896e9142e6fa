"""Loading of studies: valid ones, those that include a file, and those that come with whyfast. The
two studies of CPython, which share a file."""

import os
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal
from tests.unit.study.conftest import Message, Write

from whyfast.model.errors import StudyError, UserError
from whyfast.model.study import BuildSpec, Claim, EvidenceSpec, MeasureSpec, Source, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.study import load as bundled
from whyfast.study.load import (
    BundledStudy,
    bundled_folder,
    bundled_names,
    bundled_studies,
    load_study,
)


def without(text: str, start: str, end: str) -> str:
    """The text without what stands from ``start`` up to ``end``."""
    return text[: text.index(start)] + text[text.index(end) :]


def test_missing_study_section(valid: str, message: Message) -> None:
    expected = "study.toml: study: is missing; write the section [study]"
    assert message(without(valid, "[study]", "[source]")) == expected


def test_no_variants(valid: str, message: Message, golden: Hear) -> None:
    golden(message(without(valid, "[variant.base]", "[benchmarks.collatz]")))


def test_only_abstract_variants(valid: str, message: Message, golden: Hear) -> None:
    golden(message(without(valid, "[variant.taildup]", "[benchmarks.collatz]")))


def test_empty_file(message: Message, golden: Hear) -> None:
    golden(message(""))


@pytest.mark.parametrize("section", ["study", "source", "build", "evidence", "axes", "variant"])
def test_section_that_is_no_table(section: str, valid: str, message: Message, golden: Hear) -> None:
    start = f"[{section}"
    kept = [part for part in valid.split("\n\n") if not part.startswith(start)]
    text = "\n\n".join([f"{section} = 3", *kept])
    golden(message(text))


def test_error_has_its_parts(valid: str, write: Write) -> None:
    file = write(valid.replace('margin = "1%"', 'margn = "1%"'))
    with pytest.raises(StudyError) as caught:
        load_study(file)
    error = caught.value
    assert (error.file, error.line, error.key) == (file, 4, "study.margn")
    assert (error.message, error.hint) == (
        'study.margn: unknown key; did you mean "margin"?',
        'did you mean "margin"?',
    )


def test_whole_study(valid: str, write: Write) -> None:
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


def test_the_only_variant_is_the_baseline(write: Write) -> None:
    alone = SMALL.replace('baseline = "a"\n', "").replace('[variant.b]\nextends = "a"\n', "")
    assert load_study(str(write(alone))).baselines == ("a",)


def test_small_study_has_defaults(write: Write) -> None:
    study = load_study(str(write(SMALL)))
    assert study.title == "Is b faster?"
    assert study.baselines == ("a",)
    assert study.margin == 0.01
    assert study.variants == (Variant("a", "path:cc"), Variant("b", "path:cc"))
    assert study.benchmarks == (Benchmark("one", "command", ("{program}", ""), None, 60.0),)
    assert study.evidence == EvidenceSpec()
    assert study.measure == MeasureSpec(60.0, "decided", None, None)
    assert study.claim is None


def test_name_of_another_file(write: Write) -> None:
    file = write(SMALL)
    assert load_study(file.rename(file.with_name("inline.toml"))).name == "inline"


def test_relative_place(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(SMALL)
    monkeypatch.chdir(file.parent)
    study = load_study(".")
    assert (study.name, study.folder) == ("demo", file.parent)
    assert study.source.folder == file.parent / "src"


def test_example_of_the_documentation(write: Write) -> None:
    page = Path(__file__).parents[3] / "docs" / "study.md"
    example = page.read_text("utf-8").split("```toml\n")[1].split("```")[0]
    names = [variant.name for variant in load_study(write(example)).variants]
    assert names == ["clang18-goto", "clang19-goto", "clang19-tail", "clang19-taildup"]


@pytest.mark.parametrize("key", ["control", "twin"])
def test_the_control_has_an_old_name(key: str, valid: str, write: Write) -> None:
    link = valid.replace('program = "vm"', 'program = "vm"\nlink = "{cc} -o {program} {layout}"')
    assert load_study(write(link)).control
    assert not load_study(write(link.replace("[source]", f"{key} = false\n[source]"))).control


OWN = """\
include = "common.toml"

[study]
title = "Another title"

[variant.taildup]
about = "another line"

[variant.base]
cflags = ["-O3"]

[variant.more]
extends = "clang19-goto"

[benchmarks.second]
command = ["{program}"]
"""


@pytest.fixture
def including(valid: str, write: Write) -> Write:
    """Writes a study beside ``common.toml``, which is the valid study."""

    def both(text: str) -> Path:
        file = write(text)
        folder = file if file.is_dir() else file.parent
        (folder / "common.toml").write_text(valid)
        return file

    return both


def test_tables_are_merged_and_values_replaced(including: Write) -> None:
    study = load_study(including(OWN))
    assert study.title == "Another title"
    assert study.baselines == ("clang18-goto",)
    assert [v.name for v in study.variants][-2:] == ["taildup", "more"]
    assert study.variant("taildup").about == "another line"
    assert study.variant("taildup").cflags == ("-O3", "-DGOTO", "-DX")
    assert [b.name for b in study.benchmarks] == ["collatz", "second"]
    assert study.measure.budget == 180.0


def test_a_file_may_include_one_that_includes(including: Write) -> None:
    file = including(OWN)
    folder = file if file.is_dir() else file.parent
    (folder / "common.toml").rename(folder / "far.toml")
    (folder / "common.toml").write_text('include = "far.toml"\n[measure]\nbudget = "7s"\n')
    study = load_study(file)
    assert (study.title, study.measure.budget, study.measure.turns) == ("Another title", 7.0, 40)


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ('include = "none.toml"\n', "study.toml:1: include: "),
        ('include = "study.toml"\n', 'study.toml:1: include: "study.toml" includes itself'),
        ("include = 3\n", "study.toml:1: include: must be a string, not a number"),
        (f'{OWN}[measure]\nbudget = "x"\n', "study.toml:18: measure.budget: "),
        (f"{OWN}[variant.wrong]\ncflag = []\n", "study.toml:18: variant.wrong.cflag: unknown key"),
    ],
)
def test_mistakes_of_its_own(including: Write, text: str, mistake: str) -> None:
    assert mistake in refusal(StudyError, lambda: load_study(including(text)))


def test_a_file_that_is_not_there(including: Write) -> None:
    with pytest.raises(StudyError, match=r'"none.toml" cannot be read: No such file or directory'):
        load_study(including('include = "none.toml"\n'))


def test_a_mistake_in_the_included_file_is_found_there(valid: str, including: Write) -> None:
    file = including(OWN)
    folder = file if file.is_dir() else file.parent
    (folder / "common.toml").write_text(valid.replace('stop = "decided"', 'stop = "never"'))
    with pytest.raises(StudyError) as raised:
        load_study(file)
    line = valid.splitlines().index('stop = "decided"') + 1
    assert f"common.toml:{line}: measure.stop: must be one of" in str(raised.value)


def _refused(write: Write, valid: str, included: Path) -> str:
    return refusal(StudyError, lambda: load_study(write(f'include = "{included}"\n{valid}')))


def test_what_never_ends_is_not_included(write: Write, valid: str) -> None:
    assert '"/dev/zero" is not a file' in _refused(write, valid, Path("/dev/zero"))


def test_a_pipe_is_not_waited_for(write: Write, valid: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert "is not a file; relative to" in _refused(write, valid, pipe)


def test_a_file_larger_than_any_study_is_not_read(write: Write, valid: str, tmp_path: Path) -> None:
    large = tmp_path / "large.toml"
    with large.open("wb") as file:
        file.truncate(4_000_001)
    said = "has more than 4 MB; relative to"
    assert said in _refused(write, valid, large)


def make(folder: Path) -> None:
    (folder / "studies/goto").mkdir(parents=True)
    (folder / "studies/goto/study.toml").write_text("[study]\ntitle = '''Is\n it?'''\n")
    (folder / "studies/broken").mkdir()
    (folder / "studies/broken/study.toml").write_text("[study\n")
    (folder / "studies/no-study").mkdir()
    (folder / "studies/.hidden").mkdir()
    (folder / "studies/README.md").write_text("")
    (folder / "subjects/vm").mkdir(parents=True)
    (folder / "subjects/__pycache__").mkdir()


@pytest.mark.parametrize("installed", [True, False])
def test_checkout_and_wheel(
    installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / ("site-packages" if installed else "src") / "whyfast"
    package.mkdir(parents=True)
    where = package / "bundled" if installed else tmp_path
    make(where)
    monkeypatch.setattr(bundled, "_PACKAGE", package)
    assert bundled_folder("studies") == where / "studies"
    assert bundled_folder("subjects") == where / "subjects"
    assert bundled_names("studies") == ("broken", "goto")
    assert bundled_names("subjects") == ("vm",)
    assert bundled_studies() == (
        BundledStudy("broken", "", where / "studies/broken"),
        BundledStudy("goto", "Is it?", where / "studies/goto"),
    )


def test_stray_folders_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path)
    package = tmp_path / "site-packages" / "whyfast"
    package.mkdir(parents=True)
    monkeypatch.setattr(bundled, "_PACKAGE", package)
    assert bundled_names("studies") == ()
    assert bundled_studies() == ()
    with pytest.raises(UserError, match="comes without its subjects"):
        bundled_folder("subjects")


STUDIES = Path(__file__).resolve().parents[3] / "studies"


@pytest.fixture
def plain() -> Study:
    """Built with -O3."""
    return load_study(STUDIES / "cpython-tail-call")


@pytest.fixture
def optimised() -> Study:
    """Built with profile-guided and link-time optimisation."""
    return load_study(STUDIES / "cpython-tail-call-pgo")


def test_they_differ_in_how_they_build_and_in_nothing_else(plain: Study, optimised: Study) -> None:
    assert plain.source.sha256 == optimised.source.sha256
    assert plain.benchmarks == optimised.benchmarks
    assert plain.quick == optimised.quick
    assert (plain.baselines, plain.claim) == (optimised.baselines, optimised.claim)
    assert plain.build.steps != optimised.build.steps
    measured = {v.name for v in plain.measured}
    assert {v.name for v in optimised.variants} < measured


def test_quick_has_what_the_headline_needs(plain: Study) -> None:
    assert plain.claim is not None
    assert {*plain.baselines, plain.claim.variant, plain.claim.baseline} <= {*plain.quick.variants}
    assert len(plain.quick.benchmarks) == 10
    assert len(plain.benchmarks) == 34


def test_every_variant_with_tail_calls_says_so(plain: Study) -> None:
    for variant in plain.variants:
        tail = "--with-tail-call-interp" in variant.configure
        assert tail == variant.name.endswith("-tc")
        assert tail == (variant.expect.get("dispatch") == "tail-call")
        assert not tail or variant.requires == ("musttail", "preserve_none")


def test_the_flag_reaches_the_linker_that_generates_the_code(optimised: Study) -> None:
    raised = optimised.variant("clang19-taildup")
    assert raised.cflags == ("-O3", "-mllvm", "-tail-dup-pred-size=5000")
    assert raised.ldflags == ("-fuse-ld=lld", "-Wl,-mllvm,-tail-dup-pred-size=5000")
    assert raised.configure == ("--with-lto=thin",)
    assert raised.packages == ("libclang-rt-19-dev",)
    assert optimised.variant("gcc14").configure == ("--with-lto",)
