"""Results of one study from several machines, joined, each machine with its own verdicts. Several
runs on one machine become one result. Sessions identify a machine: see :func:`same_machine`."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from whyfast.judge.judge_run import judge_run
from whyfast.judge.machines import blocks_to_tell, fleet_confounds, judge_between, pool_machines
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.result import Lacks, Machine, MachineResult, Merged, OneResult, Recorded, Result
from whyfast.model.study import Commands, Recordings, Study
from whyfast.model.variant import Benchmark, differences, distinct_names
from whyfast.model.verdict import Confound


def check_blocks(result: Result, where: str) -> None:
    """UserError for impossible times, and for variants with unequal numbers of turns."""
    for number, block in enumerate(result.recorded.blocks):
        place = f"recorded.blocks[{number}]"
        if block.loops < 1:
            raise UserError(f"{place}.loops: {block.loops}; expected 1 or more", where=where)
        if len({len(values) for values in block.values.values()}) > 1:
            raise UserError(f"{place}.values: variants have unequal numbers of turns", where=where)
        for variant, values in block.values.items():
            if not values or not all(0 < v < math.inf for v in values):
                raise UserError(f"{place}.values.{variant}: expected times above 0", where=where)


#: Facts of a session's environment that reports show of a machine, in order.
FACTS = (
    *("cpu_model", "cpus", "architecture", "hypervisor", "system", "os", "hostname"),
    *("governor", "smt", "spectre_v2", "whyfast"),
)
UNNAMED = "unnamed"


def machine_of(result: Result) -> Machine:
    """The machine under its user's name for it (``WHYFAST_MACHINE``), else its host name."""
    facts = _environment(result)
    name = _text(facts, "machine") or _text(facts, "hostname") or UNNAMED
    return Machine(name, {key: text for key in FACTS if (text := _text(facts, key))})


def same_machine(a: Result, b: Result) -> bool:
    """Whether both were measured on one machine. Names by users decide; else one boot, whatever the
    host name in a container, or one installation (``machine_id``) with one host name; else host
    name and CPU."""
    first, other = _environment(a), _environment(b)
    if not any(_given_names(first, other)) and same_boot(a, b):
        return True
    return same_environment(first, other)


def same_environment(a: Mapping[str, object], b: Mapping[str, object]) -> bool:
    """As :func:`same_machine`, for the environments of two sessions."""
    names = _given_names(a, b)
    if any(names):
        return names[0] == names[1]

    def equal(key: str) -> bool:
        return _text(a, key) == _text(b, key)

    if _text(a, "boot_id") and equal("boot_id"):
        return True
    if _text(a, "machine_id") and _text(b, "machine_id"):
        return equal("machine_id") and equal("hostname")
    return bool(_text(a, "hostname")) and equal("hostname") and equal("cpu_model")


def same_boot(a: Result, b: Result) -> bool:
    """Whether some session of one ran under the same boot of a kernel as one of the other."""
    first, other = (
        {_text(s.environment, "boot_id") for s in result.recorded.sessions} - {""}
        for result in (a, b)
    )
    return bool(first & other)


def _given_names(a: Mapping[str, object], b: Mapping[str, object]) -> tuple[str, str]:
    return _text(a, "machine"), _text(b, "machine")


def _environment(result: Result) -> Mapping[str, object]:
    blocks = Counter(b.session for b in result.recorded.blocks)
    session = max(result.recorded.sessions, key=lambda s: blocks[s.id], default=None)
    return session.environment if session else {}


def _text(facts: Mapping[str, object], key: str) -> str:
    value = facts.get(key)
    return str(value) if isinstance(value, str | int | float) else ""


def merge_results(given: Sequence[OneResult]) -> Merged:
    """Each machine's own verdicts side by side, and the differences between machines: only of
    ratios, each measured on one machine. Runs of one machine are joined first. UserError for no
    results, and for the first result with another question."""
    if not given:
        raise UserError("nothing to merge: name two or more results")
    question: Study | Commands | None = None
    counts = [r.result.judged.about == "counts" for r in given]
    for run, counted in zip(given, counts, strict=True):
        asked = measured_question(run.result, run.where)
        check_blocks(run.result, run.where)
        if counted != counts[0]:
            # Instructions, as kernels are counted where there is no KVM.
            words = ("measures times", "counts instructions")
            raise UserError(
                f"{words[counted]}, and the first file {words[counts[0]]}", where=run.where
            )
        question = asked if question is None else joined_question(question, asked, run.where)
    assert question is not None
    groups = _grouped(given, lambda a, b: same_machine(a.result, b.result))
    joined = [join_runs(group) for group in groups]
    names = distinct_names([machine_of(runs.result).name for runs in joined], ())
    machines = tuple(
        MachineResult(
            replace(machine_of(runs.result), name=name), runs.used, runs.result, runs.notes
        )
        for name, runs in zip(names, joined, strict=True)
    )
    results = {m.machine.name: m.result for m in machines}
    notes = [Confound("runs", text, "note") for runs in joined for text in runs.notes]
    return Merged(
        question,
        machines,
        judge_between(results),
        pool_machines(results),
        tuple(_lacking(question, results)),
        (*_two_names(machines), *fleet_confounds(results), *notes),
        blocks_to_tell(results),
    )


_T = TypeVar("_T")


def _grouped(items: Iterable[_T], same: Callable[[_T, _T], bool]) -> list[list[_T]]:
    groups: list[list[_T]] = []
    for item in items:
        group = next((g for g in groups if any(same(item, other) for other in g)), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
    return groups


def _two_names(machines: Sequence[MachineResult]) -> Iterator[Confound]:
    """Machines with different names by users under one boot of a kernel."""
    for group in _grouped(machines, lambda a, b: same_boot(a.result, b.result)):
        if len(group) > 1:
            names = ", ".join(m.machine.name for m in group)
            yield Confound(
                "one-machine",
                f"{names} are one machine under {len(group)} names: they ran under the same boot",
            )


def _lacking(question: Study | Commands, results: Mapping[str, Result]) -> Iterator[Lacks]:
    """Variants and benchmarks with a verdict on some machine and none on another."""
    judged = {
        name: {(v.benchmark, side) for v in r.judged.verdicts for side in (v.variant, v.baseline)}
        for name, r in results.items()
    }
    every = set[tuple[str | None, str]]().union(*judged.values())
    for name, result in results.items():
        same = result.recorded.same
        for variant in question.variants:
            wanted = [b.name for b in question.benchmarks if (b.name, variant.name) in every]
            stand_in = same.get(variant.name, variant.name)
            missing = [b for b in wanted if (b, stand_in) not in judged[name]]
            if missing and len(missing) == len(wanted):
                yield Lacks(name, variant.name, None, _why(result, variant.name, None))
            else:
                for benchmark in missing:
                    why = _why(result, variant.name, benchmark)
                    yield Lacks(name, variant.name, benchmark, why)


def _why(result: Result, variant: str, benchmark: str | None) -> str:
    if variant not in {v.name for v in result.question.measured}:
        return "not part of that run"
    for build in result.recorded.builds:
        if isinstance(build, BuildFailure) and build.variant == variant:
            return build.reason
    for failed in result.found.failed_expectations:
        if failed.variant == variant and failed.found is not None:
            return f"not what it should be: {failed.key} {failed.found}, not {failed.wanted}"
    for failure in result.recorded.failures:
        if failure.variant == variant and benchmark in (None, failure.benchmark):
            return failure.reason
    if benchmark and benchmark not in {b.name for b in result.question.benchmarks}:
        return "that benchmark is not part of that run"
    return "not measured there" if result.recorded.complete else "the run is not complete"


def measured_question(result: Result, where: str) -> Study | Commands:
    """The question of a result that can be merged. UserError for a comparison of recorded runs,
    which has no blocks, and for a result without verdicts."""
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
    """``a`` with the variants and benchmarks that only ``b`` has. UserError about ``where`` (that
    of ``b``) if they are different questions."""
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
    """How the questions differ; empty if they are one."""
    if (a.kind, a.name) != (b.kind, b.name):
        return f"a result of {_called(b)}; expected one of {_called(a)}, as the first file"
    if a.baselines != b.baselines or a.along != b.along:
        theirs, ours = _names(b.baselines), _names(a.baselines)
        return f"baseline {theirs}; expected {ours}, as in the first file"
    if a.margin != b.margin:
        return f"margin {b.margin * 100:g} %; expected {a.margin * 100:g} %, as in the first file"
    if isinstance(a, Study) and isinstance(b, Study):
        if (a.source.kind, a.source.name) != (b.source.kind, b.source.name):
            return f"source {b.source.name!r}; expected {a.source.name!r}, as in the first file"
        if a.claim != b.claim:
            return "claim differs from that of the first file"
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
                f"variant {variant.name!r} differs from that of the first file: "
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
                f"benchmark {benchmark.name!r} differs from that of the first file: "
                "runner, command, check or parameter differ"
            )
    if not {x.name for x in b.benchmarks} & ours.keys():
        return "has no benchmark in common with the first file"
    return ""


def _work(benchmark: Benchmark) -> tuple[object, ...]:
    return benchmark.runner, benchmark.command, benchmark.check, benchmark.parameter


#: What judging raises on records that no whyfast has written.
_DAMAGE = (ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError)


@dataclass(frozen=True)
class JoinedRuns:
    """``result`` has the blocks of the runs ``used``; ``notes`` say why others are not."""

    result: Result
    used: tuple[str, ...]
    notes: tuple[str, ...] = ()


def join_runs(given: Sequence[OneResult]) -> JoinedRuns:
    """The runs of one machine, oldest first, as one that went on: none was started because of
    results before, so a sequential test stays valid. Repeated runs count once, those of other
    programs than the newest's are left out; of commands and of exact counts only the newest is
    used."""
    ordered = sorted(given, key=lambda g: g.result.recorded.started)
    *earlier, newest = ordered
    used, notes = [newest], [note for run in ordered for note in run.notes]
    seen = {newest.result.recorded.run}
    for run in reversed(earlier):
        number = run.result.recorded.run
        if number in seen:
            notes.append(f"{run.where} repeats a run, which counts once")
            continue
        seen.add(number)
        why = _not_with(run.result, newest.result)
        if why:
            notes.append(f"{run.where} is an earlier run {why}, and is left out")
        else:
            used.insert(0, run)
    if len(used) == 1:
        return JoinedRuns(newest.result, (newest.where,), tuple(notes))
    return JoinedRuns(_joined(used), tuple(run.where for run in used), tuple(notes))


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
    # Numbered for each benchmark, as in one run.
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


def _last(by_name: Sequence[dict[str, _T]]) -> tuple[_T, ...]:
    return tuple({name: entry for run in by_name for name, entry in run.items()}.values())
