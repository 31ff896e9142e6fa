"""The site of ``make docs`` in a real browser, on a desk and a phone, in light and dark."""

import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from web.build import QUICK

ROOT = Path(__file__).parents[2]
PAGES = ("web/index", "docs/tutorial", "docs/study", "docs/MATH", "docs/traps", "web/api")
REPORTS = tuple(f"reports/{study}" for study in QUICK)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(module, reason="make docs installs what builds the site")
    folder = tmp_path_factory.mktemp("site")
    argv = [sys.executable, "-m", "web.build", str(folder)]
    home = {**os.environ, "WHYFAST_HOME": str(tmp_path_factory.mktemp("home"))}  # nothing was run
    done = subprocess.run(argv, cwd=ROOT, env=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.long
def test_every_page_of_docs_is_there(site: Path) -> None:
    pages = [p.relative_to(ROOT) for p in (ROOT / "docs").rglob("*.md")]
    assert [p for p in pages if not (site / p.with_suffix(".html")).is_file()] == []
    listing = (site / "llms.txt").read_text("utf-8")
    assert [p for p in pages if f"({p.with_suffix('.html')})" not in listing] == []
    api = (site / "web" / "api.html").read_text("utf-8")
    assert "whyfast.timeit" in api
    assert 'id="whyfast.Report.to_frame"' in api


@pytest.mark.long
def test_the_gallery_is_never_empty(site: Path) -> None:
    gallery = (site / "web" / "gallery.html").read_text("utf-8")
    links = re.findall(r'href="\.\./reports/([\w-]+)\.html"', gallery)
    assert sorted(links) == sorted(QUICK)
    assert all((site / f"reports/{name}.html").is_file() for name in links)
    assert "Not run on that machine:" in gallery


@pytest.mark.long
@pytest.mark.parametrize(
    ("width", "scheme"), list(product((1280, 400), ("light", "dark"))), ids=lambda v: str(v)
)
def test_pages_fit(site: Path, browser: Any, width: int, scheme: str) -> None:
    size = {"width": width, "height": 900}
    context = browser.new_context(viewport=size, color_scheme=scheme)
    problems: list[str] = []
    for name in (*PAGES, "web/gallery", *REPORTS):
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        light = sum(int(part) for part in back[4:-1].split(",")[:3]) > 3 * 128
        assert light == (scheme == "light"), (name, back)
        assert page.locator("h1").first.is_visible()
        page.close()
    context.close()
    assert problems == []
