"""Machine code made at run time as listings in the HTML file, equal ones once."""

from __future__ import annotations

from whyfast.model.result import Result
from whyfast.report.html_text import code, details
from whyfast.report.names import listed, printable


def image_listings(result: Result) -> str:
    """The first program of each variant, folded away; empty where none was read."""
    texts: dict[tuple[str, ...], list[str]] = {}
    for image in result.found.observed.images:
        for program in image.programs[:1]:
            if program.listing:
                # Addresses differ from load to load; what is equal but for them is one listing.
                texts.setdefault(program.listing, []).append(printable(image.variant))
    return "\n".join(
        details(f"The first program of {listed(names)}", code(lines))
        for lines, names in texts.items()
    )
