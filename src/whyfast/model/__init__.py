"""The plain data that every other package passes on; no side effects, no numerics."""
