"""What differs between a culprit and its parent: because, beside since."""

from __future__ import annotations

from collections.abc import Iterator

from whyfast.model.check import FunctionChange, Reach
from whyfast.report.document import CodeBlock, Group, Table, group, right, table
from whyfast.report.names import count, listed, shown, visible
from whyfast.report.topics.changed_code import change_sentence
from whyfast.search.step_evidence import StepEvidence

#: Names that a sentence lists before it only counts the rest, and functions whose code is shown.
_NAMES, _SHOWN = 5, 3


def because(evidence: StepEvidence) -> str:
    """The difference that matters most, as the end of a sentence; empty where nothing is known.

    A function that a benchmark executes goes before one that may run, the costliest first.
    """
    code = evidence.code
    if code.same:
        return "its machine code is that of its parent, so it is none of what the program computes"
    executed = [n for r in evidence.reaches for n in r.executes or ()]
    by_name = {f.name: f for f in code.reached}
    for name in executed:
        if name in by_name:
            return f"{change_sentence(by_name[name])}, which the benchmark executes"
    if evidence.reaches and all(r.placement_only for r in evidence.reaches):
        return "no benchmark executes a function that differs: only the place of its code does"
    changed = sorted(code.reached, key=lambda f: -abs(f.sizes[1] - f.sizes[0]))
    return change_sentence(changed[0]) if changed else ""


def evidence_sentences(evidence: StepEvidence) -> Iterator[str]:
    """Functions, who executes them, dispatch, and source."""
    code = evidence.code
    if code.same:
        how = "byte by byte" if code.identical else "up to addresses"
        yield f"The machine code of culprit and parent is the same {how}."
    elif code.reached:
        names = _some([f"`{visible(f.name)}`" for f in code.reached])
        yield f"The machine code of {count(len(code.reached), 'function')} differs: {names}."
        inlined = [f for f in code.reached if f.calls or f.called]
        for one in inlined[:_NAMES]:
            yield f"{change_sentence(one)}."
    for reason in code.reasons[:_NAMES]:
        yield f"It cannot be shown that nothing else differs: {reason}."
    for reach in evidence.reaches:
        yield _reach(reach)
    if evidence.dispatch is not None:
        before, after = evidence.dispatch
        if (before.form, before.indirect_jumps) == (after.form, after.indirect_jumps):
            yield (
                f"The dispatch is the same: {after.form}, "
                f"{count(after.indirect_jumps, 'indirect jump')}."
            )
        else:
            yield (
                f"The dispatch went from {before.form} "
                f"({count(before.indirect_jumps, 'indirect jump')}) to {after.form} "
                f"({after.indirect_jumps})."
            )
    if evidence.files:
        yield f"In the source it changes {_some([f'`{visible(f)}`' for f in evidence.files])}."


def _reach(reach: Reach) -> str:
    name = shown(reach.benchmark)
    if reach.executes is None:
        return f"Whether {name} executes what differs is not known: {reach.why}."
    if not reach.executes:
        return f"{name} executes no function that differs: only where its code lies does."
    said = f"{name} executes {_some([f'`{visible(n)}`' for n in reach.executes])}"
    if reach.instructions is not None:
        before, after = reach.instructions
        said += f"; {before:,.0f} instructions became {after:,.0f}, simulated"
    return f"{said}."


def sections_table(evidence: StepEvidence) -> Table | None:
    """The sections whose size differs."""
    return table(
        "Sections whose size differs, in bytes",
        ("section", *right("parent", "culprit")),
        ((s.name, f"{s.before:,}", f"{s.after:,}") for s in evidence.sections),
    )


def code_shown(evidence: StepEvidence) -> Group | None:
    """The instructions that differ, of the functions that matter most."""
    executed = {n for r in evidence.reaches for n in r.executes or ()}
    order = sorted(
        (f for f in evidence.code.reached if f.diff),
        key=lambda f: (f.name not in executed, -abs(f.sizes[1] - f.sizes[0])),
    )
    blocks = [_code(f) for f in order[:_SHOWN]]
    made = group("Instructions that differ", *blocks)
    return made if isinstance(made, Group) else None


def _code(function: FunctionChange) -> CodeBlock:
    return CodeBlock((f"{visible(function.name)}:", *function.diff), "diff")


def _some(items: list[str]) -> str:
    if len(items) <= _NAMES:
        return listed(items)
    return f"{', '.join(items[:_NAMES])} and {len(items) - _NAMES} more"
