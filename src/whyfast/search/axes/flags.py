"""The flags in which two variants differ, as differences that can be mixed at will."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Literal, get_args

from whyfast.investigate.context import RunContext
from whyfast.model.build import Build
from whyfast.model.errors import UserError
from whyfast.model.study import BuildSpec, EvidenceSpec, Study
from whyfast.model.variant import Variant, differ_in, flag_units
from whyfast.search.axes import DifferenceSet
from whyfast.search.state import AxisCandidate
from whyfast.search.study_subject import build_alone, make_variant

#: The lists of words that are searched; everything else has to be the same at both ends.
Place = Literal["cflags", "ldflags", "configure"]
PLACES: tuple[Place, ...] = get_args(Place)

#: One flag with its value.
Unit = tuple[str, ...]


@dataclass(frozen=True)
class Slot:
    """A place among the words of a mixture: ``words`` of both ends, or of one of them.
    ``difference`` is its number, None for words of both. ``bad``: the words are those of the bad
    end, and part of a mixture that has the difference; else of one that has it not."""

    place: Place
    words: Unit
    difference: int | None = None
    bad: bool = False


@dataclass(frozen=True)
class FlagDifferences:
    """Titles of the differences, and the words of every mixture, in order."""

    titles: tuple[str, ...]
    slots: tuple[Slot, ...]

    def words(self, place: Place, mixed: frozenset[int]) -> tuple[str, ...]:
        """The words of one list with ``mixed`` from the bad end and all else from the good one."""
        return tuple(
            word
            for slot in self.slots
            if slot.place == place
            and (slot.difference is None or slot.bad == (slot.difference in mixed))
            for word in slot.words
        )

    def variant(self, good: Variant, mixed: frozenset[int]) -> Variant:
        """That mixture, without expectations of its program."""
        words: dict[str, Any] = {place: self.words(place, mixed) for place in PLACES}
        return replace(good, **words, expect={}, axes={})


def with_flags(variant: Variant, text: Sequence[str], name: str) -> Variant:
    """The variant with these compiler flags instead of its flags of the same kind."""
    given = flag_units(text)
    kinds = {kind(unit) for unit in given}
    kept = [u for u in flag_units(variant.cflags) if kind(u) not in kinds]
    return replace(variant, name=name, cflags=tuple(w for u in (*kept, *given) for w in u))


def find_differences(good: Variant, bad: Variant) -> FlagDifferences:
    """The flags in which two variants differ; two settings of one flag are one difference.
    UserError when they differ in more than flags, or in none."""
    if also := sorted(differ_in(good, bad) - {*PLACES, "keep", "packages"}):
        raise UserError(
            f"{good.name} and {bad.name} also differ in {', '.join(also)}; "
            "name two variants that differ only in cflags, ldflags or configure",
            where="--axis flags",
        )
    slots: list[Slot] = []
    numbers: dict[tuple[Place, str], int] = {}
    for place in PLACES:
        for unit, where in _aligned(_units(place, good), _units(place, bad)):
            key = (place, kind(unit))
            number = None if where == "both" else numbers.setdefault(key, len(numbers))
            slots.append(Slot(place, unit, number, where == "bad"))
    if not numbers:
        raise UserError(f"{good.name} and {bad.name} have the same flags", where="--bad")
    return FlagDifferences(_titles(slots, len(numbers)), tuple(slots))


def expanded(flags: FlagDifferences, good: Sequence[Unit], bad: Sequence[Unit]) -> FlagDifferences:
    """With the options that the compiler sets otherwise at the two ends, one difference each. An
    option that both ends set explicitly is not part of the level."""
    given = {kind(s.words) for s in flags.slots if s.place == "cflags"}
    slots, titles = list(flags.slots), list(flags.titles)
    by_kind = {kind(u): u for u in bad}
    for unit in good:
        other = by_kind.get(kind(unit))
        if other is None or other == unit or kind(unit) in given:
            continue
        slots += [
            Slot("cflags", unit, len(titles), False),
            Slot("cflags", other, len(titles), True),
        ]
        titles.append(_title([unit], [other]))
    return FlagDifferences(tuple(titles), tuple(slots))


def levels(flags: FlagDifferences) -> bool:
    """Whether the level of optimisation is among the differences."""
    changed = [s for s in flags.slots if s.difference is not None and s.place == "cflags"]
    return any(kind(s.words) == "-O" for s in changed)


def kind(unit: Unit) -> str:
    """Equal for flags of which the later one wins: ``-fx`` and ``-fno-x``, ``-O2`` and ``-O3``."""
    name, sign, _ = unit[-1].partition("=")
    last = name + sign
    if len(unit) > 1 and unit[0] not in ("-mllvm", "-Xclang", "--param"):
        return " ".join(unit)
    if re.fullmatch(r"-O(|[0-9sgz]|fast)", last):
        return "-O"
    last = re.sub(r"^-([fmW])no-", r"-\1", last)
    if unit[-1].startswith(("--param=", "-D", "-Wl,")):  # a name of its own behind the first "="
        last = "".join(unit[-1].rpartition("=")[:2]) or unit[-1]
    return " ".join((*unit[:-1], last))


def _units(place: Place, variant: Variant) -> list[Unit]:
    """Flags with their values; ``-Xclang`` options with their arguments."""
    words: tuple[str, ...] = getattr(variant, place)
    if place == "configure":
        return [(word,) for word in words]
    units: list[Unit] = []
    for unit in flag_units(words):
        if unit[0] == "-Xclang" and not unit[-1].startswith("-") and units:
            units[-1] = (*units[-1], *unit)  # -Xclang -target-feature -Xclang +avx2
        else:
            units.append(unit)
    return units


def _aligned(
    good: Sequence[Unit], bad: Sequence[Unit]
) -> list[tuple[Unit, Literal["both", "good", "bad"]]]:
    """Both lists as one, in the order of both."""
    out: list[tuple[Unit, Literal["both", "good", "bad"]]] = []
    for tag, i, j, k, m in SequenceMatcher(None, good, bad, autojunk=False).get_opcodes():
        if tag == "equal":
            out += [(unit, "both") for unit in good[i:j]]
        else:
            for before, after in zip_longest(good[i:j], bad[k:m]):
                out += [(before, "good")] if before else []
                out += [(after, "bad")] if after else []
    return out


def _titles(slots: Sequence[Slot], number: int) -> tuple[str, ...]:
    only: defaultdict[int, tuple[list[Unit], list[Unit]]] = defaultdict(lambda: ([], []))
    places: dict[int, Place] = {}
    for slot in slots:
        if slot.difference is not None:
            only[slot.difference][slot.bad].append(slot.words)
            places[slot.difference] = slot.place
    return tuple(
        ("" if places[n] == "cflags" else f"{places[n]}: ") + _title(*only[n])
        for n in range(number)
    )


def _title(good: Sequence[Unit], bad: Sequence[Unit]) -> str:
    """The flags of the bad end alone, and those of the good end that they replace."""
    before, after = (" ".join(w for unit in units for w in unit) for units in (good, bad))
    if before and after:
        name, sign, value = after.rpartition("=")
        same = f"{name}{sign}"
        if sign and len(good) == len(bad) == 1 and before.startswith(same):
            return f"{same}{value} for {before.removeprefix(same)}"
        return f"{after} for {before}"
    return after or f"without {before}"


#: Has a compiler list its settings: gcc its options and parameters, clang its own command.
_ASK = (
    "{cc} {cflags} -Q --help=optimizers --help=params > {program} 2> /dev/null"
    " || {cc} {cflags} '-###' -c -o none.o -x c /dev/null > {program} 2>&1 || : > {program}"
)

#: ``  -fgcse  [enabled]``, ``  -fvect-cost-model=[…]  very-cheap``, ``  --param=a=<0,9>  4``.
_OPTION = re.compile(r"^\s+(?P<name>--?[\w+-]+(?:=[\w+-]+(?==))?)(?P<choice>=\S*)?\s+(?P<set>\S+)$")

#: Options of ``clang -cc1`` that name files and targets and do not change how it compiles.
_NOT_HOW = re.compile(r"-O|-o$|-fdebug|-fcoverage|-main-file|-resource|-internal|-dumpdir")


def mix_flags(
    context: RunContext[Study], good: Variant, bad: Variant, object_: str = ""
) -> DifferenceSet:
    """The flags in which the ends differ; an optimisation level is expanded into its flags."""
    flags = find_differences(good, bad)
    if levels(flags):
        flags = expanded(flags, *(options_set(context, v) for v in (good, bad)))

    def make(context: RunContext[Study], candidate: AxisCandidate, name: str) -> RunContext[Study]:
        if candidate.variant is None:
            candidate = replace(candidate, variant=flags.variant(good, candidate.mixed))
        return make_variant(context, candidate, name)

    return DifferenceSet(good, bad, flags.titles, make)


def options_set(context: RunContext[Study], variant: Variant) -> tuple[Unit, ...]:
    """The options that the variant's compiler sets with the variant's flags, as arguments for it;
    empty where it cannot list them."""
    asked = replace(
        context.question,
        build=BuildSpec((_ASK,), "options.txt"),
        evidence=EvidenceSpec(),
        benchmarks=(),  # it is not run
    )
    plain = replace(variant, ldflags=(), configure=(), packages=(), expect={}, python="")
    (made,) = build_alone(replace(context, question=asked), plain).builds
    if not isinstance(made, Build):
        return ()
    text = made.program.read_text("utf-8", "replace")
    return tuple(read_gcc(text)) or tuple(read_clang(text))


def read_gcc(text: str) -> Iterator[Unit]:
    """From what ``gcc -Q --help=optimizers --help=params`` prints."""
    for line in text.splitlines():
        if not (match := _OPTION.match(line)):
            continue
        name, value = match["name"], match["set"]
        if name.startswith("-f") and value in ("[enabled]", "[disabled]"):
            yield (name if value == "[enabled]" else f"-fno-{name.removeprefix('-f')}",)
        elif match["choice"] and not value.startswith(("[", "<")):
            yield (f"{name}={value}",)


def read_clang(text: str) -> Iterator[Unit]:
    """From the command that ``clang -###`` prints: its own options that take no value apart."""
    lines = [line for line in text.splitlines() if '"-cc1"' in line]
    for word in shlex.split(lines[0])[1:] if lines else ():
        if word.startswith("-") and word != "-cc1" and not _NOT_HOW.match(word):
            yield ("-Xclang", word)
