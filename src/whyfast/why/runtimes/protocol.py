"""The runtimes that are known, how a command is recognised as one of theirs, and what each says."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from whyfast.measure.runtimes import RuntimeRuns
from whyfast.model.why import Basis, Cause, Change, Fact, Item, Part, SourcePlace
from whyfast.why.functions import FunctionKey
from whyfast.why.groups import FunctionGroup
from whyfast.why.kernel import WITH_KERNEL

#: Share of the whole difference from which something is worth a cause.
LEAST = 0.05


@dataclass(frozen=True)
class RuntimeProgram:
    """A command as the kernel executes it: ``words`` with the interpreter of a script in front,
    ``at`` the place of the program among them (behind ``env`` and its variables), and the
    program's file."""

    words: tuple[str, ...]
    at: int
    path: Path

    @property
    def name(self) -> str:
        """Of the program's file: ``python3.11``."""
        return self.path.name

    def with_options(self, options: Sequence[str]) -> list[str]:
        """The words with options right behind the program."""
        return [*self.words[: self.at + 1], *options, *self.words[self.at + 1 :]]


@dataclass(frozen=True)
class Sides:
    """What a runtime is asked: the programs and runs of both sides, by ``fast`` and ``slow``.

    ``whole`` is the difference in wall time, ``split`` its parts; ``quoted`` is the fast side's
    name in sentences.
    """

    programs: Mapping[str, RuntimeProgram]
    runs: RuntimeRuns
    whole: Change
    split: Mapping[Part, Change]
    quoted: str

    @property
    def cpu(self) -> dict[str, float]:
        """Seconds of CPU time of a run of each side."""
        parts = self.split["user"], self.split["kernel"]
        return {"fast": sum(p.fast for p in parts), "slow": sum(p.slow for p in parts)}

    def share(self, seconds: float) -> float:
        return seconds / self.whole.difference if self.whole.difference else 0.0

    def cause(
        self,
        key: str,
        sentence: str,
        time: Change,
        basis: Basis,
        place: SourcePlace | None = None,
        *,
        facts: Sequence[Fact] = (),
        remedy: str = "",
    ) -> Cause:
        """A cause whose share is of the seconds in ``time``; its items are given by
        :func:`take_over`."""
        low, high = sorted((self.share(time.low), self.share(time.high)))
        return Cause(
            key,
            sentence,
            self.share(time.difference),
            low,
            high,
            (),
            basis,
            place or SourcePlace(),
            tuple(facts),
            remedy=remedy,
        )


@dataclass(frozen=True)
class Findings:
    """What a runtime's tools showed. ``takes`` says whether a function of machine code belongs to
    what ``causes`` explain, so that it is not given another cause."""

    causes: tuple[Cause, ...] = ()
    takes: Callable[[FunctionKey], bool] = lambda key: False
    limits: tuple[str, ...] = ()


class Runtime(Protocol):
    """One language's runtime. ``compiles``: it compiles while it runs, so that a simulation sees
    code without names, after minutes. ``idles``: system calls in which only its own threads wait,
    and no program."""

    name: str
    compiles: bool
    idles: tuple[str, ...]

    def claims(self, program: RuntimeProgram) -> bool:
        """Whether it executes the program."""

    def explain(self, sides: Sides) -> Findings:
        """What differs. Raises CannotCount where its tools could not be used on either side."""


def runtime_of(
    programs: Sequence[RuntimeProgram | None], runtimes: Sequence[Runtime]
) -> Runtime | None:
    """The runtime that executes all of the programs; None where they differ or it is unknown."""
    for runtime in runtimes:
        if all(p is not None and runtime.claims(p) for p in programs):
            return runtime
    return None


_VARIABLE = re.compile(r"[A-Za-z_]\w*=")


def program_of(command: Sequence[str], env: Mapping[str, str]) -> RuntimeProgram | None:
    """The program of a command, with the interpreter of a script (``#!``) in front.

    None for a shell's command line (``sh -c …``) and for a program that is not there.
    """
    words, at, folder = list(command), 0, Path()
    for _ in range(4):  # env, a script, the env of its first line
        if at >= len(words):
            return None
        word = words[at] if os.sep not in words[at] else str(folder / words[at])
        file = shutil.which(word, path=env.get("PATH", os.defpath))
        if file is None:
            return None
        path = Path(file).resolve()
        if path.name == "env":
            at += 1
            while at < len(words) and (words[at][:1] == "-" or _VARIABLE.match(words[at])):
                if words[at][:2] == "-S":  # all of a first line in one word
                    words[at : at + 1] = words[at][2:].split()
                elif words[at] in ("-C", "--chdir"):
                    folder = Path(*words[at + 1 : at + 2])
                    at += 2
                else:
                    at += 2 if words[at] in ("-u", "--unset") else 1
            continue
        first = _first_line(path)
        if not first:
            return None if path.name in SHELLS else RuntimeProgram(tuple(words), at, path)
        if any(Path(word).name in SHELLS for word in first):
            # A script that starts what it is named after, such as pyenv's python3.
            return RuntimeProgram(tuple(words), at, Path(file))
        words[at : at + 1] = [*first, file]
    return None


SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "fish", "busybox")


def _first_line(path: Path) -> list[str]:
    """The interpreter of a script and its argument; empty for another file."""
    try:
        with path.open("rb") as file:
            start = file.read(256)
    except OSError:
        return []
    if not start.startswith(b"#!"):
        return []
    line = start[2:].split(b"\n", 1)[0].decode(errors="replace").strip()
    return line.split(None, 1)


def take_over(
    findings: Findings,
    groups: Sequence[FunctionGroup],
    items: Sequence[Item],
    split: Mapping[Part, Change],
) -> list[Cause]:
    """The causes with the items that they take over.

    The runtime's causes are of CPU time. Where kernel time has causes of its own (``items``), they
    are given the part of user time only, unless they carry the kernel's part as well: imports read
    files.
    """
    if not findings.causes:
        return []
    kernel = [i for i in items if i.part == "kernel" and i.share > 0]
    mine = [c for c in findings.causes if c.key in WITH_KERNEL]
    whole = sum(c.share for c in findings.causes)
    user, system = (max(0.0, split[p].difference) for p in ("user", "kernel"))
    names = [g.name for g in groups if any(findings.takes(m.key) for m in g.members)]
    factor = 1.0
    if kernel and sum(c.share for c in mine) >= 0.5 * whole:
        names += [i.name for i in kernel]
    elif kernel and user + system > 0:
        factor = user / (user + system)
    causes = [
        replace(c, share=c.share * factor, low=c.low * factor, high=c.high * factor)
        for c in findings.causes
    ]
    first = max(range(len(causes)), key=lambda n: causes[n].share)
    causes[first] = replace(causes[first], items=tuple(dict.fromkeys(names)))
    return causes
