"""The functions of one object of two builds, mixed in one object."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.build.mixed import (
    BuiltWith,
    CannotMix,
    NoTools,
    differing_objects,
    link_with,
    mix_object,
)
from whyfast.build.units import CannotRead, Unit, find_units, read_graph
from whyfast.investigate.context import RunContext
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant, differ_in
from whyfast.search.axes.axis import DifferenceSet
from whyfast.search.axes.objects import as_asked, built_with, link_of, linked, made_end
from whyfast.search.axes.toolchains import compiler_of
from whyfast.search.state import AxisCandidate
from whyfast.store.builds import BuildStore

VANISHING = "more than a few functions make it together"

#: Every function and variable in a section of its own.
APART = ("-ffunction-sections", "-fdata-sections")
#: gcc lets a caller rely on which registers a function of the same file leaves alone; the other
#: end's function may not.
_GCC = ("-fno-ipa-ra",)

_MOST_NAMED = 3


def mix_functions(
    work: RunContext[Study], good: Variant, bad: Variant, object_: str
) -> DifferenceSet:
    """The functions in which one object of two builds differs; the good end is the program with
    the good object, the bad end the same with the bad one, whatever else the builds differ in.

    UserError where the study does not say how it is linked, an end cannot be built, or the object
    is not one whose functions can be had apart.
    """
    link_of(work)
    if "revision" in differ_in(good, bad):
        raise UserError(
            "functions of two revisions cannot be mixed: what they share may differ",
            where="--axis functions",
        )
    good, bad = (_apart(work, v) for v in (good, bad))
    made = [made_end(work, v, f"--{w}") for w, v in (("good", good), ("bad", bad))]
    built = [built_with(m) for m in made]
    name = object_ or _only(built)
    files = [b.context / name for b in built]
    if not all(f.is_file() for f in files):
        raise UserError("no object of both ends", where=f"--object {name}")
    try:
        graphs = [read_graph(f) for f in files]
        units = find_units(*graphs)
    except (CannotRead, ValueError) as error:
        raise UserError(
            f"its functions cannot be had apart: {error}", where=f"--object {name}"
        ) from error
    if not units:
        raise UserError(f"{good.name} and {bad.name} have the same code", where=f"--object {name}")
    mixer = _FunctionMixer(built, name, units, tuple(graphs[0].symbols), made[0], bad.name)
    mixer.check(work)
    return DifferenceSet(good, bad, tuple(_title(u) for u in units), mixer.make, VANISHING)


class _FunctionMixer:
    """Links the good end's program with a mixture of both ends' object in the place of its own."""

    def __init__(
        self,
        ends: Sequence[BuiltWith],
        name: str,
        units: Sequence[Unit],
        symbols: Sequence[str],
        like: RunContext[Study],
        bad: str,
    ) -> None:
        self._good, self._bad = ends
        self._name, self._units, self._symbols = name, units, symbols
        self._like, self._bad_name = like, bad

    def make(
        self, work: RunContext[Study], candidate: AxisCandidate, name: str
    ) -> RunContext[Study]:
        """The ends are mixtures too: nothing but the choice of functions differs."""
        mixed = candidate.mixed
        if candidate.variant is not None and candidate.variant.name == self._bad_name:
            mixed = frozenset(range(len(self._units)))
        like = as_asked(self._like, work)
        try:
            program = self._program(mixed, BuildStore(work.home.builds))
        except CannotMix as why:
            return replace(like, builds=(BuildFailure(name, "failed", str(why)),), evidence=())
        return linked(like, name, program, self._good)

    def check(self, work: RunContext[Study]) -> None:
        """UserError when not even the good end can be made so."""
        try:
            self._program(frozenset(), BuildStore(work.home.builds))
        except CannotMix as error:
            raise UserError(
                f"its functions cannot be mixed: {error}", where=f"--object {self._name}"
            ) from error

    def _program(self, mixed: frozenset[int], store: BuildStore) -> Path:
        """The program of that mixture. Raises CannotMix."""
        wanted = [s for n, u in enumerate(self._units) if n in mixed for s in u.symbols]
        good, bad = (b.context / self._name for b in (self._good, self._bad))
        said = "\0".join(("functions", self._bad.build.digest, self._name, *sorted(wanted)))
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "mixed.o"
            try:
                mix_object(good, bad, wanted, self._symbols, target)
            except (NoTools, ValueError, OSError) as error:
                raise CannotMix(str(error)) from error
            return link_with(self._good, {self._name: target}, self._good, said, store)


def _apart(work: RunContext[Study], variant: Variant) -> Variant:
    """The variant with functions and variables in sections of their own."""
    compiler = compiler_of(work, variant, "--axis functions")
    if not compiler.startswith(("gcc", "clang")):
        raise UserError(
            f"{variant.toolchain} is {compiler}; functions are mixed with gcc and clang",
            where="--axis functions",
        )
    own = (*APART, *(_GCC if compiler.startswith("gcc") else ()))
    flags = (*variant.cflags, *(f for f in own if f not in variant.cflags))
    return replace(variant, cflags=flags, expect={}, axes={})


def _only(ends: Sequence[BuiltWith]) -> str:
    """The one object that differs. UserError when there are others or none."""
    differing, _ = differing_objects(*(e.context for e in ends))
    if len(differing) != 1:
        raise UserError(
            f"name an object: {', '.join(differing[:20]) or 'none'} differ; --axis objects tells "
            "which of them matter",
            where="--object",
        )
    return differing[0]


def _title(unit: Unit) -> str:
    """Its functions, or what else goes together; and the local functions that differ in it."""
    title = _listed(unit.functions or unit.symbols)
    return title + (f" (with {_listed(unit.within)})" if unit.within else "")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
