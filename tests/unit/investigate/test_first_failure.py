"""Why a project does not build, and what to do."""

import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from whyfast.build.revisions import Range
from whyfast.investigate import first_failure
from whyfast.investigate.first_failure import advice, built, fetched, fetched_for
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.study.project import Project


@pytest.mark.parametrize(
    ("log", "lacks", "named"),
    [
        ('not find a package configuration\n  file provided by "absl"', True, "absl"),
        (
            "Looking for a fallback subproject for the dependency stb\n\n"
            "src/meson.build:4:0: ERROR: Automatic wrap-based subproject downloading is disabled",
            True,
            "the package stb is not installedlibstb-dev",
        ),
        ("Could NOT find ZLIB (missing: ZLIB_LIBRARY)", True, "ZLIB"),
        (
            "x.c:1:10: fatal error: absl/log/check.h: No such file or directory",
            True,
            "absl/log/check.h",
        ),
        ("x.c:1:10: fatal error: stb_image.h: No such file or directory", True, "libstb-dev"),
        ("x.c:1:10: fatal error: zlib.h: No such file or directory", False, "add -I"),
        ("x.c:1:10: fatal error: generated.h: No such file or directory", False, "the step"),
        # Its own, which a step did not find.
        ("x.c:1:10: fatal error: own/check.h: No such file or directory", False, "the step"),
        ("fatal: unable to access 'https://example.org/a'", False, "downloads"),
        (
            "curl -s -o t.txt https://example.org/t.txt\nmake: *** [Makefile:76: t.txt] Error 6",
            False,
            "downloads https://example.org/t.txt while",
        ),
        ("cc -DURL=https://example.org curl.c\ncurl.c:1:1: error: expected", False, "the step"),
        ("x.c:1:1: error: expected", False, "the step"),
        ("ERROR: Problem encountered: no-such-tool is required to build it", True, "no-such-tool"),
        ("ERROR: Program 'no-such-tool' not found or not executable", True, "no-such-tool"),
    ],
)
def test_what_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str, lacks: bool, named: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(first_failure, "SYSTEM_HEADERS", tmp_path / "headers")
    known = "libstb-dev"
    monkeypatch.setattr(first_failure, "_of_debian", lambda n: known * bool(re.match(n, known)))
    (tmp_path / "headers/z").mkdir(parents=True)
    (tmp_path / "headers/z/zlib.h").touch()
    (tmp_path / "p/own").mkdir(parents=True)
    file = tmp_path / "log.txt"
    file.write_text(log)
    failure = BuildFailure("release", "failed", "the step failed", file)
    reason, absent = advice(tmp_path / "p", Project("path:cc", (), "p"), failure)
    assert absent == lacks
    assert named in reason


def test_a_tool_that_is_too_old_is_told_before_submodules(tmp_path: Path) -> None:
    (tmp_path / ".gitmodules").write_text('[submodule "v"]\n\tpath = vendor/v\n\turl = x\n')
    old = "meson is too old; 1.0 is here, the project wants 1.3; pip install 'meson>=1.3'"
    failure = BuildFailure("release", "failed", f"{old} (step: meson setup build)")
    assert advice(tmp_path, Project("path:cc", (), "p"), failure) == (old, True)


def test_a_tool_is_named_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    failure = BuildFailure("release", "failed", "bison is not installed, and the step needs it: x")
    told = advice(tmp_path, Project("path:cc", (), "p"), failure)
    assert told == ("bison is not installed", True)


@pytest.mark.parametrize(
    ("log", "named"),
    [
        ("CMake Error at zlib-subbuild/zlib-populate-gitclone.cmake:39", "downloads zlib while"),
        ("vendor/v: not found; populate-gitclone failed", "not checked out (vendor/v)"),
        ("x.c:1:1: error: expected", "not checked out (vendor/v)"),
    ],
)
def test_a_submodule_is_blamed_unless_something_else_is_downloaded(
    tmp_path: Path, log: str, named: str
) -> None:
    subprocess.run(("git", "init", "-q", str(tmp_path)), check=True)
    (tmp_path / ".gitmodules").write_text('[submodule "v"]\n\tpath = vendor/v\n\turl = x\n')
    file = tmp_path / "log.txt"
    file.write_text(log)
    failure = BuildFailure("release", "failed", "the step failed", file)
    assert named in advice(tmp_path, Project("path:cc", (), "p"), failure)[0]


@pytest.mark.parametrize(
    ("log", "command"),
    [
        ("As a reminder, you're using offline mode (--offline)", "cargo fetch"),
        ("x: module lookup disabled by GOPROXY=off", "go mod download"),
        ("a_test.go:12:2: open /m/@v/v1.8.4.lock: read-only file system", "go mod download"),
        ("error: expected", ""),
        ("curl -s -o t https://example.org/t\nmake: *** [Makefile:76: t] Error 6", ""),
    ],
)
def test_packages_of_another_revision_are_downloaded_by_one_line(
    tmp_path: Path, log: str, command: str
) -> None:
    file = tmp_path / "log.txt"
    file.write_text(log)
    failure = BuildFailure("base", "failed", "the step failed", file)
    source = SimpleNamespace(inner="part")
    context: Any = SimpleNamespace(builds=[failure], question=SimpleNamespace(source=source))
    with pytest.raises(UserError) as caught:
        built(context, Range("a" * 40, "b" * 40, "old", "new"), 1.0)
    place = f"../whyfast-{10 * 'a'}"
    words = f"git worktree add {place} {10 * 'a'} && (cd {place}/part && {command})"
    assert (words in str(caught.value)) == bool(command)
    assert ("downloads https://example.org/t while" in str(caught.value)) == ("curl" in log)


@pytest.mark.parametrize("reason", ["", "`cargo fetch` failed: error: no network"])
def test_packages_of_another_revision_are_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    file = tmp_path / "log.txt"
    file.write_text("you're using offline mode (--offline)")
    failed = [BuildFailure(side, "failed", "the step failed", file) for side in ("base", "head")]
    failed += [BuildFailure("other", "failed", "the step failed", None)]
    asked, exported = list[object](), list[object]()

    def fetched(place: Path, words: object, *rest: object) -> str:
        asked.append((place.name, words))
        return reason

    monkeypatch.setattr(first_failure, "export", lambda *given: exported.append(given[:2]))
    monkeypatch.setattr(first_failure, "fetched", fetched)
    source: Any = SimpleNamespace(inner="part", folder=tmp_path)
    home = SimpleNamespace(cache=tmp_path / "cache", temporary=tmp_path)
    context: Any = SimpleNamespace(builds=failed, observer=None, home=home)
    change = Range("a" * 40, "b" * 40, "old", "new")
    if reason:
        with pytest.raises(UserError, match="no network"):
            fetched_for(context, change, source)
        return
    assert fetched_for(context, change, source)
    assert asked == [("part", ["cargo", "fetch"])] * 2
    assert exported == [(tmp_path, "a" * 40), (tmp_path, "b" * 40)]
    context.builds = failed[2:]
    assert not fetched_for(context, change, source)


def test_a_download_fails_by_its_error_not_by_a_warning_before() -> None:
    said = "warning: network error (1 try remaining)\nerror: failed to get a\n\nCaused by:\n  b"
    words = ("sh", "-c", f"echo '{said}' >&2; false")
    observer: Any = SimpleNamespace(step=lambda text: None)
    reason = fetched(Path("."), words, observer, 9.0)
    assert reason.endswith(" failed: error: failed to get a")
