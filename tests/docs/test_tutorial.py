"""The tutorial's files are written and its commands run, in order, in one folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.snippets import ROOT

PAGE = ROOT / "docs/tutorial.md"
#: A fenced block with its language, and the last file name in backticks before it.
_BLOCK = re.compile(r"^```(c|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: Commands that measure, and for how long: on a busy machine a verdict takes longer.
_WITHIN = re.compile(r"(whyfast (?:ab|check)\b)")
_BUDGETS = ("4s", "16s", "64s")
_FILE = re.compile(r"`([\w.]+\.[ch])`")


def blocks() -> list[tuple[str, str]]:
    """File name or ``sh``, and the text, of each block in order."""
    text = PAGE.read_text("utf-8")
    return [
        (match[1] if match[1] == "sh" else _FILE.findall(text[: match.start()])[-1], match[2])
        for match in _BLOCK.finditer(text)
    ]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    names = {
        f"GIT_{who}_{what}": "me@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    folder = Path(sys.executable).parent
    return {
        **os.environ,
        **names,
        "WHYFAST_HOME": str(tmp_path / "home"),
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
    }


def test_the_tutorial_works(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "checksum"
    folder.mkdir()

    def run(script: str) -> str:
        return subprocess.run(
            ["bash", "-euc", script],
            cwd=folder,
            env=environment,
            check=True,
            timeout=300,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    def measured(script: str, ending: str) -> str:
        """What the script prints, given more time until that ends so."""
        for budget in _BUDGETS:
            printed = run(_WITHIN.sub(rf"\1 --budget {budget}", script))
            if printed.endswith(ending):
                break
        return printed

    compared, slower = "whyfast ab ./bitwise ./bytewise", "whyfast ab ./bytewise ./bitwise"
    endings = {'echo "exit code: $code"': "exit code: 3\n", compared: "\n3\n"}
    outputs = {}
    for name, text in blocks():
        if name == "sh":
            last = text.splitlines()[-1]
            asked = text.replace(compared, f"{slower} --fail-on slower || echo $?")
            outputs[last] = measured(asked, endings.get(last, ""))
        else:  # less data, so that less has to be simulated
            (folder / name).write_text(text.replace("4 << 20", "1 << 19"))
    assert run("./bitwise") == run("./bytewise")
    explained = outputs["whyfast explain bitwise bytewise --function checksum --diff"]
    if os.uname().machine == "x86_64":  # the load from the table
        assert re.search(r"^\+ .*\[\w+\+\w+\*4\]", explained, re.MULTILINE)
    assert all(outputs[last].endswith(ending) for last, ending in endings.items())
