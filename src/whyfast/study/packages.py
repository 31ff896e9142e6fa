"""Names of Debian packages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import Key, quoted

_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")


def check_packages(table: TomlTable, at: Key, names: Sequence[str]) -> None:
    """Refuse what cannot be one; ``at`` is the list that they stand in."""
    for i, name in enumerate(names):
        if not _PACKAGE.fullmatch(name):
            message = f"{quoted(name)} is not the name of a Debian package"
            raise table.error((*at, i), message, 'write it as in "zlib1g-dev"')
