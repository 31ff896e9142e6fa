"""Every format that can be read. A new one is one new file and one line here."""

from __future__ import annotations

from whyfast.formats import (
    criterion,
    csv_table,
    go_bench,
    google_benchmark,
    hyperfine,
    pyperf,
    pytest_benchmark,
    whyfast_result,
)
from whyfast.formats.format import Format

#: In the order in which they are asked. Google Benchmark's files have ``context`` and
#: pytest-benchmark's ``machine_info``, so they go before pyperf, whose mark (``version``) a file of
#: another tool might carry by chance.
FORMATS: tuple[Format, ...] = (
    whyfast_result.FORMAT,
    google_benchmark.FORMAT,
    pytest_benchmark.FORMAT,
    pyperf.FORMAT,
    hyperfine.FORMAT,
    criterion.FORMAT,
    go_bench.FORMAT,
    csv_table.FORMAT,
)
