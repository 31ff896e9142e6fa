"""What a search goes along: one file an axis, each a function to candidates in order."""
