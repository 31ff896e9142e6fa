"""Names at addresses, and the functions that they make."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """A piece of code that symbols name.

    ``names`` are all symbols at its address, the plainest global first. ``address`` is where the
    code lies in the program's image (bytes), ``value`` what the symbol says: the same, but in a
    relocatable object an offset in its section. ``size`` in bytes. ``file`` is the source
    file of a local symbol, if known.
    """

    names: tuple[str, ...]
    address: int
    value: int
    size: int
    section: str
    file: str = ""

    @property
    def name(self) -> str:
        """The first of ``names``."""
        return self.names[0]

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.address + self.size


@dataclass(frozen=True)
class Label:
    """One symbol in code. ``size`` is 0 when the file does not say; ``end`` is that of the section
    that it lies in. ``rank`` is 0 for global symbols, 1 for weak ones, 2 for local ones, 3 for
    names that whyfast made up."""

    name: str
    address: int
    value: int
    section: str
    end: int
    size: int = 0
    rank: int = 0
    file: str = ""


def functions_of(labels: Iterable[Label], stops: Iterable[int] = ()) -> Iterator[Function]:
    """Functions by address. Aliases are merged; a label without size reaches to the next one, the
    next of ``stops`` or its section's end, whichever comes first."""
    at: dict[tuple[int, str, int], list[Label]] = {}
    for label in labels:
        at.setdefault((label.address, label.section, label.end), []).append(label)
    starts = sorted({address for address, _, _ in at} | set(stops))
    for (address, section, end), aliases in sorted(at.items()):
        size = max(label.size for label in aliases)
        if size == 0:
            following = bisect_right(starts, address)
            size = (starts[following] if following < len(starts) else end) - address
        aliases.sort(key=_plainness)
        yield Function(
            names=tuple(dict.fromkeys(label.name for label in aliases)),
            address=address,
            value=aliases[0].value,
            size=min(size, end - address),
            section=section,
            file=aliases[0].file,
        )


def _plainness(label: Label) -> tuple[int, int, int, str]:
    underscores = len(label.name) - len(label.name.lstrip("_"))
    return label.rank, underscores, len(label.name), label.name
