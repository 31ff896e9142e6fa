"""Costs beside time, on programs whose costs are known."""
