"""Variants with kernels of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.variant import differ_in
from whyfast.study.load import load_study

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
    ("right", "wrong"),
    [
        ('kernel = "debian:linux-5.10"', 'kernel = "linux-5.10"'),
        ('kernel = "debian:linux-5.10"', ""),
        ('boot.add = ["spectre_v2=off"]', 'boot.add = ["spectre_v2=off quiet"]'),
        ('runner = "turn"', 'runner = "command"'),
        ('"turn"]', '"{source}/data"]'),
    ],
)
def test_mistakes(message: Callable[[str], str], right: str, wrong: str, golden: Hear) -> None:
    assert STUDY.count(right) == 1
    golden(message(STUDY.replace(right, wrong)))


def test_boot_parameters_need_a_kernel(message: Callable[[str], str], golden: Hear) -> None:
    without = STUDY.replace('kernel = "debian:linux-5.10"\n', "")
    without = without.replace('kernel = "debian:linux-6.12"\n', "")
    golden(message(without))
