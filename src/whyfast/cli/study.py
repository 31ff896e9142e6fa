"""``whyfast run`` and ``whyfast plan``: a study from its question to a report, and its plan."""

from __future__ import annotations

import argparse

from whyfast.cli.output import FAILED, INTERRUPTED, check_outputs, duration, show
from whyfast.cli.results import exit_code, finish, keep
from whyfast.investigate.building import with_control
from whyfast.investigate.choose import Choice, chosen, runnable
from whyfast.investigate.forecast import forecast
from whyfast.investigate.study_run import run_study
from whyfast.model.errors import UserError
from whyfast.model.result import OneResult
from whyfast.model.study import Study
from whyfast.report.pages.admin_pages import free_space, plan_page
from whyfast.report.progress import watching
from whyfast.store.builds import BuildStore
from whyfast.store.home import own_home
from whyfast.study.load import load_study


def run_run(args: argparse.Namespace) -> int:
    """Run a study here or on hosts, and report; resumes an interrupted run."""
    if args.dry_run:
        return run_plan(args)
    check_outputs(args)
    if args.scheduler or args.hosts:
        return _run_on_hosts(args)
    study, home = _chosen_study(args), own_home()
    with BuildStore(home.builds).in_use(), watching(study.title, study.margin) as observer:
        result = run_study(study, home, observer, fresh=args.fresh)
    finish(result, args)
    return exit_code(result, args.fail_on) if result.recorded.complete else INTERRUPTED


def run_plan(args: argparse.Namespace) -> int:
    """Show the plan; 1 when a compiler is missing. UserError when no baseline can be built."""
    check_outputs(args)
    study, home = with_control(_chosen_study(args)), own_home()
    plan = forecast(study, home)
    show(plan_page(plan, free=free_space(home.cache)), args)
    lost = {p.variant.name: p.detail for p in plan.unbuildable}
    if study.baselines and lost.keys() >= {*study.baselines}:
        reasons = "; ".join(f"{name}: {lost[name]}" for name in study.baselines)
        raise UserError(
            f"no baseline can be built on this machine; {reasons}",
            where=study.folder / "study.toml",
        )
    return FAILED if any(not p.foreseen for p in plan.unbuildable) else 0


def _chosen_study(args: argparse.Namespace) -> Study:
    """The study as the options restrict it; UserError for options that do not fit it."""
    study = load_study(args.study)
    return chosen(
        study if args.evidence_only else runnable(study),
        Choice(
            only=tuple(args.only),
            benchmarks=tuple(args.benchmark),
            budget=duration(args.budget, "--budget") if args.budget else None,
            quick=args.quick,
            evidence_only=args.evidence_only,
            counters=args.counters,
        ),
    )


def _run_on_hosts(args: argparse.Namespace) -> int:
    """Build here, measure there, report as any run."""
    from whyfast.cli.fleet import connection  # takes 0.2 s, as does what it needs
    from whyfast.cli.report import show_merged
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
    if args.spread == "shard":
        finish(results[0], args)
    else:
        for result in results:
            keep(result)
        show_merged(merge_results(hosts), args)
    if not all(result.recorded.complete for result in results):
        return INTERRUPTED
    return max(exit_code(result, args.fail_on) for result in results)
