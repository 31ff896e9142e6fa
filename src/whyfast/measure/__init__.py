"""Builds to samples: turns and blocks, calibration, runners. docs/measuring.md has the design."""
