"""From an argument of the command line to a recording, whatever tool wrote it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.formats import (
    csv_table,
    github_action,
    go_bench,
    jmh,
    json_reports,
    pyperf,
    rust_bench,
    whyfast_result,
)
from whyfast.formats.input import Format, Given, Node, clean, parse_json, read_text
from whyfast.model.errors import UserError
from whyfast.model.sample import Recording

#: Every format that can be read, in the order in which they are asked; a new one is a line here.
#: mitata's files have a ``layout`` beside the ``context`` and the benchmarks of Google Benchmark's;
#: these and pytest-benchmark's (``machine_info``) go before pyperf, whose mark (``version``) a file
#: of another tool might carry by chance.
FORMATS: tuple[Format, ...] = (
    whyfast_result.FORMAT,
    github_action.FORMAT,
    json_reports.DOTNET,
    jmh.FORMAT,
    json_reports.MITATA,
    json_reports.TINYBENCH,
    json_reports.GOOGLE,
    json_reports.PYTEST,
    pyperf.FORMAT,
    json_reports.HYPERFINE,
    rust_bench.CRITERION,
    go_bench.FORMAT,
    rust_bench.DIVAN,
    rust_bench.LIBTEST,
    csv_table.FORMAT,
)


#: Formats of which a part can be taken, by :func:`split_choice`.
_CHOOSABLE = ("csv", "go", "whyfast", "github-action-benchmark")

Chosen = tuple[tuple[str, str], ...]


def split_choice(argument: str) -> tuple[Path, Chosen]:
    """The file and the columns with the values that its rows must have; () for all rows. A file
    whose name is the whole argument is taken as it is. UserError for a column named twice."""
    if ":" not in argument or _exists(argument):
        return Path(argument), ()
    file, _, choice = argument.rpartition(":")
    pairs = [pair.partition("=") for pair in choice.split(",")]
    if not _exists(file) or not all(column and sign for column, sign, _ in pairs):
        return Path(argument), ()
    chosen = tuple((column.strip(), value.strip()) for column, _, value in pairs)
    if len({column for column, _ in chosen}) < len(chosen):
        raise UserError("duplicate column; expected one value per column", where=argument)
    return Path(file), chosen


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:
        return False


_ENDINGS = (".gz", ".json", ".csv", ".txt", ".js")


def load_recording(argument: str) -> Recording:
    """What the file or folder holds. UserError for all that cannot be read as a result. The format
    follows from the content. ``argument`` may choose rows of a table, see :func:`split_choice`."""
    path, chosen = split_choice(argument)
    name = clean(",".join(f"{column}={value}" for column, value in chosen)) or bare_name(path)
    given = Given(path, name, chosen=chosen)
    if not os.path.isdir(path):  # Path.is_dir raises an error for some names and folders
        text = read_text(path)
        document = parse_json(text, str(path)) if text.lstrip()[:1] in ("{", "[") else None
        given = replace(given, text=text, document=document)
    for format_ in FORMATS:
        if format_.claims(given):
            if chosen and format_.name not in _CHOOSABLE:
                raise UserError(
                    f"rows can only be chosen in files of {', '.join(_CHOOSABLE)}", where=argument
                )
            return format_.read(given)
    if given.document is not None and given.document.has("schema"):
        schema = str(given.document.value["schema"])[:40]
        raise UserError(f"no runs in a file of this schema: {clean(schema)}", where=path)
    names = ", ".join(format_.name for format_ in FORMATS)
    if given.text is None:
        raise UserError("is a folder without results of Criterion (target/criterion)", where=path)
    csv_table.refuse(given)
    raise UserError(
        f"unknown format; available: {names}; write other numbers as CSV: a line "
        "benchmark,process,seconds and one line per value",
        where=path,
    )


def load_recordings(
    arguments: Sequence[str], kept: Callable[[str], object | None] = lambda name: None
) -> tuple[Recording, ...]:
    """All of them, each under a name that no other has. ``kept`` gives the JSON data of the result
    that is kept under a name, for arguments that are no files."""

    def load(argument: str) -> Recording:
        if not os.path.lexists(argument) and (result := kept(argument)) is not None:
            given = Given(Path(argument), clean(argument), "", Node(result, argument))
            return whyfast_result.read(given)  # as its JSON would be read
        return load_recording(argument)

    recordings = [load(argument) for argument in arguments]
    for names in (
        [r.name for r in recordings],
        [_with_folder(r) for r in recordings],
        [clean(argument) for argument in arguments],
    ):
        if len(set(names)) == len(names):
            return tuple(replace(r, name=n) for r, n in zip(recordings, names, strict=True))
    numbered = [f"{clean(a)} (file {i})" for i, a in enumerate(arguments, 1)]
    return tuple(replace(r, name=n) for r, n in zip(recordings, numbered, strict=True))


def bare_name(path: Path) -> str:
    """The name of a file or folder, without what says how it is written."""
    name = path.name or str(path.resolve().name) or str(path)
    for ending in _ENDINGS:
        name = name.removesuffix(ending) or name
    return clean(name)


def _with_folder(recording: Recording) -> str:
    parent = Path(recording.source).absolute().parent.name
    return clean(f"{parent}/{recording.name}" if parent else recording.name)


def by_subject(recording: Recording) -> tuple[Recording, ...]:
    """Each subject as a recording of its own, in the order of the file. UserError unless there are
    several."""
    subjects = list(dict.fromkeys(s.subject for s in recording.series.values() if s.subject))
    if len(subjects) < 2:
        raise UserError(
            "is one run; name another file to compare it with, or one hyperfine file of several "
            "commands",
            where=recording.source,
        )
    return tuple(
        replace(
            recording,
            name=subject,
            series={
                s.task: replace(s, benchmark=s.task)
                for s in recording.series.values()
                if s.subject == subject
            },
        )
        for subject in subjects
    )


def by_position(recordings: Sequence[Recording]) -> tuple[Recording, ...]:
    """Benchmarks named as the first recording names the one at their place, for files whose
    commands are the same in other words. UserError where one has more or fewer."""
    first = list(recordings[0].series)
    renamed = []
    for r in recordings:
        if len(r.series) != len(first):
            raise UserError(
                f"{len(r.series)} benchmarks, but {len(first)} in {recordings[0].source}: "
                "positions do not match",
                where=r.source,
            )
        pairs = zip(first, r.series.values(), strict=True)
        renamed.append(replace(r, series={n: replace(s, benchmark=n) for n, s in pairs}))
    return tuple(renamed)
