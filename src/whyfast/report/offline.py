"""One HTML file that opens no connection: a template with style, scripts and plotly inside."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files

from plotly.offline import get_plotlyjs

_PLACE = re.compile(r"\{\{ (\w+) \}\}")


def offline_page(template: str, scripts: Sequence[str], parts: Mapping[str, str]) -> str:
    """The head that all pages share and ``template`` of the assets, with every ``{{ name }}``
    replaced by ``parts[name]``, HTML.

    ``scripts`` are assets that run, in order, after plotly; nothing else may, and nothing may be
    loaded from anywhere. The head wants a part ``title``; the template has places for ``plotly``
    and ``script``.
    """
    assets = files("whyfast.report") / "assets"
    script = "\n".join((assets / name).read_text(encoding="utf-8") for name in scripts)
    plotly = get_plotlyjs()
    whole = {
        "csp": _policy(plotly, script),
        "style": (assets / "report.css").read_text(encoding="utf-8"),
        "plotly": plotly,
        "script": script,
        **parts,
    }
    page = "".join((assets / name).read_text(encoding="utf-8") for name in ("head.html", template))
    # One pass: what is put in is never looked at again, whatever it contains.
    return _PLACE.sub(lambda match: whole[match.group(1)], page)


def _policy(*scripts: str) -> str:
    """Only these very scripts may run, and nothing may be loaded from anywhere."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(sha256(s.encode()).digest()).decode()}'" for s in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
