"""Finding the loop of an interpreter by its shape, in programs with and without symbols.

A *loop* fetches the next instruction of another program through a pointer that it moves forward,
jumps by it through a table, and its handlers come back to fetch the next one. Other functions with
large jump tables lack one of these: a ``switch`` that is called once never comes back; a decoder or
a parser of options dispatches on what a call returned; a generated parser or lexer on a constant
table; a state machine on a field that stays where it is; a parser of text on characters. What
prints instructions names a text in most cases; what walks over records computes little. Many cases
that compute in many ways interpret even a number from a field; some emulators execute only one
instruction a call, and a loop elsewhere calls them.

Programs have jumps, so handlers move the place that is fetched from by data, too. Where hardly any
does, and few cases come back to few jumps, it is not certain that something is interpreted.

Registers are followed backwards from the jumps, which is done for x86-64; for AArch64 only tables
and ways back are looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from whyfast.explain.fetching import CONSTANT_DATA, Origin, Trace
from whyfast.explain.flow import Flow
from whyfast.explain.functions import Body, Program
from whyfast.explain.jump_tables import JumpTable

#: A smaller table is one of any switch; with few jumps, and where it is not known where these have
#: their number from, it takes more to tell.
MIN_OPCODES, LARGE, LARGER = 14, 24, 36
#: A ``switch`` on characters has one way for most of them, and not very many others.
_FEW, _DEFAULT, _MANY = 3, 0.5, 48
#: A loop over an array or a list, or over a text, does not tell so many kinds of things apart, nor
#: do its cases compute in so many ways.
_KINDS, VARIOUS = 64, 5
#: What executes one instruction a call has most opcodes of a byte, which compute in more ways than
#: cases of printers, assemblers and scanners of the programs that the rules were made with.
_STEP, _STEP_KINDS = 200, 8
#: With fewer handlers that jump, and fewer opcodes, a loop with few jumps is doubtful.
_HANDLERS, _OPCODES = 2, 100
#: Jumps of one function that are followed backwards.
_FOLLOWED = 24
#: Instructions of a case in which a text for a call is named.
_BEGINNING = 16


@dataclass(frozen=True)
class LoopShape:
    """What a function with a jump table does.

    ``returning`` of its ``targets`` come back to one of its ``jumps``; ``origins`` counts where
    these have their number from. ``commonest`` is the share of the table's entries that lead to
    the same place. ``printing`` cases name a text before they call or jump. ``kinds`` of arithmetic
    are done by the cases, of which ``steering`` move the place of the next number by data.
    ``repeated``: a loop of the program calls the function. ``threaded``: its jumps go to addresses
    that the program stores, not through the table, by which these are found once.
    """

    targets: int
    returning: int
    jumps: int
    origins: tuple[tuple[Origin, int], ...]
    commonest: float = 0.0
    printing: int = 0
    kinds: int = VARIOUS
    steering: int = _HANDLERS
    repeated: bool = False
    threaded: bool = False

    @property
    def steps(self) -> bool:
        """Whether each call of the function executes one instruction."""
        return self.repeated and self.targets >= _STEP and self.kinds >= _STEP_KINDS

    @property
    def origin(self) -> Origin:
        """The most frequent one that is known."""
        return next((o for o, _ in self.origins if o != "unknown"), "unknown")

    @property
    def interprets(self) -> bool:
        """Whether this is certainly the shape of an interpreter's loop."""
        return not self.against

    @property
    def doubt(self) -> str:
        """Why what has the shape of an interpreter's loop may be none; empty for what is certain,
        or certainly none."""
        few = self.jumps <= _FEW and self.targets < _OPCODES
        hardly = few and self.steering < _HANDLERS
        return "hardly any case jumps" if hardly and not self.why_not else ""

    @property
    def against(self) -> str:
        """What speaks against an interpreter's loop, if anything does."""
        return self.doubt or self.why_not

    @property
    def likely(self) -> bool:
        """Whether it may be one in spite of what speaks against it."""
        many = 2 * self.returning >= self.targets >= LARGER and self.kinds >= VARIOUS
        return bool(self.doubt) or (many and bool(self.why_not))

    @property
    def why_not(self) -> str:
        """What an interpreter's loop does otherwise; empty for one."""
        if self.threaded and 2 * self.jumps >= self.targets:
            return ""
        if 2 * self.returning < self.targets and not self.steps:
            return "its cases do not come back"
        various = self.kinds >= VARIOUS
        sure = various and self.targets >= _KINDS and self.origin != "constant table"
        if self.origin in _NOT_FETCHED and not sure:
            return _NOT_FETCHED[self.origin]
        if 3 * self.printing >= 2 * self.targets:
            return "its cases name texts"
        if self.jumps <= _FEW and self.commonest > _DEFAULT and self.targets < _MANY:
            return "most values lead to one case"
        least = MIN_OPCODES
        if self.jumps <= _FEW:
            fetched, other = (LARGE, LARGER) if various else (_MANY, _KINDS)
            least = fetched if self.origin == "fetched" else other
        return "a small table" if self.targets < least else ""


_NOT_FETCHED: dict[Origin, str] = {
    "fixed place": "a state machine",
    "constant table": "a generated parser",
    "call": "on what a call returned",
    "characters": "on characters",
}


def loop_shape(program: Program, body: Body, tables: Sequence[JumpTable]) -> LoopShape:
    """The shape of a function that jumps through ``tables``, the largest first."""
    flow = Flow(body, tables)
    targets = tables[0].targets
    returning = sum(flow.number[t] in flow.coming_back for t in targets if t in flow.number)
    origins: Counter[Origin] = Counter()
    jumps, kinds, steering = flow.dispatching, VARIOUS, _HANDLERS
    if program.architecture == "x86-64":
        trace = Trace(program, flow)
        jumps = [n for n in jumps if not trace.by_another(n)] or jumps
        for jump in _sample(jumps):
            origins[trace.origin(jump)] += 1
        steering = trace.steering
        kinds = trace.kinds(sorted(flow.number[t] for t in targets if t in flow.number))
    return LoopShape(
        targets=len(targets),
        returning=returning,
        jumps=len(jumps),
        origins=tuple(origins.most_common()),
        commonest=tables[0].commonest,
        printing=sum(_names_text(program, flow, t) for t in targets),
        kinds=kinds,
        steering=steering,
        repeated=len(targets) >= _STEP > 2 * returning and _in_a_loop(program, body),
    )


def _in_a_loop(program: Program, body: Body) -> bool:
    """Whether a function calls this one between a place and a jump back to there; x86-64 only."""
    for site in _calls(program, body.pieces[0].address):
        caller = program.function_at(site)
        if caller is not None and any(
            i.kind in ("direct jump", "conditional jump")
            and i.target is not None
            and caller.address <= i.target <= site < i.address
            for i in program.instructions(caller)
        ):
            return True
    return False


def _calls(program: Program, address: int) -> Iterator[int]:
    """Where the bytes of a direct call of an address stand: E8 and the distance from behind it."""
    for region in program.image.regions:
        if region.executable and len(region.data) > 4:
            code = np.frombuffer(bytes(region.data), dtype=np.uint8)
            distances = np.ndarray(len(code) - 4, "<i4", code.data, 1, (1,))
            at = np.flatnonzero(code[:-4] == 0xE8)
            hits = at[distances[at] + (at + region.start + 5) == address]
            yield from (region.start + int(n) for n in hits)


def _names_text(program: Program, flow: Flow, target: int) -> bool:
    """Whether a case names a text of its own before it calls or jumps."""
    start = flow.number.get(target)
    if start is None:
        return False
    for i in flow.code[start : start + _BEGINNING]:
        if i.use == "forms" and i.reference is not None and _is_text(program, i.reference):
            return True
        if i.kind not in ("other", "conditional jump"):
            return False
    return False


def _is_text(program: Program, address: int) -> bool:
    """Whether printable text stands in constant data."""
    region = program.image.region(address)
    if region is None or not any(name in region.name for name in CONSTANT_DATA):
        return False
    text = program.image.read(address, 64).split(b"\0")[0]
    return len(text) >= 2 and all(0x20 <= c < 0x7F or c in b"\t\n" for c in text)


def _sample(jumps: Sequence[int]) -> Sequence[int]:
    step = max(1, len(jumps) // _FOLLOWED)
    return jumps[::step][:_FOLLOWED]
