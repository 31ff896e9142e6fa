"""study.toml → Study; every mistake has its file, line, key and what would be right."""
