"""Two programs that take as long as a test says, and tools that are doubles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.unit.investigate.doubles import Watcher, World, own
from tests.unit.measure.tools import Replay, said

from whyfast.investigate.ab_run import Command, Options
from whyfast.investigate.why.why_inquiry import AccountLimits
from whyfast.investigate.why.why_run import explain_commands, explain_difference
from whyfast.measure.commands import ProbeRun
from whyfast.measure.invocation import LaunchArguments, Sample
from whyfast.measure.tools import Finished
from whyfast.model.result import Result
from whyfast.model.why import Account

#: Seconds of wall, user and kernel time.
Times = tuple[float, float, float]

OLD = (1.0, 0.9, 0.0)
COMMANDS = (Command("old", "old x"), Command("new", "new x"))
TABLE = "% time seconds usecs/call calls errors syscall\n 90.0 {} 5 {} write\n"


def strace(argv: Sequence[str]) -> Finished:
    """The new program writes a hundred thousand times."""
    new = "new" in argv
    if "-k" in argv:
        frames = " > /lib/libc.so.6(__write+0x10) [0xf8350]\n > /x/new(main+0x26) [0x1076]\n"
        text = f'write(1, "a", 1) = 1\n{frames}'
    else:
        text = TABLE.format("0.500000" if new else "0.000100", 100000 if new else 25)
    Path(argv[argv.index("-o") + 1]).write_text(text)
    return said()


class Programs:
    """Two programs that take as long as is said, and the tools that are installed."""

    def __init__(
        self, folder: Path, new: Times, **tools: Callable[[Sequence[str]], Finished]
    ) -> None:
        self.folder, self.watcher, self.world = folder, Watcher(), World()
        self.times = {"old": OLD, "new": new, "true": (0.001, 0.001, 0.0)}
        self.world.script = self._answer
        self.tools = tools
        self.faults: dict[str, float] = {}

    def _answer(self, variant: str, loops: int, before: int) -> Sample:
        wall, user, kernel = self.times[variant]
        extra = {
            "user": user * loops,
            "system": kernel * loops,
            "minor_faults": self.faults.get(variant, 100.0) * loops,
        }
        return Sample(wall * loops, None, extra)

    def why(self, options: Options | None = None, simulate: float = 0.0, **other: Any) -> Account:
        account = self.result(options, simulate, **other).found.account
        assert account is not None
        return account

    def result(self, options: Options | None = None, simulate: float = 0.0, **other: Any) -> Result:
        programs = {name: lambda argv: said() for name in ("old", "new", "true")}
        self.world.launcher = Replay({**programs, **self.tools})
        probe = {"probe": lambda *given: ProbeRun(False, 0.1, 0.1)}
        services = self.world.services(**probe, **other)
        return explain_commands(
            COMMANDS, options or Options(budget=60.0), AccountLimits(simulate), own(self.folder),
            self.watcher, services=services,
        )  # fmt: skip

    def explained(self, threads: int, **other: Any) -> Account | None:
        """The account of a result in which the new program had that many threads."""
        found = self.result()
        blocks = tuple(replace(b, threads={"new": threads}) for b in found.recorded.blocks)
        found = replace(found, recorded=replace(found.recorded, blocks=blocks))
        arguments = LaunchArguments({"old": ("old",), "new": ("new",)}, {}, 60.0)
        services = self.world.services(**other)
        return explain_difference(
            found, arguments, AccountLimits(0.0), own(self.folder), self.watcher, services
        )

    @property
    def called(self) -> list[str]:
        calls = (Path(call[0]).name for call in self.world.launcher.calls)
        return [name for name in calls if name not in ("old", "new", "true")]


def reads(more: int, call: str = "read", programs: int = 0) -> Callable[[Sequence[str]], Finished]:
    """Both programs read; the new one is blocked for longer, ``more`` times more often. A run
    executes so many ``programs``."""

    def strace(argv: Sequence[str]) -> Finished:
        new = "new" in argv
        seconds = ("1.000000" if new else "0.100000") if "-w" in argv else "0.000100"
        row = f" 90.0 {seconds} 5 {385 + more * new} {call}\n"
        row += f" 1.0 0.0 1 {programs} execve\n" * bool(programs)
        Path(argv[argv.index("-o") + 1]).write_text(
            "% time seconds usecs/call calls errors syscall\n" + row
        )
        return said()

    return strace
