"""Samples in SQLite, appended as they arrive; what was committed survives any kind of death."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from whyfast.model.codec import Malformed, decode
from whyfast.model.errors import UserError
from whyfast.model.sample import Block, Calibration, RunFailure, Session
from whyfast.store.files import exclusive

SCHEMA_VERSION = 1

#: Errors of reading damaged data.
_DAMAGE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (
    id TEXT PRIMARY KEY, key TEXT NOT NULL, study TEXT NOT NULL, started REAL NOT NULL,
    finished REAL, result TEXT) STRICT;
CREATE INDEX IF NOT EXISTS run_by_key ON run (key, started);
CREATE TABLE IF NOT EXISTS session (
    id TEXT PRIMARY KEY, run TEXT NOT NULL REFERENCES run, started REAL NOT NULL,
    environment TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS block (
    run TEXT NOT NULL REFERENCES run, benchmark TEXT NOT NULL, idx INTEGER NOT NULL,
    session TEXT NOT NULL REFERENCES session, data TEXT NOT NULL,
    PRIMARY KEY (run, benchmark, idx)) STRICT;
CREATE TABLE IF NOT EXISTS failure (
    run TEXT NOT NULL REFERENCES run, benchmark TEXT NOT NULL, variant TEXT NOT NULL,
    data TEXT NOT NULL, PRIMARY KEY (run, benchmark, variant)) STRICT;
CREATE TABLE IF NOT EXISTS calibration (
    run TEXT NOT NULL REFERENCES run, benchmark TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (run, benchmark)) STRICT;
"""


_SELECT = "SELECT id, key, study, started, finished"


@dataclass(frozen=True)
class Run:
    """One measurement of one study; ``finished`` is None while it can be resumed."""

    id: str
    key: str
    study: str
    started: float
    finished: float | None


class SampleStore:
    """The database. What writes returns once the data is on disk, but within :meth:`together`; the
    order of writing, not the clock, determines the newest run. UserError when the file cannot be
    read or written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=30.0, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise _unusable(path, error) from None
        try:
            # SQLite fails at once, whatever the timeout, when two turn a new database into WAL.
            with exclusive(path.with_name(path.name + ".lock")):
                self._prepare(path)
        except (OSError, sqlite3.Error) as error:
            self.close()
            raise _unusable(path, error) from None
        except UserError:
            self.close()
            raise

    def _prepare(self, path: Path) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, SCHEMA_VERSION):
            raise UserError(
                f"made by another version of whyfast (schema {version}, this one reads "
                f"{SCHEMA_VERSION}); move it away or set WHYFAST_HOME",
                where=path,
            )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")  # NORMAL may lose the last commits
        self._db.executescript(_SCHEMA)
        if version != SCHEMA_VERSION:  # writing what is there would wait for the disk, too
            self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def close(self) -> None:
        """What was written before is on disk then."""
        try:
            self._commit()
        except sqlite3.ProgrammingError:
            pass  # it was closed before
        finally:
            self._db.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written within is on disk when this ends, however it ends, with one wait for the
        disk. Others that write wait as long."""
        if not self._db.in_transaction:
            self._execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            self._commit()

    def _commit(self) -> None:
        if self._db.in_transaction:  # a full disk has ended it
            self._execute("COMMIT")

    def _execute(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows at once: a damaged file may be noticed with any of them."""
        try:
            return self._db.execute(statement, values).fetchall()
        except sqlite3.IntegrityError:  # ours: nothing is stored twice
            raise
        except sqlite3.Error as error:
            raise _unusable(self._path, error) from None

    def _insert(self, how: str, table: str, *values: object) -> None:
        self._execute(f"{how} INTO {table} VALUES ({', '.join('?' * len(values))})", values)

    def _all(self, run: str, table: str, kind: Any) -> list[Any]:
        """The records of a run in the order in which they were written."""
        rows = self._execute(f"SELECT data FROM {table} WHERE run = ? ORDER BY rowid", (run,))
        return self._decoded(run, f"a {table}", rows, kind)

    def _decoded(self, run: str, what: str, texts: Iterable[tuple[str]], kind: Any) -> list[Any]:
        try:
            return [decode(kind, json.loads(text)) for (text,) in texts]
        except (*_DAMAGE, Malformed) as error:
            message = f"{what} of the unfinished run {run[:8]} cannot be read ({_short(error)})"
            raise UserError(f"{message}; start anew with --fresh", where=self._path) from None

    def begin(self, run: Run) -> None:
        """Record a new run."""
        self._execute(
            "INSERT INTO run (id, key, study, started) VALUES (?, ?, ?, ?)",
            (run.id, run.key, run.study, run.started),
        )

    def unfinished(self, key: str) -> Run | None:
        """The newest run of that key, when it was not finished."""
        rows = self._execute(
            f"{_SELECT} FROM run WHERE key = ? ORDER BY rowid DESC LIMIT 1", (key,)
        )
        run = Run(*rows[0]) if rows else None
        return run if run and run.finished is None else None

    def runs(self) -> list[Run]:
        """All runs, oldest first."""
        return [Run(*row) for row in self._execute(f"{_SELECT} FROM run ORDER BY rowid")]

    def latest(self, study: str) -> tuple[Run, Mapping[str, Any]] | None:
        """The newest run of a study (by name) that has a result, with the result."""
        rows = self._execute(
            f"{_SELECT}, result FROM run WHERE study = ? AND result IS NOT NULL "
            "ORDER BY rowid DESC LIMIT 1",
            (study,),
        )
        if not rows:
            return None
        *run, text = rows[0]
        try:
            return Run(*run), json.loads(text)
        except _DAMAGE as error:
            message = f"the result of {study!r} cannot be read ({_short(error)}); run it again"
            raise UserError(message, where=self._path) from None

    def results(self, study: str) -> Iterator[tuple[Run, Mapping[str, Any]]]:
        """The runs of a study (by name) that have a result, oldest first, one at a time; with an
        empty mapping where the result cannot be read."""
        ids = self._execute(
            "SELECT id FROM run WHERE study = ? AND result IS NOT NULL ORDER BY rowid", (study,)
        )
        for row_id in ids:
            for *run, text in self._execute(f"{_SELECT}, result FROM run WHERE id = ?", row_id):
                try:
                    yield Run(*run), dict(json.loads(text))
                except _DAMAGE:
                    yield Run(*run), {}

    def add_result(self, run: Run, result: Mapping[str, Any]) -> bool:
        """Keep a result that was made elsewhere; False if that run is there already."""
        added = self._execute(
            "INSERT OR IGNORE INTO run VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
            (run.id, run.key, run.study, run.started, run.finished, json.dumps(result)),
        )
        return bool(added)

    def studies(self) -> list[str]:
        """Names of all studies with results, newest first."""
        rows = self._execute(
            "SELECT study FROM run WHERE result IS NOT NULL GROUP BY study ORDER BY max(rowid) DESC"
        )
        return [r[0] for r in rows]

    def add_session(self, run: str, session: Session) -> None:
        """Record the start of measuring, with the state of the machine."""
        environment = json.dumps(session.environment)
        self._insert("INSERT", "session", session.id, run, session.started, environment)

    def end_session(self, session: Session) -> None:
        """Replace what was recorded of the state of the machine by what is known in the end."""
        self._execute(
            "UPDATE session SET environment = ? WHERE id = ?",
            (json.dumps(session.environment), session.id),
        )

    def add_block(self, run: str, block: Block) -> None:
        """Append a block."""
        data = json.dumps(vars(block))
        self._insert("INSERT", "block", run, block.benchmark, block.index, block.session, data)

    def add_failure(self, run: str, failure: RunFailure) -> None:
        """Record that a variant failed on a benchmark (a later one replaces an earlier one)."""
        data = json.dumps(asdict(failure))
        self._insert("INSERT OR REPLACE", "failure", run, failure.benchmark, failure.variant, data)

    def add_calibration(self, run: str, calibration: Calibration) -> None:
        """Record how a benchmark is measured (a later one replaces an earlier one)."""
        data = json.dumps(asdict(calibration))
        self._insert("INSERT OR REPLACE", "calibration", run, calibration.benchmark, data)

    def calibrations(self, run: str) -> list[Calibration]:
        """The latest calibration of each benchmark of a run."""
        return self._all(run, "calibration", Calibration)

    def finish(self, run: str, when: float) -> None:
        """Mark a run as finished; the same command starts a new one from now on."""
        self._execute("UPDATE run SET finished = ? WHERE id = ?", (when, run))

    def set_result(self, run: str, result: Mapping[str, Any]) -> None:
        """Keep the judged result for ``whyfast report``."""
        self._execute("UPDATE run SET result = ? WHERE id = ?", (json.dumps(result), run))

    def blocks(self, run: str) -> list[Block]:
        """All blocks of a run, in the order taken."""
        return self._all(run, "block", Block)

    def sessions(self, run: str) -> list[Session]:
        """All sessions of a run, oldest first."""
        rows = self._execute(
            "SELECT id, started, environment FROM session WHERE run = ? ORDER BY rowid", (run,)
        )
        facts = self._decoded(run, "a session", [(r[2],) for r in rows], Mapping[str, object])
        return [Session(row[0], row[1], state) for row, state in zip(rows, facts, strict=True)]

    def failures(self, run: str) -> list[RunFailure]:
        """All failures of a run."""
        return self._all(run, "failure", RunFailure)


def _unusable(path: Path, error: Exception) -> UserError:
    return UserError(f"cannot be used as the results database: {error}", where=path)


def _short(error: Exception) -> str:
    """A decoder's error on one line."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:80]
