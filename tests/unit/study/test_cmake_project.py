"""Which programs CMakeLists.txt add, and how they are built, as their text shows."""

from pathlib import Path

import pytest
from tests.unit.study.test_kinds import cmake, project

from whyfast.model.errors import UserError


@pytest.mark.parametrize(
    ("text", "programs"),
    [
        # As of mimalloc: a loop over words.
        (
            "foreach(T api stress)\n  add_executable(x-${T} ${T}.c)\nendforeach()\n",
            ["x-api", "x-stress"],
        ),
        # As of wasm3: other values are for other systems.
        ("set(F a)\nif(WEB)\n  set(F a.html)\nendif()\nadd_executable(${F} a.c)\n", ["a"]),
        # As of yajl.
        ("FOREACH(T a b)\n  Add_Executable (x-${T} ${T}.c)\nENDFOREACH ()\n", ["x-a", "x-b"]),
        ("add_executable(${UNKNOWN}-${T} a.c)\nadd_executable(b b.c)\n", ["b"]),
    ],
)
def test_names_of_variables_are_known(tmp_path: Path, text: str, programs: list[str]) -> None:
    made = cmake(tmp_path, "project(p C)\n" + text)
    found = [made, *made.others]
    assert [p.program for p in found] == [f"build/{name}.linked" for name in programs]


@pytest.mark.parametrize(
    ("files", "languages", "toolchain"),
    [
        (["a.c", "b.c"], "", "path:cc"),
        (["a.c", "b.cpp"], "", "path:c++"),
        (["a.c"], " C CXX", "path:c++"),
    ],
)
def test_flags_are_for_both_languages(
    tmp_path: Path, files: list[str], languages: str, toolchain: str
) -> None:
    project(tmp_path, *files)
    made = cmake(tmp_path, f"project(p{languages})\nadd_executable(p a.c)\n")
    assert made.toolchain == toolchain
    assert '-DCMAKE_C_FLAGS="{cflags}" -DCMAKE_CXX_FLAGS="{cflags}"' in made.steps[0]


SETTINGS = """\
option(TESTS "" ON)
option(MAIN_TESTS "" ${IS_MAIN})
option(EMBED "" OFF)
set_property(CACHE WASI PROPERTY STRINGS none simple uvwasi)
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("if(TESTS)\n  FetchContent_Declare(x)\nendif()\n", " -DTESTS=OFF "),
        ("if(TESTS AND EMBED)\nFetchContent_Declare(x)\nendif()\n", " -DTESTS=OFF "),
        (
            'if(WASI STREQUAL "simple")\nelseif(WASI MATCHES "uvwasi")\n'
            "  ExternalProject_Add(u)\nendif()\n",
            " -DWASI=simple ",
        ),
        (
            "if(MAIN_TESTS)\nexecute_process(COMMAND ${CMAKE_COMMAND} --build .)\nendif()\n",
            " -DMAIN_TESTS=OFF ",
        ),
        ("if(TESTS)\nexecute_process(COMMAND git describe)\nendif()\n", ""),
        ("if(NOT TESTS)\n  FetchContent_Declare(x)\nendif()\n", ""),
        ("if(TESTS)\nendif()\nFetchContent_Declare(x)\n", ""),
        ("if(TESTS)\nelse()\n  FetchContent_Declare(x)\nendif()\n", ""),
    ],
)
def test_what_downloads_is_switched_off_where_it_fails(
    tmp_path: Path, text: str, words: str
) -> None:
    made = cmake(tmp_path, f"project(p C)\n{SETTINGS}{text}add_executable(p p.c)\n")
    assert "-DTESTS" not in made.steps[0]
    assert bool(made.otherwise) == bool(words)
    if made.otherwise:
        assert words in made.otherwise.steps[0]
        assert words.strip() in " ".join(made.otherwise.comments)


def test_what_downloads_is_switched_off_for_other_programs_too(tmp_path: Path) -> None:
    programs = "add_executable(p p.c)\nadd_executable(q q.c)\n"
    text = f"if(TESTS)\nFetchContent_Declare(x)\nendif()\n{programs}"
    made = cmake(tmp_path, f"project(p C)\n{SETTINGS}{text}")
    assert made.otherwise is not None
    (other,) = made.otherwise.others
    assert " -DTESTS=OFF " in other.steps[0]
    assert "--target q" in other.steps[1]


def test_what_a_folder_downloads_is_switched_off_with_it(tmp_path: Path) -> None:
    project(tmp_path, "t/CMakeLists.txt", text="FetchContent_Declare(googletest)\n")
    text = "include(CTest)\nif(BUILD_TESTING)\n  add_subdirectory(t)\nendif()\n"
    made = cmake(tmp_path, f"project(p C)\n{text}add_executable(p p.c)\n")
    assert made.otherwise is not None
    assert " -DBUILD_TESTING=OFF " in made.otherwise.steps[0]


def test_options_of_an_included_file_are_known(tmp_path: Path) -> None:
    project(tmp_path, "cmake/options.cmake", text='option(TESTS "for developers")\n')
    text = (
        'project(p C)\ninclude("cmake/options.cmake")\nif(TESTS)\nadd_executable(t t.c)\nendif()\n'
    )
    assert "-DTESTS=ON" in cmake(tmp_path, text).steps[0]


def test_programs_of_others_go_last(tmp_path: Path) -> None:
    text = "add_executable(tool t.c)\n"
    project(tmp_path, "external/lib/CMakeLists.txt", text=text)
    top = "project(p C)\nadd_subdirectory(external/lib)\nadd_executable(p_test t.c)\n"
    assert cmake(tmp_path, top).program == "build/p_test.linked"


@pytest.mark.parametrize(
    ("places", "chosen"),
    [
        (("ports/android", "ports/linux"), "ports/linux"),
        (("examples", "tests", "bench"), "bench"),
        (("tests", "third_party/x", ".conan/bench"), "tests"),
    ],
)
def test_a_folder_of_its_own_gives_the_program_where_the_top_has_none(
    tmp_path: Path, places: tuple[str, ...], chosen: str
) -> None:
    for place in places:
        text = "project(app C)\nadd_executable(app a.c)\n"
        project(tmp_path, f"{place}/CMakeLists.txt", text=text)
    made = cmake(tmp_path, "project(p C)\nadd_library(p p.c)\n")
    assert made.steps[0].startswith(f"cmake -S {{source}}/{chosen} -B build ")
    assert made.program == "build/app.linked"


def test_a_library_of_others_gives_no_program(tmp_path: Path) -> None:
    text = "project(x C)\nadd_executable(x x.c)\n"
    project(tmp_path, "third_party/x/CMakeLists.txt", text=text)
    with pytest.raises(UserError, match="adds no executable"):
        cmake(tmp_path, "project(p C)\nadd_library(p p.c)\n")


@pytest.mark.parametrize(
    ("text", "programs"),
    [
        (
            "function(add_exe T)\n  add_executable(${T} ${ARGN})\nendfunction()\n"
            "add_exe(one one.cpp)\nadd_exe(two two.cpp more.cpp)\n",
            ["one", "two"],
        ),
        (
            "macro(outer name)\n inner(${name}_x)\nendmacro()\n"
            "function(inner T)\n ADD_EXECUTABLE(${T} a.cpp)\nendfunction()\nOuter(one)\n",
            ["one_x"],
        ),
        (
            'function(add_test_of file)\n get_filename_component(name "${file}" NAME_WE)\n'
            'add_executable("${name}" "")\nendfunction()\nadd_test_of("util/hash_x.cc")\n',
            ["hash_x"],
        ),
        ("set(ALL one\n two)\nforeach(e ${ALL})\nadd_executable(${e} e.c)\nendforeach()", 2),
        ("list(APPEND L a b)\nforeach(e IN LISTS L)\nadd_executable(${e} e.c)\nendforeach()", 2),
        ("foreach(e IN ITEMS a b)\nadd_executable(${e} e.c)\nendforeach(e)\n", ["a", "b"]),
        (
            "foreach(x a b)\nforeach(y 1 2)\nadd_executable(${x}${y} e.c)\nendforeach()\n"
            "endforeach()\n",
            ["a1", "a2", "b1", "b2"],
        ),
        (
            "file(GLOB F ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)\nforeach(f ${F})\n"
            "get_filename_component(n ${f} NAME_WE)\nadd_executable(${n} ${f})\nendforeach()\n",
            ["one", "two"],
        ),
    ],
)
def test_functions_and_loops_that_add_programs(
    tmp_path: Path, text: str, programs: list[str] | int
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.cpp").write_text("int main() {}\n")
    made = cmake(tmp_path, f"project(p CXX)\n{text}")
    found = [made.program, *(other.program for other in made.others)]
    names = [Path(program).name.removesuffix(".linked") for program in found]
    assert (names if isinstance(programs, list) else len(names)) == programs


def test_an_option_around_a_loop_switches_its_programs_on(tmp_path: Path) -> None:
    text = (
        'option(BENCH "" OFF)\nif(BENCH)\nforeach(b x_bench y_bench)\nadd_executable(${b} b.c)\n'
        "endforeach()\nendif()\n"
    )
    assert " -DBENCH=ON " in cmake(tmp_path, f"project(p C)\n{text}").steps[0]


def test_of_programs_alike_those_built_by_default_come_first(tmp_path: Path) -> None:
    text = 'option(SAMPLES "s" OFF)\nif(SAMPLES)\nadd_executable(sample s.c)\nendif()\n'
    made = cmake(tmp_path, f"project(p C)\n{text}add_executable(tests t.c)\n")
    found = [made.program, *(other.program for other in made.others)]
    assert [Path(p).name.removesuffix(".linked") for p in found] == ["tests", "sample"]


def test_benchmarks_come_before_tests_and_fuzzers_last(tmp_path: Path) -> None:
    names = ("x_fuzzer", "x_test", "x_tool", "x_performance", "p")
    text = "".join(f"add_executable({name} a.c)\n" for name in names)
    made = cmake(tmp_path, f"project(p C)\n{text}")
    found = [made.program, *(other.program for other in made.others)]
    assert [Path(p).name.removesuffix(".linked") for p in found] == [
        *("p", "x_performance", "x_tool", "x_test", "x_fuzzer")
    ]


def test_a_newer_tool_that_is_found_before_that_of_the_system_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("new", "system"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cmake").write_text("#!/bin/sh\n")
        (tmp_path / name / "cmake").chmod(0o755)
    monkeypatch.setattr("whyfast.study.project.SYSTEM", str(tmp_path / "system"))
    for path, first in (("new:system", "new"), ("system:new", None)):
        folders = [str(tmp_path / name) for name in path.split(":")]
        monkeypatch.setenv("PATH", ":".join(folders))
        found = cmake(tmp_path, "project(p C)\nadd_executable(p p.c)\n").env
        assert [v.split(":")[0] for v in found.values()] == (
            [str(tmp_path / first)] if first else []
        )


def test_the_option_of_a_program_that_a_variable_names_is_on(tmp_path: Path) -> None:
    """As of libtommath."""
    text = 'option(TESTS "" OFF)\nset(T test-p)\nif(TESTS)\n  add_executable(${T} t.c)\nendif()\n'
    made = cmake(tmp_path, f"project(p C)\n{text}")
    assert made.program == "build/test-p.linked"
    assert " -DTESTS=ON " in made.steps[0]


@pytest.mark.parametrize(
    "text",
    [
        "function(a)\n" * 20_000,
        "foreach(a b)\n" * 20_000,
        "foreach(a" + " " * 300_000,
        "set(a" + " " * 300_000,
        "function(f x)\nf(x)\nf(x)\nadd_executable(x y)\nendfunction()\n" + "f(a)\n" * 1000,
        "foreach(a " + "b " * 100 + ")\n",
    ],
)
def test_hostile_lists_are_read_in_no_time(tmp_path: Path, text: str) -> None:
    """Where a pattern went back over what it has read, or loops in loops were written out whole,
    these would take years."""
    inner = f"{text}add_executable(p p.c)\n" + text.count("foreach(a b b") * "endforeach()\n"
    for _ in range(4 if "foreach(a b b" in text else 0):
        inner = f"{text}{inner}endforeach()\n"
    assert cmake(tmp_path, f"project(p C)\nadd_executable(p p.c)\n{inner}").program == (
        "build/p.linked"
    )


def test_a_folder_that_is_added_twice_needs_the_fewest_options(tmp_path: Path) -> None:
    project(tmp_path, "test/CMakeLists.txt", text="add_executable(p_test t.c)\n")
    text = (
        'option(INSTALLED "" OFF)\noption(TESTS "" ON)\nif(INSTALLED)\n add_subdirectory(test)\n'
        " return()\nendif()\nif(TESTS)\n add_subdirectory(test)\nendif()\n"
    )
    made = cmake(tmp_path, f"project(p C)\n{text}")
    assert made.program == "build/test/p_test.linked"
    assert "INSTALLED" not in made.steps[0]
