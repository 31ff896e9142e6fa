"""What tells two builds with equal programs apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from whyfast.build.recipe import differing_files
from whyfast.model.build import Build


def _build(folder: Path, files: Mapping[str, str], program: str = "src/vm") -> Build:
    for name, text in {program: "the program", **files}.items():
        path = folder / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    made = folder / "work" / program
    return Build(folder.name, "d", made, "x", {"program": program}, False)


def test_source_objects_logs_and_caches_are_not_run(tmp_path: Path) -> None:
    one = {"src/vm.c": "/* a */", "src/vm.o": "1", "src/README": "a", "src/config.log": "1"}
    other = {"src/vm.c": "/* b */", "src/vm.o": "2", "src/NEWS": "b", ".cache/go-build/ab": "1"}
    assert differing_files(_build(tmp_path / "a", one), _build(tmp_path / "b", other)) == ()


def test_a_library_a_script_and_data_could_be(tmp_path: Path) -> None:
    one = {"src/lib/os.py": "a", "src/libpython.so": "a", "src/words.txt": "a", "src/same.py": "s"}
    other = {"src/lib/os.py": "b", "src/libpython.so": "b", "src/same.py": "s"}
    assert differing_files(_build(tmp_path / "a", one), _build(tmp_path / "b", other)) == (
        "src/lib/os.py",
        "src/libpython.so",
        "src/words.txt",
    )
