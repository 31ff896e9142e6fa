"""What the documentation says to write and to type is accepted."""

import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from tests.docs.snippets import Snippet, commands, toml_snippets
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
def test_a_piece_of_a_study_is_read(
    snippet: Snippet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
