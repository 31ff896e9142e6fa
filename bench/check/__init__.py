"""Whether ``whyfast check`` keeps its word: changes that must not matter, and changes that must."""
