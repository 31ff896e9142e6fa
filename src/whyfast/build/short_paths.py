"""Paths as reports show them."""

from __future__ import annotations

import re

#: An absolute path of several folders, in a step or a message.
_PATH = re.compile(r"(?<![\w./])/(?:[\w.+@-]+/){2,}(?=[\w.+@-])")


def without_folders(text: str) -> str:
    """``text`` on one line, whole, with the folders of its absolute paths left out: ``…/name``."""
    return _PATH.sub("…/", " ".join(text.split()))
