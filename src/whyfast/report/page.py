"""A short report as plain data: what is not the outcome of a study, but reads like one."""

from __future__ import annotations

from dataclasses import dataclass

from whyfast.report.table import Table


@dataclass(frozen=True)
class Page:
    """The answer first, then tables, then sentences that say how far to trust it."""

    headline: str
    tables: tuple[Table, ...]
    sentences: tuple[str, ...] = ()
