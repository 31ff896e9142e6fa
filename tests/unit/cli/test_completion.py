"""``whyfast completion`` in the shells that are here."""

import shutil
import subprocess
from pathlib import Path

import pytest

from whyfast.cli.commands import COMMANDS
from whyfast.cli.main import main
from whyfast.cli.reading_options import SHELLS


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_know_commands_and_options(
    shell: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = script(shell, capsys)
    for word in (*COMMANDS, "parameter-list", "fail-on"):
        assert word in text
    if program := shutil.which(shell):
        (tmp_path / "script").write_text(text)
        subprocess.run([program, "-n", str(tmp_path / "script")], check=True)


def test_bash_completes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "script").write_text(script("bash", capsys))
    (tmp_path / "old.json").touch()

    def completed(*words: str) -> list[str]:
        line = " ".join(words)
        code = f"""
            source ./script
            COMP_WORDS=({line} {"''" if words[-1] == "" else ""})
            COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) COMP_LINE="{line}" COMP_POINT=${{#COMP_LINE}}
            compopt() {{ :; }}
            $(complete -p whyfast | sed 's/.*-F \\([^ ]*\\).*/\\1/')
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(
            ["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert completed("whyfast", "co") == ["compare", "completion"]
    assert "--budget" in completed("whyfast", "ab", "--bu")
    assert "old.json" in completed("whyfast", "compare", "ol")
