"""Where the number comes from by which a function chooses its way, and what moves the place that it
is fetched from: registers are followed backwards from the jumps, on x86-64."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal

from iced_x86 import (
    Decoder,
    FlowControl,
    InstructionInfoFactory,
    Mnemonic,
    OpAccess,
    OpKind,
    Register,
    RegisterExt,
)
from iced_x86 import Instruction as IcedInstruction

from whyfast.explain.disassembly.x86 import LOWEST_ADDRESS
from whyfast.explain.flow import Flow
from whyfast.explain.functions import Program

#: Where the number comes from by which a jump is chosen.
Origin = Literal["fetched", "fixed place", "constant table", "call", "characters", "unknown"]
#: How handlers move the place of the next number: by a constant, or by something else.
_Move = Literal["step", "jump"]

#: Steps backwards for one jump.
_STEPS = 600
#: Parts of the names of sections with data that a program cannot change, or only its loader.
CONSTANT_DATA = ("rodata", "rdata", "const", "cstring", "data.rel.ro")
#: Places that one depends on: those of more are none of a table.
_PLACES = 120
#: Writes of a place that are looked at.
_MOVES = 200
#: A call reads an instruction where handlers jump in the place that it is given, at more points.
_JUMPING = 3
_PRINTABLE = range(0x20, 0x7F)


_CALLER_SAVED = frozenset(
    {Register.RAX, Register.RCX, Register.RDX, Register.RSI, Register.RDI}
    | {Register.R8, Register.R9, Register.R10, Register.R11}
)
#: Those in which a call leaves something. On a way on which another is wanted it does not return.
_RETURNED = frozenset({Register.RAX, Register.RDX})
_COPIES = frozenset({Mnemonic.MOV, Mnemonic.MOVZX, Mnemonic.MOVSX, Mnemonic.MOVSXD})
#: In place of an instruction that writes a register: the caller of the function does, and what ran
#: before a handler.
_CALLER, _HANDLER = -1, -2
_ARGUMENTS = (Register.RDI, Register.RSI)
_SUMS = frozenset({Mnemonic.ADD, Mnemonic.SUB, Mnemonic.INC, Mnemonic.DEC})
_WRITES = (OpAccess.WRITE, OpAccess.READ_WRITE, OpAccess.COND_WRITE, OpAccess.READ_COND_WRITE)

#: A register, or a field or place of the stack frame: its base and its distance from there.
_Place = int | tuple[int, int]
#: An instruction before which a register is wanted, the register, and whether what it chooses from
#: the jump table was read already.
_Wanted = tuple[int, int, bool]


_OPERATIONS = (
    *("ADD SUB INC DEC LEA", "IMUL MUL", "IDIV DIV", "AND", "OR", "XOR", "NOT", "NEG", "SHL"),
    *("SHR", "SAR", "ADDSD ADDSS", "SUBSD SUBSS", "MULSD MULSS", "DIVSD DIVSS"),
    "SETE SETNE SETA SETAE SETB SETBE SETG SETGE SETL SETLE",
)
#: Instructions that compute, and what kind of arithmetic each is.
_ARITHMETIC = {getattr(Mnemonic, n): kind for kind in _OPERATIONS for n in kind.split()}
#: Instructions of a case that are looked at for these.
_CASE = 60


def _full(register: int) -> int:
    """The whole register that a part such as ``al`` belongs to."""
    return RegisterExt.full_register(register)  # type: ignore[arg-type]


def _is_address(insn: IcedInstruction) -> bool:
    """Whether an instruction puts the address of some data into a register."""
    if insn.mnemonic == Mnemonic.LEA:
        return insn.is_ip_rel_memory_operand
    by_number = insn.op1_kind not in (OpKind.REGISTER, OpKind.MEMORY)
    return insn.mnemonic == Mnemonic.MOV and by_number and insn.immediate(1) >= LOWEST_ADDRESS


def _address(insn: IcedInstruction) -> int:
    """That address."""
    by_lea = insn.mnemonic == Mnemonic.LEA
    return insn.ip_rel_memory_address if by_lea else insn.immediate(1)


class Trace:
    """Follows registers of a function backwards."""

    def __init__(self, program: Program, flow: Flow) -> None:
        self._flow = flow
        self._image = program.image
        self._factory = InstructionInfoFactory()
        #: The most handlers that move a place by data from which a number was followed to.
        self.steering = 0
        self._decoded: list[IcedInstruction] = []
        for piece in flow.body.pieces:
            decoder = Decoder(64, program.image.read(piece.address, piece.size), ip=piece.address)
            known = {i.ip: i for i in decoder}
            self._decoded += [
                known.get(i.address, IcedInstruction())
                for i in flow.code
                if piece.address <= i.address < piece.end
            ]

    def _written(self, insn: IcedInstruction) -> set[_Place]:
        registers: set[_Place] = {
            _full(r.register)
            for r in self._factory.info(insn).used_registers()
            if r.access in _WRITES
        }
        if insn.flow_control in (FlowControl.CALL, FlowControl.INDIRECT_CALL):
            registers |= _CALLER_SAVED
        stores = insn.mnemonic == Mnemonic.MOV and insn.op0_kind == OpKind.MEMORY
        if stores and self._in_frame(insn):
            registers.add(_field(insn))
        return registers

    @cached_property
    def _writers(self) -> dict[_Place, list[int]]:
        """The instructions that write each register."""
        writers: dict[_Place, list[int]] = {}
        for n, written in enumerate(self._writes):
            for register in written:
                if self._leaves(n, register):
                    writers.setdefault(register, []).append(n)
        return writers

    def _leaves(self, n: int, place: _Place) -> bool:
        calls = self._decoded[n].flow_control in (FlowControl.CALL, FlowControl.INDIRECT_CALL)
        return place in _RETURNED or not calls

    def origin(self, jump: int) -> Origin:
        """Where the number comes from that decides where an indirect jump goes: the nearest source
        on any way to it, unless as many ways lead to tables of the program."""
        insn = self._decoded[jump]
        wanted: list[_Wanted] = []
        sources: list[Origin] = []
        if insn.op0_kind == OpKind.MEMORY:
            sources += self._memory(insn, jump, False, wanted)
        elif insn.op0_kind == OpKind.REGISTER:
            wanted.append((jump, _full(insn.op0_register), False))
        ahead, seen = deque(wanted), set[_Wanted]()
        while ahead and len(seen) < _STEPS:
            at, register, read = ahead.popleft()
            if self._is_base(register):
                continue
            for n in self._flow.before[at]:
                if (n, register, read) in seen:
                    continue
                seen.add((n, register, read))
                if register not in self._writes[n]:
                    ahead.append((n, register, read))
                    continue
                wanted = []
                sources += self._source(n, register, read, wanted)
                ahead.extend(wanted)
        if not sources:
            return "unknown"
        tables = sources.count("constant table")
        return "constant table" if tables and tables >= sources.count("fetched") else sources[0]

    def kinds(self, cases: Sequence[int]) -> int:
        """How many kinds of arithmetic cases do, up to the first jump of each."""
        starts, kinds = set(cases), set[str]()
        for case in cases:
            for n in range(case, min(case + _CASE, len(self._decoded))):
                insn = self._decoded[n]
                if n > case and n in starts:
                    break
                clears = insn.mnemonic == Mnemonic.XOR and insn.op0_register == insn.op1_register
                kind = _ARITHMETIC.get(insn.mnemonic)
                if kind is not None and not clears and insn.op0_register != Register.RSP:
                    kinds.add(kind)
                if self._flow.code[n].kind in ("direct jump", "indirect jump", "return"):
                    break
        return len(kinds)

    def by_another(self, jump: int) -> bool:
        """Whether an indirect jump adds to an entry of a smaller table its address."""
        others = {t.address for t in self._flow.tables[1:]}
        target = self._decoded[jump]
        if target.op0_kind != OpKind.REGISTER:
            return False
        sums = [
            (n, self._decoded[n])
            for n in self._reaching(jump, _full(target.op0_register))
            if n != _CALLER and self._decoded[n].mnemonic == Mnemonic.ADD
        ]
        return any(
            n != _CALLER and _is_address(self._decoded[n]) and _address(self._decoded[n]) in others
            for at, i in sums
            for k in range(2)
            if i.op_kind(k) == OpKind.REGISTER
            for n in self._reaching(at, _full(i.op_register(k)))
        )

    def _is_base(self, register: int) -> bool:
        """Whether a register holds the address of the same data throughout the function."""
        own = [self._decoded[n] for n in self._writers.get(register, ())]
        own = [i for i in own if i.mnemonic != Mnemonic.POP]
        return bool(own) and all(map(_is_address, own))

    @cached_property
    def _writes(self) -> list[set[_Place]]:
        """What each instruction writes."""
        return [self._written(insn) for insn in self._decoded]

    def _source(self, n: int, register: int, read: bool, ahead: list[_Wanted]) -> Iterator[Origin]:
        """What an instruction writes into a register; what that depends on goes to ``ahead``."""
        insn, mnemonic = self._decoded[n], self._decoded[n].mnemonic
        if insn.flow_control in (FlowControl.CALL, FlowControl.INDIRECT_CALL):
            if register == Register.RAX:
                reads = self._within(insn) and not any(self._constant(n, a) for a in _ARGUMENTS)
                jumps = self._moved(n, _ARGUMENTS)["jump"] if reads else 0
                self.steering = max(self.steering, jumps)
                yield "fetched" if jumps >= _JUMPING else "call"
            return
        memory = any(insn.op_kind(k) == OpKind.MEMORY for k in range(insn.op_count))
        if mnemonic == Mnemonic.LEA:
            if insn.is_ip_rel_memory_operand:
                return
            if read and -insn.memory_displacement & (1 << 64) - 1 in _PRINTABLE:
                yield "characters"
            for part in (insn.memory_base, insn.memory_index):
                if part != Register.NONE:
                    ahead.append((n, _full(part), read))
            return
        by_number = insn.op_count == 2 and insn.op1_kind not in (OpKind.REGISTER, OpKind.MEMORY)
        if mnemonic == Mnemonic.SUB and by_number and read and insn.immediate(1) in _PRINTABLE:
            yield "characters"
        if memory:
            yield from self._memory(insn, n, read, ahead)
            if mnemonic in _COPIES:
                return
        if mnemonic == Mnemonic.XOR and insn.op0_register == insn.op1_register:
            return
        for k in range(insn.op_count):
            if insn.op_kind(k) == OpKind.REGISTER and (k or mnemonic not in _COPIES):
                ahead.append((n, _full(insn.op_register(k)), read))

    def _memory(
        self, insn: IcedInstruction, n: int, read: bool, ahead: list[_Wanted]
    ) -> Iterator[Origin]:
        """What is read from memory: the jump table itself, or what chooses its entry."""
        base, index = insn.memory_base, insn.memory_index
        if insn.is_ip_rel_memory_operand or base == index == Register.NONE:
            return
        if index != Register.NONE and not read:
            if insn.memory_index_scale in (4, 8):
                ahead.append((n, _full(index), True))
                return
            # Both may be the table's.
            for part in (base, index):
                ahead.append((n, _full(part), True))
            return
        if self._in_frame(insn):
            for m in self._writers_of(n, _field(insn)):
                if m != _CALLER and self._decoded[m].op1_kind == OpKind.REGISTER:
                    ahead.append((m, _full(self._decoded[m].op1_register), read))
            return
        parts = [r for r in (base, index) if r != Register.NONE]
        if self._names_data(insn) or any(self._constant(n, r) for r in parts):
            yield "constant table"
            return
        moves = self._moved(n, parts)
        self.steering = max(self.steering, moves["jump"])
        yield "fetched" if moves else "fixed place"

    @cached_property
    def _framed(self) -> bool:
        return any(i.mark == "frame pointer" for i in self._flow.code)

    def _within(self, call: IcedInstruction) -> bool:
        """Whether a call may reach a function of the same program."""
        if call.flow_control == FlowControl.INDIRECT_CALL:
            return not call.is_ip_rel_memory_operand
        region = self._image.region(call.near_branch_target)
        return region is None or not region.name.startswith(".plt")

    def _in_frame(self, insn: IcedInstruction) -> bool:
        """Whether a memory operand is one place of the stack frame."""
        framed = insn.memory_base == Register.RBP and self._framed
        return (framed or insn.memory_base == Register.RSP) and not insn.memory_index

    def _in_file(self, address: int) -> bool:
        """Whether the file holds data at an address that the program cannot change."""
        region = self._image.region(address)
        return region is not None and any(name in region.name for name in CONSTANT_DATA)

    def _names_data(self, insn: IcedInstruction) -> bool:
        """Whether the distance of a memory operand is the address of data."""
        distance = insn.memory_displacement
        return distance >= LOWEST_ADDRESS and self._in_file(distance)

    def _constant(self, at: int, register: int) -> bool:
        """Whether a register points into data of the file, whichever way leads to an instruction:
        to something in a table of the program, or on in it."""
        return self._points(at, _full(register), {}) is True

    def _points(
        self, at: int, place: _Place, known: dict[tuple[int, _Place], bool | None]
    ) -> bool | None:
        """The same for a place; None where it only moves on from itself."""
        if (at, place) in known or len(known) > _PLACES:
            return known.get((at, place), False)
        answer = known[at, place] = None
        for n in self._writers_of(at, place) or [_CALLER]:
            given = n != _CALLER and self._gives(n, known)
            answer = answer or given
            if given is False:
                answer = False
                break
        known[at, place] = answer
        return answer

    def _gives(self, n: int, known: dict[tuple[int, _Place], bool | None]) -> bool | None:
        """The same for what an instruction writes."""
        insn, mnemonic = self._decoded[n], self._decoded[n].mnemonic
        if _is_address(insn):
            return self._in_file(_address(insn))
        if mnemonic == Mnemonic.LEA:
            if self._names_data(insn):
                return True
            parts = [_full(r) for r in (insn.memory_base, insn.memory_index) if r != Register.NONE]
        elif mnemonic in _SUMS:
            regs = [k for k in range(insn.op_count) if insn.op_kind(k) == OpKind.REGISTER]
            parts = [_full(insn.op_register(k)) for k in regs]
        elif mnemonic == Mnemonic.MOV and insn.op1_kind == OpKind.REGISTER:
            parts = [_full(insn.op1_register)]
        elif mnemonic == Mnemonic.MOV and insn.op1_kind == OpKind.MEMORY and self._in_frame(insn):
            return self._points(n, _field(insn), known)
        else:
            return False
        ways = {self._points(n, part, known) for part in parts}
        return True if True in ways else None if None in ways else False

    def _reaching(self, at: int, register: _Place) -> list[int]:
        """The instructions that may have written a register before another one, ``_CALLER`` where
        it may still be what the function was called with, ``_HANDLER`` where a case begins."""
        seen, ahead, writers = {at}, [at], []
        while ahead and len(seen) < _STEPS:
            before = self._flow.before[last := ahead.pop()]
            if last == 0 or not before:
                writers.append(_HANDLER if last else _CALLER)
            for n in before:
                if n not in seen:
                    seen.add(n)
                    if register in self._writes[n]:
                        writers += [n] if self._leaves(n, register) else []
                    else:
                        ahead.append(n)
        return writers

    def _writers_of(self, at: int, place: _Place) -> list[int]:
        """The same; all that write it where none is found behind the beginning of a handler: the
        way to there is not followed."""
        found = set(self._reaching(at, place))
        every = self._writers.get(place, []) if max(found, default=_HANDLER) < 0 else []
        return every if _HANDLER in found and every else sorted(found - {_HANDLER})

    @cached_property
    def _inside(self) -> frozenset[int]:
        return self._flow.handlers & self._flow.coming_back

    def _moved(self, n: int, registers: Sequence[int]) -> Counter[_Move]:
        """How handlers that come back move the place that registers hold at an instruction:
        the writes that reach it, through copies, sums, and fields that handlers write."""
        moves: Counter[_Move] = Counter()
        ahead = [(n, _full(r)) for r in registers]
        seen = set(ahead)
        steps = 0
        while ahead and steps < _MOVES:
            at, register = ahead.pop()
            for writer in self._writers_of(at, register):
                if writer == _CALLER:
                    continue
                steps += 1
                found, more = self._move(writer)
                if writer in self._inside:
                    moves.update(found)
                ahead += [w for w in more if w not in seen]
                seen.update(more)
        return moves

    def _move(self, n: int) -> tuple[list[_Move], list[tuple[int, int]]]:
        """What an instruction does to the place in the register that it writes, and the registers
        that this depends on."""
        insn, mnemonic = self._decoded[n], self._decoded[n].mnemonic
        if insn.flow_control in (FlowControl.CALL, FlowControl.INDIRECT_CALL):
            return [], []
        if mnemonic == Mnemonic.LEA:
            if insn.is_ip_rel_memory_operand:
                return [], []
            parts = [r for r in (insn.memory_base, insn.memory_index) if r != Register.NONE]
            return ["step" if len(parts) == 1 else "jump"], [(n, _full(r)) for r in parts]
        operands = range(insn.op_count)
        parts = [insn.op_register(k) for k in operands if insn.op_kind(k) == OpKind.REGISTER]
        if mnemonic in _SUMS:
            return [self._sum(insn)], [(n, _full(r)) for r in parts]
        if mnemonic not in _COPIES:
            return ([] if mnemonic in (Mnemonic.POP, Mnemonic.XOR) else ["jump"]), []
        if insn.op1_kind == OpKind.MEMORY:
            return self._loaded(n)
        return [], [(n, _full(r)) for r in parts[1:]]

    def _sum(self, insn: IcedInstruction) -> _Move:
        varies = insn.op_count == 2 and insn.op1_kind in (OpKind.REGISTER, OpKind.MEMORY)
        return "jump" if varies else "step"

    def _loaded(self, n: int) -> tuple[list[_Move], list[tuple[int, int]]]:
        """The same for a place that is loaded: from a field that handlers write, if any do."""
        load = self._decoded[n]
        if load.memory_index != Register.NONE:
            return ["jump"], []
        stores = [m for m in self._fields.get(_field(load), []) if m in self._inside]
        written = [(m, self._decoded[m]) for m in stores]
        sums = [self._sum(i) for _, i in written if i.mnemonic in _SUMS]
        copies = [(m, i) for m, i in written if i.mnemonic == Mnemonic.MOV]
        registers = [(m, i) for m, i in copies if i.op1_kind == OpKind.REGISTER]
        return sums, [(m, _full(i.op1_register)) for m, i in registers]

    @cached_property
    def _fields(self) -> dict[tuple[int, int], list[int]]:
        """The instructions that write each field, or place of the stack frame."""
        fields: dict[tuple[int, int], list[int]] = {}
        for n, insn in enumerate(self._decoded):
            stores = insn.mnemonic == Mnemonic.MOV or insn.mnemonic in _SUMS
            if stores and insn.op0_kind == OpKind.MEMORY and insn.memory_index == Register.NONE:
                fields.setdefault(_field(insn), []).append(n)
        return fields


def _field(insn: IcedInstruction) -> tuple[int, int]:
    if insn.is_ip_rel_memory_operand:
        return 0, insn.ip_rel_memory_address
    return _full(insn.memory_base), insn.memory_displacement
