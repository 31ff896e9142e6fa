"""What the browser tests share."""

from __future__ import annotations

from collections.abc import Callable

from tests.report.conftest import Opened

Opening = Callable[..., Opened]
POINTS = "#plots .chart .point"
PHONE = {"width": 380, "height": 800}


def clean(seen: Opened) -> None:
    """Nothing went wrong in the page, and it asked for nothing."""
    assert seen.said == []
    assert [url for url in seen.requests if not url.startswith(("file:", "data:", "blob:"))] == []
