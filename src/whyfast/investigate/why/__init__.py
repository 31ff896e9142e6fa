"""The account of a difference: commands or builds measured, then looked into layer by layer."""
