"""What tools said of versions, word for word, and what is made of it."""

import pytest

from whyfast.build.steps import TOO_OLD, too_old, why

MESSAGES = {
    "meson.build:1:0: ERROR: Meson version is 1.0.1 but project requires >=1.9.0": (
        ("meson", "1.0.1", "1.9.0", "pip install 'meson>=1.9.0'")
    ),
    "  CMake 3.99 or higher is required.  You are running version 3.25.1\n": (
        ("cmake", "3.25.1", "3.99", "pip install 'cmake>=3.99'")
    ),
    "error: rustc 1.95.0 is not supported by the following packages:\n"
    "  a@0.1.0 requires rustc 1.98\n  b@0.1.0 requires rustc 1.99\n": (
        ("rustc", "1.95.0", "1.99", "rustup update")
    ),
    "  this version of Cargo is older than the `2030` edition, and only supports `2015`": (
        ("cargo", "", "2030", "rustup update")
    ),
    "go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)": (
        ("go", "1.26.8", "1.99", "go.dev/dl")
    ),
    "configure.ac:1: error: Autoconf version 2.99 or higher is required": (
        ("autoconf", "", "2.99", "newer autoconf")
    ),
    "configure.ac:2: error: require Automake 1.99, but have 1.16.5": (
        ("automake", "1.16.5", "1.99", "newer automake")
    ),
    "ERROR: Dependency lookup for zlib with method 'pkgconfig' failed: Invalid version, need 'zlib'"
    " ['>=9'] found '1.2.13'.": ("zlib", "1.2.13", "9", "newer zlib"),
    'Could NOT find ZLIB: Found unsuitable version "1.2.13", but required is at\n  least "9"': (
        ("ZLIB", "1.2.13", "9", "newer ZLIB")
    ),
}


@pytest.mark.parametrize(("text", "told"), MESSAGES.items(), ids=[t[0] for t in MESSAGES.values()])
def test_what_is_too_old_is_told_with_both_versions_and_the_way_out(
    text: str, told: tuple[str, str, str, str]
) -> None:
    tool, here, wanted, how = told
    reason = too_old(text)
    assert reason.startswith(f"{tool} is too old; ")
    _, available, remedy = reason.split("; ")
    assert here in available
    assert wanted in available
    assert how in remedy


def test_the_step_that_failed_stands_behind_it() -> None:
    reason = why("meson setup build", 1, [next(iter(MESSAGES))])
    assert TOO_OLD.match(reason)
    assert reason.endswith("(step: meson setup build)")


def test_another_error_says_nothing_of_versions() -> None:
    assert too_old("x.c:1:1: error: this needs version 2 or newer of the standard") == ""
