"""In what interpreters differ beside the version that a study is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from whyfast.model.build import Build
from whyfast.model.interpreter import FACTS
from whyfast.model.verdict import Confound

#: What is said of each fact where it differs, and how much it can mislead. That profile-guided
#: optimisation is worth a tenth of the time and more, docs/studies/cpython-tail-call-pgo.md
#: measures.
_SAID: dict[str, tuple[str, Literal["warning", "note"]]] = {
    "compiler": ("were made by different compilers", "warning"),
    "flags": ("were made with different flags", "warning"),
    "PGO": (
        "differ, or may, in optimisation guided by a profile, which can be worth a tenth and more",
        "warning",
    ),
    "LTO": ("differ, or may, in optimisation at link time", "warning"),
    "libpython": (
        "are not all linked alike: calls into a shared library go by way of a table",
        "note",
    ),
    "build": ("are of different kinds", "warning"),
}


def interpreter_confounds(builds: Sequence[Build]) -> Iterable[Confound]:
    """One confound a fact in which the interpreters of the builds differ."""
    facts = {
        b.variant: python["facts"] for b in builds if (python := b.provenance.get("interpreter"))
    }
    for fact in FACTS:
        groups: dict[str, list[str]] = {}
        for variant, said in facts.items():
            groups.setdefault(said.get(fact) or "not known", []).append(variant)
        if len(groups) > 1:
            text, severity = _SAID[fact]
            listed = "; ".join(f"{value}: {', '.join(of)}" for value, of in groups.items())
            yield Confound(
                f"interpreter-{fact.lower()}",
                f"the interpreters {text}: {listed}",
                severity,
                tuple(facts),
            )
