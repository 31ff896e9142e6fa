"""Values of the wrong type."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES = {
    "title type": (
        'title = "Is tail faster than goto?"',
        'title = ["x"]',
        "study.toml:2: study.title: must be a string, not a list",
    ),
    "title empty": (
        'title = "Is tail faster than goto?"',
        'title = " "',
        "study.toml:2: study.title: is empty",
    ),
    "flags no list": (
        'cflags = ["-O2", "-g"]',
        'cflags = "-O2"',
        (
            "study.toml:17: variant.base.cflags: must be a list of strings, not a string; "
            'write ["-O2"]'
        ),
    ),
    "flags number": (
        'cflags = ["-O2", "-g"]',
        "cflags = 2",
        "study.toml:17: variant.base.cflags: must be a list of strings, not a number",
    ),
    "flag no string": (
        'cflags = ["-O2", "-g"]',
        'cflags = ["-O2",\n  3]',
        ("study.toml:18: variant.base.cflags[1]: must be a string, not a number; put it in quotes"),
    ),
    "flag table": (
        'cflags = ["-O2", "-g"]',
        "cflags = [{ a = 1 }]",
        "study.toml:17: variant.base.cflags[0]: must be a string, not a table",
    ),
    "added no list": (
        'ldflags.add = ["-s"]',
        'ldflags.add = "-s"',
        (
            "study.toml:23: variant.taildup.ldflags.add: must be a list of strings, not a "
            'string; write ["-s"]'
        ),
    ),
    "added nothing": (
        'ldflags.add = ["-s"]',
        "ldflags = {}",
        ('study.toml:23: variant.taildup.ldflags.add: is missing; write ldflags.add = ["…"]'),
    ),
    "abstract type": (
        "abstract = true",
        'abstract = "yes"',
        "study.toml:16: variant.base.abstract: must be true or false, not a string",
    ),
    "env type": (
        'env = { SOURCE_DATE_EPOCH = "0" }',
        "env = { SOURCE_DATE_EPOCH = 0 }",
        (
            "study.toml:13: build.env.SOURCE_DATE_EPOCH: must be a string, not a number; "
            "put it in quotes"
        ),
    ),
    "env list": (
        'env = { SOURCE_DATE_EPOCH = "0" }',
        'env = ["SOURCE_DATE_EPOCH=0"]',
        "study.toml:13: build.env: must be a table, not a list",
    ),
    "env name": (
        'env = { SOURCE_DATE_EPOCH = "0" }',
        'env = { "A=B" = "0" }',
        (
            'study.toml:13: build.env."A=B": is not the name of an environment variable; '
            "write letters, digits and _"
        ),
    ),
    "exclude type": (
        'exclude = [{ compiler = "clang18", dispatch = "tail" }]',
        'exclude = { compiler = "clang18" }',
        (
            "study.toml:30: axes.exclude: must be a list of tables, not a table; write "
            "exclude = [{ … }]"
        ),
    ),
    "exclude entry type": (
        'exclude = [{ compiler = "clang18", dispatch = "tail" }]',
        'exclude = ["clang18"]',
        "study.toml:30: axes.exclude[0]: must be a table, not a string",
    ),
    "exclude value type": (
        'exclude = [{ compiler = "clang18", dispatch = "tail" }]',
        "exclude = [{ compiler = 18 }]",
        (
            "study.toml:30: axes.exclude[0].compiler: must be a string or a list of "
            "strings, not a number"
        ),
    ),
    "extends type": (
        'extends = "clang19-goto"',
        "extends = 3",
        (
            "study.toml:20: variant.taildup.extends: must be a string or a list of "
            "strings, not a number"
        ),
    ),
    "extends twice": (
        'extends = "clang19-goto"',
        'extends = ["base", "base"]',
        'study.toml:20: variant.taildup.extends[1]: "base" is in the list twice',
    ),
    "nul": (
        'about = "one line"',
        'about = "one\\u0000line"',
        "study.toml:26: variant.taildup.about: contains a NUL character",
    ),
    "variant name": (
        "[variant.taildup]",
        '[variant."a/b"]',
        (
            'study.toml:19: variant."a/b": "a/b" cannot be the name of a variant; use '
            "letters, digits and . _ + -"
        ),
    ),
    "benchmark name": (
        "[benchmarks.collatz]",
        '[benchmarks."a b"]',
        (
            'study.toml:45: benchmarks."a b": "a b" cannot be the name of a benchmark; use '
            "letters, digits and . _ + -"
        ),
    ),
    "axis value name": (
        "[axes.compiler.clang18]",
        '[axes.compiler."../x"]',
        (
            'study.toml:32: axes.compiler."../x": "../x" cannot be the name of a value of '
            "an axis; use letters, digits and . _ + -"
        ),
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_mistake(
    old: str, new: str, expected: str, valid: str, message: Callable[[str], str]
) -> None:
    assert valid.count(old) == 1
    assert message(valid.replace(old, new)) == expected
