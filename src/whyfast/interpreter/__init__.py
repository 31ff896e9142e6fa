"""Where interpreters under study come from."""
