"""Deleting what was installed, so that nothing half deleted can be taken for installed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def discard(folder: Path) -> None:
    """Delete a folder whose lock the caller holds; nothing when it is not there.

    It loses its name first: what an interrupt leaves of it is called as what is not finished yet,
    which the next installation deletes.
    """
    if folder.exists():
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{folder.name}-unfinished-"))
        folder.rename(aside / "removed")
        delete_root(aside)


def delete_root(folder: Path) -> None:
    """Remove it with all that is in it, also folders that are not writable."""

    def retry(function: Callable[..., object], path: str, error: object) -> None:
        os.chmod(os.path.dirname(path), 0o700)
        function(path)

    if folder.exists():
        shutil.rmtree(folder, onerror=retry)
