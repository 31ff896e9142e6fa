"""Compilers on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from whyfast.model.toolchain import Toolchain
from whyfast.store.disk import readable


def print_toolchains(toolchains: Sequence[tuple[str, bool, int]], console: Console) -> None:
    """Names with whether they are installed, and the bytes on disk (0: not whyfast's)."""
    table = Table(box=None, pad_edge=False)
    table.add_column("toolchain")
    table.add_column("state")
    table.add_column("on disk", justify="right")
    for name, installed, size in toolchains:
        # With other packages beside it, a compiler can be on disk and still not installed alone.
        state = "installed" if installed or size else "can be downloaded"
        table.add_row(name, state, readable(size) if size else "")
    console.print(table)


def print_toolchain(toolchain: Toolchain, console: Console) -> None:
    """One toolchain with what a probe found."""
    supports = ", ".join(sorted(toolchain.features)) or "none of the probed features"
    console.print(
        f"{toolchain.name}: {toolchain.version} for {toolchain.target}; supports {supports}; "
        f"digest {toolchain.digest[:12]}",
        soft_wrap=True,
    )
