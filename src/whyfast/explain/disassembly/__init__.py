"""Machine code to plain instruction records and text."""
