"""The ways through a function that jumps by a table, and what comes back to its jumps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from whyfast.explain.disassembly import Instruction
from whyfast.explain.functions import Body
from whyfast.explain.jump_tables import JumpTable

#: Instructions before a jump among which a smaller table of the same function is named.
_NEAR = 8


class Flow:
    """The ways through a function, by the numbers of its instructions."""

    def __init__(self, body: Body, tables: Sequence[JumpTable]) -> None:
        self.body, self.tables = body, tables
        self.code: Sequence[Instruction] = body.instructions
        self.number = {i.address: n for n, i in enumerate(self.code)}

    @cached_property
    def dispatching(self) -> list[int]:
        """Its indirect jumps, without those through smaller tables."""
        jumps = [n for n, i in enumerate(self.code) if i.kind == "indirect jump"]
        return [n for n in jumps if self.code[n].use != "reads" and n not in self._nested]

    @cached_property
    def _nested(self) -> dict[int, JumpTable]:
        """The indirect jumps that a smaller table is named for just before, with that table."""
        others = {t.address: t for t in self.tables[1:] if t.address != self.tables[0].address}
        return {
            n: others[x.reference]
            for n, i in enumerate(self.code)
            if i.kind == "indirect jump" and i.use != "reads"
            for x in self.code[max(0, n - _NEAR) : n + 1]
            if x.reference in others
        }

    @cached_property
    def before(self) -> list[list[int]]:
        """For each instruction those after which it can run, the dispatching jumps aside."""
        before: list[list[int]] = [[] for _ in self.code]
        for n, i in enumerate(self.code):
            follows = i.kind not in ("direct jump", "indirect jump", "return")
            if (
                follows
                and n + 1 < len(self.code)
                and self.code[n + 1].address == i.address + i.size
            ):
                before[n + 1].append(n)
            if i.target is not None and i.kind in ("direct jump", "conditional jump"):
                to = self.number.get(i.target)
                if to is not None:
                    before[to].append(n)
        for n, table in self._nested.items():
            for target in table.targets & self.number.keys():
                before[self.number[target]].append(n)
        return before

    @cached_property
    def coming_back(self) -> frozenset[int]:
        """The instructions from which a dispatching jump can be reached."""
        seen, ahead = set(self.dispatching), list(self.dispatching)
        while ahead:
            for n in self.before[ahead.pop()]:
                if n not in seen:
                    seen.add(n)
                    ahead.append(n)
        return frozenset(seen)

    @cached_property
    def handlers(self) -> frozenset[int]:
        """The instructions that can run after a jump through the largest table."""
        after: list[list[int]] = [[] for _ in self.code]
        for n, sources in enumerate(self.before):
            for source in sources:
                after[source].append(n)
        starts = [self.number[t] for t in self.tables[0].targets if t in self.number]
        seen, ahead = set(starts), starts
        while ahead:
            for n in after[ahead.pop()]:
                if n not in seen:
                    seen.add(n)
                    ahead.append(n)
        return frozenset(seen)
