"""Everything in the account of a difference: pictures, tables and the method."""

from __future__ import annotations

import math
from collections.abc import Iterator

from whyfast.model.why import PARTS, Account, Change, Frame, Item
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import why

#: Functions in the table of functions.
_FUNCTIONS = 20


def why_sections(account: Account | None) -> tuple[doc.ReportSection | None, ...]:
    """The account as pictures, tables and sentences."""
    if account is None:
        return ()
    if why.nothing_to_explain(account):
        return (doc.section("why", "Why", doc.sentences(map(why.capitalized, account.limits))),)
    return (
        doc.section(
            "why",
            "What the difference consists of",
            _bars(account),
            why.account_table(account),
            doc.sentences(_statements(account)),
            importance="answer",
        ),
        doc.detail("why-functions", "Functions", *_functions(account)),
        doc.detail("why-code", "The code that carries most", _code(account)),
        doc.detail("why-calls", "System calls and waits", _calls(account)),
        doc.detail("why-facts", "What the causes rest on", _facts(account), _trials(account)),
        doc.detail(
            "why-method",
            "How the account was made",
            _split(account),
            doc.sentences(_method(account), aside=True),
        ),
    )


def _statements(account: Account) -> Iterator[str]:
    yield from why.under_headline(account)
    for cause in account.causes[len(why.named_above(account)[:2]) :]:
        if cause.share >= why.LEAST:
            yield why.capitalized(f"{why.said(cause, account)}; {why.of_difference(cause.share)}.")


def _bars(account: Account) -> doc.ShareBars:
    """The difference divided by part of the time, and by cause; nothing negative."""
    whole = account.time.difference
    parts = [
        doc.BarPart(name, account.split[part].difference / whole)
        for part, name in why.PART_NAMES.items()
        if part in account.split and account.split[part].difference / whole >= why.LEAST
    ]
    causes = [
        doc.BarPart(
            ": ".join(filter(None, (why.kind_text(cause), why.where_text(cause)))), cause.share
        )
        for cause in account.causes
        if cause.share >= why.LEAST
    ]
    rest = 1 - sum(c.share for c in causes)
    if rest >= why.LEAST:
        causes.append(doc.BarPart("not explained", rest, rest=True))
    return doc.ShareBars((("cause", tuple(causes)), ("time", tuple(parts))))


def _functions(account: Account) -> Iterator[doc.Block | None]:
    fast, slow = why.short_names(account)
    heads = ("function", *doc.right(fast, slow, "difference", "share"))
    if account.frames is not None:
        caption = (
            f"Who calls whom in {slow}: a box is as wide as the time in a function with all that "
            f"it calls. Red takes longer than in {fast}, blue less. Some functions of libraries "
            "do not show who calls them"
        )
        yield doc.FlameGraph(caption, account.frames, fast, slow)
    rows: list[doc.Row] = [
        (
            doc.Cell(item.name, _line(item) or item.place.library),
            *(*_times(item.time, account), ", ".join(item.callers)),
        )
        for item in account.items
        if item.part == "user" and abs(item.share) >= why.LEAST
    ]
    yield doc.table("Time in functions themselves", (*heads, "called from"), rows)
    if account.frames is not None:
        seconds = _inclusive(account.frames).items()
        inclusive = sorted(seconds, key=lambda row: -abs(row[1][1] - row[1][0]))[:_FUNCTIONS]
        rows = [
            (name, *_times(Change(a, b, math.inf, math.inf), account))
            for name, (a, b) in inclusive
            if abs(b - a) >= why.LEAST * account.time.difference
        ]
        caption = "Time in functions with all that they call, in one sampled run of each"
        yield doc.table(caption, heads, rows)


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


def _code(account: Account) -> doc.CountedSides | None:
    code = account.code
    if code is None:
        return None
    fast, slow = why.short_names(account)
    name = code.slow if code.fast == code.slow else f"{code.fast} → {code.slow}"
    unit = "how often each instruction ran" if code.unit == "executions" else "seconds by sampling"
    return doc.CountedSides(f"{name}, {unit}", fast, slow, code)


def _share_cell(share: float, interval: str = "") -> doc.Cell:
    return doc.Cell(why.share_text(share), interval, number=share)


def _calls(account: Account) -> doc.Table | None:
    fast, slow = why.short_names(account)
    rows: list[doc.Row] = []
    for item in account.items:
        if item.part == "user" or abs(item.share) < why.LEAST:
            continue
        number = item.facts[0] if item.facts else None
        counts = (number.fast, number.slow) if number else (None, None)
        rows.append(
            (
                *(item.name, why.PART_NAMES[item.part]),
                *(None if n is None else doc.Cell(f"{n:,.0f}", number=n) for n in counts),
                doc.Cell(_signed(item.time.difference), number=item.time.difference),
                _share_cell(item.share),
                " in ".join(item.callers) + (f" ({_line(item)})" if _line(item) else ""),
            )
        )
    heads = doc.right(f"number, {fast}", slow, "difference", "share")
    return doc.table("Calls, page faults and waits", ("call", "part", *heads, "called from"), rows)


def _facts(account: Account) -> doc.Table | None:
    rows: list[doc.Row] = [
        (
            ", ".join(filter(None, (why.kind_text(cause), why.where_cell(cause).text))),
            doc.Cell(fact.name, fact.text),
            *(_amount(x, fact.unit) for x in (fact.fast, fact.slow)),
            fact.basis,
            fact.tool,
        )
        for cause in account.causes
        if cause.share >= why.LEAST
        for fact in cause.facts
    ]
    sides = doc.right(*why.short_names(account))
    return doc.table("Facts", ("cause", "fact", *sides, "evidence", "tool"), rows)


def _amount(number: float | None, unit: str) -> doc.Cell | None:
    if number is None or unit == "s":
        return doc.seconds_cell(number)
    unit = "" if unit == "executed" else unit
    return doc.Cell(f"{fmt.amount(number)} {unit}".strip(), number=number)


def _trials(account: Account) -> doc.Table | None:
    rows: list[doc.Row] = [
        (t.what, _share_cell(t.share, why.interval_text(t.low, t.high)), t.blocks, t.command)
        for t in (c.trial for c in account.causes)
        if t is not None
    ]
    heads = ("changed on both sides", *doc.right("gone", "blocks"), "put in front")
    return doc.table("Trials", heads, rows)


def _split(account: Account) -> doc.Table | None:
    rows: list[doc.Row] = [
        (why.PART_NAMES[part], *_times(account.split[part], account))
        for part in PARTS
        if part in account.split
    ]
    heads = doc.right(*why.short_names(account), "difference", "share")
    return doc.table("Where the time is", ("part", *heads), rows)


def _times(change: Change, account: Account) -> tuple[doc.Cell | None, ...]:
    whole = account.time.difference
    share = change.difference / whole if whole else 0.0
    ends = [_signed(x) for x in (change.low, change.high) if math.isfinite(x)]
    interval = f"[{', '.join(ends)}]" if len(ends) == 2 else ""
    return (
        doc.seconds_cell(change.fast),
        doc.seconds_cell(change.slow),
        doc.Cell(_signed(change.difference), interval, number=change.difference),
        doc.Cell(f"{'−' if share <= -0.005 else ''}{why.share_text(abs(share))}", number=share),
    )


def _signed(seconds: float) -> str:
    """A difference of times with its sign."""
    return f"{'−' if seconds < 0 else '+'}{fmt.seconds(abs(seconds))}"


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
        yield f"Looking at {layer} took {fmt.seconds(seconds)}."
    yield (
        "Shares are of the measured difference in wall time. Evidence is what the name of a cause "
        "rests on: measured in runs, counted by a simulation or a tracer, read in the machine "
        "code, or only suggested by the facts."
    )
