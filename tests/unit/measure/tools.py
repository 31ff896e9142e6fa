"""A launcher that replays recordings."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from whyfast.measure.tools import Finished, Launcher

#: What to do about one call: write files, then return how it ended.
Answer = Callable[[Sequence[str]], Finished]


class Replay(Launcher):
    """``answers`` maps the name of a tool to what a call of it does; others are not installed, and
    what is started by its path, as a program alone, ends well."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = answers
        self.calls: list[tuple[str, ...]] = []
        self.environments: list[Mapping[str, str]] = []
        self.stopped = 0

    def find(self, name: str) -> str | None:
        return f"/usr/bin/{name}" if name in self.answers else None

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        timeout: float,
        pass_fds: Sequence[int] = (),
    ) -> Finished:
        self.calls.append(tuple(argv))
        self.environments.append(env)
        name = Path(argv[0]).name
        if name not in self.answers and "/" in argv[0]:
            return said()
        return self.answers[name](argv)

    def stop(self) -> None:
        self.stopped += 1


def said(text: str = "", status: int = 0) -> Finished:
    """A process that printed ``text``."""
    return Finished(status, text, text)


def option(argv: Sequence[str], name: str) -> str:
    """The value of ``--name=value`` in a command line."""
    return next(a.partition("=")[2] for a in argv if a.startswith(f"{name}="))
