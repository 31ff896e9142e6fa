"""Surveys of many programs: studies of one folder, and the interpreters that Debian ships.

Of studies the machine code of all variants is read first, which needs no quiet machine. Time is
measured only for variants that dispatch otherwise than their baseline. What is done without a
failure is kept, so the same command goes on where it was stopped.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Protocol, TypeVar

from whyfast.explain.interpreter_loop import LoopSearch, likeliest_note, unseen_notes
from whyfast.explain.objects.containers import debug_files, taken_out
from whyfast.explain.options import read_recorded
from whyfast.explain.program import load
from whyfast.investigate.services import Observer, Services
from whyfast.investigate.study_run import Choice, chosen, run_study
from whyfast.model.build import BuildFailure
from whyfast.model.codec import Malformed, decode, encode
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.evidence import (
    ShippedProgram,
    ShippedRow,
    SurveyedProgram,
    SurveyedVariant,
    other_dispatch,
    shipped_verdict,
)
from whyfast.model.result import Result
from whyfast.model.study import Study
from whyfast.store.files import write_whole
from whyfast.store.home import Home
from whyfast.study.load import FILE, bundled_folder, load_study
from whyfast.toolchain.archive import Binary, PackageFile, PackageName

#: Counted up when the same studies or packages give other rows.
_VERSION = "3"

_Kept = TypeVar("_Kept", SurveyedProgram, ShippedRow)


def surveyed_studies(where: str, only: Sequence[str] = ()) -> tuple[Study, ...]:
    """The studies in the folders of a folder, or of a bundled one of that name, by name; those with
    one of ``only`` in their name.

    UserError for a folder without studies, a study without ``baseline = { AXIS = … }`` or patterns
    of functions that dispatch, and a name that none contains.
    """
    folder = Path(where)
    if not folder.is_dir() and (bundled_folder("studies") / where).is_dir():
        folder = bundled_folder("studies") / where
    files = sorted(folder.glob(f"*/{FILE}")) if folder.is_dir() else []
    if not files:
        raise UserError(f"no studies; expected folders with a {FILE} each", where=where)
    names = [f.parent.name for f in files]
    for word in only:
        if not any(word in name for name in names):
            available = ", ".join(names)
            raise UserError(f"no such program: {word}; available: {available}", where="--only")
    wanted = [f for f in files if not only or any(word in f.parent.name for word in only)]
    studies = tuple(load_study(f) for f in wanted)
    for study, file in zip(studies, wanted, strict=True):
        if not study.along or not study.evidence.dispatch:
            lacks = "[study] baseline = { AXIS = VALUE }" if not study.along else "dispatch"
            raise UserError(f"a survey needs {lacks}", where=file)
    return studies


def survey_studies(
    studies: Sequence[Study],
    choice: Choice,
    home: Home,
    observer: Observer,
    *,
    services: Services | None = None,
    fresh: bool = False,
) -> Iterator[tuple[SurveyedProgram, Result | None]]:
    """Each program with the result of its measurement, if it was measured now.

    A program that cannot be built at all is one with its failure. ``choice.evidence_only``: no time
    is measured.
    """
    for study in studies:
        known = home.cache / "surveys" / f"{_key(study, choice)}.json"
        if not fresh and (kept := _kept(SurveyedProgram, known)) is not None:
            yield kept, None
            continue
        observer.note(f"{study.name}: {study.title}")
        try:
            program, result = _survey(study, choice, home, observer, services)
        except (UserError, CannotBuildHere) as error:
            yield replace(_bare(study), failures=(str(error),)), None
            continue
        if not program.failures and (result is None or result.recorded.complete):
            _keep(known, program)
        yield program, result


def _key(study: Study, choice: Choice) -> str:
    """Of the study, and of the files beside it and beside the other programs, which it may run."""
    text = json.dumps([_VERSION, encode(study), encode(choice)], sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode())
    shared = (f for f in study.folder.parent.iterdir() if f.is_dir() and not (f / FILE).exists())
    for folder in sorted({study.folder, *shared}):
        for file in sorted(f for f in folder.rglob("*") if f.is_file()):
            digest.update(f"{file.relative_to(folder.parent)}".encode() + file.read_bytes())
    return digest.hexdigest()[:32]


def _kept(kind: type[_Kept], file: Path) -> _Kept | None:
    """What :func:`_keep` wrote; None where it is missing or another version's."""
    try:
        found: _Kept = decode(kind, json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, Malformed):
        return None
    return found


def _keep(file: Path, found: SurveyedProgram | ShippedRow) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(encode(found)))


def _bare(study: Study) -> SurveyedProgram:
    source = " ".join(x for x in (study.source.name, study.source.version) if x)
    return SurveyedProgram(study.name, study.title, source, dict(study.along), study.margin)


def _survey(
    study: Study, choice: Choice, home: Home, observer: Observer, services: Services | None
) -> tuple[SurveyedProgram, Result | None]:
    reading = chosen(study, replace(choice, evidence_only=True, budget=None, quick=False))
    read = run_study(reading, home, observer, services=services)
    program = replace(_bare(study), variants=_variants(study, read), failures=_failures(read))
    facts = {v.name: v.facts for v in program.variants}
    moved = [v.name for v in program.variants if other_dispatch(v.facts, facts.get(v.baseline))]
    if choice.evidence_only or not moved:
        return program, None
    observer.note(f"{study.name}: measuring {', '.join(moved)} against their baselines")
    timing = chosen(study, replace(choice, only=tuple(moved)))
    result = run_study(timing, home, observer, services=services)
    verdicts = {v.variant: v for v in result.judged.verdicts}  # of one benchmark: its mean
    verdicts |= {s.verdict.variant: s.verdict for s in result.judged.suites}
    timed = tuple(replace(v, verdict=verdicts.get(v.name)) for v in program.variants)
    failures = dict.fromkeys((*program.failures, *_failures(result)))
    return replace(program, variants=timed, failures=tuple(failures)), result


def _variants(study: Study, read: Result) -> tuple[SurveyedVariant, ...]:
    facts = {e.variant: e for e in read.found.evidence}
    failed = _unbuilt(read)
    return tuple(
        SurveyedVariant(
            v.name,
            study.counterpart(v) or v.name,
            dict(v.axes),
            facts[v.name].dispatch if v.name in facts else None,
            why=failed.get(v.name, ""),
        )
        for v in study.variants
    )


def _unbuilt(result: Result) -> Mapping[str, str]:
    """Why variants could not be built."""
    return {b.variant: b.reason for b in result.recorded.builds if isinstance(b, BuildFailure)}


def _failures(result: Result) -> tuple[str, ...]:
    runs = {f"{f.variant}, {f.benchmark}": f.reason for f in result.recorded.failures}
    return tuple(f"{name}: {reason}" for name, reason in {**_unbuilt(result), **runs}.items())


#: Suites of Debian that a survey looks at.
SUITES = ("bookworm", "trixie", "sid")


class PackageSource(Protocol):
    """Where packages come from: the archive, or files of a test."""

    def look_up(self, names: Iterable[str], suite: str) -> dict[str, Binary]:
        """The packages of a suite by name; CannotBuildHere without its index."""

    def fetch(self, wanted: PackageName) -> PackageFile:
        """A package as a file; CannotBuildHere when that fails."""


def shipped_programs(only: Sequence[str] = ()) -> tuple[ShippedProgram, ...]:
    """The bundled list, or those of it whose name or package contains one of ``only``. UserError
    for one that none contains."""
    text = (files("whyfast.investigate") / "shipped.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["program"]
    programs: list[ShippedProgram] = [decode(ShippedProgram, entry) for entry in entries]
    for word in only:
        if not any(_is_called(p, word) for p in programs):
            names = "; ".join(p.name for p in programs)
            raise UserError(f"no such program: {word}; available: {names}", where="--only")
    return tuple(p for p in programs if not only or any(_is_called(p, w) for w in only))


def _is_called(program: ShippedProgram, word: str) -> bool:
    return any(word.lower() in name.lower() for name in (program.name, *program.packages))


def survey_shipped(
    programs: Sequence[ShippedProgram],
    suites: Sequence[str],
    source: PackageSource,
    kept: Path,
    progress: Callable[[str], None],
) -> Iterator[ShippedRow]:
    """A row for each program in each suite that ships it, by program. ``kept`` is the folder in
    which rows are kept."""
    names = {name for program in programs for name in program.packages}
    listed: dict[str, dict[str, Binary] | str] = {}
    for suite in suites:
        progress(f"looking up {len(names)} packages in {suite}")
        try:
            listed[suite] = source.look_up(names, suite)
        except CannotBuildHere as error:
            listed[suite] = str(error)
    unlisted = [f"{s}: {why}" for s, why in listed.items() if isinstance(why, str)]
    if len(unlisted) == len(listed):
        raise UserError("; ".join(unlisted), where="--suite")
    for program in programs:
        for suite in suites:
            packages = listed[suite]
            if isinstance(packages, str):
                yield ShippedRow(program, suite, "failed", why=packages)
            else:
                yield _row(program, suite, packages, source, kept, progress)


def _row(
    program: ShippedProgram,
    suite: str,
    packages: Mapping[str, Binary],
    source: PackageSource,
    kept: Path,
    progress: Callable[[str], None],
) -> ShippedRow:
    binary = next((packages[name] for name in program.packages if name in packages), None)
    if binary is None:
        return ShippedRow(program, suite, "not shipped")
    key = f"{_VERSION} {binary.sha256} {program.part} {program.source}"
    known = kept / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
    bare = ShippedRow(
        program, suite, "failed", binary.package, binary.version, sha256=binary.sha256
    )
    if (row := _kept(ShippedRow, known)) is not None:
        verdict = shipped_verdict(program, row.facts)
        return replace(row, program=program, suite=suite, verdict=verdict, package=bare.package)
    progress(f"{program.name} in {suite}: {binary.package} {binary.version}")
    try:
        row = examined(bare, source.fetch(PackageName(binary.package, suite)))
    except (CannotBuildHere, UserError) as error:
        return replace(bare, why=str(error))
    _keep(known, row)
    return row


def examined(bare: ShippedRow, package: PackageFile) -> ShippedRow:
    """What a package holds. UserError where it cannot be read."""
    with tempfile.TemporaryDirectory(prefix="whyfast-") as name:
        folder = Path(name)
        debug = folder / "debug"
        debug.mkdir()
        if package.debug is not None:
            debug_files(package.debug, debug)
        parts = folder / "parts"
        parts.mkdir()
        taken = taken_out(Path(f"{package.path}:{bare.program.part}"), parts)
        program = load(taken.path, None, (debug,))
        search = LoopSearch(program)
        found = search.interpreter()
        likeliest = "" if found else likeliest_note(search.examined)
        recorded = read_recorded(taken.path, found.address if found else None)
    facts = found.facts if found else None
    symbols = f"{package.name.name}-dbgsym" if package.debug else "none"
    if not any(f.unnamed for f in program.functions):
        symbols = "in the file"
    return replace(
        bare,
        verdict=shipped_verdict(bare.program, facts),
        file=taken.name.partition(":")[2],
        compiler=recorded.compiler,
        function=found.name if found else "",
        facts=facts,
        symbols=symbols,
        why="; ".join(filter(None, (*unseen_notes(program), likeliest))),
    )
