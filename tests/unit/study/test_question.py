"""What [study] names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES = {
    "baseline empty": (
        'baseline = ["clang18-goto"]\n',
        "baseline = []\n",
        'study.toml:3: study.baseline: is empty; write baseline = "NAME"',
    ),
    "claim half": (
        'claim = { variant = "clang19-tail", baseline = "clang19-goto" }',
        'claim = { variant = "clang19-tail" }',
        (
            "study.toml:5: study.claim.baseline: is missing; write claim = { variant = "
            '"…", baseline = "…" }'
        ),
    ),
    "baseline unknown": (
        'baseline = ["clang18-goto"]',
        'baseline = ["clang18-gto"]',
        ('study.toml:3: study.baseline[0]: no variant "clang18-gto"; did you mean "clang18-goto"?'),
    ),
    "baseline abstract": (
        'baseline = ["clang18-goto"]',
        'baseline = "base"',
        (
            'study.toml:3: study.baseline: "base" is abstract and is never built; valid: '
            "clang18-goto, clang19-goto, clang19-tail, taildup"
        ),
    ),
    "baseline twice": (
        'baseline = ["clang18-goto"]',
        'baseline = ["clang18-goto", "clang18-goto"]',
        'study.toml:3: study.baseline[1]: "clang18-goto" is in the list twice',
    ),
    "baseline excluded": (
        'baseline = ["clang18-goto"]',
        'baseline = ["clang18-tail"]',
        (
            'study.toml:3: study.baseline[0]: no variant "clang18-tail"; did you mean '
            '"clang19-tail"?'
        ),
    ),
    "baseline type": (
        'baseline = ["clang18-goto"]',
        "baseline = 18",
        ("study.toml:3: study.baseline: must be a string or a list of strings, not a number"),
    ),
    "claim unknown": (
        'claim = { variant = "clang19-tail"',
        'claim = { variant = "clang19-tial"',
        (
            'study.toml:5: study.claim.variant: no variant "clang19-tial"; did you mean '
            '"clang19-tail"?'
        ),
    ),
    "claim same": (
        'claim = { variant = "clang19-tail"',
        'claim = { variant = "clang19-goto"',
        (
            'study.toml:5: study.claim.baseline: "clang19-goto" cannot beat itself; name '
            "another variant"
        ),
    ),
    'margin "1"': (
        'margin = "1%"',
        'margin = "1"',
        'study.toml:4: study.margin: "1" is not a percentage; write margin = "1%" or 0.01',
    ),
    'margin "%"': (
        'margin = "1%"',
        'margin = "%"',
        'study.toml:4: study.margin: "%" is not a percentage; write margin = "1%" or 0.01',
    ),
    'margin "-1%"': (
        'margin = "1%"',
        'margin = "-1%"',
        ('study.toml:4: study.margin: "-1%" is not a percentage; write margin = "1%" or 0.01'),
    ),
    'margin "0%"': (
        'margin = "1%"',
        'margin = "0%"',
        (
            "study.toml:4: study.margin: must be more than 0 % and less than 100 %, not 0 "
            '%; write margin = "1%" or 0.01'
        ),
    ),
    'margin "100%"': (
        'margin = "1%"',
        'margin = "100%"',
        (
            "study.toml:4: study.margin: must be more than 0 % and less than 100 %, not "
            '100 %; write margin = "1%" or 0.01'
        ),
    ),
    "margin 0": (
        'margin = "1%"',
        "margin = 0",
        (
            "study.toml:4: study.margin: must be more than 0 % and less than 100 %, not 0 "
            '%; write margin = "1%" or 0.01'
        ),
    ),
    "margin 1": (
        'margin = "1%"',
        "margin = 1",
        (
            "study.toml:4: study.margin: must be more than 0 % and less than 100 %, not "
            '100 %; write margin = "1%" or 0.01'
        ),
    ),
    "margin -0.01": (
        'margin = "1%"',
        "margin = -0.01",
        (
            "study.toml:4: study.margin: must be more than 0 % and less than 100 %, not -1 "
            '%; write margin = "1%" or 0.01'
        ),
    ),
    "margin nan": (
        'margin = "1%"',
        "margin = nan",
        (
            "study.toml:4: study.margin: must be more than 0 % and less than 100 %, not "
            'nan %; write margin = "1%" or 0.01'
        ),
    ),
    "margin true": (
        'margin = "1%"',
        "margin = true",
        ('study.toml:4: study.margin: must be a percentage, not true; write margin = "1%" or 0.01'),
    ),
    'margin ["1%"]': (
        'margin = "1%"',
        'margin = ["1%"]',
        (
            "study.toml:4: study.margin: must be a percentage, not a list; write margin = "
            '"1%" or 0.01'
        ),
    ),
    "no title": (
        'title = "Is tail faster than goto?"\n',
        "",
        'study.toml:1: study.title: is missing; write title = "Is … faster than …?"',
    ),
    "no baseline": (
        'baseline = ["clang18-goto"]\n',
        "",
        'study.toml:1: study.baseline: is missing; write baseline = "NAME"',
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_mistake(
    old: str, new: str, expected: str, valid: str, message: Callable[[str], str]
) -> None:
    assert valid.count(old) == 1
    assert message(valid.replace(old, new)) == expected
