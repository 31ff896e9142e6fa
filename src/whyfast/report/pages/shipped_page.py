"""The page of ``whyfast survey shipped``: how interpreters that are shipped dispatch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from whyfast.explain.objects import UNNAMED
from whyfast.model.shipped import ShippedProgram, ShippedRow
from whyfast.report.document import (
    Cell,
    Document,
    Row,
    Table,
    document,
    number_cell,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import join_words, pluralize


def shipped_page(rows: Sequence[ShippedRow]) -> Document:
    """The answer for each suite, findings, the table, and what is missing."""
    suites = list(dict.fromkeys(row.suite for row in rows))
    return document(
        "shipped",
        "",
        " ".join(_answer(suite, rows) for suite in suites),
        section("findings", "Merged by the compiler", _findings(rows), importance="answer"),
        section("table", "What is shipped", shipped_table(rows)),
        section("missing", "What could not be seen", sentences(_missing(rows))),
        heading="Shipped interpreters",
    )


def _answer(suite: str, rows: Sequence[ShippedRow]) -> str:
    """How many of the threaded interpreters of a suite are merged."""
    threaded = [r for r in rows if r.suite == suite and r.program.source == "threaded"]
    seen = [r for r in threaded if r.verdict not in ("failed", "not shipped", "not found")]
    verdicts = Counter(r.verdict for r in seen)
    if not seen:
        return f"No interpreter that is written as threaded code was found in {suite}."
    parts = [f"{verdicts['merged']} merged", f"{verdicts['partly merged']} partly merged"]
    return (
        f"Of {pluralize(len(seen), 'interpreter')} in {suite} that are written as threaded code, "
        f"{join_words(parts)}."
    )


def _findings(rows: Sequence[ShippedRow]) -> Table | None:
    """Threaded sources whose machine code shares the dispatch."""
    found = [r for r in rows if r.verdict in ("merged", "partly merged")]
    cells: list[Row] = [
        (r.program.name, r.suite, r.version, _form(r), *_numbers(r), r.program.by) for r in found
    ]
    columns = ("interpreter", "suite", "version", "dispatch", *right("jumps", "opcodes"), "by")
    return table("Threaded in the source, not in the machine code", columns, cells, fixed=2)


def shipped_table(rows: Sequence[ShippedRow]) -> Table | None:
    """All that is shipped, a row for each program and suite."""
    cells: list[Row] = [
        (
            *(r.program.name, r.suite, f"{r.package} {r.version}", r.compiler or None),
            *(_form(r), *_numbers(r), _where(r)),
            Cell(r.program.source, r.program.by),
            _verdict(r),
        )
        for r in rows
        if r.verdict not in ("failed", "not shipped")
    ]
    columns = (
        *("interpreter", "suite", "package", "compiler", "dispatch"),
        *right("jumps", "opcodes"),
        *("function", "source", "verdict"),
    )
    return table("Interpreters of Debian", columns, cells, fixed=2)


def _form(row: ShippedRow) -> str | None:
    if row.facts is None:
        return None
    tails = ", by tail calls" if row.facts.style == "tail-call" else ""
    return f"{row.facts.form}{tails}"


def _numbers(row: ShippedRow) -> tuple[Cell | None, Cell | None]:
    if row.facts is None:
        return None, None
    targets = row.facts.targets
    return number_cell(row.facts.indirect_jumps), None if targets is None else number_cell(targets)


def _where(row: ShippedRow) -> str | None:
    """The loop, by its address where it has no name."""
    if not row.function:
        return None
    loop = f"the loop at {row.function}" if UNNAMED.fullmatch(row.function) else row.function
    return f"{loop} of {row.file}"


def _verdict(row: ShippedRow) -> Cell:
    note = row.program.note
    return Cell(row.verdict, "; ".join(text for text in (note, row.why) if text))


def _missing(rows: Sequence[ShippedRow]) -> Iterator[str]:
    """Programs that no suite ships, packages that failed, and what no row can say."""
    shipped = {r.program.name for r in rows if r.verdict != "not shipped"}
    programs: dict[str, ShippedProgram] = {r.program.name: r.program for r in rows}
    for name, program in programs.items():
        if name not in shipped:
            yield f"{name}: no suite has {' or '.join(program.packages)}."
    for row in rows:
        if row.verdict == "not found":
            yield (
                f"{row.program.name} in {row.suite}: the {row.program.source} loop of its source "
                "was not found."
            )
        if row.verdict == "failed":
            yield f"{row.program.name} in {row.suite}: {row.why}."
    if any(r.facts is not None and not r.compiler for r in rows):
        yield (
            "Debian removes the compiler's note (.comment) from what it ships; without debug "
            "symbols the compiler is not known."
        )
