"""Trials of a difference: one thing is changed on both sides, and all four are measured in turn."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.investigate.ab_run import Command, Options, run_ab
from whyfast.investigate.services import Silent
from whyfast.investigate.why.why_inquiry import Inquiry
from whyfast.model.errors import UserError
from whyfast.model.sample import Block
from whyfast.model.why import Account, Intervention
from whyfast.why.trials import (
    CHANGED,
    GONE,
    Experiment,
    cause_of_trial,
    judge_trial,
    suggested,
    waits_first,
)

#: Blocks of a trial, at least and at most, and seconds that they may take.
TRIAL_ROUNDS, TRIAL_SECONDS = (4, 8), 3.0

#: Things that differ around the programs that are tried one by one, at most.
MOST_FACTORS = 2


class Trials:
    """Adds what trials show to what was gathered."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._inquiry, self._found = inquiry, inquiry.found
        self._services = inquiry.services

    def run(self, known: Account) -> None:
        """Measure both sides with one thing changed, where that can tell more than ``known``."""
        found = self._found
        self._try_factors()
        left = 1 - known.explained
        idle = found.own_threads and not waits_first(found.groups)
        threads = 1 if found.processes or idle else found.threads  # of one process, sharing memory
        for experiment in suggested(found.groups, threads, left, known.causes):
            if any(e.key == experiment.key and t.low >= GONE for e, t in found.mended):
                continue
            if not self._time_for(experiment.what):
                continue
            self._inquiry.observer.step(f"trying: {experiment.what}")
            with self._inquiry.timed(f"trial: {experiment.what}"):
                try:
                    trial = self._trial(experiment)
                except TimeoutError as error:  # of what prepares it
                    found.limits.append(f"not tried: {experiment.what}: {error}")
                    trial = None
            if trial is None:
                continue
            if experiment.mends:
                found.mended = [*found.mended, (experiment, trial)]
                continue
            cause = cause_of_trial(experiment, trial, found.groups)
            if cause is not None:
                found.given = [*found.given, cause]

    def _try_factors(self) -> None:
        """Swap what differs around the programs, where more than one thing does."""
        found = self._found
        if found.around.alone is not None:
            return
        for factor in found.around.factors[:MOST_FACTORS]:
            what = factor.key
            if not self._time_for(f"the {what} of the other side"):
                continue
            self._inquiry.observer.step(f"trying the {what} of the other side")
            commands = {CHANGED["fast"]: factor.fast, CHANGED["slow"]: factor.slow}
            with self._inquiry.timed(f"trial: {what}"):
                blocks = self._measured(commands, f"the {what} of the other side")
            trial = judge_trial(
                f"the {what} of the other side", blocks, shlex.join(factor.slow), swapped=True
            )
            if trial is not None:
                found.tried = [*found.tried, (factor, trial)]

    def _time_for(self, what: str) -> bool:
        """Whether there is time left for a trial; noted where there is none."""
        if self._inquiry.left <= 0:
            self._found.limits.append(f"not tried: {what}: there was no time left for it")
        return self._inquiry.left > 0

    def _trial(self, experiment: Experiment) -> Intervention | None:
        if experiment.libraries:
            library = self._library(experiment.libraries)
            if library is None:
                return None
            what = f"{experiment.what} ({Path(library).name})"
            env = {**experiment.env, "LD_PRELOAD": library}
            experiment = replace(experiment, what=what, env=env)
        with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
            words = self._words(experiment, Path(folder))
            if words is None:
                return None
            changed = {CHANGED[s]: (*words, *argv) for s, argv in self._inquiry.commands.items()}
            blocks = self._measured(changed, experiment.what)
        return judge_trial(experiment.what, blocks, shlex.join(words))

    def _measured(self, changed: Mapping[str, Sequence[str]], what: str) -> Sequence[Block]:
        """Blocks of both sides and of both with a change; none where one of them fails."""
        lines = [
            Command(n, shlex.join(a))
            for n, a in (*self._inquiry.commands.items(), *changed.items())
        ]
        once = 2 * self._inquiry.both
        runs = int(min(TRIAL_ROUNDS[1], max(TRIAL_ROUNDS[0], TRIAL_SECONDS / max(once, 1e-3))))
        options = Options(
            budget=max(1.0, min(60 + 4 * runs * once, self._inquiry.left)),
            runs=runs,
            shell="",
            turns_offered=False,
            ignore_failure=self._inquiry.arguments.ignore_failure,
            rough=True,
            stdin=self._inquiry.arguments.stdin,
        )
        try:
            tried = run_ab(lines, options, self._inquiry.home, Silent(), services=self._services)
        except UserError as error:
            self._found.limits.append(f"not tried: {what}: {error.message}")
            return ()
        return tried.recorded.blocks

    def _words(self, experiment: Experiment, folder: Path) -> tuple[str, ...] | None:
        """What stands in front of a changed command; None where something is missing for it."""
        launcher = self._services.launcher
        tool = launcher.find(experiment.needs) if experiment.needs else ""
        if tool is None:
            self._found.limits.append(f"not tried: {experiment.what}: no {experiment.needs}")
            return None
        env = dict(experiment.env)
        if experiment.preload:
            source, library = folder / "change.c", folder / "change.so"
            source.write_text(experiment.preload)
            build = [tool, "-O1", "-shared", "-fPIC", "-o", str(library), str(source)]
            done = launcher.run(build, env=self._services.env, timeout=60)
            if done.status:
                self._found.limits.append(f"not tried: {experiment.what}: cc failed")
                return None
            env["LD_PRELOAD"] = str(library)
        words = tuple(w.format(cpu=self._services.cpus[0]) for w in experiment.words)
        return (*(("env", *(f"{k}={v}" for k, v in env.items())) if env else ()), *words)

    def _library(self, names: Sequence[str]) -> str | None:
        """The file of the first library that is installed, by the loader's cache."""
        for tool in ("ldconfig", "/sbin/ldconfig"):
            if found := self._services.launcher.find(tool):
                listed = self._services.launcher.run(
                    [found, "-p"], env=self._services.env, timeout=10
                ).stdout
                files = {
                    row.split()[0]: row.split()[-1] for row in listed.splitlines() if "=>" in row
                }
                return next((files[n] for n in names if n in files), None)
        return None
