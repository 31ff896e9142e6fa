"""Files on disk: complete folders, free room, locks."""

import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from whyfast.store import files
from whyfast.store import files as complete


def _root(folder: Path) -> Path:
    (folder / "root" / "usr").mkdir(parents=True)
    (folder / "digest").write_text("d1\n")
    return folder


def test_nothing_is_left(tmp_path: Path) -> None:
    root = _root(tmp_path / "root-1")
    (root / "root" / "usr").chmod(0o555)
    files.discard(root)
    assert list(tmp_path.iterdir()) == []
    files.discard(root)  # it is not there


def test_interrupted_it_has_lost_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = _root(tmp_path / "root-1")

    def interrupted(folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(complete, "delete", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.discard(root)
    (remains,) = tmp_path.iterdir()
    assert remains.name.startswith("root-1-unfinished-")


def test_a_folder_appears_when_complete_and_takes_the_place_of_another(tmp_path: Path) -> None:
    folder = _root(tmp_path / "root-1")
    with files.replacing(folder) as work:
        (work / "made").mkdir()
        (work / "scratch").touch()
        assert (folder / "digest").exists()
    assert list(folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == [folder]


def test_what_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    folder = _root(tmp_path / "root-1")

    def interrupted() -> None:
        with files.replacing(folder) as work:
            (work / "made").mkdir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (folder / "digest").read_text() == "d1\n"
    assert list(tmp_path.iterdir()) == [folder]


def test_remains_of_a_killed_process_are_deleted_and_those_of_others_stay(tmp_path: Path) -> None:
    _root(tmp_path / "root-1-unfinished-x")
    other = _root(tmp_path / "root-11-unfinished-x")
    with files.replacing(tmp_path / "root-1") as work:
        (work / "made").mkdir()
    assert sorted(tmp_path.iterdir()) == [tmp_path / "root-1", other]


def test_it_is_made_once(tmp_path: Path) -> None:
    folder, made = tmp_path / "root-1", []

    def make() -> None:
        assert files.lock_of(folder) == tmp_path / "root-1.lock"
        assert files.lock_of(folder).exists()
        made.append(1)
        folder.mkdir()

    for _ in range(2):
        files.make_once(folder, folder.is_dir, make, lambda: None)
    assert made == [1]


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 kB"),
        (12_300, "12 kB"),
        (270_815_347, "271 MB"),
        (999_600_000, "1.0 GB"),
        (1_340_000_000, "1.3 GB"),
    ],
)
def test_readable(size: int, text: str) -> None:
    assert files.readable(size) == text


def test_lacking_asks_the_disk_of_a_folder_that_is_still_to_be_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert files.lacking(folder, 1) is None
    said = files.lacking(folder, 10**18)
    assert said is not None
    assert said.startswith(f"{folder} has ")
    assert said.endswith(" free and about 1000000000.0 GB are needed")


def test_used_counts_files_and_not_what_links_point_to(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"x" * 1000)
    (tmp_path / "link").symlink_to("a/file")
    (tmp_path / "broken").symlink_to("nowhere")
    assert files.used(tmp_path) == 1000


def test_what_cannot_be_asked_has_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(place: Path) -> None:
        raise PermissionError(place)

    monkeypatch.setattr(shutil, "disk_usage", refuse)
    assert files.lacking(tmp_path, 10**18) is None


#: Seconds after which a test that would hang fails instead.
STUCK = 30.0


def _free(path: Path) -> bool:
    with files.exclusive_if_free(path) as free:
        return free


def test_a_lock_and_its_folder_are_made_when_missing(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.lock"
    with files.exclusive(path):
        assert path.exists()
        assert not _free(path)
    assert _free(path)


def test_a_free_lock_is_held_inside(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with files.exclusive_if_free(path) as free:
        assert free
        assert not _free(path)


def test_a_lock_is_free_after_an_error_inside(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with pytest.raises(ZeroDivisionError), files.exclusive(path):
        raise ZeroDivisionError
    assert _free(path)


def test_whoever_waits_is_told_once_and_comes_next(tmp_path: Path) -> None:
    path, calls, waiting = tmp_path / "lock", [], threading.Event()

    def wait() -> bool:
        def told() -> None:
            calls.append("waiting")
            waiting.set()

        with files.exclusive(path, told):
            return not _free(path)

    with ThreadPoolExecutor() as pool:
        with files.exclusive(path, lambda: calls.append("never")):
            other = pool.submit(wait)
            assert waiting.wait(STUCK)
            assert not other.done()
        assert other.result(STUCK) is True
    assert calls == ["waiting"]


def test_a_wait_can_be_cancelled_from_another_thread(tmp_path: Path) -> None:
    path, cancelled, waiting = tmp_path / "some.lock", threading.Event(), threading.Event()

    def wait() -> None:
        with files.exclusive(path, waiting.set, cancelled=cancelled):
            raise AssertionError("it was never free")

    with files.exclusive(path), ThreadPoolExecutor() as pool:
        other = pool.submit(wait)
        assert waiting.wait(STUCK)
        cancelled.set()
        with pytest.raises(InterruptedError, match=r"no longer waiting for some\.lock"):
            other.result(STUCK)


def test_a_wait_that_could_be_cancelled_gets_the_lock_else(tmp_path: Path) -> None:
    path, waiting = tmp_path / "lock", threading.Event()

    def wait() -> bool:
        with files.exclusive(path, waiting.set, cancelled=threading.Event()):
            return not _free(path)

    with ThreadPoolExecutor() as pool:
        with files.exclusive(path):
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
        with files.exclusive(path):
            return path.exists() and not _free(path)

    with ThreadPoolExecutor() as pool:
        with files.exclusive(path):
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
    with files.exclusive(path):
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
        with files.exclusive(path):
            assert not _free(path)
    assert len(os.listdir("/proc/self/fd")) == before
