"""The fuzzer's corpus, run once under the sanitizers of gcc."""

import subprocess
from pathlib import Path

import pytest
from tests.subjects.conftest import SANITIZE, WARNINGS, sources


def test_the_corpus_does_no_harm(gcc: list[str], subject: Path, tmp_path: Path) -> None:
    program = tmp_path / "replay"
    fuzz = subject / "fuzz"
    command = [*gcc, *WARNINGS, "-O1", "-g", "-DVM_DISPATCH_GOTO", f"-I{subject}"]
    command += [*SANITIZE, "-o", str(program), str(fuzz / "target.c"), str(fuzz / "replay.c")]
    command += [str(subject / "interp.c"), *sources("main.c", "options.c", "plugin.c")]
    build = subprocess.run(command, capture_output=True, text=True, check=False)
    if build.returncode != 0 and "asan" in build.stderr:
        pytest.skip("gcc has no sanitizers here")
    assert build.returncode == 0, build.stderr
    corpus = sorted((fuzz / "corpus").glob("*.hex"))
    process = subprocess.run([program, *corpus], capture_output=True, text=True, check=False)
    assert (process.stdout, process.stderr) == (f"{len(corpus)} inputs\n", "")
    assert len(corpus) > 20
