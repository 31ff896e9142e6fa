"""Sides of a block that are forked from one process, and share what that drew when it started.

Addresses and the hash seed move the time of a short loop by several per cent from process to
process. Two sides that are started apart differ by that too; forked from one process, which every
block starts anew, they have one draw, and it cancels in their ratio. Also the program starts once
a block and not once a side.

The program is started with the words ``fork CONTROL`` and, for each side, ``IN OUT N`` and the N
words of its own. For each line on CONTROL, the number of a side, it forks a process that takes
turns over IN and OUT; at the end of file it waits for these and ends as the first that failed."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from whyfast.measure.accounts import process_tree
from whyfast.measure.invocation import Invocation, LaunchArguments, started
from whyfast.measure.process import Usage, on_cpu
from whyfast.measure.turns import Pipes, TurnInvocation

Words = tuple[str, ...]


@dataclass
class ForkRunner:
    """Forks the variants whose commands begin with the same words, as many as
    ``arguments.shared`` says, from one process, which lives as long as one of them."""

    arguments: LaunchArguments
    wall: Callable[[], float] = time.monotonic
    loops_vary = True
    _programs: dict[Words, _Program] = field(default_factory=dict)

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """Fork a process and wait until it is ready. The first one starts the program, in an
        environment that is ``pad`` bytes longer."""
        env, command = self.arguments.process(variant, pad, layout)
        words = command[: self.arguments.shared[variant]]
        program = self._programs.get(words)
        if program is None or not program.offers(variant):
            sides = self._sides(words, random.Random(pad))
            program = self._programs[words] = _Program(words, sides, env, cpu)
        return TurnInvocation(
            command, lambda: program.fork(variant), arguments=self.arguments, wall=self.wall
        )

    def _sides(self, words: Words, rng: random.Random) -> dict[str, Words]:
        """The further words of each variant that begins with these, in random order: what a fork
        finds in memory depends on its place among them, and some statements on that."""
        shared, commands = self.arguments.shared, self.arguments.commands
        every = rng.sample(sorted(commands), len(commands))
        return {v: commands[v][shared[v] :] for v in every if commands[v][: shared[v]] == words}


class _Program:
    """The process that forks; it is started at once. Raises InvocationFailed."""

    def __init__(
        self, words: Words, sides: Mapping[str, Words], env: Mapping[str, str], cpu: int | None
    ) -> None:
        self._numbers = {variant: i for i, variant in enumerate(sides)}
        self._pipes = {variant: Pipes.opened() for variant in sides}  # of those not yet forked
        self._alive: set[_Fork] = set()
        control, self._control = os.pipe()
        inherited = [control]
        argv = [*words, "fork", str(control)]
        for variant, own in sides.items():
            ends = self._pipes[variant].inherited
            inherited += ends
            argv += [*map(str, ends), str(len(own)), *own]
        try:
            with on_cpu(cpu):
                self.child = started(tuple(argv), env=env, pass_fds=inherited)
        except BaseException:
            self._close_own()
            raise
        finally:
            for fd in inherited:
                os.close(fd)

    def offers(self, variant: str) -> bool:
        """Whether it can be forked for that variant."""
        return variant in self._pipes

    def fork(self, variant: str) -> tuple[_Fork, Pipes]:
        """A process for the variant, and the pipes to it."""
        fork = _Fork(self)
        with contextlib.suppress(BrokenPipeError):  # that it has ended is seen on its pipes
            os.write(self._control, b"%d\n" % self._numbers[variant])
        self._alive.add(fork)
        return fork, self._pipes.pop(variant)

    def wait(self, timeout: float) -> None:
        """For its end, which comes when one of its forks has failed; it forks no more."""
        self._close_own()
        self.child.wait(timeout, whole_group=True)

    def leave(self, fork: _Fork, timeout: float) -> None:
        """The fork is not needed any more; with the last one the program ends."""
        self._alive.discard(fork)
        if not self._alive:
            self._close_own()
            self.child.end(timeout)

    def _close_own(self) -> None:
        while self._pipes:
            self._pipes.popitem()[1].close()
        if self._control >= 0:
            os.close(self._control)
            self._control = -1


class _Fork:
    """One forked process, as :class:`TurnInvocation` deals with a child of its own."""

    def __init__(self, program: _Program) -> None:
        self._program = program
        self._before = set(process_tree(program.child.pid))
        self._pid: int | None = None

    @property
    def pid(self) -> int:
        """Its number; asked for first when it is ready, and before the program forks again."""
        if self._pid is None:
            tree = process_tree(self._program.child.pid)
            self._pid = next((p for p in tree if p not in self._before), tree[0])
        return self._pid

    @property
    def status(self) -> int | None:
        return self._program.child.status

    def trim(self) -> None:
        self._program.child.trim()

    def output_tail(self) -> str:
        return self._program.child.output_tail()

    def wait(self, timeout: float, *, whole_group: bool = False) -> Usage | None:
        """Once this one has ended unasked."""
        self._program.wait(timeout)
        return None

    def end(self, timeout: float) -> None:
        self._program.leave(self, timeout)
