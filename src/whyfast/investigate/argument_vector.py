"""What to execute for a benchmark of a study."""

from __future__ import annotations

from pathlib import Path

from whyfast.investigate.work import Work
from whyfast.model.build import Build
from whyfast.model.study import Study
from whyfast.study.placeholders import substitute


def argument_vector(
    work: Work[Study], command: tuple[str, ...], build: Build, program: Path | None = None
) -> tuple[str, ...]:
    """The command with its placeholders replaced; ``program`` is the build's own by default.

    ``{run}`` as a word of its own becomes the words of the variant; inside of another word, they
    stand there with spaces between them.
    """
    study = work.question
    run = study.variant(build.variant).run
    python = build.provenance.get("interpreter", {})
    places = {
        "run": " ".join(run),
        "program": str(program or build.program),
        "source": str(study.source.folder),
        "study": str(study.folder),
        "pyperformance": str(work.packages.get("pyperformance")),
        "python": str(python.get("program", "")),
    }
    words: list[str] = []
    for word in command:
        if word == "{run}":
            words += run
        else:
            words.append(substitute(word, places))
    return tuple(words)
