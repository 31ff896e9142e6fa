"""Variants that differ in how they run: commands, interpreters, kernels, commits."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.study.conftest import Message, Write

from whyfast.model.variant import RUN, Parameter, differ_in, differences
from whyfast.study.load import bundled_folder, load_study
from whyfast.study.notation import bind

COMMAND = 'command = ["{program}", "turn", "{source}/collatz.hex"]\n'
ABOUT = 'about = "one line"\n'
RUNS = ABOUT + 'run = ["--index", "static"]\n'


def test_words_and_settings_of_a_variant(valid: str, write: Write) -> None:
    text = valid.replace(ABOUT, RUNS + 'sysctl = { "net.core.bpf_jit_harden" = 2 }\n')
    text = text.replace("[axes.dispatch.goto]\n", '[axes.dispatch.goto]\nrun = ["--plain"]\n')
    text = text.replace(COMMAND, 'command = ["{program}", "{run}"]\n')
    study = load_study(write(text))
    variant = study.variant("taildup")
    assert variant.run == ("--index", "static")
    assert variant.sysctl == {"net.core.bpf_jit_harden": "2"}
    assert study.variant("clang19-goto").run == ("--plain",)
    plain, other = study.variant("clang18-goto"), study.variant("clang19-goto")
    assert "run" in differ_in(variant, other)
    assert differ_in(plain, other).isdisjoint(RUN)


def test_a_parameter_makes_a_benchmark_of_each_value(valid: str, write: Write) -> None:
    new = (
        'command = ["{program}", "--calls={parameter}", "{{parameter}}"]\n'
        'parameter = { name = "tail call", values = [0, 12] }\n'
        'distribution = ["{program}", "histogram", "{parameter}"]\n'
        'overhead = ["{program}", "overhead"]\n'
    )
    study = load_study(write(valid.replace(COMMAND, new).replace('check = "0x1f"\n', "")))
    assert [b.name for b in study.benchmarks] == ["collatz-0", "collatz-12"]
    last = study.benchmarks[1]
    assert last.command == ("{program}", "--calls=12", "{{parameter}}")
    assert last.distribution == ("{program}", "histogram", "12")
    assert last.overhead == ("{program}", "overhead")
    assert last.parameter == Parameter("collatz", "tail call", 12)


def test_a_parameter_need_not_be_one_that_time_is_linear_in(valid: str, write: Write) -> None:
    new = (
        'command = ["{program}", "{parameter}"]\n'
        'parameter = { name = "opcode", values = [4, 8], linear = false }\n'
    )
    study = load_study(write(valid.replace(COMMAND, new).replace('check = "0x1f"\n', "")))
    assert study.benchmarks[1].parameter == Parameter("collatz", "opcode", 8, linear=False)


def test_one_placeholder_is_bound_and_the_rest_is_left() -> None:
    assert bind("{a}-{b}-{{a}}", "a", "{b}") == "{b}-{b}-{{a}}"


def test_doubled_braces_are_no_parameter(valid: str, write: Write) -> None:
    new = 'command = ["{program}", "{{parameter}}"]\n'
    (benchmark,) = load_study(write(valid.replace(COMMAND, new))).benchmarks
    assert benchmark.command == ("{program}", "{{parameter}}")


def test_a_stand_in_is_sought_beside_the_study(valid: str, write: Write, tmp_path: Path) -> None:
    file = write(valid.replace("[study]\n", '[study]\notherwise = "other"\n'))
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "study.toml"
    other.write_text("")
    assert load_study(file).otherwise == str(other)


def test_a_stand_in_is_no_file_that_happens_to_be_where_whyfast_is_started(
    valid: str, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(valid.replace("[study]\n", '[study]\notherwise = "bpf-tail-call-vm"\n'))
    elsewhere = tmp_path / "elsewhere" / "deep"
    (elsewhere / "bpf-tail-call-vm").mkdir(parents=True)
    (elsewhere / "bpf-tail-call-vm" / "study.toml").write_text("")
    monkeypatch.chdir(elsewhere)
    bundled = bundled_folder("studies") / "bpf-tail-call-vm" / "study.toml"
    assert load_study(file).otherwise == str(bundled.resolve())


CASES = {
    "run unused": (ABOUT, RUNS),
    "sysctl name": (ABOUT, "sysctl = { net = { core = 1 } }\n"),
    "sysctl value": (ABOUT, 'sysctl = { "net.core.bpf_jit_harden" = true }\n'),
    "parameter unused": (COMMAND, COMMAND + 'parameter = { name = "call", values = [1, 2] }\n'),
    "parameter twice": (
        COMMAND,
        'command = ["{program}", "{parameter}"]\nparameter = { name = "call", values = [1, 1] }\n',
    ),
    "parameter alone": (
        COMMAND,
        'command = ["{program}", "{parameter}"]\nparameter = { name = "call", values = [1] }\n',
    ),
    "no parameter": (COMMAND, 'command = ["{program}", "{parameter}"]\n'),
    "distribution": (COMMAND, COMMAND + 'distribution = ["true"]\n'),
    "otherwise": ("[study]\n", '[study]\notherwise = "nothing-like-it"\n'),
}


def test_mistakes(valid: str, message: Message, golden: Hear) -> None:
    for name, (old, new) in CASES.items():
        assert valid.count(old) == 1, name
        golden(f"{name}: {message(valid.replace(old, new))}")


def test_settings_need_a_runner_that_waits(valid: str, message: Message, golden: Hear) -> None:
    text = valid.replace(ABOUT, 'sysctl = { "net.core.bpf_jit_harden" = 2 }\n')
    text = text.replace('runner = "turn"\n', "").replace('check = "0x1f"\n', "")
    golden(message(text))


STUDY = """\
[study]
title = "Which is the fastest?"
baseline = "py-3.9"

[source]
path = "src"

[build]
steps = ["{cc} {python_cflags} -o {program} {source}/x.c"]
program = "x.so"

[variant.base]
abstract = true
toolchain = "path:gcc"

[axes]
extends = "base"
name = "py-{python}"

[axes.python."3.9"]
python = "pyenv:3.9"

[axes.python.py]
python = ["path:python3", "pyenv:3.1*"]

[benchmarks.calls]
command = ["{python}", "{program}", "{name}"]
figures = ["{python}", "{program}", "--figures", "{name}"]
names = ["func-0", "getattr"]
"""


@pytest.fixture
def _versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    for version in ("3.9.18", "3.10.13", "3.13.0", "3.2.1"):
        place = tmp_path / "pyenv" / "versions" / version / "bin"
        place.mkdir(parents=True)
        (place / "python").touch()


@pytest.mark.usefixtures("_versions")
def test_a_list_and_a_pattern_make_a_value_of_each(write: Write) -> None:
    study = load_study(write(STUDY))
    assert [(v.name, v.python) for v in study.variants] == [
        ("py-3.9", "pyenv:3.9"),
        ("py-py-python3", "path:python3"),
        ("py-py-3.10.13", "pyenv:3.10.13"),
        ("py-py-3.13.0", "pyenv:3.13.0"),
    ]
    first, second = study.variants[:2]
    (only,) = differences(first, second)
    assert (only.aspect, only.removed, only.added) == ("python", ("pyenv:3.9",), ("path:python3",))
    assert only.changes_source


@pytest.mark.usefixtures("_versions")
def test_a_benchmark_of_each_name(write: Write) -> None:
    first, second = load_study(write(STUDY)).benchmarks
    assert (first.name, first.command) == ("func-0", ("{python}", "{program}", "func-0"))
    assert first.figures == ("{python}", "{program}", "--figures", "func-0")
    assert (second.name, second.command[-1]) == ("getattr", "getattr")
    assert second.family_name == "getattr"


MISTAKES = {
    "no provider": ('"pyenv:3.9"', '"3.9"'),
    "nothing here": ('"pyenv:3.1*"', '"pyenv:4.*"'),
    "a pattern of roots": ('"pyenv:3.1*"', '"debian:python3.*@sid"'),
    "none": ('python = "pyenv:3.9"', 'about = "none"'),
    "twice": ('"getattr"]', '"func-0"]'),
    "unused": ('"{program}", "{name}"', '"{program}"'),
    "no names": ('names = ["func-0", "getattr"]', 'timeout = "5s"'),
    "both": (
        'names = ["func-0", "getattr"]',
        'names = ["func-0"]\nparameter = { name = "call", values = [1, 2] }',
    ),
}


@pytest.mark.usefixtures("_versions")
def test_mistakes_of_interpreters(message: Message, golden: Hear) -> None:
    for name, (old, new) in MISTAKES.items():
        assert STUDY.count(old) == 1, name
        golden(f"{name}: {message(STUDY.replace(old, new))}")


STUDY_KERNELS = """\
[study]
title = "t"
baseline = "old"

[source]
path = "src"

[build]
steps = ["{cc} -o {program} {source}/a.c"]
program = "a"

[variant.base]
abstract = true
toolchain = "path:gcc"
boot = ["quiet"]

[variant.old]
extends = "base"
kernel = "debian:linux-5.10"

[variant.new]
extends = "base"
kernel = "debian:linux-6.12"
boot.add = ["spectre_v2=off"]

[benchmarks.b]
runner = "turn"
command = ["{program}", "turn"]
"""


def test_kernels_and_their_parameters_are_inherited(write: Write) -> None:
    study = load_study(write(STUDY_KERNELS))
    assert [(v.name, v.kernel, v.boot) for v in study.variants] == [
        ("old", "debian:linux-5.10", ("quiet",)),
        ("new", "debian:linux-6.12", ("quiet", "spectre_v2=off")),
    ]
    assert study.in_vms
    assert differ_in(*study.variants) == {"kernel", "boot"}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('kernel = "debian:linux-5.10"', 'kernel = "linux-5.10"'),
        ('kernel = "debian:linux-5.10"', ""),
        ('boot.add = ["spectre_v2=off"]', 'boot.add = ["spectre_v2=off quiet"]'),
        ('runner = "turn"', 'runner = "command"'),
        ('"turn"]', '"{source}/data"]'),
    ],
)
def test_mistakes_of_kernels(message: Message, right: str, wrong: str, golden: Hear) -> None:
    assert STUDY_KERNELS.count(right) == 1
    golden(message(STUDY_KERNELS.replace(right, wrong)))


def test_boot_parameters_need_a_kernel(message: Message, golden: Hear) -> None:
    without = STUDY_KERNELS.replace('kernel = "debian:linux-5.10"\n', "")
    without = without.replace('kernel = "debian:linux-6.12"\n', "")
    golden(message(without))


COMMITS = """
[study]
title = "Since when?"
baseline = { commit = "v1" }
[source]
git = "src"
revision = "HEAD"
[build]
steps = ["make"]
program = "vm"
[axes.commit]
revisions = "v1..HEAD"
[axes.opt.O2]
toolchain = "path:gcc"
[benchmarks.one]
command = ["{program}"]
"""


def _git(folder: Path, *arguments: str) -> str:
    who = {f"GIT_{a}_{b}": "t" for a in ("AUTHOR", "COMMITTER") for b in ("NAME", "EMAIL")}
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **who},
    ).stdout.strip()


@pytest.fixture
def history(write: Write) -> Path:
    """v1, then two commits, of which the last is HEAD."""
    source = write("").parent / "src"
    _git(source, "init", "-q")
    for i, subject in enumerate(("first", "v1 it is", "faster: a\ttab", "slower")):
        (source / "vm.c").write_text(str(i))
        _git(source, "add", ".")
        _git(source, "commit", "-q", "-m", subject)
        if i == 1:
            _git(source, "tag", "v1")
    return source


def test_a_value_a_commit_the_base_first(history: Path, write: Write) -> None:
    study = load_study(write(COMMITS))
    middle = _git(history, "rev-parse", "--short", "HEAD~1")
    assert [v.name for v in study.variants] == ["v1-O2", f"{middle}-O2", "HEAD-O2"]
    assert [v.about for v in study.variants] == ["v1 it is", "faster: a tab", "slower"]
    assert [v.revision for v in study.variants] == [
        _git(history, "rev-parse", r) for r in ("v1", "HEAD~1", "HEAD")
    ]
    assert study.baselines == ("v1-O2",)


def test_ends_that_are_no_names(history: Path, write: Write) -> None:
    study = load_study(
        write(COMMITS.replace("v1..HEAD", "HEAD~1..HEAD^0").replace('"v1"', '"base"'))
    )
    assert [v.axes["commit"] for v in study.variants] == ["base", "head"]


COMMIT_MISTAKES = {
    "no range": ('"v1..HEAD"', '"v1"', '"v1" is not BASE..HEAD; write revisions = "v1.0..main"'),
    "an option": (
        '"v1..HEAD"',
        '"--all..HEAD"',
        '"--all..HEAD" is not BASE..HEAD; write revisions = "v1.0..main"',
    ),
    "unknown": ('"v1..HEAD"', '"v9..HEAD"', "bad revision 'v9'; name two revisions"),
    "empty": (
        '"v1..HEAD"',
        '"HEAD..v1"',
        'no commits in "HEAD..v1"; write revisions = "v1.0..main"',
    ),
    "an address": (
        'git = "src"',
        'git = "https://example.org/x"',
        "needs a repository on this machine; clone it, and name the folder in [source] git",
    ),
    "another source": (
        'git = "src"\nrevision = "HEAD"',
        'path = "src"',
        "needs a source from git; write [source] git = … and revision = …",
    ),
}


@pytest.mark.parametrize(
    ("old", "new", "expected"), COMMIT_MISTAKES.values(), ids=COMMIT_MISTAKES.keys()
)
def test_mistake(history: Path, old: str, new: str, expected: str, message: Message) -> None:
    assert COMMITS.count(old) == 1
    said = message(COMMITS.replace(old, new))
    assert said.endswith(f": axes.commit.revisions: {expected}")
