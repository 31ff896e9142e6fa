"""One search for a set as a whole: resumed or begun, kept after every block, and told."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.investigate.events import Observer
from whyfast.model.errors import UserError
from whyfast.search.ahead import likely_subsets
from whyfast.search.keep_set import load_events, save_events
from whyfast.search.minimal import Minimal
from whyfast.search.minimise import Differences, Event, Failed, Try, minimise
from whyfast.search.mixture_label import label, numbered
from whyfast.search.quantity import Quantity
from whyfast.search.set_subject import SetSubject
from whyfast.search.subject import CandidateFailed
from whyfast.search.subsets import Subset
from whyfast.store.home import Home
from whyfast.store.lock import exclusive


@dataclass(frozen=True)
class SetResult:
    """What was searched, all that was seen, and the answer.

    ``good`` and ``bad`` are the names of the ends, ``differences`` what differs between them, by
    number. ``vanishing``: what it means when the difference goes away in mixtures. ``mended``: what
    else differs and is as at the good end in every mixture, the bad end too. ``further`` is the
    search of what is left when what was found is mended too, or ``note`` says why there is none.
    """

    axis: str
    good: str
    bad: str
    differences: tuple[str, ...]
    quantity: Quantity
    events: tuple[Event, ...]
    answer: Minimal
    vanishing: str = ""
    mended: tuple[str, ...] = ()
    further: SetResult | None = None
    note: str = ""


def run_set(
    task: Differences,
    oracle: SetSubject,
    found: SetResult,
    file: Path,
    home: Home,
    observer: Observer,
) -> SetResult:
    """Go on from what ``file`` keeps of this very search to the answer.

    UserError when an end cannot be built or measured. KeyboardInterrupt at any time leaves the
    file to be gone on with.
    """
    events: list[Event] = []
    earlier = list(load_events(file, found.differences))
    if earlier:
        observer.note(f"resuming: {len(earlier)} blocks are there already")
    recorded = iter(earlier)
    if numbered(found.differences, frozenset(range(len(found.differences) // 2))):
        told = "; ".join(f"{n} {title}" for n, title in enumerate(found.differences, 1))
        observer.note(f"differences by their numbers: {told}")

    def ask(wanted: Try) -> Event:
        for event in recorded:
            events.append(event)
            return event
        oracle.foresee(likely_subsets(task, events))
        event = oracle(wanted, events)
        events.append(event)
        save_events(file, events, found.differences)
        observer.step(_said(len(events), event, wanted.subset, found.differences))
        return event

    said = "waiting: another whyfast is measuring on this machine"
    timed = found.quantity == "time"
    lock = exclusive(home.data / "measuring.lock", lambda: observer.note(said))
    with lock if timed else nullcontext():
        try:
            answer = minimise(task, ask)
        except CandidateFailed as failed:
            end, option = ("bad", "--bad") if failed.candidate else ("good", "--good")
            name = found.bad if failed.candidate else found.good
            raise UserError(
                f"the {end} end, {name}, cannot be measured: {failed.reason}", where=option
            ) from failed
    return replace(found, events=tuple(events), answer=answer)


def _said(number: int, event: Event, subset: Subset | None, names: Sequence[str]) -> str:
    if subset is None:
        ends = 0.0 if isinstance(event, Failed) else event.ends
        return f"block {number}: the ends, {ends:+.2%}"
    what = label(names, subset)
    if isinstance(event, Failed):
        return f"skipped {what}: {event.reason}"
    level = round(0.5 + event.offset / event.ends, 2) + 0.0 if event.ends else 0.0
    return f"block {number}: {what}: {level:.0%} of the difference"
