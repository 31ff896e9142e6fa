"""Commits → functions, in a repository made for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.explain.source_lines import (
    _NO_CODE,
    Hunk,
    SourceMap,
    TouchedFunctions,
    _inside,
    touched_functions,
)
from whyfast.model.errors import UserError

VM = """\
#include "ops.h"
#define LIMIT 100
static int table[4] = {1, 2, 3, 4};

__attribute__((noinline)) int hot(int n)
{
    int acc = 0;
    for (int i = 0; i < n; i++)
        acc += step(table[i & 3]);
    return acc;
}

/* Never called
   by the benchmark. */
__attribute__((noinline)) int cold(int n)
{
    if (n > LIMIT)
        return 7;
    return n * 3;
}

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 99 ? cold(argc) : hot(argc);
}
"""
OPS = """\
#define TWICE(x) ((x) + (x))
static inline __attribute__((always_inline)) int step(int x)
{
    x ^= 21;
    return TWICE(x);
}
"""

Change = Callable[[dict[str, str]], TouchedFunctions]


@pytest.fixture
def change(tmp_path: Path) -> Change:
    """Commit the program, then again with files replaced; what did that touch?"""
    if shutil.which("gcc") is None or shutil.which("git") is None:
        pytest.skip("needs gcc and git")
    repo = tmp_path / "repo"
    (repo / "src").mkdir(parents=True)
    env = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER")
           for what in ("NAME", "EMAIL")},
    }  # fmt: skip

    def run(*argv: str) -> str:
        done = subprocess.run(argv, cwd=repo, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(files: dict[str, str]) -> str:
        for name, text in files.items():
            if text:
                (repo / name).write_text(text)
            else:
                (repo / name).unlink()
        run("git", "add", "-A")
        run("git", "commit", "-q", "-m", "change")
        return run("git", "rev-parse", "HEAD")

    def apply(files: dict[str, str]) -> TouchedFunctions:
        run("git", "init", "-q")
        start = {"src/vm.c": VM, "src/ops.h": OPS, "NEWS": "nothing\n", "src/other.c": "int x;\n"}
        base = commit(start)
        head = commit(files)
        run("gcc", "-O2", "-g", "-Isrc", "src/vm.c", "-o", "vm")
        return touched_functions(repo, base, head, repo / "vm")

    return apply


def names(touched: TouchedFunctions) -> list[str]:
    return [f.name for f in touched.functions]


def test_a_cold_function_only(change: Change, golden: Hear) -> None:
    touched = change({"src/vm.c": VM.replace("return 7", "return 8"), "NEWS": "something\n"})
    assert names(touched) == ["cold"]
    assert touched.functions[0].file == "src/vm.c"
    assert touched.outside == ()
    assert touched.other == ("NEWS",)
    assert touched.of(["hot", "main"]) == ()
    golden(touched.statement(["hot", "main"]))


def test_a_hot_function(change: Change, golden: Hear) -> None:
    touched = change({"src/vm.c": VM.replace("acc += ", "acc -= ")})
    assert names(touched) == ["hot"]
    golden(touched.statement(["hot"]))


def test_an_inlined_function_touches_those_it_is_in(change: Change) -> None:
    touched = change({"src/ops.h": OPS.replace("21", "22")})
    assert names(touched) == ["step"]
    assert touched.functions[0].symbols == ("hot",)
    assert touched.of(["hot", "cold"]) == ("hot",)


@pytest.mark.parametrize(
    ("file", "old", "new", "place"),
    [
        ("src/vm.c", "LIMIT 100", "LIMIT 50", "src/vm.c:2"),
        ("src/vm.c", "{1, 2, 3, 4}", "{4, 3, 2, 1}", "src/vm.c:3"),
        ("src/ops.h", "((x) + (x))", "(2 * (x))", "src/ops.h:1"),
    ],
)
def test_what_lies_outside_functions_may_be_used_anywhere(
    change: Change, file: str, old: str, new: str, place: str
) -> None:
    text = {"src/vm.c": VM, "src/ops.h": OPS}[file]
    touched = change({file: text.replace(old, new)})
    assert touched.functions == ()
    assert touched.outside == (place,)
    assert "outside functions" in touched.statement(["hot"])


def test_a_header_that_leaves_no_trace_may_be_used_anywhere(change: Change) -> None:
    touched = change({"src/limits.h": "#define LIMIT 3\n"})
    assert touched.outside == ("src/limits.h",)


def test_comments_and_empty_lines_between_functions_touch_nothing(change: Change) -> None:
    touched = change({"src/vm.c": VM.replace("by the benchmark.", "by any.\n\n   At all.")})
    assert touched.functions == ()
    assert touched.statement(["hot"]).endswith("(src/vm.c:14), which may be used anywhere")
    # A line in the middle of a comment looks like code; one that looks like a comment does not.
    assert not touched.not_compiled


def test_a_comment_by_itself(change: Change) -> None:
    touched = change({"src/vm.c": VM.replace("/* Never", "// Cold.\n\n/* Never")})
    assert (touched.functions, touched.outside) == ((), ())


def test_what_looks_like_a_comment() -> None:
    comments = ["// words", "/* words */", "/* words", " * words", " */", " * words */", ""]
    code = ["/* 0 */ {1, 2}, /* one */", "*/ static int x;", "/* words */ int x;", "*pointer = 3;"]
    assert [line for line in comments + code if _NO_CODE.match(line)] == comments


def test_code_between_comments_is_code(change: Change) -> None:
    text = VM.replace("static int table", "/* a */ static int table").replace(
        "3, 4};", "3, 4}; /* b */"
    )
    assert change({"src/vm.c": text}).outside == ("src/vm.c:3",)


@pytest.mark.parametrize("removed", ["#undef LIMIT", "    #undef LIMIT"])
def test_a_directive_in_a_function_that_was_removed(removed: str) -> None:
    source = SourceMap({"vm.c": {5: {1}, 9: {2}}}, {"vm.c": {5: "hot"}}, {"vm.c"})
    assert _inside(source, "vm.c", Hunk(7, 1, ("    n--;", "    n++;")))
    assert not _inside(source, "vm.c", Hunk(7, 1, (removed, "    n++;")))


def test_removed_lines(change: Change) -> None:
    touched = change({"src/vm.c": VM.replace("    if (n > LIMIT)\n        return 7;\n", "")})
    assert names(touched) == ["cold"]
    assert touched.outside == ()


def test_a_directive_that_was_removed_with_a_change(change: Change) -> None:
    text = VM.replace("#define LIMIT 100\nstatic int", "enum { LIMIT = 9 };\nstatic int")
    assert change({"src/vm.c": text}).outside == ("src/vm.c:2",)


def test_files_that_are_not_in_the_program(change: Change, golden: Hear) -> None:
    touched = change({"src/other.c": "int y;\n"})
    assert touched.not_compiled == ("src/other.c",)
    golden(touched.statement(["hot"]))


def test_a_deleted_file(change: Change) -> None:
    assert change({"src/other.c": ""}).not_compiled == ("src/other.c",)


def test_a_program_without_debug_information(
    tmp_path: Path, gcc: Callable[..., Path], interpreter: Callable[[str, int], str]
) -> None:
    repo = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's name of an empty tree
    subprocess.run(["git", "-C", str(repo), "mktree"], input=b"", check=True, capture_output=True)
    with pytest.raises(UserError, match="build it with -g"):
        touched_functions(repo, tree, tree, gcc(interpreter("goto", 12), "-O2"))


def test_revisions_that_do_not_exist(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    with pytest.raises(UserError, match="nonsense"):
        touched_functions(tmp_path, "nonsense", "HEAD", tmp_path / "vm")
    with pytest.raises(UserError, match="is not a revision"):
        touched_functions(tmp_path, "--output=x", "HEAD", tmp_path / "vm")
