"""Results of one study from several machines, joined: each with its own verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from whyfast.fleet.joining import OneResult, join_runs
from whyfast.fleet.same_question import joined_question, measured_question
from whyfast.fleet.sound_blocks import check_blocks
from whyfast.fleet.which_machine import machine_of, same_boot, same_machine
from whyfast.judge.between_machines import blocks_to_tell, judge_between
from whyfast.judge.fleet_confounds import fleet_confounds
from whyfast.judge.pooled import pool_machines
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.merged import Lacks, MachineResult, Merged
from whyfast.model.question import Commands
from whyfast.model.result import Result
from whyfast.model.study import Study
from whyfast.model.verdict import Confound


def merge_results(given: Sequence[OneResult]) -> Merged:
    """Each machine's own verdicts side by side, and what tells the machines apart.

    Runs of one machine are joined first. Times of two machines are never compared: only ratios
    are, each measured on one machine. UserError for no results, and for such as do not answer one
    question, naming the first that does not.
    """
    if not given:
        raise UserError("nothing to merge: name two or more results")
    question: Study | Commands | None = None
    for one in given:
        own = measured_question(one.result, one.where)
        check_blocks(one.result, one.where)
        _check_quantity(given[0].result, one)
        question = own if question is None else joined_question(question, own, one.where)
    assert question is not None
    groups = _by_machine(given)
    joined = [join_runs(group) for group in groups]
    names = _names([machine_of(one.result).name for one in joined])
    machines = tuple(
        MachineResult(replace(machine_of(one.result), name=name), one.used, one.result, one.said)
        for name, one in zip(names, joined, strict=True)
    )
    results = {m.machine.name: m.result for m in machines}
    said = [Confound("runs", text, "note") for one in joined for text in one.said]
    return Merged(
        question,
        machines,
        judge_between(results),
        pool_machines(results),
        tuple(_lacking(question, results)),
        (*_two_names(machines), *fleet_confounds(results), *said),
        blocks_to_tell(results),
    )


def _check_quantity(first: Result, one: OneResult) -> None:
    """Instructions, as kernels are counted where there is no KVM, are not compared with times."""
    counted = [r.judged.about == "counts" for r in (one.result, first)]
    if counted[0] != counted[1]:
        does, first_does = ("counts instructions" if c else "measures times" for c in counted)
        raise UserError(f"{does}, and the first file {first_does}", where=one.where)


def _by_machine(given: Sequence[OneResult]) -> list[list[OneResult]]:
    groups: list[list[OneResult]] = []
    for one in given:
        for group in groups:
            if any(same_machine(one.result, other.result) for other in group):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _names(names: Sequence[str]) -> list[str]:
    """The second of one name is ``name (2)``."""
    taken, found = set(names), []
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        while seen[name] > 1 and f"{name} ({seen[name]})" in taken:
            seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
        taken.add(found[-1])
    return found


def _two_names(machines: Sequence[MachineResult]) -> Iterator[Confound]:
    """One boot of one kernel to which users gave several names."""
    groups: list[list[MachineResult]] = []
    for one in machines:
        for group in groups:
            if same_boot(group[0].result, one.result):
                group.append(one)
                break
        else:
            groups.append([one])
    for group in groups:
        if len(group) > 1:
            names = ", ".join(m.machine.name for m in group)
            yield Confound(
                "one-machine",
                f"{names} are one machine under {len(group)} names: they ran under the same boot",
            )


def _lacking(question: Study | Commands, results: Mapping[str, Result]) -> Iterator[Lacks]:
    """What some machine has a verdict on, and another has not."""
    judged = {
        name: {(v.benchmark, side) for v in r.judged.verdicts for side in (v.variant, v.baseline)}
        for name, r in results.items()
    }
    every = set[tuple[str | None, str]]().union(*judged.values())
    for name, result in results.items():
        same = result.recorded.same
        for variant in question.variants:
            wanted = [b.name for b in question.benchmarks if (b.name, variant.name) in every]
            own = same.get(variant.name, variant.name)
            missing = [b for b in wanted if (b, own) not in judged[name]]
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
    for unmet in result.found.unmet:
        if unmet.variant == variant and unmet.found is not None:
            return f"not what it should be: {unmet.key} {unmet.found}, not {unmet.wanted}"
    for failure in result.recorded.failures:
        if failure.variant == variant and benchmark in (None, failure.benchmark):
            return failure.reason
    if benchmark and benchmark not in {b.name for b in result.question.benchmarks}:
        return "that benchmark is not part of that run"
    return "not measured there" if result.recorded.complete else "the run is not complete"
