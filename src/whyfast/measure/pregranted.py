"""Turns that are granted beforehand, for runs under a tool: nobody need answer while they last.

All grants are in the pipe before the program starts, and the pipe is closed behind them, so that
it takes its turns and leaves. The descriptors have the same numbers in every run, and so have the
instructions that read them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence

from whyfast.measure.launch import CannotCount, Finished, Launcher
from whyfast.measure.turns import TURN_VARIABLE

#: The lowest number that the program's ends of the pipes may have.
_DESCRIPTOR = 100

#: More would not fit into a pipe together with their answers.
MOST_GRANTS = 1000


class PregrantedLauncher:
    """A launcher; wherever ``command`` is run, it takes ``turns`` turns of ``loops`` each.

    Raises CannotCount when the program answers otherwise than it should.
    """

    def __init__(
        self,
        launcher: Launcher,
        command: Sequence[str],
        *,
        loops: int,
        turns: int,
        check: str | None = None,
    ) -> None:
        self._launcher = launcher
        self._command = tuple(command)
        self._grants = f"{loops}\n".encode() * turns
        self._turns = turns
        self._check = check

    def find(self, name: str) -> str | None:
        return self._launcher.find(name)

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        timeout: float,
        pass_fds: Sequence[int] = (),
    ) -> Finished:
        if tuple(argv[-len(self._command) :]) != self._command:
            return self._launcher.run(argv, env=env, timeout=timeout, pass_fds=pass_fds)
        with _pipes(self._grants) as (grants, answers, answer):
            done = self._launcher.run(
                argv,
                env={**env, TURN_VARIABLE: f"{grants},{answers}"},
                timeout=timeout,
                pass_fds=(*pass_fds, grants, answers),
            )
            said = _waiting(answer)
        if done.status == 0:
            self._compare(said)
        return done

    def _compare(self, said: str) -> None:
        greeting, *lines = said.splitlines() or [""]
        if greeting != "ready 1":
            raise CannotCount(f"expected 'ready 1' from the turn protocol, got {greeting!r:.80}")
        for line in lines:
            if line.startswith("error "):
                raise CannotCount(line.removeprefix("error "))
            check = line.partition(" ")[2].strip()
            if self._check is not None and check != self._check:
                raise CannotCount(f"wrong result: {check or None}, expected {self._check}")
        if len(lines) != self._turns:
            raise CannotCount(f"took {len(lines)} turns of {self._turns}")


@contextlib.contextmanager
def _pipes(grants: bytes) -> Iterator[tuple[int, int, int]]:
    """(where the program reads its grants, where it writes answers, where they are read)."""
    low_in, grant = os.pipe()
    os.write(grant, grants)
    os.close(grant)
    answer, low_out = os.pipe()
    opened = [answer]
    try:
        for low in (low_in, low_out):
            opened.append(fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _DESCRIPTOR))
            os.close(low)
        yield opened[1], opened[2], answer
    finally:
        for fd in opened:
            os.close(fd)


def _waiting(fd: int) -> str:
    """What is in the pipe; another process may still hold its other end."""
    os.set_blocking(fd, False)
    found = b""
    with contextlib.suppress(BlockingIOError):
        while got := os.read(fd, 65536):
            found += got
    return found.decode("utf-8", "replace")
