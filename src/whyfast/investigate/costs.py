"""What variants cost beside time, as far as files tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from whyfast.explain.sizes import Sizes, build_files, size_changes, size_costs, sizes_of
from whyfast.investigate.context import RunContext
from whyfast.investigate.services import Note
from whyfast.model.build import Build
from whyfast.model.cost import Cost, SizeChange
from whyfast.model.errors import UserError
from whyfast.model.study import Question, Study


def built_sizes(work: RunContext[Study]) -> tuple[tuple[Cost, ...], tuple[SizeChange, ...]]:
    """The sizes of every build but controls, and what differs most from the main baseline."""
    controls = {v.name for v in work.question.variants if v.twin_of}
    program = Path(work.question.build.program)
    evidence_only = {v.name for v in work.question.variants if v.evidence_only}
    files = {
        b.variant: build_files(b, program)
        for b in work.builds
        if isinstance(b, Build) and b.variant not in controls | evidence_only
    }
    return _sizes(work.question, files, work.observer.note)


def command_sizes(
    question: Question, commands: Mapping[str, Sequence[str]], find: Mapping[str, str | None]
) -> tuple[tuple[Cost, ...], tuple[SizeChange, ...]]:
    """The sizes of the programs of commands, without their libraries, where they differ: ``find``
    has the file of each program. None of scripts, nor of one program with other arguments."""
    files: dict[str, Mapping[str, Path]] = {}
    for name, words in commands.items():
        path = find.get(words[0])
        if path is not None and _is_elf(Path(path)):
            files[name] = {words[0]: Path(path).resolve()}
    if len({str(f) for f in files.values()}) < 2:
        return (), ()
    return _sizes(question, files, lambda text: None)


def _is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _sizes(
    question: Question, files: Mapping[str, Mapping[str, Path]], note: Note
) -> tuple[tuple[Cost, ...], tuple[SizeChange, ...]]:
    sizes: dict[str, Sizes] = {}
    read: dict[str, Sizes] = {}
    for variant, paths in files.items():
        if not paths:
            continue
        key = repr(sorted(map(str, paths.values())))
        try:
            sizes[variant] = read.setdefault(key, read.get(key) or sizes_of(paths))
        except (UserError, OSError) as error:
            note(f"the size of {variant} is not known: {error}")
    pairs = question.compared(list(sizes), question.baselines[: None if question.along else 1])
    return size_costs(sizes), size_changes(sizes, pairs)
