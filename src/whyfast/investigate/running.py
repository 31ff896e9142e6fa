"""Variants as they are run: the words of their commands, and settings held while they start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from whyfast.investigate.prepare import Prepared
from whyfast.measure.doctor.system import Files
from whyfast.measure.invocation import Runner
from whyfast.measure.temporary_sysctls import SysctlRunner, TemporarySysctls
from whyfast.model.build import Build
from whyfast.model.study import Study
from whyfast.store.home import Home
from whyfast.study.placeholders import substitute


def holder(home: Home) -> TemporarySysctls:
    """Holds settings of this machine's kernel."""
    return TemporarySysctls(Files(), home.doctor)


def argument_vector(
    study: Study, prepared: Prepared, command: tuple[str, ...], variant: str, program: Path
) -> tuple[str, ...]:
    """The command with its placeholders replaced.

    ``{run}`` as a word of its own becomes the words of the variant; inside of another word, they
    stand there with spaces between them.
    """
    run = study.variant(variant).run
    places = {
        "run": " ".join(run),
        "program": str(program),
        "source": str(study.source.folder),
        "study": str(study.folder),
        "pyperformance": str(prepared.packages.pyperformance),
    }
    words: list[str] = []
    for word in command:
        if word == "{run}":
            words += run
        else:
            words.append(substitute(word, places))
    return tuple(words)


def program_places(prepared: Prepared, commands: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """For each variant the place of its program in its command; none where it is no word."""
    programs = {b.variant: str(b.program) for b in prepared.builds if isinstance(b, Build)}
    return {
        variant: argv.index(program)
        for variant, argv in commands.items()
        if (program := programs.get(variant, "")) in argv
    }


def holding(runner: Runner, study: Study, home: Home) -> Runner:
    """The runner, with the settings of each variant held while its process starts."""
    settings = {v.name: v.sysctl for v in study.variants}
    return SysctlRunner(runner, settings, holder(home)) if any(settings.values()) else runner


def recover(study: Study, home: Home) -> tuple[str, ...]:
    """Put back what an earlier run of such a study left behind; what was done, in words."""
    names = dict.fromkeys(name for v in study.variants for name in v.sysctl)
    return holder(home).recover(list(names)) if names else ()


def ways_to_run(study: Study) -> Mapping[str, list[object]]:
    """How the variants are run where that differs from how they are built, as JSON data."""
    return {v.name: [list(v.run), dict(v.sysctl)] for v in study.measured if v.run or v.sysctl}
