"""``whyfast run``, ``whyfast plan`` and ``whyfast check``: what a study file describes."""

from __future__ import annotations

import argparse
import os
from contextlib import nullcontext
from pathlib import Path

from whyfast.cli import output
from whyfast.cli.results import exit_code, finish, is_met, keep, show_result
from whyfast.investigate.building import with_control
from whyfast.investigate.check_run import Request
from whyfast.investigate.check_run import run_check as check_change
from whyfast.investigate.forecast import forecast
from whyfast.investigate.study_run import Choice, chosen, run_study, runnable, with_workarounds
from whyfast.model.errors import UserError
from whyfast.model.result import OneResult, Result
from whyfast.model.study import Study
from whyfast.report.pages.admin_pages import plan_page
from whyfast.report.pages.results import check_markdown, check_page, github_annotations, log_line
from whyfast.report.progress import watching
from whyfast.report.result_json import dump_result
from whyfast.store.builds import BuildStore
from whyfast.store.files import free_space
from whyfast.store.home import own_home
from whyfast.study.load import load_study


def run_run(args: argparse.Namespace) -> int:
    """Run a study here or on hosts, and report; resumes an interrupted run."""
    if args.dry_run:
        return run_plan(args)
    output.check_outputs(args)
    if args.scheduler or args.hosts:
        return _run_on_hosts(args)
    study, home = _chosen_study(args), own_home()
    with BuildStore(home.builds).in_use(), watching(study.title, study.margin) as observer:
        if args.workarounds:
            study = with_workarounds(study, home, observer)
        result = run_study(study, home, observer, fresh=args.fresh)
    return finish(result, args)


def run_plan(args: argparse.Namespace) -> int:
    """Show the plan; 1 when a compiler is missing. UserError when no baseline can be built."""
    output.check_outputs(args)
    study, home = with_control(_chosen_study(args)), own_home()
    plan = forecast(study, home)
    output.show(plan_page(plan, free=free_space(home.cache)), args)
    lost = {p.variant.name: p.detail for p in plan.unbuildable}
    if study.baselines and lost.keys() >= {*study.baselines}:
        reasons = "; ".join(f"{name}: {lost[name]}" for name in study.baselines)
        raise UserError(
            f"no baseline can be built on this machine; {reasons}",
            where=study.folder / "study.toml",
        )
    return output.FAILED if any(not p.foreseen for p in plan.unbuildable) else 0


def _chosen_study(args: argparse.Namespace) -> Study:
    """The study as the options restrict it; UserError for options that do not fit it."""
    study = load_study(args.study)
    return chosen(
        study if args.evidence_only else runnable(study),
        Choice(
            only=tuple(args.only),
            benchmarks=tuple(args.benchmark),
            budget=output.duration(args.budget, "--budget") if args.budget else None,
            quick=args.quick,
            evidence_only=args.evidence_only,
            counters=args.counters,
            why=args.why,
            costs=args.costs,
        ),
    )


def _run_on_hosts(args: argparse.Namespace) -> int:
    """Build here, measure there, report as any run."""
    from whyfast.cli.fleet import connection  # takes 0.2 s, as does what it needs
    from whyfast.cli.reading import show_merged
    from whyfast.fleet.merging import merge_results
    from whyfast.fleet.replicate import Sharded, replicate

    connect = connection(args)
    study, home = _chosen_study(args), own_home()
    with (
        BuildStore(home.builds).in_use(),
        watching(study.title, study.margin) as observer,
        connect(observer.note) as cluster,
    ):
        if args.spread == "shard":
            shards = Sharded(cluster)
            result = run_study(study, home, observer, fresh=args.fresh, elsewhere=shards)
            hosts = [OneResult(study.name, result)]
        else:
            hosts = list(replicate(study, home, observer, cluster, fresh=args.fresh))
    results = [host.result for host in hosts]
    for result in results:
        keep(result)
    if args.spread == "shard":
        show_result(results[0], args)
    else:
        show_merged(merge_results(hosts), args)
    if not all(result.recorded.complete for result in results):
        return output.INTERRUPTED
    return max(exit_code(result, args.fail_on) for result in results)


def run_check(args: argparse.Namespace) -> int:
    """Check a change and report; 1 when a benchmark failed, 3 when --fail-on is met."""
    output.check_outputs(args)
    summary = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if args.github and not summary:
        raise UserError("GITHUB_STEP_SUMMARY is not set; GitHub's runners set it", where="--github")
    request = Request(
        folder=Path(),
        range=args.range,
        study=args.study,
        budget=output.duration(args.budget, "--budget") if args.budget else None,
        building=output.duration(args.build_limit, "--build-limit") if args.build_limit else None,
        margin=output.percent(args.margin, "--margin") if args.margin else None,
        costs=args.costs,
    )
    home, connect, measurer = own_home(), None, None
    if args.scheduler or args.hosts:
        from whyfast.cli.fleet import connection  # takes 0.2 s, as does what it needs
        from whyfast.fleet.replicate import Sharded

        connect, measurer = connection(args), Sharded
    with (
        BuildStore(home.builds).in_use(),
        watching("whyfast check", request.margin or 0.01) as observer,
        connect(observer.note) if connect else nullcontext() as cluster,
    ):
        elsewhere = measurer(cluster) if measurer and cluster else None
        result = check_change(request, home, observer, elsewhere=elsewhere)
    keep(result)
    output.show(
        check_page(result),
        args,
        json=lambda: dump_result(result),
        markdown=lambda: check_markdown(result),
    )
    code = check_exit_code(result, args.fail_on)
    if args.github:
        with Path(summary).open("a", encoding="utf-8") as out:
            out.write(check_markdown(result) + "\n")
        for line in github_annotations(result, code == output.FAIL_ON_MET):
            print(line, flush=True)
    if args.append:
        with args.append.open("a", encoding="utf-8") as log:
            log.write(log_line(result))
    return code if result.recorded.complete else output.INTERRUPTED


def check_exit_code(result: Result, fail_on: str | None) -> int:
    """3 when ``--fail-on`` is met by the mean or a benchmark that can run changed code, or by a
    cost; 1 when a benchmark failed; else 0."""
    check = result.found.check
    moved = {r.benchmark for r in check.reaches if r.placement_only} if check else set()
    verdicts = [v for v in result.judged.verdicts if v.benchmark not in moved]
    if len(verdicts) == len(result.judged.verdicts):
        verdicts += [s.verdict for s in result.judged.suites]
    if is_met(fail_on, result, verdicts):
        return output.FAIL_ON_MET
    return output.FAILED if result.recorded.failed else 0
