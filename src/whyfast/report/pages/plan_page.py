"""A planned study: its variants with their state, and what all of it takes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from whyfast.investigate.forecast import BuildCost, Forecast
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.report.document import (
    Cell,
    CodeBlock,
    Document,
    Table,
    document,
    section,
    sentences,
    table,
)
from whyfast.report.names import count
from whyfast.report.numbers import format_seconds
from whyfast.store.disk import readable


def plan_page(forecast: Forecast, *, free: int | None = None) -> Document:
    """The variants, what all of it takes, and with which flags and steps.

    ``free``: bytes that the disk has, where it is known.
    """
    study = forecast.study
    said = [*_costs(forecast, free), *_measuring(forecast)]
    instead = f"{study.stands_for}; {study.name} would be run instead" if study.stands_for else ""
    steps = study.build.steps if study.measured else ()
    short = study.build.evidence
    read = short.steps if short and len(study.measured) < len(study.variants) else ()
    return document(
        "plan",
        study.title,
        instead,
        section("variants", "Variants", _variant_table(forecast), importance="answer"),
        section("costs", "What it takes", sentences(said), importance="answer"),
        section("flags", "Flags", _flag_table(study), importance="detail"),
        section("steps", "Steps", _steps(steps), importance="detail"),
        section("read", "Steps for evidence only", _steps(read), importance="detail"),
    )


def free_space(folder: Path) -> int | None:
    """Bytes that the disk of the folder, which may not exist yet, has free."""
    place = folder
    while not os.path.exists(place) and place != place.parent:
        place = place.parent
    try:
        return shutil.disk_usage(place).free
    except OSError:
        return None


def _variant_table(forecast: Forecast) -> Table | None:
    rows = [
        (
            *(p.variant.name + _mark(forecast.study, p.variant), p.variant.toolchain),
            Cell(p.state, "" if p.detail == p.variant.toolchain else p.detail),
        )
        for p in forecast.prospects
    ]
    return table("", ("variant", "toolchain", "state"), rows)


def _flag_table(study: Study) -> Table | None:
    rows = [
        (v.name, flags)
        for v in study.variants
        if (flags := " ".join([*v.cflags, *v.ldflags, *v.configure]))
    ]
    return table("Flags", ("variant", "flags"), rows)


def _steps(steps: tuple[str, ...]) -> CodeBlock | None:
    return CodeBlock(steps, "sh") if steps else None


def _mark(study: Study, variant: Variant) -> str:
    if variant.evidence_only and study.measured:
        return " (evidence)"
    return " (baseline)" if variant.name in study.baselines else ""


def _measuring(forecast: Forecast) -> Iterator[str]:
    """What is run, and how long that takes at most."""
    study = forecast.study
    if not study.measured:
        yield "evidence only: nothing is measured"
        return
    names = ", ".join(b.name for b in study.benchmarks)
    yield f"{count(len(study.benchmarks), 'benchmark')}: {names}"
    budget = format_seconds(study.measure.budget)
    if study.in_vms:
        wanted = list(dict.fromkeys(v.kernel for v in study.measured))
        missing = f"; to download: {', '.join(forecast.kernels)}" if forecast.kernels else ""
        yield f"{count(len(wanted), 'kernel')}: {', '.join(wanted)}{missing}"
        yield f"each is booted once, and again while {budget} last"
        return
    early = " or until all is decided" if study.measure.stop == "decided" else ""
    yield f"measuring takes {budget}{early}"


def _costs(forecast: Forecast, free: int | None) -> Iterator[str]:
    """What toolchains and builds take, a line each."""
    installs = list((forecast.installs or {}).values())
    if installs:
        seconds = format_seconds(sum(c.seconds for c in installs))
        yield (
            f"{count(len(installs), 'toolchain')} to install: about "
            f"{readable(sum(c.download for c in installs))} to download, "
            f"{readable(sum(c.disk for c in installs))} on disk, {seconds} in all"
        )
    yield from _building(forecast.to_build, "", forecast.each)
    yield from _building(forecast.to_read, " for evidence only", forecast.each_read)
    if forecast.disk:
        have = "" if free is None else f"; {readable(free)} are free"
        yield f"disk needed: about {readable(forecast.disk)}{have}"


def _building(number: int, what: str, each: BuildCost | None) -> Iterator[str]:
    if not number:
        return
    if each is None:
        yield f"building {number}{what}: how long it takes is known once one of them is built"
        return
    seconds, size = format_seconds(number * each.seconds), readable(number * each.size)
    why = "as the study states" if each.stated else "going by the last build of this source"
    yield f"building {number}{what} takes about {seconds} and {size}, {why}"
