"""What a variant's table may set."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES = {
    "toolchain form": (
        'toolchain = "zig:clang-18"',
        'toolchain = "clang-18"',
        (
            'study.toml:33: axes.compiler.clang18.toolchain: "clang-18" is not a '
            'toolchain; write provider:name, as in "path:gcc"'
        ),
    ),
    "feature": (
        'requires = ["musttail"]\nexpect',
        'requires = ["must-tail"]\nexpect',
        (
            "study.toml:24: variant.taildup.requires[0]: must be one of computed-goto, "
            'musttail, preserve_none, not "must-tail"; did you mean "musttail"?'
        ),
    ),
    "feature added": (
        'requires = ["musttail"]\nexpect',
        'requires.add = ["tail"]\nexpect',
        (
            "study.toml:24: variant.taildup.requires.add[0]: must be one of computed-goto, "
            'musttail, preserve_none, not "tail"; did you mean "musttail"?'
        ),
    ),
    "package added": (
        'ldflags.add = ["-s"]',
        'ldflags.add = ["-s"]\npackages.add = ["libX"]',
        (
            'study.toml:24: variant.taildup.packages.add[0]: "libX" is not the name of a Debian '
            'package; write it as in "zlib1g-dev"'
        ),
    ),
    "expectation": (
        'dispatch = "replicated"',
        'dispatch = "replicate"',
        (
            "study.toml:25: variant.taildup.expect.dispatch: must be one of replicated, "
            'merged, partly merged, none, loop, tail-call, not "replicate"; did you mean '
            '"replicated"?'
        ),
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_mistake(
    old: str, new: str, expected: str, valid: str, message: Callable[[str], str]
) -> None:
    assert valid.count(old) == 1
    assert message(valid.replace(old, new)) == expected
