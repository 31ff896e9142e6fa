"""A variant that is a fix of another, and what layouts leave together in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.study import load_study

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
    ("old", "new", "said"),
    [
        (
            'fixes = "slow"',
            'fixes = "slw"',
            'study.toml:20: variant.hot.fixes: no variant "slw"; did you mean "slow"?',
        ),
        (
            'fixes = "slow"',
            'fixes = "hot"',
            'study.toml:20: variant.hot.fixes: "hot" cannot be a fix of itself; did you mean '
            '"hotter"?',
        ),
        (
            'fixes = "slow"',
            'fixes = "base"',
            'study.toml:20: variant.hot.fixes: "base" is abstract and is never built; valid: fast, '
            "slow, hotter",
        ),
        (
            'keep = [".text.hot.*"]',
            'keep = ["hot_*"]',
            'study.toml:21: variant.hot.keep[0]: "hot_*" is not the name of a section of code, '
            'or a pattern; write it as in ".text.hot.*"',
        ),
    ],
)
def test_mistake(old: str, new: str, said: str, message: Callable[[str], str]) -> None:
    assert STUDY.count(old) == 1
    assert message(STUDY.replace(old, new)) == said
