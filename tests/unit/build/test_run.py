"""Making builds: once each, with a log, a record, and plain words when it fails."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import (
    COMPILE,
    PROGRAM,
    built,
    failed,
    gcc,
    named,
    reasons,
    recipe,
    silent,
)

from whyfast.build.run import Stopwatch, build_all, build_beside
from whyfast.build.steps import TAIL
from whyfast.model.build import Build, BuildFailure
from whyfast.store.builds import BuildStore
from whyfast.toolchain import sandbox

ROOT = Path(__file__).resolve().parents[3]
_NO_VM = "the steps succeeded but did not create 'vm'"


def _counting(count: Path) -> tuple[str, ...]:
    """Steps that leave one line in ``count`` each time they run."""
    return (f"echo ran >> '{count}'", "cp {source}/main.c {program}")


def test_a_build_is_made_and_recorded(source: Path, store: BuildStore, golden: Hear) -> None:
    made = recipe(source, variant=named("fast", "-O2"), env={"A": "b c"})
    said: list[str] = []
    build = built(made, store, said.append)
    sha256 = hashlib.sha256(PROGRAM.encode()).hexdigest()
    assert (build.variant, build.digest, build.reused) == ("fast", made.digest, False)
    assert build.program == store.root / made.digest / "work" / "vm"
    assert build.program.read_text() == PROGRAM
    assert build.program_sha256 == sha256
    golden(*said)

    record = json.loads((store.root / made.digest / "provenance.json").read_text())
    assert record == build.provenance
    work = store.root / made.digest / "work"
    assert record["inputs"] == made.inputs
    assert record["source"]["files"] == made.source.files
    golden(*record["commands"])
    assert record["program_sha256"] == sha256
    assert record["toolchain"]["cc"] == ["cc"]
    assert {k: record["env"][k] for k in ("A", "HOME", "LC_ALL")} == {
        "A": "b c",
        "HOME": str(work),
        "LC_ALL": "C",
    }
    golden((store.root / made.digest / "log.txt").read_text())


def test_a_build_is_made_once(source: Path, store: BuildStore, tmp_path: Path) -> None:
    made = recipe(source, steps=_counting(tmp_path / "count"))
    said: list[str] = []
    first, second = built(made, store), built(made, store, said.append)
    assert (first.reused, second.reused) == (False, True)
    assert second.program_sha256 == first.program_sha256
    assert (tmp_path / "count").read_text() == "ran\n"
    assert said == []


def test_equal_recipes_share_a_build(source: Path, store: BuildStore, tmp_path: Path) -> None:
    steps = _counting(tmp_path / "count")
    recipes = [recipe(source, steps=steps, variant=named(name)) for name in ("twin", "base")]
    builds = build_all(recipes, store, silent, workers=2)
    assert [b.variant for b in builds] == ["twin", "base"]
    assert len({b.program for b in builds if isinstance(b, Build)}) == 1
    assert (tmp_path / "count").read_text() == "ran\n"


def _notes_reading(folder: Path) -> bool:
    file = folder / "probe"
    file.write_text("x")
    os.utime(file, (1, 1))
    file.read_text()
    return file.stat().st_atime != 1


@pytest.mark.parametrize(
    ("name", "step", "builds"),
    [
        ("notes.md", "echo 1 > {program}", 1),  # nobody reads it
        ("notes.md", "cat {source}/notes.md > {program}", 2),
        ("data.bin", "echo 1 > {program}", 2),  # the program may read it when it runs
        ("size.md", "stat -c %s {source}/size.md > {program}", 2),  # by its size alone
    ],
)
def test_a_change_of_what_no_step_reads_is_no_other_build(
    source: Path, store: BuildStore, name: str, step: str, builds: int
) -> None:
    if not _notes_reading(source.parent):
        pytest.skip("this file system does not note when a file is read")
    digests = set()
    for text in ("" if name == "size.md" else "before", "after"):
        (source / name).write_text(text)
        digests.add(built(recipe(source, steps=(step,)), store).digest)
    assert len(digests) == builds


def _patched(program: Path) -> None:
    program.write_text(program.read_text().replace("plain", "other"))


def _emptied(program: Path) -> None:
    program.write_bytes(b"")


@pytest.mark.parametrize("harm", [_patched, _emptied, Path.unlink])
def test_a_program_that_was_changed_in_the_cache_is_built_again(
    source: Path, store: BuildStore, harm: Callable[[Path], None], golden: Hear
) -> None:
    made = recipe(source)
    first = built(made, store)
    harm(first.program)
    heard: list[str] = []
    second = built(made, store, heard.append)
    golden(*heard)
    assert not second.reused
    assert second.program.read_text() == PROGRAM
    assert second.program_sha256 == first.program_sha256


BUILDER = """
import sys
from pathlib import Path
from tests.unit.build.example import recipe
from whyfast.build.run import build_all
from whyfast.store.builds import BuildStore
source, root, *steps = sys.argv[1:]
made = recipe(Path(source), steps=tuple(steps))
print("here", flush=True)
sys.stdin.readline()
(build,) = build_all([made], BuildStore(Path(root)), lambda text: None)
print(build.program_sha256, build.reused, flush=True)
"""


def test_two_processes_make_a_build_once(source: Path, store: BuildStore, tmp_path: Path) -> None:
    steps = ("sleep 0.2", *_counting(tmp_path / "count"))
    command = [sys.executable, "-c", BUILDER, str(source), str(store.root), *steps]
    builders = [
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for builder in builders:
        assert builder.stdout
        assert builder.stdout.readline() == "here\n"
    for builder in builders:
        assert builder.stdin
        builder.stdin.write("go\n")
        builder.stdin.flush()
    said = sorted(builder.communicate()[0] for builder in builders)
    sha256 = hashlib.sha256(PROGRAM.encode()).hexdigest()
    assert said == [f"{sha256} False\n", f"{sha256} True\n"]
    assert (tmp_path / "count").read_text() == "ran\n"


def test_outcomes_come_in_the_order_of_the_recipes(source: Path, store: BuildStore) -> None:
    recipes = [
        recipe(source, variant=named("slow"), steps=("sleep 0.1", "cp {source}/main.c {program}")),
        recipe(source, variant=named("broken"), steps=("false",)),
        recipe(source, variant=named("fast")),
    ]
    outcomes = build_all(recipes, store, silent, workers=3)
    assert [o.variant for o in outcomes] == ["slow", "broken", "fast"]
    assert reasons(outcomes) == [None, "step ended with exit code 1: false", None]


def _fails(source: Path, store: BuildStore, *steps: str) -> BuildFailure:
    made = recipe(source, steps=steps)
    failure = failed(made, store)
    assert failure.kind == "failed"
    assert store.find(made.digest) is None
    return failure


def test_a_failure_is_kept_until_the_same_is_built(source: Path, store: BuildStore) -> None:
    failure = _fails(source, store, "echo bad >&2; exit 3")
    (kept,) = store.failures()
    assert (kept.variant, kept.compiler, kept.reason) == (failure.variant, "cc 1.0", failure.reason)
    assert store.tried(kept.digest[:8]) == kept
    assert list(store.all()) == []
    (kept.folder / "provenance.json").write_text("{}")
    assert list(store.failures()) == []


def test_a_failing_step_shows_its_log_end(source: Path, store: BuildStore, golden: Hear) -> None:
    failure = _fails(source, store, "seq 30", "echo bad >&2; exit 3", "echo never")
    golden(failure.reason)
    assert len(failure.log_tail) == TAIL == 15
    assert failure.log_tail[-3:] == ("30", "+ echo bad >&2; exit 3", "bad")
    assert failure.log is not None
    assert failure.log.read_text().startswith("+ seq 30\n1\n2\n")
    assert "never" not in failure.log.read_text()


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("kill -SEGV $$", "step killed by SIGSEGV: kill -SEGV $$"),
        ("true; false; true", "step ended with exit code 1: true; false; true"),
        (f"false {'x' * 200}", f"step ended with exit code 1: false {'x' * 200}"),
        ("mkdir vm", f"{_NO_VM}; they made no program; the last step is: mkdir vm"),
        (
            "mkdir out; install -m 755 /dev/null out/vm",
            f"{_NO_VM}; there is 'out/vm'; the last step is: "
            "mkdir out; install -m 755 /dev/null out/vm",
        ),
    ],
)
def test_why_there_is_no_program(source: Path, store: BuildStore, step: str, reason: str) -> None:
    assert _fails(source, store, step).reason == reason


def test_an_unset_variable_fails_a_step(source: Path, store: BuildStore) -> None:
    failure = _fails(source, store, 'cp "$NOWHERE/main.c" {program}')
    assert "NOWHERE" in failure.log_tail[-1]


def test_a_failed_build_is_tried_again(source: Path, store: BuildStore, tmp_path: Path) -> None:
    steps = (f"test -e '{tmp_path}/fixed'", "cp {source}/main.c {program}")
    made = recipe(source, steps=steps)
    failed(made, store)
    (tmp_path / "fixed").touch()
    built(made, store)


def test_remains_of_an_earlier_attempt_are_cleared(source: Path, store: BuildStore) -> None:
    made = recipe(source, steps=("test ! -e left", "cp {source}/main.c {program}"))
    left = store.folder(made.digest) / "work" / "left"
    left.parent.mkdir(parents=True)
    left.touch()
    built(made, store)


def test_steps_see_no_environment_but_their_own(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CFLAGS", "-O0")
    made = recipe(source, steps=("env > {program}; umask >> {program}; cat >> {program}",))
    build = built(made, store)
    work = store.root / made.digest / "work"
    seen = {line for line in build.program.read_text().splitlines() if not line.startswith("_=")}
    assert seen == {
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "LC_ALL=C",
        "TZ=UTC",
        "SOURCE_DATE_EPOCH=315532800",
        "PYTHONHASHSEED=0",
        f"HOME={work}",
        f"TMPDIR={work.parent}/tmp",
        f"PWD={work}",
        "0022",
    }


def test_variants_are_built_side_by_side(source: Path, store: BuildStore, tmp_path: Path) -> None:
    def meet(mine: str, other: str) -> tuple[str, ...]:
        wait = f"timeout 60 sh -c 'until test -e {tmp_path}/{other}; do sleep 0.01; done'"
        return (f"touch '{tmp_path}/{mine}'", wait, "cp {source}/main.c {program}")

    recipes = [recipe(source, steps=meet("a", "b")), recipe(source, steps=meet("b", "a"))]
    assert reasons(build_all(recipes, store, silent, workers=2)) == [None, None]


def test_a_variant_at_a_time_with_all_jobs(source: Path, store: BuildStore, tmp_path: Path) -> None:
    alone = f"mkdir '{tmp_path}/busy'; sleep 0.05; rmdir '{tmp_path}/busy'; : -j{{jobs}}"
    steps = (alone, "cp {source}/main.c {program}")
    recipes = [recipe(source, steps=steps, variant=named(n, n)) for n in ("a", "b", "c")]
    assert reasons(build_all(recipes, store, silent)) == [None, None, None]


def test_changing_source_is_not_built_as_old(source: Path, store: BuildStore, golden: Hear) -> None:
    made = recipe(source)
    (source / "main.c").write_text("int main;")
    golden(failed(made, store).reason)
    (source / "main.c").unlink()
    golden(failed(made, store).reason)
    assert store.find(made.digest) is None


@pytest.mark.usefixtures("needs_gcc")
def test_a_real_compiler_makes_a_program_that_runs(source: Path, store: BuildStore) -> None:
    variant = named("quoted", '-DTEXT="two words"')
    build = built(recipe(source, steps=COMPILE, variant=variant, compiler=gcc()), store)
    assert subprocess.run([build.program], capture_output=True).stdout == b"two words\n"


@pytest.mark.usefixtures("needs_gcc")
def test_a_program_that_takes_turns_finds_its_header(source: Path, store: BuildStore) -> None:
    (source / "main.c").write_text(
        '#include "whyfast_turn.h"\n'
        "static uint64_t run(void *s, uint64_t n) { (void)s; return n; }\n"
        "int main(void) { return whyfast_turns(run, 0); }\n"
    )
    steps = ("{cc} {cflags} -I{include} -o {program} {source}/main.c",)
    made = recipe(source, steps=steps, compiler=gcc())
    assert reasons(build_all([made], store, silent)) == [None]


@pytest.mark.usefixtures("needs_gcc")
def test_equal_programs_of_other_digests_are_equal_bytes(source: Path, store: BuildStore) -> None:
    flags = (("-g", "-O1"), ("-g", "-O1", "-DUNUSED"), ("-g", "-O2"))
    recipes = [
        recipe(source, steps=COMPILE, variant=named(str(i), *f), compiler=gcc())
        for i, f in enumerate(flags)
    ]
    builds = [b for b in build_all(recipes, store, silent) if isinstance(b, Build)]
    assert len({b.digest for b in builds}) == 3
    assert builds[0].program_sha256 == builds[1].program_sha256 != builds[2].program_sha256
    assert str(store.root).encode() not in builds[0].program.read_bytes()


@pytest.mark.parametrize("step", [-3600.0, 3600.0])
def test_a_wall_clock_step_does_not_matter(monkeypatch: pytest.MonkeyPatch, step: float) -> None:
    wall, steady = iter([1000.0, 1000.0 + step]), iter([50.0, 62.5])
    monkeypatch.setattr(time, "time", lambda: next(wall))
    monkeypatch.setattr(time, "monotonic", lambda: next(steady))
    watch = Stopwatch()
    assert (watch.started, watch.seconds()) == (1000.0, 12.5)


#: Says where the shared object was made and where the program is, as CMake keeps to its folder.
_SHARED = "echo {jobs} > jobs; test -e shared || pwd > shared; { cat shared; pwd; } > {program}"


@pytest.mark.parametrize(
    ("configure", "copied"),
    [("touch CMakeCache.txt", True), ("touch CMakeCache.txt # -DX=ON", False), ("", False)],
)
def test_another_program_of_a_project_goes_on_from_the_first(
    source: Path,
    store: BuildStore,
    monkeypatch: pytest.MonkeyPatch,
    configure: str,
    copied: bool,
) -> None:
    """Where CMake configured both alike; that folder stays as it was."""
    monkeypatch.delenv(sandbox.VARIABLE)
    if not sandbox.tools().bubblewrap:
        pytest.skip(sandbox.tools().no_bubblewrap)
    steps = _SHARED.replace("{ cat", "{{ cat").replace("pwd; }", "pwd; }}")
    first_step = configure.partition(" #")[0] or "true"
    first = built(recipe(source, steps=(first_step, steps)), store)
    work = first.program.parent
    before = sorted(work.rglob("*"))
    other = recipe(source, steps=(configure or "true", steps), program="other")
    (build,) = build_beside(first, [other], store, silent)
    assert isinstance(build, Build)
    place = work if copied else build.program.parent
    assert build.program.parent == store.folder(other.digest) / "work"
    assert build.program.read_text() == f"{place}\n{place}\n"
    assert sorted(work.rglob("*")) == before


def test_a_third_program_goes_on_in_the_folder_of_the_first(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the second, a copy, says that it went on from an older build."""
    monkeypatch.delenv(sandbox.VARIABLE)
    if not sandbox.tools().bubblewrap:
        pytest.skip(sandbox.tools().no_bubblewrap)
    steps = (
        "touch CMakeCache.txt",
        _SHARED.replace("{ cat", "{{ cat").replace("pwd; }", "pwd; }}"),
    )
    made = first = built(recipe(source, steps=steps), store)
    for name in ("second", "third"):
        made.provenance["inputs"]["incremental"] = "checked"
        (build,) = build_beside(made, [recipe(source, steps=steps, program=name)], store, silent)
        assert isinstance(build, Build)
        made = build
        place = first.program.parent
        assert made.program.read_text() == f"{place}\n{place}\n"


def test_another_program_is_made_anew_where_the_copy_fails_or_cannot_be_seen(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure, make = "touch CMakeCache.txt", "echo {jobs}; test ! -e vm; touch {program}"
    first = built(recipe(source, steps=(configure, make)), store)
    other = recipe(source, steps=(configure, make), program="other")
    for off in (True, False):
        if off:
            monkeypatch.setenv(sandbox.VARIABLE, "off")
        else:
            monkeypatch.delenv(sandbox.VARIABLE)
        (build,) = build_beside(first, [other], store, silent)
        assert isinstance(build, Build)
        assert not (build.program.parent / "vm").exists()
        assert "made_in" not in build.provenance
        shutil.rmtree(store.folder(other.digest))
