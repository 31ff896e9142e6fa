"""Counts agree with those of objdump, whose text only this test reads."""

import re
import shutil
import subprocess
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.explain.program import explain_program

_LINE = re.compile(r"\s*([0-9a-f]+):\t(.*)")
_PREFIXES = re.compile(r"^(?:(?:notrack|bnd|addr32|data16|cs|ds|repz|rex\S*) +)+")


def objdump_kinds(program: Path) -> list[tuple[int, str]]:
    if shutil.which("objdump") is None:
        pytest.skip("objdump is not installed")
    command = ["objdump", "-d", "-w", "--no-show-raw-insn", str(program)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return sorted(
        (int(m[1], 16), kind_of(_PREFIXES.sub("", m[2])))
        for m in map(_LINE.match, text.splitlines())
        if m
    )


def kind_of(instruction: str) -> str:
    name, _, operand = instruction.partition(" ")
    word = {"jmp": "jump", "call": "call"}.get(name)
    if word is None:
        return "other"
    return f"{'indirect' if operand.strip().startswith('*') else 'direct'} {word}"


@pytest.mark.parametrize(
    ("style", "flags"),
    [
        ("switch", ["-O2"]),
        ("switch", ["-O0", "-c"]),
        ("goto", ["-O2", "-fcf-protection=full"]),
        ("goto", ["-O2", "-static"]),  # with a whole C library
        ("tail", ["-O2"]),
        ("tail", ["-O0", "-c"]),
    ],
)
def test_counts_agree_with_objdump(
    gcc: Callable[..., Path], interpreter: Callable[[str, int], str], style: str, flags: list[str]
) -> None:
    program = gcc(interpreter(style, 40), *flags)
    theirs = objdump_kinds(program)
    addresses = [address for address, _ in theirs]
    evidence = explain_program(program, variant="v", functions=["*"])
    assert len(evidence.functions) > 1
    differing = []
    for f in evidence.functions:
        kinds = Counter(
            kind
            for _, kind in theirs[
                bisect_left(addresses, f.address) : bisect_left(addresses, f.address + f.size)
            ]
        )
        expected = (
            kinds.total(),
            kinds["indirect jump"],
            kinds["direct call"],
            kinds["indirect call"],
        )
        found = (f.instructions, f.indirect_jumps, f.direct_calls, f.indirect_calls)
        if found != expected:
            differing.append((f.name, found, expected))
    assert differing == []
