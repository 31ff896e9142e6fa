"""Stored builds on the terminal."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from whyfast.report.numbers import format_bytes, format_seconds
from whyfast.store.builds import StoredBuild


def print_builds(builds: Sequence[StoredBuild], console: Console) -> None:
    """One line a build: digest, variant, compiler, size, last use."""
    if not builds:
        console.print("no builds yet")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("digest", "variant", "compiler", "source", "size", "used"):
        table.add_column(heading, justify="right" if heading == "size" else "left")
    now = time.time()
    for b in builds:
        p = b.provenance
        table.add_row(
            b.digest[:12],
            Text(p["variant"]),
            Text(p["toolchain"]["version"]),
            Text(p["source"]["folder"]),
            format_bytes(b.size),
            f"{format_seconds(max(0.0, now - b.used))} ago",
        )
    console.print(table)


def print_provenance(build: StoredBuild, script: str, console: Console) -> None:
    """Everything that went into a build, and how to repeat it."""
    p = build.provenance
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(p["started"]))
    rows = [
        ("variant", p["variant"]),
        ("digest", p["digest"]),
        ("program", str(build.folder / "work" / p["program"])),
        ("program sha256", p["program_sha256"]),
        ("compiler", f"{p['toolchain']['version']} for {p['toolchain']['target']}"),
        ("toolchain", f"{p['toolchain']['name']}, digest {p['toolchain']['digest']}"),
        ("supports", ", ".join(p["toolchain"]["features"]) or "none of the probed features"),
        (
            "source",
            f"{p['source']['folder']}, {len(p['source']['files'])} files, "
            f"digest {p['source']['digest']}",
        ),
        ("cflags", " ".join(p["inputs"]["cflags"]) or "–"),
        ("ldflags", " ".join(p["inputs"]["ldflags"]) or "–"),
        ("configure", " ".join(p["inputs"]["configure"]) or "–"),
        ("built", f"{when} on {p['host']} ({p['system']}) in {format_seconds(p['seconds'])}"),
        ("log", str(build.folder / "log.txt")),
    ]
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value))
    console.print(table)
    console.print("\nto repeat it by hand in an empty folder:\n", style="bold")
    console.print(Text(script), soft_wrap=True)
