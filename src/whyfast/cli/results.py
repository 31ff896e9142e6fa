"""Results of runs: stored, shown, and turned into an exit code."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from whyfast.cli.output import FAIL_ON_MET, FAILED, INTERRUPTED, show, write
from whyfast.judge.judge_run import exceeded
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.evidence import unmatched
from whyfast.model.result import Result
from whyfast.model.verdict import CLEANUP, Verdict
from whyfast.report.pages.results import result_page, why_page
from whyfast.report.result_json import dump_result, from_json, load_result, to_json, values_csv
from whyfast.store.home import own_home
from whyfast.store.samples import SampleStore


def stored_result(study: str) -> Mapping[str, Any] | None:
    """The JSON data of the last stored result of a study (``ab`` for commands), or None."""
    path = own_home().database
    if not path.exists():
        return None
    with closing(SampleStore(path)) as store:
        latest = store.latest(study)
    return None if latest is None else latest[1]


def own_result(argument: str) -> Result:
    """The result in a file, or the last stored result of a study. UserError without either."""
    if Path(argument).exists():
        return load_result(Path(argument))
    stored = stored_result(argument)
    if stored is None:
        raise UserError("no file and no stored result of this name", where=argument)
    return from_json(stored)


def finish(result: Result, args: argparse.Namespace) -> int:
    """Keep the result for ``whyfast report`` and show it as asked; the exit code."""
    keep(result)
    show_result(result, args)
    if csv := getattr(args, "csv", None):
        write(csv, values_csv(result))
    return exit_code(result, args.fail_on) if result.recorded.complete else INTERRUPTED


def keep(result: Result) -> None:
    """Keep the result for ``whyfast report``."""
    with closing(SampleStore(own_home().database)) as store:
        store.set_result(result.recorded.run, to_json(result))


def show_result(result: Result, args: argparse.Namespace) -> None:
    """On the terminal, and into the files that were asked for."""
    if result.found.account is not None:
        page = why_page(result)
    else:
        page = result_page(result, getattr(args, "table", "variants"))
    show(page, args, json=lambda: dump_result(result))


def is_met(fail_on: str | None, result: Result, verdicts: Iterable[Verdict]) -> bool:
    """Whether one of the verdicts is slower, or a cost is beyond its margin, as ``--fail-on``
    wants it: ``slower``, ``larger``, or ``worse`` for either."""
    slower = fail_on in ("slower", "worse") and any(v.outcome == "slower" for v in verdicts)
    return slower or (fail_on in ("larger", "worse") and bool(exceeded(result)))


def exit_code(result: Result, fail_on: str | None) -> int:
    """3 when ``--fail-on`` is met; 1 when a build or benchmark failed, a program does not meet the
    expectations of its variant, or no function matched a name in ``[evidence]``; else 0.

    A variant that this machine cannot build is no failure: studies of compilers expect it.
    """
    main = result.question.baselines[0]
    means = {(s.verdict.variant, s.verdict.baseline): s.verdict for s in result.judged.suites}
    # A variant that shares a single benchmark with the baseline has no mean.
    single = [v for v in result.judged.verdicts if (v.variant, v.baseline) not in means]
    controls = {v.name for v in result.question.variants if v.control_of}
    verdicts = [v for v in (*means.values(), *single) if v.variant not in controls]
    if is_met(
        fail_on, result, [v for v in verdicts if v.baseline == main or result.question.along]
    ):
        return FAIL_ON_MET
    failed = (
        result.recorded.failed
        or any(
            isinstance(b, BuildFailure) and b.kind != "not-buildable"
            for b in result.recorded.builds
        )
        or any(u.found is not None for u in result.found.failed_expectations)
        or unmatched(result.found.evidence)
        or any(c.kind == CLEANUP for c in result.judged.confounds)
    )
    return FAILED if failed else 0
