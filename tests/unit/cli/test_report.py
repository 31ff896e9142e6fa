"""``whyfast merge``: files, homes, names; what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.fleet.machines import measured, study

from whyfast.cli.main import main
from whyfast.model.result import Result
from whyfast.report.result_json import dump_result, to_json
from whyfast.store.home import Home
from whyfast.store.samples import Run, SampleStore


@pytest.fixture
def files(own_home: Home, tmp_path: Path) -> list[str]:
    """Of two machines, the second of which is slower."""
    paths = []
    for i, (name, ratio) in enumerate({"kite": 1.0, "wren": 1.1}.items()):
        path = tmp_path / f"{name}.json"
        path.write_text(dump_result(measured(name, {"slow": ratio}, seed=i)))
        paths.append(str(path))
    return paths


def keep(database: Path, result: Result) -> None:
    store = SampleStore(database)
    recorded, name = result.recorded, result.question.name
    store.add_result(Run(recorded.run, "k", name, recorded.started, 1.0), to_json(result))
    store.close()


def test_homes_and_databases(
    files: list[str], own_home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "home of wren"
    keep(other / "data" / "results.sqlite", measured("wren", {"slow": 1.1}, seed=1))
    keep(own_home.database, measured("owl", {"slow": 1.1}, seed=5))
    assert main(["merge", files[0], str(other), "loops", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)["data"]
    assert [m["machine"]["name"] for m in found["machines"]] == ["kite", "wren", "owl"]
    assert [m["sources"] for m in found["machines"]] == [[files[0]], [str(other)], ["loops"]]
    database = other / "data" / "results.sqlite"
    assert main(["merge", files[0], str(database), "--json", "-"]) == 0
    assert len(json.loads(capsys.readouterr().out)["data"]["machines"]) == 2
    second = replace(study(), name="other study")
    keep(database, measured("wren", {"slow": 1.1}, asked=second, seed=7))
    assert main(["merge", files[0], str(other)]) == 2
    assert "other study, loops" in capsys.readouterr().err
    assert main(["merge", files[0], str(other), "--study", "loops"]) == 0
    assert main(["merge", files[0], str(other), "--study", "lops"]) == 2
    assert capsys.readouterr().err.endswith("no results of 'lops'; available: other study, loops\n")


def test_a_merged_file_again(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = tmp_path / "merged.json"
    assert main(["merge", *files, "--json", str(whole)]) == 0
    first = capsys.readouterr().out
    assert main(["report", str(whole)]) == 0
    assert capsys.readouterr().out == first
    third = tmp_path / "owl.json"
    third.write_text(dump_result(measured("owl", {"slow": 1.1}, seed=9)))
    assert main(["merge", str(whole), str(third), "--json", "-"]) == 0
    names = [m["machine"]["name"] for m in json.loads(capsys.readouterr().out)["data"]["machines"]]
    assert names == ["kite", "wren", "owl"]


def test_names_cannot_steer_the_terminal_or_become_html(
    own_home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for i, name in enumerate(["\x1b]0;x\x07<script>alert(1)</script>", "a\nb|c"]):
        environment = {"machine": name, "cpu_model": "<b>\u202ecpu", "boot_id": str(i)}
        path = tmp_path / f"{i}.json"
        path.write_text(dump_result(measured("m", {"slow": 1.1}, seed=i, environment=environment)))
        paths.append(str(path))
    html, markdown = tmp_path / "out.html", tmp_path / "out.md"
    assert main(["merge", *paths, "--html", str(html), "--markdown", str(markdown), "-v"]) == 0
    for text in (capsys.readouterr().out, html.read_text(), markdown.read_text()):
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "<script>alert" not in html.read_text()
    assert "<b>" not in html.read_text()
