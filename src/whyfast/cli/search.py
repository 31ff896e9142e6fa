"""``whyfast search``: the commit, compiler, flag or object file that caused a slowdown."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TypeVar

from whyfast.cli.measuring_options import LINES, SETS
from whyfast.cli.output import FAILED, check_outputs, percent, show
from whyfast.investigate.services import Observer, Services
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.report.document import Document
from whyfast.report.pages.search_line_page import dump_line, line_page
from whyfast.report.pages.search_page import dump_search, search_page
from whyfast.report.pages.search_set_page import dump_set, set_page
from whyfast.report.progress import watching
from whyfast.search.axes.axis import Bisection
from whyfast.search.by_set import SetSearch, search_by_set
from whyfast.search.requests import (
    CommandSearch,
    StudySearch,
    search_by_command,
    search_by_line,
    search_by_study,
)
from whyfast.search.run import SearchResult
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home, own_home
from whyfast.study.find import is_study
from whyfast.study.load import load_study

#: A request for a search, and its result.
S = TypeVar("S")
R = TypeVar("R")

#: The report, its JSON and the outcome.
Answer = tuple[Document, str, str]

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
        counted = args.axis == "toolchains" and args.measure != "time"
        kinds = {**dict.fromkeys(SETS, _set), **dict.fromkeys(LINES, _line)}
        search = _line if counted else kinds.get(args.axis, _since)
        page, data, outcome = search(args, observer)
        if args.either and outcome == "swapped":
            observer.note(f"{args.bad} is the faster end")
            args.good, args.bad, args.either = args.bad, args.good, False
            page, data, outcome = search(args, observer)
    show(page, args, json=lambda: data)
    return FAILED if outcome == "undecided" else 0


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


def _line(args: argparse.Namespace, observer: Observer) -> Answer:
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
    result = _in_study(args, search, search_by_line, observer)
    return line_page(result), dump_line(result), result.search.answer.outcome


def _set(args: argparse.Namespace, observer: Observer) -> Answer:
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
    result = _in_study(args, search, search_by_set, observer)
    return set_page(result), dump_set(result), result.answer.outcome


def _since(args: argparse.Namespace, observer: Observer) -> Answer:
    result = _search(args, observer)
    return search_page(result), dump_search(result), result.answer.outcome


def _search(args: argparse.Namespace, observer: Observer) -> SearchResult:
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
            f"neither a study nor a command; without a study: {WITHOUT}", where=repr(word)
        )


def _search_command(args: argparse.Namespace, observer: Observer) -> SearchResult:
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
    """Search in the study; its builds are not removed meanwhile."""
    if len(args.what) > 1:
        raise UserError("expected one study", where=f"--axis {args.axis}")
    study, home = load_study(args.what[0]), own_home()
    with BuildStore(home.builds).in_use(), _services(args, home, observer) as services:
        return function(study, search, home, observer, services)


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
    from whyfast.fleet.answers import HostAnswers
    from whyfast.fleet.building_hosts import BuildingHosts

    connect = connection(args)
    facts = HostAnswers(home, services).facts()
    with (
        connect(observer.note) as cluster,
        closing(BuildingHosts(cluster, home, services, facts, observer)) as hosts,
    ):
        yield hosts.services()
