"""Arguments that several subcommands share, parsed with clear errors."""

from __future__ import annotations

from whyfast.model.errors import UserError


def duration(text: str, option: str) -> float:
    """Seconds from ``90s``, ``3m``, ``1.5h``, ``500ms`` or a number of seconds."""
    from whyfast.study.quantities import parse_duration

    try:
        return parse_duration(float(text) if text.replace(".", "", 1).isdigit() else text)
    except ValueError as error:
        raise UserError(str(error), where=option) from None


def percent(text: str, option: str) -> float:
    """A relative margin from ``1%``: 0.01."""
    from whyfast.study.quantities import parse_margin

    try:
        return parse_margin(text)
    except ValueError as error:
        raise UserError(str(error), where=option) from None
