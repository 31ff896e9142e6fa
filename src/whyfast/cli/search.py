"""``whyfast search``: the commit, compiler, flag or object file that caused a slowdown."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TypeVar

from whyfast.cli.measuring_options import SETS
from whyfast.cli.output import FAILED, check_outputs, percent, show
from whyfast.investigate.services import Observer, Services
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.report.pages.search_page import dump_search, search_page
from whyfast.report.progress import watching
from whyfast.search.axes import SearchRequest
from whyfast.search.requests import search_by_command, search_range, search_set
from whyfast.search.results import SearchResult, SetResult
from whyfast.search.subject import UserCommand
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home, own_home
from whyfast.study.load import is_study, load_study

R = TypeVar("R")

#: A search of commits without a study.
WITHOUT = "whyfast search --from REV --to REV [--build LINE] -- CMD …"
#: Axes whose candidates the steps of a study build.
AHEAD = ("commits", "toolchains", "flags")


def run_search(args: argparse.Namespace) -> int:
    """Search and report; 1 when the result stays undecided. UserError for bad input.

    Without a known fast end, the ends are measured first.
    """
    check_outputs(args)
    if not args.what:
        raise UserError(f"missing; expected a study, or a command: {WITHOUT}", where="STUDY")
    if args.blocks is not None and args.blocks < 1:
        raise UserError("must be at least 1", where=f"--blocks {args.blocks}")
    if args.incremental and args.axis not in ("commits", "flags"):
        raise UserError("only for --axis commits or flags", where="--incremental")
    _check_ends(args)
    _check_fleet(args)
    with watching("search", 0.01) as observer:
        result = _search(args, observer)
        if args.either and result.answer.outcome == "swapped":
            observer.note(f"{args.bad} is the faster end")
            args.good, args.bad, args.either = args.bad, args.good, False
            result = _search(args, observer)
    show(search_page(result), args, json=lambda: dump_search(result))
    return FAILED if result.answer.outcome == "undecided" else 0


def _check_ends(args: argparse.Namespace) -> None:
    """Fill in good and bad where they are from and to. UserError for anything but one pair."""
    named, unnamed = (args.good, args.bad), (args.first, args.last)
    args.either = None not in unnamed
    if (None in named) == (None in unnamed) or any(
        end is not None for end in (named if args.either else unnamed)
    ):
        message = "expected --good FAST --bad SLOW or, with an unknown fast end, --from A --to B"
        raise UserError(message, where="--good, --bad, --from, --to")
    if args.either:
        args.good, args.bad = unnamed


def _search(args: argparse.Namespace, observer: Observer) -> SearchResult | SetResult:
    request = SearchRequest(
        axis=args.axis,
        good=args.good,
        bad=args.bad,
        variant=args.variant,
        among=tuple(args.among),
        object=args.object,
        benchmarks=tuple(args.benchmark),
        margin=percent(args.margin, f"--margin {args.margin}") if args.margin else None,
        blocks=args.blocks,
        fresh=args.fresh,
        quantity=args.measure,
        incremental=args.incremental,
        everything=args.everything,
    )
    if args.axis in SETS:
        return _in_study(args, request, search_set, observer)
    if args.axis in ("commits", "toolchains") and (
        len(args.what) > 1 or not is_study(args.what[0])
    ):
        word = args.what[0]
        if "/" not in word and shutil.which(word) is None:  # a path may be built later
            problem = f"neither a study nor a command; without a study: {WITHOUT}"
            raise UserError(problem, where=repr(word))
        return _search_command(args, request, observer)
    return _in_study(args, request, search_range, observer)


def _search_command(
    args: argparse.Namespace, request: SearchRequest, observer: Observer
) -> SearchResult:
    if args.scheduler or args.hosts:
        raise UserError(
            "hosts build only the candidates of a study; name a study",
            where="--scheduler or --hosts",
        )
    if args.incremental:
        raise UserError(
            "a command's checkouts are built from scratch; name a study", where="--incremental"
        )
    if args.axis != "commits":
        raise UserError(
            "a command searches commits only; name a study", where=f"--axis {args.axis}"
        )
    if args.measure != "time":
        raise UserError(
            "a command is timed; to compare a number that it prints: --number",
            where=f"--measure {args.measure}",
        )
    command = UserCommand(
        tuple(args.what), args.build, args.repo, args.number, args.program, args.either
    )
    return search_by_command(command, request, own_home(), observer, Services())


def _in_study(
    args: argparse.Namespace,
    request: SearchRequest,
    function: Callable[[Study, SearchRequest, Home, Observer, Services], R],
    observer: Observer,
) -> R:
    """Search in the study; its builds are not removed meanwhile."""
    if len(args.what) > 1:
        raise UserError("expected one study", where=f"--axis {args.axis}")
    study, home = load_study(args.what[0]), own_home()
    with BuildStore(home.builds).in_use(), _services(args, home, observer) as services:
        return function(study, request, home, observer, services)


def _check_fleet(args: argparse.Namespace) -> None:
    """UserError where hosts cannot build candidates in advance."""
    if not (args.scheduler or args.hosts):
        return
    where = "--scheduler" if args.scheduler else "--hosts"
    if args.axis not in AHEAD:
        raise UserError(f"only for --axis {', '.join(AHEAD)}", where=f"{where} --axis {args.axis}")
    if args.incremental:
        raise UserError("hosts build every candidate from scratch", where=f"{where} --incremental")


@contextmanager
def _services(args: argparse.Namespace, home: Home, observer: Observer) -> Iterator[Services]:
    """The real services; with hosts, these build candidates in advance."""
    services = Services()
    if not (args.scheduler or args.hosts):
        yield services
        return
    from whyfast.cli.fleet import connection  # takes 0.2 s, as does what it needs
    from whyfast.fleet.building_hosts import BuildingHosts
    from whyfast.fleet.worker import HostAnswers

    connect = connection(args)
    facts = HostAnswers(home, services).facts()
    with (
        connect(observer.note) as cluster,
        closing(BuildingHosts(cluster, home, services, facts, observer)) as hosts,
    ):
        yield hosts.services()
