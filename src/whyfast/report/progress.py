"""What a long run shows while it runs: a live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from whyfast.investigate.services import Observer
from whyfast.measure.invocation import Clock
from whyfast.report import formatting as fmt

if TYPE_CHECKING:
    from whyfast.model.sample import RunFailure
    from whyfast.model.verdict import Verdict

#: Seconds between two plain lines of progress.
PLAIN_EVERY = 10.0

_PHASES = {
    "toolchains": "getting compilers",
    "build": "building",
    "explain": "reading the machine code",
    "inspect": "looking at what is timed",
    "measure": "measuring",
    "count": "counting",
    "judge": "judging",
    "search": "searching",
    "account": "looking for the cause",
}


@contextlib.contextmanager
def watching(
    title: str,
    margin: float,
    console: Console | None = None,
    *,
    runs: int | None = None,
    clock: Clock | None = None,
) -> Iterator[Observer]:
    """An observer that prints to ``console`` (standard error by default) while the block runs.
    ``runs``: how many blocks there will be, where not time ends it. Without a terminal it prints a
    line for each phase, and by ``clock`` one of progress every ten seconds at most."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield _Plain(console, runs, clock or Clock())
        return
    live = _Living(console, title, margin, runs)
    with live.display:
        yield live


class _Plain(Observer):
    def __init__(self, console: Console, runs: int | None, clock: Clock) -> None:
        self._console, self._runs, self._clock = console, runs, clock
        self._phase, self._last = "", -math.inf

    def phase(self, name: str) -> None:
        if name != self._phase:
            self._phase = name
            self._say(f"{_PHASES.get(name, name)} …")

    def step(self, text: str) -> None:
        now = self._clock.monotonic()
        if now - self._last >= PLAIN_EVERY:
            self._last = now
            self._say(f"  {text}")

    def note(self, text: str) -> None:
        self._say(f"  {text}")

    def failure(self, failure: RunFailure) -> None:
        self.note(_failure_text(failure))

    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None:
        self.step(f"{benchmark}: {_decided(verdicts, self._runs, budget - spent)}")

    def _say(self, text: str) -> None:
        self._console.print(_text(text), soft_wrap=True)


def _failure_text(failure: RunFailure) -> str:
    from whyfast.report.sections.programs import failure_text  # loads the judge

    return failure_text(failure)


def _text(text: str, style: str = "") -> Text:
    """Output of programs and names by users, harmless."""
    return Text(fmt.escape_controls(text), style=style)


def _decided(verdicts: Sequence[Verdict], runs: int | None, left: float) -> str:
    done = sum(v.outcome != "undecided" for v in verdicts)
    blocks = max((v.blocks for v in verdicts), default=0)
    decided = f"{done} of {len(verdicts)} comparisons decided"
    if runs is not None:
        return f"{blocks} of {fmt.pluralize(runs, 'block')}, {decided}"
    return (
        f"{fmt.pluralize(blocks, 'block')}, {decided}; at most {fmt.seconds(max(0.0, left))} left"
    )


def so_far(verdict: Verdict, margin: float) -> str:
    """The verdict; of blocks that are too few for one, the ratio and where they lie."""
    if verdict.small_sample is None:
        return fmt.verdict(verdict, margin)
    seen = fmt.ratio_text(verdict.ratio, verdict.small_sample.low, verdict.small_sample.high)
    where = "of one block" if verdict.blocks == 1 else f"blocks within {seen.interval}"
    return f"{seen.factor}, {where}"


class _Living(Observer):
    """A table of the benchmark just measured, tightening, with the time that is left."""

    def __init__(self, console: Console, title: str, margin: float, runs: int | None) -> None:
        self._title, self._margin, self._runs = title, margin, runs
        self.phase("")
        self._status: Sequence[str] = ()
        self.display = Live(
            console=console, get_renderable=self._render, refresh_per_second=2, transient=True
        )

    def phase(self, name: str) -> None:
        self._phase = _PHASES.get(name, name)
        self._table: Table | None = None
        self._line = ""

    def step(self, text: str) -> None:
        self.note(text)

    def note(self, text: str) -> None:
        self.display.console.print(_text(text), soft_wrap=True)

    def failure(self, failure: RunFailure) -> None:
        text = _text(_failure_text(failure), *(() if failure.lacks else ("red",)))
        self.display.console.print(text, soft_wrap=True)

    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None:
        table = Table(box=None, pad_edge=False, title=_text(benchmark), title_justify="left")
        table.add_column("variant")
        against = dict.fromkeys(v.baseline for v in verdicts)
        table.add_column(_text(f"against {next(iter(against))}" if len(against) == 1 else ""))
        table.add_column("blocks", justify="right")
        for v in verdicts:
            who = v.variant if len(against) == 1 else f"{v.variant} against {v.baseline}"
            table.add_row(_text(who), _text(so_far(v, self._margin)), str(v.blocks))
        self._table = table
        decided = _decided(verdicts, self._runs, budget - spent)
        self._line = f"{decided}; Ctrl-C stops and keeps the results"

    def status(self, lines: Sequence[str]) -> None:
        self._status = tuple(lines)

    def _render(self) -> Group:
        head = _text(self._title, "bold").append(f" — {self._phase} …", "not bold")
        lines = [_text(line) for line in self._status]
        table = [self._table] if self._table else []
        return Group(head, *table, *lines, Text(self._line, style="dim"))
