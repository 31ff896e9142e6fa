"""Compiler options that fall on one side of a comparison, or harder on one style of dispatch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whyfast.model.build import Build
from whyfast.model.evidence import Evidence, OptionTrace
from whyfast.model.study import Question
from whyfast.model.variant import Variant, differences
from whyfast.model.verdict import Confound


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
    options: dict[str, str] = {}
    for flag in flags:
        for cost in COSTS:
            if cost.off.fullmatch(flag):
                options.pop(cost.option, None)
            elif cost.on.fullmatch(flag):
                options[cost.option] = flag
    return options


_FLAG = re.compile(r"(?<![\w-])(-(?:f|m|p)[\w=,+-]+|--coverage)")


@dataclass(frozen=True)
class _Sign:
    """That an option is on in a build: ``spelling`` by its record or its commands, ``trace`` in its
    code."""

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
    and from the code of the dispatching functions.
    """
    facts = {e.variant: e for e in evidence}
    variants = {v.name: v for v in study.variants}
    compared = [b for b in builds if b.variant in variants and not variants[b.variant].twin_of]
    signs = {b.variant: _signs(b.provenance, facts.get(b.variant)) for b in compared}
    for cost in COSTS:
        on = {
            name: options[cost.option] for name, options in signs.items() if cost.option in options
        }
        off = [name for name in signs if name not in on]
        if on and off:
            apart = study.along and not _compared(on, off, study)
            if not apart and not _is_the_question(cost, on, off, study, variants):
                yield _one_sided(cost, on, off, facts)
        elif on and _styles_differ(on, facts) and any(s.costs(cost) for s in on.values()):
            yield _on_all(cost, on, facts)


def _signs(provenance: Mapping[str, Any], evidence: Evidence | None) -> dict[str, _Sign]:
    """The options that are on in a build, whether the study, the toolchain or the program's own
    build system switched them on."""
    spellings = switched_on(_flags(provenance))
    traces = {t.option: t for t in (evidence.options or ())} if evidence else {}
    signs = {}
    for cost in COSTS:
        trace = traces.get(cost.option)
        spelling = (trace.recorded if trace else "") or spellings.get(cost.option, "")
        if spelling or (trace and trace.handlers):
            signs[cost.option] = _Sign(spelling, trace)
    return signs


def _flags(provenance: Mapping[str, Any]) -> list[str]:
    """All options of the compiler in the commands and variables of a build, in their order."""
    inputs = provenance.get("inputs", {})
    env = provenance.get("env", inputs.get("env", {}))
    texts = [
        *(str(outcome) for outcome in inputs.get("cc_flags", ())),
        *(str(env[k]) for k in ("CPPFLAGS", "CFLAGS", "CXXFLAGS") if k in env),
        *(str(outcome) for outcome in inputs.get("configure", ())),
        *(str(outcome) for outcome in inputs.get("cflags", ())),
    ]
    return [flag for text in texts for flag in _FLAG.findall(text)]


def _is_the_question(
    cost: OptionCost,
    on: Mapping[str, _Sign],
    off: Sequence[str],
    study: Question,
    variants: Mapping[str, Variant],
) -> bool:
    """Whether every pair that the option tells apart is one that the study tells apart by it."""
    pairs = _compared(on, off, study)
    return bool(pairs) and all(_differ_only_by(cost, variants[a], variants[b]) for a, b in pairs)


def _compared(on: Iterable[str], off: Sequence[str], study: Question) -> list[tuple[str, str]]:
    """The pairs of one with the option and one without that the study compares."""
    names = [v.name for v in study.variants]
    asked = study.compared(names, study.baselines)
    return [(a, b) for a in on for b in off if (a, b) in asked or (b, a) in asked]


def _differ_only_by(cost: OptionCost, a: Variant, b: Variant) -> bool:
    """In flags of the compiler, which the linker may be given too."""
    by_aspect = {d.aspect: d for d in differences(a, b)}
    return "cflags" in by_aspect and all(
        aspect in ("cflags", "ldflags") and not d.reordered and all(map(cost.is_said_by, d.words))
        for aspect, d in by_aspect.items()
    )


def _styles_differ(names: Mapping[str, _Sign], facts: Mapping[str, Evidence]) -> bool:
    styles = {d.style for n in names if n in facts and (d := facts[n].dispatch)}
    return {"loop", "tail-call"} <= styles


def _one_sided(
    cost: OptionCost,
    on: Mapping[str, _Sign],
    off: Sequence[str],
    facts: Mapping[str, Evidence],
) -> Confound:
    text = (
        f"`{cost.option}` is on in {_list(on)} ({_shown(cost, on)}) and off in {_list(off)}; "
        f"{cost.why}"
    )
    heavy = any(sign.costs(cost) for sign in on.values())
    return Confound("compiler-option", text, "warning" if heavy else "note", (*on, *off))


def _on_all(cost: OptionCost, on: Mapping[str, _Sign], facts: Mapping[str, Evidence]) -> Confound:
    tail = {
        name: sign
        for name, sign in on.items()
        if (d := facts[name].dispatch if name in facts else None) and d.style == "tail-call"
    }
    text = f"`{cost.option}` is on in all variants ({_shown(cost, tail or on)}); {cost.why}"
    return Confound("compiler-option", text, "warning", tuple(on))


def _shown(cost: OptionCost, signs: Mapping[str, _Sign]) -> str:
    """ "220 of 228 handlers of tc clear registers before they are left", or by what else."""
    parts = []
    for name, sign in signs.items():
        if sign.trace is not None and sign.trace.handlers:
            number, handlers = sign.trace.handlers, sign.trace.of
            if handlers == 1:
                parts.append(f"seen in the dispatching function of {name}")
            else:
                parts.append(f"{number} of {handlers} handlers of {name} {cost.shows}")
    if parts:
        return "; ".join(parts)
    spellings = dict.fromkeys(sign.spelling for sign in signs.values())
    return f"given as {_list(f'`{s}`' for s in spellings)}, no trace in the dispatching code"


def _list(names: Any) -> str:
    items = list(names)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
