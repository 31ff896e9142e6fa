"""study.toml → Study; every mistake has its file, line, key and what would be right."""

from whyfast.study.load import load_study

__all__ = ["load_study"]
