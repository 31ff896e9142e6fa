"""The pictures of the README: a result on the terminal and in HTML, as the commands show it.

    python -m bench.pictures [STUDY|FILE.json]

STUDY is one with a result on this machine (default: dispatch, after ``make demo``).
Needs a Chromium: one on PATH, in WHYFAST_CHROMIUM, or by tests/install_chromium.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text
from tests.report.chromium import find_chromium

IMAGES = Path(__file__).parents[1] / "docs/images"
COLUMNS, LINES = 112, 30
WIDTH, HEIGHT = 1000, 760
MOST_BYTES = 200_000


def report(result: str, *options: str) -> str:
    """What ``whyfast report`` prints, in colour."""
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "LINES": str(LINES)}
    command = [sys.executable, "-m", "whyfast", "report", result, *options]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def picture_terminal(result: str) -> Path:
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(report(result)))
    target = IMAGES / "terminal.svg"
    name = json.loads(report(result, "--json", "-"))["data"]["question"]["name"]
    svg = console.export_svg(title=f"whyfast run {name} --quick")
    # Fonts of the reader's machine: a picture of a repository loads nothing from elsewhere.
    lines, skipping = [], False
    for line in svg.splitlines():
        skipping = skipping or "@font-face" in line
        if not skipping:
            lines.append(line.rstrip().replace("Fira Code, monospace", "monospace"))
        if skipping and line.strip() == "}":
            skipping = False
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def picture_html(result: str) -> Path:
    chromium = find_chromium()
    if chromium is None:
        sys.exit("pictures: no Chromium; run: .venv/bin/python -m tests.install_chromium")
    target = IMAGES / "report.png"
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        page_file = Path(name) / "report.html"
        report(result, "--html", str(page_file))
        browser = playwright.chromium.launch(
            executable_path=os.fspath(chromium.path),
            args=list(chromium.arguments),
            env=dict(chromium.environment),
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(page_file.as_uri())
        page.wait_for_timeout(1000)
        page.screenshot(path=target)
        browser.close()
    return target


def main() -> None:
    result = sys.argv[1] if len(sys.argv) > 1 else "dispatch"
    IMAGES.mkdir(exist_ok=True)
    for target in (picture_terminal(result), picture_html(result)):
        size = target.stat().st_size
        print(f"{target}: {size:,} bytes")
        if size > MOST_BYTES:
            sys.exit(f"pictures: {target.name}: {size:,} bytes; at most {MOST_BYTES:,} expected")


if __name__ == "__main__":
    main()
