"""What an account says to type next."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.report.why_example import EQUAL, UNEXPLAINED, VECTORISED, WRITING

from whyfast.model.why import Account
from whyfast.why.account import next_command

_TEMPLATE = replace(VECTORISED.code, fast="a::f", slow="a::f") if VECTORISED.code else None
_INLINED = replace(VECTORISED.code, fast="main") if VECTORISED.code else None


@pytest.mark.parametrize(
    ("account", "command"),
    [
        (VECTORISED, "whyfast explain --diff --function work ./a ./b"),
        (WRITING, "strace -f -k -e trace=write -o calls.txt ./b 'in put'"),
        (replace(VECTORISED, code=_TEMPLATE), ""),
        (replace(VECTORISED, code=_INLINED), ""),
        (replace(VECTORISED, code=None), ""),
        (UNEXPLAINED, ""),
        (EQUAL, ""),
    ],
)
def test_it_is_about_the_largest_cause(account: Account, command: str) -> None:
    text = next_command(account, ["./a", "in put"], ["./b", "in put"])
    assert text.partition("  # ")[0] == command


def test_one_program_has_no_two_codes() -> None:
    assert next_command(VECTORISED, ["./a", "1"], ["./a", "2"]) == ""
