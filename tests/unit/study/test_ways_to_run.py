"""Variants that differ in how they are run, benchmarks with a parameter, and stand-ins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.variant import RUN, Parameter, differ_in
from whyfast.study.find import bundled_folder
from whyfast.study.load import load_study
from whyfast.study.sections import bind

COMMAND = 'command = ["{program}", "turn", "{source}/collatz.hex"]\n'
ABOUT = 'about = "one line"\n'
RUNS = ABOUT + 'run = ["--index", "static"]\n'


def test_words_and_settings_of_a_variant(valid: str, write: Callable[[str], Path]) -> None:
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


def test_a_parameter_makes_a_benchmark_of_each_value(
    valid: str, write: Callable[[str], Path]
) -> None:
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


def test_a_parameter_need_not_be_one_that_time_is_linear_in(
    valid: str, write: Callable[[str], Path]
) -> None:
    new = (
        'command = ["{program}", "{parameter}"]\n'
        'parameter = { name = "opcode", values = [4, 8], linear = false }\n'
    )
    study = load_study(write(valid.replace(COMMAND, new).replace('check = "0x1f"\n', "")))
    assert study.benchmarks[1].parameter == Parameter("collatz", "opcode", 8, linear=False)


def test_one_placeholder_is_bound_and_the_rest_is_left() -> None:
    assert bind("{a}-{b}-{{a}}", "a", "{b}") == "{b}-{b}-{{a}}"


def test_doubled_braces_are_no_parameter(valid: str, write: Callable[[str], Path]) -> None:
    new = 'command = ["{program}", "{{parameter}}"]\n'
    (benchmark,) = load_study(write(valid.replace(COMMAND, new))).benchmarks
    assert benchmark.command == ("{program}", "{{parameter}}")


def test_a_stand_in_is_looked_for_beside_the_study(
    valid: str, write: Callable[[str], Path], tmp_path: Path
) -> None:
    file = write(valid.replace("[study]\n", '[study]\notherwise = "other"\n'))
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "study.toml"
    other.write_text("")
    assert load_study(file).otherwise == str(other)


def test_a_stand_in_is_no_file_that_happens_to_be_where_whyfast_is_started(
    valid: str, write: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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


def test_mistakes(valid: str, message: Callable[[str], str], golden: Hear) -> None:
    for name, (old, new) in CASES.items():
        assert valid.count(old) == 1, name
        golden(f"{name}: {message(valid.replace(old, new))}")


def test_settings_need_a_runner_that_waits(
    valid: str, message: Callable[[str], str], golden: Hear
) -> None:
    text = valid.replace(ABOUT, 'sysctl = { "net.core.bpf_jit_harden" = 2 }\n')
    text = text.replace('runner = "turn"\n', "").replace('check = "0x1f"\n', "")
    golden(message(text))
