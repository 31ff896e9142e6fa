"""Where interpreters under study come from, one file a provider."""
