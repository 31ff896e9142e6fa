"""The flags of two variants to be mixed, a level of optimisation as the options that it sets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace

from whyfast.investigate.work import Work
from whyfast.model.build import Build
from whyfast.model.study import BuildSpec, EvidenceSpec, Study
from whyfast.model.variant import Variant
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.axes.flags import Unit, expanded, find_differences, levels
from whyfast.search.axes.mixing import Mixing, MixingEnds
from whyfast.search.study_subject import build_alone, make_variant

#: What a compiler tells of itself: gcc its options and parameters, clang how it calls itself.
_ASK = (
    "{cc} {cflags} -Q --help=optimizers --help=params > {program} 2> /dev/null"
    " || {cc} {cflags} '-###' -c -o none.o -x c /dev/null > {program} 2>&1 || : > {program}"
)

#: ``  -fgcse  [enabled]``, ``  -fvect-cost-model=[…]  very-cheap``, ``  --param=a=<0,9>  4``.
_OPTION = re.compile(r"^\s+(?P<name>--?[\w+-]+(?:=[\w+-]+(?==))?)(?P<choice>=\S*)?\s+(?P<set>\S+)$")

#: Options of clang's own that say where and for whom it compiles and not how.
_NOT_HOW = re.compile(r"-O|-o$|-fdebug|-fcoverage|-main-file|-resource|-internal|-dumpdir")


def mix_flags(work: Work[Study], ends: MixingEnds) -> Mixing:
    """The flags in which the ends differ; of a level of optimisation all that it sets."""
    good, bad = ends.good, ends.bad
    found = find_differences(good, bad)
    if levels(found):
        observed = [options_set(work, v) for v in (good, bad)]
        found = expanded(found, *observed)

    def make(work: Work[Study], candidate: AxisCandidate, name: str) -> Work[Study]:
        if candidate.variant is None:
            candidate = replace(candidate, variant=found.variant(good, candidate.mixed))
        return make_variant(work, candidate, name)

    return Mixing(good, bad, found.titles, make)


def options_set(work: Work[Study], variant: Variant) -> tuple[Unit, ...]:
    """Every option as the variant's compiler has it with the variant's flags, in a form that can be
    given to it; empty where it does not tell."""
    asked = replace(work.question, build=BuildSpec((_ASK,), "options.txt"), evidence=EvidenceSpec())
    plain = replace(variant, ldflags=(), configure=(), packages=(), expect={}, python="")
    (made,) = build_alone(replace(work, question=asked), plain).builds
    if not isinstance(made, Build):
        return ()
    text = made.program.read_text("utf-8", "replace")
    return tuple(read_gcc(text)) or tuple(read_clang(text))


def read_gcc(text: str) -> Iterator[Unit]:
    """From what ``gcc -Q --help=optimizers --help=params`` prints."""
    for line in text.splitlines():
        if not (match := _OPTION.match(line)):
            continue
        name, value = match["name"], match["set"]
        if name.startswith("-f") and value in ("[enabled]", "[disabled]"):
            yield (name if value == "[enabled]" else f"-fno-{name.removeprefix('-f')}",)
        elif match["choice"] and not value.startswith(("[", "<")):
            yield (f"{name}={value}",)


def read_clang(text: str) -> Iterator[Unit]:
    """From the command that ``clang -###`` prints: its own options that take no value apart."""
    lines = [line for line in text.splitlines() if '"-cc1"' in line]
    for word in shlex.split(lines[0])[1:] if lines else ():
        if word.startswith("-") and word != "-cc1" and not _NOT_HOW.match(word):
            yield ("-Xclang", word)
