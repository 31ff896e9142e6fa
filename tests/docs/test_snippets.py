"""What the documentation says to write and to type is accepted. Every link of the documentation
leads to a file that exists, and to a heading that it has."""

import re
import subprocess
import tomllib
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import tomlkit

from tests.docs.snippets import ROOT, Snippet, commands, toml_snippets
from whyfast.cli.commands import COMMANDS
from whyfast.cli.options import command_parser
from whyfast.study.load import load_study

#: A study that has what a snippet may leave to the reader.
AROUND: dict[str, Any] = {
    "study": {"title": "t", "baseline": "base"},
    "source": {"path": "."},
    "build": {"steps": ["{cc} {cflags} -o {program} {source}/*.c {ldflags}"], "program": "p"},
    "variant": {"base": {"toolchain": "path:gcc"}, "other": {"toolchain": "path:gcc"}},
    "benchmarks": {"b": {"runner": "turn", "command": ["{program}"]}},
}


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    both = {
        k: _merged(under[k], v) if isinstance(v, dict) and isinstance(under.get(k), dict) else v
        for k, v in over.items()
    }
    return {**under, **both}


def _whole(snippet: dict[str, Any]) -> dict[str, Any]:
    """The snippet with the rest of a study around it, every variant that it names among that."""
    if "steps" in snippet or "link" in snippet:
        build = {k: snippet.pop(k) for k in ("steps", "link") if k in snippet}
        snippet = {**snippet, "build": build}
    around = {k: v for k, v in deepcopy(AROUND).items() if k != "source" or k not in snippet}
    along = isinstance(snippet.get("study", {}).get("baseline"), dict)
    if "axes" in snippet and ("study" not in snippet or along):
        around.pop("variant")
        first = "-".join(next(iter(values)) for values in snippet["axes"].values())
        around["study"] = {**AROUND["study"], "baseline": first}
        around["variant"] = {"common": {"abstract": True, "toolchain": "path:gcc"}}
        for values in snippet["axes"].values():
            for value in values.values():
                value.setdefault("toolchain", "path:gcc")
                if "python" in value:  # a pattern stands for what is installed here
                    value["python"] = "path:python3"
                    around["benchmarks"] = {"b": {"runner": "turn", "command": ["{python}"]}}
    study = _merged(around, snippet)
    if "study" not in snippet and study["variant"].get("base", {}).get("abstract"):
        study["study"] = {**AROUND["study"], "baseline": "other"}
    if any("{python}" in str(b.get("command")) for b in study["benchmarks"].values()):
        for variant in study["variant"].values():
            variant.setdefault("python", "path:python3")
    named = [study["study"]["baseline"]] if isinstance(study["study"]["baseline"], str) else []
    named += study["study"]["baseline"] if not named else []
    for variant in list(study["variant"].values()):
        named += [variant[k] for k in ("extends", "fixes") if k in variant]
        if "extends" not in variant and not variant.get("abstract"):
            variant.setdefault("toolchain", "path:gcc")
    for name in named if "axes" not in study else ():
        study["variant"].setdefault(name, {"toolchain": "path:gcc"})
    return study


@pytest.mark.parametrize("snippet", toml_snippets(), ids=str)
def test_pieces_are_read(snippet: Snippet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder in ("src", "study/src", "src/interpreter"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    data = tomllib.loads(snippet.text)
    if "include" in data:
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "common.toml").write_text("")
    file = tmp_path / "study" / "study.toml"
    file.write_text(tomlkit.dumps(_whole(data)), encoding="utf-8")
    load_study(str(file))


@pytest.mark.parametrize(("snippet", "words"), commands(), ids=lambda v: str(v)[:60])
def test_a_command_is_understood(snippet: Snippet, words: list[str]) -> None:
    assert words[0] in COMMANDS, snippet
    command_parser(words[0]).parse_args(words[1:])


def test_every_command_has_its_page() -> None:
    folder = Path(__file__).parents[2] / "docs"
    assert [name for name in COMMANDS if not (folder / f"{name}.md").is_file()] == []


def test_there_is_something_to_look_at() -> None:
    assert len(toml_snippets()) >= 15
    assert len(commands()) >= 30


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
