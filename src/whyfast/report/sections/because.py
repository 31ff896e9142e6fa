"""The causes of a difference as the end of a sentence, in whichever report has an account."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whyfast.model.why import Account, Cause
from whyfast.report.formatting import quote
from whyfast.report.sections.why import NAMED, why_findings

#: The most causes in one sentence.
MOST = 2


def named_causes(account: Account | None) -> str:
    """What makes the slow side slow, with shares of the difference; empty without a known cause."""
    if account is None or account.time.difference <= 0:
        return ""
    named = [c for c in account.causes if c.share >= NAMED][:MOST]
    return "; ".join(f"{_clause(c, account)} ({_share(c.share)} of the difference)" for c in named)


def _clause(cause: Cause, account: Account) -> str:
    """The sentence of a cause with the name of the side that it is about."""
    if cause.sentence.startswith("it "):
        return f"{quote(account.slow)} {cause.sentence.removeprefix('it ')}"
    return f"in {quote(account.slow)} {cause.sentence}"


def _share(share: float) -> str:
    return f"{100 * min(1.0, share):.0f} %"


def account_sentences(account: Account | None, *, headline: bool = True) -> Iterator[str]:
    """What an account adds under another answer; without ``headline`` that sentence has the causes
    already."""
    if account is None or not account.costs:  # there was no difference to look into
        return
    where = f" on {quote(account.benchmark)}" if account.benchmark else ""
    text = named_causes(account)
    if headline and text:
        yield f"Why{where}: {text}."
    if not text:
        yield f"Why{where}: not explained."
    yield from why_findings(account if account.explained else replace(account, limits=()))
