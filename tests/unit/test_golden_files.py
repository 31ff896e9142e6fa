"""Every document of ``tests/golden/`` belongs to a test, and a difference fails with a diff."""

import re
from pathlib import Path

import pytest
from tests import golden_files
from tests.golden_files import FOLDER, Messages, check_golden, check_no_others, html_as_text

TESTS = FOLDER.parent


def test_every_folder_has_the_tests_that_make_it() -> None:
    packages = {path.name for path in FOLDER.iterdir()} - {"messages"}
    assert {p for p in packages if not (TESTS / "unit" / p / "test_golden.py").is_file()} == set()


@pytest.mark.parametrize("path", sorted((FOLDER / "messages").iterdir()), ids=lambda p: p.stem)
def test_every_message_has_its_test(path: Path) -> None:
    folder = next(f for f in (TESTS / "unit" / path.stem, TESTS / path.stem) if f.is_dir())
    for file, test in re.findall(r"(?m)^## ([^:]+): (\w+)", path.read_text()):
        code = (folder / f"{file}.py").read_text()
        head = re.search(rf"(?ms)^def {test}\((.*?)\) -> None:", code)
        assert head is not None, f"{file}: {test}"
        assert "golden: Hear" in head[1], f"{file}: {test}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(golden_files, "FOLDER", tmp_path)
    monkeypatch.setattr(golden_files, "WRITE", False)
    (tmp_path / "report").mkdir()
    (tmp_path / "messages").mkdir()
    (tmp_path / "report" / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "messages" / "fleet.md").write_text("# Head\n\n## test_a: test_b[1]\n- told\n")
    return tmp_path


def test_a_difference_is_a_diff(folder: Path) -> None:
    check_golden("report", "a.txt", "one  \ntwo\n\n")
    with pytest.raises(pytest.fail.Exception, match=r"-two\n\+three"):
        check_golden("report", "a.txt", "one\nthree\n")
    with pytest.raises(pytest.fail.Exception, match=r"\+new"):
        check_golden("report", "b.txt", "new\n")


def test_a_document_of_no_test_is_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_no_others("report", ["a.txt"])
    with pytest.raises(AssertionError):
        check_no_others("report", [])
    monkeypatch.setattr(golden_files, "WRITE", True)
    check_no_others("report", [])
    check_golden("report", "c.txt", "new")
    assert [p.name for p in (folder / "report").iterdir()] == ["c.txt"]


def test_messages_are_compared_and_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test, other = "tests/unit/fleet/test_a.py::test_b[1]", "tests/unit/fleet/test_c.py::test_d"
    Messages().hear(test, ["told"])
    for texts in ([], ["told", "told"], ["tolt"]):
        with pytest.raises(pytest.fail.Exception):
            Messages().hear(test, texts)
    monkeypatch.setattr(golden_files, "WRITE", True)
    messages = Messages()
    messages.hear(other, ["two\nlines"])
    messages.write([other])
    text = (folder / "messages" / "fleet.md").read_text()
    assert text.splitlines()[2:] == ["## test_c: test_d", "- two⏎lines"]


def test_the_text_of_a_page() -> None:
    page = "<style>x</style><h1>A  b</h1><table><tr><th>1</th><td>2</td></tr></table><p>c<br>d</p>"
    assert html_as_text(page).splitlines() == ["# A b", "| 1 | 2", "c", "d"]
