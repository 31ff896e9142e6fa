"""Results of one study from several machines, joined: each with its own verdicts.

A machine is told by what the sessions of its results say of it: see :func:`same_machine`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from whyfast.fleet.joining import OneResult, join_runs, joined_question, measured_question
from whyfast.judge.machines import blocks_to_tell, fleet_confounds, judge_between, pool_machines
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.result import Lacks, Machine, MachineResult, Merged, Result
from whyfast.model.sample import Session
from whyfast.model.study import Commands, Study
from whyfast.model.verdict import Confound


def check_blocks(result: Result, where: str) -> None:
    """UserError for a value that no clock gives, and for blocks whose variants took unequal numbers
    of turns."""
    for number, block in enumerate(result.recorded.blocks):
        place = f"recorded.blocks[{number}]"
        if block.loops < 1:
            raise UserError(f"{place}.loops: {block.loops}; expected 1 or more", where=where)
        if len({len(values) for values in block.values.values()}) > 1:
            raise UserError(f"{place}.values: variants have unequal numbers of turns", where=where)
        for variant, values in block.values.items():
            if not values or not all(0 < v < math.inf for v in values):
                raise UserError(f"{place}.values.{variant}: expected times above 0", where=where)


#: Facts of a session's environment that are shown of a machine, in the order of reports.
FACTS = (
    *("cpu_model", "cpus", "architecture", "hypervisor", "system", "os", "hostname"),
    *("governor", "smt", "spectre_v2", "whyfast"),
)
UNNAMED = "unnamed"


def main_session(result: Result) -> Session | None:
    """The session that took most blocks; None where there is none."""
    blocks = Counter(b.session for b in result.recorded.blocks)
    return max(result.recorded.sessions, key=lambda s: blocks[s.id], default=None)


def machine_of(result: Result) -> Machine:
    """By the name that its user gave it (``WHYFAST_MACHINE``), else by its host's."""
    facts = _environment(result)
    name = _text(facts, "machine") or _text(facts, "hostname") or UNNAMED
    return Machine(name, {key: text for key in FACTS if (text := _text(facts, key))})


def same_machine(a: Result, b: Result) -> bool:
    """Whether both were measured on one machine.

    Names that users gave decide. Else one boot is one machine, whatever a container calls it, and
    so is one installation (``machine_id``) under one name of a host, as copies of an image may
    share the first; what neither tells is told by the host's name and CPU.
    """
    first, other = _environment(a), _environment(b)
    if not any(_names(first, other)) and same_boot(a, b):
        return True
    return same_environment(first, other)


def same_environment(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether these environments of sessions are of one machine, as :func:`same_machine`."""
    if any(named := _names(one, other)):
        return named[0] == named[1]
    if _text(one, "boot_id") and _text(one, "boot_id") == _text(other, "boot_id"):
        return True
    keys = ("machine_id", "hostname")
    if _text(one, "machine_id") and _text(other, "machine_id"):
        return all(_text(one, key) == _text(other, key) for key in keys)
    known = ("hostname", "cpu_model")
    return bool(_text(one, "hostname")) and all(_text(one, k) == _text(other, k) for k in known)


def same_boot(a: Result, b: Result) -> bool:
    """Whether some session of one ran under the same boot of a kernel as one of the other."""
    first, other = (
        {_text(s.environment, "boot_id") for s in result.recorded.sessions} - {""}
        for result in (a, b)
    )
    return bool(first & other)


def _names(one: Mapping[str, object], other: Mapping[str, object]) -> tuple[str, str]:
    """Those that users gave."""
    return _text(one, "machine"), _text(other, "machine")


def _environment(result: Result) -> Mapping[str, object]:
    session = main_session(result)
    return session.environment if session else {}


def _text(facts: Mapping[str, object], key: str) -> str:
    value = facts.get(key)
    return str(value) if isinstance(value, str | int | float) else ""


def merge_results(given: Sequence[OneResult]) -> Merged:
    """Each machine's own verdicts side by side, and what tells the machines apart.

    Runs of one machine are joined first. Times of two machines are never compared: only ratios
    are, each measured on one machine. UserError for no results, and for such as do not answer one
    question, naming the first that does not.
    """
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
    names = _merging_names([machine_of(runs.result).name for runs in joined])
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
    """Each item with the first group that has one of the same."""
    groups: list[list[_T]] = []
    for item in items:
        group = next((g for g in groups if any(same(item, other) for other in g)), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
    return groups


def _merging_names(names: Sequence[str]) -> list[str]:
    """The second of one name is ``name (2)``."""
    taken, unique = set(names), []
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        while seen[name] > 1 and f"{name} ({seen[name]})" in taken:
            seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
        taken.add(unique[-1])
    return unique


def _two_names(machines: Sequence[MachineResult]) -> Iterator[Confound]:
    """One boot of one kernel to which users gave several names."""
    for group in _grouped(machines, lambda a, b: same_boot(a.result, b.result)):
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
