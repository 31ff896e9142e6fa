"""Chooses the stretches of the pinned form, ``subjects/ebpf-vm/stretches.inc``, for the tuning set.

    python -m bench.vm.stretches [--budget 8000] [--toolchain zig:clang-20]

Profiles every program of the tuning set, and no other, in the machine itself. Half of the budget
goes to pairs by how often they would be met in programs *like* these: each counts half by how often
it ran, half as if its two steps, given their kinds and how they share registers, had come together
by chance. The rest goes, one by one, to what saves most dispatches beyond the stretches chosen so
far; one that a single program wants is worth little.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from bench.vm.contenders import DRIVERS, compile_c
from bench.vm.profiles import Profile, Segment, pieces, read_profile, registers, writes
from bench.vm.programs import SUBJECT, programs
from whyfast.model.build import Toolchain
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import home
from whyfast.toolchain.registry import resolve

#: Handlers that a stretch is made into, by the number of registers that it writes.
HANDLERS = (1, 10, 90)
#: Part of the budget that is spent on pairs.
PAIRS = 0.5
#: Weight of what ran, against what could have by the kinds of its steps.
SEEN = 0.5
#: Of the program that gains most by a stretch this part does not count.
OWN = 0.8
#: What a stretch is worth that reads from memory what has just been written there.
WAITING = 0.7
#: No stretch is taken that saves a smaller part of all dispatches a handler.
LEAST = 1e-8
#: Bytes of memory that programs are profiled with; none needs more.
MEMORY = 16384
#: Files of the machine that are no part of the profiler, or that it includes.
WITHOUT = ("interp.c", "main.c", "options.c", "plugin.c")


def cost(stretch: Segment) -> int:
    """Handlers that it takes."""
    return HANDLERS[registers(stretch)]


def kind(step: str) -> str:
    """What follows a step depends on whether it loads, stores, goes elsewhere, or computes."""
    if step == "ja":
        return "goto"
    if step.startswith(("ldx", "fld")):
        return "load"
    if step.startswith(("stx", "fst")):
        return "store"
    return "arithmetic" if writes(step) else "test"


def likely_pairs(profiles: Sequence[Profile]) -> dict[Segment, float]:
    """How often each pair would be met, as parts of all instructions; programs count alike."""
    single: defaultdict[str, float] = defaultdict(float)
    seen: defaultdict[Segment, float] = defaultdict(float)
    together: defaultdict[tuple[str, str], defaultdict[tuple[str, ...], float]] = defaultdict(
        lambda: defaultdict(float)
    )
    for profile in profiles:
        for at, each in enumerate(profile.instructions):
            if each.step != "-":
                single[each.step] += each.count / profile.total
            pairs = profile.forms[at].get(2, ()) if each.through else ()
            for first, second in sorted(set(pairs)):
                weight = each.through / profile.total
                seen[first, second] += weight
                together[kind(first[0]), kind(second[0])][first[1:] + second[1:]] += weight
    found: defaultdict[Segment, float] = defaultdict(float)
    for (one, other), letters in together.items():
        for first_step, first_weight in of_kind(single, one).items():
            for second_step, second_weight in of_kind(single, other).items():
                for (a, b, c, d), weight in letters.items():
                    chance = (1 - SEEN) * weight * first_weight * second_weight
                    found[(first_step, a, b), (second_step, c, d)] += chance
    for pair, weight in seen.items():
        found[pair] += SEEN * weight
    return found


def of_kind(single: Mapping[str, float], wanted: str) -> dict[str, float]:
    """The steps of one kind, with their parts of it."""
    own = {step: weight for step, weight in single.items() if kind(step) == wanted}
    total = sum(own.values())
    return {step: weight / total for step, weight in own.items()}


def gains(profiles: Sequence[Profile], chosen: Collection[Segment]) -> dict[Segment, float]:
    """Part of all dispatches that each further stretch would save: it joins two handlers that
    follow each other now."""
    found: defaultdict[Segment, list[float]] = defaultdict(lambda: [0.0] * len(profiles))
    for number, profile in enumerate(profiles):
        cut = {piece.at: piece for piece in pieces(profile, chosen)}
        for piece in cut.values():
            behind = cut.get(piece.at + piece.length)
            if behind is None or piece.left <= 0:
                continue
            forms = profile.forms[piece.at].get(piece.length + behind.length, ())
            for place, form in enumerate(dict.fromkeys(forms)):
                if form not in chosen:
                    worth = 1.0 if place == 0 else WAITING
                    found[form][number] += piece.left / profile.total * worth
    return {form: sum(each) - OWN * max(each) for form, each in found.items()}


def choose(profiles: Sequence[Profile], budget: int) -> list[Segment]:
    """As many as cost the budget, in handlers, or one more."""
    chosen: dict[Segment, None] = {}
    spent = 0
    by_worth = sorted(
        likely_pairs(profiles).items(), key=lambda item: (-item[1] / cost(item[0]), item[0])
    )
    for pair, _ in by_worth:
        if spent + cost(pair) > PAIRS * budget:
            break
        chosen[pair] = None
        spent += cost(pair)
    while spent < budget:
        worth = [(gain / cost(form), form) for form, gain in gains(profiles, chosen).items()]
        best, form = max(worth, default=(0.0, ()))
        if best <= LEAST:
            break
        chosen[form] = None
        spent += cost(form)
    return list(chosen)


def as_text(chosen: Iterable[Segment]) -> str:
    """Shorter ones first, in alphabetical order."""
    lines = []
    for stretch in sorted(chosen, key=lambda each: (len(each), each)):
        words = ", ".join(", ".join(step) for step in stretch)
        lines.append(f"STRETCH({len(stretch)}, {registers(stretch)}, {words})\n")
    return "".join(lines)


def profile_all(toolchain: Toolchain) -> list[Profile]:
    """UserError where the profiler cannot be built, or a program fails."""
    sources = [str(path) for path in sorted(SUBJECT.glob("*.c")) if path.name not in WITHOUT]
    options = ["-DVM_DISPATCH_PINNED", "-DVM_NO_STRETCHES", f"-I{SUBJECT}"]
    found = []
    with tempfile.TemporaryDirectory() as temporary:
        profiler = compile_c(
            toolchain, Path(temporary) / "profile", *options, str(DRIVERS / "profile.c"), *sources
        )
        for program in programs("tuning"):
            words = [str(profiler), str(program.bytecode), str(MEMORY)]
            process = subprocess.run(words, capture_output=True, text=True, check=False)
            if process.returncode != 0:
                raise UserError(f"{program.name}: {process.stderr.strip() or 'it fails'}")
            found.append(read_profile(process.stdout))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the file; 2 with one line on stderr when nothing can be profiled."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.vm.stretches",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--budget", type=int, default=8000, help="handlers; default 8000")
    parser.add_argument("--toolchain", default="zig:clang-20", help="default zig:clang-20")
    args = parser.parse_args(argv)
    try:
        profiles = profile_all(resolve(args.toolchain, home(), print))
    except (UserError, CannotBuildHere) as error:
        print(f"bench.vm.stretches: {error}", file=sys.stderr)
        return 2
    chosen = choose(profiles, args.budget)
    (SUBJECT / "stretches.inc").write_text(as_text(chosen))
    print(f"{len(chosen)} stretches, {sum(map(cost, chosen))} handlers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
