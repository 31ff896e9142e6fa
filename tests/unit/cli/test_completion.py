"""``whyfast completion`` in the shells that are here, by the tabulator key where they have one."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
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


#: How a shell of a person begins, and loads the script as docs/completion.md has it.
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], ". ./script"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "mkdir zfunc; cp script zfunc/_whyfast; fpath+=$PWD/zfunc;"
        " autoload -U compinit; compinit -u -d $PWD/dump",
    ),
}
#: What is typed before the key is pressed, and what the shell then runs.
TYPED = {
    "whyfast sea": "search",
    "whyfast ab --budg": "ab --budget",
    "whyfast ab ./old.j": "ab ./old.json",
    "whyfast compare old.json ne": "compare old.json new.json",
    "whyfast builds sh": "builds show",
    "whyfast history --fail-on sl": "history --fail-on slower",
}


#: Makes standard input the terminal of the session, and becomes the shell. The test itself has
#: threads, and must not fork.
ON_A_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


def with_key(argv: list[str], start: str, folder: Path) -> list[str]:
    """The arguments of whyfast, once for each line typed in that shell on a terminal."""
    terminal, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", ON_A_TERMINAL, *argv],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        start_new_session=True,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb"},
    )
    os.close(inner)
    said, deadline = b"", time.monotonic() + 120

    def until(text: bytes, times: int) -> None:
        nonlocal said
        while said.count(text) < times:
            assert time.monotonic() < deadline, said.decode(errors="replace")
            if select.select([terminal], [], [], 1)[0]:
                said += os.read(terminal, 65536)

    try:
        # A mark that is printed, and not only typed.
        os.write(terminal, f"{start}; whyfast() {{ echo \"<$*>\"; }}; echo re''ady\n".encode())
        until(b"ready", 1)
        for number, line in enumerate(TYPED, 1):
            os.write(terminal, f"{line}\t\n".encode())
            until(b">\r\n", number)
    finally:
        os.close(terminal)  # a hangup
        process.wait()
    lines = said.decode(errors="replace").splitlines()
    return [s[1:-1].strip() for s in lines if s.startswith("<") and s.endswith(">")]


@pytest.mark.parametrize("shell", START)
def test_the_key_completes(shell: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    (tmp_path / "script").write_text(script(shell, capsys))
    for name in ("old.json", "new.json"):
        (tmp_path / name).touch()
    assert with_key(*START[shell], tmp_path) == list(TYPED.values())


def test_fish_completes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("needs fish")
    (tmp_path / "script").write_text(script("fish", capsys))
    for name in ("old.json", "new.json"):
        (tmp_path / name).touch()
    for line, wanted in TYPED.items():
        done = subprocess.run(
            [fish, "--no-config", "-c", f"source script; complete -C '{line}'"],
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert [s.split("\t")[0] for s in done.stdout.splitlines()] == [wanted.split()[-1]]
