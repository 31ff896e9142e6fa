"""Messages between coordinator and worker, plain records as JSON, and between the coordinator and
the process that holds Dask's client: a line of JSON, then the bytes whose sizes it gives. Readers
trust nothing before it is checked by its type."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Literal, NoReturn, get_args

from whyfast.build.recipe import Recipe
from whyfast.measure.calibrate import MOST_TURNS, WantedCalibration
from whyfast.measure.campaign import Outcome, Wanted
from whyfast.model.build import Build, Toolchain
from whyfast.model.codec import Malformed, decode, encode
from whyfast.model.sample import Block, Calibration, RunFailure
from whyfast.model.study import Study

#: The most bytes of a message, without attached data, and the deepest nesting in it.
LARGEST, DEEPEST = 64_000_000, 64

#: The most loops that can be stored.
_MOST_LOOPS = 2**63 - 1


def _by_kind(messages: Any, *kinds: str) -> Mapping[str, Any]:
    return dict(zip(kinds, get_args(messages), strict=True))


# Tasks of a worker.


@dataclass(frozen=True)
class AskFacts:
    """Ask for the facts of the machine and its state."""


@dataclass(frozen=True)
class Place:
    """An archive and where it is unpacked: ``build`` beside the worker's other builds of a fleet,
    by the digest ``name``; ``tree`` in a folder of its own."""

    archive: str
    role: Literal["build", "tree"]
    name: str


@dataclass(frozen=True)
class Offer:
    """Ask which of these the host lacks, and how much of each archive it has."""

    places: tuple[Place, ...]


@dataclass(frozen=True)
class Chunk:
    """Attached are the bytes of an archive from ``offset`` on; ``size``: of the whole archive."""

    archive: str
    offset: int
    size: int


@dataclass(frozen=True)
class Prepare:
    """Everything that a host needs to take blocks of a run. ``study`` and ``builds`` have the
    coordinator's paths, ``programs`` and ``layouts`` are relative to the folder of builds.
    ``folders`` maps ``study``, ``source`` and packages to archives, ``rooted`` variants to the
    packages in their root."""

    study: Study
    toolchains: tuple[Toolchain, ...]
    builds: tuple[Build, ...]
    programs: Mapping[str, str]
    layouts: Mapping[str, tuple[str, ...]]
    folders: Mapping[str, str]
    places: tuple[Place, ...]
    rooted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Take:
    """Take a calibration or a block of the run prepared under ``key``."""

    key: str
    wanted: Wanted


@dataclass(frozen=True)
class MakeBuild:
    """Make a build; its source was sent as the archive ``source``."""

    recipe: Recipe
    source: str


@dataclass(frozen=True)
class SendBack:
    """Ask for the bytes of a finished build from ``offset`` on."""

    archive: str
    offset: int


Task = AskFacts | Offer | Chunk | Prepare | Take | MakeBuild | SendBack
_TASKS = _by_kind(Task, "survey", "offer", "chunk", "prepare", "take", "make", "send")

# Answers.


@dataclass(frozen=True)
class HostFacts:
    """``environment`` as in a session; ``after``: the facts that may change while measuring;
    ``cpus``: those that processes may be bound to; ``libc``: name and version."""

    environment: Mapping[str, object]
    after: Mapping[str, object]
    cpus: tuple[int, ...]
    architecture: str
    libc: str
    whyfast: str
    python: str


@dataclass(frozen=True)
class Lacking:
    """The missing archives, each with the number of its bytes that are there."""

    archives: Mapping[str, int]


@dataclass(frozen=True)
class Accepted:
    """A chunk is on disk; with a ``key``: a run is prepared under it."""

    key: str = ""


@dataclass(frozen=True)
class Unprepared:
    """Nothing is prepared under the key: the worker was restarted, or its cache emptied."""


@dataclass(frozen=True)
class Refused:
    """The host cannot do it, or its build failed; ``message`` is the reason."""

    message: str


@dataclass(frozen=True)
class FinishedBuild:
    """A build as an archive of ``size`` bytes; ``code``: SHA-256 of the program and of its shared
    libraries, by path in the build directory."""

    archive: str
    size: int
    code: Mapping[str, str]


@dataclass(frozen=True)
class SentBack:
    """Bytes of an archive, in base 64."""

    data: str


#: To :class:`Take` its outcome.
Answer = HostFacts | Lacking | Accepted | Outcome | Unprepared | Refused | FinishedBuild | SentBack
_ANSWERS = _by_kind(
    *(Answer, "facts", "lacking", "accepted", "calibration", "block", "failure"),
    *("unprepared", "refused", "built", "sent"),
)
_KINDS = {message: kind for kind, message in (*_TASKS.items(), *_ANSWERS.items())}


def write(message: Task | Answer) -> bytes:
    """As JSON, whose ``kind`` names the message."""
    data = {"kind": _KINDS[type(message)], **encode(message)}
    return json.dumps(data, allow_nan=False, separators=(",", ":")).encode()


def read_task(text: bytes) -> Task:
    """Raises Malformed."""
    task: Task = _read(text, _TASKS)
    return task


def read_answer(text: object) -> Answer:
    """Raises Malformed."""
    answer: Answer = _read(text, _ANSWERS)
    return answer


def _read(text: object, messages: Mapping[str, Any]) -> Any:
    data = _parse(text)
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in messages:
        words = ", ".join(map(repr, messages))
        raise Malformed("kind", f"expected one of {words}, not {kind!r:.60}")
    return decode(messages[kind], data)


def fits(outcome: Outcome, wanted: Wanted) -> bool:
    """Whether the outcome matches the task: the block of that plan with a time for every turn, or
    the calibration or failure of that benchmark."""
    if outcome.benchmark != wanted.benchmark:
        return False
    if isinstance(wanted, WantedCalibration):
        if isinstance(outcome, RunFailure):
            return outcome.variant in wanted.variants
        if not isinstance(outcome, Calibration):
            return False
        turns = wanted.lengths.turns
        seconds = (outcome.value, outcome.start, *(each for _, each in outcome.steps))
        return (
            1 <= outcome.loops <= _MOST_LOOPS
            and (1 <= outcome.turns <= MOST_TURNS if turns is None else outcome.turns == turns)
            and all(map(math.isfinite, (*seconds, *outcome.cold.values())))
        )
    block, plan = outcome, wanted.plan
    if isinstance(block, RunFailure):
        return block.variant in plan.start_order
    if not isinstance(block, Block):
        return False
    expected = (wanted.index, wanted.session, plan.seed, plan.cpu, plan.loops, plan.order)
    return (
        expected == (block.index, block.session, block.seed, block.cpu, block.loops, block.order)
        and block.start_order == plan.start_order
        and dict(block.layouts) == dict(plan.layouts)
        and set(block.values) == set(plan.start_order)
        and all(len(values) == len(plan.order) for values in block.values.values())
        and all(0 < value < math.inf for values in block.values.values() for value in values)
        and 0 <= block.seconds < math.inf
    )


def _parse(text: object) -> Any:
    if not isinstance(text, bytes):
        raise Malformed("message", f"expected bytes, got {type(text).__name__}")
    if len(text) > LARGEST:
        raise Malformed("message", f"too long: {len(text)} bytes; at most {LARGEST} are read")
    try:
        data = json.loads(text, parse_constant=_refuse_number)
    except (ValueError, RecursionError) as error:
        raise Malformed("message", f"is not JSON: {error}") from error
    _check_depth(data)
    return data


def _check_depth(data: Any) -> None:
    """Malformed for deep nesting, which recursive readers of facts could not follow."""
    level = [data] if isinstance(data, (dict, list)) else []
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise Malformed("message", f"is nested more than {DEEPEST} deep")


def _refuse_number(word: str) -> NoReturn:
    raise ValueError(f"not a number of JSON: {word}")


#: The most characters of a line, and of a host's name.
_LINE, _NAME = 10_000, 200


@dataclass(frozen=True)
class PipeLine:
    """``number`` matches an answer with its task; ``sizes`` are those of the attached bytes."""

    kind: Literal["connected", "note", "joined", "gone", "task", "answered", "unanswered"]
    host: str = ""
    text: str = ""
    number: int = 0
    sizes: tuple[int, ...] = ()


def is_name(host: str) -> bool:
    """Whether this name, which a worker chose, is acceptable for a host."""
    return 0 < len(host) <= _NAME and host.isprintable()


def send(pipe: IO[bytes], line: PipeLine, *parts: bytes) -> None:
    """Raises OSError when the reader is gone."""
    whole = {**encode(line), "text": line.text[:1000], "sizes": [len(part) for part in parts]}
    pipe.write(b"".join([json.dumps(whole).encode(), b"\n", *parts]))
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[PipeLine, list[bytes]] | None:
    """The next line with its bytes; None at the end. Malformed unless :func:`send` wrote it."""
    text = pipe.readline(_LINE)
    if not text:
        return None
    try:
        line: PipeLine = decode(PipeLine, json.loads(text))
    except (ValueError, RecursionError) as error:
        raise Malformed("line", f"is not JSON: {error}") from error
    if line.host and not is_name(line.host):
        raise Malformed("host", f"not a host name: {line.host!r:.60}")
    if len(line.sizes) > 2 or any(not 0 <= size <= LARGEST for size in line.sizes):
        raise Malformed("sizes", f"expected at most two, of {LARGEST} bytes at most")
    parts = [pipe.read(size) for size in line.sizes]
    if [len(part) for part in parts] != list(line.sizes):
        return None  # the sender was killed
    return line, parts
