"""Since when and what exactly: where between two ends a difference came from."""
