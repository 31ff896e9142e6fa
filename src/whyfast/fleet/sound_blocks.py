"""Blocks from a file, before anything is computed of them."""

from __future__ import annotations

import math

from whyfast.model.errors import UserError
from whyfast.model.result import Result


def check_blocks(result: Result, where: str) -> None:
    """UserError for a value that no clock gives, and for blocks whose variants took unequal numbers
    of turns."""
    for number, block in enumerate(result.recorded.blocks):
        place = f"recorded.blocks[{number}]"
        if block.loops < 1:
            raise UserError(f"{place}.loops: 1 or more is wanted, not {block.loops}", where=where)
        if len({len(values) for values in block.values.values()}) > 1:
            raise UserError(f"{place}.values: not equally many turns of all variants", where=where)
        for variant, values in block.values.items():
            if not values or not all(0 < v < math.inf for v in values):
                raise UserError(f"{place}.values.{variant}: times above 0 are wanted", where=where)
