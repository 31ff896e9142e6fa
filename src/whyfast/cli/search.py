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
    from whyfast.report.document import Document
    from whyfast.search.by_set import SetResult
    from whyfast.search.requests import LineResult
    from whyfast.search.run import SearchResult
    from whyfast.store.home import Home

#: What is searched for, and what is found.
S = TypeVar("S")
R = TypeVar("R")

#: Since when; those that are a study's alone, in order; and those of differences that are mixed.
SINCE, LINES, SETS = (
    ("commits", "toolchains"),
    ("passes", "kernels"),
    ("flags", "objects", "functions"),
)
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
        "--axis", choices=(*SINCE, *SETS, *LINES), default="commits", help="default: commits"
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
        counted = args.axis == "toolchains" and args.measure != "time"
        ways = {**dict.fromkeys(SETS, _set), **dict.fromkeys(LINES, _line)}
        way = _line if counted else ways.get(args.axis, _since)
        page, data, word = way(args, observer)
        if args.either and word == "swapped":
            observer.note(f"{args.bad} is the faster end")
            args.good, args.bad, args.either = args.bad, args.good, False
            page, data, word = way(args, observer)
    show(page, args, json=lambda: data)
    return FAILED if word == "undecided" else 0


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


def _since(args: argparse.Namespace, observer: Observer) -> tuple[Document, str, str]:
    from whyfast.report.pages.search_page import dump_search, search_page

    result = _search(args, observer)
    return search_page(result), dump_search(result), result.answer.outcome


def _set(args: argparse.Namespace, observer: Observer) -> tuple[Document, str, str]:
    from whyfast.report.pages.search_set_page import dump_set, set_page

    result = _search_set(args, observer)
    return set_page(result), dump_set(result), result.answer.outcome


def _line(args: argparse.Namespace, observer: Observer) -> tuple[Document, str, str]:
    from whyfast.report.pages.search_line_page import dump_line, line_page

    result = _search_line(args, observer)
    return line_page(result), dump_line(result), result.search.answer.outcome


def _search_line(args: argparse.Namespace, observer: Observer) -> LineResult:
    from whyfast.search.axes.axis import Bisection
    from whyfast.search.requests import search_by_line

    search = Bisection(
        args.axis,
        args.good,
        args.bad,
        args.variant,
        tuple(args.among),
        args.object,
        tuple(args.benchmark),
        _margin(args),
        args.blocks,
        args.fresh,
        args.measure,
    )
    return _in_study(args, search, search_by_line, observer)


def _search_set(args: argparse.Namespace, observer: Observer) -> SetResult:
    from whyfast.search.by_set import SetSearch, search_by_set

    search = SetSearch(
        args.axis,
        args.good,
        args.bad,
        args.variant,
        tuple(args.benchmark),
        _margin(args),
        args.blocks,
        args.fresh,
        args.measure,
        args.object,
        args.incremental,
        args.everything,
    )
    return _in_study(args, search, search_by_set, observer)


def _search(args: argparse.Namespace, observer: Observer) -> SearchResult:
    from whyfast.search.requests import StudySearch, search_by_study
    from whyfast.study.find import is_study

    if len(args.what) > 1 or not is_study(args.what[0]):
        _check_command(args.what[0])
        return _search_command(args, observer)
    search = StudySearch(
        args.axis,
        args.good,
        args.bad,
        args.variant,
        tuple(args.among),
        tuple(args.benchmark),
        _margin(args),
        args.blocks,
        args.fresh,
        args.everything,
        args.measure,
        args.incremental,
    )
    return _in_study(args, search, search_by_study, observer)


def _check_command(word: str) -> None:
    """UserError for what is neither a study nor a command; a path may be built later."""
    if "/" not in word and shutil.which(word) is None:
        raise UserError(
            f"neither a study nor a command; {WITHOUT} needs no study", where=repr(word)
        )


def _search_command(args: argparse.Namespace, observer: Observer) -> SearchResult:
    from whyfast.investigate.services import Services
    from whyfast.search.requests import CommandSearch, search_by_command
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
    command = CommandSearch(
        tuple(args.what),
        args.build,
        args.repo,
        args.good,
        args.bad,
        _margin(args) or 0.01,
        args.blocks,
        args.fresh,
        args.number,
        args.program,
        args.everything,
        args.either,
    )
    return search_by_command(command, own_home(), observer, Services())


def _margin(args: argparse.Namespace) -> float | None:
    return percent(args.margin, f"--margin {args.margin}") if args.margin else None


def _in_study(
    args: argparse.Namespace,
    search: S,
    function: Callable[[Study, S, Home, Observer, Services], R],
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
        return function(study, search, own, observer, services)


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
