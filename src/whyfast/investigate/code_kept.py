"""The machine code that a result keeps, so that any two builds can be laid side by side later."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from whyfast.explain.code_listing import Listings
from whyfast.explain.program import load
from whyfast.investigate.work import Work
from whyfast.model.build import Build
from whyfast.model.code_listing import CodeListing, ProgramCode
from whyfast.model.errors import UserError
from whyfast.model.study import Study

#: Instructions that are kept of one build: those of a large interpreter's loop. Handlers made for
#: every choice of registers are ten times as many, and each is like the next.
MOST_LINES = 6_000


def kept_code(work: Work[Study]) -> tuple[ProgramCode, ...]:
    """One a build that can be read, twins aside: a twin has the code of its baseline."""
    wanted = (*work.question.evidence.dispatch, *work.question.evidence.functions)
    twins = {v.name for v in work.question.variants if v.twin_of}
    if not wanted:
        return ()
    found = []
    for build in work.builds:
        if isinstance(build, Build) and build.variant not in twins:
            try:
                found.append(_of(build, wanted))
            except UserError:  # why it cannot be read was said when the evidence was gathered
                continue
    return tuple(found)


def _of(build: Build, wanted: tuple[str, ...]) -> ProgramCode:
    listings = Listings(load(build.program))
    names = [n for n in listings.pieces if any(fnmatchcase(n, glob) for glob in wanted)]
    kept = tuple(_within(listings, names))
    return ProgramCode(build.variant, kept, len(names) - len(kept))


def _within(listings: Listings, names: list[str]) -> Iterator[CodeListing]:
    """As many functions as there is room for; those whose bytes alone say that they have none are
    not decoded."""
    left = MOST_LINES
    for name in names:
        if left <= 0:
            return
        listing = listings.of(name)
        if len(listing.lines) <= left:
            left -= len(listing.lines)
            yield listing
