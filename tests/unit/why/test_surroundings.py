from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

import pytest

from whyfast.why.surroundings import (
    Factor,
    Surroundings,
    compare_surroundings,
    libraries_differ,
    parse_invocation,
    parse_ldd,
    with_libraries,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two copies of one program, another program, and inputs."""
    for name, text in {
        "a/prog": "one",
        "b/prog": "one",
        "c/prog": "two",
        "taskset": "tool",
        "python3": "python",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    for name, text in {
        "sorted": "1\n2\n3\n",
        "shuffled": "3\n1\n2\n",
        "copy": "1\n2\n3\n",
        "long": "1\n" * 600,
        "x.py": "pass",
        "y.py": "loop",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def factors(folder: Path, fast: str, slow: str) -> Surroundings:
    a, b = (shlex.split(line.replace("./", f"{folder}/")) for line in (fast, slow))
    return compare_surroundings(a, b, {"PATH": str(folder)}, folder)


ALONE = {
    "locale": ("env LC_ALL=C ./a/prog", "env LC_ALL=C.UTF-8 ./b/prog", "locale"),
    "locale of two variables": (
        "env LANG=C LC_CTYPE=C ./a/prog",
        "env LANG=x LC_CTYPE=x ./a/prog",
        "locale",
    ),
    "variable": ("./a/prog", "env GLIBC_TUNABLES=x ./a/prog", "environment"),
    "library path": ("env LD_LIBRARY_PATH=1 ./a/prog", "env LD_LIBRARY_PATH=2 ./b/prog", "library"),
    "preloaded": ("./a/prog", "env LD_PRELOAD=x.so ./a/prog", "library"),
    "file": ("./a/prog sorted", "./b/prog shuffled", "input"),
    "argument": ("./a/prog 10", "./a/prog 20", "input"),
    "more arguments": ("./a/prog", "./a/prog --slow", "input"),
    "standard input": ("sh -c './a/prog < sorted'", "sh -c './a/prog < long'", "input"),
    "in a shell": ("sh -c 'A=1 ./a/prog'", "sh -c 'A=2 ./a/prog'", "environment"),
    "launcher": ("./a/prog", "taskset -c 0 ./a/prog", "environment"),
    "argument of a script": ("python3 x.py 1", "python3 x.py 2", "input"),
}


@pytest.mark.parametrize(("fast", "slow", "key"), ALONE.values(), ids=ALONE)
def test_one_thing_differs(folder: Path, fast: str, slow: str, key: str) -> None:
    around = factors(folder, fast, slow)
    assert around.alone is not None
    assert around.alone.key == key


NOT_ALONE = {
    "nothing": ("./a/prog x", "./a/prog x", []),
    "copies of one program": ("./a/prog", "./b/prog", []),
    "copies of one input": ("./a/prog sorted", "./b/prog copy", []),
    "another program": ("./a/prog", "./c/prog", []),
    "another program and variable": ("env A=1 ./a/prog", "env A=2 ./c/prog", ["environment"]),
    "two things": ("env A=1 ./a/prog 1", "env A=2 ./a/prog 2", ["environment", "input"]),
    "another script": ("python3 x.py", "python3 y.py", []),
    "code on the command line": ("python3 -c pass", "python3 -c loop", []),
    "a pipe": ("sh -c './a/prog | wc'", "sh -c './a/prog'", []),
    "options of env": ("env -i ./a/prog", "./a/prog", []),
    "no such program": ("./none 1", "./none 2", ["input"]),
    "options of another program": ("find . -name x", "ls -lR .", []),
    "words of another program": ("./one 1", "./two 2", ["input"]),
}


@pytest.mark.parametrize(("fast", "slow", "keys"), NOT_ALONE.values(), ids=NOT_ALONE)
def test_nothing_stands_alone(folder: Path, fast: str, slow: str, keys: list[str]) -> None:
    around = factors(folder, fast, slow)
    assert around.alone is None
    assert [f.key for f in around.factors] == keys


def test_files_that_the_programs_write_are_no_input(folder: Path) -> None:
    began = time.time() + 100
    for name in ("sorted", "copy", "shuffled", "long"):
        os.utime(folder / name, (began - 200, began - 200))
    for name, size in (("x.out", 1), ("y.out", 2)):
        (folder / name).write_text("1" * size)
        os.utime(folder / name, (began + 1, began + 1))

    def text(fast: str, slow: str) -> str:
        a, b = ([f"{folder}/a/prog", *line.split()] for line in (fast, slow))
        (factor,) = compare_surroundings(a, b, {"PATH": str(folder)}, folder, began).factors
        return factor.text

    assert "out" not in text("-1 sorted x.out", "-9 sorted y.out")
    assert "out" not in text("sorted x.out", "-9 sorted y.out -v").partition("; ")[2]
    assert "`long`" in text("-1 sorted x.out", "-1 long y.out")


def test_each_side_can_have_what_the_other_has(folder: Path) -> None:
    fast, slow = f"env A=1 {folder}/a/prog x", f"env A=2 {folder}/c/prog x"
    (factor,) = factors(folder, fast, slow).factors
    assert factor == Factor(
        "environment",
        "`A` is `2` ({fast}: `1`)",
        ("env", "A=2", f"{folder}/a/prog", "x"),
        ("env", "A=1", f"{folder}/c/prog", "x"),
    )


def test_a_shell_line_is_put_together_again(folder: Path) -> None:
    words = ("sh", "-c", f"A=1 {folder}/a/prog 'two words' < sorted")
    parts = parse_invocation(words, {"PATH": ""})
    assert parts is not None
    line = f"exec {folder}/a/prog 'two words' < sorted"
    assert parts.words() == ("env", "A=1", "sh", "-c", line)


def test_inputs_are_described(folder: Path) -> None:
    order = factors(folder, "./a/prog sorted", "./a/prog shuffled").factors[0].text
    assert order == (
        "its input is another: `shuffled` ({fast}: `sorted`, the same lines in another order)"
    )
    size = factors(folder, "./a/prog sorted", "./a/prog long").factors[0].text
    assert size == "its input `long` has 1,200 bytes ({fast}: `sorted`, 6)"


LDD = """\
	linux-vdso.so.1 (0x00007ffd5b5f2000)
	libz.so.1 => {folder}/sorted (0x00007f0a1c000000)
	libgone.so => not found
	/lib64/ld-linux-x86-64.so.2 (0x00007f0a1c3b5000)
"""


@pytest.mark.parametrize(
    ("fast", "slow", "text"),
    [
        ("./a/prog", "./a/prog --slow", "it has the further arguments `--slow`"),
        ("./a/prog x", "./a/prog -S 2k x", "it has the further arguments `-S 2k`"),
        ("./a/prog -c x", "./a/prog x", "it lacks the arguments `-c`"),
        (
            "./a/prog -c .id x", "./a/prog . x",
            "it has the arguments `.` where {fast} has `-c .id`",
        ),
    ],
)  # fmt: skip
def test_arguments_of_which_one_side_has_more(
    folder: Path, fast: str, slow: str, text: str
) -> None:
    assert factors(folder, fast, slow).factors[0].text == text


def test_libraries_of_ldd(folder: Path) -> None:
    libraries = parse_ldd(LDD.format(folder=folder))
    assert libraries == {
        "libz.so.1": folder / "sorted",
        "ld-linux-x86-64.so.2": Path("/lib64/ld-linux-x86-64.so.2"),
    }


def test_libraries_are_compared_by_content(folder: Path) -> None:
    fast = {"libz.so.1": folder / "sorted"}
    assert libraries_differ(fast, {"libz.so.1": folder / "copy"}) == ""
    changed = libraries_differ(fast, {"libz.so.1": folder / "shuffled"})
    assert changed == f"it loads `{folder}/shuffled` ({{fast}}: `{folder}/sorted`)"
    assert libraries_differ({}, fast) == f"it loads `{folder}/sorted`"


def test_a_library_is_a_factor_of_one_program_only() -> None:
    other = Factor("input", "", (), ())
    same = with_libraries(Surroundings((), True), ["a"], ["b"], "it loads `x`")
    assert same.alone == Factor("library", "it loads `x`", ("b",), ("a",))
    programs_differ = with_libraries(Surroundings((other,), False), ["a"], ["b"], "it loads `x`")
    assert [f.key for f in programs_differ.factors] == ["input"]
    chosen = Factor("library", "`LD_PRELOAD` is `x`", (), ())
    named = with_libraries(Surroundings((chosen,), True), ["a"], ["b"], "it loads `x`")
    assert named.alone is not None
    assert named.alone.text == "it loads `x`: `LD_PRELOAD` is `x`"
