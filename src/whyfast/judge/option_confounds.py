"""Compiler options that fall on one side of a comparison, or harder on one style of dispatch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from whyfast.model.build import Build
from whyfast.model.evidence import Evidence, OptionTrace
from whyfast.model.study import Question
from whyfast.model.variant import Variant, differences
from whyfast.model.verdict import Confound


@dataclass(frozen=True)
class OptionCost:
    """``on`` and ``off`` are patterns of the spellings that switch it on and off, ``shows`` says
    what it leaves in the code of a handler, ``why`` on whom that falls. ``everywhere``: a loop pays
    with each instruction that it executes, too."""

    option: str
    on: str
    off: str
    shows: str
    why: str
    everywhere: bool = False

    def is_set_by(self, flag: str) -> bool:
        """Whether that flag switches it on or off."""
        return bool(re.fullmatch(f"{self.on}|{self.off}", flag))


_EACH = "a tail-call interpreter {} with every instruction that it executes, a loop once a call"
_LEAVES, _ENTERS = _EACH.format("leaves a function"), _EACH.format("enters a function")

#: In the order of reports. Sources: the manuals of GCC and Clang; for the first two the measured
#: cost in CPython's issues 130961 and 154124.
COSTS = (
    OptionCost(
        "-fzero-call-used-regs",
        r"-fzero-call-used-regs=(?!skip$).+",
        r"-fzero-call-used-regs=skip",
        "clear registers before they are left",
        f"it clears registers at each exit of a function, and {_LEAVES}",
    ),
    OptionCost(
        "-fno-omit-frame-pointer",
        r"-fno-omit-frame-pointer|-mno-omit-leaf-frame-pointer",
        r"-fomit-frame-pointer",
        "set up a frame pointer",
        "it adds a prologue and an epilogue to each function and takes a register, and " + _ENTERS,
    ),
    OptionCost(
        "-fstack-protector",
        r"-fstack-protector(-strong|-all|-explicit)?",
        r"-fno-stack-protector",
        "check a canary",
        "it writes and checks a canary in each function with an array or a variable whose address "
        f"is taken, and {_ENTERS}",
    ),
    OptionCost(
        "-fcf-protection",
        r"-fcf-protection(=(full|branch))?|-mbranch-protection=(?!none$).+",
        r"-fcf-protection=(none|return)|-mbranch-protection=none",
        "mark where indirect jumps may land or sign the return address",
        "it begins each place that an indirect jump can reach with a marker: every handler of tail "
        "calls and of computed gotos, but not the cases of a switch",
        everywhere=True,
    ),
    OptionCost(
        "-fstack-clash-protection",
        r"-fstack-clash-protection",
        r"-fno-stack-clash-protection",
        "probe the stack page by page",
        "it touches every page of a large stack frame: a loop has one large frame, handlers that "
        "are functions have small ones",
    ),
    OptionCost(
        "-fno-plt",
        r"-fno-plt",
        r"-fplt",
        "call other libraries through a pointer",
        "it turns calls of other libraries into indirect calls, in every style of dispatch",
        everywhere=True,
    ),
    OptionCost(
        "-mindirect-branch=thunk",
        r"-mindirect-branch=(thunk.*)|-mretpoline",
        r"-mindirect-branch=keep|-mno-retpoline",
        "jump through a retpoline",
        "it sends each indirect jump through a helper that defeats its prediction; replicated "
        "dispatch has nothing left to gain",
        everywhere=True,
    ),
    OptionCost(
        "-pg",
        r"-pg|-mfentry|-finstrument-functions",
        r"-fno-instrument-functions",
        "call a profiler",
        f"it calls a profiler from each function, and {_ENTERS}",
    ),
    OptionCost(
        "-fsanitize",
        r"-fsanitize(-coverage)?=.+",
        r"-fno-sanitize=all",
        "call a sanitizer",
        "it adds checks to the code of both styles, and not in the same places",
        everywhere=True,
    ),
    OptionCost(
        "-fprofile-generate",
        r"-fprofile-(instr-)?generate(=.+)?|-fprofile-arcs|--coverage",
        r"-fno-profile-(instr-)?generate|-fno-profile-arcs",
        "count for a profile",
        "it counts in memory at each branch and function",
        everywhere=True,
    ),
)


def switched_on(flags: Iterable[str]) -> dict[str, str]:
    """The options of :data:`COSTS` that a command line leaves on, with their spelling. The last
    word on an option wins, as for compilers."""
    options: dict[str, str] = {}
    for flag in flags:
        for cost in COSTS:
            if re.fullmatch(cost.off, flag):
                options.pop(cost.option, None)
            elif re.fullmatch(cost.on, flag):
                options[cost.option] = flag
    return options


_FLAG = re.compile(r"(?<![\w-])(-(?:f|m|p)[\w=,+-]+|--coverage)")


@dataclass(frozen=True)
class _Sign:
    """An option that is on: ``spelling`` by its record or commands, ``trace`` in its code."""

    spelling: str
    trace: OptionTrace | None

    def costs(self, cost: OptionCost) -> bool:
        """Whether the build pays for it with each instruction that it interprets."""
        trace = self.trace
        return trace is not None and trace.handlers > 0 and (trace.of > 1 or cost.everywhere)


def option_confounds(
    study: Question, builds: Sequence[Build], evidence: Sequence[Evidence]
) -> Iterator[Confound]:
    """One for each option that some of ``builds`` have and others have not, unless it is all that
    the study varies between them; and one for each that all have while they dispatch differently.
    Options are read from the commands and variables of a build, from what the compiler recorded,
    and from the code of the dispatching functions."""
    facts = {e.variant: e for e in evidence}
    variants = {v.name: v for v in study.variants}
    signs = {
        b.variant: _signs(b.provenance, facts.get(b.variant))
        for b in builds
        if b.variant in variants and not variants[b.variant].control_of
    }
    styles = {name: e.dispatch.style for name, e in facts.items() if e.dispatch}
    asked = study.compared(list(variants), study.baselines)
    for cost in COSTS:
        on = {name: known[cost.option] for name, known in signs.items() if cost.option in known}
        off = [name for name in signs if name not in on]
        costly = any(sign.costs(cost) for sign in on.values())
        if on and off:
            pairs = [(a, b) for a in on for b in off if (a, b) in asked or (b, a) in asked]
            apart = study.along and not pairs
            in_question = pairs and all(
                _differ_only_by(cost, variants[a], variants[b]) for a, b in pairs
            )
            if not apart and not in_question:
                text = (
                    f"`{cost.option}` is on in {_list(on)} ({_shown(cost, on)}) and off in "
                    f"{_list(off)}; {cost.why}"
                )
                severity: Literal["warning", "note"] = "warning" if costly else "note"
                yield Confound("compiler-option", text, severity, (*on, *off))
        elif costly and {"loop", "tail-call"} <= {styles.get(name) for name in on}:
            tail = {name: sign for name, sign in on.items() if styles.get(name) == "tail-call"}
            text = f"`{cost.option}` is on in all variants ({_shown(cost, tail)}); {cost.why}"
            yield Confound("compiler-option", text, "warning", tuple(on))


def _signs(provenance: Mapping[str, Any], evidence: Evidence | None) -> dict[str, _Sign]:
    """The options that are on in a build, whoever switched them on."""
    inputs = provenance.get("inputs", {})
    env = provenance.get("env", inputs.get("env", {}))
    texts = [
        *inputs.get("cc_flags", ()),
        *(env[k] for k in ("CPPFLAGS", "CFLAGS", "CXXFLAGS") if k in env),
        *inputs.get("configure", ()),
        *inputs.get("cflags", ()),
    ]
    spellings = switched_on(flag for text in texts for flag in _FLAG.findall(str(text)))
    traces = {t.option: t for t in (evidence.options or ())} if evidence else {}
    signs = {}
    for cost in COSTS:
        trace = traces.get(cost.option)
        spelling = (trace.recorded if trace else "") or spellings.get(cost.option, "")
        if spelling or (trace and trace.handlers):
            signs[cost.option] = _Sign(spelling, trace)
    return signs


def _differ_only_by(cost: OptionCost, a: Variant, b: Variant) -> bool:
    """In flags of the compiler, which the linker may be given too."""
    by_aspect = {d.aspect: d for d in differences(a, b)}
    return "cflags" in by_aspect and all(
        aspect in ("cflags", "ldflags") and not d.reordered and all(map(cost.is_set_by, d.words))
        for aspect, d in by_aspect.items()
    )


def _shown(cost: OptionCost, signs: Mapping[str, _Sign]) -> str:
    """ "220 of 228 handlers of tc clear registers before they are left", or by what else."""
    traces = {name: s.trace for name, s in signs.items() if s.trace and s.trace.handlers}
    if traces:
        return "; ".join(
            f"seen in the dispatching function of {name}"
            if trace.of == 1
            else f"{trace.handlers} of {trace.of} handlers of {name} {cost.shows}"
            for name, trace in traces.items()
        )
    spellings = dict.fromkeys(f"`{sign.spelling}`" for sign in signs.values())
    return f"given as {_list(spellings)}, no trace in the dispatching code"


def _list(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
