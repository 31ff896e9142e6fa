"""The changes: harmless ones of six kinds, and harmful ones of three sizes, always the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from bench.check.programs import LANGUAGES, WORK, Form, Language

#: What a harmless change does to the form of a program.
HARMLESS: dict[str, Callable[[Form, random.Random], Form]] = {
    "comment": lambda form, rng: replace(form, comments=rng.randint(1, 9)),
    "white space": lambda form, rng: replace(form, blanks=rng.randint(1, 9)),
    "renamed local": lambda form, rng: replace(form, local=f"total{rng.randint(1, 999)}"),
    "unused function": lambda form, rng: replace(form, unused=f"extra{rng.randint(1, 999)}"),
    "reordered functions": lambda form, rng: replace(form, swapped=True),
    "longer function never called": lambda form, rng: replace(form, filler=rng.randint(20, 400)),
}
#: Per cent more work in the hot function.
SIZES = (1, 2, 5)


@dataclass(frozen=True)
class Change:
    """``percent`` is 0 for a harmless one. ``number`` is its place in the list."""

    number: int
    language: Language
    kind: str
    percent: int
    base: Form
    head: Form


def changes(harmless: int, harmful: int) -> Iterator[Change]:
    """Both kinds mixed, so that every part of the list has some of all."""
    rng = random.Random(17)
    kinds = list(HARMLESS)
    found: list[tuple[Language, str, int, Form, Form]] = []
    for n in range(harmless):
        kind = kinds[n // len(LANGUAGES) % len(kinds)]
        base = Form(filler=10 + n % 7)
        found.append((LANGUAGES[n % len(LANGUAGES)], kind, 0, base, HARMLESS[kind](base, rng)))
    for n in range(harmful):
        percent = SIZES[n // len(LANGUAGES) % len(SIZES)]
        base = Form(filler=10 + n % 7)
        head = replace(base, context=WORK * (100 + percent) // 100)
        found.append((LANGUAGES[n % len(LANGUAGES)], "more work", percent, base, head))
    rng.shuffle(found)
    for number, one in enumerate(found):
        yield Change(number, *one)
