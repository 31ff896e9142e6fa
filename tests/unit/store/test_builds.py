"""Finished builds on disk."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal

from whyfast.model.errors import UserError
from whyfast.store.builds import BuildStore, Removed
from whyfast.store.files import exclusive

DAY = 86400.0
NOW = 1_700_000_000.0


def _record(digest: str) -> dict[str, object]:
    """What is asked of every record."""
    return {
        "digest": digest,
        "variant": "v",
        "program": "vm",
        "program_sha256": "abc",
        "inputs": {},
        "source": {},
        "toolchain": {},
        "started": NOW,
        "seconds": 1,
    }


def _complete(store: BuildStore, digest: str, *, used: float | None = NOW) -> Path:
    folder = store.folder(digest)
    (folder / "work").mkdir(parents=True)
    (folder / "work" / "vm").write_bytes(b"x" * 1000)
    (folder / "provenance.json").write_text(json.dumps(_record(digest)))
    os.utime(folder / "provenance.json", (NOW - 90 * DAY, NOW - 90 * DAY))
    if used is not None:
        (folder / "used").touch()
        os.utime(folder / "used", (used, used))
    return folder


def _incomplete(store: BuildStore, digest: str, *, age: float) -> Path:
    folder = store.folder(digest)
    (folder / "work").mkdir(parents=True)
    (folder / "log.txt").write_text("+ cc\n")
    os.utime(folder, (NOW - age, NOW - age))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> BuildStore:
    return BuildStore(tmp_path / "builds")


def test_a_build_is_found_by_its_whole_digest(store: BuildStore) -> None:
    folder = _complete(store, "ab12")
    found = store.find("ab12")
    assert found is not None
    assert (found.digest, found.folder) == ("ab12", folder)
    assert found.provenance == _record("ab12")
    assert store.find("ab1") is None
    assert store.find("ab123") is None


def test_finding_a_build_marks_it_as_used(store: BuildStore) -> None:
    folder = _complete(store, "ab12", used=NOW - 50 * DAY)
    store.find("ab12")
    assert (folder / "used").stat().st_mtime > NOW


@pytest.mark.parametrize(
    "provenance",
    [
        None,
        "",
        '{"digest": "ab',
        "[]",
        "{}",
        json.dumps({**_record("ab12"), "toolchain": 1}),
        json.dumps({**_record("ab12"), "program_sha256": None}),
    ],
)
def test_without_a_whole_provenance_is_no_build(store: BuildStore, provenance: str | None) -> None:
    folder = _incomplete(store, "ab12", age=0)
    if provenance is not None:
        (folder / "provenance.json").write_text(provenance)
    assert store.find("ab12") is None
    assert list(store.all()) == []


def test_builds_are_listed_by_last_use(store: BuildStore) -> None:
    assert list(store.all()) == []
    _complete(store, "old", used=NOW - 2 * DAY)
    _complete(store, "new", used=NOW)
    _complete(store, "never", used=None)
    _incomplete(store, "part", age=0)
    (store.root / "new.lock").touch()
    assert [b.digest for b in store.all()] == ["new", "old", "never"]
    assert [b.used for b in store.all()] == [NOW, NOW - 2 * DAY, NOW - 90 * DAY]


def test_the_clock_orders_no_uses_and_no_failures(store: BuildStore) -> None:
    """It is set back a day before each."""
    for number, digest in enumerate(("first", "second", "third")):
        _complete(store, digest)
        assert store.find(digest)
        _incomplete(store, f"{digest}-failed", age=0)
        store.add_failure(f"{digest}-failed", "v", "cc", "why")
        for file in (f"{digest}/used", f"{digest}-failed/failure.json"):
            os.utime(store.root / file, (NOW - number * DAY, NOW - number * DAY))
    assert [b.digest for b in store.all()] == ["third", "second", "first"]
    failed = [f.digest for f in store.failures()]
    assert failed == ["third-failed", "second-failed", "first-failed"]


def test_all_is_removed_though_the_clock_was_set_back(store: BuildStore) -> None:
    _complete(store, "ab12", used=NOW + DAY)
    assert len(store.remove_unused(0.0, NOW).freed) == 1


def test_the_size_is_that_of_all_files(store: BuildStore) -> None:
    folder = _complete(store, "ab12")
    provenance = (folder / "provenance.json").stat().st_size
    (found,) = store.all()
    assert found.size == 1000 + provenance


def test_a_prefix_finds_the_one_build_that_begins_so(store: BuildStore) -> None:
    _complete(store, "abc1")
    _complete(store, "abd2")
    assert store.by_prefix("abc").digest == "abc1"
    assert store.by_prefix("ABD2").digest == "abd2"


@pytest.mark.parametrize("prefix", ["ac", "", "ab"])
def test_a_prefix_of_none_or_several(store: BuildStore, prefix: str, golden: Hear) -> None:
    _complete(store, "abc1", used=NOW - DAY)
    _complete(store, "abd2", used=NOW)
    golden(refusal(UserError, lambda: store.by_prefix(prefix)))


def test_removing_takes_unused_builds_and_old_remains(store: BuildStore) -> None:
    kept = _complete(store, "kept", used=NOW - 10 * DAY)
    old = _complete(store, "old", used=NOW - 31 * DAY)
    size = sum(f.stat().st_size for f in old.rglob("*") if f.is_file())
    store.lock("old").touch()
    remains = _incomplete(store, "remains", age=31 * DAY)
    young = _incomplete(store, "young", age=DAY)

    assert store.remove_unused(30 * DAY, NOW) == Removed({"old": size, "remains": len("+ cc\n")}, 0)
    assert [f.exists() for f in (kept, young, old, remains)] == [True, True, False, False]
    assert not store.lock("old").exists()


def test_removing_leaves_alone_what_is_being_built(store: BuildStore) -> None:
    folder = _incomplete(store, "ab12", age=31 * DAY)
    with exclusive(store.lock("ab12")):
        assert store.remove_unused(0.0, NOW) == Removed({}, 0)
        assert folder.exists()
        assert store.lock("ab12").exists()
    assert len(store.remove_unused(0.0, NOW).freed) == 1
    assert not folder.exists()


def test_removing_where_nothing_was_ever_built(store: BuildStore) -> None:
    assert store.remove_unused(0.0) == Removed({}, 0)


def test_what_an_interrupted_removal_leaves_is_no_build(
    store: BuildStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _complete(store, "ab12")

    def interrupted(path: Path) -> None:
        (path / "work" / "vm").unlink()
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.remove_unused(0.0)
    assert folder.exists()
    assert store.find("ab12") is None


USER = """
import sys
from pathlib import Path
from whyfast.store.builds import BuildStore
store = BuildStore(Path(sys.argv[1]))
with store.in_use():
    assert store.find("used")
    print("found", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize("end", ["leaves", "is killed"])
def test_removing_leaves_alone_what_another_process_uses(store: BuildStore, end: str) -> None:
    _complete(store, "used", used=NOW)
    _complete(store, "other", used=NOW)
    command = [sys.executable, "-c", USER, str(store.root)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as user:
        assert user.stdout
        assert user.stdin
        assert user.stdout.readline() == "found\n"
        # The clock is set back after the other has begun, and before it finds its build.
        os.utime(store.folder("used") / "used", (NOW, NOW))
        removed = store.remove_unused(0.0)
        assert (list(removed.freed), removed.kept) == (["other"], 1)
        assert [b.digest for b in store.all()] == ["used"]
        if end == "is killed":
            user.kill()
        user.stdin.close()
    assert len(store.remove_unused(0.0).freed) == 1
    assert list(store.all()) == []
    assert list(store.root.glob("in-use-*")) == []
