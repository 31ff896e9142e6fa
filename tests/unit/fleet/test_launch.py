"""hosts.toml: what is read of it, and every mistake with its place.

A process that is started again when it ends, and ends when it is to. A scheduler here and workers
on hosts.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.measure.conftest import ends

from whyfast.fleet.launching import (
    SSH,
    HostsFile,
    KeptProcess,
    Launched,
    LaunchHost,
    read_hosts,
    worker_line,
)
from whyfast.model.errors import StudyError, UserError

WHOLE = """\
listen       = "192.0.2.1:8786"
certificates = "fleet"

[host.ash]
ssh          = "me@ash.example.org"
options      = ["-p", "2222"]
whyfast      = ["/opt/my python/bin/python", "-m", "whyfast"]
home         = "/var/lib/whyfast"
certificates = "keys"

[host.elm]
ssh          = "elm"
certificates = "/etc/whyfast"
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "hosts.toml"
    file.write_text(text)
    return file


def test_a_whole_file(tmp_path: Path) -> None:
    assert read_hosts(written(tmp_path, WHOLE)) == HostsFile(
        "192.0.2.1:8786",
        tmp_path / "fleet",
        (
            LaunchHost(
                "ash",
                (*SSH, "-p", "2222", "me@ash.example.org"),
                ("/opt/my python/bin/python", "-m", "whyfast"),
                "/var/lib/whyfast",
                "keys",
            ),
            LaunchHost("elm", (*SSH, "elm"), ("whyfast",), "", "/etc/whyfast"),
        ),
    )


def test_on_loopback_nothing_else_is_needed_and_ssh_can_be_another_command(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        'listen = "localhost:0"\nssh = ["rsh", "-n"]\n[host.a]\nssh = "b"\nwhyfast = "w"\n',
    )
    host = LaunchHost("a", ("rsh", "-n", "b"), ("w",), "", "")
    assert read_hosts(file) == HostsFile("localhost:0", None, (host,))


def test_the_line_for_a_shell_on_the_host_is_quoted(tmp_path: Path, golden: Hear) -> None:
    ash, elm = read_hosts(written(tmp_path, WHOLE)).hosts
    golden(worker_line(ash, "tls://192.0.2.1:8786", "/own"))
    golden(worker_line(elm, "tls://192.0.2.1:8786", "/own"))


HOST = '\n[host.a]\nssh = "b"\n'


@pytest.mark.parametrize(
    "text",
    [
        HOST,
        'listen = "ash"' + HOST,
        'listen = "ash:99999"' + HOST,
        'listen = "0.0.0.0:1"' + HOST,
        'listen = "192.0.2.1:1"' + HOST,
        'listen = "[::1]:1"\n',
        'listen = "localhost:1"\n[host]\n',
        'listen = "localhost:1"\n[host.a]\n',
        'listen = "localhost:1"\n[host.a]\nssh = "-oProxyCommand=x"\n',
        'listen = "localhost:1"\n[host.a]\nssh = "b"\nhome = "~/x"\n',
        'listen = "localhost:1"\n[host.a]\nssh = "b"\nhoem = "/x"\n',
        'listen = "localhost:1"\nssh = []' + HOST,
        'listen = "localhost:1"' + HOST + "whyfast = []\n",
        'listen = "localhost:1"\n[host.a]\nssh = "b"\noptions = "-p 1"\n',
        'listen = "localhost:1"\n[host.a]\nssh = "b"\nwhyfast = 3\n',
        'listen = "localhost:1"\n[host."a b"]\nssh = "b"\n',
        'listen = "localhost:1"\n[host.a]\nssh = "b"\ncertificates = "c"\n',
        'listen = "192.0.2.1:1"\ncertificates = "c"' + HOST,
    ],
)
def test_every_mistake_is_named(tmp_path: Path, text: str, golden: Hear) -> None:
    file = written(tmp_path, text)
    with pytest.raises(StudyError) as error:
        read_hosts(file)
    golden(str(error.value))


#: Only a hang takes so long, seconds.
DEADLINE = 60.0


class Kept:
    """One, and what is told of it."""

    def __init__(self, script: str, again: float = 0.01) -> None:
        self.told: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.heard: queue.SimpleQueue[str] = queue.SimpleQueue()
        words = ("sh", "-c", script)
        self.process = KeptProcess("ash", lambda: words, self.told.put, self.heard.put, again)

    def end(self, seconds: float = DEADLINE) -> None:
        self.process.let_end()
        self.process.await_end(time.monotonic() + seconds)


@pytest.fixture
def kept() -> Iterator[list[Kept]]:
    made: list[Kept] = []
    yield made
    for one in made:
        one.end(0.0)


def test_it_is_started_again_ever_later_and_its_last_line_told(
    kept: list[Kept], golden: Hear
) -> None:
    kept.append(one := Kept("echo first >&2; echo 'no such host' >&2; exit 3", 0.6))
    said = [one.told.get(timeout=DEADLINE) for _ in range(2)]
    golden(*said)
    assert one.process.ended_once.is_set()
    assert [one.heard.get(timeout=DEADLINE) for _ in range(2)] == ["first", "no such host"]


def test_a_signal_is_told_by_its_name(kept: list[Kept], golden: Hear) -> None:
    kept.append(one := Kept("kill -9 $$"))
    golden(one.told.get(timeout=DEADLINE))


def test_what_cannot_be_started_is_told(kept: list[Kept], tmp_path: Path, golden: Hear) -> None:
    one = Kept("")
    kept.append(one)
    other: queue.SimpleQueue[str] = queue.SimpleQueue()
    process = KeptProcess("elm", lambda: [str(tmp_path / "no")], other.put)
    said = other.get(timeout=DEADLINE)
    process.let_end()
    golden(said)


def test_it_ends_when_its_standard_input_does_and_nothing_is_told(
    kept: list[Kept], tmp_path: Path
) -> None:
    kept.append(one := Kept(f"echo up >&2; cat; touch {tmp_path}/ended"))
    assert one.heard.get(timeout=DEADLINE) == "up"
    one.end()
    assert (tmp_path / "ended").exists()
    assert one.told.empty()


def test_one_that_does_not_is_told_to_with_all_that_it_started(
    kept: list[Kept], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whyfast.fleet.launching.TERMINATED", 0.1)
    kept.append(one := Kept("trap '' TERM; sleep 1000 & echo $! >&2; wait; sleep 1000"))
    child = int(one.heard.get(timeout=DEADLINE))
    one.end(0.0)
    assert ends(child)


def test_a_whyfast_of_the_current_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be an untrusted checkout."""
    pytest.importorskip("distributed")
    (tmp_path / "whyfast.py").write_text("open('ran', 'w').close()")
    monkeypatch.chdir(tmp_path)
    fleet = Launched(HostsFile("no address", None, ()))
    with pytest.raises(UserError, match="no address"):
        fleet.start(lambda text: None)
    fleet.end()
    assert not (tmp_path / "ran").exists()
