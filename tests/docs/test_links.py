"""Every link of the documentation leads to a file that exists, and to a heading that it has."""

import re
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.docs.snippets import ROOT

_CODE = re.compile(r"^```.*?^```|^(?: {4}|\t).*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(
    r"\]\(<?([^)\s>]+)>?\)|^\[[^\]]+\]: *(\S+)|\b(?:src|href)=\"([^\"]+)\"", re.MULTILINE
)
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_ANCHOR = re.compile(r'<a id="([^"]+)">')
_REMOTE = re.compile(r"[a-z]+:", re.IGNORECASE)


def pages() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    return [ROOT / name for name in names if not name.startswith("tests/")]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    seen: dict[str, int] = {}
    result = set(_ANCHOR.findall(text))
    for heading in _HEADING.findall(text):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        number = seen.get(slug, 0)
        seen[slug] = number + 1
        result.add(f"{slug}-{number}" if number else slug)
    return frozenset(result)


def wrong_links(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    text = _CODE.sub("", page.read_text("utf-8"))
    wrong = []
    for match in _LINK.finditer(text):
        link = next(filter(None, match.groups()))
        if _REMOTE.match(link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        missing = not target.exists()
        if missing or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert wrong_links(page) == []


def test_every_page_of_the_documentation_can_be_reached() -> None:
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        links = (next(filter(None, m.groups())) for m in _LINK.finditer(page.read_text("utf-8")))
        local = (link.partition("#")[0] for link in links if not _REMOTE.match(link))
        todo += [(page.parent / link).resolve() for link in local if link]
    assert sorted(p for p in pages() if p.is_relative_to(ROOT / "docs") and p not in reached) == []


def test_a_broken_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b` (c)\n[x](#a-b-c) [x](#a) [x](gone.md) [x](https://example.org) `[x](no)`\n"
    )
    assert wrong_links(page) == ["#a", "gone.md"]
