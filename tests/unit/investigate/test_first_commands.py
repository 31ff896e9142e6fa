"""Command lines by which a project's own tests run its program."""

import json
import shutil
from pathlib import Path

import pytest

from whyfast.investigate import first_commands
from whyfast.investigate.first_commands import commands_of_tests
from whyfast.toolchain.sandbox import tools

MAKEFILE = """\
check: app
	time LC_ALL=C ./app -v data/in.txt
	./app <data/in.txt >data/out.txt
	./app -Idata -o obj/{1}.o "data/a b.txt" 2>&1
	./app nothing
	./app ../elsewhere data/in.txt /etc/passwd
	./app data/in.txt | sort
	diff data/in.txt data/out.txt
app: app.c
	$(CC) -o app app.c
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for place in (tmp_path / "work/src/data", tmp_path / "copy/data"):
        place.mkdir(parents=True)
        for name in ("in.txt", "a b.txt"):
            (place / name).write_text("x")
    return tmp_path


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_what_make_would_run_is_told(project: Path) -> None:
    (project / "copy/Makefile").write_text(MAKEFILE)
    (project / "copy/app.c").write_text("")
    commands, place = commands_of_tests(project / "copy", project / "work/src/app.linked", "app")
    end = "; status=$?; rm -f /tmp/whyfast_bench_$$; exit $status"
    out = "/tmp/whyfast_bench_$$"
    last = f'"$0" -Idata -o {out} "{{study}}/data/a b.txt"'
    assert commands == [
        ("{program}", "-v", "{study}/data/in.txt"),
        ("sh", "-c", f'"$0" < "{{study}}/data/in.txt" > {out}{end}', "{program}"),
        ("sh", "-c", f"{last}{end}", "{program}"),
    ]
    assert place == "{source}"


def test_what_ctest_tells_is_taken_and_nothing_else(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, build = project / "work/src", project / "work/build"
    (build / "bin").mkdir(parents=True)
    (build / "CTestTestfile.cmake").write_text("")
    tests = [
        {"name": "valid", "command": [f"{build}/bin/app", "--strict", f"{source}/data/in.txt"]},
        {"name": "again", "command": [f"{build}/bin/app", "--strict", f"{source}/data/in.txt"]},
        {"name": "made", "command": [f"{build}/bin/app", f"{build}/made.txt"]},
        {"name": "other", "command": [f"{build}/bin/other", f"{source}/data/in.txt"]},
        {"name": "not built"},
    ]
    monkeypatch.setattr(first_commands, "_printed", lambda *given: json.dumps({"tests": tests}))
    found = commands_of_tests(project / "copy", build / "bin/app.linked", "app")
    assert found == ([("{program}", "--strict", "{study}/data/in.txt")], "")


def test_meson_names_files_by_way_of_its_folders(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = project / "work/build"
    (build / "meson-info").mkdir(parents=True)
    tests = [{"cmd": [f"{build}/app", f"{build}/../src/test/../data/in.txt"]}]
    monkeypatch.setattr(first_commands, "_printed", lambda *given: json.dumps(tests))
    found = commands_of_tests(project / "copy", build / "app.linked", "app")
    assert found == ([("{program}", "{study}/data/in.txt")], "")


@pytest.mark.skipif(
    shutil.which("make") is None or not tools().bubblewrap, reason="needs make and bubblewrap"
)
def test_what_a_makefile_runs_while_it_is_read_is_shut_in(project: Path) -> None:
    outside = project / "outside"
    text = f"NAME := $(shell touch {outside} inside; echo in.txt)\ncheck:\n\t./app data/$(NAME)\n"
    (project / "copy/Makefile").write_text(text)
    commands, _ = commands_of_tests(project / "copy", project / "work/src/app.linked", "app")
    assert commands == [("{program}", "{study}/data/in.txt")]
    assert not outside.exists()
    assert (project / "copy/inside").exists()
