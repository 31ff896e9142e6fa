"""Searches and checks in this process, without the account of the difference: it takes half a
minute of sampling and simulating, and is tested by itself."""

import json
from pathlib import Path
from typing import Any

from tests.unit.investigate.doubles import Watcher

from whyfast.investigate.services import Services
from whyfast.measure.process import SystemLauncher
from whyfast.report.pages.search_page import dump_search
from whyfast.search.axes.axis import SearchRequest
from whyfast.search.requests import search_range
from whyfast.store.home import Home
from whyfast.study.load import load_study


class _WithoutShell(SystemLauncher):
    """An account needs one, to repeat the work of one turn."""

    def find(self, name: str) -> str | None:
        return None if name == "sh" else super().find(name)


def without_account() -> Services:
    """All that is real but for the account."""
    return Services(launcher=_WithoutShell())


def searched(study: Path, good: str, bad: str, home: Home) -> tuple[dict[str, Any], list[str]]:
    """The data of the JSON of a search of commits by time, and what its observer heard."""
    watcher, request = Watcher(), SearchRequest("commits", good, bad)
    result = search_range(load_study(str(study)), request, home, watcher, without_account())
    found: dict[str, Any] = json.loads(dump_search(result))["data"]
    return found, watcher.heard
