"""Machine code to plain instruction records and text; each architecture's library loads on use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, Protocol

from whyfast.explain.objects import Architecture

_Jump = Literal["direct jump", "conditional jump", "indirect jump"]
Kind = Literal["other", _Jump, "direct call", "indirect call", "return"]

#: How an instruction uses an address: it computes it, reads memory at exactly it, reads memory
#: at it plus a register; or it sign-extends an operand while adding (AArch64 jump tables).
Use = Literal["", "forms", "reads", "indexes", "sign-extends"]

#: What an instruction is that prologues, epilogues and hardening are made of: it pushes a register;
#: stores one into the stack frame, by the stack pointer or the frame pointer; sets up the frame
#: pointer; clears a register that returns no value; reads the canary of the stack protector; marks
#: a place for indirect branches; signs the return address; moves the stack pointer by one page.
_Frame = Literal["push", "stack store", "frame store", "frame pointer"]
Mark = Literal["", _Frame, "zeroes", "canary", "landing pad", "signs", "page"]


class Instruction(NamedTuple):
    """One instruction. ``address`` and ``size`` in bytes; ``target`` is where a direct jump or call
    goes. The other fields are hints for finding jump tables, filled in only when asked for:
    ``reference`` is an address that it uses as ``use`` says, ``width`` the bytes that an indexed
    read takes, ``limit`` the constant that it compares a register with. ``mark`` is filled in with
    the hints."""

    address: int
    size: int
    kind: Kind
    target: int | None = None
    reference: int | None = None
    use: Use = ""
    width: int = 0
    limit: int | None = None
    mark: Mark = ""


class Disassembler(Protocol):
    """Decodes machine code of one architecture in address order."""

    def decode(self, code: bytes, address: int, *, hints: bool = False) -> Iterator[Instruction]:
        """The instructions of ``code``, which lies at ``address``. Bytes that are no instruction
        come out as kind ``other``; nothing is raised for them."""
        ...

    def text(self, code: bytes, address: int) -> Iterator[tuple[int, str]]:
        """Address and text of each instruction of ``code``, which lies at ``address``."""
        ...


def disassembler_for(architecture: Architecture, *, relative: bool = False) -> Disassembler:
    """The engine of an architecture; ``relative``: code may address tables by their distance from
    where the program is loaded, which is smaller than any address."""
    if architecture == "x86-64":
        from whyfast.explain.disassembly.x86 import LOWEST_ADDRESS, LOWEST_DISTANCE, X86Disassembler

        return X86Disassembler(LOWEST_DISTANCE if relative else LOWEST_ADDRESS)
    from whyfast.explain.disassembly.aarch64 import Aarch64Disassembler

    return Aarch64Disassembler()
