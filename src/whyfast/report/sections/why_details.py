"""Everything in the account of a difference: pictures, tables and the method."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from whyfast.model.why import PARTS, Account, Change, Fact, Frame, Item
from whyfast.report.document import (
    NOTHING,
    BarPart,
    Block,
    Cell,
    CountedSides,
    FlameGraph,
    ReportSection,
    Row,
    ShareBars,
    Table,
    detail,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import format_amount, format_seconds
from whyfast.report.sections.why import (
    LEAST,
    PART_NAMES,
    account_table,
    capitalized,
    interval_text,
    kind_text,
    named_above,
    nothing_to_explain,
    of_difference,
    said,
    share_text,
    short_names,
    under_headline,
    where_cell,
    where_text,
)

#: Functions in the table of functions.
_FUNCTIONS = 20


def why_sections(account: Account | None) -> tuple[ReportSection | None, ...]:
    """The account as pictures, tables and sentences."""
    if account is None:
        return ()
    if nothing_to_explain(account):
        return (
            section("why", "Why", sentences(map(capitalized, account.limits)), importance="main"),
        )
    return (
        section(
            "why",
            "What the difference consists of",
            _bars(account),
            account_table(account),
            sentences(_statements(account)),
            importance="answer",
        ),
        detail("why-functions", "Functions", *_functions(account)),
        detail("why-code", "The code that carries most", _code(account)),
        detail("why-calls", "System calls and waits", _calls(account)),
        detail("why-facts", "What the causes rest on", _facts(account), _trials(account)),
        detail(
            "why-method",
            "How the account was made",
            _split(account),
            sentences(_method(account), aside=True),
        ),
    )


def _statements(account: Account) -> Iterator[str]:
    yield from under_headline(account)
    for cause in account.causes[len(named_above(account)[:2]) :]:
        if cause.share >= LEAST:
            yield capitalized(f"{said(cause, account)}; {of_difference(cause.share)}.")


def _bars(account: Account) -> ShareBars:
    """Both divide the difference: by part of the time, and by cause. What goes the other way is in
    the tables only."""
    whole = account.time.difference
    parts = [
        BarPart(name, account.split[part].difference / whole)
        for part, name in PART_NAMES.items()
        if part in account.split and account.split[part].difference / whole >= LEAST
    ]
    causes = [
        BarPart(": ".join(filter(None, (kind_text(cause), where_text(cause)))), cause.share)
        for cause in account.causes
        if cause.share >= LEAST
    ]
    rest = 1 - sum(c.share for c in causes)
    if rest >= LEAST:
        causes.append(BarPart("not explained", rest, rest=True))
    return ShareBars((("cause", tuple(causes)), ("time", tuple(parts))))


def _functions(account: Account) -> Iterator[Block | None]:
    sides = right(*short_names(account), "difference", "share")
    if account.frames is not None:
        fast, slow = short_names(account)
        caption = (
            f"Who calls whom in {slow}: a box is as wide as the time in a function with all that "
            f"it calls. Red takes longer than in {fast}, blue less. Some functions of libraries "
            "do not show who calls them"
        )
        yield FlameGraph(caption, account.frames, fast, slow)
    rows: list[Row] = [
        (_place(item), *_times(item.time, account), ", ".join(item.callers))
        for item in account.items
        if item.part == "user" and abs(item.share) >= LEAST
    ]
    yield table("Time in functions themselves", ("function", *sides, "called from"), rows)
    if account.frames is not None:
        inclusive = sorted(
            _inclusive(account.frames).items(), key=lambda row: -abs(row[1][1] - row[1][0])
        )
        whole = account.time.difference
        rows = [
            (name, *_times(Change(a, b, math.inf, math.inf), account))
            for name, (a, b) in inclusive[:_FUNCTIONS]
            if abs(b - a) >= LEAST * whole
        ]
        caption = "Time in functions with all that they call, in one sampled run of each"
        yield table(caption, ("function", *sides), rows)


def _inclusive(root: Frame) -> dict[str, tuple[float, float]]:
    """Seconds on both sides by function, callees included; recursion counts once."""
    sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def visit(frame: Frame, above: frozenset[str]) -> None:
        if frame.name not in above:
            sums[frame.name][0] += frame.fast
            sums[frame.name][1] += frame.slow
        for child in frame.children:
            visit(child, above | {frame.name})

    for child in root.children:
        visit(child, frozenset())
    return {name: (a, b) for name, (a, b) in sums.items()}


def _code(account: Account) -> CountedSides | None:
    code = account.code
    if code is None:
        return None
    fast, slow = short_names(account)
    name = code.slow if code.fast == code.slow else f"{code.fast} → {code.slow}"
    unit = "how often each instruction ran" if code.unit == "executions" else "seconds by sampling"
    return CountedSides(f"{name}, {unit}", fast, slow, code)


def _calls(account: Account) -> Table | None:
    fast, slow = short_names(account)
    rows: list[Row] = []
    for item in account.items:
        if item.part == "user" or abs(item.share) < LEAST:
            continue
        number = item.facts[0] if item.facts else None
        rows.append(
            (
                item.name,
                PART_NAMES[item.part],
                *(_count(number, side) for side in ("fast", "slow")),
                Cell(_signed(item.time.difference), number=item.time.difference),
                Cell(share_text(item.share), number=item.share),
                " in ".join(item.callers) + (f" ({_line(item)})" if _line(item) else ""),
            )
        )
    heads = right(f"number, {fast}", slow, "difference", "share")
    return table("", ("call", "part", *heads, "called from"), rows)


def _count(fact: Fact | None, side: str) -> Cell:
    number = None if fact is None else fact.fast if side == "fast" else fact.slow
    return NOTHING if number is None else Cell(f"{number:,.0f}", number=number)


def _facts(account: Account) -> Table | None:
    rows: list[Row] = [
        (
            ", ".join(filter(None, (kind_text(cause), where_cell(cause).text))),
            Cell(fact.name, fact.text),
            *(_amount(x, fact.unit) for x in (fact.fast, fact.slow)),
            fact.basis,
            fact.tool,
        )
        for cause in account.causes
        if cause.share >= LEAST
        for fact in cause.facts
    ]
    sides = right(*short_names(account))
    return table("Facts", ("cause", "fact", *sides, "evidence", "tool"), rows)


def _amount(number: float | None, unit: str) -> Cell:
    if number is None:
        return NOTHING
    if unit == "s":
        return Cell(format_seconds(number), number=number)
    unit = "" if unit == "executed" else unit
    return Cell(f"{format_amount(number)} {unit}".strip(), number=number)


def _trials(account: Account) -> Table | None:
    rows: list[Row] = [
        (
            c.trial.what,
            Cell(
                share_text(c.trial.share),
                interval_text(c.trial.low, c.trial.high),
                number=c.trial.share,
            ),
            c.trial.blocks,
            c.trial.command,
        )
        for c in account.causes
        if c.trial is not None
    ]
    return table(
        "Trials", ("changed on both sides", *right("gone", "blocks"), "put in front"), rows
    )


def _split(account: Account) -> Table | None:
    rows: list[Row] = [
        (PART_NAMES[part], *_times(account.split[part], account))
        for part in PARTS
        if part in account.split
    ]
    heads = right(*short_names(account), "difference", "share")
    return table("Where the time is", ("part", *heads), rows)


def _times(change: Change, account: Account) -> tuple[Cell, ...]:
    whole = account.time.difference
    share = change.difference / whole if whole else 0.0
    ends = [_signed(x) for x in (change.low, change.high) if math.isfinite(x)]
    return (
        Cell(format_seconds(change.fast), number=change.fast),
        Cell(format_seconds(change.slow), number=change.slow),
        Cell(
            _signed(change.difference),
            f"[{', '.join(ends)}]" if len(ends) == 2 else "",
            number=change.difference,
        ),
        Cell(f"{'−' if share <= -0.005 else ''}{share_text(abs(share))}", number=share),
    )


def _signed(seconds: float) -> str:
    """A difference of times with its sign."""
    return f"{'−' if seconds < 0 else '+'}{format_seconds(abs(seconds))}"


def _place(item: Item) -> Cell:
    library = item.place.library
    return Cell(item.name, _line(item) or library)


def _line(item: Item) -> str:
    return f"{item.place.file}:{item.place.line}" if item.place.line else ""


def _method(account: Account) -> Iterator[str]:
    if account.modelled:
        yield "User time by function is modelled from simulated counts, not sampled."
    if account.slowdown is not None:
        yield (
            f"Sampled runs took {100 * (account.slowdown - 1):+.1f} % user time beside plain ones; "
            "samples are scaled to the plain runs."
        )
    for layer, seconds in (account.costs or {}).items():
        yield f"Looking at {layer} took {format_seconds(seconds)}."
    yield (
        "Shares are of the measured difference in wall time. Evidence is what the name of a cause "
        "rests on: measured in runs, counted by a simulation or a tracer, read in the machine "
        "code, or only suggested by the facts."
    )
