"""Searches and checks in this process, without what is simulated and sampled after the answer: that
takes longer than the search, and is tested by itself."""

import json
from pathlib import Path
from typing import Any

from tests.unit.investigate.doubles import Watcher

from whyfast.investigate.services import Services
from whyfast.measure.tools import Launcher
from whyfast.model.errors import CannotBuildHere
from whyfast.report.pages.search_page import dump_search
from whyfast.search.axes import SearchRequest
from whyfast.search.requests import search_range
from whyfast.store.home import Home
from whyfast.study.load import load_study


class _Without(Launcher):
    """Where these programs are not installed."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self._names = names

    def find(self, name: str) -> str | None:
        return None if name in self._names else super().find(name)


def without_account() -> Services:
    """All that is real but for the account, which needs a shell."""
    return Services(launcher=_Without("sh"))


def _no_valgrind(*given: object) -> Path:
    raise CannotBuildHere("not for this test")


def searched(study: Path, good: str, bad: str, home: Home) -> tuple[dict[str, Any], list[str]]:
    """The data of the JSON of a search of commits by time, and what its observer heard. Nothing is
    simulated."""
    services = Services(launcher=_Without("sh", "valgrind"), valgrind=_no_valgrind)
    watcher, request = Watcher(), SearchRequest("commits", good, bad)
    result = search_range(load_study(str(study)), request, home, watcher, services)
    found: dict[str, Any] = json.loads(dump_search(result))["data"]
    return found, watcher.heard
