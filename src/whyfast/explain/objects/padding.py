"""Where functions end that have no size: before the padding up to the next one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from whyfast.explain.disassembly.instruction import Disassembler
from whyfast.explain.disassembly.registry import disassembler_for
from whyfast.explain.objects.elf import Architecture
from whyfast.explain.objects.image import Image
from whyfast.explain.objects.labels import Function

# int3, the no-operations that Intel's manual recommends for each length, with prefixes, and zeros,
# which some linkers leave.
_X86 = (
    rb"\x66*\x90|\xcc|\0{1,2}|\x66*\x2e?\x0f\x1f(?:\x00|\x40\x00|\x44\x00\x00|\x80\0{4}|\x84\0{5})"
)
_PADDING = {
    "x86-64": re.compile(_X86, re.DOTALL),
    "aarch64": re.compile(rb"\x1f\x20\x03\xd5|\0{4}", re.DOTALL),
}
_ENDING = {
    "x86-64": re.compile(rb"(?:" + _X86 + rb")\Z", re.DOTALL),
    "aarch64": re.compile(rb"(?:\x1f\x20\x03\xd5|\0{4})\Z", re.DOTALL),
}
_LONGEST = 16  # bytes that one such instruction takes at most


def without_padding(
    functions: Iterable[Function], image: Image, architecture: Architecture, exact: Iterable[int]
) -> Iterator[Function]:
    """The functions, cut where only padding and data follow; those that begin at an address of
    ``exact`` have sizes from the file and stay."""
    known = set(exact)
    engine = disassembler_for(architecture)
    for function in functions:
        if function.address in known:
            yield function
            continue
        end = function.end
        data = image.data_within(function.address, end)
        while True:
            start = data[-1][1] if data else function.address
            code = image.read(start, end - start)
            end -= _padding(code, start, engine, architecture)
            if end > start or not data:
                break
            end = data.pop()[0]
        yield replace(function, size=max(end - function.address, 1))


def _padding(code: bytes, start: int, engine: Disassembler, architecture: Architecture) -> int:
    """How many bytes at the end of ``code``, which lies at ``start``, are padding."""
    if not _ENDING[architecture].search(code, max(0, len(code) - _LONGEST)):
        return 0
    end = len(code)
    # Decoded, since an ordinary instruction may end in the same bytes.
    for instruction in reversed(list(engine.decode(code, start))):
        at = instruction.address - start
        if not _PADDING[architecture].fullmatch(code, at, at + instruction.size):
            break
        end = at
    return len(code) - end
