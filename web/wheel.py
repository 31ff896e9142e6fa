"""Build hook of hatchling: the manual pages, made of the parsers, go into the wheel. An environment
with it on PATH has them: ``man whyfast-ab``."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualPages(BuildHookInterface[Any]):
    """Writes them to a folder that lasts as long as the build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add each page as ``share/man/man1/NAME.1``."""
        if version == "editable":
            return
        sys.path[:0] = [self.root, str(Path(self.root, "src"))]
        try:
            from web.manual import main
        except ModuleNotFoundError as error:
            if error.name != "argparse_manpage":
                raise
            # Only without build isolation: pyproject.toml requires it for building.
            self.app.display_warning("without manual pages: argparse-manpage is not installed")
            return
        self._folder = tempfile.TemporaryDirectory()
        main(Path(self._folder.name))
        for page in Path(self._folder.name).rglob("*.1"):
            build_data["shared_data"][str(page)] = f"share/man/man1/{page.name}"
