"""The caches of this machine, and what Valgrind can simulate of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from whyfast.measure.doctor.system import System, number

_CACHES = "sys/devices/system/cpu/cpu0/cache/index*"
_UNITS = {"K": 1024, "M": 1024**2, "G": 1024**3}


@dataclass(frozen=True)
class Cache:
    """One cache: ``size`` and ``line`` in bytes, ``ways`` lines in each of ``sets`` sets."""

    name: str
    size: int
    ways: int
    line: int

    @property
    def sets(self) -> int:
        return self.size // (self.ways * self.line)


@dataclass(frozen=True)
class Geometry:
    """The first-level caches and the last level; None for what the kernel does not tell."""

    l1i: Cache | None = None
    l1d: Cache | None = None
    last: Cache | None = None


def read_geometry(system: System) -> Geometry:
    """The caches of CPU 0, from /sys."""
    found: dict[str, tuple[int, Cache]] = {}
    for folder in system.names(_CACHES):
        kind = system.read(f"{folder}/type")
        level = number(system.read(f"{folder}/level"))
        size = _size(system.read(f"{folder}/size"))
        ways = number(system.read(f"{folder}/ways_of_associativity"))
        line = number(system.read(f"{folder}/coherency_line_size"))
        if kind is None or not level or not size or not line:
            continue
        # 0 ways: fully associative, or not known
        cache = Cache(f"L{level}{_LETTERS.get(kind, '')}", size, ways or size // line, line)
        if level == 1:
            found[kind] = (level, cache)
        if kind != "Instruction" and level >= found.get("last", (1, cache))[0] and level > 1:
            found["last"] = (level, cache)
    caches = {kind: cache for kind, (_, cache) in found.items()}
    both = caches.get("Unified")
    return Geometry(caches.get("Instruction", both), caches.get("Data", both), caches.get("last"))


_LETTERS = {"Instruction": "i", "Data": "d"}


def _size(text: str | None) -> int | None:
    if not text:
        return None
    unit = _UNITS.get(text[-1].upper(), 0)
    value = number(text[:-1] if unit else text)
    return value * (unit or 1) if value else None


def simulable(cache: Cache) -> tuple[Cache, str]:
    """The nearest cache that Valgrind accepts, and a note when it is another one.

    Valgrind wants powers of two for the bytes of a line, at least 16, and for the number of sets.
    The sets are rounded down and the ways made more, which keeps the size as far as whole ways
    allow.
    """
    line = max(16, _power_below(cache.line))
    sets = _power_below(max(1, cache.size // (cache.ways * line)))
    ways = max(1, cache.size // (sets * line))
    if ways == 1 and sets == 1:  # it must hold more than one line
        sets = 2
    made = replace(cache, size=sets * ways * line, ways=ways, line=line)
    if made == cache:
        return made, ""
    return made, (
        f"{cache.name} is simulated with {made.sets} sets of {made.ways} ways "
        f"({made.size // 1024} KiB) instead of {cache.sets} of {cache.ways} "
        f"({cache.size // 1024} KiB)"
    )


def valgrind_options(geometry: Geometry) -> tuple[list[str], list[str]]:
    """(options, notes) for Cachegrind and Callgrind."""
    options: list[str] = []
    notes: list[str] = []
    for option, cache in (("I1", geometry.l1i), ("D1", geometry.l1d), ("LL", geometry.last)):
        if cache is None:
            notes.append(f"the {_NAMES[option]} of this machine is not known: a guess is simulated")
            continue
        made, note = simulable(cache)
        options.append(f"--{option}={made.size},{made.ways},{made.line}")
        if note:
            notes.append(note)
    return options, notes


_NAMES = {
    "I1": "first-level instruction cache",
    "D1": "first-level data cache",
    "LL": "last-level cache",
}


def _power_below(n: int) -> int:
    return 1 << (max(n, 1).bit_length() - 1)
