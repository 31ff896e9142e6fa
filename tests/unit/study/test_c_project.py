"""Projects of C: what their makefiles and autotools say of the program."""

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.golden_files import Hear
from tests.studies.commit_study import Repository
from tests.unit.study.test_kinds import project

from whyfast.model.errors import UserError
from whyfast.study.makefile import makefile_in, programs_of
from whyfast.study.project import Project, within
from whyfast.study.skeleton import KINDS, check_file, projects_of


def test_autotools_make_the_first_program_that_is_installed(tmp_path: Path, golden: Hear) -> None:
    project(tmp_path, "configure.ac", "Makefile.am", text="SUBDIRS = src\n")
    project(
        tmp_path,
        "src/Makefile.am",
        text="bin_PROGRAMS =\nnoinst_PROGRAMS = gen\nbin_PROGRAMS += zip \\\n cat\n",
    )
    made = KINDS["autotools"][1](tmp_path)
    assert made.program == "src/src/zip.linked"
    golden(*made.comments)
    golden(*made.steps)
    project(tmp_path, "configure", text="#!/bin/sh\n")
    assert KINDS["autotools"][1](tmp_path).steps == made.steps[1:]


def test_libtool_links_the_program_itself(tmp_path: Path) -> None:
    project(tmp_path, "configure.ac", text="AC_INIT\nLT_INIT\n")
    project(tmp_path, "Makefile.am", text="bin_PROGRAMS = zip\n")
    project(tmp_path, "zip.c", "fuzz.cc")
    made = KINDS["autotools"][1](tmp_path)
    assert " --disable-shared " in made.steps[1]
    assert made.toolchain == "path:cc"


def test_configure_without_automake_makes_what_its_makefile_says(tmp_path: Path) -> None:
    text = "x = @EXEEXT@\no = .@OBJEXT@\nCC = @CC@\nPROG = calc$x\nOBJS = gram$o main$o @MORE@\n"
    text += ".c$o :\n\t@RULE@\n\t$(CC) -c $<\nall :\t$(PROG)\n"
    text += "$(PROG) : $(OBJS)\n\t@SAY@$(CC) -o $@ $(OBJS)\ngram.c : gram.y\n\t$(YACC) gram.y\n"
    project(tmp_path, "Makefile.in", text=text)
    project(tmp_path, "configure", "main.c")
    kind, made = next(projects_of(tmp_path))
    assert kind == "autotools"
    assert made.program == "src/calc.linked"
    assert made.steps == (
        'cd {source} && ./configure --quiet CC={cc} CFLAGS="{cflags}" LDFLAGS="{ldflags}"',
        "make -C {source} --silent -j{jobs}",
    )
    assert made.otherwise is not None
    assert made.otherwise.steps[1] == "make -C {source} --silent -j{jobs} calc"


@pytest.mark.parametrize(("commits", "first"), [(19, "meson"), (20, "cmake")])
def test_a_build_that_earlier_revisions_lack_goes_last(
    tmp_path: Path, commits: int, first: str
) -> None:
    repository = Repository(tmp_path / "repo")
    lists = repository.folder / "CMakeLists.txt"
    lists.write_text("project(p C)\nadd_executable(p a.c)\n")
    repository.commit("first")
    (repository.folder / "meson.build").write_text("project('p', 'c')\nexecutable('p', 'a.c')\n")
    for number in range(commits):
        lists.write_text(f"{lists.read_text()}# {number}\n")
        repository.commit(f"{number}")
    assert next(kind for kind, _ in projects_of(repository.folder)) == first


def test_another_template_and_what_configure_need_not_make(tmp_path: Path) -> None:
    # As CPython has it.
    text = "EXE = @EXE@\nPROG = py$(EXE)\nall: @RULE@\n.PHONY: build_all\nbuild_all: $(PROG) libs\n"
    text += "$(PROG): main.o\n\t$(LINK) -o $@ main.o\n"
    project(tmp_path, "Makefile.pre.in", text=text)
    project(tmp_path, "configure", "main.c")
    asked = "AC_ARG_ENABLE([test-modules],\nAC_ARG_ENABLE(docs, x)\nAC_ARG_ENABLE([shared],\n"
    project(tmp_path, "configure.ac", text=asked)
    made = KINDS["autotools"][1](tmp_path)
    assert made.program == "src/py.linked"
    assert "--disable-test-modules --disable-docs CC" in made.steps[0]


def test_the_program_of_a_makefile(tmp_path: Path) -> None:
    project(tmp_path, "Makefile", text=".PHONY: clean\nprog: a.o\n\tcc -o prog a.o\n")
    project(tmp_path, "src/a.c")
    assert KINDS["c"][1](tmp_path).program == "src/prog.linked"


def test_a_parser_that_two_jobs_would_write_at_once_is_made_by_one(tmp_path: Path) -> None:
    project(tmp_path, "main.c")
    text = "a.out: g.c g.h\n\t$(CC) g.c main.c\ng.c g.h: g.y\n\t$(YACC) -d g.y\n"
    project(tmp_path, "makefile", text=text)
    assert KINDS["c"][1](tmp_path).steps == ('make -C {source} CC={cc} CFLAGS="{cflags}" a.out',)
    project(tmp_path, "makefile", text=text.replace("g.c g.h:", "g.c:"))
    assert "-j{jobs}" in KINDS["c"][1](tmp_path).steps[0]


def test_what_make_would_fetch_counts_as_unchanged(tmp_path: Path) -> None:
    """As of mujs: a table that is checked in is made of a file that is not."""
    text = "a.out: t.h\n\t$(CC) main.c\nt.h: t.txt u.txt\n\t./make-table > t.h\n"
    text += "t.txt u.txt:\n\tcurl -s -o $@ https://example.org/$@\n"
    project(tmp_path, "makefile", text=text)
    project(tmp_path, "u.txt")
    steps = ('make -C {source} -j{jobs} -o t.txt CC={cc} CFLAGS="{cflags}" a.out',)
    assert KINDS["c"][1](tmp_path).steps == steps


def made_by(folder: Path, text: str) -> tuple[str, str] | None:
    (folder / "Makefile").write_text(text)
    return next(iter(programs_of(folder / "Makefile")), None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("all: prog other\n", ("prog", "prog")),
        ("NAME = tool\nall: $(NAME)$(EXT)\n", ("tool", "tool")),
        # As of goldmark: it only lints, tests and measures.
        (
            ".PHONY: test lint\nlint:\n\tgolangci-lint run ./...\ntest:\n\tgo test -o x ./...\n"
            "cov: test\n\tgo tool cover -html=profile.out\n",
            None,
        ),
        # As of bzip2: a library is no program.
        (
            "all: libz.a zip test\nzip: libz.a zip.o\n\t$(CC) -o zip zip.o -L. -lz\n"
            "libz.a: $(OBJS)\n\t$(AR) cq libz.a $(OBJS)\ntest: zip\n\t./zip\n",
            ("zip", "zip"),
        ),
        # Phony targets are followed, in the order in which they are needed.
        (
            ".PHONY: all tools\nall: tools\ntools: one two\n%: %.c\n\t$(CC) -o $@ $<\n",
            ("one", "one"),
        ),
        # A recipe that names no file makes none.
        ("go:\n\techo yes\nprog: prog.o\n", ("prog", "prog")),
        ("check-all lint-fix doc.html:\n\t$(CC) -o $@\n", None),
        ("prog: ; $(CC) -o $@ prog.c # links\n", ("prog", "prog")),
        ("SRC = a.c \\\n  b.c\nprog: $(SRC:.c=.o)\n\t$(CC) -o $@ $^\n", ("prog", "prog")),
        # No file is named: what a compiler makes is a.out. The helper behind it is not it.
        (
            "O = b.o gram.o\na.out: $O\n\t$(CC) $O -lm\ngram.c: gram.y help\n\t$(YACC) gram.y\n"
            "help: help.c\n\t$(CC) help.c -o help\n",
            ("a.out", "a.out"),
        ),
        ("a.out: x\n\techo no\nprog: prog.o\n\t$(CC) -o $@ $<\n", ("prog", "prog")),
        ("P = calc$x\nx =\nall: $P\n", ("calc", "calc")),
        # As of xxHash: what a call of make's functions returns is not known, its words are none.
        ("V := $(shell echo $(W))\nall: lib.so.$(V) prog\n", ("prog", "prog")),
        ("all: $(addprefix bin/, one two) prog\n", ("prog", "prog")),
        ("all: all\n", None),
        ("all:\n\t$(MAKE) -C . all\n", None),
        # As of http-parser: one that times it goes first; what -o names is made, no library is.
        (
            "lib: h.o\n\t$(CC) -shared -o $(SO) h.o\nSO = lib.so.2\ntrace: t.o\n\t$(CC) t.o -o tr\n"
            "bench: bench.o h.o\n\t$(CC) $^ -o $@\n",
            ("bench", "bench"),
        ),
        ("trace: t.o\n\t$(CC) t.o -o tr\nbench: tr\n\t./tr -o times\n", ("trace", "tr")),
        # As premake writes them: conditions on what the file sets, and a command in a variable.
        (
            "ifndef config\n  config=fast\nendif\nP=none.a\nifeq ($(config),slow)\n  P = slow\n"
            "else ifeq ($(config),fast)\n  P = fast # it\nelse\n  P = other\nendif\nL = $(CC) -o "
            '"$@" $^\nall: $(P)\n\t@:\n$(P): p.o\nifneq (,$(P))\n\t@$(L)\nendif\n',
            ("fast", "fast"),
        ),
        # What others may set is not known, nor are words in quotation marks.
        ("A = x\nP = p\nifeq ($(OS),w)\nP = q\nendif\nall: $(P)\n", ("q", "q")),
        ('A = x\nP = p\nifeq "$(A)" "y"\nP = q\nendif\nall: $(P)\n', ("q", "q")),
        # As of mujs: the first target is for debugging. A debugger is a program like others.
        (
            "all: b/debug/js\nb/debug/js: m.c\n\t$(CC) -g -o $@ m.c\n"
            "b/release/js: m.c\n\t$(CC) -O3 -o $@ m.c\n",
            ("b/release/js", "b/release/js"),
        ),
        ("all: js-asan js\n", ("js", "js")),
        # Whatever its folder is called.
        (
            "SAN = -fsanitize=undefined\nall: b/u/js b/fast/js\n"
            "b/u/js: m.c\n\t$(CC) $(SAN) -o $@ m.c\n"
            "b/fast/js: m.c\n\t$(CC) -O3 -o $@ m.c\n",
            ("b/fast/js", "b/fast/js"),
        ),
        # By the profile of what it has run, which is made anew each time.
        ("all: js\npgo: m.c\n\t$(CC) -fprofile-generate -o m_bench m.c\n", ("js", "js")),
        ("pgo: m.c\n\t$(CC) -fprofile-generate -o m_bench m.c\n", None),
        ("all: debugger js\n", ("debugger", "debugger")),
        ("all: debug/js\n", ("debug/js", "debug/js")),
        # A stamp, of which make keeps a folder's date.
        ("all: build/.stamp prog\nbuild/.stamp:\n\ttouch $@\n", ("prog", "prog")),
        ("", None),
    ],
)
def test_the_first_linking_target(tmp_path: Path, text: str, found: tuple[str, str] | None) -> None:
    assert made_by(tmp_path, text) == found


def test_of_several_programs_the_next_is_tried(tmp_path: Path) -> None:
    project(tmp_path, "Makefile", text="all: one bench\none: a.o\nbench: b.o\n")
    project(tmp_path, "a.c")
    made = KINDS["c"][1](tmp_path)
    ways = [made]
    while ways[-1].otherwise:
        ways.append(ways[-1].otherwise)
    assert [w.program.removesuffix(".linked") for w in ways] == 3 * ["src/bench"] + 3 * ["src/one"]
    assert [o.program for o in made.others] == ["src/one.linked"]


def test_a_folder_that_needs_its_repository_is_built_from_the_whole(tmp_path: Path) -> None:
    project(tmp_path, "Makefile", text="prog: a.o\n")
    project(tmp_path, "a.c")
    made = within(KINDS["c"][1](tmp_path), "tools/x")
    assert made.steps == ('make -C {source}/tools/x -j{jobs} CC={cc} CFLAGS="{cflags}" prog',)
    assert made.program == "src/tools/x/prog.linked"
    assert made.link.startswith("rm -f src/tools/x/prog && make -C {source}/tools/x -j{jobs} ")
    assert tomllib.loads(check_file(made))["source"] == {"path": "../.."}
    project(tmp_path, "Makefile", text="all: ../bin/prog\n../bin/prog: a.o\n\t$(CC) -o $@ $^\n")
    assert within(KINDS["c"][1](tmp_path), "tools/x").program == "src/tools/bin/prog.linked"


def test_a_makefile_that_asks_another_is_followed(tmp_path: Path) -> None:
    """As of lz4, by -C, and of Lua, by cd; as of premake, by -f in the same folder."""
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "Makefile").write_text("lz: lz.o\n\t$(CC) $^ -o $@\n")
    text = "DIR = programs\n.PHONY: lz lib\nall: lib lz\nlib:\n\t@:\nlz:\n\t$(MAKE) -C $(DIR) $@\n"
    assert made_by(tmp_path, text) == ("lz", "programs/lz")
    text = "all:\n\t@cd programs && $(MAKE)\n"
    assert made_by(tmp_path, text) == ("all", "programs/lz")
    (tmp_path / "one.make").write_text("all: ../bin/one\n../bin/one: one.o\n\t$(CC) $^ -o $@\n")
    text = ".PHONY: all one\nall: one\none:\n\t@$(MAKE) -s -C . -f one.make x=y\n"
    assert made_by(tmp_path, text) == ("one", "../bin/one")


def test_the_file_that_make_would_read(tmp_path: Path) -> None:
    assert makefile_in(tmp_path) is None
    for name in ("Makefile", "makefile", "GNUmakefile"):
        (tmp_path / name).touch()
        assert makefile_in(tmp_path) == tmp_path / name


def test_hostile_makefiles_are_read_in_no_time(tmp_path: Path) -> None:
    """Where a pattern went back over what it has read, these would take years."""
    assert made_by(tmp_path, "a: " + "$(x)" * 4000 + "=\n") is None
    assert made_by(tmp_path, "a: " + "$(" * 4000 + "=\n") is None
    assert made_by(tmp_path, "V = " + "$(V)" * 500 + "\nall: $(V)\n") is None
    assert made_by(tmp_path, "a" + " " * 900_000 + "\n") is None


def test_what_is_no_plain_file_or_has_no_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "GNUmakefile")
    (tmp_path / "makefile").symlink_to("/dev/zero")
    assert makefile_in(tmp_path) is None
    (tmp_path / "Makefile").write_bytes(b"all: prog\n")
    os.truncate(tmp_path / "Makefile", 50_000_000_000)  # of zeros, without room on the disk
    assert programs_of(tmp_path / "Makefile") == [("prog", "prog")]


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(alphabet="ab: =$(){}\t\n\\.#%|;+?@-CMAKE", max_size=120))
def test_whatever_stands_there_is_read(tmp_path: Path, text: str) -> None:
    found = made_by(tmp_path, text)
    assert found is None or all(found)


@pytest.mark.parametrize(
    "place", ["bench/b.cpp", "benchmarks/b.cc", "examples/b.cxx", "test/b.cpp"]
)
def test_a_library_of_headers_in_cxx_is_timed_by_its_own_programs(
    tmp_path: Path, place: str
) -> None:
    project(tmp_path, "include/lib.hpp", text="#include <vector>\n")
    project(tmp_path, place, text="#include <lib.hpp>\nint main() { return 0; }\n")
    ((kind, made),) = projects_of(tmp_path)
    assert (kind, made.toolchain, made.incomplete) == ("c", "path:c++", "")
    assert made.as_linked is not None
    (step,) = made.as_linked.steps
    assert f"{{source}}/{place} " in step
    assert "-I{source}/include " in step
    assert made.otherwise is not None
    assert made.otherwise.incomplete  # one to be filled in, where that does not build


def test_a_test_that_measures_comes_before_others(tmp_path: Path) -> None:
    for name, header in (("a1", "unit.h"), ("b1", "../perftest.h"), ("c1", "unit.h")):
        text = f'#include "{header}"\nint main(void) {{ return 0; }}\n'
        project(tmp_path, f"tests/{name}.c", text=text)
    made = KINDS["c"][1](tmp_path)
    assert made.comments[0] == "The program consists of b1.c and the files without a main()."


def test_what_is_in_c_is_no_project_of_cxx(tmp_path: Path) -> None:
    project(tmp_path, "tool.c", text="int main(void) { return 0; }\n")
    project(tmp_path, "test/b.cpp", text="int main() { return 0; }\n")
    ((_, made),) = projects_of(tmp_path)
    assert made.toolchain == "path:cc"
    assert "b.cpp" not in " ".join(made.steps)


def test_a_library_in_a_folder_of_its_name_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "ryu"
    folder.mkdir()
    project(folder, "CMakeLists.txt", text="project(ryu C)\nadd_library(ryu ryu/a.c)\n")
    project(folder, "ryu/ryu.h")
    project(folder, "ryu/a.c", text="int f(void) { return 1; }\n")
    ((kind, made),) = projects_of(folder)
    assert kind == "c"
    assert '#include "ryu.h"' in made.steps[0]
    assert "{source}/ryu/a.c" in made.steps[1]


@pytest.mark.parametrize(
    ("condition", "defined"),
    [
        ("#ifdef HASHMAP_TEST", " -DHASHMAP_TEST "),
        ("#if defined(KE_MAIN)\n#if 1\n#endif", " -DKE_MAIN "),
        ("#ifdef HASHMAP_TEST\n#else", ""),
        ("#ifdef HASHMAP_TEST\n#endif\n#if 1", ""),
        ("#ifndef NO_MAIN", ""),
        ("#ifdef _WIN32", ""),
    ],
)
def test_a_file_that_is_a_program_if_asked_is_asked(
    tmp_path: Path, condition: str, defined: str
) -> None:
    project(tmp_path, "hashmap.c", text=f"{condition}\nint\nmain(void) {{ return 0; }}\n#endif\n")
    project(tmp_path, "hashmap.h", text="int f(void);\n")
    made = KINDS["c"][1](tmp_path)
    assert (" -D" in made.steps[0]) == bool(defined)
    assert defined in made.steps[0]
    assert made.otherwise is not None
    assert ("{source}/hashmap.c" in made.otherwise.steps[-1]) == bool(defined)


@pytest.mark.parametrize(("seconds", "stated"), [(61.4, "61s"), (9.0, None)])
def test_a_long_build_whose_steps_are_new_says_how_long_it_takes(
    seconds: float, stated: str | None
) -> None:
    made = Project("path:go", ("true",), "p", benchmarks={"a": ("{program}",)}, takes=seconds)
    assert tomllib.loads(check_file(made))["build"].get("takes") == stated


def test_projects_in_folders_are_named_and_headers_in_src_are_one(tmp_path: Path) -> None:
    project(tmp_path, "inner/Makefile", "tests/Makefile", text="all: a\n")
    with pytest.raises(UserError, match=r"cd inner; whyfast new \(or tests\)"):
        next(projects_of(tmp_path))
    project(tmp_path, "src/x.h", text="")
    kind, made = next(projects_of(tmp_path))
    assert (kind, "x.h" in made.comments[0]) == ("c", True)
