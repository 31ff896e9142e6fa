"""A planned study on the terminal."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from whyfast.investigate.forecast import BuildCost, Forecast
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.report.names import count
from whyfast.report.numbers import format_seconds
from whyfast.store.disk import readable


def print_outlook(
    outlook: Forecast, console: Console, *, verbose: bool, free: int | None = None
) -> None:
    """The variants with their state, the benchmarks, and what all of it takes.

    ``free``: bytes that the disk has, where it is known.
    """
    study = outlook.study
    console.print(Text(study.title, style="bold"))
    _variants(outlook, console, verbose=verbose)
    console.print()
    if verbose:
        for step in study.build.steps if study.measured else ():
            console.print(Text(f"step: {step}"), soft_wrap=True)
        short = study.build.evidence
        for step in short.steps if short and len(study.measured) < len(study.variants) else ():
            console.print(Text(f"step for evidence: {step}"), soft_wrap=True)
    for line in _costs(outlook, free):
        console.print(line, soft_wrap=True)
    if not study.measured:
        console.print("evidence only: nothing is measured")
        return
    names = ", ".join(b.name for b in study.benchmarks)
    console.print(Text(f"{count(len(study.benchmarks), 'benchmark')}: {names}"))
    if study.in_vms:
        wanted = list(dict.fromkeys(v.kernel for v in study.measured))
        missing = f"; to download: {', '.join(outlook.kernels)}" if outlook.kernels else ""
        console.print(Text(f"{count(len(wanted), 'kernel')}: {', '.join(wanted)}{missing}"))
        most = format_seconds(study.measure.budget)
        console.print(f"each is booted once, and again while {most} last")
        return
    early = " or until all is decided" if study.measure.stop == "decided" else ""
    console.print(f"measuring takes {format_seconds(study.measure.budget)}{early}")


def free_space(folder: Path) -> int | None:
    """Bytes that the disk of the folder, which may not exist yet, has free."""
    place = folder
    while not os.path.exists(place) and place != place.parent:
        place = place.parent
    try:
        return shutil.disk_usage(place).free
    except OSError:
        return None


def _variants(outlook: Forecast, console: Console, *, verbose: bool) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("variant", "toolchain", "state", ""):
        table.add_column(heading)
    for p in outlook.prospects:
        table.add_row(
            Text(p.variant.name + _mark(outlook.study, p.variant)),
            p.variant.toolchain,
            p.state,
            Text("" if p.detail == p.variant.toolchain else p.detail, style="dim"),
        )
        if verbose:
            flags = " ".join([*p.variant.cflags, *p.variant.ldflags, *p.variant.configure])
            table.add_row("", "", "", Text(flags, style="dim"))
    console.print(table)


def _mark(study: Study, variant: Variant) -> str:
    if variant.evidence_only and study.measured:
        return " (evidence)"
    return " (baseline)" if variant.name in study.baselines else ""


def _costs(outlook: Forecast, free: int | None) -> list[str]:
    """What toolchains and builds take, a line each."""
    lines = []
    installs = list((outlook.installs or {}).values())
    if installs:
        seconds = format_seconds(sum(c.seconds for c in installs))
        lines.append(
            f"{count(len(installs), 'toolchain')} to install: about "
            f"{readable(sum(c.download for c in installs))} to download, "
            f"{readable(sum(c.disk for c in installs))} on disk, {seconds} in all"
        )
    lines += _building(outlook.to_build, "", outlook.each)
    lines += _building(outlook.to_read, " for evidence only", outlook.each_read)
    if outlook.disk:
        have = "" if free is None else f"; {readable(free)} are free"
        lines.append(f"disk needed: about {readable(outlook.disk)}{have}")
    return lines


def _building(number: int, what: str, each: BuildCost | None) -> list[str]:
    if not number:
        return []
    if each is None:
        return [f"building {number}{what}: how long it takes is known once one of them is built"]
    seconds, size = format_seconds(number * each.seconds), readable(number * each.size)
    why = "as the study states" if each.stated else "going by the last build of this source"
    return [f"building {number}{what} takes about {seconds} and {size}, {why}"]
