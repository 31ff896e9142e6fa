"""Why one side is slower: the account of the difference, as sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from whyfast.model.why import PARTS, Account, Cause, Change, Fact, Part
from whyfast.report.document import (
    Cell,
    ReportSection,
    Row,
    Summary,
    Table,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import format_amount, format_seconds, quote, ratio_text

#: Rows of the account on the first screen, and share from which a cause is in the headline.
ROWS, NAMED = 6, 0.1

#: Share that must be explained for the rest to be passed over.
ENOUGH = 0.8

_PARTS: dict[Part, str] = {"user": "user CPU", "kernel": "kernel", "waiting": "waiting"}
_WORDS = {
    "measured": "measured",
    "counted": "counted",
    "read": "read in the code",
    "suggested": "suggested",
}


def why_headline(account: Account) -> str:
    """The answer in one sentence."""
    ratio = str(ratio_text(account.ratio, account.low, account.high))
    slow, fast = quote(account.slow), quote(account.fast)
    if account.time.difference <= 0 or not account.split:
        return f"No difference between {slow} and {fast} to explain: {ratio}"
    start = f"{slow} is {ratio} than {fast}"
    named = _named(account)
    if not named:
        return f"{start}: not explained. {_most(account)}"
    parts = [f"{c.sentence} ({_share(c.share)} of the difference)" for c in named[:2]]
    return f"{start}: {'; '.join(parts)}."


def why_findings(account: Account) -> Iterator[str]:
    """Sentences under the headline, the most important first."""
    named = _named(account)
    for cause in named[:2]:
        if cause.remark:
            yield f"{cause.remark}"
        if cause.trial is not None:
            trial = cause.trial
            yield (
                f"Tried: with {trial.what}, {_share(trial.share)} [{_share(trial.low)}, "
                f"{_share(trial.high)}] of the difference is gone."
            )
        if cause.remedy:
            yield f"To try: {cause.remedy}."
    if account.causes and account.explained < ENOUGH and account.time.difference > 0:
        left = _share(1 - account.explained)
        yield f"{left} of the difference is not explained. {_most(account)}"
    yield from account.limits
    if account.modelled:
        yield "User time by function is modelled from simulated counts, not sampled."


def account_table(account: Account, rows: int | None = None) -> Table | None:
    """A row a cause, then what is left; at most ``rows``."""
    lines: list[Row] = [
        (
            Cell(cause.key.replace("-", " ")),
            Cell(_share(cause.share), _interval(cause), number=cause.share),
            Cell(_where(cause)),
            Cell(_WORDS[cause.basis]),
        )
        for cause in account.causes
        if cause.share >= 0.01
    ]
    if rows is not None:
        lines = lines[: rows - 1]
    rest = 1 - sum(c.share for c in account.causes[: len(lines)])
    if lines and rest >= 0.01:
        lines.append((Cell("not explained"), Cell(_share(rest), number=rest), Cell(""), Cell("")))
    columns = ("cause", *right("share"), "where", "name is")
    return table("The account of the difference", columns, lines)


def why_sections(account: Account | None) -> tuple[ReportSection | None, ...]:
    """Everything in the account."""
    if account is None:
        return ()
    split: list[Row] = [
        (name, *_times(account.split[part], account))
        for part, name in _PARTS.items()
        if part in account.split
    ]
    items: list[Row] = [
        (
            Cell(item.name),
            Cell(_PARTS[item.part]),
            *_times(item.time, account, share=item.share),
            Cell(", ".join(item.callers)),
        )
        for item in account.items
        if abs(item.share) >= 0.01
    ]
    facts: list[Row] = [
        (Cell(cause.place.function or cause.key), *_fact(fact))
        for cause in account.causes
        if cause.share >= 0.01
        for fact in cause.facts
    ]
    sides = (*right(f"{account.fast}", f"{account.slow}", "difference", "share"),)
    return (
        section(
            "why",
            "Why",
            sentences(_statements(account)),
            account_table(account),
            table("Where the time is", ("part", *sides), split),
            importance="answer",
        ),
        section(
            "why-items",
            "Functions, system calls and waits that carry the difference",
            table("", ("place", "part", *sides, "called from"), items),
            importance="detail",
        ),
        section(
            "why-facts",
            "Facts behind the causes",
            table(
                "",
                ("place", "fact", *right(account.fast, account.slow), "basis", "tool"),
                facts,
            ),
            importance="detail",
        ),
        section(
            "why-method",
            "How the account was made",
            sentences(_method(account), aside=True),
            importance="detail",
        ),
    )


def why_summary(account: Account) -> Summary:
    """The first screen."""
    shown = account_table(account, ROWS)
    ranks = tuple(range(len(shown.rows))) if shown else ()
    commands = (account.next_command,) if account.next_command else ()
    return Summary(
        tuple(why_findings(account)),
        shown,
        ranks,
        (),
        row="cause",
        headline=why_headline(account),
        commands=commands,
    )


def _statements(account: Account) -> Iterator[str]:
    for cause in account.causes:
        if cause.share >= 0.01:
            yield f"{_share(cause.share)}: {cause.sentence}."
    yield from why_findings(account)


def _named(account: Account) -> list[Cause]:
    return [c for c in account.causes if c.share >= NAMED]


def _most(account: Account) -> str:
    """Where most of the time that nothing explains lies."""
    explained = {name for cause in account.causes for name in cause.items}
    left = [i for i in account.items if i.name not in explained and i.share >= NAMED]
    if left:
        places = ", ".join(f"`{i.name}` ({_share(i.share)})" for i in left[:3])
        return f"It lies in {places}."
    part = max(PARTS, key=lambda p: account.split[p].difference if p in account.split else 0.0)
    return f"Most of it is {_PARTS[part]} time." if part in account.split else ""


def _times(change: Change, account: Account, share: float | None = None) -> tuple[Cell, ...]:
    whole = account.time.difference
    share = change.difference / whole if share is None and whole else share or 0.0
    low, high = (format_signed(x) for x in (change.low, change.high))
    return (
        Cell(format_seconds(change.fast), number=change.fast),
        Cell(format_seconds(change.slow), number=change.slow),
        Cell(format_signed(change.difference), f"[{low}, {high}]", number=change.difference),
        Cell(_share(share), number=share),
    )


def format_signed(seconds: float) -> str:
    """A difference of times with its sign."""
    if not math.isfinite(seconds):
        return "–"
    return f"{'−' if seconds < 0 else '+'}{format_seconds(abs(seconds))}"


def _fact(fact: Fact) -> Sequence[Cell]:
    numbers = [
        Cell("–" if x is None else f"{format_amount(x)} {fact.unit}".strip(), number=x)
        for x in (fact.fast, fact.slow)
    ]
    return (Cell(fact.name, fact.text), *numbers, Cell(_WORDS[fact.basis]), Cell(fact.tool))


def _where(cause: Cause) -> str:
    place = cause.place
    line = f" ({place.file}:{place.line})" if place.file and place.line else ""
    return f"{place.function}{line}"


def _share(share: float) -> str:
    return f"{100 * share:.0f} %"


def _interval(cause: Cause) -> str:
    if not (math.isfinite(cause.low) and math.isfinite(cause.high)):
        return ""
    return f"[{_share(cause.low)}, {_share(cause.high)}]"


def _method(account: Account) -> Iterator[str]:
    if account.slowdown is not None:
        yield (
            f"Sampled runs took {100 * (account.slowdown - 1):+.1f} % user time beside plain ones; "
            "samples are scaled to the plain runs."
        )
    for layer, seconds in (account.costs or {}).items():
        yield f"Looking at {layer} took {format_seconds(seconds)}."
    yield (
        "Shares are of the measured difference in wall time. The name of a cause is measured, "
        "counted, read in the machine code, or only suggested by the facts."
    )
