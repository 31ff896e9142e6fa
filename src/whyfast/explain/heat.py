"""Which functions a recorded profile has as hot: Callgrind's, or perf's as text."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from whyfast.explain.functions import base_name
from whyfast.explain.hot import HOT
from whyfast.explain.objects.readable_names import readable
from whyfast.formats.callgrind import parse_callgrind
from whyfast.formats.perf_report import parse_perf_report
from whyfast.formats.perf_script import parse_perf_script
from whyfast.formats.simulated import DamagedProfile
from whyfast.formats.source import read_bytes
from whyfast.model.errors import UserError
from whyfast.model.hot import Heat

_RECURSION = re.compile(r"'\d+$")
_VERSION = re.compile(r"@@?[\w.]+$")
_CALLGRIND = re.compile(r"^(# callgrind format|version:|creator:|events:)", re.MULTILINE)

#: Bytes of a profile: the text of a million samples with their stacks.
_LIMIT = 1_000_000_000

#: Costs by (object, function).
Costs = Mapping[tuple[str, str], float]


def read_heat(profile: Path, programs: Sequence[Path]) -> Heat:
    """The shares of functions in a profile of one of the ``programs``.

    Of a profile that names objects, those of the programs count, if it has any; shares are of all
    that it has. Raises UserError for a file that cannot be read, or is no profile.
    """
    text = read_bytes(profile, _LIMIT).decode("utf-8", "replace")
    costs = _costs(profile, text)
    total = sum(costs.values())
    if not total:
        raise UserError(
            "holds no profile; callgrind.out, the text of `perf script` and that of `perf report "
            "--stdio -F sample,dso,sym -t ';'` are read",
            where=profile,
        )
    names = {os.path.basename(p) for one in programs for p in (one, os.path.realpath(one))}
    own = {key: c for key, c in costs.items() if os.path.basename(key[0]) in names}
    spelled = readable(name for _, name in own or costs)
    shares: defaultdict[str, float] = defaultdict(float)
    for (_, name), cost in (own or costs).items():
        plain = _VERSION.sub("", _RECURSION.sub("", name))
        shares[base_name(spelled.get(name, plain))] += cost / total
    return Heat(profile.name, dict(shares), HOT)


def _costs(profile: Path, text: str) -> Costs:
    if _CALLGRIND.search(text[:4000]):
        try:
            found = parse_callgrind(text)
        except DamagedProfile as error:
            raise UserError(str(error), where=profile) from None
        return {key: float(counts[0]) for key, counts in found.costs.items()}
    _, report = parse_perf_report(text)
    samples = report or parse_perf_script(text)
    return {key: float(number) for key, number in samples.items()}
