"""A program ready to be asked about: its image, functions and disassembler together."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from whyfast.explain.disassembly.instruction import Disassembler, Instruction
from whyfast.explain.objects.elf import Architecture
from whyfast.explain.objects.image import Image
from whyfast.explain.objects.symbols import Function

# A PLT entry jumps within this many instructions and bytes.
_STUB_INSTRUCTIONS, _STUB_BYTES = 4, 16


@dataclass
class Program:
    """A loaded program. ``functions`` are sorted by address; ``notes`` say what was not visible.

    ``objects`` are the extents of named data, by address; None where the file does not tell.
    ``debug`` are folders in which its debug file may lie.
    """

    path: Path
    architecture: Architecture
    image: Image
    functions: tuple[Function, ...]
    disassembler: Disassembler
    notes: tuple[str, ...] = ()
    objects: tuple[tuple[int, int], ...] | None = None
    debug: tuple[Path, ...] = ()
    _names: dict[int, str] = field(default_factory=dict)
    _references: list[int] | None = None

    def __post_init__(self) -> None:
        self._starts = [f.address for f in self.functions]

    def instructions(self, function: Function, *, hints: bool = False) -> list[Instruction]:
        """The function's instructions in address order."""
        found: list[Instruction] = []
        start = function.address
        for first, behind in [*self.image.data_within(start, function.end), (function.end,) * 2]:
            code = self.image.read(start, first - start)
            found += self.disassembler.decode(code, start, hints=hints)
            start = behind
        return found

    def references(self) -> list[int]:
        """Every address that the code of some function computes or reads, in order."""
        if self._references is None:
            self._references = sorted(
                {
                    i.reference
                    for function in self.functions
                    for i in self.instructions(function, hints=True)
                    if i.reference is not None
                }
            )
        return self._references

    def function_at(self, address: int) -> Function | None:
        """The function whose code contains an address, or None."""
        i = bisect_right(self._starts, address) - 1
        if i >= 0 and address < self.functions[i].end:
            return self.functions[i]
        return None

    def has_object_at(self, address: int) -> bool | None:
        """Whether a symbol names the data at an address; None where the file does not tell."""
        if self.objects is None:
            return None
        i = bisect_right(self.objects, (address, 1 << 65)) - 1
        return i >= 0 and address < self.objects[i][1]

    def name_of(self, address: int) -> str:
        """What a jump or call to ``address`` reaches: a function, also one that is reached through
        the PLT or defined elsewhere, ``name+0x12`` inside one, else the address in hex."""
        if address not in self._names:
            self._names[address] = self._find_name(address)
        return self._names[address]

    def _find_name(self, address: int) -> str:
        function = self.function_at(address)
        if function is not None:
            offset = address - function.address
            return f"{function.name}+{offset:#x}" if offset else function.name
        return self.image.externals.get(address) or self._stub_name(address) or f"{address:#x}"

    def _stub_name(self, address: int) -> str | None:
        code = self.image.read(address, _STUB_BYTES)
        slot = None
        decoded = self.disassembler.decode(code, address, hints=True)
        for _, instruction in zip(range(_STUB_INSTRUCTIONS), decoded, strict=False):
            if instruction.use == "reads":
                slot = instruction.reference
            if instruction.kind == "indirect jump":
                break
            if instruction.kind != "other":
                return None
        else:
            return None
        if slot is None:
            return None
        if slot in self.image.slots:
            return self.image.slots[slot]
        # The loader fills this slot by calling a resolver, which has the function's name.
        resolver = self.function_at(int.from_bytes(self.image.read(slot, 8), "little"))
        return resolver.name if resolver else None
