"""Compiler options that cost interpreters of different style differently, and how to spot them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class OptionCost:
    """``on`` and ``off`` match the spellings that switch it on and off, ``shows`` says what it
    leaves in the code of a handler, ``why`` on whom that falls. ``everywhere``: a loop pays with
    each instruction that it executes, too."""

    option: str
    on: re.Pattern[str]
    off: re.Pattern[str]
    shows: str
    why: str
    everywhere: bool = False

    def is_said_by(self, flag: str) -> bool:
        """Whether that flag switches it on or off."""
        return bool(self.on.fullmatch(flag) or self.off.fullmatch(flag))


_EACH = "a tail-call interpreter {does} with every instruction that it executes, a loop once a call"


def _cost(
    option: str, on: str, off: str, shows: str, why: str, everywhere: bool = False
) -> OptionCost:
    return OptionCost(option, re.compile(on), re.compile(off), shows, why, everywhere)


#: In the order of reports. Sources: the manuals of GCC and Clang; for the first two the measured
#: cost in CPython's issues 130961 and 154124.
COSTS = (
    _cost(
        "-fzero-call-used-regs",
        r"-fzero-call-used-regs=(?!skip$).+",
        r"-fzero-call-used-regs=skip",
        "clear registers before they are left",
        "it clears registers at each exit of a function, and "
        + _EACH.format(does="leaves a function"),
    ),
    _cost(
        "-fno-omit-frame-pointer",
        r"-fno-omit-frame-pointer|-mno-omit-leaf-frame-pointer",
        r"-fomit-frame-pointer",
        "set up a frame pointer",
        "it adds a prologue and an epilogue to each function and takes a register, and "
        + _EACH.format(does="enters a function"),
    ),
    _cost(
        "-fstack-protector",
        r"-fstack-protector(-strong|-all|-explicit)?",
        r"-fno-stack-protector",
        "check a canary",
        "it writes and checks a canary in each function with an array or a variable whose address "
        "is taken, and " + _EACH.format(does="enters a function"),
    ),
    _cost(
        "-fcf-protection",
        r"-fcf-protection(=(full|branch))?|-mbranch-protection=(?!none$).+",
        r"-fcf-protection=(none|return)|-mbranch-protection=none",
        "mark where indirect jumps may land or sign the return address",
        "it begins each place that an indirect jump can reach with a marker: every handler of tail "
        "calls and of computed gotos, but not the cases of a switch",
        everywhere=True,
    ),
    _cost(
        "-fstack-clash-protection",
        r"-fstack-clash-protection",
        r"-fno-stack-clash-protection",
        "probe the stack page by page",
        "it touches every page of a large stack frame: a loop has one large frame, handlers that "
        "are functions have small ones",
    ),
    _cost(
        "-fno-plt",
        r"-fno-plt",
        r"-fplt",
        "call other libraries through a pointer",
        "it turns calls of other libraries into indirect calls, in every style of dispatch",
        everywhere=True,
    ),
    _cost(
        "-mindirect-branch=thunk",
        r"-mindirect-branch=(thunk.*)|-mretpoline",
        r"-mindirect-branch=keep|-mno-retpoline",
        "jump through a retpoline",
        "it sends each indirect jump through a helper that defeats its prediction; replicated "
        "dispatch has nothing left to gain",
        everywhere=True,
    ),
    _cost(
        "-pg",
        r"-pg|-mfentry|-finstrument-functions",
        r"-fno-instrument-functions",
        "call a profiler",
        "it calls a profiler from each function, and " + _EACH.format(does="enters a function"),
    ),
    _cost(
        "-fsanitize",
        r"-fsanitize(-coverage)?=.+",
        r"-fno-sanitize=all",
        "call a sanitizer",
        "it adds checks to the code of both styles, and not in the same places",
        everywhere=True,
    ),
    _cost(
        "-fprofile-generate",
        r"-fprofile-(instr-)?generate(=.+)?|-fprofile-arcs|--coverage",
        r"-fno-profile-(instr-)?generate|-fno-profile-arcs",
        "count for a profile",
        "it counts in memory at each branch and function",
        everywhere=True,
    ),
)


def switched_on(flags: Iterable[str]) -> dict[str, str]:
    """The options of :data:`COSTS` that a command line leaves on, with their spelling.

    The last word on an option wins, as for compilers.
    """
    found: dict[str, str] = {}
    for flag in flags:
        for cost in COSTS:
            if cost.off.fullmatch(flag):
                found.pop(cost.option, None)
            elif cost.on.fullmatch(flag):
                found[cost.option] = flag
    return found
