"""The study that the fleets of these trials measure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SPIN = Path(__file__).resolve().parents[2] / "tests" / "known" / "spin"


def write_study(
    folder: Path,
    variants: Mapping[str, int],
    benchmarks: int,
    *,
    budget: int,
    turns: int,
    turn: str = "",
) -> Path:
    """A study of a loop that does as many steps of work as ``variants`` say, measured for
    ``budget`` seconds whatever is found; ``turn`` as in a study file."""
    tables = "\n".join(
        f'[variant.{name}]\ntoolchain = "path:gcc"\ncflags = ["-DSTEPS={steps}"]\n'
        for name, steps in variants.items()
    )
    taken = "\n".join(
        f'[benchmarks.spin{i}]\nrunner = "turn"\ncommand = ["{{program}}"]\n'
        for i in range(benchmarks)
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(
        f"""
[study]
title = "Is it slower?"
baseline = "{next(iter(variants))}"
[source]
path = "{SPIN}"
[build]
steps = ["{{cc}} -O2 {{cflags}} -I{{include}} -o {{program}} {{source}}/spin.c {{ldflags}}"]
program = "spin"
{tables}
{taken}
[measure]
budget = "{budget}s"
stop = "budget"
turns = {turns}
{f'turn = "{turn}"' if turn else ""}
""",
        encoding="utf-8",
    )
    return folder
