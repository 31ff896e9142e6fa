"""``whyfast search``: since when, and what exactly."""

from __future__ import annotations

import argparse
import shutil
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from whyfast.cli.arguments import percent
from whyfast.cli.fleet_run import add_hosts, reached
from whyfast.cli.output import add_outputs
from whyfast.model.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from whyfast.investigate.services import Observer, Services
    from whyfast.model.study import Study
    from whyfast.search.axes.axis import SearchRequest
    from whyfast.search.results import SearchResult, SetResult
    from whyfast.store.home import Home

R = TypeVar("R")

#: Axes that are sets of differences, which are mixed; the others have candidates in order.
SETS = ("flags", "objects", "functions")
#: How commits are searched without a study.
WITHOUT = "whyfast search --from REV --to REV [--build LINE] -- CMD …"
#: Of candidates that are built by the steps of a study.
AHEAD = ("commits", "toolchains", "flags")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "what",
        metavar="STUDY",
        nargs="*",
        help="what to build and measure; or, behind --, a command that does so in a checkout",
    )
    parser.add_argument(
        "--axis",
        choices=("commits", "toolchains", *SETS, "passes", "kernels"),
        default="commits",
        help="default: commits",
    )
    parser.add_argument(
        "--good",
        metavar="NAME",
        help="the fast end, older or newer: a commit, a compiler, a variant, or flags (--good=-O2)",
    )
    parser.add_argument("--bad", metavar="NAME", help="the slow end")
    parser.add_argument(
        "--from", dest="first", metavar="NAME", help="one end, where it is not known which is fast"
    )
    parser.add_argument("--to", dest="last", metavar="NAME", help="the other end")
    parser.add_argument(
        "--variant", metavar="NAME", help="of the study (default: its main baseline)"
    )
    parser.add_argument(
        "--among",
        metavar="NAME",
        nargs="+",
        default=[],
        help="with --axis toolchains or kernels: those in order, or patterns (zig:clang-*)",
    )
    parser.add_argument(
        "--object",
        metavar="FILE",
        default="",
        help="with --axis passes or functions: the object that they are of",
    )
    parser.add_argument("--benchmark", metavar="NAME", nargs="+", default=[])
    parser.add_argument("--margin", metavar="PERCENT", help="default: the study's, or 1%%")
    parser.add_argument(
        "--measure",
        choices=("time", "instructions", "indirect-jumps"),
        default="time",
        help="what is compared (default: time); the others are counted and do not depend on load",
    )
    parser.add_argument("--blocks", metavar="N", type=int, help="measure at most N blocks")
    parser.add_argument(
        "--repo", metavar="DIR", type=Path, default=Path(), help="with a command (default: here)"
    )
    parser.add_argument(
        "--build", metavar="LINE", default="", help="with a command: what builds a commit"
    )
    parser.add_argument(
        "--number",
        action="store_true",
        help="with a command: what counts is the last number that it prints; less is better",
    )
    parser.add_argument(
        "--program",
        default="",
        metavar="PATH",
        help="with a command: what the build makes, to compare the code of culprit and parent",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        dest="everything",
        help="when what is found is not all of the difference, search for the others too",
    )
    parser.add_argument(
        "--incremental",
        action="store_true",
        help="of a study: build commits or flags in what the last one left, the answer clean",
    )
    parser.add_argument("--fresh", action="store_true", help="do not go on with an earlier search")
    add_hosts(parser, "build ahead")
    add_outputs(parser)


def run(args: argparse.Namespace) -> int:
    """Search and tell; 0, or 1 when it stays undecided. UserError for bad input.

    Of ends of which nobody says which is the fast one, measuring says it.
    """
    from whyfast.cli.output import FAILED, check_outputs, show
    from whyfast.report.pages.search_page import dump_search, search_page
    from whyfast.report.progress import watching

    check_outputs(args)
    if not args.what:
        raise UserError(f"name a study, or a command: {WITHOUT}", where="STUDY")
    if args.blocks is not None and args.blocks < 1:
        raise UserError("must be at least 1", where=f"--blocks {args.blocks}")
    if args.incremental and args.axis not in ("commits", "flags"):
        raise UserError("only commits and flags are built from each other", where="--incremental")
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
        one is not None for one in (named if args.either else unnamed)
    ):
        said = "say --good FAST --bad SLOW, or --from NAME --to NAME where that is not known"
        raise UserError(said, where="--good, --bad, --from, --to")
    if args.either:
        args.good, args.bad = unnamed


def _search(args: argparse.Namespace, observer: Observer) -> SearchResult | SetResult:
    from whyfast.search.axes.axis import SearchRequest
    from whyfast.search.requests import search_range, search_set
    from whyfast.study.find import is_study

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
        _check_command(args.what[0])
        return _search_command(args, request, observer)
    return _in_study(args, request, search_range, observer)


def _check_command(word: str) -> None:
    """UserError for what is neither a study nor a command; a path may be built later."""
    if "/" not in word and shutil.which(word) is None:
        raise UserError(
            f"neither a study nor a command; {WITHOUT} needs no study", where=repr(word)
        )


def _search_command(
    args: argparse.Namespace, request: SearchRequest, observer: Observer
) -> SearchResult:
    from whyfast.investigate.services import Services
    from whyfast.search.requests import UserCommand, search_by_command
    from whyfast.store.home import own_home

    if args.scheduler or args.hosts:
        raise UserError(
            "a command's checkouts are built here; search by a study",
            where="--scheduler or --hosts",
        )
    if args.incremental:
        raise UserError(
            "a command's checkouts are built apart; search by a study", where="--incremental"
        )
    if args.axis != "commits":
        raise UserError("a command can be searched along commits only", where=f"--axis {args.axis}")
    if args.measure != "time":
        raise UserError(
            "of a command nothing is counted; let it print a number, and say --number",
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
    """Search in the one study that is named, whose builds nobody removes meanwhile."""
    from whyfast.store.builds import BuildStore
    from whyfast.store.home import own_home
    from whyfast.study.load import load_study

    if len(args.what) > 1:
        raise UserError(f"{args.axis} are those of a study; name one", where=f"--axis {args.axis}")
    study, own = load_study(args.what[0]), own_home()
    with BuildStore(own.builds).in_use(), _outside(args, own, observer) as services:
        return function(study, request, own, observer, services)


def _check_fleet(args: argparse.Namespace) -> None:
    """UserError where hosts could build nothing ahead."""
    if not (args.scheduler or args.hosts):
        return
    where = "--scheduler" if args.scheduler else "--hosts"
    if args.axis not in AHEAD:
        said = ", ".join(AHEAD)
        raise UserError(f"hosts build ahead along {said} only", where=f"{where} --axis {args.axis}")
    if args.incremental:
        raise UserError("hosts build every candidate clean", where=f"{where} --incremental")


@contextmanager
def _outside(args: argparse.Namespace, own: Home, observer: Observer) -> Iterator[Services]:
    """The real one, with what hosts build ahead where there are such."""
    from whyfast.investigate.services import Services

    services = Services()
    if not (args.scheduler or args.hosts):
        yield services
        return
    reach = reached(args)
    from whyfast.fleet.answers import HostAnswers
    from whyfast.fleet.building_hosts import BuildingHosts

    facts = HostAnswers(own, services).facts()
    with (
        reach(observer.note) as cluster,
        closing(BuildingHosts(cluster, own, services, facts, observer)) as hosts,
    ):
        yield hosts.services()
