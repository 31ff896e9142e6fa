"""Troubles of compilers, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from whyfast.model.trouble import Trouble
from whyfast.report.names import count, listed, sentence, shown


def trouble_sentences(troubles: Sequence[Trouble], looked_at: Iterable[str]) -> tuple[str, ...]:
    """What each build with a symptom shows, what is known of it and how it can be worked around;
    ``looked_at`` are all variants whose machine code was read."""
    if not troubles:
        return ()
    sentences = [sentence(" ".join((_finding(one), _way_out(one))).strip()) for one in troubles]
    without = [name for name in looked_at if name not in {t.variant for t in troubles}]
    if len(without) > 1 and len(troubles) + len(without) > 3:
        number = count(len(without), "other variant")
        sentences.append(f"The machine code of the {number} shows no such symptom.")
    return tuple(sentences)


def toml_lines(troubles: Iterable[Trouble]) -> tuple[str, ...]:
    """What can be added to the study to try the workarounds; a blank line between variants."""
    lines: list[str] = []
    for one in troubles:
        if one.toml:
            lines += ["", *one.toml] if lines else one.toml
    return tuple(lines)


def _finding(one: Trouble) -> str:
    name = shown(one.variant)
    if not one.name:
        return (
            f"{name} ({one.compiler}) shows {one.symptom}: {one.shows}. whyfast knows of no "
            "trouble of this compiler with that symptom."
        )
    where = f" ({one.sources[0]})" if one.sources else ""
    known = f"{one.title}{where}"
    if one.listed:
        return (
            f"{name} has the symptom of a known trouble of {one.compiler}: {known}. "
            f"What its code shows: {one.shows}."
        )
    return (
        f"{name} has the symptom of a trouble that is known of other versions than its "
        f"{one.compiler}: {known}. What its code shows: {one.shows}."
    )


def _way_out(one: Trouble) -> str:
    flags = f"`{' '.join(one.flags)}`"
    if one.cured:
        names = listed([shown(name) for name in one.cured])
        verb = "does" if len(one.cured) == 1 else "do"
        return f"{names}, the same with {flags}, {verb} not show it."
    if one.untried:
        names = " ".join(one.untried)
        return f"The study has the same with {flags}: run it with `--only {names}`."
    if one.toml:
        return f"{flags} may work around it: add the variant below to the study and run it again."
    if one.remedy:
        return f"What helps: {one.remedy}."
    if one.uncured:
        return (
            f"{flags} is said to work around it, but {listed([*map(shown, one.uncured)])} has it."
        )
    if one.flags:
        return f"{flags} works around it."
    return ""
