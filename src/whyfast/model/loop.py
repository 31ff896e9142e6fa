"""What one loop of a statement or function does, in one interpreter: the evidence of ``timeit``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from whyfast.model.verdict import LoopTime

#: What a statement does to a variable of its setup: every loop makes it longer or shorter; the
#: first loop changes it and the others find it so; every loop changes it.
Change = Literal["grows", "shrinks", "once", "always"]


@dataclass(frozen=True)
class BytecodeLine:
    """One of bytecode, with its argument in words; ``specialised`` is what the interpreter put in
    its place once it was warm, empty where nothing."""

    name: str
    argument: str = ""
    specialised: str = ""


@dataclass(frozen=True)
class Listing:
    """The bytecode of the ``statement``, or of a function of that name."""

    name: str
    instructions: tuple[BytecodeLine, ...]


@dataclass(frozen=True)
class ChangedVariable:
    """``lengths`` before the first loop, after it, after two and after eight; empty without."""

    name: str
    how: Change
    lengths: tuple[int, ...] = ()


@dataclass(frozen=True)
class CallCount:
    """How often a loop calls a function, of C or Python."""

    language: Literal["C", "Python"]
    name: str
    number: float


@dataclass(frozen=True)
class LoopFacts:
    """Of one variant; found in a run apart from the timed ones.

    ``python`` is the interpreter by name and version, ``build`` how it was built (see
    :data:`whyfast.model.build.FACTS`). ``value`` is what the statement returns, ``later`` another
    value that a later loop returned. ``empty`` are the seconds of an empty loop, ``subtracted``
    whether they are left out of all times. ``raised`` are exceptions raised and caught in a loop,
    ``peak`` the most bytes that it has allocated at once, ``left`` the blocks of memory that it
    leaves behind, ``collections`` the garbage collections that it would cause; None: not known.
    ``folded`` are expressions with the values that the compiler has put in their place. ``unit`` is
    the one of ``python -m timeit`` in which times are shown, empty for a suitable one.
    """

    variant: str
    python: str
    statement: str
    setup: str = ""
    value: str = ""
    later: str | None = None
    empty: float = 0.0
    subtracted: bool = True
    time: LoopTime | None = None
    changed: tuple[ChangedVariable, ...] = ()
    calls: tuple[CallCount, ...] = ()
    raised: tuple[str, ...] = ()
    peak: int | None = None
    left: float | None = None
    collections: float | None = None
    folded: tuple[tuple[str, str], ...] = ()
    code: tuple[Listing, ...] = ()
    build: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
