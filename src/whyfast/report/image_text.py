"""What the machine code made at run time shows, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.model.differences import differ_in
from whyfast.model.observed import JitImage, JumpForm
from whyfast.model.question import Question
from whyfast.model.slope import Line
from whyfast.report.lines_text import format_estimate
from whyfast.report.names import listed, shown

#: How programs follow one another, as a plural.
FORMS: dict[JumpForm, str] = {
    "direct": "direct jumps",
    "indirect": "indirect jumps",
    "thunk": "jumps through a thunk (retpoline)",
    "interpreted": "no code: the programs are interpreted",
    "unknown": "code that could not be told",
}


def image_sentences(
    study: Question, images: Sequence[JitImage], lines: Sequence[Line]
) -> list[str]:
    """What each variant's programs were compiled to, and what a setting alone does to that."""
    forms = {image.variant: image.form for image in images}
    if not forms:
        return []
    parts = [
        f"{FORMS[form]} for {listed([shown(v) for v, own in forms.items() if own == form])}"
        for form in dict.fromkeys(forms.values())
    ]
    return [
        f"In the machine code that was made at run time, one program follows the other by "
        f"{listed(parts)}.",
        *_switches(study, forms, lines),
    ]


def _switches(study: Question, forms: dict[str, JumpForm], lines: Sequence[Line]) -> list[str]:
    """Variants that a setting of the kernel alone sets apart from the main baseline."""
    slopes = {line.variant: line for line in lines}
    base = next((v for v in study.variants if v.name == study.baselines[0]), None)
    found = []
    for v in study.variants:
        if base is None or differ_in(v, base) != {"sysctl"}:
            continue
        if v.name not in forms or base.name not in forms:
            continue
        setting = listed([f"{k} = {x}" for k, x in v.sysctl.items() if base.sysctl.get(k) != x])
        said = f"{shown(v.name)} is {shown(base.name)} with nothing changed but {setting}"
        if forms[v.name] == forms[base.name]:
            found.append(f"{said}, which leaves the jumps as they are.")
            continue
        said += f": that alone turns {FORMS[forms[base.name]]} into {FORMS[forms[v.name]]}"
        if v.name in slopes and base.name in slopes:
            one, other = slopes[base.name], slopes[v.name]
            said += (
                f", and one more {one.name} from {format_estimate(one.slope)} "
                f"to {format_estimate(other.slope)}"
            )
        found.append(f"{said}.")
    return found
