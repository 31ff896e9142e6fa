"""What the machine does to results, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from whyfast.model.machine import MachineFinding, SettingChange
from whyfast.report.names import printable

_STYLES = {"warning": "yellow", "unknown": "dim", "good": "green"}
_LINE = 100  # longer lines of prose are hard to read, however wide the terminal


def print_findings(findings: Sequence[MachineFinding], console: Console) -> None:
    """What was found, what it does, and how to set what is not good; warnings first."""
    table = Table(box=None, show_header=False, pad_edge=False, width=min(console.width, _LINE))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    order = list(_STYLES)
    for f in sorted(findings, key=lambda f: order.index(f.state)):
        text = Text(f"{f.title}: {printable(f.value)}\n", style="bold")
        text.append(Text(f.effect, style="not bold"))
        if f.how and f.state != "good":
            text.append(Text(f"\nTo change it: {f.how}", style="not bold dim"))
        table.add_row(Text(f.state, _STYLES[f.state]), text)
    console.print(table)


def print_changes(
    changes: Sequence[SettingChange], console: Console, *, restored: bool, message: str = ""
) -> None:
    """What was set or put back, and what could not be, one line a setting."""
    if message:
        console.print(Text(printable(message)))
    if not changes:
        console.print("nothing to put back" if restored else "nothing to set")
    for change in changes:
        done = "put back" if restored else "set"
        line = Text(f"/{printable(change.path)}: ")
        values = printable(f"{change.old} → {change.new}")
        if change.error:
            line.append(f"not {done}", style="yellow")
            line.append(f" ({values}): {printable(change.error)}")
        else:
            line.append(f"{done} ({values})")
        console.print(line, soft_wrap=True)
