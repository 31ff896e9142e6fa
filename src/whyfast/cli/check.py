"""``whyfast check``: did this change make it slower?"""

from __future__ import annotations

import argparse
import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from whyfast.cli.fleet_run import add_hosts, reached
from whyfast.cli.output import add_outputs
from whyfast.model.errors import UserError

if TYPE_CHECKING:
    from whyfast.fleet.cluster import Cluster
    from whyfast.investigate.measuring import Measurer
    from whyfast.model.result import Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "range",
        metavar="BASE..HEAD",
        nargs="?",
        default="",
        help="two revisions (default: the merge base with the default branch, and the files as "
        "they are)",
    )
    parser.add_argument(
        "--study",
        metavar="STUDY",
        type=Path,
        help="a study file or its folder (default: whyfast.toml of this folder or the next above)",
    )
    parser.add_argument("--budget", metavar="TIME", help="how long to measure (default: 5m)")
    parser.add_argument("--margin", metavar="PERCENT", help="what matters (default: the study's)")
    parser.add_argument(
        "--fail-on", choices=["slower"], help="exit with 3 when it is slower by the margin"
    )
    parser.add_argument(
        "--github",
        action="store_true",
        help="write the summary of the step and annotations, as GitHub's runners read them",
    )
    parser.add_argument(
        "--append", metavar="FILE", type=Path, help="append a line for whyfast history"
    )
    add_hosts(parser, "measure")
    add_outputs(parser)


def run(args: argparse.Namespace) -> int:
    """Check and report; 0, 1 when a benchmark failed, 3 when --fail-on is met."""
    from whyfast.cli.arguments import duration, percent
    from whyfast.cli.output import INTERRUPTED, check_outputs, keep, show
    from whyfast.investigate.check_run import BUDGET, Request, run_check
    from whyfast.report.pages.check_page import check_markdown, check_page
    from whyfast.report.progress import watching
    from whyfast.report.result_json import dump_result
    from whyfast.store.builds import BuildStore
    from whyfast.store.home import own_home

    check_outputs(args)
    summary = _summary(args.github)
    request = Request(
        folder=Path(),
        range=args.range,
        study=args.study,
        budget=duration(args.budget, "--budget") if args.budget else BUDGET,
        margin=percent(args.margin, "--margin") if args.margin else None,
    )
    own = own_home()
    reach = reached(args) if args.scheduler or args.hosts else None
    with (
        BuildStore(own.builds).in_use(),
        watching("whyfast check", request.margin or 0.01) as observer,
        reach(observer.note) if reach else nullcontext() as cluster,
    ):
        elsewhere = _sharded(cluster) if cluster else None
        result = run_check(request, own, observer, elsewhere=elsewhere)
    keep(result)
    show(
        check_page(result),
        args,
        json=lambda: dump_result(result),
        markdown=lambda: check_markdown(result),
    )
    code = exit_code(result, args.fail_on)
    if summary is not None:
        _tell_github(result, summary, code)
    if args.append:
        _append(args.append, result)
    return code if result.recorded.complete else INTERRUPTED


def _sharded(cluster: Cluster) -> Measurer:
    from whyfast.fleet.replicate import Sharded

    return Sharded(cluster)


def exit_code(result: Result, fail_on: str | None) -> int:
    """3 when ``--fail-on`` is met by the mean or a benchmark that can run changed code; 1 when a
    benchmark failed; else 0."""
    from whyfast.cli.output import FAIL_ON_MET, FAILED

    check = result.found.check
    moved = {r.benchmark for r in check.reaches if r.placement_only} if check else set()
    said = [v for v in result.judged.verdicts if v.benchmark not in moved]
    if len(said) == len(result.judged.verdicts):
        said += [s.verdict for s in result.judged.suites]
    if fail_on and any(v.outcome == fail_on for v in said):
        return FAIL_ON_MET
    return FAILED if result.recorded.failures else 0


def _summary(wanted: bool) -> Path | None:
    if not wanted:
        return None
    file = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if not file:
        raise UserError("needs GITHUB_STEP_SUMMARY, which GitHub's runners set", where="--github")
    return Path(file)


def _tell_github(result: Result, summary: Path, code: int) -> None:
    from whyfast.cli.output import FAIL_ON_MET
    from whyfast.report.pages.check_page import check_markdown, github_annotations

    with summary.open("a", encoding="utf-8") as out:
        out.write(check_markdown(result) + "\n")
    for line in github_annotations(result, code == FAIL_ON_MET):
        print(line, flush=True)


def _append(file: Path, result: Result) -> None:
    from whyfast.report.pages.check_page import log_line

    with file.open("a", encoding="utf-8") as out:
        out.write(log_line(result))
