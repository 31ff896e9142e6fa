"""Samples to verdicts. The formulas are derived in docs/MATH.md."""
