"""Shared by all tests: the compilers that ``tests/prepare.py`` fetched, and a home of their own."""

import gc
import os
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

import pytest

from tests.golden_files import WRITE, Hear, Messages
from whyfast.store.home import Home, home
from whyfast.toolchain.wheels import ZigProvider

#: Read before any test changes the environment.
USERS_TOOLCHAINS = home().toolchains
#: What compilers keep between tests and runs of them, by its content.
TEST_CACHE = USERS_TOOLCHAINS / "test-cache"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--measured-again",
        action="store_true",
        help="with --last-failed: run failed tests that time real programs again, and fail if "
        "any other test failed",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Tests that only need some clang find one without asking the user."""
    if WRITE and config.getoption("numprocesses", None):
        raise pytest.UsageError("golden documents: several processes (-n) would undo each other")
    config.addinivalue_line("markers", "golden: compares a document with that in tests/golden")
    zig = USERS_TOOLCHAINS / "ziglang-0.14.1" / "zig"
    if "WHYFAST_TEST_ZIG" not in os.environ and zig.exists():
        os.environ["WHYFAST_TEST_ZIG"] = str(zig)
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(TEST_CACHE))
    os.environ.setdefault("ZIG_LOCAL_CACHE_DIR", str(TEST_CACHE))


#: Folders with the longest files.
_LONG = ("tests/studies/", "tests/subjects/", "tests/report/")
#: Folders and files whose tests time or profile real programs: what else the machine does can leave
#: a verdict undecided or a process late.
_MEASURED = (
    *("tests/studies/", "tests/docs/", "tests/report/"),
    *("tests/unit/measure/", "tests/unit/turns/", "tests/unit/why/runtimes/"),
    *("tests/unit/api/test_callables.py", "tests/unit/cli/test_ab.py"),
)

MESSAGES = Messages()
PASSED = pytest.StashKey[bool]()
#: Tests that would have written to a golden document, but failed or were skipped.
NOT_WRITTEN: list[str] = []


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """``make golden`` runs the tests that compare messages too. Files that take long come first:
    with ``--no-loadscope-reorder`` the short ones fill both workers to the end."""
    items.sort(key=lambda item: next((n for n, f in enumerate(_LONG) if f in item.nodeid), 9))
    for item in items:
        if "golden" in getattr(item, "fixturenames", ()):
            item.add_marker("golden")


def unmeasured(nodeids: Iterable[str]) -> list[str]:
    """The tests that do not depend on what else the machine does."""
    return [nodeid for nodeid in nodeids if not nodeid.startswith(_MEASURED)]


def pytest_collection_finish(session: pytest.Session) -> None:
    """A failure that no busy machine explains stays one. What was imported lives to the end: no
    search for garbage needs to look at it again."""
    failed = unmeasured(item.nodeid for item in session.items)
    if session.config.getoption("--measured-again") and failed:
        pytest.exit(f"failed, and not run again: {' '.join(failed)}", returncode=1)
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """What a test was told counts if it was neither skipped nor failed."""
    yield
    item.stash[PASSED] = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if WRITE and not report.passed and item.get_closest_marker("golden"):
        NOT_WRITTEN.append(item.nodeid)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for nodeid in NOT_WRITTEN:
        terminalreporter.write_line(f"NOT WRITTEN: the golden document of {nodeid}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the messages if asked to."""
    gc.unfreeze()  # extensions look for what is left over at the end
    MESSAGES.write([item.nodeid for item in getattr(session, "items", ())])


@pytest.fixture
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hear]:
    """Compares messages with those of this test in ``tests/golden/messages/``; they are asserted
    there and nowhere else, so that wording can change."""
    heard: list[str] = []

    def hear(*texts: str) -> None:
        heard.extend(text.replace(str(tmp_path), "TMP") for text in texts)

    yield hear
    if request.node.stash.get(PASSED, False):
        MESSAGES.hear(request.node.nodeid, heard)


def make_home(folder: Path) -> Home:
    """An empty home for builds and results, with the user's downloaded compilers. What compilers
    can do, and Go's standard library, is found out and compiled once for all tests."""
    mine = Home(folder / "cache", folder / "data")
    mine.cache.mkdir(parents=True)
    if USERS_TOOLCHAINS.is_dir():
        (mine.cache / "toolchains").symlink_to(USERS_TOOLCHAINS)
    for name in ("probes", "go"):
        (TEST_CACHE / name).mkdir(parents=True, exist_ok=True)
        (mine.cache / name).symlink_to(TEST_CACHE / name)
    return mine


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """That of ``whyfast`` in this process and in those that it starts."""
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "home"))
    return make_home(tmp_path / "home")


@pytest.fixture
def needs_clang() -> None:
    """Skip where clang 18 and 19 were not fetched."""
    for name in ("clang-18", "clang-19"):
        if not ZigProvider().installed(name, Home(USERS_TOOLCHAINS.parent, Path())):
            pytest.skip(f"zig:{name} is not there; run python -m tests.prepare")
