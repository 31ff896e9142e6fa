"""What whyfast new makes of a project's files."""

from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal

from whyfast.cli.reading_options import PROJECT_KINDS
from whyfast.model.errors import UserError
from whyfast.study.load import load_study
from whyfast.study.project import Commands, Project, spread
from whyfast.study.skeleton import KINDS, check_file, projects_of

MAIN = "int main(void)\n{\n    return 0;\n}\n"


def project(folder: Path, *names: str, text: str = MAIN) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def cmake(folder: Path, text: str) -> Project:
    return KINDS["cmake"][1](project(folder, "CMakeLists.txt", text=text))


def test_the_command_offers_every_kind() -> None:
    assert sorted(PROJECT_KINDS) == sorted(KINDS)


#: A file of each kind with something to time in it.
FILES = {
    "Cargo.toml": '[package]\nname = "a"\n[[bin]]\nname = "a"\n',
    "go.mod": "module example.org/a\n",
    "main.go": "package main\n",
    "meson.build": "executable('a', 'a.c')\n",
    "CMakeLists.txt": "add_executable(a a.c)\n",
    "pyproject.toml": "",
    "setup.py": "",
    "a/__init__.py": "",
    "Makefile": "all: a\n",
    "src/a.c": MAIN,
}


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["Cargo.toml", "Makefile"], "cargo"),
        (["go.mod", "main.go", "src/a.c"], "go"),
        (["meson.build", "CMakeLists.txt"], "meson"),
        (["CMakeLists.txt", "setup.py"], "cmake"),
        (["pyproject.toml", "a/__init__.py", "Makefile"], "python"),
        (["Makefile", "src/a.c"], "c"),
        (["src/a.c"], "c"),
        # Nothing to time by the first kind that is told.
        (["go.mod", "Makefile", "src/a.c"], "c"),
        (["setup.py", "src/a.c"], "c"),
    ],
)
def test_files_tell_the_kind(tmp_path: Path, names: list[str], kind: str) -> None:
    for name in names:
        project(tmp_path, name, text=FILES[name])
    assert next(projects_of(tmp_path))[0] == kind


def test_an_empty_folder_is_none(tmp_path: Path, golden: Hear) -> None:
    golden(refusal(UserError, lambda: next(projects_of(tmp_path))))


def test_subfolders_are_read_and_the_projects_own_goes_first(tmp_path: Path, golden: Hear) -> None:
    top = (
        "project(x C)\nadd_executable(x_test t.c)\n# add_subdirectory(none)\n"
        "add_subdirectory(fuzzing)\nif(X)\n  add_subdirectory(tool)\nendif()\n"
    )
    project(tmp_path, "fuzzing/CMakeLists.txt", text="add_executable(main f.c)\n")
    project(tmp_path, "tool/CMakeLists.txt", text="add_executable(${PROJECT_NAME} x.c)\n")
    made = cmake(tmp_path, top)
    assert made.program == "build/tool/x.linked"
    golden(*made.comments)


@pytest.mark.parametrize(
    ("more", "program"),
    [
        ("set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)\n", "build/bin/x.linked"),
        ("set_property(TARGET x PROPERTY RUNTIME_OUTPUT_DIRECTORY tool)\n", "build/tool/x.linked"),
        ("set_property(TARGET xy PROPERTY RUNTIME_OUTPUT_DIRECTORY tool)\n", "build/x.linked"),
        ("set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/..)\n", "build/x.linked"),
        ("set_property(TARGET x PROPERTY RUNTIME_OUTPUT_DIRECTORY a/../b)\n", "build/b/x.linked"),
        ('set_target_properties(x PROPERTIES OUTPUT_NAME "y")\n', "build/y.linked"),
    ],
)
def test_cmake_says_where_a_program_is_made(tmp_path: Path, more: str, program: str) -> None:
    text = 'project(x C)\nset(NAME x)\nadd_executable("${NAME}" x.c)\n'
    assert cmake(tmp_path, text + more).program == program


def test_a_program_with_an_abbreviation_of_the_projects_name_goes_first(tmp_path: Path) -> None:
    text = (
        "project(quickjs C)\nadd_executable(qjsc c.c)\nadd_executable(qjs_exe q.c)\n"
        'set_target_properties(qjs_exe PROPERTIES OUTPUT_NAME "qjs")\n'
        "install(TARGETS qjsc qjs_exe)\nadd_executable(quick-test t.c)\n"
    )
    made = cmake(tmp_path, text)
    assert made.program == "build/qjs.linked"
    assert [other.program for other in made.others] == [
        "build/qjsc.linked",
        "build/quick-test.linked",
    ]


def test_meson_adds_programs_in_folders(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/meson.build").write_text("executable('x-dump', 'd.c')\n")
    project(tmp_path, "meson.build", text="project('x', 'c')\nsubdir('tools')\n")
    made = KINDS["meson"][1](tmp_path)
    assert made.program == "build/tools/x-dump.linked"
    assert "tools/x-dump:executable" in made.steps[1]


def test_of_meson_options_for_documentation_are_off(tmp_path: Path) -> None:
    options = """option('man', type : 'feature', value : 'auto')
option('bin', type : 'boolean', value : true)
option('docs', description : 'manuals', type : 'boolean', value : true)
"""
    (tmp_path / "meson_options.txt").write_text(options)
    project(tmp_path, "meson.build", text="project('x', 'c')\nexecutable('x', 'x.c')\n")
    setup = KINDS["meson"][1](tmp_path).steps[0]
    assert "-Dman=disabled -Ddocs=false -Dc_args" in setup


def test_of_meson_google_benchmark_goes_first_and_is_switched_on(tmp_path: Path) -> None:
    options = "option('benchmarks', type: 'feature', description: 'x')\n"
    project(tmp_path, "meson_options.txt", text=options)
    inner = "google = dependency('benchmark')\n"
    inner += "executable('timed', 't.cc', dependencies: [google])\n"
    project(tmp_path, "perf/meson.build", text=inner)
    text = "project('app', 'c', 'cpp')\nexecutable('app', 'a.c')\n"
    text += "if get_option('benchmarks').enabled()\n  subdir('perf')\nendif\n"
    made = KINDS["meson"][1](project(tmp_path, "meson.build", text=text))
    assert (made.program, made.runner) == ("build/perf/timed.linked", "google-benchmark")
    assert ' -Dbenchmarks=enabled -Dc_args="{cflags}" -Dcpp_args="{cflags}" ' in made.steps[0]
    assert made.otherwise is not None
    assert made.otherwise.program == "build/app.linked"
    assert "benchmarks" not in made.otherwise.steps[0]


def test_of_meson_its_own_program_goes_first_each_once(tmp_path: Path, golden: Hear) -> None:
    text = (
        "project('x', 'c')\nexecutable('boot', 'b.c')\nexecutable('test-' + t, 't.c')\n"
        "executable('y', 'y.c',\n  install : true)\n"
        "if a\n  executable('x', 'x.c')\nelse\n  executable('x', 'z.c')\nendif\n"
        "library('x', 'l.c')\n"
    )
    project(tmp_path, "meson.build", text=text)
    made = KINDS["meson"][1](tmp_path)
    golden(made.steps[1])
    golden(*made.comments)


@pytest.mark.parametrize(
    ("backend", "steps"), [("", 3), ("setuptools.build_meta", 3), ("flit_core.buildapi", 2)]
)
def test_extensions_are_built_by_setuptools_alone(tmp_path: Path, backend: str, steps: int) -> None:
    project(tmp_path, "a/__init__.py", text="")
    project(tmp_path, "setup.py", text="setup(ext_modules=[])\n")
    text = f'[build-system]\nrequires = []\nbuild-backend = "{backend}"\n' if backend else ""
    project(tmp_path, "pyproject.toml", text=text)
    assert len(KINDS["python"][1](tmp_path).steps) == steps


@pytest.mark.parametrize(
    ("backend", "requires", "fetch"),
    [
        ("maturin", "maturin", ("cargo", "fetch", "--manifest-path", "Cargo.toml")),
        (
            "setuptools.build_meta",
            "setuptools-rust>=1",
            ("cargo", "fetch", "--manifest-path", "Cargo.toml"),
        ),
        ("mesonpy", "meson-python", ()),
        ("scikit_build_core.build", "scikit-build-core", ()),
    ],
)
def test_what_compiles_a_package_of_python_builds_it(
    tmp_path: Path, backend: str, requires: str, fetch: tuple[str, ...]
) -> None:
    text = f'[build-system]\nrequires = ["{requires}"]\nbuild-backend = "{backend}"\n'
    project(tmp_path, "pyproject.toml", text=f'{text}[project]\nname = "a-b"\n')
    project(tmp_path, "Cargo.toml", text='[package]\nname = "c"\n')
    if backend != "maturin":  # which alone needs no file of Python
        project(tmp_path, "a_b/__init__.py", text="")
    kind, made = next(iter(projects_of(tmp_path)))
    assert (kind, len(made.steps), made.fetch) == ("python", 3, fetch)
    assert "-m pip install" in made.steps[0]
    assert made.candidates["import"][-1] == "import a_b"


def test_a_program_with_google_benchmark_is_preferred(tmp_path: Path) -> None:
    text = (
        "project(x CXX)\nadd_executable(app app.cc)\nadd_executable(timed timed.cc)\n"
        "target_link_libraries(timed PRIVATE benchmark::benchmark)\n"
    )
    made = cmake(tmp_path, text)
    assert (made.program, made.runner) == ("build/timed.linked", "google-benchmark")
    assert made.benchmarks == {}  # the program lists them


def test_tests_inside_of_a_package_run_as_its_modules(tmp_path: Path) -> None:
    text = "class TestA:\n    def test_a(self):\n        pass\n"
    project(tmp_path, "setup.py", "src/p/__init__.py", "src/p/test/__init__.py", text="")
    project(tmp_path, "src/p/test/test_a.py", "src/q/test_b.py", text=text)
    made = KINDS["python"][1](tmp_path)
    assert [c[-1] for c in made.candidates.values()] == [
        "p.test.test_a",
        "{source}/src/q/test_b.py",
    ]
    assert made.instead is not None
    assert next(iter(made.instead.candidates.values()))[-2:] == ("--pyargs", "p.test.test_a::TestA")


def test_of_folders_with_a_project_those_that_say_how_it_is_built_are_named_first(
    tmp_path: Path,
) -> None:
    project(tmp_path, "attic/a.c", "projects/make/Makefile", "projects/notes/readme", "test/go.mod")
    with pytest.raises(UserError) as raised:
        next(projects_of(tmp_path))
    assert "cd projects/make; whyfast new (or test, attic)" in str(raised.value)


@pytest.mark.parametrize(
    ("around", "asked"),
    [
        ("if(TOOLS)\n{}endif()\n", True),
        ("if(TOOLS OR SHOWN)\n{}endif()\n", False),
        ("if(TOOLS OR MORE)\n{}endif()\n", True),
        ("if(MORE OR TOOLS)\n{}endif()\n", False),
        ("if(NOT TOOLS)\n{}endif()\n", False),
        ("if(TOOLS)\nelse()\n{}endif()\n", False),
        ("if(TOOLS)\nendif()\n{}", False),
    ],
)
def test_what_cmake_builds_only_when_asked_is_asked_for(
    tmp_path: Path, around: str, asked: bool
) -> None:
    options = 'option(TOOLS "build (more) tools" OFF)\noption(SHOWN "shown" ON)\n'
    options += 'cmake_dependent_option(MORE "more" FALSE "SHOWN" OFF)\n'
    text = f"project(x C)\n{options}" + around.format("add_executable(x x.c)\n")
    assert ("-DTOOLS=ON" in cmake(tmp_path, text).steps[0]) == asked


def test_what_needs_an_option_gives_way_to_what_needs_none(tmp_path: Path) -> None:
    text = (
        'project(x C)\noption(BENCH "")\nadd_executable(app app.c)\n'
        "if(BENCH)\n  add_subdirectory(perf)\nendif()\n"
    )
    inner = "add_executable(timed t.c)\ntarget_link_libraries(timed benchmark)\n"
    project(tmp_path, "perf/CMakeLists.txt", text=inner)
    made = cmake(tmp_path, text)
    assert made.program == "build/perf/timed.linked"
    assert "-DBENCH=ON" in made.steps[0]
    assert made.otherwise is not None
    assert made.otherwise.program == "build/app.linked"
    assert "-DBENCH=ON" not in made.otherwise.steps[0]


def test_a_library_of_headers_in_cxx_gets_a_benchmark_in_cxx(tmp_path: Path) -> None:
    project(tmp_path, "include/x/growth.h", text="#include <algorithm>\n")
    project(tmp_path, "CMakeLists.txt", text="project(x CXX)\n")
    _, made = next(projects_of(tmp_path))
    assert made.toolchain == "path:c++"
    assert "bench.cpp" in made.steps[-1]
    assert "-I{source}/include " in made.steps[-1]


def test_of_two_mains_one_is_chosen_and_the_other_named(tmp_path: Path, golden: Hear) -> None:
    project(tmp_path, "app.c", "bench.c")
    project(tmp_path, "lib.c", text="int f(void) { return 1; }\n")
    made = KINDS["c"][1](tmp_path)
    golden(*made.steps, made.link)
    golden(made.comments[1])


def test_of_several_mains_the_one_with_a_telling_name_is_chosen(tmp_path: Path) -> None:
    folder = tmp_path / "mawk-1.3"
    folder.mkdir()
    project(folder, "fpe_check.c", "main.c", "zap.c")
    assert "The program consists of main.c" in KINDS["c"][1](folder).comments[0]
    project(folder, "mawk.c")
    assert "The program consists of mawk.c" in KINDS["c"][1](folder).comments[0]


def test_classes_of_tests_for_where_whole_files_take_too_long(tmp_path: Path) -> None:
    project(tmp_path, "pyproject.toml", "x/__init__.py")
    text = "class A:\n    def test_a(self): pass\n\nclass Help:\n    pass\n"
    project(tmp_path, "tests/test_x.py", text=text)
    files = KINDS["python"][1](tmp_path)
    assert [c[-1] for c in files.candidates.values()] == ["{source}/tests/test_x.py"]
    assert files.instead is not None
    assert {k: c[-1] for k, c in files.instead.candidates.items()} == {
        "tests-test_x-A": "{source}/tests/test_x.py::A"
    }


@pytest.mark.parametrize(
    ("kind", "names", "said"),
    [
        ("c", ["readme"], "no C file with a main"),
        ("c", ["Makefile"], "compiles no C"),
        ("cargo", ["readme"], "no such file"),
        ("cmake", ["CMakeLists.txt"], "adds no executable"),
        ("meson", ["meson.build"], "has no executable"),
        ("go", ["go.mod"], "has neither a program nor a benchmark in its tests"),
        ("autotools", ["readme"], "has no configure and no configure.ac"),
        ("autotools", ["configure"], "no Makefile.am here names a program"),
        ("c", ["Makefile", "a.c"], "no target names the program"),
        ("python", ["readme"], "has no pyproject.toml or setup.py"),
        ("python", ["setup.py"], "has no package, here, in src/"),
        ("", ["go.mod", "setup.py"], "has neither a program nor a benchmark in its tests"),
    ],
)
def test_what_is_not_built_says_why(tmp_path: Path, kind: str, names: list[str], said: str) -> None:
    """Of several kinds, the first does."""
    project(tmp_path, *names, text="")
    with pytest.raises(UserError, match=said):
        KINDS[kind][1](tmp_path) if kind else next(projects_of(tmp_path))


def test_what_is_written_is_a_study_of_the_folder_that_it_lies_in(tmp_path: Path) -> None:
    project(tmp_path, "main.c")
    (tmp_path / "whyfast.toml").write_text(check_file(KINDS["c"][1](tmp_path)))
    study = load_study(tmp_path)
    assert study.source.folder == tmp_path
    assert study.baselines == ("release",)
    assert [b.command for b in study.benchmarks] == [("{program}",)]


def test_the_first_of_many_benchmarks_are_of_different_functions() -> None:
    names = [*(f"{function}/{size}" for function in "ab" for size in (1, 2, 3)), "c"]
    commands: Commands = dict.fromkeys(names, ("p",))
    order = [*spread(commands, lambda name: name.partition("/")[0])]
    assert order == ["a/1", "b/1", "c", "a/2", "b/2", "a/3", "b/3"]


def test_many_benchmarks_are_a_line_each_in_their_folder(tmp_path: Path) -> None:
    commands = {f"b{i}": ("{program}", str(i)) for i in range(30)}
    made = Project("path:go", ("true",), "p", benchmarks=commands, runner="go", folder="{source}/a")
    file = tmp_path / "whyfast.toml"
    file.write_text(check_file(made))
    study = load_study(file)
    assert len(study.benchmarks) == 30
    assert {b.folder for b in study.benchmarks} == {"{source}/a"}
    assert sum("{program}" in line for line in file.read_text().splitlines()) == 30


def test_tests_among_benchmarks_go_before_other_tests(tmp_path: Path) -> None:
    project(tmp_path, "a/__init__.py", "pyproject.toml", text="")
    project(tmp_path, "bench/test_a.py", "tests/test_b.py", text="def test_x():\n    pass\n")
    made = KINDS["python"][1](tmp_path)
    assert [c[-1] for c in made.candidates.values()] == ["{source}/bench/test_a.py::test_x"]
    assert made.instead is not None
    assert [c[-1] for c in made.instead.candidates.values()] == ["{source}/tests/test_b.py"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('project.optional-dependencies]\ndocs = []\ntesting = ["x"]\n', "'.[testing]' pytest "),
        ('dependency-groups]\ndocs = ["z"]\ntests = ["x", "pytest"]\n', ". x pytest pytest-b"),
        (
            'dependency-groups]\nall = ["x"]\ntest = [{ include-group = "all" }, "y"]\n',
            ". x y pytest pytest-b",
        ),
        (
            'dependency-groups]\nbenchmarks = ["pytest-benchmark==4.0.0"]\ntest = ["x"]\n',
            ". pytest-benchmark==4.0.0 x pytest'",
        ),
        ("tool.other]\n", ". -r requirements/tests.txt pytest "),
    ],
)
def test_what_a_package_of_python_declares_is_installed_by_one_line(
    tmp_path: Path, table: str, words: str
) -> None:
    project(tmp_path, "a/__init__.py", text="")
    project(tmp_path, "requirements/tests.txt", text="x")
    project(tmp_path, "pyproject.toml", text=f"[{table}")
    assert f"pip install -e {words}" in KINDS["python"][1](tmp_path).install + "'"


@pytest.mark.parametrize("table", ["setuptools.packages.find]\nwhere", "maturin]\npython-source"])
def test_a_package_may_lie_in_a_folder_that_the_project_names(tmp_path: Path, table: str) -> None:
    project(tmp_path, "lib/a/__init__.py", text="")
    project(tmp_path, "pyproject.toml", text=f'[tool.{table} = "lib"\n')
    made = KINDS["python"][1](tmp_path)
    assert '"$PWD/src/lib:a"' in made.steps[-1]
