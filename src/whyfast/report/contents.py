"""What a report shows and in which order, for every way of showing it."""

from __future__ import annotations

from typing import Literal

from whyfast.model.result import Result
from whyfast.report.calls_text import calls_table
from whyfast.report.counted_table import count_details, count_tables
from whyfast.report.detail_tables import build_table, noise_table, phase_table
from whyfast.report.distribution_table import distribution_tables
from whyfast.report.entry_table import entry_table
from whyfast.report.figures_text import figures_table
from whyfast.report.fixes_table import fixes_table
from whyfast.report.jump_table import dispatch_table, jump_table
from whyfast.report.lines_table import lines_tables, points_tables
from whyfast.report.matrix_table import matrix_tables
from whyfast.report.observed_table import image_table, overhead_table, run_times_table
from whyfast.report.option_table import option_table
from whyfast.report.placement_table import placement_table
from whyfast.report.summary_table import summary_table
from whyfast.report.table import Table

#: What the table of times has as rows: variants, or benchmarks with a column a variant.
TableRows = Literal["variants", "benchmarks"]


def times_tables(result: Result, rows: TableRows) -> tuple[Table | None, ...]:
    """The answer in figures, in one table or one a baseline."""
    return (summary_table(result),) if rows == "variants" else matrix_tables(result)


def main_tables(
    result: Result, *, verbose: bool, rows: TableRows = "variants"
) -> tuple[Table, ...]:
    """The tables under the headline: times, placement, indirect jumps, how the benchmarks lie."""
    found = (
        *times_tables(result, rows),
        placement_table(result, every=verbose),
        fixes_table(result, every=verbose),
        *lines_tables(result),
        jump_table(result),
        *count_tables(result),
        *distribution_tables(result, every=verbose),
    )
    return tuple(table for table in found if table is not None)


def background_tables(result: Result) -> tuple[Table, ...]:
    """What the result rests on: builds, noise, time spent."""
    found = (
        *points_tables(result),
        run_times_table(result),
        overhead_table(result),
        figures_table(result),
        build_table(result),
        noise_table(result),
        phase_table(result),
    )
    return tuple(table for table in found if table is not None)


def evidence_tables(result: Result, *, counted: bool = True) -> tuple[Table, ...]:
    """What stands behind the table of indirect jumps and, if ``counted``, behind the counts."""
    found = (
        image_table(result),
        dispatch_table(result),
        entry_table(result),
        option_table(result),
        calls_table(result),
        *(count_details(result) if counted else ()),
    )
    return tuple(table for table in found if table is not None)
