"""A process that is started again when it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO

#: Seconds until one that has ended is started again: twice as many each time, up to so many, and
#: few again after one that ran for so long.
AGAIN, MOST, STEADY = 1.0, 60.0, 60.0

#: Seconds that it has to end when its standard input does, and then when it is told to.
ENDING, TOLD = 5.0, 2.0

#: Characters of a line that are looked at.
_LINE = 400


class KeptProcess:
    """``command`` gives the words of it, each time anew; ``tell`` hears that it ended and why, with
    the last line of its standard error; ``heard`` every such line. Both are called in threads.

    It should end when its standard input does: that is so also when this process is killed.
    """

    def __init__(
        self,
        name: str,
        command: Callable[[], Sequence[str]],
        tell: Callable[[str], None],
        heard: Callable[[str], None] = lambda line: None,
        again: float = AGAIN,
    ) -> None:
        self.name = name
        self.last = ""
        self.ended_once = threading.Event()
        self._command, self._tell, self._heard, self._again = command, tell, heard, again
        self._ending = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        threading.Thread(target=self._keep, daemon=True).start()

    def let_end(self) -> None:
        """Start it no more, and end its standard input."""
        self._ending.set()
        with self._lock, contextlib.suppress(OSError):
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.close()

    def await_end(self, deadline: float) -> None:
        """After :meth:`let_end`: until it has ended; told to at ``deadline`` (monotonic seconds),
        killed soon after."""
        process = self._process
        if process is None:
            return
        for number, seconds in (
            (signal.SIGTERM, max(0.0, deadline - time.monotonic())),
            (signal.SIGKILL, TOLD),
        ):
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
        process.wait()

    def _keep(self) -> None:
        pause = self._again
        while not self._ending.is_set():
            began = time.monotonic()
            why = self._run()
            if self._ending.is_set():
                return
            if time.monotonic() - began >= STEADY:
                pause = self._again
            self._tell(f"{self.name}: {why}; starting it again in {pause:.0f} s")
            self.ended_once.set()
            self._ending.wait(pause)
            pause = min(2 * pause, MOST)

    def _run(self) -> str:
        """Start it and wait for its end; why it ended."""
        words = list(self._command())
        self.last = ""
        with self._lock:
            if self._ending.is_set():
                return ""
            try:
                process = self._process = subprocess.Popen(
                    words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C is for this process, which ends it
                )
            except OSError as error:
                self.last = f"{words[0]}: {error.strerror}"
                return self.last
        assert process.stderr is not None
        reader = threading.Thread(target=self._read, args=(process.stderr,), daemon=True)
        reader.start()
        code = process.wait()
        reader.join(TOLD)  # something that it started may hold the pipe
        how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
        return f"{words[0]} ended ({how})" + (f": {self.last}" if self.last else "")

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            for raw in iter(lambda: pipe.readline(_LINE), b""):
                line = raw.decode(errors="replace").strip()
                if line:
                    self.last = line
                    self._heard(line)
