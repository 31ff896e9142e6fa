"""The known troubles of compilers: ``troubles.toml`` as records."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

MERGED, SAVING = "merged computed gotos", "handlers save registers"

_COMPILER = re.compile(r"(clang|gcc) (\d+(?:\.\d+)*)")


@dataclass(frozen=True)
class KnownTrouble:
    """One entry of the file, whose head says what each field means."""

    name: str
    title: str
    compiler: str
    symptom: str
    sources: tuple[str, ...]
    first: str = ""
    before: str = ""
    levels: tuple[str, ...] = ()
    cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    remedy: str = ""
    seen: str = ""

    def covers(self, version: str) -> bool:
        """Whether the trouble is known of that version, e.g. ``19.1.7``."""
        number = _number(version)
        return (not self.first or number >= _number(self.first)) and (
            not self.before or number < _number(self.before)
        )


@cache
def known_troubles() -> tuple[KnownTrouble, ...]:
    """All entries, in the order of the file."""
    text = (files("whyfast.explain") / "troubles.toml").read_text(encoding="utf-8")
    found = []
    for entry in tomllib.loads(text)["trouble"]:
        fields: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()
        }
        found.append(KnownTrouble(first=fields.pop("from", ""), **fields))
    return tuple(found)


def compiler_of(version: str) -> tuple[str, str] | None:
    """(family, version) of a toolchain's own description such as ``clang 19.1.7``."""
    match = _COMPILER.search(version)
    return (match.group(1), match.group(2)) if match else None


def look_up(
    family: str, version: str, symptom: str, flags: Sequence[str] | None
) -> tuple[KnownTrouble | None, bool]:
    """The trouble that goes with a symptom, and whether this version is known for it.

    Where only other versions of the same compiler are, that entry comes with False. ``flags`` is
    None when nobody knows them: where the level decides which trouble it is, it may be any.
    """
    fitting = [t for t in known_troubles() if (t.compiler, t.symptom) == (family, symptom)]
    if flags is not None:
        level = next((flag for flag in reversed(flags) if re.fullmatch(r"-O\w*", flag)), "")
        fitting = [t for t in fitting if not t.levels or level in t.levels]
    listed = [t for t in fitting if t.covers(version)]
    if flags is None and len(listed) > 1 and any(t.levels for t in listed):
        return _any_of(listed), True
    if listed:
        return listed[0], True
    return (fitting[0], False) if fitting else (None, False)


def _any_of(troubles: Sequence[KnownTrouble]) -> KnownTrouble:
    ways = " or ".join(f"`{' '.join(t.cflags)}`" for t in troubles if t.cflags)
    return KnownTrouble(
        name=" or ".join(t.name for t in troubles),
        title=", or ".join(t.title for t in troubles),
        compiler=troubles[0].compiler,
        symptom=troubles[0].symptom,
        sources=tuple(dict.fromkeys(source for t in troubles for source in t.sources)),
        remedy=f"{ways}, depending on its level of optimisation, which the program does not tell",
    )


def _number(version: str) -> tuple[int, ...]:
    """Its parts, without zeros at the end: 19.1 is 19.1.0."""
    parts = [int(part) for part in version.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)
