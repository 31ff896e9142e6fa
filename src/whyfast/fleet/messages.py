"""What coordinator and worker say to each other: plain records, as JSON, checked by their types.

And what passes between the coordinator and the process that holds Dask's client: a line of JSON,
then the bytes that it counts. Whoever reads believes nothing of it before it is checked.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Literal, NoReturn

from whyfast.build.recipe import Recipe
from whyfast.measure.calibrate import MOST_TURNS, WantedCalibration
from whyfast.measure.campaign import Outcome, Wanted
from whyfast.model.build import Build, Toolchain
from whyfast.model.codec import Malformed, decode, encode
from whyfast.model.sample import Block, Calibration, RunFailure
from whyfast.model.study import Study

#: Bytes of a message, what comes with it not counted; lists and objects in each other in one.
LARGEST, DEEPEST = 64_000_000, 64

#: Loops that can be stored.
_MOST_LOOPS = 2**63 - 1

# What a worker is asked. JSON names each message by its ``kind``.


@dataclass(frozen=True)
class AskFacts:
    """What machine is this, and in what state?"""

    kind: Literal["survey"] = "survey"


@dataclass(frozen=True)
class Place:
    """An archive and where it is unpacked: ``build`` beside the worker's other builds of a fleet,
    by the digest ``name``; ``tree`` in a folder of its own."""

    archive: str
    role: Literal["build", "tree"]
    name: str


@dataclass(frozen=True)
class Offer:
    """Which of these are not here yet, and how much of each archive is?"""

    places: tuple[Place, ...]
    kind: Literal["offer"] = "offer"


@dataclass(frozen=True)
class Chunk:
    """The bytes that come with this task are those of an archive from ``offset`` on; ``size`` is
    that of the whole archive."""

    archive: str
    offset: int
    size: int
    kind: Literal["chunk"] = "chunk"


@dataclass(frozen=True)
class Prepare:
    """What blocks are going to be taken of: everything of a run that a host must know.

    ``study`` and ``builds`` have the coordinator's paths; ``programs`` are those of the builds and
    ``layouts`` those of their layouts, relative to the folder of all builds. ``folders`` maps
    ``study``, ``source`` and the names of packages to the archives with them. ``rooted`` maps
    variants whose programs run in the root of their toolchain to the packages in it.
    """

    study: Study
    toolchains: tuple[Toolchain, ...]
    builds: tuple[Build, ...]
    programs: Mapping[str, str]
    layouts: Mapping[str, tuple[str, ...]]
    folders: Mapping[str, str]
    places: tuple[Place, ...]
    rooted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kind: Literal["prepare"] = "prepare"


@dataclass(frozen=True)
class Take:
    """A calibration or a block of what was prepared under ``key``."""

    key: str
    wanted: Wanted
    kind: Literal["take"] = "take"


@dataclass(frozen=True)
class MakeBuild:
    """Build this, whose source came as the archive ``source``."""

    recipe: Recipe
    source: str
    kind: Literal["make"] = "make"


@dataclass(frozen=True)
class SendBack:
    """The bytes of a finished build, from ``offset`` on."""

    archive: str
    offset: int
    kind: Literal["send"] = "send"


Task = AskFacts | Offer | Chunk | Prepare | Take | MakeBuild | SendBack

# What it answers.


@dataclass(frozen=True)
class HostFacts:
    """``environment`` as in a session; ``after`` is what may have changed when measuring ends.
    ``cpus`` are those that processes may be bound to, ``libc`` is its name and version."""

    environment: Mapping[str, object]
    after: Mapping[str, object]
    cpus: tuple[int, ...]
    architecture: str
    libc: str
    whyfast: str
    python: str
    kind: Literal["facts"] = "facts"


@dataclass(frozen=True)
class Lacking:
    """The archives that are not here, each with the bytes of it that are."""

    archives: Mapping[str, int]
    kind: Literal["lacking"] = "lacking"


@dataclass(frozen=True)
class Accepted:
    """A chunk is on disk; or, with a ``key``, blocks can be taken under it."""

    key: str = ""
    kind: Literal["accepted"] = "accepted"


@dataclass(frozen=True)
class Taken:
    """What came of a :class:`Take`: one of the three."""

    block: Block | None = None
    calibration: Calibration | None = None
    failure: RunFailure | None = None
    kind: Literal["taken"] = "taken"

    @property
    def outcome(self) -> Outcome | None:
        return self.block or self.calibration or self.failure


@dataclass(frozen=True)
class Unprepared:
    """Nothing is prepared under that key: the worker was started anew, or its cache emptied."""

    kind: Literal["unprepared"] = "unprepared"


@dataclass(frozen=True)
class Refused:
    """This host cannot do it, or failed to build it: the reason."""

    message: str
    kind: Literal["refused"] = "refused"


@dataclass(frozen=True)
class FinishedBuild:
    """A build as an archive of ``size`` bytes; ``code`` has the SHA-256 of the program and of its
    shared libraries, by their names in the folder that the steps ran in."""

    archive: str
    size: int
    code: Mapping[str, str]
    kind: Literal["built"] = "built"


@dataclass(frozen=True)
class SentBack:
    """Bytes of an archive, in base 64."""

    data: str
    kind: Literal["sent"] = "sent"


Answer = HostFacts | Lacking | Accepted | Taken | Unprepared | Refused | FinishedBuild | SentBack


def write(message: Task | Answer) -> bytes:
    """As JSON."""
    return json.dumps(encode(message), allow_nan=False, separators=(",", ":")).encode()


def read_task(text: bytes) -> Task:
    """Raises Malformed."""
    task: Task = decode(Task, _parse(text))
    return task


def read_answer(text: object) -> Answer:
    """Raises Malformed."""
    answer: Answer = decode(Answer, _parse(text))
    return answer


def fits(outcome: Outcome, wanted: Wanted) -> bool:
    """Whether it is what was asked for: the block of that plan with a time for every turn, the
    calibration or the failure of that benchmark."""
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
    """Whoever walks through what a host says of itself calls itself at each depth."""
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


#: Characters of a line, and of a host's name.
_LINE, _NAME = 10_000, 200


@dataclass(frozen=True)
class PipeLine:
    """``number`` tells a task and its answer apart from others of that host; ``text`` is for the
    user; ``sizes`` are those of the bytes behind it."""

    kind: Literal["connected", "note", "joined", "gone", "task", "answered", "unanswered"]
    host: str = ""
    text: str = ""
    number: int = 0
    sizes: tuple[int, ...] = ()


def is_name(host: str) -> bool:
    """Whether a host may be called so, which its worker chooses."""
    return 0 < len(host) <= _NAME and host.isprintable()


def send(pipe: IO[bytes], line: PipeLine, *parts: bytes) -> None:
    """Raises OSError where nobody reads."""
    whole = {**encode(line), "text": line.text[:1000], "sizes": [len(part) for part in parts]}
    pipe.write(b"".join([json.dumps(whole).encode(), b"\n", *parts]))
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[PipeLine, list[bytes]] | None:
    """None at the end. Malformed for anything else than :func:`send` writes."""
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
        return None  # it was killed
    return line, parts
