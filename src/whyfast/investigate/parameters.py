"""Commands spelled out: names, and parameters replaced by each of their values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from decimal import Decimal

from whyfast.investigate.ab_run import Command
from whyfast.model.errors import UserError

#: More variants than this in one comparison is surely a mistake.
MOST = 100


def expand(
    lines: Sequence[str],
    names: Sequence[str],
    lists: Sequence[Sequence[str]] = (),
    scans: Sequence[Sequence[str]] = (),
) -> list[Command]:
    """Every command with every combination of parameter values.

    ``lists``: (variable, "a,b,c"); ``scans``: (variable, min, max, step). ``names`` are given to
    the results in order; the others are named by their command line. UserError for names that are
    too many or used twice, and for parameters that are given twice or that no command mentions.
    """
    parameters = {v: values.split(",") for v, values in lists}
    parameters.update({v: _scan(v, low, high, step) for v, low, high, step in scans})
    given = [v for v, *_ in (*lists, *scans)]
    for variable in parameters:
        if given.count(variable) > 1:
            raise UserError("is given twice", where=f"parameter {variable}")
        if not any(f"{{{variable}}}" in line for line in lines):
            raise UserError(f"no command mentions {{{variable}}}", where=f"parameter {variable}")
    used = [[v for v in parameters if f"{{{v}}}" in line] for line in lines]
    total = sum(math.prod(len(parameters[v]) for v in own) for own in used)
    if total > MOST:  # before they are made: there may be millions
        raise UserError(f"that makes {total} commands; at most {MOST} can be compared")
    expanded = []
    for line, own in zip(lines, used, strict=True):
        for combination in itertools.product(*(parameters[v] for v in own)):
            text = line
            for variable, value in zip(own, combination, strict=True):
                text = text.replace(f"{{{variable}}}", value)
            expanded.append(text)
    if len(names) > len(expanded):
        raise UserError(f"{len(names)} names for {len(expanded)} commands", where="--name")
    return _named(expanded, names)


def _named(lines: Sequence[str], names: Sequence[str]) -> list[Command]:
    """Names as given, else the command line; the same line again gets a number."""
    taken: set[str] = set()
    commands = []
    for i, line in enumerate(lines):
        name = names[i] if i < len(names) else line
        if name in taken and i < len(names):
            raise UserError(f"{name!r} is given twice", where="--name")
        count = 2
        while name in taken:
            name = f"{line} ({count})"
            count += 1
        taken.add(name)
        commands.append(Command(name, line))
    return commands


def _scan(variable: str, low: str, high: str, step: str) -> list[str]:
    where = f"--parameter-scan {variable}"
    try:
        first, last, by = Decimal(low), Decimal(high), Decimal(step)
        count = (last - first) / by
        fits = 0 <= count < MOST
    except ArithmeticError:  # no number, NaN, a step of 0, or beyond what a decimal can hold
        raise UserError("MIN, MAX and STEP must be numbers, STEP not 0", where=where) from None
    if not fits:
        raise UserError(
            f"{low} to {high} by {step} is no range of up to {MOST} values", where=where
        )
    return [f"{first + by * i:f}" for i in range(int(count) + 1)]
