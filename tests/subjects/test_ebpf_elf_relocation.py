"""ELF objects whose functions lie elsewhere: relocations."""

import pytest
from tests.golden_files import Hear
from tests.subjects.ebpf_assembly import EXIT, insn, mov
from tests.subjects.ebpf_objects import (
    CALL,
    EXECUTABLE,
    FUNCTION,
    GLOBAL,
    LDDW,
    LOCAL,
    PROGBITS,
    REL,
    RELA,
    SECTION,
    TO_ADDRESS,
    TO_FUNCTION,
    Load,
    Symbol,
    calling,
    code,
    elf,
    relocation,
    text,
)

#: A relocation of the first instruction to the symbol of the test; a function and data elsewhere.
AT_FIRST = relocation(0, 2, TO_FUNCTION)
TWO: Symbol = ("two", FUNCTION, GLOBAL, 2, 0)
TABLE: Symbol = ("table", 1, GLOBAL, 3, 0)


@pytest.mark.parametrize(
    ("symbol", "addend", "result"),
    [
        (("two", FUNCTION, GLOBAL, 2, 16), -1, "0x2"),
        (("one", FUNCTION, LOCAL, 2, 0), -1, "0x1"),
        (("", SECTION, LOCAL, 2, 0), 1, "0x2"),  # as compilers write a call of a local function
        (("", SECTION, LOCAL, 2, 0), -1, "0x1"),
        (("main", FUNCTION, GLOBAL, 1, 8), -1, "0x5"),
    ],
)
def test_distant_functions_are_called(load: Load, symbol: Symbol, addend: int, result: str) -> None:
    program = insn(0x85, src=1, imm=addend) + (EXIT if result != "0x5" else code(5))
    content = calling(program, AT_FIRST, [symbol])
    assert load(content, "--section", "xdp", "--entry", "main") == result


def test_functions_elsewhere_call_further_ones(load: Load) -> None:
    content = elf(
        [
            ("xdp", PROGBITS, EXECUTABLE, CALL + EXIT, 0),
            (".text", PROGBITS, EXECUTABLE, code(1) + CALL + EXIT, 0),
            ("last", PROGBITS, EXECUTABLE, code(7), 0),
            (".relxdp", REL, 0, AT_FIRST, 1),
            (".rel.text", REL, 0, relocation(16, 3, TO_FUNCTION), 2),
        ],
        symbols=[
            ("main", FUNCTION, GLOBAL, 1, 0),
            ("middle", FUNCTION, GLOBAL, 2, 16),
            ("last", FUNCTION, GLOBAL, 3, 0),
        ],
    )
    assert load(content, "--entry", "main") == "0x7"


@pytest.mark.parametrize(
    ("program", "relocated", "symbol"),
    [
        (CALL, AT_FIRST, ("far", 0, GLOBAL, 0, 0)),
        (CALL, AT_FIRST, TABLE),
        (mov(0, 0), AT_FIRST, TWO),
        (CALL, AT_FIRST, ("past", FUNCTION, GLOBAL, 2, 32)),
        (LDDW, relocation(0, 2, TO_ADDRESS), TABLE),
        (LDDW, relocation(0, 2, TO_ADDRESS), ("", SECTION, LOCAL, 3, 0)),
        (CALL, relocation(0, 2, 3), TWO),
        (CALL, relocation(0, 3, TO_FUNCTION), TWO),
        (CALL, relocation(16, 2, TO_FUNCTION), TWO),
    ],
)
def test_what_cannot_be_relocated_is_named(
    load: Load, program: bytes, relocated: bytes, symbol: Symbol, golden: Hear
) -> None:
    content = calling(program + EXIT, relocated, [symbol])
    golden(load(content, "--entry", "main"))


def test_relocations_with_addends_are_refused(load: Load) -> None:
    content = calling(EXIT, bytes(24), [], RELA)
    message = "the ELF relocations have addends, which no BPF compiler makes"
    assert load(content, "--entry", "main") == message


def test_relocations_of_other_sections_do_not_matter(load: Load) -> None:
    assert load(elf([text(".text", 1), (".rel.debug", REL, 0, bytes(16), 3)])) == "0x1"
