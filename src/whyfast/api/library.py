"""The flows of the commands as functions: each returns a :class:`Report`.

Times are in seconds or as ``"90s"``, margins a share or as ``"1%"``. All functions raise
:class:`~whyfast.model.errors.UserError` for bad input, whose ``where`` names the argument or file.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import zip_longest
from os import PathLike, fspath
from pathlib import Path
from typing import TypeVar

from whyfast.api.callables import Work, names_of, timed_sides
from whyfast.api.programs import ProgramsRequest, read_programs
from whyfast.api.reports import Report, StrPath
from whyfast.formats.load import by_subject, load_recordings
from whyfast.formats.timeline import Wanted, load_timeline
from whyfast.history.detect import detect
from whyfast.investigate.ab_run import Options, expand, run_ab
from whyfast.investigate.compare_run import compare_recordings
from whyfast.investigate.services import Observer, Silent
from whyfast.investigate.study_run import Choice, chosen, run_study, runnable
from whyfast.investigate.timeit_run import TimeitOptions, run_timeit
from whyfast.investigate.why.why_inquiry import AccountLimits
from whyfast.investigate.why.why_run import why_again
from whyfast.judge.judge_run import judge_run
from whyfast.model.errors import UserError
from whyfast.model.history import PointSeries, Timeline
from whyfast.model.result import Recorded, Result
from whyfast.model.sample import SECOND, Block, Recording, Series
from whyfast.model.study import Commands
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Verdict
from whyfast.report.progress import watching
from whyfast.report.result_json import load_result
from whyfast.store.builds import BuildStore
from whyfast.store.home import own_home
from whyfast.study.load import load_study
from whyfast.study.notation import parse_duration, parse_margin

__all__ = [
    "Report",
    "UserError",
    "Verdict",
    "ab",
    "compare",
    "explain",
    "history",
    "judge",
    "load",
    "run",
    "timeit",
    "why",
]

T = TypeVar("T")


def ab(
    commands: Sequence[str] | Mapping[str, str],
    *,
    budget: float | str = "60s",
    margin: float | str = "1%",
    baseline: str | None = None,
    shell: str | None = None,
    progress: bool = False,
) -> Report:
    """Measure command lines against each other, as ``whyfast ab``: the first, or the one named
    ``baseline``, against each of the others.

    A mapping gives them names. ``shell`` as ``--shell``; by default ``sh`` where a line needs one.
    ``progress`` is printed to standard error. UserError for a command that cannot be run.
    """
    if isinstance(commands, str):
        raise UserError("expected a list or mapping of command lines", where="commands")
    named = commands.items() if isinstance(commands, Mapping) else [(c, c) for c in commands]
    options = Options(
        budget=_parsed(parse_duration, budget, "budget"),
        margin=_parsed(parse_margin, margin, "margin"),
        baseline=baseline,
        shell=shell,
    )
    names = list(commands) if isinstance(commands, Mapping) else []
    expanded = expand([line for _, line in named], names)
    with _watching(progress, "ab", options.margin) as observer:
        return Report(run_ab(expanded, options, own_home(), observer))


def timeit(
    *sides: Work | Mapping[str, Work],
    setup: str = "",
    arguments: Mapping[str, object] = {},
    budget: float | str = "20s",
    margin: float | str = "1%",
    different: bool = False,
    progress: bool = False,
) -> Report:
    """Measure functions or Python statements against each other, as ``whyfast timeit``: the first
    against each of the others, a single one against itself.

    A mapping gives them names. They run in processes of their own, of this Python, which take turns
    of less than a millisecond; functions are copied there with cloudpickle. ``arguments`` are
    values of the functions' parameters, by name, pickled as well; ``setup`` is run once a process,
    and its names are variables of statements and arguments of functions. ``different``: they need
    not return the same. UserError for a side that fails, sides that return different values, and
    what cannot be pickled.
    """
    works: dict[str, Work] = {}
    if len(sides) == 1 and isinstance(sides[0], Mapping):
        works = dict(sides[0])
    else:
        works = names_of([side for side in sides if not isinstance(side, Mapping)])
    if not works or len(works) < len(sides):
        raise UserError("expected functions or statements, or one mapping of names", where="sides")
    options = TimeitOptions(
        budget=_parsed(parse_duration, budget, "budget"),
        margin=_parsed(parse_margin, margin, "margin"),
        different=different,
    )
    with (
        _watching(progress, "timeit", options.margin) as observer,
        timed_sides(works, setup, arguments) as timed,
    ):
        return Report(run_timeit(timed, options, own_home(), observer))


def explain(
    *files: StrPath,
    functions: Sequence[str] = (),
    diff: bool = False,
    run: Sequence[str] | None = None,
    debug: Sequence[StrPath] = (),
    progress: bool = False,
) -> Report:
    """Compare the machine code of programs, objects or packages with that of the first, as
    ``whyfast explain``.

    ``functions`` are globs of symbols; by default the functions that most likely dispatch.
    ``diff``: also the functions that differ side by side. ``run``: run each program with these
    arguments and count. ``debug`` are folders with debug files. UserError for unsuitable files.
    """
    if not files or (diff and len(files) < 2):
        raise UserError(f"{len(files)} given; expected {2 if diff else 1} or more", where="files")
    request = ProgramsRequest(
        [Path(fspath(f)) for f in files],
        functions,
        diff,
        run,
        debug=[Path(fspath(folder)) for folder in debug],
    )
    with _watching(progress, "explain", 0.01) as observer:
        return Report(read_programs(request, observer.note))


def run(
    study: StrPath,
    *,
    only: Sequence[str] = (),
    benchmarks: Sequence[str] = (),
    budget: float | str | None = None,
    quick: bool = False,
    fresh: bool = False,
    progress: bool = False,
) -> Report:
    """Build, measure and judge a study, as ``whyfast run``: a folder, a file, or the name of a
    bundled one. Interrupted by Ctrl-C it returns what there is, and goes on in the next call."""
    seconds = None if budget is None else _parsed(parse_duration, budget, "budget")
    choice = Choice(tuple(only), tuple(benchmarks), seconds, quick)
    asked = runnable(chosen(load_study(fspath(study)), choice))
    home = own_home()
    with (
        BuildStore(home.builds).in_use(),
        _watching(progress, asked.title, asked.margin) as observer,
    ):
        return Report(run_study(asked, home, observer, fresh=fresh))


def compare(
    base: StrPath,
    *heads: StrPath,
    margin: float | str = "1%",
    noise: Sequence[StrPath] = (),
    benchmarks: Sequence[str] = (),
) -> Report:
    """Compare files that pyperf, hyperfine, Criterion, Go … wrote, as ``whyfast compare``: the
    first with each of the others, or the commands of a single file. ``noise`` are reruns of one
    build, ``benchmarks`` globs."""
    recordings = load_recordings([fspath(f) for f in (base, *heads)])
    return Report(
        compare_recordings(
            recordings if heads else by_subject(recordings[0]),
            margin=_parsed(parse_margin, margin, "margin"),
            reruns=load_recordings([fspath(f) for f in noise]),
            benchmarks=benchmarks,
            now=time.time(),
        )
    )


def judge(
    baseline: Iterable[float],
    variant: Iterable[float],
    *,
    paired: bool = False,
    margin: float | str = "1%",
    names: tuple[str, str] = ("baseline", "variant"),
) -> Report:
    """Judge values in seconds that were measured elsewhere.

    ``paired``: value i of one belongs to value i of the other, taken side by side in random order;
    then the interval holds at every look, as that of :func:`ab`. Else each value is taken for a run
    of its own, and the two are compared as recordings are. UserError for values that are not above
    0, fewer than two of a side, or pairs of different numbers.
    """
    base, other = _values(baseline, "baseline"), _values(variant, "variant")
    share = _parsed(parse_margin, margin, "margin")
    if not paired:
        sides = zip(names, (base, other), strict=True)
        recordings = [
            Recording(name, name, "values", {"values": Series("values", SECOND, tuple(runs))})
            for name, runs in ((n, [(v,) for v in values]) for n, values in sides)
        ]
        return Report(compare_recordings(recordings, margin=share, now=time.time()))
    if len(base) != len(other):
        raise UserError(f"{len(base)} and {len(other)} values; pairs need as many", where="paired")
    blocks = tuple(
        Block(
            benchmark="values",
            index=i,
            seed=0,
            session="",
            cpu=None,
            loops=1,
            warmups=0,
            start_order=names,
            order=(names,),
            values={names[0]: (a,), names[1]: (b,)},
            started=0.0,
            seconds=a + b,
        )
        for i, (a, b) in enumerate(zip(base, other, strict=True))
    )
    question = Commands(
        baselines=names[:1],
        margin=share,
        budget=math.inf,
        variants=tuple(Variant(name) for name in names),
        benchmarks=(Benchmark("values", "command", ()),),
    )
    recorded = Recorded("judge", time.time(), blocks=blocks)
    return Report(Result(question, recorded, judge_run(question, recorded, (), ended=True)))


def history(
    series: StrPath | Sequence[StrPath] | Mapping[str, Sequence[float | None]],
    *,
    points: Sequence[str] = (),
) -> Report:
    """Find steps, drifts and outliers, as ``whyfast history``: in files in order, or in series of
    seconds by name (None: no value at that point). ``points`` are the names of their points."""
    if isinstance(series, (str, PathLike)):
        series = [series]
    if not isinstance(series, Mapping):
        if not isinstance(series, Iterable):
            raise UserError("expected files, or a mapping of values by name", where="series")
        return Report(detect(load_timeline([fspath(f) for f in series], Wanted())))
    lengths = {len(values) for values in series.values()}
    if len(lengths) != 1:
        raise UserError("expected one or more series of the same length", where="series")
    names = [p or str(i) for i, p in zip_longest(range(lengths.pop()), points, fillvalue="")]
    if points and len(points) != len(names):
        raise UserError(f"{len(points)} names for {len(names)} values", where="points")
    timeline = Timeline(
        tuple(names),
        tuple(
            PointSeries(name, tuple(None if v is None else _seconds(v, name) for v in values))
            for name, values in series.items()
        ),
    )
    return Report(detect(timeline))


def why(report: Report, *, simulate: float | str = "60s", progress: bool = False) -> Report:
    """The cause of the difference that :func:`ab` found between its first two commands, as
    ``whyfast why``. ``simulate`` is the longest that a simulation may take. UserError for a report
    of anything else."""
    result = report.result
    if not isinstance(result, Result) or not isinstance(result.question, Commands):
        raise UserError("expected a report of whyfast.ab", where="why")
    limits = AccountLimits(_parsed(parse_duration, simulate, "simulate"))
    options = Options(margin=result.question.margin, budget=result.question.budget)
    with _watching(progress, "why", options.margin) as observer:
        return Report(why_again(result, options, limits, own_home(), observer))


def load(path: StrPath) -> Report:
    """The result in a file that ``--json`` or :meth:`Report.save` wrote."""
    return Report(load_result(Path(path)))


def _watching(progress: bool, title: str, margin: float) -> AbstractContextManager[Observer]:
    return watching(title, margin) if progress else nullcontext(Silent())


def _parsed(parse: Callable[[object], T], value: object, name: str) -> T:
    try:
        return parse(value)
    except ValueError as error:
        raise UserError(str(error), where=name) from None


def _values(values: Iterable[float], name: str) -> list[float]:
    if not isinstance(values, Iterable):
        raise UserError(f"{values!r:.40}: expected values in seconds", where=name)
    taken = [_seconds(v, name) for v in values]
    if len(taken) < 2:
        raise UserError(f"number of values: {len(taken)}; expected two or more", where=name)
    return taken


def _seconds(value: object, name: str) -> float:
    try:
        seconds = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UserError(f"{value!r:.40}: expected seconds above 0", where=name)
    return seconds
