"""Locks between processes and threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from whyfast.store.files import exclusive, exclusive_if_free

#: Seconds after which a test that would hang fails instead.
STUCK = 30.0


def _free(path: Path) -> bool:
    with exclusive_if_free(path) as free:
        return free


def test_a_lock_and_its_folder_are_made_when_missing(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.lock"
    with exclusive(path):
        assert path.exists()
        assert not _free(path)
    assert _free(path)


def test_a_free_lock_is_held_inside(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with exclusive_if_free(path) as free:
        assert free
        assert not _free(path)


def test_a_lock_is_free_after_an_error_inside(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with pytest.raises(ZeroDivisionError), exclusive(path):
        raise ZeroDivisionError
    assert _free(path)


def test_whoever_waits_is_told_once_and_comes_next(tmp_path: Path) -> None:
    path, calls, waiting = tmp_path / "lock", [], threading.Event()

    def wait() -> bool:
        def told() -> None:
            calls.append("waiting")
            waiting.set()

        with exclusive(path, told):
            return not _free(path)

    with ThreadPoolExecutor() as pool:
        with exclusive(path, lambda: calls.append("never")):
            other = pool.submit(wait)
            assert waiting.wait(STUCK)
            assert not other.done()
        assert other.result(STUCK) is True
    assert calls == ["waiting"]


def test_a_wait_can_be_cancelled_from_another_thread(tmp_path: Path) -> None:
    path, cancelled, waiting = tmp_path / "some.lock", threading.Event(), threading.Event()

    def wait() -> None:
        with exclusive(path, waiting.set, cancelled=cancelled):
            raise AssertionError("it was never free")

    with exclusive(path), ThreadPoolExecutor() as pool:
        other = pool.submit(wait)
        assert waiting.wait(STUCK)
        cancelled.set()
        with pytest.raises(InterruptedError, match=r"no longer waiting for some\.lock"):
            other.result(STUCK)


def test_a_wait_that_could_be_cancelled_gets_the_lock_else(tmp_path: Path) -> None:
    path, waiting = tmp_path / "lock", threading.Event()

    def wait() -> bool:
        with exclusive(path, waiting.set, cancelled=threading.Event()):
            return not _free(path)

    with ThreadPoolExecutor() as pool:
        with exclusive(path):
            other = pool.submit(wait)
            assert waiting.wait(STUCK)
        assert other.result(STUCK) is True


def _blocked(path: Path) -> bool:
    """Whether the kernel keeps somebody waiting for the lock of that very file."""
    waiting = [line for line in Path("/proc/locks").read_text().splitlines() if " -> " in line]
    return any(f":{path.stat().st_ino} " in line for line in waiting)


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the kernel does not list its locks")
def test_a_lock_file_that_its_holder_removed_is_not_held_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "lock"

    def wait() -> bool:
        with exclusive(path):
            return path.exists() and not _free(path)

    with ThreadPoolExecutor() as pool:
        with exclusive(path):
            other = pool.submit(wait)
            deadline = time.monotonic() + STUCK
            while not _blocked(path):
                assert time.monotonic() < deadline
                time.sleep(0.005)
            path.unlink()
        assert other.result(STUCK) is True


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom whyfast.store.files import exclusive\n"
        "with exclusive(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        assert not _free(path)
        holder.kill()
    assert _free(path)


def test_children_do_not_inherit_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with exclusive(path):
        child = subprocess.Popen(["sleep", "600"], close_fds=False)
    try:
        assert _free(path)
    finally:
        child.kill()
        child.wait()


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        with exclusive(path):
            assert not _free(path)
    assert len(os.listdir("/proc/self/fd")) == before
