"""The JVM: pauses for garbage collection by its log; boxing and allocation by the flight recorder,
whose samples give their part of the time and whose sampled allocations say of what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from whyfast.measure.runtimes import RuntimeRuns, longest
from whyfast.measure.tools import CannotCount
from whyfast.model.why import Cause, Change, Fact, SourcePlace
from whyfast.why.functions import FunctionKey
from whyfast.why.runtimes.protocol import LEAST, Findings, RuntimeProgram, Sides
from whyfast.why.split import change_of

#: Standard deviations of a 95 % interval.
NORMAL = 1.96


@dataclass(frozen=True)
class Pauses:
    """Of one run: how many pauses and their seconds."""

    pauses: int
    seconds: float


@dataclass(frozen=True)
class FlightRecording:
    """The flight recorder's samples of one run: stacks from the innermost method outwards, as
    ``Sum.boxed:5``, and bytes allocated by class and the innermost method that is not of Java's own
    library."""

    stacks: tuple[tuple[str, ...], ...]
    allocated: Counter[tuple[str, str]]


class Java:
    """Programs started by ``java``."""

    name = "the JVM"
    compiles = True
    idles: tuple[str, ...] = ()

    def claims(self, program: RuntimeProgram) -> bool:
        return program.name == "java"

    def explain(self, sides: Sides) -> Findings:
        """The log of both sides in turns, then one recording of each where the JDK can read it."""
        sides.runs.note("asking the JVM for its collections")
        runs, limits = longest(sides.runs, 10), []
        logs: dict[str, list[Pauses]] = {"fast": [], "slow": []}
        for side in runs.order(3):
            logs[side].append(_log(runs, side, sides.programs[side]))
        causes = list(_garbage(sides, logs))
        sides.runs.note("recording both sides with the flight recorder")
        try:
            recorded = {s: _record(runs, s, sides.programs[s]) for s in ("fast", "slow")}
            causes += _boxing(sides, recorded["fast"], recorded["slow"])
        except CannotCount as error:
            limits.append(f"methods of Java were not looked at: {error}")
        return Findings(tuple(causes), _of_jvm, tuple(limits))


def _of_jvm(key: FunctionKey) -> bool:
    return key.library.startswith(("libjvm", "[", "//anon", "libc", "ld-")) or not key.library


# Garbage collection

_CPU = re.compile(r"GC\(\d+\) User=(\d+[.,]\d+)s Sys=(\d+[.,]\d+)s")
_PAUSE = re.compile(r"GC\(\d+\) Pause .*?(\d+(?:[.,]\d+)?)ms\s*$", re.MULTILINE)


def parse_gc_log(text: str) -> Pauses:
    """What ``-Xlog:gc,gc+cpu`` says of pauses.

    On a busy machine a pause is longer than what it does: then the CPU time counts.
    """
    pauses = [float(ms.replace(",", ".")) / 1000 for ms in _PAUSE.findall(text)]
    cpu = sum(float(t.replace(",", ".")) for times in _CPU.findall(text) for t in times)
    return Pauses(len(pauses), min(sum(pauses), cpu))


def _log(runs: RuntimeRuns, side: str, program: RuntimeProgram) -> Pauses:
    output = runs.under(
        "java -Xlog:gc",
        side,
        lambda c, folder: program.with_options([f"-Xlog:gc,gc+cpu:file={folder}/log:uptime"]),
    )
    if not output.files:
        raise CannotCount("this Java writes no log by -Xlog:gc; expected version 9 or newer")
    return parse_gc_log("".join(output.files.values()))


def _garbage(sides: Sides, logs: dict[str, list[Pauses]]) -> Iterator[Cause]:
    change = change_of(*([c.seconds for c in logs[s]] for s in ("fast", "slow")))
    if sides.share(change.difference) < LEAST or change.low <= 0:
        return
    a, b = (sum(c.pauses for c in logs[s]) / len(logs[s]) for s in ("fast", "slow"))
    yield sides.cause(
        "garbage-collection",
        f"it pauses for garbage collection for {1000 * change.slow:.3g} ms (`{sides.quoted}`: "
        f"{1000 * change.fast:.3g} ms), {b:,.0f} times ({a:,.0f})",
        change,
        "measured",
        facts=(Fact("pauses", a, b, "", "counted", "-Xlog:gc"),),
        remedy="allocate less, or a larger heap (-Xmx)",
    )


# Boxing

_BOXES = ("Integer", "Long", "Short", "Byte", "Character", "Boolean", "Float", "Double")
_BOX = re.compile(rf"java\.lang\.({'|'.join(_BOXES)})\.(valueOf|\w+Value|equals|hashCode|<init>)\b")
_EVENT = re.compile(r"^jdk\.(\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FRAME = re.compile(r"^ {4}(\S[^(\n]*)\(.*?\) +line: (\d+)", re.MULTILINE)
_CLASS = re.compile(r"objectClass = (\S+)")
_WEIGHT = re.compile(r"weight = ([\d.]+) (\S+)")
_THREAD = re.compile(r'sampledThread = "(JFR .*?|C\d CompilerThread.*?)"')
_LIBRARY = re.compile(r"^(java|javax|jdk|sun)\.")
_UNITS = {"bytes": 1.0, "byte": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9}


def parse_recording(text: str) -> FlightRecording:
    """What ``jfr print`` shows of samples of methods and allocations."""
    stacks, allocated = [], Counter[tuple[str, str]]()
    for name, body in _EVENT.findall(text):
        frames = tuple(f"{method}:{line}" for method, line in _FRAME.findall(body))
        if any(f.startswith("jdk.jfr.") for f in frames):
            continue
        if name == "ExecutionSample" and frames and not _THREAD.search(body):
            stacks.append(frames)
        weight, kind = _WEIGHT.search(body), _CLASS.search(body)
        if name == "ObjectAllocationSample" and weight and kind:
            own = next((f for f in frames if not _LIBRARY.match(f)), "")
            size = float(weight[1]) * _UNITS.get(weight[2], 1.0)
            allocated[kind[1], own] += int(size)
    return FlightRecording(tuple(stacks), allocated)


def _record(runs: RuntimeRuns, side: str, program: RuntimeProgram) -> FlightRecording:
    jfr = runs.runs[side].launcher.find("jfr")
    if jfr is None:
        raise CannotCount("no jfr; install a JDK (Debian, Ubuntu: openjdk-17-jdk-headless)")

    def words(folder: object) -> list[str]:
        options = f"-XX:StartFlightRecording=filename={folder}/run.jfr,settings=profile"
        events = "ExecutionSample,ObjectAllocationSample"
        script = (
            'file=$1; jfr=$2; shift 2; "$@" >/dev/null 2>&1; '
            f'"$jfr" print --events {events} --stack-depth 20 "$file/run.jfr" >"$file/text"; '
            'rm -f "$file/run.jfr"'
        )
        return ["sh", "-c", script, "sh", str(folder), jfr, *program.with_options([options])]

    output = runs.under("the flight recorder", side, lambda c, folder: words(folder))
    text = output.files.get("text", "")
    if "ExecutionSample {" not in text:
        raise CannotCount("the flight recorder took no samples: the program runs too shortly")
    return parse_recording(text)


def _boxing(sides: Sides, fast: FlightRecording, slow: FlightRecording) -> Iterator[Cause]:
    """Samples inside the boxes of numbers, if the slow side allocates more of those."""
    bytes_fast, bytes_slow = (_boxed_bytes(r) for r in (fast, slow))
    if sum(bytes_slow.values()) <= 1.5 * sum(bytes_fast.values()) + 1e6:
        return
    change = _sampled(sides, fast, slow)
    if sides.share(change.difference) < LEAST or change.low <= 0:
        return
    (kind, where), _ = bytes_slow.most_common(1)[0]
    a, b = (sum(c.values()) / 1e6 for c in (bytes_fast, bytes_slow))
    method, _, line = where.rpartition(":")
    at = f" in `{method}` (line {line})" if method else ""
    yield sides.cause(
        "boxing",
        f"it allocates objects for numbers: about {b:,.0f} MB (`{sides.quoted}`: {a:,.0f} MB), "
        f"most of them `{kind}`{at}",
        change,
        "measured",
        SourcePlace(method, line=int(line or 0)),
        facts=(Fact("boxes allocated", a * 1e6, b * 1e6, "B", "measured", "JFR"),),
        remedy="primitive types, or collections of primitives",
    )


def _boxed_bytes(recording: FlightRecording) -> Counter[tuple[str, str]]:
    names = {f"java.lang.{n}" for n in _BOXES}
    return Counter({k: v for k, v in recording.allocated.items() if k[0] in names})


def _sampled(sides: Sides, fast: FlightRecording, slow: FlightRecording) -> Change:
    """Seconds in boxes: their part of the samples times the CPU time, with the error of counting
    (Poisson's)."""
    seconds, variance = {}, 0.0
    for name, recording in (("fast", fast), ("slow", slow)):
        inside = sum(any(_BOX.match(f) for f in stack[:3]) for stack in recording.stacks)
        each = sides.cpu[name] / max(1, len(recording.stacks))
        seconds[name] = inside * each
        variance += inside * each**2
    difference, half = seconds["slow"] - seconds["fast"], NORMAL * variance**0.5
    return Change(seconds["fast"], seconds["slow"], difference - half, difference + half)
