"""A project is built once before its study is written; real makes and compilers."""

import shutil
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.unit.investigate.doubles import Watcher

from whyfast.build.run import build_all
from whyfast.investigate import first_study as first_study_module
from whyfast.investigate.first_study import FirstStudy, first_study, first_that_builds
from whyfast.investigate.first_tries import Tries
from whyfast.investigate.services import Services, Silent
from whyfast.model.build import Build, BuildOutcome
from whyfast.store.home import Home
from whyfast.study.project import WHOLE, Project
from whyfast.study.skeleton import KINDS, projects_of

pytestmark = pytest.mark.usefixtures("starts_cost_nothing")

PROGRAM = "#ifndef LEVEL\n#error LEVEL is not set\n#endif\nint main(void)\n{\n    return 0;\n}\n"


WORK = "int main(void)\n{\n    for (volatile long i = 0; i < 300000000; i++);\n    return 0;\n}\n"


def written(folder: Path, home: Home, makefile: str, source: str = PROGRAM) -> FirstStudy:
    folder.mkdir()
    (folder / "app.c").write_text(source)
    (folder / "Makefile").write_text(makefile)
    return first_study(folder, KINDS["c"][1](folder), home, Silent(), Services())


@pytest.mark.parametrize(
    ("makefile", "step"),
    [
        (
            "CFLAGS += -DLEVEL=2\napp: app.c\n\t$(CC) $(CFLAGS) -o $@ app.c\n",
            'CFLAGS="{cflags}" make -C {source} -j{jobs} CC={cc} app',
        ),
        (
            "CFLAGS = -O1\napp: app.c\n\t$(CC) $(CFLAGS) -DLEVEL=2 -o $@ app.c\n",
            'make -C {source} -j{jobs} CC={cc} CFLAGS="{cflags}" app',
        ),
        ("CC = cc -DLEVEL=2\napp: app.c\n\t$(CC) -o $@ app.c\n", "make -C {source} -j{jobs} app"),
    ],
    ids=["adds to CFLAGS", "sets CFLAGS", "needs its own compiler"],
)
def test_the_first_way_that_builds_is_written(
    tmp_path: Path, home: Home, makefile: str, step: str
) -> None:
    first = written(tmp_path / "p", home, makefile)
    assert first.failure == ""
    assert tomllib.loads(first.text)["build"]["steps"] == [step]


def test_a_project_that_does_not_build_gets_its_file_and_the_compilers_error(
    tmp_path: Path, home: Home
) -> None:
    first = written(tmp_path / "p", home, "app: app.c\n\t$(CC) -o $@ app.c\n")
    assert "#error LEVEL is not set" in first.failure
    assert tomllib.loads(first.text)["build"]["program"] == "src/app"


OBJECTS = "app: app.o\n\t$(CC) -o $@ app.o\napp.o: app.c\n\t$(CC) $(CFLAGS) -c app.c\n"


def test_a_program_that_can_be_linked_in_other_layouts_keeps_the_step(
    tmp_path: Path, home: Home
) -> None:
    source = "int f(int n) { return n * 7; }\nint main(int n, char **v) { return f(n) == 1; }\n"
    first = written(tmp_path / "p", home, OBJECTS, source)
    build = tomllib.loads(first.text)["build"]
    assert build["program"] == "src/app.linked"
    assert 'CC="{cc} {layout}" app' in build["link"]


def test_a_program_that_is_made_elsewhere_is_found_there(tmp_path: Path, home: Home) -> None:
    makefile = OBJECTS.replace("-o $@ app.o", "-o bin/$@ app.o").replace(
        "\t", "\tmkdir -p bin; ", 1
    )
    source = "int f(int n) { return n * 7; }\nint main(int n, char **v) { return f(n) == 1; }\n"
    build = tomllib.loads(written(tmp_path / "p", home, makefile, source).text)["build"]
    assert build["program"] == "src/bin/app.linked"
    assert "cp src/bin/app {program}" in build["link"]


def test_what_does_not_build_by_meson_is_tried_by_make(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "app.c").write_text("int main(void)\n{\n    return 0;\n}\n")
    (folder / "meson.build").write_text("project('app', 'c')\nexecutable('app', 'none.c')\n")
    (folder / "Makefile").write_text(OBJECTS)
    kinds = list(projects_of(folder))
    kind, first = first_that_builds(folder, kinds, home, Silent(), Services())
    assert [k for k, _ in kinds] == ["meson", "c"]
    assert (kind, first.builds, first.failure) == ("c", True, "")


@pytest.mark.parametrize(
    ("fetch", "failure"),
    [
        (("no-such-tool", "fetch"), "no-such-tool is not installed"),
        (("sh", "-c", r"echo '[ERROR] no x.jar'; printf '\033[0m\033[0m' >&2; exit 1"), "no x.jar"),
    ],
)
def test_a_fetch_that_fails_says_why(
    tmp_path: Path, home: Home, fetch: tuple[str, ...], failure: str
) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "app.c").write_text(PROGRAM)
    (folder / "Makefile").write_text("app: app.c\n\t$(CC) -o $@ app.c\n")
    project = replace(KINDS["c"][1](folder), fetch=fetch)
    first = first_study(folder, project, home, Silent(), Services())
    assert failure in first.failure.rpartition("failed:")[2]
    assert "\033" not in first.failure


def test_a_library_alone_gets_a_program_to_be_filled_in(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "p.h").write_text("int twice(int n);\n")
    (folder / "p.c").write_text('#include "p.h"\nint twice(int n) { return 2 * n; }\n')
    kind, project = next(projects_of(folder))
    first = first_study(folder, project, home, Silent(), Services())
    assert kind == "c"
    assert "main() of bench.c" in first.failure
    assert '#include "p.h"' in tomllib.loads(first.text)["build"]["steps"][0]


MAKES_A_LIBRARY = """\
CFLAGS = -DMADE=1
all: libp.a
libp.a: {place}/p.o
	$(AR) rcs $@ $^
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("place", ["src", "lib/deep"])
def test_a_library_that_only_its_makefile_builds_gets_one_linked_with_it(
    tmp_path: Path, home: Home, place: str
) -> None:
    folder = tmp_path / "p"
    (folder / place).mkdir(parents=True)
    (folder / "Makefile").write_text(MAKES_A_LIBRARY.format(place=place))
    (folder / place / "p.h").write_text("int twice(int n);\n")
    (folder / place / "p.c").write_text('#include "p.h"\nint twice(int n) { return MADE * n; }\n')
    _, project = next(projects_of(folder))
    first = first_study(folder, project, home, Silent(), Services())
    assert "main() of bench.c" in first.failure
    assert first.builds
    assert "$made" in tomllib.loads(first.text)["build"]["steps"][-1]


def test_benchmarks_of_a_package_that_lacks_a_module_are_not_written(
    tmp_path: Path, home: Home
) -> None:
    """Those by pyperf, too, which are not tried."""
    (folder := tmp_path / "p").mkdir()
    (folder / "p.py").write_text("import none_such\n")
    (folder / "setup.py").write_text('setup(py_modules=["p"])\n')
    (folder / "benchmarks").mkdir()
    (folder / "benchmarks" / "bench_p.py").write_text("import pyperf\n")
    study = first_study(folder, KINDS["python"][1](folder), home, Silent(), Services())
    assert study.lacks
    assert "pip install" in study.failure


def test_a_submodule_that_is_not_there_is_named(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / ".gitmodules").write_text('[submodule "v"]\n\tpath = vendor/v\n\turl = x\n')
    (folder / "app.c").write_text("#error no vendor\nint main(void) { return 0; }\n")
    first = first_study(folder, KINDS["c"][1](folder), home, Silent(), Services())
    assert (first.builds, first.lacks) == (False, True)
    assert "vendor/v" in first.failure
    (folder / "app.c").write_text("int main(void) { return 0; }\n")
    first = first_study(folder, KINDS["c"][1](folder), home, Silent(), Services())
    assert first.builds
    assert "vendor/v" in "".join(first.notes)


def test_at_the_limit_it_is_what_is_known_by_then(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "app.c").write_text("int main(void)\n{\n    return 0;\n}\n")
    (folder / "Makefile").write_text("app: app.c\n\tsleep 60; $(CC) -o $@ app.c\n")
    kinds = [("c", KINDS["c"][1](folder)), ("c", KINDS["c"][1](folder))]
    _, first = first_that_builds(folder, kinds, home, Silent(), Services(), seconds=0.5)
    assert not first.builds
    assert "--limit" in first.failure
    study = tomllib.loads(first.text)
    assert study["build"]["program"] == "src/app"
    assert "link" not in study["build"]
    assert study["benchmarks"]


def test_a_harness_whose_names_are_not_known_is_run_without_it(tmp_path: Path, home: Home) -> None:
    """At the limit, after one build, although the step that fails is that which links."""
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "a").write_text("")
    bare = Project("path:cc", (), "program", runner="libtest", folder="{source}")
    step = "sleep 60; : save-temps"
    project = replace(bare, steps=(step,), link=step, as_linked=replace(bare, steps=(step,)))
    watcher = Watcher()
    _, first = first_that_builds(folder, [("c", project)], home, watcher, Services(), seconds=0.5)
    study = tomllib.loads(first.text)
    whole = {"runner": "command", "folder": "{source}", "command": ["{program}"]}
    assert study["benchmarks"] == {"whole": whole}
    assert "".join(watcher.heard).count("building it once") == 1


def test_tests_that_fail_do_not_stand_in_for_a_program_without_work(
    tmp_path: Path, home: Home
) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "app.c").write_text("int main(void)\n{\n    return 0;\n}\n")
    (folder / "tests.c").write_text("int main(void)\n{\n    return 1;\n}\n")
    made = Project("path:cc", ("{cc} -o program src/app.c",), "program", benchmarks=WHOLE)
    runs = {"tests": ("{program}",)}
    tests = replace(made, steps=("{cc} -o program src/tests.c",), benchmarks={}, candidates=runs)
    first = first_study(folder, replace(made, others=(tests,)), home, Silent(), Services())
    assert first.failure == ""
    assert "src/app.c" in first.text
    assert any("does little" in note for note in first.notes)


def test_a_program_that_fails_makes_way_for_one_that_does_little(
    tmp_path: Path, home: Home
) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "sample.c").write_text("int main(void)\n{\n    return 1;\n}\n")
    (folder / "tests.c").write_text("int main(void)\n{\n    return 0;\n}\n")
    made = Project("path:cc", ("{cc} -o program src/sample.c",), "program", benchmarks=WHOLE)
    tests = replace(made, steps=("{cc} -o program src/tests.c",))
    first = first_study(folder, replace(made, others=(tests,)), home, Silent(), Services())
    assert (first.failure, first.idle) == ("", True)
    assert "src/tests.c" in first.text


def test_to_install_what_one_kind_lacks_is_better_than_another_without_work(
    tmp_path: Path, home: Home
) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "app.c").write_text("int main(void)\n{\n    return 0;\n}\n")
    (folder / "long.c").write_text(WORK)
    says = "echo \"No package 'no-such-lib' found\" >&2; exit 1"
    lacks = Project("path:cc", (says,), "program", benchmarks=WHOLE)
    idle = replace(lacks, steps=("{cc} -o program src/app.c",))
    works = replace(lacks, steps=("{cc} -o program src/long.c",))
    services = Services()
    for other in (idle, replace(works, incomplete="fill in main()")):
        kinds = [("meson", lacks), ("cmake", other)]
        kind, first = first_that_builds(folder, kinds, home, Silent(), services)
        assert (kind, first.lacks) == ("meson", True)
        assert "no-such-lib" in first.failure
    # By another tool it may be the same program.
    tool = replace(lacks, steps=("meson setup build",), env={"PATH": str(tmp_path)})
    kind, first = first_that_builds(
        folder, [("meson", tool), ("cmake", idle)], home, Silent(), services
    )
    assert (kind, first.idle) == ("cmake", True)
    kind, first = first_that_builds(
        folder, [("meson", lacks), ("cmake", works)], home, Silent(), services
    )
    assert (kind, first.lacks, first.failure) == ("cmake", False, "")


def test_a_program_built_beside_another_says_how_long_it_takes_by_itself(
    tmp_path: Path, home: Home
) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "app.c").write_text("int main(void)\n{\n    return 0;\n}\n")
    (folder / "long.c").write_text(WORK)
    made = Project("path:cc", ("{cc} -o program src/app.c",), "program", benchmarks=WHOLE)
    works = replace(made, steps=("{cc} -o program src/long.c",))
    services = Services(build=lambda *given: [_taking(b, 99.0) for b in build_all(*given)])
    first = first_study(folder, replace(made, others=(works,)), home, Silent(), services)
    assert tomllib.loads(first.text)["build"]["takes"] == "99s"


def _taking(made: BuildOutcome, seconds: float) -> BuildOutcome:
    assert isinstance(made, Build)
    return replace(made, provenance={**made.provenance, "seconds": seconds})


def test_a_program_that_does_not_end_leaves_time_to_try_another(
    tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_study_module, "Tries", partial(Tries, left=0.3))
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "wait").write_text("#!/bin/sh\nexec sleep 60\n")
    (folder / "wait").chmod(0o755)
    (folder / "app.c").write_text(WORK)
    waits = Project("path:cc", ("cp src/wait waits",), "waits", benchmarks=WHOLE)
    works = replace(waits, steps=("{cc} -o works src/app.c",), program="works")
    project = replace(waits, others=(works,))
    first = first_study(folder, project, home, Silent(), Services())
    assert tomllib.loads(first.text)["build"]["program"] == "works"


def test_a_benchmark_with_the_time_in_its_name_is_left_out(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "app").write_text("#!/bin/sh\necho a::b: bench\necho at::$(date +%N): bench\n")
    (folder / "app").chmod(0o755)
    made = Project("path:cc", ("cp src/app program",), "program", runner="libtest")
    study = tomllib.loads(first_study(folder, made, home, Silent(), Services()).text)
    assert list(study["benchmarks"]) == ["a-b"]


def test_at_the_limit_it_is_said_that_another_program_may_have_work(
    tmp_path: Path, home: Home
) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "app").write_text("#!/bin/sh\necho no words >&2; exit 2\n")
    (folder / "app").chmod(0o755)
    made = Project("path:cc", ("cp src/app program",), "program", benchmarks=WHOLE)
    slow = replace(made, others=(replace(made, steps=("sleep 60",)),))
    kinds = [("c", slow)]
    _, first = first_that_builds(folder, kinds, home, Silent(), Services(), seconds=8)
    assert "add words to its command that give it work; 8 s were over before" in first.failure
