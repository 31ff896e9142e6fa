"""A calculator with pyparsing from the current folder: reads one line as often as it is told."""

import importlib
import os
import sys

sys.path.insert(0, os.getcwd())
pp = importlib.import_module("pyparsing")

number = pp.Outcome(pp.nums)
expression = pp.infixNotation(
    number,
    [
        (pp.oneOf("* /"), 2, pp.opAssoc.LEFT),
        (pp.oneOf("+ -"), 2, pp.opAssoc.LEFT),
    ],
)
for _ in range(int(sys.argv[1])):
    assert str(expression.parseString("1 + 2 * (3 - 4) / 5 + 6", parseAll=True))
