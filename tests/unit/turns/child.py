"""whyfast's side of the turn protocol: grants in, lines out, without a word about what they should
be."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Turns:
    """A program over real pipes."""

    def __init__(self, command: list[str]) -> None:
        child_in, self.grants = os.pipe()
        answers, child_out = os.pipe()
        self.process = subprocess.Popen(
            command,
            env={**os.environ, "WHYFAST_TURN": f"{child_in},{child_out}"},
            pass_fds=(child_in, child_out),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.close(child_in)
        os.close(child_out)
        self.answers = os.fdopen(answers, encoding="utf-8")

    def grant(self, text: str) -> None:
        os.write(self.grants, text.encode())

    def line(self) -> str:
        return self.answers.readline()

    def finish(self) -> int:
        """Closes the grants; the exit status."""
        if self.grants >= 0:
            os.close(self.grants)
            self.grants = -1
        return self.process.wait(timeout=120)

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def close(self) -> None:
        self.process.kill()
        self.finish()
        self.answers.close()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()


Start = Callable[..., Turns]


@contextmanager
def starting() -> Iterator[Start]:
    """What starts a command; the programs end with the block."""
    started: list[Turns] = []

    def begin(*command: object) -> Turns:
        started.append(Turns([str(word) for word in command]))
        return started[-1]

    try:
        yield begin
    finally:
        for turns in started:
            turns.close()
