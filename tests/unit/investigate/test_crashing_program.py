"""A real program that crashes one run in sixty."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whyfast.cli.main import main

CRASHY = """\
#!/bin/sh
read n < runs
n=$((n + 1))
echo $n > runs
[ $((n % 60)) != 0 ] || kill -SEGV $$
"""


def test_what_it_did_before_it_crashed_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    Path("runs").write_text("0\n")
    Path("fine").write_text("#!/bin/sh\n:\n")
    Path("crashy").write_text(CRASHY)
    for name in ("fine", "crashy"):
        Path(name).chmod(0o755)
    # Its margin is so small that nothing is decided in sixty runs.
    words = ["ab", "./fine", "./crashy", "--budget", "10m", "--margin", "0.001%"]
    assert main([*words, "--json", "result.json"]) == 1
    found = json.loads(Path("result.json").read_text())["data"]
    kept = [b["values"] for b in found["recorded"]["blocks"]]
    # It is not timed again; its threads may be looked at once more.
    assert int(Path("runs").read_text()) <= 61
    # Blocks are whole. Some of the 59 runs told how long one takes.
    assert all(len(values["./crashy"]) == len(values["./fine"]) for values in kept)
    assert 1 <= sum(len(values["./crashy"]) for values in kept) <= 59
    assert "'whole run' failed with ./crashy: killed by SIGSEGV." in found["answer"]["sentences"]
    assert "./crashy failed on whole run: killed by SIGSEGV" in capsys.readouterr().err
