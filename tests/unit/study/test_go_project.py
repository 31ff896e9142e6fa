"""Modules of Go: the package that is timed, and what a build of it needs."""

from pathlib import Path

import pytest
from tests.unit.study.test_kinds import project

from whyfast.study.go_project import go


def test_the_package_with_most_go_benchmarks_is_chosen_and_others_named(tmp_path: Path) -> None:
    one = "func Benchmark%s(b *testing.B) {\n}\n"
    project(tmp_path, "go.mod", text="module x\n")
    project(tmp_path, "x_test.go", text=one % "A")
    project(tmp_path, "deep/er/a_test.go", "deep/er/b_test.go", text=one % "B")
    project(tmp_path, "vendor/y/y_test.go", "testdata/z_test.go", text=(one % "C") * 5)
    project(tmp_path, "tools/go.mod", text="module tools\n")
    project(tmp_path, "tools/t_test.go", text=(one % "D") * 5)
    made = go(tmp_path)
    assert (made.runner, made.benchmarks) == ("go", {})
    assert made.steps[0].endswith(" ./deep/er")
    assert "other packages have some, too: ./." in made.comments[0]
    project(tmp_path, "benchmark/b_test.go", text=one % "E")
    assert go(tmp_path).steps[0].endswith(" ./benchmark")


def test_a_package_without_benchmarks_is_timed_by_its_tests(tmp_path: Path) -> None:
    project(tmp_path, "go.mod", text="module x\n")
    project(tmp_path, "x.go", text="package x\n")
    assert go(tmp_path).incomplete
    project(tmp_path, "deep/a_test.go", text="func TestA(t *testing.T) {\n}\n")
    made = go(tmp_path)
    assert (made.runner, made.candidates) == ("command", {"tests": ("{program}",)})
    assert made.steps[-1].endswith(" ./deep")
    assert made.folder == "{source}/deep"
    assert made.otherwise is made.others[0]
    assert made.others[0].incomplete
    project(tmp_path, "main.go", text="package main\n")
    assert go(tmp_path).benchmarks == {"whole": ("{program}",)}


@pytest.mark.parametrize(
    ("replaced", "where"),
    [("=> ../..", "bench/go"), ("v0.0.0 => ../../", "bench/go"), ("=> ../x", "")],
)
def test_benchmarks_in_a_module_inside_that_times_this_one(
    tmp_path: Path, replaced: str, where: str
) -> None:
    project(tmp_path, "go.mod", text="module example.org/x\n")
    project(tmp_path, "x.go", text="package x\n")
    inner = f"module bench\n\nreplace example.org/x {replaced}\n"
    project(tmp_path, "bench/go/go.mod", text=inner)
    project(tmp_path, "bench/go/b_test.go", text="func BenchmarkA(b *testing.B) {\n}\n")
    made = go(tmp_path)
    assert made.fetch == (("go", "-C", where, "mod", "download") if where else ())
    assert made.steps[-1].startswith(f"cd {{source}}/{where} && " if where else "cd {source} && ")


@pytest.mark.parametrize("vendored", [True, False])
def test_a_module_with_vendored_packages_is_built_from_them(tmp_path: Path, vendored: bool) -> None:
    project(tmp_path, "go.mod", text="module example.org/a\n\nrequire example.org/b v1.0.0\n")
    project(tmp_path, "main.go", text="package main\n")
    if vendored:
        project(tmp_path, "vendor/modules.txt", text="# example.org/b v1.0.0\n")
    made = go(tmp_path)
    # Empty instead of the -mod=mod of other builds, with which go does not read the folder.
    assert made.env.get("GOFLAGS") == ("" if vendored else None)
    assert ("go mod download" in "".join(made.comments)) is not vendored
    assert made.fetch == (() if vendored else ("go", "mod", "download"))
