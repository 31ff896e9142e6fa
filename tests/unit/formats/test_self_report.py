"""What programs print about themselves."""

from __future__ import annotations

import pytest

from whyfast.formats.self_report import (
    Code,
    ReportedFigure,
    read_buckets,
    read_code,
    read_figures,
    read_overheads,
)
from whyfast.model.errors import UserError


def test_machine_code_with_the_places_it_jumps_to() -> None:
    report = read_code(
        "image calls=1 index=static\ncompiled 1\nprogram 0 0xffffffffc0000010 90c3\n"
        "program 1 0x0 c3\nsymbol 0xffffffff81000000 __x86_return_thunk\ndone\n"
    )
    assert report.compiled
    assert report.programs == (
        Code(0, 0xFFFFFFFFC0000010, b"\x90\xc3"),
        Code(1, 0, b"\xc3"),
    )
    assert report.symbols == {0xFFFFFFFF81000000: "__x86_return_thunk"}
    assert not read_code("compiled 0\ndone\n").compiled


def test_buckets_and_overheads_are_in_seconds() -> None:
    text = "histogram runs=7\nbucket 24 1 5\nbucket 266240 0 2\ndone\n"
    first, last = read_buckets(text)
    assert first == pytest.approx((24e-9, 1e-9, 5))
    assert last == pytest.approx((266240e-9, 0, 2))
    ((what, seconds),) = read_overheads("overhead 610.5 a system call\ndone\n")
    assert what == "a system call"
    assert seconds == pytest.approx(610.5e-9)


def test_figures_words_and_what_is_missing() -> None:
    text = (
        "figure 0.5 references a call\nword CALL+LOAD_ATTR instructions that call\n"
        "missing blocks of memory: it came with 3.4: not here\nlacks nothing\ndone\n"
    )
    assert read_figures(text) == (
        ReportedFigure("references a call", number=0.5),
        ReportedFigure("instructions that call", text="CALL+LOAD_ATTR"),
        ReportedFigure("blocks of memory", why="it came with 3.4: not here"),
    )


@pytest.mark.parametrize(
    "line", ["figure 5", "figure x y", "figure inf y", "word w", "missing what", "missing : why"]
)
def test_malformed_figures(line: str) -> None:
    with pytest.raises(UserError, match="line 1 of the report is malformed"):
        read_figures(f"{line}\ndone\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'the report does not end with "done"'),
        ("bucket 24 1 5\n", 'the report does not end with "done"'),
        ("bucket 24 1\ndone\n", "line 1 of the report is malformed: 'bucket 24 1'"),
        ("x\nbucket nan 1 5\ndone\n", "line 2 of the report is malformed: 'bucket nan 1 5'"),
        ("bucket 24 1 -5\ndone\n", "line 1 of the report is malformed: 'bucket 24 1 -5'"),
    ],
)
def test_a_malformed_report(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        read_buckets(text)
    assert caught.value.message == message


def test_malformed_code() -> None:
    with pytest.raises(UserError, match="line 1 of the report is malformed: 'program 0 0x0 9'"):
        read_code("program 0 0x0 9\ndone\n")
    with pytest.raises(UserError, match="malformed"):
        read_overheads("overhead 5\ndone\n")
