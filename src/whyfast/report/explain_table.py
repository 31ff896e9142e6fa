"""Machine code facts as tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from whyfast.explain.function_differences import Calls, FunctionDifference
from whyfast.explain.survey import Survey
from whyfast.model.evidence import Evidence
from whyfast.model.trouble import Trouble
from whyfast.report.trouble_text import trouble_sentences

_CALLEES_SHOWN = 6


def print_survey(console: Console, survey: Survey) -> None:
    """What a whole program contains, and its likeliest dispatching functions."""
    totals = survey.totals
    table = _table(f"{survey.evidence.variant} ({survey.evidence.architecture})")
    for column in ("function", "dispatch"):
        table.add_column(column, overflow="fold")
    _numeric(table, "targets", "indirect jumps", "instructions", "bytes")
    if survey.handlers:
        name, group = survey.handlers
        table.add_row(
            Text(name),
            f"{group.form}, tail calls of {group.functions:,} functions",
            "–" if group.targets is None else f"{group.targets:,}",
            f"{group.indirect_jumps:,}",
            f"{group.instructions:,}",
            f"{group.size:,}",
        )
    for facts, dispatch in survey.candidates:
        table.add_row(
            Text(facts.name),
            Text(dispatch.form),
            "–" if dispatch.targets is None else f"{dispatch.targets:,}",
            f"{facts.indirect_jumps:,}",
            f"{facts.instructions:,}",
            f"{facts.size:,}",
        )
    table.add_section()
    table.add_row(
        f"all {totals.functions:,} functions",
        f"{totals.jumping:,} jump indirectly",
        "",
        f"{totals.indirect_jumps:,}",
        f"{totals.instructions:,}",
        f"{totals.size:,}",
    )
    _print(console, table)
    _print_notes(console, survey.evidence)


def print_dispatch(console: Console, programs: Sequence[Evidence]) -> None:
    """How each program dispatches, with the reason; nothing when none has an indirect jump."""
    shown = [(e, e.dispatch) for e in programs if e.dispatch and e.dispatch.style != "none"]
    if not shown:
        return
    table = _table("dispatch")
    for column in ("program", "style", "form"):
        table.add_column(column, overflow="fold")
    _numeric(table, "indirect jumps", "targets")
    table.add_column("because", overflow="fold", ratio=1)
    for evidence, facts in shown:
        table.add_row(
            Text(evidence.variant),
            facts.style,
            facts.form,
            f"{facts.indirect_jumps:,}",
            "–" if facts.targets is None else f"{facts.targets:,}",
            Text(facts.reason),
        )
    _print(console, table)


def print_functions(console: Console, evidence: Evidence) -> None:
    """The facts of one program's functions."""
    table = _table(f"{evidence.variant} ({evidence.architecture})")
    table.add_column("function", overflow="fold")
    _numeric(table, "bytes", "instructions", "indirect jumps", "calls", "indirect calls")
    _numeric(table, "tail jumps")
    for f in evidence.functions:
        numbers = (f.size, f.instructions, f.indirect_jumps, f.direct_calls, f.indirect_calls)
        table.add_row(Text(f.name), *(f"{n:,}" for n in (*numbers, f.tail_jumps)))
    _print(console, table)
    _print_notes(console, evidence)


def print_comparison(
    console: Console,
    a: Evidence,
    b: Evidence,
    differences: Sequence[FunctionDifference],
    unmatched: tuple[Sequence[str], Sequence[str]],
) -> None:
    """The functions of two programs that differ, and how many do not."""
    differing = [d for d in differences if d.differs]
    table = _table(f"{a.variant} → {b.variant}")
    table.add_column("function", overflow="fold")
    _numeric(table, "bytes", "instructions", "indirect jumps", "calls")
    table.add_column(f"called only in {a.variant}", overflow="fold")
    table.add_column(f"called only in {b.variant}", overflow="fold")
    for d in differing:
        table.add_row(
            Text(d.name),
            _change(d.a.size, d.b.size),
            _change(d.a.instructions, d.b.instructions),
            _change(d.a.indirect_jumps, d.b.indirect_jumps),
            _change(d.a.direct_calls, d.b.direct_calls),
            _callees(d.calls_only_in_a),
            _callees(d.calls_only_in_b),
        )
    if differing:
        _print(console, table)
    same = len(differences) - len(differing)
    console.print(f"{len(differing)} of the functions in both differ, {same} have the same counts.")
    for evidence, names in ((a, unmatched[0]), (b, unmatched[1])):
        if names:
            listed = ", ".join(names[:_CALLEES_SHOWN]) + (", …" if names[_CALLEES_SHOWN:] else "")
            console.print(Text(f"Only in {evidence.variant}: {len(names)} ({listed})"))


def print_traces(
    console: Console, programs: Sequence[Evidence], troubles: Sequence[Trouble]
) -> None:
    """What handlers save, traces of compiler options, and symptoms of compilers' troubles."""
    for program in programs:
        name, entry = program.variant, program.entry
        if entry is not None and entry.saving:
            console.print(
                Text(
                    f"{name}: before their first branch or call, {entry.saving} of "
                    f"{entry.handlers} handlers save registers: {entry.pushes} pushes and "
                    f"{entry.spills} spills in all"
                )
            )
        for trace in program.options or ():
            seen = f"in the code of {trace.handlers} of {trace.of} dispatching functions"
            recorded = f"recorded as {trace.recorded}" if trace.recorded else ""
            said = [seen] * (trace.handlers > 0) + [recorded] * bool(recorded)
            console.print(Text(f"{name}: {trace.option}, {' and '.join(said)}"))
    for said_of in trouble_sentences(troubles, ()):
        console.print(Text(said_of.replace("`", "")))


def _print(console: Console, table: Table) -> None:
    console.print(table)
    console.print()


def _table(title: str) -> Table:
    return Table(
        title=Text(title),
        title_justify="left",
        title_style="bold",
        header_style="",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def _numeric(table: Table, *columns: str) -> None:
    for column in columns:
        # A number is never cut, a heading never within a word.
        widest = max(len(word) for word in column.split())
        table.add_column(column, justify="right", min_width=widest)


def _change(a: int, b: int) -> str:
    return f"{a:,}" if a == b else f"{a:,} → {b:,}"


def _callees(calls: Calls) -> Text:
    text = ", ".join(f"{n} × {name}" if n > 1 else name for name, n in calls[:_CALLEES_SHOWN])
    return Text(text + (", …" if calls[_CALLEES_SHOWN:] else ""))


def _print_notes(console: Console, evidence: Evidence) -> None:
    for pattern in evidence.missing:
        console.print(Text(f"no function of {evidence.variant} matches {pattern}"))
    for note in evidence.notes:
        console.print(Text(f"{evidence.variant}: {note}"))


def print_architectures(console: Console, programs: Sequence[Evidence]) -> None:
    """A warning when the programs are for different processors."""
    found = list(dict.fromkeys(p.architecture for p in programs))
    if len(found) > 1:
        console.print(
            f"The programs are for {' and '.join(found)}: how they dispatch can be compared, "
            "bytes and numbers of instructions cannot.",
            soft_wrap=True,
            highlight=False,
        )
