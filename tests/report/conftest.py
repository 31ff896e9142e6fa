"""One browser for all browser tests, and pages in which nothing may go wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.report.chromium import find_chromium
from tests.unit.report.parts import as_html

from whyfast.model.result import Result

Opening = Callable[..., Any]
POINTS = "#plots .chart .point"
PHONE = {"width": 380, "height": 800}


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
def opened(browser: Any, tmp_path: Path) -> Iterator[Opening]:
    """Opens a result's HTML file, or HTML; keyword arguments are those of a browser context. No
    page may write to the console, raise an error, open a dialog or request anything."""
    contexts: list[Any] = []
    problems: list[str] = []

    def refuse(dialog: Any) -> None:
        """Only an injected script opens a dialog; it must be closed for the page to go on."""
        problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def check_request(request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            problems.append(f"request: {request.url}")

    def opening(shown: Result | str, **options: Any) -> Any:
        path = tmp_path / "report.html"
        path.write_text(shown if isinstance(shown, str) else as_html(shown), encoding="utf-8")
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", refuse)
        page.on("request", check_request)
        page.goto(path.as_uri())
        return page

    yield opening
    for context in contexts:
        context.close()
    assert problems == []


def fits_phone(page: Any) -> bool:
    """Whether nothing must be scrolled sideways."""
    wide: int = page.evaluate("document.documentElement.scrollWidth")
    return wide <= PHONE["width"]
