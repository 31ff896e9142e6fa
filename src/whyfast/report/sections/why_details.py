"""Everything in the account of a difference: pictures, tables and the method."""

from __future__ import annotations

import math
from collections.abc import Iterator

from whyfast.model.why import PARTS, Account, Change, Frame, Item
from whyfast.report.document import (
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
    seconds_cell,
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
        return (section("why", "Why", sentences(map(capitalized, account.limits))),)
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
    fast, slow = short_names(account)
    heads = ("function", *right(fast, slow, "difference", "share"))
    if account.frames is not None:
        caption = (
            f"Who calls whom in {slow}: a box is as wide as the time in a function with all that "
            f"it calls. Red takes longer than in {fast}, blue less. Some functions of libraries "
            "do not show who calls them"
        )
        yield FlameGraph(caption, account.frames, fast, slow)
    rows: list[Row] = [
        (
            Cell(item.name, _line(item) or item.place.library),
            *(*_times(item.time, account), ", ".join(item.callers)),
        )
        for item in account.items
        if item.part == "user" and abs(item.share) >= LEAST
    ]
    yield table("Time in functions themselves", (*heads, "called from"), rows)
    if account.frames is not None:
        seconds = _inclusive(account.frames).items()
        inclusive = sorted(seconds, key=lambda row: -abs(row[1][1] - row[1][0]))[:_FUNCTIONS]
        rows = [
            (name, *_times(Change(a, b, math.inf, math.inf), account))
            for name, (a, b) in inclusive
            if abs(b - a) >= LEAST * account.time.difference
        ]
        caption = "Time in functions with all that they call, in one sampled run of each"
        yield table(caption, heads, rows)


def _inclusive(root: Frame) -> dict[str, tuple[float, float]]:
    """Seconds on both sides by function, callees included; recursion counts once."""
    sums: dict[str, tuple[float, float]] = {}

    def visit(frame: Frame, above: frozenset[str]) -> None:
        if frame.name not in above:
            fast, slow = sums.get(frame.name, (0.0, 0.0))
            sums[frame.name] = (fast + frame.fast, slow + frame.slow)
        for child in frame.children:
            visit(child, above | {frame.name})

    for child in root.children:
        visit(child, frozenset())
    return sums


def _code(account: Account) -> CountedSides | None:
    code = account.code
    if code is None:
        return None
    fast, slow = short_names(account)
    name = code.slow if code.fast == code.slow else f"{code.fast} → {code.slow}"
    unit = "how often each instruction ran" if code.unit == "executions" else "seconds by sampling"
    return CountedSides(f"{name}, {unit}", fast, slow, code)


def _share_cell(share: float, interval: str = "") -> Cell:
    return Cell(share_text(share), interval, number=share)


def _calls(account: Account) -> Table | None:
    fast, slow = short_names(account)
    rows: list[Row] = []
    for item in account.items:
        if item.part == "user" or abs(item.share) < LEAST:
            continue
        number = item.facts[0] if item.facts else None
        counts = (number.fast, number.slow) if number else (None, None)
        rows.append(
            (
                *(item.name, PART_NAMES[item.part]),
                *(None if n is None else Cell(f"{n:,.0f}", number=n) for n in counts),
                Cell(_signed(item.time.difference), number=item.time.difference),
                _share_cell(item.share),
                " in ".join(item.callers) + (f" ({_line(item)})" if _line(item) else ""),
            )
        )
    heads = right(f"number, {fast}", slow, "difference", "share")
    return table("Calls, page faults and waits", ("call", "part", *heads, "called from"), rows)


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


def _amount(number: float | None, unit: str) -> Cell | None:
    if number is None or unit == "s":
        return seconds_cell(number)
    unit = "" if unit == "executed" else unit
    return Cell(f"{format_amount(number)} {unit}".strip(), number=number)


def _trials(account: Account) -> Table | None:
    rows: list[Row] = [
        (t.what, _share_cell(t.share, interval_text(t.low, t.high)), t.blocks, t.command)
        for t in (c.trial for c in account.causes)
        if t is not None
    ]
    heads = ("changed on both sides", *right("gone", "blocks"), "put in front")
    return table("Trials", heads, rows)


def _split(account: Account) -> Table | None:
    rows: list[Row] = [
        (PART_NAMES[part], *_times(account.split[part], account))
        for part in PARTS
        if part in account.split
    ]
    heads = right(*short_names(account), "difference", "share")
    return table("Where the time is", ("part", *heads), rows)


def _times(change: Change, account: Account) -> tuple[Cell | None, ...]:
    whole = account.time.difference
    share = change.difference / whole if whole else 0.0
    ends = [_signed(x) for x in (change.low, change.high) if math.isfinite(x)]
    interval = f"[{', '.join(ends)}]" if len(ends) == 2 else ""
    return (
        seconds_cell(change.fast),
        seconds_cell(change.slow),
        Cell(_signed(change.difference), interval, number=change.difference),
        Cell(f"{'−' if share <= -0.005 else ''}{share_text(abs(share))}", number=share),
    )


def _signed(seconds: float) -> str:
    """A difference of times with its sign."""
    return f"{'−' if seconds < 0 else '+'}{format_seconds(abs(seconds))}"


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
