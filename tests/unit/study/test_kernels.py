"""Variants with kernels of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.model.differences import differ_in
from whyfast.study import load_study

STUDY = """\
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


def test_kernels_and_their_parameters_are_inherited(write: Callable[[str], Path]) -> None:
    study = load_study(write(STUDY))
    assert [(v.name, v.kernel, v.boot) for v in study.variants] == [
        ("old", "debian:linux-5.10", ("quiet",)),
        ("new", "debian:linux-6.12", ("quiet", "spectre_v2=off")),
    ]
    assert study.in_vms
    assert differ_in(*study.variants) == {"kernel", "boot"}


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (
            'kernel = "debian:linux-5.10"',
            'kernel = "linux-5.10"',
            'study.toml:19: variant.old.kernel: "linux-5.10" is not a kernel; '
            'write it as in "debian:linux-6.12"',
        ),
        (
            'kernel = "debian:linux-5.10"',
            "",
            "study.toml:12: variant: new has a kernel of its own and old has none; "
            "give every variant one, or none",
        ),
        (
            'boot.add = ["spectre_v2=off"]',
            'boot.add = ["spectre_v2=off quiet"]',
            'study.toml:24: variant.new.boot[0]: "spectre_v2=off quiet" is not one parameter of '
            'the kernel; write one word each, as in "spectre_v2=off"',
        ),
        (
            'runner = "turn"',
            'runner = "command"',
            "study.toml:27: benchmarks.b.runner: a kernel of its own needs the runner turn, not "
            'command; write runner = "turn"',
        ),
        (
            '"turn"]',
            '"{source}/data"]',
            "study.toml:28: benchmarks.b.command: {source} is not there in a guest, which has the "
            "program alone; let the program contain what it needs",
        ),
    ],
)
def test_mistakes(message: Callable[[str], str], right: str, wrong: str, said: str) -> None:
    assert STUDY.count(right) == 1
    assert message(STUDY.replace(right, wrong)) == said


def test_boot_parameters_need_a_kernel(message: Callable[[str], str]) -> None:
    without = STUDY.replace('kernel = "debian:linux-5.10"\n', "")
    without = without.replace('kernel = "debian:linux-6.12"\n', "")
    assert message(without) == (
        "study.toml:12: variant: old has boot parameters and no kernel; "
        'write kernel = "debian:linux-6.12"'
    )
