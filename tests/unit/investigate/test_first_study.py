"""A project is built once before its study is written; real makes and compilers."""

import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.investigate.doubles import Watcher

from whyfast.build.run import build_all
from whyfast.investigate import first_documents, first_tries
from whyfast.investigate.first_study import FirstStudy, first_study, first_that_builds
from whyfast.investigate.services import Services, Silent
from whyfast.measure import invocation
from whyfast.measure.process import Child, Usage
from whyfast.model.build import Build, BuildOutcome
from whyfast.store.home import Home
from whyfast.study.project import WHOLE, Project
from whyfast.study.skeleton import KINDS, projects_of


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")


@pytest.fixture(autouse=True)
def starts_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPU time up to 30 ms is that of a process that starts on a busy machine; all work of the
    programs here takes longer."""

    def completed(child: Child, command: tuple[str, ...], seconds: float, **more: Any) -> Usage:
        usage = invocation.completed(child, command, seconds, **more)
        works = usage.user + usage.system > 0.03
        return usage if works else replace(usage, user=0.0, system=0.0)

    monkeypatch.setattr(first_tries, "completed", completed)


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


def test_an_interpreter_works_on_scripts_of_the_project(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "p"
    (folder / "tests").mkdir(parents=True)
    (folder / "tests" / "work.lua").write_text("x")
    (folder / "tests" / "bad.lua").write_text("y")
    (folder / "app.c").write_text(
        "#include <stdio.h>\n#include <time.h>\nint main(int n, char **words)\n{\n"
        '    FILE *file = n > 1 ? fopen(words[1], "r") : 0;\n'
        "    if (!file) return 0;\n    if (fgetc(file) != 'x') return 1;\n"
        "    while (clock() < CLOCKS_PER_SEC / 20) ;\n    return 0;\n}\n"
    )
    first = first_study(folder, KINDS["c"][1](folder), home, Silent(), Services())
    benchmarks = tomllib.loads(first.text)["benchmarks"]
    assert [b["command"] for b in benchmarks.values()] == [["{program}", "{source}/tests/work.lua"]]


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


#: Does nothing with arguments, and as much as it reads from standard input.
PARSER = """\
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv)
{
    (void)argv;
    while (argc == 1 && getchar() != EOF)
        for (clock_t end = clock() + CLOCKS_PER_SEC / 500; clock() < end;)
            ;
    return argc > 1;
}
"""


def test_a_parser_works_on_the_largest_document_of_the_project(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "p"
    (folder / "docs").mkdir(parents=True)
    (folder / "app.c").write_text(PARSER)
    (folder / "docs/small.json").write_text("[]")
    (folder / "docs/large.json").write_text("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]")
    first = first_study(folder, KINDS["c"][1](folder), home, Silent(), Services())
    (benchmark,) = tomllib.loads(first.text)["benchmarks"].values()
    assert benchmark["command"][-1] == "{source}/docs/large.json"
    assert benchmark["command"][:2] == ["sh", "-c"]


#: Replaces the file of its argument by an empty one with another name, as compressors do.
COMPRESSOR = """\
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv)
{
    char name[4096];
    if (argc == 1)
        return 0;
    while (clock() < CLOCKS_PER_SEC / 20)
        ;
    snprintf(name, sizeof name, "%s.z", argv[1]);
    fclose(fopen(name, "w"));
    return remove(argv[1]);
}
"""


def test_a_program_that_deletes_its_file_is_tried_on_a_copy(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "p"
    (folder / "tests").mkdir(parents=True)
    (folder / "app.c").write_text(COMPRESSOR)
    (folder / "tests/data.raw").write_text("data")
    (folder / "README.md").write_text("text")
    before = sorted(folder.rglob("*"))
    first = first_study(folder, KINDS["c"][1](folder), home, Silent(), Services())
    assert sorted(folder.rglob("*")) == before
    # Nor does it work on a file that it deletes, which the next run would lack.
    benchmarks = tomllib.loads(first.text)["benchmarks"]
    assert all(
        b["command"][:1] != ["{program}"] or len(b["command"]) == 1 for b in benchmarks.values()
    )


#: Runs what looks like JavaScript, for some time, and fails where it throws.
ENGINE = """\
#include <stdio.h>
#include <string.h>
#include <time.h>
int main(int argc, char **argv)
{
    static char text[10000];
    FILE *file = argc > 1 ? fopen(argv[1], "r") : 0;
    if (!file || !strstr(argv[1], ".js") || !fread(text, 1, sizeof text - 1, file))
        return argc > 1;
    while (clock() < CLOCKS_PER_SEC / 20)
        ;
    return !strncmp(text, "throw", 5);
}
"""


@pytest.mark.parametrize("throws", [True, False], ids=["an engine", "a formatter"])
def test_an_engine_without_scripts_gets_some(tmp_path: Path, home: Home, throws: bool) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "app.c").write_text(ENGINE if throws else ENGINE.replace('"throw", 5', '"-", 1'))
    first = first_study(folder, KINDS["c"][1](folder), home, Silent(), Services())
    names = [*tomllib.loads(first.text)["benchmarks"]]
    assert names == (["calls", "objects", "strings", "arrays"] if throws else ["document"])
    assert len(first.beside) == (4 if throws else 1)


def test_a_program_without_work_makes_way_for_one_that_reads_a_document(
    tmp_path: Path, home: Home
) -> None:
    folder = tmp_path / "miniyaml"
    (folder / "examples").mkdir(parents=True)
    (folder / "mini.c").write_text("int nothing(void) { return 0; }\n")
    (folder / "examples/bench_of_nothing.c").write_text("int main(void) { return 0; }\n")
    (folder / "examples/read.c").write_text(PARSER.replace("/ 500", "/ 10000000"))
    kind, project = next(projects_of(folder))
    first = first_study(folder, project, home, Silent(), Services())
    study = tomllib.loads(first.text)
    assert (kind, first.failure) == ("c", "")
    assert [*first.beside] == ["whyfast_bench_document.yaml"]
    assert study["benchmarks"]["document"]["command"][-1] == "{study}/whyfast_bench_document.yaml"
    assert "read.c" in " ".join(study["build"]["steps"])


def test_so_does_one_of_a_makefile_that_cannot_be_linked_again(
    tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_documents, "DOCUMENTS", {"csv": lambda records: "a,b\n" * 100_000})
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "mini.c").write_text("int main(void) { return 0; }\n")
    (folder / "read.c").write_text(PARSER.replace("/ 500", "/ 10000000"))
    rule = "{0}: {0}.c\n\t$(CC) -o $@ $<\n"
    (folder / "Makefile").write_text(rule.format("mini") + rule.format("read"))
    first = first_study(folder, KINDS["c"][1](folder), home, Silent(), Services())
    study = tomllib.loads(first.text)
    assert study["build"]["program"] == "src/read"
    assert [*study["benchmarks"]] == ["document"]


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
    kind, first = first_that_builds(
        folder, [("meson", lacks), ("cmake", idle)], home, Silent(), services
    )
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
