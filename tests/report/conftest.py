"""One browser for all browser tests, and a page that records whatever goes wrong in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.report.chromium import find_chromium
from tests.unit.report.parts import as_html

from whyfast.model.result import Result


@dataclass
class Opened:
    """A page with what its console, its errors and its requests said."""

    page: Any
    said: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


def refuse(seen: Opened, dialog: Any) -> None:
    """Only an injected script opens a dialog; it must be closed for the page to go on."""
    seen.said.append(f"dialog: {dialog.message}")
    dialog.dismiss()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = find_chromium()
    if chromium is None:
        pytest.skip(
            "no Chromium: install one, name it in WHYFAST_CHROMIUM, "
            "or run tests/install_chromium.py"
        )
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=os.fspath(chromium.path),
            args=list(chromium.arguments),
            env=chromium.environment,
        )
        yield running
        running.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Opens a result's HTML file, or HTML; keyword arguments are those of a browser context."""
    contexts = []

    def opening(shown: Result | str, **options: Any) -> Opened:
        path = tmp_path / "report.html"
        page = shown if isinstance(shown, str) else as_html(shown)
        path.write_text(page, encoding="utf-8")
        context = browser.new_context(**options)
        contexts.append(context)
        seen = Opened(context.new_page())
        seen.page.on("console", lambda message: seen.said.append(message.text))
        seen.page.on("pageerror", lambda error: seen.said.append(str(error)))
        seen.page.on("dialog", lambda dialog: refuse(seen, dialog))
        seen.page.on("request", lambda request: seen.requests.append(request.url))
        seen.page.goto(path.as_uri())
        return seen

    yield opening
    for context in contexts:
        context.close()
