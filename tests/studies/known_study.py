"""A study of the program with a known answer, written where a test wants it."""

from collections.abc import Mapping
from pathlib import Path

SPIN = Path(__file__).resolve().parents[1] / "known" / "spin"


def write_study(folder: Path, variants: Mapping[str, str], *, measure: str = "") -> Path:
    """``variants`` maps a name to the rest of its table; ``base`` is the baseline."""
    tables = "\n".join(
        f'[variant.{name}]\ntoolchain = "path:gcc"\n{body}\n' for name, body in variants.items()
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(
        f"""
[study]
title = "Is it slower?"
baseline = "base"
[source]
path = "{SPIN}"
[build]
steps = ["{{cc}} -O2 {{cflags}} -I{{include}} -o {{program}} {{source}}/spin.c {{ldflags}}"]
program = "spin"
{tables}
[benchmarks.spin]
runner = "turn"
command = ["{{program}}"]
timeout = "2s"
[measure]
{measure or 'budget = "10s"'}
"""
    )
    return folder


def steps(n: int) -> str:
    """The table of a variant that does that much work."""
    return f'cflags = ["-DSTEPS={n}"]'


def mode(name: str) -> str:
    """The table of a variant that misbehaves."""
    return f"""cflags = ['-DMODE="{name}"']"""
