"""Why one side is slower: the account of the difference, as sentences, tables and pictures."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from whyfast.model.why import PARTS, Account, Cause, Change, Fact, Frame, Item, Part
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
    Summary,
    Table,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import (
    format_amount,
    format_seconds,
    plain_ratio_text,
    pluralize,
    quote,
    ratio_text,
    sentence,
    within,
)
from whyfast.report.render.summary_lines import shortened

#: Rows of the account on the first screen, and share from which a cause is named above it.
ROWS, NAMED = 6, 0.1

#: Share below which something gets no row; shares that must be explained for a cause to be the
#: answer, and for the rest to be passed over.
LEAST, MOSTLY, ENOUGH = 0.01, 0.5, 0.8

#: Letters of a command's name in a sentence; functions in the table of functions.
_NAME, _FUNCTIONS = 32, 20

_PARTS: dict[Part, str] = {"user": "user CPU", "kernel": "kernel", "waiting": "waiting"}


# ---- The first screen.


def why_headline(account: Account) -> str:
    """The answer in one sentence."""
    fast, slow = short_names(account)
    if nothing_to_explain(account) and not 0 < account.low <= account.high < math.inf:
        return (
            f"Too few runs to tell a difference between {slow} and {fast}: {account.ratio:.2f}x so "
            "far; measure longer with --budget"
        )
    if nothing_to_explain(account) and not account.complete and account.time.difference > 0:
        return f"{slow} is {_factor(account)} slower than {fast}: interrupted before the causes"
    if nothing_to_explain(account):
        ratio = plain_ratio_text(account.ratio, account.low, account.high)
        return f"No difference between {slow} and {fast} to explain: {ratio}"
    start = f"{slow} is {_factor(account)} slower than {fast}"
    named = _named(account)
    if not named:
        return f"{start}: not explained. {_rest(account)}".strip()
    if account.explained < MOSTLY:
        return f"{start}: {_left(account)}"
    return f"{start}: {_said(named[0], account)}; {_of_difference(named[0].share)}."


def why_findings(account: Account) -> Iterator[str]:
    """Sentences under an answer that names the causes, the most important first."""
    if nothing_to_explain(account):
        return
    named = _named(account)[:2]
    if named and account.explained < ENOUGH:
        yield _left(account)
    for cause in named:
        if cause.trial is not None:
            trial = cause.trial
            yield (
                f"Tried: with {trial.what}, {_share(trial.share)} "
                f"{_interval(trial.low, trial.high)} of the difference is gone."
            )
        if cause.remark:
            yield sentence(cause.remark)
    yield from map(_capital, account.limits)
    for cause in named[:1]:
        if cause.remedy:
            yield f"To try: {sentence(cause.remedy)}"


def _under_headline(account: Account) -> Iterator[str]:
    """What :func:`why_headline` leaves out."""
    told = account.explained >= MOSTLY
    for cause in _named(account)[told:2]:
        start = "And" if told else "Explained:"
        yield f"{start} {_said(cause, account)}; {_of_difference(cause.share)}."
    yield from (t for t in why_findings(account) if told or t != _left(account))


def _left(account: Account) -> str:
    share = _share(1 - account.explained)
    return f"{share} of the difference is not explained. {_rest(account)}".strip()


def account_table(account: Account, rows: int | None = None) -> Table | None:
    """A row a cause, then what is left; of many the largest, in ``rows`` rows altogether."""
    causes = [c for c in account.causes if c.share >= LEAST]
    rest = 1 - sum(c.share for c in account.causes)
    room = len(causes) if rows is None else rows - (rest >= LEAST)
    shown = causes if len(causes) <= room else causes[: room - 1]
    others = causes[len(shown) :]
    lines: list[Row] = [
        (
            _kind(cause),
            Cell(_share(cause.share), _interval(cause.low, cause.high), number=cause.share),
            _where_cell(cause),
            Cell(cause.basis),
        )
        for cause in shown
    ]
    if others:
        share = sum(c.share for c in others)
        text = pluralize(len(others), "smaller cause")
        lines.append((text, Cell(_share(share), number=share), "", ""))
    if rest >= LEAST and account.time.difference > 0:
        places = ", ".join(i.name for i in _unexplained(account)[:2])
        lines.append(("not explained", Cell(_share(rest), number=rest), places, ""))
    columns = ("cause", *right("share"), "where", "evidence")
    made = table(_caption(account), columns, lines)
    if made is None or nothing_to_explain(account):
        return None
    # Where there is no room, what the name of a cause rests on goes first.
    heads = (*made.columns[:-1], replace(made.columns[-1], drop=1))
    return replace(made, columns=heads)


def why_summary(account: Account) -> Summary:
    """The first screen."""
    shown = account_table(account, ROWS)
    return Summary(
        tuple(_under_headline(account)),
        shown,
        tuple(range(len(shown.rows))) if shown else (),
        (),
        row="cause",
        headline=why_headline(account),
        commands=(account.next_command,) if account.next_command else (),
    )


def nothing_to_explain(account: Account) -> bool:
    """Whether no cause was looked for: the sides do not differ, or not enough to matter."""
    looked = account.causes or account.items or account.costs
    return account.time.difference <= 0 or not account.split or not looked


def short_names(account: Account) -> tuple[str, str]:
    """The names of the fast and the slow side as sentences have them: without the arguments that
    both have at their end, cut in the middle where they are long."""
    words = account.fast.split(), account.slow.split()
    backwards = zip(reversed(words[0][1:]), reversed(words[1][1:]), strict=False)
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], backwards)))
    names = [" ".join(w[: len(w) - same]) for w in words]
    if not all(names) or names[0] == names[1]:
        names = [account.fast, account.slow]
    fast, slow = map(quote, shortened(names, _NAME))
    return fast, slow


def _factor(account: Account) -> str:
    """``3.4x``; with more digits where they are needed to tell it from 1."""
    ratio = within(account.ratio, account.low, account.high)
    if ratio < 1.95:
        return ratio_text(account.ratio, account.low, account.high).value
    return f"{ratio:.1f}x" if ratio < 99.5 else f"{ratio:.0f}x"


def _caption(account: Account) -> str:
    ratio = ratio_text(account.ratio, account.low, account.high)
    time = account.time
    return (
        f"{format_seconds(time.fast)} → {format_seconds(time.slow)}, "
        f"{ratio.value} {ratio.interval}: what makes up the "
        f"{format_seconds(time.difference)}"
    )


def _named(account: Account) -> list[Cause]:
    return [c for c in account.causes if c.share >= NAMED]


def _said(cause: Cause, account: Account) -> str:
    """Its sentence, with short names of the sides."""
    fast, slow = short_names(account)
    text = cause.sentence.rstrip(".")
    for name, short in ((account.fast, fast), (account.slow, slow)):
        text = text.replace(f"`{name}`", short)
    return text


def _of_difference(share: float) -> str:
    if share > 1.1:
        return f"{_share(share)} of the difference, and other parts are faster"
    return "all of the difference" if share >= 0.995 else f"{_share(share)} of the difference"


def _unexplained(account: Account) -> list[Item]:
    explained = {name for cause in account.causes for name in cause.items}
    return [i for i in account.items if i.name not in explained and i.share >= NAMED]


def _rest(account: Account) -> str:
    """Where most of the time that nothing explains lies."""
    if left := _unexplained(account)[:3]:
        places = ", ".join(f"`{i.name}` ({_share(i.share)})" for i in left)
        return f"It lies in {places}."
    split = account.split
    part = max(split, key=lambda p: split[p].difference)
    named = sum(i.share for i in account.items if i.part == part)
    lost = split[part].difference / account.time.difference - named
    return f"Most of it is {_PARTS[part]} time." if lost > NAMED else ""


def _kind(cause: Cause) -> str:
    kind = cause.key.replace("-", " ")
    calls = cause.items[0] if cause.key == "system-calls" and cause.items else ""
    return f"{kind} ({calls})" if calls else kind


def _where(cause: Cause) -> str:
    cell = _where_cell(cause)
    return f"{cell.text} ({cell.detail})" if cell.detail else cell.text


def _where_cell(cause: Cause) -> Cell:
    line = f"{cause.place.file}:{cause.place.line}" if cause.place.line else ""
    if cause.key in ("system-calls", "page-faults") or not cause.place.function:
        return Cell(line)
    return Cell(cause.place.function, line)


def _share(share: float) -> str:
    # A share may be estimated as a little more than the whole.
    return f"{100 * (min(share, 1.0) if share <= 1.1 else share):.0f} %"


def _interval(low: float, high: float) -> str:
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return f"[{100 * low:.0f}, {100 * high:.0f}]"


def _capital(text: str) -> str:
    return sentence(text[:1].upper() + text[1:])


# ---- Everything in the account.


def why_sections(account: Account | None) -> tuple[ReportSection | None, ...]:
    """The account as pictures, tables and sentences."""
    if account is None:
        return ()
    if nothing_to_explain(account):
        return (section("why", "Why", sentences(map(_capital, account.limits)), importance="main"),)
    return (
        section(
            "why",
            "What the difference consists of",
            _bars(account),
            account_table(account),
            sentences(_statements(account)),
            importance="answer",
        ),
        section("why-functions", "Functions", *_functions(account), importance="detail"),
        section("why-code", "The code that carries most", _code(account), importance="detail"),
        section("why-calls", "System calls and waits", _calls(account), importance="detail"),
        section(
            "why-facts",
            "What the causes rest on",
            _facts(account),
            _trials(account),
            importance="detail",
        ),
        section(
            "why-method",
            "How the account was made",
            _split(account),
            sentences(_method(account), aside=True),
            importance="detail",
        ),
    )


def _statements(account: Account) -> Iterator[str]:
    yield from _under_headline(account)
    for cause in account.causes[len(_named(account)[:2]) :]:
        if cause.share >= LEAST:
            yield _capital(f"{_said(cause, account)}; {_of_difference(cause.share)}.")


def _bars(account: Account) -> ShareBars:
    """Both divide the difference: by part of the time, and by cause. What goes the other way is in
    the tables only."""
    whole = account.time.difference
    parts = [
        BarPart(name, account.split[part].difference / whole)
        for part, name in _PARTS.items()
        if part in account.split and account.split[part].difference / whole >= LEAST
    ]
    causes = [
        BarPart(": ".join(filter(None, (_kind(cause), _where(cause)))), cause.share)
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
                _PARTS[item.part],
                *(_count(number, side) for side in ("fast", "slow")),
                Cell(_signed(item.time.difference), number=item.time.difference),
                Cell(_share(item.share), number=item.share),
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
            ", ".join(filter(None, (_kind(cause), _where_cell(cause).text))),
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
            Cell(_share(c.trial.share), _interval(c.trial.low, c.trial.high), number=c.trial.share),
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
        (_PARTS[part], *_times(account.split[part], account))
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
        Cell(f"{'−' if share <= -0.005 else ''}{_share(abs(share))}", number=share),
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
