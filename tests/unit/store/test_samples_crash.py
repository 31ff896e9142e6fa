"""What is committed survives a kill, and several processes may write at once."""

import sqlite3
import subprocess
import sys
from pathlib import Path

from whyfast.store.samples import Run, SampleStore

#: Waits for a line, opens the database, begins a run and adds blocks, naming each once it is safe.
WRITER = """
import sys
from pathlib import Path
from tests.unit.example_blocks import block
from whyfast.model.sample import Session
from whyfast.store.samples import Run, SampleStore
path, run, blocks = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("here", flush=True)
sys.stdin.readline()
store = SampleStore(path)
store.begin(Run(run, "key", "demo", 1000.0, None))
store.add_session(run, Session("s" + run, 1000.0, {}))
for i in range(blocks):
    store.add_block(run, block({"a": [i + 0.1] * 500}, index=i))
    print(i, flush=True)
"""

ROOT = Path(__file__).resolve().parents[3]


def _writer(path: Path, run: str, blocks: int) -> subprocess.Popen[str]:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), run, str(blocks)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert writer.stdout
    assert writer.stdout.readline() == "here\n"
    return writer


def _go(writer: subprocess.Popen[str]) -> None:
    assert writer.stdin
    writer.stdin.write("go\n")
    writer.stdin.flush()


def test_every_block_that_was_added_is_there_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with _writer(path, "r1", 10_000) as writer:
        _go(writer)
        assert writer.stdout
        for _ in range(30):
            writer.stdout.readline()
        writer.kill()
        named = 30 + len(writer.stdout.read().splitlines())

    store = SampleStore(path)
    found = store.blocks("r1")
    assert [b.index for b in found] == list(range(len(found)))
    assert named <= len(found) <= named + 1
    assert all(b.values == {"a": (b.index + 0.1,) * 500} for b in found)
    assert store.unfinished("key") == Run("r1", "key", "demo", 1000.0, None)
    store.close()
    plain = sqlite3.connect(path)
    assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    plain.close()


def test_processes_that_open_a_new_database_together_all_write(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.sqlite"
    writers = [_writer(path, f"r{i}", 15) for i in range(4)]
    for writer in writers:
        _go(writer)
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    store = SampleStore(path)
    for i in range(4):
        assert [b.index for b in store.blocks(f"r{i}")] == list(range(15))
    store.close()


def test_a_reader_sees_what_a_writer_has_added_so_far(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with _writer(path, "r1", 10_000) as writer:
        _go(writer)
        assert writer.stdout
        writer.stdout.readline()
        reader = SampleStore(path)
        assert len(reader.blocks("r1")) >= 1
        reader.close()
        writer.kill()
