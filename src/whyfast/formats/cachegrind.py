"""Profiles as Cachegrind writes them (``cachegrind.out``): costs by file, function and line."""

from __future__ import annotations

from whyfast.formats.simulated import DamagedProfile, SimulatedProfile, counts_of


def parse_cachegrind(text: str) -> SimulatedProfile:
    """Read one profile; lines are added up to functions. Raises DamagedProfile."""
    profile = SimulatedProfile()
    function = ""
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith("fn="):
                function = line[3:]
            elif line.startswith("desc:"):
                profile.desc.append(line[5:].strip())
            elif line.startswith("events:"):
                profile.events = tuple(line[7:].split())
            elif line.startswith("summary:"):
                profile.totals = tuple(counts_of(line[8:].split(), profile.events))
            elif line[:1].isdecimal():
                own = profile.costs.setdefault(("", function), [0] * len(profile.events))
                for i, count in enumerate(counts_of(line.split()[1:], profile.events)):
                    own[i] += count
            elif line and not line.startswith(("fl=", "fi=", "fe=", "cmd:", "#")):
                raise ValueError(line[:60])
        except ValueError as error:
            raise DamagedProfile(f"line {number} is not of a Cachegrind profile: {error}") from None
    if not profile.events:
        raise DamagedProfile("no line names the events")
    return profile
