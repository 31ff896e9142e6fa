"""What programs execute, instruction by instruction, and how the machine cuts it into stretches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

#: The longest stretch.
LONGEST = 4
#: Registers that a handler may be made for; more would be a handler for each triple.
MOST_REGISTERS = 2
#: What reading a register costs that was just written to memory, in dispatches.
WAIT = 0.4

#: A step with the letters of its operands: A and B are registers that the stretch writes, P the one
#: that was written last before it, X any register or constant.
LetteredStep = tuple[str, str, str]
Segment = tuple[LetteredStep, ...]


@dataclass(frozen=True)
class Executed:
    """One instruction: its step (``-``: none), the slots of its operands, the register written last
    before it; whether nothing follows it; how often it ran, and ran into the one behind it."""

    step: str
    left: int
    right: int
    recent: int
    ends: bool
    count: int
    through: int


@dataclass(frozen=True)
class Profile:
    """``total`` is the sum of all counts. ``forms[at][length]`` is the stretch that could begin
    there in two ways: with the letter P, and without."""

    instructions: tuple[Executed, ...]
    total: int
    forms: tuple[dict[int, tuple[Segment, Segment]], ...]


def writes(step: str) -> bool:
    """Whether the step writes the register on its left."""
    return not step.startswith(("stx", "fst", "j"))


def registers(stretch: Segment) -> int:
    """Of how many registers there is a handler each: how many it writes."""
    return len({left for step, left, _ in stretch if writes(step)})


def lettered(segment: tuple[Executed, ...], with_recent: bool) -> Segment | None:
    """The stretch that these instructions are; None where they are none.

    Only the last may end a straight line, and no more than :data:`MOST_REGISTERS` are written.
    """
    letters: dict[int, str] = {}
    recent = segment[0].recent
    stretch: list[LetteredStep] = []

    def place(slot: int) -> str:
        return letters.get(slot, "P" if with_recent and slot == recent else "X")

    for number, each in enumerate(segment):
        if each.step == "-" or (each.ends and number < len(segment) - 1):
            return None
        if each.step == "ja":
            stretch.append(("ja", "X", "X"))
        elif writes(each.step):
            if each.left not in letters and len(letters) == MOST_REGISTERS:
                return None
            right = place(each.right) if each.right != each.left else None
            left = letters.setdefault(each.left, "AB"[len(letters) % MOST_REGISTERS])
            stretch.append((each.step, left, right or left))
        else:
            stretch.append((each.step, place(each.left), place(each.right)))
    return tuple(stretch)


def read_profile(text: str) -> Profile:
    """From the lines of ``drivers/profile.c``."""
    found = []
    for line in text.splitlines():
        step, left, right, recent, ends, count, through = line.split()
        found.append(
            Executed(
                step, int(left), int(right), int(recent), ends == "1", int(count), int(through)
            )
        )
    instructions = tuple(found)
    return Profile(
        instructions,
        sum(each.count for each in instructions),
        tuple(forms_at(instructions, at) for at in range(len(instructions))),
    )


def forms_at(instructions: tuple[Executed, ...], at: int) -> dict[int, tuple[Segment, Segment]]:
    """By length; a longer one begins with a shorter one, so the first that is none is the last."""
    forms = {}
    for length in range(2, min(LONGEST, len(instructions) - at) + 1):
        segment = instructions[at : at + length]
        recent, plain = lettered(segment, True), lettered(segment, False)
        if recent is None or plain is None:
            break
        forms[length] = (recent, plain)
    return forms


class Piece(NamedTuple):
    """What one handler executes: ``entered`` so often, and ``left`` behind its end."""

    at: int
    length: int
    entered: float
    left: float


def lengths(profile: Profile, chosen: Collection[Segment]) -> list[int]:
    """How long a piece each instruction begins, as ``vm_choose_handlers`` has it: from the end,
    what costs least to the end of the straight line."""
    count = len(profile.instructions)
    costs = [0.0] * (count + 1)
    found = [1] * count
    for at in reversed(range(count)):
        first = profile.instructions[at]
        costs[at] = 1 + (0 if first.ends else costs[at + 1])
        if first.right == first.recent and first.step != "-":
            costs[at] += WAIT
        for length, (recent, plain) in profile.forms[at].items():
            if recent not in chosen and plain not in chosen:
                continue
            total = 1 if recent in chosen else 1 + WAIT
            if not profile.instructions[at + length - 1].ends:
                total += costs[at + length]
            if total <= costs[at]:
                costs[at], found[at] = total, length
    return found


def pieces(profile: Profile, chosen: Collection[Segment]) -> list[Piece]:
    """The pieces that are got to, where those inside others may be jumped to as well."""
    sizes = lengths(profile, chosen)
    flow = [0.0] * (len(sizes) + 1)
    found = []
    for at, each in enumerate(profile.instructions):
        flow[at] += each.count - (profile.instructions[at - 1].through if at else 0)
        if flow[at] <= 1e-9:
            continue
        left = flow[at]
        for inside in profile.instructions[at : at + sizes[at]]:
            left *= inside.through / inside.count if inside.count else 0
        found.append(Piece(at, sizes[at], flow[at], left))
        flow[at + sizes[at]] += left
    return found
