"""A survey: the studies of one folder, each read whole and measured where its dispatch differs.

The machine code of all variants is read first, which needs no quiet machine. Time is measured only
for variants that dispatch otherwise than their baseline. A program is kept when it is done without
a failed run, so the same command goes on where it was stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.investigate.services import Observer, Services
from whyfast.investigate.study_run import Choice, chosen, run_study
from whyfast.model.build import BuildFailure
from whyfast.model.codec import Malformed, decode, encode
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.result import Result
from whyfast.model.study import Study
from whyfast.model.survey import SurveyedProgram, SurveyedVariant, other_dispatch
from whyfast.store.files import write_whole
from whyfast.store.home import Home
from whyfast.study.find import FILE, bundled_folder
from whyfast.study.load import load_study

#: Counted up when the same studies give other rows.
_VERSION = "1"


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
        if not fresh and (kept := _recorded(known)) is not None:
            yield kept, None
            continue
        observer.note(f"{study.name}: {study.title}")
        try:
            program, result = _survey(study, choice, home, observer, services)
        except (UserError, CannotBuildHere) as error:
            yield replace(_bare(study), failures=(str(error),)), None
            continue
        if result is None or (result.recorded.complete and not result.recorded.failures):
            known.parent.mkdir(parents=True, exist_ok=True)
            write_whole(known, json.dumps(encode(program)))
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


def _recorded(file: Path) -> SurveyedProgram | None:
    try:
        program: SurveyedProgram = decode(SurveyedProgram, json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, Malformed):
        return None
    return program


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
