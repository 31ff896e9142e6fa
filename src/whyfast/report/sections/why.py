"""Why one side is slower: the account of the difference, as sentences, tables and pictures."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

from whyfast.model.why import Account, Cause, Item, Part
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.render.summary_lines import shortened

#: Rows of the account on the first screen, and share from which a cause is named above it.
ROWS, NAMED = 6, 0.1

#: Share below which something gets no row; shares that must be explained for a cause to be the
#: answer, and for the rest to be passed over.
LEAST, MOSTLY, ENOUGH = 0.01, 0.5, 0.8

#: What stands in front of variables that a command is given.
_ASSIGNING = re.compile(r"^env (?=\w+=)")

#: Letters of a command's name in a sentence, and of the faster side's from which on it is "the
#: other" after it was named once.
_NAME, _OTHER = 32, 16

PART_NAMES: dict[Part, str] = {"user": "user CPU", "kernel": "kernel", "waiting": "waiting"}


# ---- The first screen.


def why_headline(account: Account) -> str:
    """The answer in one sentence."""
    fast, slow = short_names(account)
    start = f"{slow} is {_factor(account)} slower than {fast}"
    if nothing_to_explain(account):
        ratio = fmt.plain_ratio_text(account.ratio, account.low, account.high)
        longer = "so far; measure longer with --budget"
        if not 0 < account.low <= account.high < math.inf:
            return (
                f"Too few runs to tell a difference between {slow} and {fast}: "
                f"{account.ratio:.2f}x {longer}"
            )
        if account.undecided:
            return f"Whether {slow} is slower than {fast} is undecided: {ratio} {longer}"
        if not account.complete and account.time.difference > 0:
            return f"{start}: interrupted before the causes"
        if account.low > 1:
            return f"{start}: its runs varied too much to say why"
        return f"No difference between {slow} and {fast} to explain: {ratio}"
    if account.of_cpu:
        start = f"{slow} takes {_factor(account)} the CPU time of {fast}"
    named = named_above(account)
    if not named:
        return f"{start}: not explained. {_rest(account)}".strip()
    if account.explained < MOSTLY:
        return f"{start}: {_left(account)}"
    return f"{start}: {said(named[0], account)}; {of_difference(named[0].share)}."


def why_findings(account: Account) -> Iterator[str]:
    """Sentences under an answer that names the causes, the most important first."""
    if nothing_to_explain(account):
        return
    named = named_above(account)[:2]
    if named and account.explained < ENOUGH:
        yield _left(account)
    for cause in named:
        if (trial := cause.trial) is not None:
            yield (
                f"Tried: with {trial.what}, {share_text(trial.share)} "
                f"{interval_text(trial.low, trial.high)} of the difference is gone."
            )
        if cause.remark:
            yield fmt.sentence(cause.remark)
    yield from map(capitalized, account.limits)
    if named and named[0].remedy:
        yield f"To try: {fmt.sentence(named[0].remedy)}"


def under_headline(account: Account) -> Iterator[str]:
    """What :func:`why_headline` leaves out."""
    told = account.explained >= MOSTLY
    for cause in named_above(account)[told:2]:
        start = "And" if told else "Explained:"
        yield f"{start} {said(cause, account)}; {of_difference(cause.share)}."
    yield from (t for t in why_findings(account) if told or t != _left(account))


def _left(account: Account) -> str:
    share = share_text(1 - account.explained)
    return f"{share} of the difference is not explained. {_rest(account)}".strip()


def account_table(account: Account, rows: int | None = None) -> doc.Table | None:
    """A row a cause, then what is left; of many the largest, in ``rows`` rows altogether."""
    causes = [c for c in account.causes if c.share >= LEAST]
    rest = 1 - sum(c.share for c in account.causes)
    room = len(causes) if rows is None else rows - (rest >= LEAST)
    shown = causes if len(causes) <= room else causes[: room - 1]
    lines: list[doc.Row] = [
        (
            kind_text(cause),
            doc.Cell(
                share_text(cause.share), interval_text(cause.low, cause.high), number=cause.share
            ),
            *(where_cell(cause), cause.basis),
        )
        for cause in shown
    ]
    if others := causes[len(shown) :]:
        share = sum(c.share for c in others)
        text = fmt.pluralize(len(others), "smaller cause")
        lines.append((text, doc.Cell(share_text(share), number=share), "", ""))
    if rest >= LEAST and account.time.difference > 0:
        places = ", ".join(map(_place_name, _unexplained(account)[:2]))
        lines.append(("not explained", doc.Cell(share_text(rest), number=rest), places, ""))
    if nothing_to_explain(account):
        return None
    # Where there is no room, what the name of a cause rests on goes first.
    columns, drops = ("cause", *doc.right("share"), "where", "evidence"), {"evidence": 1}
    return doc.table(_caption(account), columns, lines, drops=drops)


def why_summary(account: Account) -> doc.Summary:
    """The first screen."""
    shown = account_table(account, ROWS)
    return doc.Summary(
        tuple(under_headline(account)),
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
    both have at their end; long ones without the folders that both are in and the words that both
    begin with, cut in the middle."""
    words = _words(account.fast), _words(account.slow)
    if max(map(len, (account.fast, account.slow))) > _NAME:
        words = _apart(*words)
    same = _alike(reversed(words[0][1:]), reversed(words[1][1:]))
    words = words[0][: len(words[0]) - same], words[1][: len(words[1]) - same]
    if max(len(shlex.join(w)) for w in words) > _NAME:
        first = _alike(*words)
        words = words[0][first:] or words[0], words[1][first:] or words[1]
    if not all(any(map(str.isalnum, shlex.join(w))) for w in words):  # `;` and `+` of find
        words = _words(account.fast), _words(account.slow)
    given = account.fast, account.slow
    names = [
        _ASSIGNING.sub("", name if w == _words(name) else w[0] if len(w) == 1 else shlex.join(w))
        for name, w in zip(given, words, strict=True)
    ]
    if not all(names) or names[0] == names[1]:
        names = [account.fast, account.slow]
    fast, slow = map(fmt.quote, shortened(names, _NAME))
    return fast, slow


def _words(command: str) -> list[str]:
    """Of a command line as a shell reads it; a name that is none stays whole."""
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def _alike(fast: Iterable[str], slow: Iterable[str]) -> int:
    """How many words both begin with."""
    pairs = zip(fast, slow, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _apart(fast: list[str], slow: list[str]) -> tuple[list[str], list[str]]:
    """The words of both without a folder that both have; paths from where they differ."""
    pairs = list(zip(fast, slow, strict=False))
    for n, (a, b) in enumerate(pairs):
        if n == 0 and a == b:
            pairs[n] = (os.path.basename(a), os.path.basename(b))
        if a != b and a.startswith("/") and b.startswith("/"):
            cut = len(os.path.commonpath([os.path.dirname(a), os.path.dirname(b)]).rstrip("/")) + 1
            pairs[n] = (a[cut:], b[cut:]) if cut > 1 else (a, b)
    most = len(pairs)
    return [a for a, _ in pairs] + fast[most:], [b for _, b in pairs] + slow[most:]


def _factor(account: Account) -> str:
    """``3.4x``; with more digits where they are needed to tell it from 1."""
    ratio = fmt.within(account.ratio, account.low, account.high)
    if ratio < 1.95:
        return fmt.ratio_text(account.ratio, account.low, account.high).value
    return f"{ratio:.1f}x" if ratio < 99.5 else f"{ratio:.0f}x"


def _caption(account: Account) -> str:
    ratio = fmt.ratio_text(account.ratio, account.low, account.high)
    time = account.time
    return (
        f"{'CPU time ' if account.of_cpu else ''}"
        f"{fmt.seconds(time.fast)} → {fmt.seconds(time.slow)}, "
        f"{ratio.value} {ratio.interval}: what makes up the "
        f"{fmt.seconds(time.difference)}"
    )


def named_above(account: Account) -> list[Cause]:
    return [c for c in account.causes if c.share >= NAMED]


def said(cause: Cause, account: Account) -> str:
    """Its sentence, with short names of the sides."""
    fast, slow = short_names(account)
    text = cause.sentence.rstrip(".")
    fast = fast if len(fast) <= _OTHER else "the other"
    for name, short in ((account.fast, fast), (account.slow, slow)):
        text = text.replace(f"`{name}`", short)
    return text


def of_difference(share: float) -> str:
    if share > 1.1:
        return f"{share_text(share)} of the difference, and other parts are faster"
    return "all of the difference" if share >= 0.995 else f"{share_text(share)} of the difference"


def _unexplained(account: Account) -> list[Item]:
    explained = {name for cause in account.causes for name in cause.items}
    return [i for i in account.items if i.name not in explained and i.share >= NAMED]


def _place_name(item: Item) -> str:
    """Its name; of a function without one its address and library."""
    library = item.place.library
    return f"{item.name} in {library}" if item.name.startswith("0x") and library else item.name


def _rest(account: Account) -> str:
    """Where most of the time that nothing explains lies."""
    if left := _unexplained(account)[:3]:
        places = ", ".join(f"`{_place_name(i)}` ({share_text(i.share)})" for i in left)
        return f"It lies in {places}."
    split = account.split
    parts = [p for p in split if p != "waiting" or not account.of_cpu]
    part = max(parts, key=lambda p: split[p].difference)
    named = sum(i.share for i in account.items if i.part == part)
    lost = split[part].difference / account.time.difference - named
    return f"Most of it is {PART_NAMES[part]} time." if lost > NAMED else ""


def kind_text(cause: Cause) -> str:
    kind = cause.key.replace("-", " ")
    calls = cause.items[0] if cause.key == "system-calls" and cause.items else ""
    return f"{kind} ({calls})" if calls else kind


def where_text(cause: Cause) -> str:
    cell = where_cell(cause)
    return f"{cell.text} ({cell.detail})" if cell.detail else cell.text


def where_cell(cause: Cause) -> doc.Cell:
    line = f"{cause.place.file}:{cause.place.line}" if cause.place.line else ""
    if cause.key in ("system-calls", "page-faults", "processes") or not cause.place.function:
        return doc.Cell(line)
    return doc.Cell(cause.place.function, line)


def share_text(share: float) -> str:
    # A share may be estimated as a little more than the whole.
    return f"{100 * (min(share, 1.0) if share <= 1.1 else share):.0f} %"


def interval_text(low: float, high: float) -> str:
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return f"[{100 * low:.0f}, {100 * high:.0f}]"


def capitalized(text: str) -> str:
    return fmt.sentence(text[:1].upper() + text[1:])


# The causes as the end of a sentence, in whichever report has an account.

#: The most causes in one sentence.
MOST = 2


def named_causes(account: Account | None) -> str:
    """What makes the slow side slow, with shares of the difference; empty without a known cause."""
    if account is None or account.time.difference <= 0:
        return ""
    return "; ".join(
        f"{_clause(c, account)} ({100 * min(1.0, c.share):.0f} % of the difference)"
        for c in named_above(account)[:MOST]
    )


def _clause(cause: Cause, account: Account) -> str:
    """The sentence of a cause with the name of the side that it is about."""
    if cause.sentence.startswith("it "):
        return f"{fmt.quote(account.slow)} {cause.sentence.removeprefix('it ')}"
    return f"in {fmt.quote(account.slow)} {cause.sentence}"


def account_sentences(account: Account | None, *, headline: bool = True) -> Iterator[str]:
    """What an account adds under another answer, whose ``headline`` may have the causes."""
    if account is None or not account.costs:  # there was no difference to look into
        return
    where = f" on {fmt.quote(account.benchmark)}" if account.benchmark else ""
    text = named_causes(account)
    if headline and text:
        yield f"Why{where}: {text}."
    if not text:
        yield f"Why{where}: not explained."
    yield from why_findings(account if account.explained else replace(account, limits=()))
