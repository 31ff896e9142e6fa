"""A file of another tool as a result that is kept, and back."""

from __future__ import annotations

from collections.abc import Mapping

from whyfast.formats.points import PointValue, point_value
from whyfast.formats.timeline_files import is_rate, is_read
from whyfast.model.question import Recordings
from whyfast.model.result import Judged, Recorded, Result
from whyfast.model.sample import Session
from whyfast.model.series import MEAN_SECONDS, Recording
from whyfast.model.variant import Benchmark, Variant

#: What the session of an imported file has beside what the file says.
_SPREADS, _RATES, _VARIANT = "whyfast_spreads", "whyfast_rates", "whyfast_variant"
_OWN = (MEAN_SECONDS, _SPREADS, _RATES, _VARIANT, "file", "format")


def imported_result(recording: Recording, run: str, variant: str, now: float) -> Result:
    """The file as the result of a run with that id: its means, their standard errors, and what it
    says. ``variant`` is the variant of the study that was measured, if any; ``now`` stands for
    when, where the file does not say so (seconds since the epoch)."""
    started = recording.started if recording.started is not None else now
    values = {name: point_value(s.processes) for name, s in recording.series.items() if is_read(s)}
    facts: dict[str, object] = {
        "file": recording.source,
        "format": recording.tool,
        **recording.metadata,
        MEAN_SECONDS: {name: v.value for name, v in values.items()},
        _SPREADS: {name: v.spread for name, v in values.items()},
        _RATES: [name for name in values if is_rate(recording.series[name])],
        _VARIANT: variant,
    }
    question = Recordings(
        title=f"Imported from {recording.name}",
        baselines=(recording.name,),
        margin=0.01,
        variants=(Variant(recording.name, about=recording.source),),
        benchmarks=tuple(Benchmark(name, "command", ()) for name in values),
    )
    sessions = (Session(recording.name, started, facts),)
    return Result(question, Recorded(run, started, sessions=sessions), Judged(about="runs"))


def recorded_values(session: Session) -> tuple[dict[str, PointValue], frozenset[str]]:
    """The value of each benchmark, and which of them are rates."""
    means, spreads = _mapping(session, MEAN_SECONDS), _mapping(session, _SPREADS)
    rates = session.environment.get(_RATES)
    values = {
        name: PointValue(
            float(mean), float(s) if isinstance(s := spreads.get(name), float) else None
        )
        for name, mean in means.items()
        if isinstance(mean, float | int)
    }
    return values, frozenset(map(str, rates) if isinstance(rates, list | tuple) else ())


def recorded_facts(session: Session) -> dict[str, str]:
    """What the file says."""
    return {k: _text(v) for k, v in session.environment.items() if k not in _OWN}


def recorded_variant(session: Session) -> str:
    """The variant that was measured, empty if nobody said so."""
    return str(session.environment.get(_VARIANT, ""))


def _mapping(session: Session, key: str) -> Mapping[str, object]:
    found = session.environment.get(key)
    return found if isinstance(found, Mapping) else {}


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return " and ".join(sorted(map(str, value)))
    return (
        value
        if isinstance(value, str)
        else f"{value:.6g}"
        if isinstance(value, float)
        else str(value)
    )
