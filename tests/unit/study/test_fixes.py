"""A variant that is a fix of another, and what layouts leave together in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.study.load import load_study

STUDY = """
[study]
title = "Is it placement?"
baseline = ["fast", "slow"]
[source]
path = "."
[build]
steps = ["{cc} {cflags} -c {source}/vm.c"]
link = "{cc} -o {program} vm.o {layout}"
program = "vm"
[variant.base]
abstract = true
toolchain = "path:gcc"
[variant.fast]
extends = "base"
[variant.slow]
extends = "base"
[variant.hot]
extends = "slow"
fixes = "slow"
keep = [".text.hot.*"]
[variant.hotter]
extends = "hot"
keep.add = [".text.step_?"]
[benchmarks.run]
command = ["{program}"]
"""


def test_a_fix_names_what_it_fixes_and_what_stays_together(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    study = load_study(tmp_path)
    assert [(v.name, v.fixes, v.keep) for v in study.variants] == [
        ("fast", None, ()),
        ("slow", None, ()),
        ("hot", "slow", (".text.hot.*",)),
        # What stays together is inherited, being a fix is not.
        ("hotter", None, (".text.hot.*", ".text.step_?")),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('fixes = "slow"', 'fixes = "slw"'),
        ('fixes = "slow"', 'fixes = "hot"'),
        ('fixes = "slow"', 'fixes = "base"'),
        ('keep = [".text.hot.*"]', 'keep = ["hot_*"]'),
    ],
)
def test_mistake(old: str, new: str, message: Callable[[str], str], golden: Hear) -> None:
    assert STUDY.count(old) == 1
    golden(message(STUDY.replace(old, new)))
