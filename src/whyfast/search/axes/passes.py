"""Optimiser passes over one source file, limited to the first N: with LLVM's ``-opt-bisect-limit``,
or gcc's debug counters."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from whyfast.explain.objects.elf import FUNCTION_TYPES, open_elf, symbols_of
from whyfast.investigate.context import RunContext
from whyfast.investigate.services import Services
from whyfast.model.build import BuildFailure, Toolchain
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes import CandidateRange, SearchRequest
from whyfast.search.axes.objects import built_with, check_link, link_one, must_build, relinked_as
from whyfast.search.axes.ranges import compiler_of
from whyfast.search.state import AxisCandidate
from whyfast.search.study_subject import build_alone, without_layouts
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.study.notation import listed
from whyfast.toolchain import Progress

#: A line of the table that gcc prints when it has compiled a file with debug counters:
#: ``dce  12  unset``.
_COUNTER = re.compile(r"^\s+(?P<name>[a-z]\w*)\s+(?P<count>\d+)\s+(?:unset|[\[{].*)$")
#: The head of that table.
_HEAD = re.compile(r"^\s+counter name\s+counter value\b")

#: With it, gcc prints the table.
LIST = ("-fdbg-cnt-list",)


@dataclass(frozen=True)
class CounterRun:
    """The counters above 0, with their counts, in gcc's order. They make one list of decisions:
    those of the first counter, then those of the next. Passes can be limited to the first decisions
    of the list."""

    counters: tuple[tuple[str, int], ...]

    @property
    def most(self) -> int:
        """All decisions."""
        return sum(count for _, count in self.counters)

    @property
    def names(self) -> frozenset[str]:
        """The table names no functions."""
        return frozenset()

    def flags(self, limit: int) -> tuple[str, ...]:
        """The flags that let the first ``limit`` decisions happen and no other. A counter whose
        decisions all happen has no limit: those of the others may make it count further."""
        held = []
        for name, count in self.counters:
            if limit < count:
                held.append(f"{name}:{max(limit, 0)}")
            limit -= count
        return (f"-fdbg-cnt={','.join(held)}",) if held else ()

    def title(self, number: int) -> str:
        """Of one decision, counted from 1."""
        for name, count in self.counters:
            if number <= count:
                return f"{name} {number} of {count}"
            number -= count
        raise ValueError(f"there are {self.most} decisions")

    def limit(self, text: str) -> int | None:
        """``NAME:N``, the first N of that counter and all of those before it; ``NAME:all``."""
        wanted, _, number = text.partition(":")
        before = 0
        for name, count in self.counters:
            if name == wanted:
                limit = str(count) if number == "all" else number
                return before + int(limit) if limit.isdigit() and int(limit) <= count else None
            before += count
        return None

    @property
    def ends(self) -> str:
        """What an end may be, for a message."""
        counted = ", ".join(f"{name} (to {count})" for name, count in self.counters)
        return f"a number of decisions from 0 to {self.most}, all, or COUNTER:N with {counted}"


def read_counters(log: str) -> tuple[CounterRun, ...]:
    """From gcc's output: one entry for each source file with any count, in order."""
    runs: list[list[tuple[str, int]]] = []
    for line in log.splitlines():
        if _HEAD.match(line):
            runs.append([])
        elif runs and (match := _COUNTER.match(line)) and int(match["count"]):
            runs[-1].append((match["name"], int(match["count"])))
    return tuple(CounterRun(tuple(run)) for run in runs if run)


#: ``BISECT: running pass (12) GVNPass on f``, of LLVM 3.9 and later.
_LINE = re.compile(r"BISECT: (?:NOT )?running pass \((\d+)\) (.*)")
#: What passes run on, at the end of a line: ``on f``, ``on function (f)``, ``on (f, g)``,
#: ``on loop %a in function f``.
_ON = re.compile(r"\bon (.*)$")


#: With it, LLVM prints its passes, and runs all of them.
PASSES_LIST = ("-mllvm", "-opt-bisect-limit=-1")


@dataclass(frozen=True)
class PassRun:
    """All passes over one source file in the order in which they ran; the first is pass 1."""

    titles: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """Words that may be names of functions."""
        places = (_ON.search(t) for t in self.titles)
        return frozenset(w for m in places if m for w in re.findall(r"[\w.$]+", m[1]))

    @property
    def most(self) -> int:
        """The number of passes."""
        return len(self.titles)

    def flags(self, limit: int) -> tuple[str, ...]:
        """Passes that no program can do without run in any case."""
        return ("-mllvm", f"-opt-bisect-limit={limit}")

    def title(self, number: int) -> str:
        """As LLVM calls it."""
        return f"pass {number}, {self.titles[number - 1]}"

    def limit(self, text: str) -> int | None:
        """None: passes have no named limits."""

    @property
    def ends(self) -> str:
        """What an end may be, for a message."""
        return f"a number of passes from 0 to {self.most}, or all"


#: What an optimiser did to one source file, in the order in which it can be limited.
OptimiserRun = PassRun | CounterRun


def limited(variant: Variant, flags: Sequence[str]) -> Variant:
    """The variant with those flags that limit its compiler."""
    return replace(variant, cflags=(*variant.cflags, *flags), expect={}, axes={})


def read_passes(log: str) -> tuple[PassRun, ...]:
    """From the compiler's output: one entry for each source file, in order. Files that were
    compiled at the same time appear as more files, with gaps; those are left out."""
    runs: list[list[str]] = []
    for line in log.splitlines():
        if not (match := _LINE.search(line)):
            continue
        number, title = int(match[1]), match[2].strip()
        if number == 1:
            runs.append([])
        fitting = [r for r in reversed(runs) if len(r) == number - 1]
        if fitting:
            fitting[0].append(title)
    return tuple(PassRun(tuple(r)) for r in runs)


def run_of(runs: Sequence[OptimiserRun], functions: frozenset[str]) -> OptimiserRun:
    """The run over the source file of an object that has these functions."""
    return max(runs, key=lambda run: (len(run.names & functions), -len(run.names)))


def passes(run: OptimiserRun, good: str, bad: str, variant: Variant) -> tuple[AxisCandidate, ...]:
    """One candidate for each limit, from the good one to the bad one, which may be the lower one.
    An end is a number, ``all``, or COUNTER:N. UserError for other ends."""
    first, last = (_limit(run, text, f"--{w}") for w, text in (("good", good), ("bad", bad)))
    if first == last:
        raise UserError(f"both ends are the same limit: {first}", where="--bad")
    step = 1 if first < last else -1
    return tuple(
        AxisCandidate(str(limit), _title(run, limit, step), limited(variant, run.flags(limit)))
        for limit in range(first, last + step, step)
    )


def _title(run: OptimiserRun, limit: int, step: int) -> str:
    """The pass or decision in which a candidate differs from the one before."""
    number = limit if step > 0 else limit + 1
    if not 1 <= number <= run.most:
        return f"all {limit}" if limit else "nothing that can be left out"
    return run.title(number) + ("" if step > 0 else ", left out")


def _limit(run: OptimiserRun, text: str, where: str) -> int:
    if text == "all":
        return run.most
    named = run.limit(text)
    if named is None and not (text.isdigit() and int(text) <= run.most):
        raise UserError(f"unknown limit {text!r}; expected {run.ends}", where=where)
    return int(text) if named is None else named


#: Suffixes of source files.
_SUFFIXES = ("c", "cc", "cpp", "cxx", "C")


def pass_range(
    context: RunContext[Study], variant: Variant, search: SearchRequest
) -> CandidateRange:
    """One candidate for each limit; with ``search.object`` only that object is limited, and linked
    with the others unchanged. UserError for a compiler without limits, for unknown objects, and
    where several files are compiled and no object is named."""
    context = replace(context, question=without_layouts(context.question))  # but for candidates
    by_gcc = compiler_of(context, variant, "--axis passes").startswith("gcc")
    flags, read = (LIST, read_counters) if by_gcc else (PASSES_LIST, read_passes)
    what = f"{variant.toolchain} with {' '.join(flags)}"
    if search.object:
        limiting = replace(context, services=limiting_one(context.services, search.object, flags))
        plain = replace(variant, expect={}, axes={})
        listing = must_build(limiting, plain, "--axis passes", what)
    else:
        listing = must_build(context, limited(variant, flags), "--axis passes", what)
    log = BuildStore(context.home.builds).folder(built_with(listing).build.digest) / "log.txt"
    runs: Sequence[OptimiserRun] = read(log.read_text("utf-8", "replace"))
    functions = _functions(listing, search.object) if search.object else frozenset[str]()
    if not runs:
        message = f"{variant.toolchain} lists no passes; use clang or gcc"
        raise UserError(message, where="--axis passes")
    if not search.object:
        if len(runs) > 1:
            raise UserError(
                f"{len(runs)} files are compiled; name one object; available: {_objects(listing)}",
                where="--object",
            )
        return CandidateRange(passes(runs[0], search.good, search.bad, variant))
    return _of_object(context, variant, search, run_of(runs, functions))


def _of_object(
    context: RunContext[Study], variant: Variant, search: SearchRequest, run: OptimiserRun
) -> CandidateRange:
    check_link(context)
    whole = must_build(context, variant, "--axis passes")

    def make(context: RunContext[Study], candidate: AxisCandidate, name: str) -> RunContext[Study]:
        limiting = limiting_one(context.services, search.object, run.flags(int(candidate.name)))
        plain = replace(variant, name=name, expect={}, axes={})
        bare = without_layouts(context.question)
        made = build_alone(replace(context, services=limiting, question=bare), plain)
        (outcome,) = made.builds
        if isinstance(outcome, BuildFailure):
            return made
        return relinked_as(
            *(whole, context, name, built_with(whole)),
            lambda store: link_one(whole, made, search.object, store),
        )

    return CandidateRange(passes(run, search.good, search.bad, variant), make)


def limiting_one(services: Services, name: str, flags: Sequence[str]) -> Services:
    """With compilers that get ``flags`` only for the source of that object: limited compilers
    sometimes crash, and the other files are not searched."""
    stem = PurePosixPath(name).stem
    sources = "|".join(shlex.quote(n) for n in (stem, *(f"{stem}.{s}" for s in _SUFFIXES)))
    script = (
        f'for w in "$@"; do case "${{w##*/}}" in {sources}) '
        f'exec "$@" {shlex.join(flags)};; esac; done; exec "$@"'
    )

    def resolve(
        name: str, home: Home, progress: Progress, packages: Sequence[str] = ()
    ) -> Toolchain:
        plain = services.toolchain(name, home, progress, packages)
        seen = plain.readable if plain.root else (*plain.readable, Path(plain.cc[0]).parent)
        return replace(plain, cc=("/bin/sh", "-c", script, "cc", *plain.cc), readable=seen)

    return replace(services, toolchain=resolve)


def _functions(listing: RunContext[Study], name: str) -> frozenset[str]:
    """The functions of a built object; UserError without any, or without such an object."""
    functions = frozenset[str]()
    with contextlib.suppress(UserError):
        elf = open_elf(built_with(listing).work / name)
        functions = frozenset(s.name for s in symbols_of(elf) if s.type in FUNCTION_TYPES)
    if not functions:
        raise UserError(
            f"no object with functions; available: {_objects(listing)}", where=f"--object {name}"
        )
    return functions


def _objects(made: RunContext[Study]) -> str:
    folder = built_with(made).work
    return listed((str(p.relative_to(folder)) for p in sorted(folder.rglob("*.o"))), 20)
