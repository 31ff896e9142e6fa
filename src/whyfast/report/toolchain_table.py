"""Compilers on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from whyfast.model.toolchain import Toolchain


def print_toolchains(toolchains: Sequence[tuple[str, bool]], console: Console) -> None:
    """Names with whether they are installed."""
    table = Table(box=None, pad_edge=False)
    table.add_column("toolchain")
    table.add_column("state")
    for name, installed in toolchains:
        table.add_row(name, "installed" if installed else "can be downloaded")
    console.print(table)


def print_toolchain(toolchain: Toolchain, console: Console) -> None:
    """One toolchain with what a probe found."""
    supports = ", ".join(sorted(toolchain.features)) or "none of the probed features"
    console.print(
        f"{toolchain.name}: {toolchain.version} for {toolchain.target}; supports {supports}; "
        f"digest {toolchain.digest[:12]}",
        soft_wrap=True,
    )
