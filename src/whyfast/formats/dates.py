"""Dates as benchmark tools write them."""

from __future__ import annotations

from datetime import UTC, datetime


def epoch_seconds(text: str) -> float | None:
    """Seconds since the epoch of an ISO 8601 date and time; None when it is none.

    Without a time zone it is taken as UTC, so that distances within a machine are right and the
    moment itself is off by the zone.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None
