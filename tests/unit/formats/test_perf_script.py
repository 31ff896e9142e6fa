"""Samples of perf as text, in the forms that it prints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.formats.perf import parse_perf_script

FLAT = "    55d0c7e0 work\n    55d0c7e4 work\n    7f00aa10 memcpy\n"
NAMED = """\
prog  4242 100.000001:     250123 cycles:u:      55d0c7e0 work+0x14 (/tmp/a prog/prog)
prog  4242 100.000250:     250123 cycles:u:      7f00aa10 memcpy@@GLIBC_2.14+0x3 (/lib/libc.so.6)
prog  4242 100.000500:     250123 cycles:u:      55d0c7e4 work+0x18 (/tmp/a prog/prog)
"""
STACKS = """\
prog 4242 100.000001: 250123 cycles:u:
\t        55d0c7e0 work+0x14 (/tmp/prog)
\t        55d0c700 main+0x20 (/tmp/prog)

prog 4242 100.000250: 250123 cycles:u:
\t        55d0c704 std::vector<int, std::allocator<int> >::at(unsigned long)+0x2 (/tmp/prog)
\t        55d0c700 main+0x20 (/tmp/prog)

"""
BARE_STACKS = "    55d0c7e0 work\n    55d0c700 main\n\n    55d0c704 work\n    55d0c700 main\n\n"


@pytest.mark.parametrize(
    ("text", "samples"),
    [
        (FLAT, {("", "work"): 2, ("", "memcpy"): 1}),
        (
            NAMED,
            {("/tmp/a prog/prog", "work"): 2, ("/lib/libc.so.6", "memcpy@@GLIBC_2.14"): 1},
        ),
        (
            STACKS,
            {
                ("/tmp/prog", "work"): 1,
                (
                    "/tmp/prog",
                    "std::vector<int, std::allocator<int> >::at(unsigned long)",
                ): 1,
            },
        ),
        (BARE_STACKS, {("", "work"): 2}),
        ("", {}),
        ("int main(void) { return 0; }\n", {}),
    ],
)
def test_each_sample_counts_for_the_function_that_ran(
    text: str, samples: dict[tuple[str, str], int]
) -> None:
    assert dict(parse_perf_script(text)) == samples


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    assert all(number > 0 for number in parse_perf_script(text).values())
