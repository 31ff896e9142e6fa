"""Several runs on one machine as one result, where they answer one question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from whyfast.judge.judge_run import judge_run
from whyfast.model.build import Build
from whyfast.model.errors import UserError
from whyfast.model.result import Recorded, Result
from whyfast.model.study import Commands, Recordings, Study
from whyfast.model.variant import Benchmark, differences


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
    if reason := _told_apart(a, b):
        raise UserError(reason, where=where)
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
        changes = differences(ours[variant.name], variant) if variant.name in ours else ()
        if changes:
            difference = changes[0]
            sides = [", ".join(w) or "nothing" for w in (difference.added, difference.removed)]
            return (
                f"its variant {variant.name!r} is another than that of the first file: "
                f"{difference.aspect} has {sides[0]} where that has {sides[1]}"
            )
    common = [v.name for v in b.measured if v.name in ours]
    if len(common) < 2:
        theirs, known = (_names([v.name for v in x.measured]) for x in (b, a))
        return f"has no two variants in common with the first file: {theirs}; {known}"
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


T = TypeVar("T")

#: What judging raises on records that no whyfast has written.
_DAMAGE = (ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError)


@dataclass(frozen=True)
class OneResult:
    """A result, and ``where`` it came from: a file, a store, a host; ``notes`` on runs of that
    machine which went into it before, or did not."""

    where: str
    result: Result
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class JoinedRuns:
    """``result`` has the blocks of the runs ``used``; ``notes`` say why others are not."""

    result: Result
    used: tuple[str, ...]
    notes: tuple[str, ...] = ()


def join_runs(given: Sequence[OneResult]) -> JoinedRuns:
    """The runs of one machine, oldest first, as one run that went on: each began whatever those
    before had found, so a test that may be looked at after every block stays one.

    A run that is given twice counts once. Runs of other programs than the newest's have no part in
    it; of commands, of which nobody knows whether they are the same, and of exact counts only the
    newest has.
    """
    ordered = sorted(given, key=lambda g: g.result.recorded.started)
    *earlier, newest = ordered
    used, notes = [newest], [note for one in ordered for note in one.notes]
    seen = {newest.result.recorded.run}
    for one in reversed(earlier):
        run = one.result.recorded.run
        if run in seen:
            notes.append(f"{one.where} is a run that was given already, and counts once")
            continue
        seen.add(run)
        why = _not_with(one.result, newest.result)
        if why:
            notes.append(f"{one.where} is an earlier run {why}, and is left out")
        else:
            used.insert(0, one)
    if len(used) == 1:
        return JoinedRuns(newest.result, (newest.where,), tuple(notes))
    return JoinedRuns(_joined(used), tuple(one.where for one in used), tuple(notes))


def _not_with(earlier: Result, newest: Result) -> str:
    """Why the blocks of an earlier run are not joined; empty where they are."""
    if not isinstance(newest.question, Study):
        return "of commands, which may have changed since"
    if "counts" in (earlier.judged.about, newest.judged.about):
        return "of exact counts, of which more tell nothing"
    if earlier.judged.about != newest.judged.about:
        return "without the drawn layouts of the newest, or with them"
    old, new = _programs(earlier), _programs(newest)
    other = [name for name in new if name in old and old[name] != new[name]]
    if other:
        return f"of other programs ({', '.join(map(repr, other[:3]))})"
    return ""


def _programs(result: Result) -> dict[str, str]:
    builds = (b for b in result.recorded.builds if isinstance(b, Build))
    return {b.variant: b.program_sha256 for b in builds}


def _joined(runs: Sequence[OneResult]) -> Result:
    newest = runs[-1].result
    question = newest.question
    assert isinstance(question, Study)
    for run in runs[:-1]:
        assert isinstance(run.result.question, Study)
        question = joined_question(question, run.result.question, run.where)
    records = [run.result.recorded for run in runs]
    # Numbered on, benchmark by benchmark, as one run would have them.
    taken: dict[str, int] = defaultdict(int)
    blocks = []
    for block in (b for r in records for b in r.blocks):
        blocks.append(replace(block, index=taken[block.benchmark]))
        taken[block.benchmark] += 1
    recorded = Recorded(
        run=newest.recorded.run,
        started=records[0].started,
        complete=all(r.complete for r in records),
        seconds={
            p: sum(r.seconds.get(p, 0.0) for r in records) for r in records for p in r.seconds
        },
        sessions=tuple(s for r in records for s in r.sessions),
        toolchains=_last([{t.name: t for t in r.toolchains} for r in records]),
        builds=_last([{b.variant: b for b in r.builds} for r in records]),
        blocks=tuple(blocks),
        failures=tuple(f for r in records for f in r.failures),
        calibrations=_last([{c.benchmark: c for c in r.calibrations} for r in records]),
        boots=newest.recorded.boots,
        same={k: v for r in records for k, v in r.same.items()},
    )
    try:
        judged = judge_run(question, recorded, newest.found.evidence)
    except _DAMAGE as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0][:80]
        raise UserError(
            f"its records cannot be joined with those of an earlier run ({reason}); leave one out",
            where=runs[-1].where,
        ) from None
    return Result(question, recorded, judged, newest.found)


def _last(by_name: Sequence[dict[str, T]]) -> tuple[T, ...]:
    """Of each name the entry of the last run that has it."""
    return tuple({name: entry for run in by_name for name, entry in run.items()}.values())
