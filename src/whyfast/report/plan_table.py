"""A planned study on the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from whyfast.investigate.outlook import Outlook
from whyfast.report.numbers import format_seconds
from whyfast.store.disk import readable


def print_outlook(outlook: Outlook, console: Console, *, verbose: bool) -> None:
    """The variants with their state, the benchmarks, and how long measuring takes at most."""
    study = outlook.study
    console.print(Text(study.title, style="bold"))
    table = Table(box=None, pad_edge=False)
    for heading in ("variant", "toolchain", "state", ""):
        table.add_column(heading)
    for p in outlook.prospects:
        mark = " (baseline)" if p.variant.name in study.baselines else ""
        table.add_row(
            Text(p.variant.name + mark), p.variant.toolchain, p.state, Text(p.detail, style="dim")
        )
        if verbose:
            flags = " ".join([*p.variant.cflags, *p.variant.ldflags, *p.variant.configure])
            table.add_row("", "", "", Text(flags, style="dim"))
    console.print(table)
    console.print()
    if verbose:
        for step in study.build.steps:
            console.print(Text(f"step: {step}"), soft_wrap=True)
    if outlook.to_build and outlook.each:
        seconds = format_seconds(outlook.to_build * outlook.each.seconds)
        size = readable(outlook.to_build * outlook.each.size)
        console.print(
            f"building {outlook.to_build} takes about {seconds} and {size}, "
            "going by the last build of this source",
            soft_wrap=True,
        )
    names = ", ".join(b.name for b in study.benchmarks)
    console.print(Text(f"benchmarks: {names}"))
    early = " or until all is decided" if study.measure.stop == "decided" else ""
    console.print(f"measuring takes {format_seconds(study.measure.budget)}{early}")
