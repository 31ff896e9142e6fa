"""Puts the tables of a run into ``docs/studies/fastcall.md``.

    python -m bench.fastcall_page [--result R.json] [--traps T.md] [--pairs P.md]

R is what ``whyfast run fastcall --quick --json R.json`` wrote, T and P what
``bench.fastcall_traps`` and ``bench.fastcall_pairs`` printed. In the page, what stands between
``<!-- NAME -->`` and ``<!-- end -->`` is replaced: ``measured``, the changes against 2.7 with their
intervals; ``conditions``; ``traps`` and ``pairs``. What is not given stays.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from whyfast.model.result import Result
from whyfast.report.document import Table
from whyfast.report.result_json import load_result
from whyfast.report.sections.each_benchmark import matrix_tables

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Rewrites the page; the exit status."""
    arguments = argparse.ArgumentParser(description="Tables of docs/studies/fastcall.md.")
    for name in ("result", "traps", "pairs"):
        arguments.add_argument(f"--{name}", type=Path)
    arguments.add_argument("--page", type=Path, default=ROOT / "docs" / "studies" / "fastcall.md")
    wanted = arguments.parse_args()
    parts = {}
    if wanted.result:
        result = load_result(wanted.result)
        parts["conditions"] = _conditions(result)
        parts["measured"] = _markdown(matrix_tables(result)[0])
    if wanted.traps:
        parts["traps"] = wanted.traps.read_text("utf-8").strip()
    if wanted.pairs:
        parts["pairs"] = wanted.pairs.read_text("utf-8").strip()
    text = wanted.page.read_text("utf-8")
    for name, part in parts.items():
        place = re.search(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)", text, re.DOTALL)
        if place is None:
            sys.exit(f"{wanted.page} has no place for {name}")
        text = f"{text[: place.start()]}{part}\n{text[place.end() :]}"
    wanted.page.write_text(text, "utf-8")
    return 0


def _conditions(result: Result) -> str:
    date = datetime.fromtimestamp(result.recorded.started, UTC).date()
    minutes = result.recorded.seconds.get("measure", 0.0) / 60
    numbers = [v.blocks for v in result.judged.verdicts]
    busy = " ".join(f"{c.text}." for c in result.judged.confounds if c.kind == "load")
    return (
        f"Measured on {date}, on a virtual machine with two cores of an Intel Xeon at 2.6 GHz, in "
        f"{minutes:.1f} minutes; from {min(numbers)} to {max(numbers)} blocks a row. "
        f"{busy[:1].upper()}{busy[1:]}"
    ).strip()


def _markdown(table: Table) -> str:
    lines = [
        "| " + " | ".join(c.title for c in table.columns) + " |",
        "| --- |" + " ---: |" * (len(table.columns) - 1),
    ]
    for row in table.rows:
        lines.append("| " + " | ".join(_cell(c.text, c.detail) for c in row) + " |")
    return "\n".join(lines)


def _cell(text: str, detail: str) -> str:
    """Of a change with its interval, the change alone: its sign says faster or slower."""
    change = re.fullmatch(r"\((.+?)\) (\[.+\])( \w+)?", detail)
    if not change:
        return f"{text} {detail}".strip()
    word = change[3] or ""
    return f"{change[1]} {change[2]}{'' if word in (' faster', ' slower') else word}"


if __name__ == "__main__":
    sys.exit(main())
