"""Runs, sessions, blocks and failures in the database. What is committed survives a kill, and
several processes may write at once."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.golden_files import Hear, refusal
from tests.unit.example_blocks import block

from whyfast.model.errors import UserError
from whyfast.model.sample import Block, RunFailure, Session
from whyfast.store.samples import Run, SampleStore

RUN = Run("r1", "key", "demo", 1000.5, None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "results.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[SampleStore]:
    opened = SampleStore(path)
    opened.begin(RUN)
    opened.add_session("r1", Session("s1", 1001.0, {"cpus": 2, "load": 0.25}))
    yield opened
    opened.close()


def _run(name: str, started: float, key: str = "key", study: str = "demo") -> Run:
    return Run(name, key, study, started, None)


def test_a_block_comes_back_exactly(store: SampleStore, path: Path) -> None:
    taken = replace(
        block({"a": [0.1 + 0.2, 5e-324], "b": [1e-9, 1.7976931348623157e308]}, index=3),
        start_order=("b", "a"),
        order=(("a", "b"), ("b", "a")),
        seed=2**48 - 1,
        cpu=None,
        extra={"a": {"maxrss": (4096.0, 8192.0)}, "b": {}},
    )
    store.add_block("r1", taken)
    again = SampleStore(path)
    assert again.blocks("r1") == [taken]
    again.close()


_FLOATS = st.floats(allow_nan=False)
_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)


@settings(max_examples=30)
@given(
    values=st.dictionaries(_NAMES, st.lists(_FLOATS, min_size=1, max_size=4), min_size=1),
    seconds=_FLOATS,
    seed=st.integers(0, 2**62),
)
def test_any_block_survives_its_json_form(
    tmp_path_factory: pytest.TempPathFactory,
    values: dict[str, list[float]],
    seconds: float,
    seed: int,
) -> None:
    taken = replace(block(values, seconds=seconds), seed=seed)
    store = SampleStore(tmp_path_factory.mktemp("db") / "x.sqlite")
    store.add_block("r1", taken)
    (found,) = store.blocks("r1")
    store.close()
    assert found == taken
    assert repr(found) == repr(taken)  # tuples stay tuples, and -0.0 is not 0.0


def test_blocks_come_in_the_order_taken_and_of_their_own_run(store: SampleStore) -> None:
    taken = [
        block({"a": [1.0]}, benchmark="sort", index=0),
        block({"a": [2.0]}, benchmark="fib", index=1),
        block({"a": [3.0]}, benchmark="fib", index=0),
    ]
    for b in taken:
        store.add_block("r1", b)
    store.begin(_run("r2", 2000.0))
    store.add_block("r2", taken[0])
    assert store.blocks("r1") == taken
    assert store.blocks("r2") == taken[:1]
    assert store.blocks("none") == []


def test_a_block_is_never_stored_twice(store: SampleStore) -> None:
    store.add_block("r1", block({"a": [1.0]}))
    with pytest.raises(sqlite3.IntegrityError):
        store.add_block("r1", block({"a": [2.0]}))
    assert store.blocks("r1") == [block({"a": [1.0]})]


def test_a_later_failure_replaces_an_earlier_one_of_the_same_variant(store: SampleStore) -> None:
    first = RunFailure("fib", "a", "exit code 1", "", ("./a", "x y"))
    other = RunFailure("fib", "b", "killed by SIGSEGV", "boom\n", ())
    again = replace(first, reason="exit code 2")
    for failure in (first, other, again):
        store.add_failure("r1", failure)
    assert store.failures("r1") == [other, again]
    assert store.failures("r2") == []


def test_sessions_come_oldest_first(store: SampleStore) -> None:
    set_back = Session("s2", 900.0, {"boot_id": "x", "isolated": None})
    store.add_session("r1", set_back)
    assert store.sessions("r1") == [Session("s1", 1001.0, {"cpus": 2, "load": 0.25}), set_back]


def test_what_is_known_at_the_end_of_a_session_replaces_its_metadata(store: SampleStore) -> None:
    store.add_session("r1", Session("s2", 1003.0, {"cpus": 4}))
    store.end_session(Session("s1", 1001.0, {"cpus": 2, "at_end": {"ticks": 7}}))
    first, second = store.sessions("r1")
    assert first.environment == {"cpus": 2, "at_end": {"ticks": 7}}
    assert second.environment == {"cpus": 4}


def test_an_unfinished_run_is_found_by_its_key_until_it_is_finished(store: SampleStore) -> None:
    assert store.unfinished("key") == RUN
    assert store.unfinished("another key") is None
    store.finish("r1", 1060.0)
    assert store.unfinished("key") is None


def test_only_the_newest_run_of_a_key_is_resumed(store: SampleStore) -> None:
    newer = _run("r2", 2000.0)
    store.begin(newer)
    assert store.unfinished("key") == newer
    store.finish("r2", 2060.0)
    assert store.unfinished("key") is None  # the older one was given up for it


def test_the_latest_result_of_a_study(store: SampleStore) -> None:
    store.begin(_run("r2", 2000.0))
    store.begin(_run("r3", 3000.0))
    assert store.latest("demo") is None
    store.set_result("r2", {"answer": "new"})
    store.set_result("r1", {"answer": "old"})
    assert store.latest("demo") == (_run("r2", 2000.0), {"answer": "new"})
    assert store.latest("other") is None


def test_studies_with_results_come_newest_first(store: SampleStore) -> None:
    for run in (_run("r2", 2000.0, study="late"), _run("r3", 3000.0, study="no result")):
        store.begin(run)
    for name in ("r1", "r2"):
        store.set_result(name, {})
    assert store.studies() == ["late", "demo"]
    store.begin(_run("r4", 500.0))  # the clock was set back
    store.set_result("r4", {})
    assert store.studies() == ["demo", "late"]


def test_opening_again_keeps_everything(store: SampleStore, path: Path) -> None:
    store.add_block("r1", block({"a": [1.0]}))
    store.finish("r1", 1060.0)
    store.set_result("r1", {"answer": "yes"})
    store.close()
    again = SampleStore(path)
    assert again.latest("demo") == (replace(RUN, finished=1060.0), {"answer": "yes"})
    assert len(again.blocks("r1")) == 1
    again.close()


def test_a_database_of_another_version_is_refused_and_left_alone(path: Path, golden: Hear) -> None:
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.executescript("CREATE TABLE theirs (x); PRAGMA user_version = 7")
    other.close()
    before = path.read_bytes()
    golden(refusal(UserError, lambda: SampleStore(path)))
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("these are my notes, and they are longer than nothing" * 20)
    with pytest.raises(UserError) as caught:
        SampleStore(path)
    said = f"{path}: cannot be used as the results database: file is not a database"
    assert str(caught.value) == said


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    with pytest.raises(UserError, match=r"cannot be used as the results database: .*File exists"):
        SampleStore(tmp_path / "data" / "results.sqlite")


def test_a_full_disk_is_one_clear_error(store: SampleStore, path: Path) -> None:
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(UserError, match=r"results\.sqlite: .*: database or disk is full"):
        store.set_result("r1", {"long": "x" * 100_000})


@pytest.mark.parametrize("damage", ["", "{", "null", "[]", '{"a": 1}', "[" * 100_000])
@pytest.mark.parametrize(
    ("table", "column", "what"),
    [("block", "data", "a block"), ("session", "environment", "a session")],
)
def test_a_damaged_row_is_one_error_that_says_what_to_do(
    store: SampleStore, path: Path, damage: str, table: str, column: str, what: str
) -> None:
    store.add_session("r1", Session("s9", 1.0, {}))
    store.add_block("r1", block({"a": [1.0]}))
    with sqlite3.connect(path) as raw:
        raw.execute(f"UPDATE {table} SET {column} = ?", (damage,))
    if table == "session" and damage in ("[]", '{"a": 1}'):
        return  # as good as a record
    with pytest.raises(UserError, match=rf"{what} of the unfinished run r1 cannot be .*--fresh"):
        store.blocks("r1") if table == "block" else store.sessions("r1")


def test_a_damaged_result_is_one_error_that_says_what_to_do(store: SampleStore, path: Path) -> None:
    store.set_result("r1", {})
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE run SET result = '{'")
    with pytest.raises(UserError, match=r"the result of 'demo' cannot be read .*; run it again"):
        store.latest("demo")


def test_lost_tables_and_overwritten_pages_are_one_error(store: SampleStore, path: Path) -> None:
    for i in range(200):
        store.add_block("r1", block({"a": [1.0] * 50}, index=i))
    store.close()
    raw = bytearray(path.read_bytes())
    raw[8192:] = b"\xa5" * (len(raw) - 8192)
    path.write_bytes(raw)
    with pytest.raises(UserError, match="cannot be used as the results database"):
        SampleStore(path).blocks("r1")


def test_what_is_newest_does_not_depend_on_a_clock_that_was_set_back(store: SampleStore) -> None:
    store.set_result("r1", {"n": 1})
    store.finish("r1", 1002.0)
    store.begin(_run("r2", started=3.0))  # 1970 again
    store.set_result("r2", {"n": 2})
    latest = store.latest("demo")
    assert latest is not None
    assert latest[1] == {"n": 2}
    unfinished = store.unfinished("key")
    assert unfinished is not None
    assert unfinished.id == "r2"
    assert [run.id for run in store.runs()] == ["r1", "r2"]
    assert [run.id for run, _ in store.results("demo")] == ["r1", "r2"]


def test_what_is_written_together_appears_together(store: SampleStore, path: Path) -> None:
    first, second = (block({"a": [1.0]}, index=i) for i in (0, 1))
    seen: list[list[Block]] = []

    def write(other: SampleStore) -> None:
        with store.together():
            store.add_block("r1", first)
            store.add_block("r1", second)
            seen.append(other.blocks("r1"))
            raise KeyboardInterrupt

    with closing(SampleStore(path)) as other:
        with pytest.raises(KeyboardInterrupt):
            write(other)
        assert seen == [[]]
        assert other.blocks("r1") == [first, second]


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
