"""Pictures of an account as SVG: bars that divide a difference, and a differential flame graph.
Places across are per cent of the page, so that text keeps its size on a phone; every box is an
``svg`` of its own, which cuts off what it has no room for."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from whyfast.model.why import Frame
from whyfast.report.document import BarPart, FlameGraph, ShareBars
from whyfast.report.formatting import escape_controls, format_seconds

#: Heights in pixels of a bar with its gap, of a bar, and of a row of the flame graph.
_STEP, _BAR, _ROW = 38, 30, 19

#: Colours of causes, in the style sheet: ``.c0`` and so on.
COLOURS = 6

#: Rows of the flame graph; what is narrower than this share of the width is not drawn.
_DEEPEST, _NARROWEST = 60, 0.002

_BOX = Markup(
    '<svg x="{x:.3f}%" y="{y}" width="{width:.3f}%" height="{height}"><title>{title}</title>'
    '<rect class="{kind}" width="100%" height="100%"{more}/><text x="5" y="{base}">{text}</text>'
    "</svg>"
)
_WHOLE = Markup(
    '<svg class="{kind}" width="100%" height="{height}" role="img" aria-label="{label}">'
)


def bars_svg(block: ShareBars) -> Markup:
    """The bars above each other, each as wide as the page."""
    boxes: list[Markup] = []
    label = []
    for number, (title, parts) in enumerate(block.bars):
        boxes += _bar(parts, number * _STEP)
        label.append(f"by {title}: {', '.join(map(_part_text, parts))}")
    head = _WHOLE.format(
        kind="bars",
        height=_STEP * len(block.bars),
        label=escape_controls("The difference " + "; ".join(label)),
    )
    return head + Markup("").join(boxes) + Markup("</svg>")


def _bar(parts: tuple[BarPart, ...], y: int) -> Iterator[Markup]:
    total = max(1.0, sum(part.share for part in parts))
    start = 0.0
    for number, part in enumerate(parts):
        width = 100 * part.share / total
        yield _BOX.format(
            x=start,
            y=y,
            width=width,
            height=_BAR,
            title=escape_controls(_part_text(part)),
            kind="rest" if part.rest else f"c{number % COLOURS if y == 0 else 'p'}",
            more="",
            base=20,
            text=escape_controls(part.name),
        )
        start += width


def _part_text(part: BarPart) -> str:
    return f"{part.name}, {100 * part.share:.0f} %"


def flame_svg(block: FlameGraph) -> Markup:
    """The call tree, the outermost function on top. What the slow side does not call has no
    width."""
    root = block.root
    boxes = list(_flames(root, block, 0.0, 0)) if root.slow > 0 else []
    depth = 1 + max((level for level, _ in boxes), default=0)
    label = f"Call tree of {block.slow}: {block.caption}"
    head = _WHOLE.format(kind="flames", height=depth * _ROW, label=escape_controls(label))
    return head + Markup("").join(box for _, box in boxes) + Markup("</svg>")


def _flames(
    frame: Frame, block: FlameGraph, start: float, level: int
) -> Iterator[tuple[int, Markup]]:
    width = frame.slow / block.root.slow
    if width < _NARROWEST or level >= _DEEPEST:
        return
    difference = frame.slow - frame.fast
    most = max(abs(block.root.slow - block.root.fast), 1e-12)
    strength = 0.1 + 0.55 * min(1.0, abs(difference) / most)
    yield (
        level,
        _BOX.format(
            x=100 * start,
            y=level * _ROW,
            width=100 * width,
            height=_ROW - 1,
            title=escape_controls(_frame_text(frame, block)),
            kind="more" if difference >= 0 else "less",
            more=Markup(' fill-opacity="{:.2f}"').format(strength),
            base=13,
            text=escape_controls(frame.name),
        ),
    )
    for child in frame.children:
        yield from _flames(child, block, start, level + 1)
        start += child.slow / block.root.slow


def _frame_text(frame: Frame, block: FlameGraph) -> str:
    itself = [
        format_seconds(max(0.0, whole - sum(parts)))
        for whole, parts in (
            (frame.fast, [c.fast for c in frame.children]),
            (frame.slow, [c.slow for c in frame.children]),
        )
    ]
    share = 100 * frame.slow / block.root.slow
    return (
        f"{frame.name}: {block.fast} {format_seconds(frame.fast)}, {block.slow} "
        f"{format_seconds(frame.slow)} ({share:.0f} %); itself {itself[0]}, {itself[1]}"
    )
