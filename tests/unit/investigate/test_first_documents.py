"""Documents and scripts that real programs of a project are given, or others in their place."""

import tomllib
from pathlib import Path

import pytest

from whyfast.investigate import first_documents
from whyfast.investigate.first_documents import ON_A_COPY
from whyfast.investigate.first_study import first_study
from whyfast.investigate.services import Services, Silent
from whyfast.store.home import Home
from whyfast.study.skeleton import KINDS, projects_of

pytestmark = pytest.mark.usefixtures("starts_cost_nothing")


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
    # It works on a copy of a file that it deletes, which the next run would lack.
    (benchmark,) = tomllib.loads(first.text)["benchmarks"].values()
    assert benchmark["command"] == ["sh", "-c", ON_A_COPY, "{program}", "{source}/README.md"]


def test_a_parser_of_a_format_of_its_own_reads_the_data_of_its_tests(
    tmp_path: Path, home: Home
) -> None:
    folder = tmp_path / "p"
    (folder / "test/extra/big").mkdir(parents=True)
    (folder / "app.c").write_text(PARSER)
    (folder / "test/extra/big/many.ttl").write_text("a b c .\n" * 4)
    (folder / "test/extra/few.ttl").write_text("a b c .\n")
    first = first_study(folder, KINDS["c"][1](folder), home, Silent(), Services())
    (benchmark,) = tomllib.loads(first.text)["benchmarks"].values()
    assert benchmark["command"][-1] == "{source}/test/extra/big/many.ttl"


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
