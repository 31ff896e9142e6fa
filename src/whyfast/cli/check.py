"""``whyfast check``: did this change make it slower?"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from whyfast.cli.output import (
    FAIL_ON_MET,
    FAILED,
    INTERRUPTED,
    check_outputs,
    duration,
    percent,
    show,
)
from whyfast.cli.results import keep
from whyfast.investigate.check_run import BUDGET, Request
from whyfast.investigate.check_run import run_check as check_change
from whyfast.model.errors import UserError
from whyfast.model.result import Result
from whyfast.report.pages.check_page import check_markdown, check_page, github_annotations, log_line
from whyfast.report.progress import watching
from whyfast.report.result_json import dump_result
from whyfast.store.builds import BuildStore
from whyfast.store.home import own_home

if TYPE_CHECKING:
    from whyfast.fleet.cluster import Cluster
    from whyfast.investigate.measuring import Measurer


def run_check(args: argparse.Namespace) -> int:
    """Check and report; 1 when a benchmark failed, 3 when --fail-on is met."""
    check_outputs(args)
    summary = _github_summary() if args.github else None
    request = Request(
        folder=Path(),
        range=args.range,
        study=args.study,
        budget=duration(args.budget, "--budget") if args.budget else BUDGET,
        margin=percent(args.margin, "--margin") if args.margin else None,
    )
    home = own_home()
    connect = _connection(args)
    with (
        BuildStore(home.builds).in_use(),
        watching("whyfast check", request.margin or 0.01) as observer,
        connect(observer.note) if connect else nullcontext() as cluster,
    ):
        elsewhere = _sharded(cluster) if cluster else None
        result = check_change(request, home, observer, elsewhere=elsewhere)
    keep(result)
    show(
        check_page(result),
        args,
        json=lambda: dump_result(result),
        markdown=lambda: check_markdown(result),
    )
    code = exit_code(result, args.fail_on)
    if summary is not None:
        _report_to_github(result, summary, code)
    if args.append:
        with args.append.open("a", encoding="utf-8") as log:
            log.write(log_line(result))
    return code if result.recorded.complete else INTERRUPTED


def _connection(
    args: argparse.Namespace,
) -> Callable[[Callable[[str], None]], AbstractContextManager[Cluster]] | None:
    if not (args.scheduler or args.hosts):
        return None
    from whyfast.cli.fleet import connection  # takes 0.2 s, as does what it needs

    return connection(args)


def _sharded(cluster: Cluster) -> Measurer:
    from whyfast.fleet.replicate import Sharded

    return Sharded(cluster)


def exit_code(result: Result, fail_on: str | None) -> int:
    """3 when ``--fail-on`` is met by the mean or a benchmark that can run changed code; 1 when a
    benchmark failed; else 0."""
    check = result.found.check
    moved = {r.benchmark for r in check.reaches if r.placement_only} if check else set()
    verdicts = [v for v in result.judged.verdicts if v.benchmark not in moved]
    if len(verdicts) == len(result.judged.verdicts):
        verdicts += [s.verdict for s in result.judged.suites]
    if fail_on and any(v.outcome == fail_on for v in verdicts):
        return FAIL_ON_MET
    return FAILED if result.recorded.failures else 0


def _github_summary() -> Path:
    file = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not file:
        raise UserError("GITHUB_STEP_SUMMARY is not set; GitHub's runners set it", where="--github")
    return Path(file)


def _report_to_github(result: Result, summary: Path, code: int) -> None:
    with summary.open("a", encoding="utf-8") as out:
        out.write(check_markdown(result) + "\n")
    for line in github_annotations(result, code == FAIL_ON_MET):
        print(line, flush=True)
