"""Do two results answer one question? Only then do they stand side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from whyfast.model.differences import differences
from whyfast.model.errors import UserError
from whyfast.model.question import Commands, Recordings
from whyfast.model.result import Result
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark


def measured_question(result: Result, where: str) -> Study | Commands:
    """The question of a result that can be merged. UserError for a comparison of recorded runs,
    which has no blocks, and for one in which nothing was measured."""
    if isinstance(result.question, Recordings):
        raise UserError(
            "is a comparison of recorded runs, whose values were not taken in turns; merge takes "
            "results of run, ab and check",
            where=where,
        )
    if not result.judged.verdicts:
        raise UserError("holds no verdict: nothing was measured there", where=where)
    return result.question


def joined_question(a: Study | Commands, b: Study | Commands, where: str) -> Study | Commands:
    """``a`` with the variants and benchmarks that only ``b`` has. UserError, naming ``where`` (that
    of ``b``), if the two ask different things."""
    said = _told_apart(a, b)
    if said:
        raise UserError(said, where=where)
    known = {v.name for v in a.variants}
    benchmarks = {x.name for x in a.benchmarks}
    return replace(
        a,
        variants=(*a.variants, *(v for v in b.variants if v.name not in known)),
        benchmarks=(*a.benchmarks, *(x for x in b.benchmarks if x.name not in benchmarks)),
    )


def _told_apart(a: Study | Commands, b: Study | Commands) -> str:
    """Why they are two questions; empty if they are one."""
    if (a.kind, a.name) != (b.kind, b.name):
        return f"is a result of {_called(b)}, and the first file one of {_called(a)}"
    if a.baselines != b.baselines or a.along != b.along:
        theirs, ours = _names(b.baselines), _names(a.baselines)
        return f"compares with the baseline {theirs}, and the first file with {ours}"
    if a.margin != b.margin:
        return (
            f"was judged with a margin of {b.margin * 100:g} %, and the first file with one "
            f"of {a.margin * 100:g} %"
        )
    if isinstance(a, Study) and isinstance(b, Study):
        if (a.source.kind, a.source.name) != (b.source.kind, b.source.name):
            return f"studies {b.source.name!r}, and the first file {a.source.name!r}"
        if a.claim != b.claim:
            return "audits another claim than the first file"
    return _other_variant(a, b) or _other_benchmark(a, b)


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def _called(question: Study | Commands) -> str:
    return repr(question.name) if isinstance(question, Study) else "whyfast ab"


def _other_variant(a: Study | Commands, b: Study | Commands) -> str:
    ours = {v.name: v for v in a.variants}
    for variant in b.variants:
        found = differences(ours[variant.name], variant) if variant.name in ours else ()
        if found:
            one = found[0]
            sides = [", ".join(w) or "nothing" for w in (one.added, one.removed)]
            return (
                f"its variant {variant.name!r} is another than that of the first file: "
                f"{one.aspect} has {sides[0]} where that has {sides[1]}"
            )
    common = [v.name for v in b.measured if v.name in ours]
    if len(common) < 2:
        theirs, own = (_names([v.name for v in x.measured]) for x in (b, a))
        return f"has no two variants in common with the first file: {theirs}; {own}"
    return ""


def _other_benchmark(a: Study | Commands, b: Study | Commands) -> str:
    ours = {x.name: x for x in a.benchmarks}
    for benchmark in b.benchmarks:
        if benchmark.name in ours and _work(benchmark) != _work(ours[benchmark.name]):
            return (
                f"its benchmark {benchmark.name!r} is another than that of the first file: "
                "runner, command, check or parameter differ"
            )
    if not {x.name for x in b.benchmarks} & ours.keys():
        return "has no benchmark in common with the first file"
    return ""


def _work(benchmark: Benchmark) -> tuple[object, ...]:
    return benchmark.runner, benchmark.command, benchmark.check, benchmark.parameter
