"""The entry point: which command, which exit code, and how little it imports."""

from __future__ import annotations

import errno
import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.unit.measure.conftest import STUCK, ends

from whyfast import __version__
from whyfast.cli.main import GARBAGE, main


def test_only_a_process_of_its_own_collects_garbage_rarely(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[object] = []
    monkeypatch.setattr("gc.set_threshold", lambda *numbers: done.append(numbers))
    monkeypatch.setattr("atexit.register", done.append)
    main(["studies"])
    assert done == []
    monkeypatch.setattr("sys.argv", ["whyfast", "studies"])
    main()
    assert done == [GARBAGE, gc.freeze]


def test_the_package_runs_as_a_module() -> None:
    run = [sys.executable, "-m", "whyfast", "studies", "--no-such-option"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "--no-such-option" in line
    assert "whyfast studies --help" in line


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"whyfast {__version__}\n"


def test_a_place_that_cannot_be_used_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("WHYFAST_HOME", str(file))
    assert main(["run", "dispatch", "--dry-run"]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"whyfast: {file}")
    assert message.endswith(": cannot be used: Not a directory\n")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules);"
        "from whyfast.cli.main import main; main(['--help']);"
        "new = sorted(m for m in set(sys.modules) - before if '.' not in m and m != '__future__');"
        "print(new, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "['whyfast']\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_was_started_ends_with_whyfast(tmp_path: Path, number: int) -> None:
    pid = tmp_path / "pid"
    command = f"sh -c 'echo $$ > {pid}.part; mv {pid}.part {pid}; exec sleep 600'"
    # The tests themselves may have been started with the signal ignored, as nohup does.
    code = (
        f"import signal, sys; signal.signal({int(number)}, signal.SIG_DFL);"
        "from whyfast.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    whyfast = subprocess.Popen(
        [sys.executable, "-c", code, "ab", command, "true"],
        env={**os.environ, "WHYFAST_HOME": str(tmp_path / "home")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + STUCK
        while not pid.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        whyfast.send_signal(number)
        assert whyfast.wait(STUCK) == 128 + number
        assert ends(int(pid.read_text()))
    finally:
        whyfast.kill()
        whyfast.wait()


def test_too_few_open_files_and_too_little_memory_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = "whyfast: too many open files; raise the limit: ulimit -n 256\n"
    little = "whyfast: not enough memory; raise the limit: ulimit -v unlimited\n"
    for error, said in (
        (OSError(errno.EMFILE, "Too many open files"), few),
        (OSError(errno.ENFILE, "Too many open files in system", "/x"), few),
        (ImportError("x.so: cannot open shared object file: Too many open files"), few),
        (MemoryError(), little),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), little),
        (ImportError("x.so: failed to map segment from shared object"), little),
        (RuntimeError("can't start new thread"), little),
    ):

        def fails(args: object, error: BaseException = error) -> int:
            raise error

        monkeypatch.setattr("whyfast.cli.admin.run_studies", fails)
        assert main(["studies"]) == 2
        assert capsys.readouterr().err == said


def test_numpy_starts_no_threads_and_what_is_measured_is_not_told_so() -> None:
    code = (
        "import ctypes, os, sys; from whyfast.cli.main import main; main(['studies']);"
        "libc = ctypes.CDLL(None); libc.getenv.restype = ctypes.c_char_p;"
        "import numpy; threads = len(os.listdir('/proc/self/task'));"
        "print(libc.getenv(b'OPENBLAS_NUM_THREADS'), os.environ.get('OPENBLAS_NUM_THREADS'),"
        " threads, file=sys.stderr)"
    )
    env = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    assert done.stderr == "b'1' None 1\n"
