"""What a hostile worker, or whoever has the certificate, can do to a real fleet."""

import contextlib
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.studies import hostile_fleet
from tests.studies.fleet_processes import FleetProcesses

pytest.importorskip("distributed")

from whyfast.fleet.cluster import DaskCluster, Event
from whyfast.fleet.messages import AskFacts, HostFacts, read_answer, write
from whyfast.fleet.security import make_certificates, own_certificates
from whyfast.model.errors import UserError

ASK = write(AskFacts())


class Listener:
    """Where what should not be run connects to."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.port = self._socket.getsockname()[1]

    def heard(self) -> bool:
        with contextlib.suppress(BlockingIOError):
            self._socket.accept()[0].close()
            return True
        return False

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    with contextlib.closing(Listener()) as made:
        yield made


def hostile(fleet: FleetProcesses, kind: str, port: int) -> None:
    """Start it, and wait until it is there, or has done what it could."""
    words = [kind, f"tls://{fleet.address}", str(fleet.certificates), str(port)]
    file = Path(hostile_fleet.__file__)
    with (fleet.folder / f"{kind}.log").open("wb") as log:
        fleet.running[kind] = subprocess.Popen(
            [sys.executable, str(file), *words, str(fleet.folder / "written")],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    fleet.wait_for(kind, "asked" if kind == "client" else "ready")


class Asking:
    """A cluster, and the hosts that are there."""

    def __init__(self, cluster: DaskCluster) -> None:
        self._cluster = cluster
        self.there: set[str] = set()

    def ask(self, host: str) -> Event | None:
        """What comes of a question to the host once it is there; None where nothing does."""
        deadline = time.monotonic() + 40
        asked = False
        while time.monotonic() < deadline:
            if host in self.there and not asked:
                self._cluster.hand(host, ASK)
                asked = True
            event = self._cluster.next(0.2)
            if event is None:
                continue
            if event.kind == "joined":
                self.there.add(event.host)
            elif event.kind == "gone":
                self.there.discard(event.host)
            if asked and event.host == host:
                return event
        return None


@contextlib.contextmanager
def asking(fleet: FleetProcesses, notes: list[str]) -> Iterator[Asking]:
    with contextlib.closing(
        DaskCluster(fleet.address, fleet.certificates, notes.append)
    ) as cluster:
        yield Asking(cluster)


def kind_of(event: Event | None) -> str:
    return event.kind if event else "nothing"


#: Attacks that come as the answer to a question, which then stays without one.
ANSWERS = ("type", "object", "list", "exception", "traceback", "number", "huge")


def test_nothing_of_a_client_or_a_worker_is_run_and_nothing_reaches_the_terminal(
    fleet: FleetProcesses, listener: Listener, capfd: pytest.CaptureFixture[str]
) -> None:
    fleet.up("ash")
    hostile(fleet, "client", listener.port)
    assert not listener.heard(), "whoever has the certificate runs something"
    assert not list(fleet.folder.glob("written*")), "whoever has the certificate writes something"
    hostile(fleet, "worker", listener.port)
    notes: list[str] = []
    came: dict[str, Event | None] = {}
    with asking(fleet, notes) as here:
        for attack in hostile_fleet.ATTACKS:
            came[attack] = here.ask(attack)
            # What an attack before it sent may have cut off all hosts meanwhile.
            for _ in range(10):
                if not (attack in ANSWERS and kind_of(came[attack]) == "gone"):
                    break
                came[attack] = here.ask(attack)
            time.sleep(0.2)  # for what else it sends
            assert not listener.heard(), f"{attack} was run"
        # What was not read has cut off the others, too, who are there again.
        while kind_of(honest := here.ask("ash")) == "gone":
            pass
    assert not listener.heard()
    assert honest is not None, (came, notes)
    assert honest.kind == "answered", (came, notes)
    assert isinstance(read_answer(honest.answer), HostFacts)
    assert all(came.values()), (came, fleet.said("worker"))
    for attack in ANSWERS:
        assert kind_of(came[attack]) == "unanswered", came
    # A worker that came back is noted again.
    assert len({n for n in notes if n.startswith("versions: left out")}) == 1
    assert "\x1b" not in "".join([*capfd.readouterr(), *notes, *here.there])


def test_a_workers_words_are_not_run(fleet: FleetProcesses, listener: Listener) -> None:
    fleet.scheduler()
    hostile(fleet, "metrics", listener.port)
    notes: list[str] = []
    with contextlib.closing(DaskCluster(fleet.address, fleet.certificates, notes.append)) as here:
        deadline = time.monotonic() + 20
        while not notes and time.monotonic() < deadline:
            assert here.next(1.0) is None
    assert not listener.heard()
    assert notes == ["the scheduler passes on a worker's refused message; end that worker"]


def test_without_certificates_only_the_same_user_is_spoken_to(
    fleet: FleetProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.certificates = None
    fleet.scheduler()
    fleet.wait_for("scheduler", "scheduler at tls://")
    host, port = fleet.address.split(":")
    other = tmp_path / "other"
    make_certificates(other, 1)
    for certificates in (None, other):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificates:
            context.load_cert_chain(certificates / "fleet.pem", certificates / "fleet-key.pem")
        with (
            pytest.raises((ssl.SSLError, ConnectionError)),
            socket.create_connection((host, int(port))) as plain,
            context.wrap_socket(plain) as encrypted,
        ):
            encrypted.recv(1)
    with socket.create_connection((host, int(port))) as plain:
        plain.settimeout(10)
        assert plain.send(bytes(64))
        with contextlib.suppress(ConnectionError):
            assert plain.recv(64)[:1] in (b"", b"\x15")  # nothing, or an alert of TLS
    with pytest.raises(UserError, match="no scheduler answers"):
        DaskCluster(fleet.address, other, print)
    monkeypatch.setenv("WHYFAST_HOME", str(fleet.folder / "scheduler"))
    key = own_certificates() / "fleet-key.pem"
    assert key.stat().st_mode & 0o777 == 0o600
    DaskCluster(fleet.address, None, print).close()
