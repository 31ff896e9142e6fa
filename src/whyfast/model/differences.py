"""What differs between two variants: the one place where that is answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from whyfast.model.variant import Variant

#: The fields of a :class:`Variant` that make another program of it or run it in another way, in the
#: order of the flow: what it is made from, how, where its code lies, how it is run.
Aspect = Literal[
    "revision",
    "toolchain",
    "python",
    "packages",
    "configure",
    "cflags",
    "ldflags",
    "env",
    "keep",
    "twin_of",
    "kernel",
    "boot",
    "sysctl",
    "run",
]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
#: Those in which equal programs are run in different ways.
RUN: tuple[Aspect, ...] = ("kernel", "boot", "sysctl", "run")
#: Those that make another program.
MAKING: tuple[Aspect, ...] = tuple(a for a in ASPECTS if a not in RUN)

#: The other fields, and why they are no difference.
NO_DIFFERENCE: Mapping[str, str] = {
    "name": "what it is called",
    "about": "what is said about it",
    "axes": "its place in the study; what the place sets is in the other fields",
    "requires": "what its toolchain must be able to do",
    "expect": "what is checked once it is built",
    "evidence_only": "whether it is measured",
    "fixes": "what it is judged as",
}

#: Flags whose value is the next argument.
_TAKES_VALUE = (
    *("-mllvm", "-Xclang", "-Xlinker", "--param"),
    *("-include", "-isystem", "-D", "-U", "-I", "-L", "-l"),
)
#: Flags that change the source as the compiler sees it, and so more than its code generation.
_SOURCE_FLAGS = ("-D", "-U", "-I", "-include", "-isystem", "-std")


@dataclass(frozen=True)
class Difference:
    """One aspect in which a variant differs from another.

    ``removed`` is what the first alone has, ``added`` what the second alone has: flags with their
    values (``-mllvm -x=1``), words, ``NAME=VALUE`` of a mapping. ``reordered``: what both have, and
    have in another order.
    """

    aspect: Aspect
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    reordered: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """What only one of the two has."""
        return (*self.removed, *self.added)

    @property
    def changes_source(self) -> bool:
        """Whether the compiler gets to see another source."""
        if self.aspect in ("cflags", "ldflags"):
            return any(flag.startswith(_SOURCE_FLAGS) for flag in self.words)
        return self.aspect in ("revision", "python", "configure", "env")


def differences(a: Variant, b: Variant) -> tuple[Difference, ...]:
    """All that differs from ``a`` to ``b``, an entry an aspect, in the order of :data:`ASPECTS`.

    A revision that one of them names and the other has from the study is a difference too.
    """
    pairs = ((aspect, words_of(a, aspect), words_of(b, aspect)) for aspect in ASPECTS)
    return tuple(_difference(aspect, *pair) for aspect, *pair in pairs if pair[0] != pair[1])


def differ_in(a: Variant, b: Variant) -> frozenset[Aspect]:
    """The aspects of :func:`differences`."""
    return frozenset(d.aspect for d in differences(a, b))


def alike(variants: Iterable[Variant], *, but: Sequence[Aspect] = ()) -> list[list[Variant]]:
    """The variants in groups in which nothing differs ``but`` those aspects."""
    groups: list[list[Variant]] = []
    for variant in variants:
        for group in groups:
            if differ_in(group[0], variant) <= set(but):
                group.append(variant)
                break
        else:
            groups.append([variant])
    return groups


def same_source(a: Variant, b: Variant) -> bool:
    """Whether compilers get to see the same source: the same files, configured alike."""
    return not any(d.changes_source for d in differences(a, b))


def words_of(variant: Variant, aspect: Aspect) -> tuple[str, ...]:
    """The value of that field as :class:`Difference` has it; empty when it is not set."""
    value: str | Sequence[str] | Mapping[str, str] | None = getattr(variant, aspect)
    if not value:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Mapping):
        return tuple(f"{k}={x}" for k, x in sorted(value.items()))
    if aspect in ("cflags", "ldflags"):
        return tuple(" ".join(unit) for unit in flag_units(value))
    return tuple(value)


def flag_units(words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Flags, each with its value: two uses of ``-mllvm`` are told apart."""
    units: list[tuple[str, ...]] = []
    for word in words:
        if units and len(units[-1]) == 1 and units[-1][0] in _TAKES_VALUE:
            units[-1] = (units[-1][0], word)
        else:
            units.append((word,))
    return tuple(units)


def _difference(aspect: Aspect, a: Sequence[str], b: Sequence[str]) -> Difference:
    (removed, kept), (added, also) = _split(a, b), _split(b, a)
    return Difference(aspect, removed, added, reordered=kept != also)


def _split(words: Sequence[str], others: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """``words`` that ``others`` lack, and those that they have; each counts once."""
    left = Counter(others)
    lacking: list[str] = []
    common: list[str] = []
    for word in words:
        (common if left[word] > 0 else lacking).append(word)
        left[word] -= 1
    return tuple(lacking), tuple(common)
