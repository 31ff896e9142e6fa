"""ELF objects as an enemy makes them."""

import random
import struct

import pytest
from tests.golden_files import Hear
from tests.subjects.ebpf_assembly import EXIT
from tests.subjects.ebpf_objects import (
    CALL,
    FUNCTION,
    GLOBAL,
    TO_FUNCTION,
    Load,
    calling,
    elf,
    relocation,
    text,
)


@pytest.mark.parametrize(
    "content",
    [
        b"\x7fELF",
        elf([text(".text", 1)])[:63],
        elf([text(".text", 1)])[:-1],
        elf([]),
        elf([text(".text", 1)], machine=62),
        elf([text(".text", 1)], kind=2),
        elf([text(".text", 1)], ident=b"\x7fELF\x01\x01\x01"),
        elf([text(".text", 1)], ident=b"\x7fELF\x02\x02\x01"),
    ],
)
def test_what_is_no_bpf_object_is_refused(load: Load, content: bytes, golden: Hear) -> None:
    golden(load(content))


def patched(offset: int, layout: str, value: int) -> bytes:
    content = bytearray(elf([text(".text", 1)]))
    struct.pack_into(layout, content, offset, value)
    return bytes(content)


TABLE = struct.unpack_from("<Q", elf([text(".text", 1)]), 40)[0]
HUGE = 2**64 - 8


@pytest.mark.parametrize(
    "content",
    [
        patched(40, "<Q", HUGE),
        patched(60, "<H", 65535),
        patched(58, "<H", 1),
        patched(62, "<H", 9),
        patched(60, "<H", 0),
        patched(TABLE + 64 + 24, "<Q", HUGE),
        patched(TABLE + 64 + 32, "<Q", HUGE),
        patched(TABLE + 128 + 24, "<Q", HUGE),
        patched(TABLE + 128 + 32, "<Q", HUGE),
        patched(TABLE + 64, "<I", 2**32 - 1),  # no name, but the first code
        patched(TABLE + 64 + 32, "<Q", 15),
    ],
)
def test_fields_that_lie_are_noticed(load: Load, content: bytes, golden: Hear) -> None:
    golden(load(content))


def test_random_damage_never_crashes(load: Load) -> None:
    rng = random.Random(62)
    good = calling(CALL + EXIT, relocation(0, 2, TO_FUNCTION), [("two", FUNCTION, GLOBAL, 2, 16)])
    assert load(good, "--section", "xdp") == "0x2"
    for _ in range(300):
        content = bytearray(good[: rng.choice([len(good), rng.randrange(4, len(good))])])
        for _ in range(rng.randrange(1, 6)):
            content[rng.randrange(4, len(content))] = rng.choice([0, 1, 127, 128, 255])
        load(bytes(content))
