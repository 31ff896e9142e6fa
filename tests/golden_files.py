"""Documents that whyfast writes, kept whole under ``tests/golden/`` for a reviewer to read.

``make golden`` writes them again; ``git diff tests/golden`` then shows what changed for a reader.
The documents of ``tests/unit/PACKAGE/test_golden.py`` are those in ``tests/golden/PACKAGE/``.
"""

import difflib
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from whyfast import __version__

FOLDER = Path(__file__).parent / "golden"
#: What the fixture ``golden`` is: it is told messages.
Hear = Callable[..., None]
WRITE = os.environ.get("WHYFAST_GOLDEN") == "write"


def refusal(kind: type[Exception], call: Callable[[], object]) -> str:
    """The message of the error of that kind that the call raises."""
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def check_golden(package: str, name: str, text: str) -> None:
    """Fail with a unified diff where ``text`` is not what the file holds; write it if asked to."""
    path = FOLDER / package / name
    lines = [line.rstrip() for line in text.replace(__version__, "VERSION").splitlines()]
    found = "\n".join(lines).strip("\n") + "\n"
    if WRITE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found)
        return
    kept = path.read_text() if path.exists() else ""
    if found != kept:
        where = f"tests/golden/{package}/{name}"
        diff = difflib.unified_diff(
            kept.splitlines(), found.splitlines(), where, "this version", lineterm=""
        )
        pytest.fail("make golden rewrites it\n" + "\n".join(diff), pytrace=False)


def check_no_others(package: str, names: Collection[str]) -> None:
    """Fail where the folder has a file that no test makes; remove it if asked to write."""
    others = {path.name for path in (FOLDER / package).iterdir()} - set(names)
    if WRITE:
        for name in others:
            (FOLDER / package / name).unlink()
        others.clear()
    assert others == set(), f"no test makes these in tests/golden/{package}; make golden"


_MARKS = {"h1": "# ", "h2": "## ", "h3": "### ", "li": "- ", "summary": "> ", "dt": ": "}
_BREAKS = {*_MARKS, "p", "tr", "caption", "pre", "figcaption", "div"}


class _Reader(HTMLParser):
    """What a page shows: headings, paragraphs, a line a row, and what folds."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = 0
        self.pre = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in ("script", "style")
        self.pre = self.pre or tag == "pre"
        if tag in _BREAKS or tag == "br":
            self.parts.append("\n" + _MARKS.get(tag, ""))
        if tag in ("th", "td", "dd"):
            self.parts.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style")
        self.pre = self.pre and tag != "pre"
        if tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data if self.pre else re.sub(r"\s+", " ", data))


def html_as_text(html: str) -> str:
    """The text of a page, without scripts and styles."""
    reader = _Reader()
    reader.feed(html)
    lines = (line.strip() for line in "".join(reader.parts).splitlines())
    return "\n".join(line for line in lines if line.strip("| "))


def paragraphs(cases: Mapping[str, str | Iterable[str]]) -> str:
    """Each case with its name as a heading and a line a sentence."""
    texts = ((name, [said] if isinstance(said, str) else said) for name, said in cases.items())
    return "\n".join("\n".join((f"## {name}", *lines, "")) for name, lines in texts)


class Messages:
    """What the tests of a package were told, by test, in one document ``messages/PACKAGE.md``."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, list[str]]] = {}
        self._heard: dict[str, dict[str, list[str]]] = {}

    def kept(self, package: str) -> dict[str, list[str]]:
        """Its messages by test as the document has them."""
        if package not in self._kept:
            path = FOLDER / "messages" / f"{package}.md"
            text = path.read_text() if path.exists() else ""
            for part in text.split("\n## ")[1:]:
                test, *lines = part.splitlines()
                self._kept.setdefault(package, {})[test] = [n[2:] for n in lines if n]
            self._kept.setdefault(package, {})
        return self._kept[package]

    def hear(self, nodeid: str, texts: Sequence[str]) -> None:
        """Fail with a diff where a test was told anything else; keep it if asked to write."""
        package, test = place_of(nodeid)
        texts = [text.strip("\n").replace("\n", "⏎") for text in texts]
        if WRITE:
            self._heard.setdefault(package, {})[test] = texts
            return
        kept = self.kept(package).get(test, [])
        if texts != kept:
            where = f"tests/golden/messages/{package}.md"
            diff = difflib.unified_diff(kept, texts, where, nodeid, lineterm="")
            pytest.fail("make golden rewrites it\n" + "\n".join(diff), pytrace=False)

    def write(self, nodeids: Collection[str]) -> None:
        """Write what was heard; what other tests were told stays, if there still are such tests."""
        tests = set(map(place_of, nodeids))
        for package, heard in self._heard.items():
            others = {t: told for t, told in self.kept(package).items() if (package, t) in tests}
            every = sorted({**others, **heard}.items())
            told = "".join(
                f"\n## {test}\n" + "".join(f"- {text}\n" for text in texts)
                for test, texts in every
                if texts
            )
            path = FOLDER / "messages" / f"{package}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# Messages that the tests of {package} compare\n{told}")


def place_of(nodeid: str) -> tuple[str, str]:
    """The package of a test, and its name there, on one line."""
    path, _, test = nodeid.removeprefix("tests/").removeprefix("unit/").partition("::")
    package, _, file = path.partition("/")
    test = re.sub(r"(\\x00){4,}", r"\\x00…", test).replace("\n", "\\n")
    return package, f"{file.removesuffix('.py')}: {test}"
