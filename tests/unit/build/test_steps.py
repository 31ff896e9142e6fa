"""Why a step failed.

Builds in sandboxes, and what is said of them. Paths as reports show them.
"""

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import built, failed, gcc, recipe, toolchain

from whyfast.build import run
from whyfast.build.run import build_all
from whyfast.build.steps import TOO_OLD, because, surround, tail, too_old, why, without_folders
from whyfast.store.builds import BuildStore
from whyfast.toolchain import sandbox

MEMORY = "killed, probably out of memory, in the step: make"
CRASH = "the compiler crashed in the step: make"


@pytest.mark.parametrize(
    ("status", "lines", "reason"),
    [
        (2, (), "step ended with exit code 2: make"),
        (
            1,
            ("make", "ld.lld: error: cannot open x.a", "x.c:1: error: y", "make: *** Error 1"),
            "ld.lld: error: cannot open x.a (exit code 1 of the step: make)",
        ),
        (
            2,
            ("docker: Cannot connect to the daemon.", "make: *** [Makefile:84: app] Error 125"),
            "docker: Cannot connect to the daemon. (exit code 2 of the step: make)",
        ),
        (127, (), "step ended with exit code 127: make"),
        (
            127,
            ("/bin/sh: 1: go: not found",),
            "go is not installed, and the step needs it: make (/bin/sh: 1: go: not found)",
        ),
        (
            2,
            ('Can\'t exec "autopoint": No such file or directory at /a/b/F.pm line 293.',),
            "autopoint is not installed, and the step needs it: make "
            '(Can\'t exec "autopoint": No such file or directory at …/F.pm line 293.)',
        ),
        (
            2,
            ("bison -d g.y", "make: bison: No such file or directory", "make: *** [g.c] Error 127"),
            "bison is not installed, and the step needs it: make "
            "(make: bison: No such file or directory)",
        ),
        (
            1,
            ("x.c:1: error: y", "sh: 1: git: not found"),
            "x.c:1: error: y (exit code 1 of the step: make)",
        ),
        (
            2,
            ("make: ./made: No such file or directory",),
            "make: ./made: No such file or directory (exit code 2 of the step: make)",
        ),
        (
            1,
            (
                "/usr/bin/ld: /tmp/a/b/two.o: multiple definition of `main'; first here",
                "collect2: error: ld returned 1 exit status",
            ),
            "…/ld: …/two.o: multiple definition of `main'; first here "
            "(exit code 1 of the step: make)",
        ),
        (1, ("./main.go:3:2: x declared and not used",), None),
        (
            1,
            ("a.s:1: Warning: y", "./b_amd64.s:2: illegal x"),
            "./b_amd64.s:2: illegal x (exit code 1 of the step: make)",
        ),
        (
            1,
            (
                "go: downloading example.org/a v1.0.0",
                "go: example.org/a@v1.0.0: module lookup disabled by GOPROXY=off",
            ),
            "go: example.org/a@v1.0.0: module lookup disabled by GOPROXY=off "
            "(exit code 1 of the step: make)",
        ),
        (101, ("error[E0425]: cannot find value `x` in this scope",), None),
        (
            101,
            ("   Compiling a", "error[E0554]: no feature"),
            "error[E0554]: no feature (exit code 101 of the step: make)",
        ),
        (
            1,
            ("[INFO] Building x", "[ERROR] Failed to execute goal: no x.jar", "[ERROR] "),
            "[ERROR] Failed to execute goal: no x.jar (exit code 1 of the step: make)",
        ),
        (2, ("make: *** No targets specified and no makefile found. Stop.",), None),
        (-11, (), "step killed by SIGSEGV: make"),
        (139, (), "step killed by SIGSEGV: make"),
        (137, (), MEMORY),
        (255, (), "step ended with exit code 255: make"),
        (
            1,
            ("cc: write: No space left on device", "x"),
            "disk full in the step: make (cc: write: No space left on device)",
        ),
        (1, ("a.c:1: internal compiler error: x",), f"{CRASH} (a.c:1: internal compiler error: x)"),
        (1, ("PLEASE submit a bug report to x",), f"{CRASH} (PLEASE submit a bug report to x)"),
        (
            254,
            ("clang: error: unable to execute command: Segmentation fault", "clang: note: x"),
            f"{CRASH} (clang: error: unable to execute command: Segmentation fault)",
        ),
        (
            1,
            ("clang: error: unable to execute command: Killed", "PLEASE submit a bug report to x"),
            f"{MEMORY} (clang: error: unable to execute command: Killed)",
        ),
        (
            2,
            ("make: *** [Makefile:3: ceval.o] Error 137",),
            f"{MEMORY} (make: *** [Makefile:3: ceval.o] Error 137)",
        ),
        (2, ("make: *** [Makefile:3: a] Killed",), f"{MEMORY} (make: *** [Makefile:3: a] Killed)"),
        (2, ("cc1: out of memory allocating 65536 bytes",), None),
        (2, ("gmake: *** No rule to make target 'nosuch'. Stop.",), None),
        (2, ("a test that was not Killed", "Error 1370"), "step ended with exit code 2: make"),
    ],
)
def test_why(status: int, lines: tuple[str, ...], reason: str | None) -> None:
    if reason is None and lines[0].startswith("cc1: out of memory"):
        reason = f"{MEMORY} ({lines[0]})"
    elif reason is None:
        reason = f"{lines[0]} (exit code {status} of the step: make)"
    assert why("make", status, lines) == reason


def test_the_step_is_shown_whole_without_the_folders_of_its_paths(golden: Hear) -> None:
    step = "/home/me/tools/gcc-14/bin/gcc -O2\n  -o vm src/a.c " + "x" * 200 + " /usr/lib/x"
    said = why(step, 1)
    golden(said)


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOSPC])
def test_files_that_cannot_be_handled(number: int, golden: Hear) -> None:
    golden(because(OSError(number, os.strerror(number), "/x")))


def test_the_end_of_a_log_from_some_byte_on(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("first\nsecond\nthird\n")
    assert tail(log, 2) == ("second", "third")
    assert tail(log, 5, len("first\n")) == ("second", "third")


def _compiler_proper(folder: Path, body: str) -> Path:
    """A folder for ``-B`` whose cc1 does what ``body`` says."""
    folder.mkdir()
    (folder / "cc1").write_text(f"#!/bin/sh\n{body}\n")
    (folder / "cc1").chmod(0o755)
    return folder


COMPILE = "{{cc}} -B{folder}/ -c {{source}}/main.c -o {{program}}"


@pytest.mark.usefixtures("needs_gcc")
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("kill -KILL $$", "killed, probably out of memory, in the step: "),
        ("kill -SEGV $$", "the compiler crashed in the step: "),
        ("echo 'main.c:1: internal compiler error: in x' >&2; exit 4", "the compiler crashed in"),
    ],
)
def test_what_the_driver_of_a_compiler_says(
    source: Path, store: BuildStore, tmp_path: Path, body: str, reason: str
) -> None:
    folder = _compiler_proper(tmp_path / "libexec", body)
    step = COMPILE.format(folder=folder)
    assert failed(recipe(source, steps=(step,), compiler=gcc()), store).reason.startswith(reason)


def test_the_reason_is_found_above_what_is_shown(source: Path, store: BuildStore) -> None:
    failure = failed(recipe(source, steps=("echo LLVM ERROR: broken; seq 40; exit 1",)), store)
    assert failure.reason.startswith("the compiler crashed")
    assert failure.log_tail[-1] == "40"


def test_earlier_output_is_no_reason(source: Path, store: BuildStore, golden: Hear) -> None:
    failure = failed(recipe(source, steps=("echo No space left on device", "exit 1")), store)
    golden(failure.reason)


def test_a_full_disk(source: Path, store: BuildStore) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    reason = failed(recipe(source, steps=("cat {source}/main.c > /dev/full",)), store).reason
    assert reason.startswith("disk full in the step: cat src/main.c > /dev/full (")


NOTHING = sandbox.Tools(None, "bubblewrap is not installed", None, "no namespaces")


@pytest.fixture
def sandboxed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo the ``off`` of this folder; skip where there is no bubblewrap."""
    monkeypatch.delenv(sandbox.VARIABLE)
    if not sandbox.tools().bubblewrap:
        pytest.skip(sandbox.tools().no_bubblewrap)


@pytest.mark.usefixtures("sandboxed")
def test_a_step_cannot_redirect_our_files(source: Path, store: BuildStore, tmp_path: Path) -> None:
    """By a link where whyfast writes its record, its log or the scripts of the linker."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    names = "provenance.json.new provenance.json failure.json used layouts log.txt new"
    link = f"for n in {names}; do ln -sf {victim} ../$n || true; done"
    steps = (link, "echo x > $TMPDIR/x", "cp {source}/main.c {program}")
    made = recipe(source, steps=steps)
    built(made, store)
    assert victim.read_text() == "mine"
    kept = sorted(os.listdir(store.folder(made.digest)))
    assert kept == ["log.txt", "provenance.json", "tmp", "used", "work"]


def test_the_record_is_not_written_through_a_link(tmp_path: Path) -> None:
    """A folder that came from another host may have one."""
    (tmp_path / "build").mkdir()
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "build" / "provenance.json").symlink_to(tmp_path / "victim")
    run.complete(tmp_path / "build", {"digest": "d"})
    assert (tmp_path / "victim").read_text() == "mine"
    assert (tmp_path / "build" / "provenance.json").read_text() == '{\n "digest": "d"\n}'
    assert not (tmp_path / "build" / "provenance.json").is_symlink()


@pytest.mark.usefixtures("sandboxed")
def test_a_step_cannot_leave_its_folder(source: Path, store: BuildStore, tmp_path: Path) -> None:
    steps = (f"touch {tmp_path}/outside || true", "cp {source}/main.c {program}")
    build = built(recipe(source, steps=steps), store)
    assert not (tmp_path / "outside").exists()
    assert build.provenance["sandbox"].startswith("bubblewrap, no network, no home")


def test_without_a_sandbox_the_provenance_says_why(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    monkeypatch.delenv(sandbox.VARIABLE)
    monkeypatch.setattr(sandbox, "tools", lambda: NOTHING)
    build = built(recipe(source), store)
    golden(build.provenance["sandbox"])


def test_without_a_sandbox_a_step_can_do_what_the_user_can(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(sandbox.VARIABLE)
    monkeypatch.setattr(sandbox, "tools", lambda: NOTHING)
    (tmp_path / "socket").write_text("of a service")
    steps = (f"cat {tmp_path}/socket >{tmp_path}/outside", "cp {source}/main.c {program}")
    built(recipe(source, steps=steps), store)
    assert (tmp_path / "outside").read_text() == "of a service"


def test_a_root_that_cannot_be_entered_is_a_reason_not_to_build(
    source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sandbox, "tools", lambda: NOTHING)
    compiler = replace(toolchain(), root=tmp_path / "root")
    failure = failed(recipe(source, compiler=compiler), store)
    assert failure.kind == "not-buildable"
    assert failure.reason.startswith(
        "Debian roots cannot be used on this machine: bubblewrap is not"
    )


def test_what_a_toolchain_writes_is_writable(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(sandbox.VARIABLE)
    tools = sandbox.Tools("/usr/bin/bwrap", "", None, "")
    monkeypatch.setattr(sandbox, "tools", lambda: tools)
    cache = tmp_path / "cache"
    cache.mkdir()
    folder = tmp_path / "build"
    (folder / "work").mkdir(parents=True)
    made = recipe(source, compiler=replace(toolchain(), writable=(cache,)))
    _, words, _ = surround(made, folder, BuildStore(tmp_path / "builds"))
    bound = {words[i + 1] for i, word in enumerate(words) if word == "--bind"}
    assert bound == {str(cache), str(folder / "work"), str(folder / "tmp")}
    assert words[-2] == str(folder / "work")


def test_all_files_of_a_source_get_the_same_date(source: Path, store: BuildStore) -> None:
    (source / "older.c").write_text("")
    os.utime(source / "older.c", (1, 1))
    build = built(recipe(source), store)
    src = build.program.parent / "src"
    assert {p.stat().st_mtime for p in src.iterdir()} == {315532800.0}


def test_long_steps_are_timed_one_by_one_in_progress(source: Path, store: BuildStore) -> None:
    said: list[str] = []
    steps = ("true {jobs}", "cp {source}/main.c {program}")
    first = recipe(source, steps=steps)
    again = recipe(source, steps=steps, compiler=toolchain(digest="t2"))
    build_all([first, again], store, said.append)
    cpus = os.cpu_count()
    one = [f"base: step 1 of 2: true {cpus}", "base: step 2 of 2: cp src/main.c vm"]
    assert said == [
        "building base with cc 1.0",
        *one,
        "building base with cc 1.0",
        "base: the last build by these steps took 0 s",
        *one,
    ]


def test_room_comes_first(source: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "NEED_LEAST", 10**18)
    failure = failed(recipe(source), store)
    assert failure.reason.startswith("not enough disk space to build: ")
    assert failure.reason.endswith(" are needed")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cc -o /a/b/c/vm  x.c\n", "cc -o …/vm x.c"),
        ("can't open '/a/b/f.py'", "can't open '…/f.py'"),
        ("/bin/sh and a/b/c stay", "/bin/sh and a/b/c stay"),
        ("https://a.example/b/c", "https://a.example/b/c"),
    ],
)
def test_folders_are_left_out(text: str, shown: str) -> None:
    assert without_folders(text) == shown


#: What tools said of versions, word for word, and what is made of it.
COMPLAINTS = {
    "meson.build:1:0: ERROR: Meson version is 1.0.1 but project requires >=1.9.0": (
        ("meson", "1.0.1", "1.9.0", "pip install 'meson>=1.9.0'")
    ),
    "  CMake 3.99 or higher is required.  You are running version 3.25.1\n": (
        ("cmake", "3.25.1", "3.99", "pip install 'cmake>=3.99'")
    ),
    "error: rustc 1.95.0 is not supported by the following packages:\n"
    "  a@0.1.0 requires rustc 1.98\n  b@0.1.0 requires rustc 1.99\n": (
        ("rustc", "1.95.0", "1.99", "rustup update")
    ),
    "  this version of Cargo is older than the `2030` edition, and only supports `2015`": (
        ("cargo", "", "2030", "rustup update")
    ),
    "go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)": (
        ("go", "1.26.8", "1.99", "go.dev/dl")
    ),
    "configure.ac:1: error: Autoconf version 2.99 or higher is required": (
        ("autoconf", "", "2.99", "newer autoconf")
    ),
    "configure.ac:2: error: require Automake 1.99, but have 1.16.5": (
        ("automake", "1.16.5", "1.99", "newer automake")
    ),
    "ERROR: Dependency lookup for zlib with method 'pkgconfig' failed: Invalid version, need 'zlib'"
    " ['>=9'] found '1.2.13'.": ("zlib", "1.2.13", "9", "newer zlib"),
    'Could NOT find ZLIB: Found unsuitable version "1.2.13", but required is at\n  least "9"': (
        ("ZLIB", "1.2.13", "9", "newer ZLIB")
    ),
}


@pytest.mark.parametrize(
    ("text", "told"), COMPLAINTS.items(), ids=[t[0] for t in COMPLAINTS.values()]
)
def test_what_is_too_old_is_told_with_both_versions_and_the_way_out(
    text: str, told: tuple[str, str, str, str]
) -> None:
    tool, here, wanted, how = told
    reason = too_old(text)
    assert reason.startswith(f"{tool} is too old; ")
    _, available, remedy = reason.split("; ")
    assert here in available
    assert wanted in available
    assert how in remedy


def test_the_step_that_failed_stands_behind_it() -> None:
    reason = why("meson setup build", 1, [next(iter(COMPLAINTS))])
    assert TOO_OLD.match(reason)
    assert reason.endswith("(step: meson setup build)")


def test_another_error_says_nothing_of_versions() -> None:
    assert too_old("x.c:1:1: error: this needs version 2 or newer of the standard") == ""
