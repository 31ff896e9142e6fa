"""A build whose machine code shows what a compiler is, or is not, known to do wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Trouble:
    """One symptom in one variant.

    ``symptom`` is what was looked for and ``shows`` what was found, with figures. ``name`` and
    ``title`` are of the known trouble that it looks like, empty when there is none; ``listed`` says
    whether that is known of this very version. ``flags`` would work around it, ``remedy`` is what
    else helps. ``cured`` are variants with these flags that the evidence shows free of it,
    ``uncured`` such that show it still, ``untried`` such that this run left out, and ``toml`` the
    lines that add one where the study has none. ``degrees`` says how far these flags reach in each
    variant that has them: "14 indirect jumps for 83 handlers".
    """

    variant: str
    compiler: str
    symptom: str
    shows: str
    name: str = ""
    title: str = ""
    listed: bool = False
    flags: tuple[str, ...] = ()
    remedy: str = ""
    sources: tuple[str, ...] = ()
    cured: tuple[str, ...] = ()
    uncured: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    toml: tuple[str, ...] = ()
    degrees: Mapping[str, str] = field(default_factory=dict)
