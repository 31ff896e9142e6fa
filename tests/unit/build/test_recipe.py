"""What decides a build, and what does not.

What tells two builds with equal programs apart.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.golden_files import Hear
from tests.unit.build.example import PROGRAM, named, recipe, study, toolchain

from whyfast.build.recipe import (
    BASE_ENVIRONMENT,
    Recipe,
    differing_files,
    hash_files,
    include_folder,
    make_recipe,
    packages_here,
    packages_of,
    scan_source,
    steps_of,
)
from whyfast.build.steps import expand_steps
from whyfast.model.build import Build
from whyfast.model.study import BuildSpec, EvidenceBuild
from whyfast.model.variant import Variant
from whyfast.store.git import must_git
from whyfast.store.home import Home
from whyfast.toolchain.debian import parse_name, root_folder

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_everything_that_decides_a_build_is_in_its_inputs(source: Path) -> None:
    made = make_recipe(
        study(source, steps=("make {jobs}",), program="bin/vm", env={"A": "1", "B": "1"}),
        Variant("v", "path:cc", ("-O2",), ("-lm",), ("--x",), {"B": "2"}),
        toolchain(cc=("/opt/cc", "-target", "x"), env={"CACHE": "/home/ann/cache"}),
        scan_source(source),
    )
    assert made.inputs == {
        "format": 1,
        "source": scan_source(source).digest,
        "toolchain": "t1",
        "cc_flags": ["-target", "x"],
        "cflags": ["-O2"],
        "ldflags": ["-lm"],
        "configure": ["--x"],
        "env": {**BASE_ENVIRONMENT, "A": "1", "B": "2"},
        "steps": ["make {jobs}"],
        "include": None,
        "program": "bin/vm",
    }
    assert made.env == {**BASE_ENVIRONMENT, "CACHE": "/home/ann/cache", "A": "1", "B": "2"}


Change = Callable[[Path], Recipe]

CHANGES: dict[str, Change] = {
    "cflags": lambda s: recipe(s, variant=named("base", "-O2")),
    "ldflags": lambda s: recipe(s, variant=Variant("base", "path:cc", ldflags=("-O2",))),
    "configure": lambda s: recipe(s, variant=Variant("base", "path:cc", configure=("-O2",))),
    "order of flags": lambda s: recipe(s, variant=named("base", "-O2", "-O3")),
    "other order of flags": lambda s: recipe(s, variant=named("base", "-O3", "-O2")),
    "one flag of two words": lambda s: recipe(s, variant=named("base", "-O3 -O2")),
    "environment of the study": lambda s: recipe(s, env={"A": "1"}),
    "environment of the variant": lambda s: recipe(s, variant=Variant("b", "p:c", env={"A": "2"})),
    "steps": lambda s: recipe(s, steps=("cp  {source}/main.c {program}",)),
    "more steps": lambda s: recipe(s, steps=("cp {source}/main.c {program}", "true")),
    "headers that whyfast brings": lambda s: recipe(s, steps=("cp {include}/x {program}",)),
    "program": lambda s: recipe(s, program="vm2"),
    "compiler": lambda s: recipe(s, compiler=toolchain(digest="t2")),
    "flags of the toolchain": lambda s: recipe(s, compiler=toolchain(cc=("cc", "-m32"))),
}


def test_each_change_gives_a_digest_of_its_own(source: Path) -> None:
    digests = [recipe(source).digest, *(change(source).digest for change in CHANGES.values())]
    assert len(set(digests)) == 1 + len(CHANGES)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda s: (s / "main.c").write_text(PROGRAM + "\n"), id="content"),
        pytest.param(lambda s: (s / "main.c").chmod(0o755), id="executable bit"),
        pytest.param(lambda s: (s / "main.c").rename(s / "vm.c"), id="name"),
        pytest.param(lambda s: (s / "empty.h").touch(), id="another file"),
    ],
)
def test_changed_source_changes_the_digest(source: Path, change: Callable[[Path], object]) -> None:
    before = recipe(source).digest
    change(source)
    assert recipe(source).digest != before


def test_what_does_not_decide_a_build_leaves_the_digest_alone(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = recipe(source).digest
    monkeypatch.setenv("CFLAGS", "-O0")
    monkeypatch.setenv("PATH", "/elsewhere")
    monkeypatch.setenv("HOME", "/home/ann")
    os.utime(source / "main.c", (1, 1))
    (source / "main.c").chmod(0o600)
    (source / ".git").mkdir()
    (source / ".git" / "HEAD").write_text("ref: x")
    (source / "empty").mkdir()
    moved = shutil.copytree(source, tmp_path / "moved")
    same = Variant("another name", "zig:cc", requires=("musttail",), about="text", axes={"a": "b"})
    compiler = toolchain(cc=("/opt/cc",), env={"CACHE": "/other"}, name="path:/opt/cc")
    assert recipe(moved, variant=same, compiler=compiler).digest == before


def test_the_headers_that_whyfast_brings_count_only_where_used(source: Path) -> None:
    assert recipe(source).inputs["include"] is None
    used = recipe(source, steps=("{cc} -I{include} {source}/main.c",))
    assert used.inputs["include"] == scan_source(include_folder()).digest
    assert "whyfast_turn.h" in scan_source(include_folder()).files


def test_scanning_hashes_files_below_with_their_executable_bit(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / "b" / "c" / "run.sh").touch(0o755)
    (tmp_path / "a.c").touch(0o644)
    (tmp_path / "link.c").symlink_to("a.c")
    for ignored in (".git", "b/.hg", "b/__pycache__", ".venv"):
        (tmp_path / ignored).mkdir()
        (tmp_path / ignored / "file").touch()
    scanned = scan_source(tmp_path)
    assert scanned.files == {"a.c": "-" + EMPTY, "b/c/run.sh": "x" + EMPTY, "link.c": "-" + EMPTY}
    assert replace(scanned, folder=Path()).digest == scanned.digest


def test_what_git_ignores_is_no_part_of_the_source(tmp_path: Path) -> None:
    for name in ("a.c", "a.o", "kept.o", "out/b.c", "b/out/c.c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert len(scan_source(tmp_path).files) == 5
    (tmp_path / ".gitignore").write_text("*.o\n/out/\n/ignored/\n")
    must_git(tmp_path, "init", "--quiet", ".")
    must_git(tmp_path, "add", "--force", "kept.o")
    assert set(scan_source(tmp_path).files) == {".gitignore", "a.c", "kept.o", "b/out/c.c"}
    copied = ["a.c", "a.o"]  # in a cache that is in a repository, nothing is left out
    assert set(hash_files(tmp_path, copied).files) == {*copied}
    below = tmp_path / "ignored"
    below.mkdir()
    (below / "d.o").touch()
    assert set(scan_source(below).files) == {"d.o"}  # a source that is ignored as a whole


def test_steps_are_expanded_without_the_folder_in_the_program(source: Path, golden: Hear) -> None:
    made = recipe(
        source,
        steps=(
            "./configure {configure} && make -j{jobs}",
            "{cc} {cflags} -I{include} {source}/a.c -o {program} {ldflags} ${{HOME}}",
        ),
        program="my vm",
        variant=Variant("v", "t", ("-O2", "-DX=a b"), ("-lm",), ("--with=it's",)),
        compiler=toolchain(cc=("/opt/my cc", "-m32")),
    )
    golden(*expand_steps(made, Path("/w"), 8))


_FLAG = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=25)
@given(st.lists(_FLAG, max_size=5))
def test_a_shell_gets_the_flags(tmp_path_factory: pytest.TempPathFactory, flags: list[str]) -> None:
    source = tmp_path_factory.mktemp("empty")
    made = recipe(
        source, steps=(r"printf '%s\0' {ldflags} end",), variant=Variant("v", "t", (), tuple(flags))
    )
    (step,) = expand_steps(made, Path("/w"), 1)
    done = subprocess.run(["/bin/sh", "-euc", step], capture_output=True, check=True)
    assert done.stdout.decode().split("\0") == [*flags, "end", ""]


SHORT = EvidenceBuild(("cc -c loop.c",), "loop.o", ("make", "bison"))


@pytest.mark.parametrize(
    ("evidence", "evidence_only", "steps", "made", "packages"),
    [
        (SHORT, False, ("make", "link"), "vm", ("make", "zlib", "rt")),
        (SHORT, True, ("cc -c loop.c",), "loop.o", ("make", "bison", "rt")),
        (None, True, ("make", "link"), "vm", ("make", "zlib", "rt")),
    ],
)
def test_a_variant_for_evidence_only_has_steps_of_its_own(
    evidence: EvidenceBuild | None,
    evidence_only: bool,
    steps: tuple[str, ...],
    made: str,
    packages: tuple[str, ...],
) -> None:
    build = BuildSpec(("make",), "vm", link="link", packages=("make", "zlib"), evidence=evidence)
    variant = Variant("v", "path:cc", evidence_only=evidence_only, packages=("rt", "make"))
    assert steps_of(build, variant) == (steps, made)
    assert packages_of(build, variant) == packages


def test_evidence_takes_the_larger_root_where_only_that_is_there(tmp_path: Path) -> None:
    few, all_ = ("make",), ("make", "zlib1g-dev")
    short = EvidenceBuild(("cc -c loop.c",), "loop.o", few)
    build = BuildSpec(("make",), "vm", packages=all_, evidence=short)
    read = Variant("v", "debian:clang-18", evidence_only=True)
    home = Home(tmp_path / "cache", tmp_path / "data")

    def install(packages: tuple[str, ...]) -> None:
        folder = root_folder(home, parse_name("clang-18"), packages)
        folder.mkdir(parents=True)
        (folder / "digest").touch()

    assert packages_here(build, read, home) == few
    install(all_)
    assert packages_here(build, read, home) == all_
    assert packages_here(build, replace(read, toolchain="debian:clang-19"), home) == few
    # One that is measured is built with what the study names and nothing else, as always.
    plain = replace(build, packages=few, evidence=replace(short, packages=all_))
    assert packages_here(plain, replace(read, evidence_only=False), home) == few
    install(few)
    assert packages_here(build, read, home) == few  # as before, so that its builds are found again


def test_what_is_only_read_is_not_linked_again(source: Path) -> None:
    whole = study(source, steps=("make",))
    whole = replace(whole, build=replace(whole.build, link="link {layout}", evidence=SHORT))
    measured, read = (
        make_recipe(
            whole, Variant("v", "path:cc", evidence_only=e), toolchain(), scan_source(source)
        )
        for e in (False, True)
    )
    assert (measured.link, measured.program) == ("link {layout}", "vm")
    assert (read.link, read.program) == (None, "loop.o")
    assert read.inputs["steps"] == ["cc -c loop.c"]
    assert measured.digest != read.digest


def _build(folder: Path, files: Mapping[str, str], program: str = "src/vm") -> Build:
    for name, text in {program: "the program", **files}.items():
        path = folder / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    made = folder / "work" / program
    return Build(folder.name, "d", made, "x", {"program": program}, False)


def test_source_objects_logs_and_caches_are_not_run(tmp_path: Path) -> None:
    one = {"src/vm.c": "/* a */", "src/vm.o": "1", "src/README": "a", "src/config.log": "1"}
    other = {"src/vm.c": "/* b */", "src/vm.o": "2", "src/NEWS": "b", ".cache/go-build/ab": "1"}
    assert differing_files(_build(tmp_path / "a", one), _build(tmp_path / "b", other)) == ()


def test_a_library_a_script_and_data_could_be(tmp_path: Path) -> None:
    one = {"src/lib/os.py": "a", "src/libpython.so": "a", "src/words.txt": "a", "src/same.py": "s"}
    other = {"src/lib/os.py": "b", "src/libpython.so": "b", "src/same.py": "s"}
    assert differing_files(_build(tmp_path / "a", one), _build(tmp_path / "b", other)) == (
        "src/lib/os.py",
        "src/libpython.so",
        "src/words.txt",
    )


def test_programs_in_other_layouts_are_no_difference(tmp_path: Path) -> None:
    one = {"src/vm.layout-0123456789ab": "x", "src/vm.layout-seed-7": "x", "src/a.layout-x": "x"}
    found = differing_files(_build(tmp_path / "a", one), _build(tmp_path / "b", {}))
    assert found == ("src/a.layout-x",)
