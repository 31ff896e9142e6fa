"""Dask's own messages, which say in many lines what whyfast says in one."""

from __future__ import annotations

import logging


def silence() -> None:
    """From now on, in this process; its loggers have levels of their own."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.split(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
