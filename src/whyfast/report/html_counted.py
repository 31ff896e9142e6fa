"""What the builds did, in the HTML file: totals first, each benchmark in a fold."""

from __future__ import annotations

from whyfast.model.result import Result
from whyfast.report.counted_table import count_details, count_tables
from whyfast.report.html_text import details, section, table


def counted_section(result: Result) -> str:
    """The whole section, empty where nothing was counted."""
    body = [table(data, cls="wordy") for data in count_tables(result)]
    body += [details(data.caption, table(data, caption=False)) for data in count_details(result)]
    return section("counted", "What the builds did", "\n".join(body))
