"""A series of results: where it changed for good, and which single points stand apart."""
