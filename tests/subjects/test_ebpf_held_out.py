"""The held-out programs: their expected results are right, and the machine's forms return them."""

import base64 as base64_of_python
import functools
import hashlib
import heapq
import itertools
import struct
import tomllib
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.compiled import compiled_once
from tests.subjects.conftest import FORMS, SUBJECT, run
from tests.subjects.ebpf_results import numbers, rotate

BITS32, BITS64 = 2**32 - 1, 2**64 - 1
FOLDER = SUBJECT / "programs" / "held-out"
EXPECTED: dict[str, dict[str, object]] = tomllib.loads((FOLDER / "expected.toml").read_text())
MEMORY = 16384


def random_bytes(seed: int, count: int) -> bytes:
    stream = numbers(seed)
    return bytes(next(stream) >> 24 for _ in range(count))


# --- what they compute, once more, and where there is one by an implementation of others ---


def sha256() -> int:
    return int.from_bytes(hashlib.sha256(random_bytes(7, 1000)).digest()[:8], "big")


def crc32() -> int:
    content = random_bytes(13, 2048)
    return zlib.adler32(content) << 32 | zlib.crc32(content)


def base64() -> int:
    text = base64_of_python.b64encode(random_bytes(12, 1000))
    return sum(c * (i + 1) for i, c in enumerate(text))


def bignum() -> int:
    exponent = next(numbers(17)) >> 8
    return pow(7, exponent, 2**255 - 19) & BITS64


def chacha20() -> int:
    def quarter(x: list[int], a: int, b: int, c: int, d: int) -> None:
        for first, second, by in ((a, b, 16), (c, d, 12), (a, b, 8), (c, d, 7)):
            x[first] = (x[first] + x[second]) & BITS32
            other = d if first == a else b
            x[other] = rotate(x[other] ^ x[first], by, 32)

    key = bytes(range(32))
    nonce = bytes.fromhex("000000090000004a00000000")
    text = bytes(i & 255 for i in range(1024))
    output = b""
    for number in range(16):
        constants = b"expand 32-byte k" + key + struct.pack("<I", number + 1) + nonce
        state = list(struct.unpack("<16I", constants))
        x = list(state)
        for _ in range(10):
            for columns in range(4):
                quarter(x, columns, 4 + columns, 8 + columns, 12 + columns)
            for i in range(4):
                quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
        words = [(a + b) & BITS32 for a, b in zip(x, state, strict=True)]
        output += struct.pack("<16I", *words)
    mixed = bytes(a ^ b for a, b in zip(text, output, strict=True))
    words64: tuple[int, ...] = struct.unpack("<128Q", mixed)
    return sum(word * (i + 1) for i, word in enumerate(words64)) & BITS64


def siphash() -> int:
    def digest(message: bytes) -> int:
        k0, k1 = struct.unpack("<QQ", bytes(range(16)))
        v: list[int] = [
            k0 ^ 0x736F6D6570736575,
            k1 ^ 0x646F72616E646F6D,
            k0 ^ 0x6C7967656E657261,
            k1 ^ 0x7465646279746573,
        ]

        def rounds(count: int) -> None:
            for _ in range(count):
                v[0] = (v[0] + v[1]) & BITS64
                v[1] = rotate(v[1], 13, 64) ^ v[0]
                v[0] = rotate(v[0], 32, 64)
                v[2] = (v[2] + v[3]) & BITS64
                v[3] = rotate(v[3], 16, 64) ^ v[2]
                v[0] = (v[0] + v[3]) & BITS64
                v[3] = rotate(v[3], 21, 64) ^ v[0]
                v[2] = (v[2] + v[1]) & BITS64
                v[1] = rotate(v[1], 17, 64) ^ v[2]
                v[2] = rotate(v[2], 32, 64)

        padded = message + bytes(-(len(message) + 1) % 8) + bytes([len(message)])
        for (word,) in struct.iter_unpack("<Q", padded):
            v[3] ^= word
            rounds(2)
            v[0] ^= word
        v[2] ^= 0xFF
        rounds(4)
        return v[0] ^ v[1] ^ v[2] ^ v[3]

    # The last example of the paper that defines it (Aumasson and Bernstein, appendix A).
    assert digest(bytes(range(15))) == 0xA129CA6149BE45E5
    total = 0
    for i in range(240):
        total ^= digest(bytes(range(i & 63))) * (2 * i + 1) & BITS64
    return total


def heapsort() -> int:
    stream = numbers(8)
    records = [(next(stream), i) for i in range(400)]
    total = 0
    for key, value in heapq.nsmallest(400, records):
        total = ((total * 31 + key) * 31 + value) & BITS64
    return total


def matrix() -> int:
    stream = numbers(10)
    entries = [next(stream) >> 1 for _ in range(512)]
    a = np.array(entries[:256], dtype=object).reshape(16, 16)
    b = np.array(entries[256:], dtype=object).reshape(16, 16)
    total = 0
    for x, y in zip((a @ b).flatten(), (a @ b.T).flatten(), strict=True):
        total = ((total * 31 + x % 2**32) * 31 + y % (2**31 - 1)) & BITS64
    return total


def softfloat() -> int:
    """By the floating point of the processor."""

    def value(bits: int) -> np.float32:
        return np.frombuffer(struct.pack("<I", bits), dtype=np.float32)[0]  # type: ignore[no-any-return]

    def bits(result: np.float32) -> int:
        if np.isnan(result):
            return 0x7FC00000
        return int.from_bytes(np.float32(result).tobytes(), "little")

    stream = numbers(11)
    x, total = value(0xC0000000), 0
    with np.errstate(all="ignore"):
        for i in range(200):
            y = value(0x3E4CCCCD)
            for term in (0xBF000000, 0x3F99999A, 0xBDCCCCCD):
                y = y * x + value(term)
            total += bits(y) * (2 * i + 1)
            x = x + value(0x3CA3D70A)
            a, b = value(next(stream)), value(next(stream))
            total += bits(a + b) * (2 * i + 1) + bits(a * b) * i
    return total & BITS64


def edit() -> int:
    stream = numbers(18)
    letters = [(next(stream) >> 24) % 7 for _ in range(180)]
    first, second = letters[:90], letters[90:]

    @functools.cache
    def distance(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        same = first[i - 1] == second[j - 1]
        return min(
            distance(i - 1, j) + 1, distance(i, j - 1) + 1, distance(i - 1, j - 1) + (not same)
        )

    @functools.cache
    def common(i: int, j: int) -> int:
        if not i or not j:
            return 0
        if first[i - 1] == second[j - 1]:
            return common(i - 1, j - 1) + 1
        return max(common(i - 1, j), common(i, j - 1))

    return distance(90, 90) << 32 | common(90, 90)


def routes() -> int:
    def address(number: int) -> int:
        return ((number & 0x0F00FF00) << 4 | (number >> 24 & 255) << 8 | number & 255) & BITS32

    stream = numbers(19)
    table: dict[str, int] = {}
    nodes = {""}
    for i in range(1, 121):
        target = f"{address(next(stream)):032b}"
        prefix = target[: 4 + (next(stream) >> 16) % 25]
        table[prefix] = i
        nodes.update(prefix[:length] for length in range(len(prefix) + 1))
    misses = total = 0
    for _ in range(600):
        target = f"{address(next(stream)):032b}"
        found = next((table[p] for n in range(32, -1, -1) if (p := target[:n]) in table), 0)
        misses += not found
        total = (total * 5 + found) & BITS32
    return misses << 48 | len(nodes) << 32 | total


def aes128() -> int:
    def twice(x: int) -> int:
        return x << 1 ^ (0x11B if x & 128 else 0)

    def product(x: int, y: int) -> int:
        total = 0
        while y:
            total ^= x if y & 1 else 0
            x, y = twice(x), y >> 1
        return total

    box = []
    for x in range(256):
        inverse = next((y for y in range(256) if product(x, y) == 1), 0)
        box.append(0x63)
        for by in range(5):
            box[x] ^= rotate(inverse, by, 8)
    words = [list(range(4 * i, 4 * i + 4)) for i in range(4)]
    constant = 1
    for i in range(4, 44):
        word = list(words[-1])
        if i % 4 == 0:
            word = [box[b] for b in word[1:] + word[:1]]
            word[0] ^= constant
            constant = twice(constant)
        words.append([a ^ b for a, b in zip(word, words[i - 4], strict=True)])
    keys = [bytes(itertools.chain(*words[i : i + 4])) for i in range(0, 44, 4)]

    def encrypt(block: bytes) -> bytes:
        state = [a ^ b for a, b in zip(block, keys[0], strict=True)]
        for number, key in enumerate(keys[1:], 1):
            state = [box[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
            if number < 10:
                columns = [state[i : i + 4] for i in range(0, 16, 4)]
                state = [
                    twice(c[i]) ^ twice(c[(i + 1) % 4]) ^ c[(i + 1) % 4] ^ c[i - 2] ^ c[i - 1]
                    for c in columns
                    for i in range(4)
                ]
            state = [a ^ b for a, b in zip(state, key, strict=True)]
        return bytes(state)

    plain = bytes.fromhex("00112233445566778899aabbccddeeff")
    # The example of FIPS 197, appendix C.1.
    assert encrypt(plain).hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"
    total = 0
    for number in range(12):
        block = struct.pack("<QQ", 0x7766554433221100 + number, 0xFFEEDDCCBBAA9988)
        for half in struct.unpack("<QQ", encrypt(block)):
            total = rotate(total, 7, 64) ^ half
    return total


def table() -> int:
    stream = numbers(9)
    counts: dict[int, int] = {}
    removed = 0
    for _ in range(1500):
        number = next(stream)
        key = (number >> 24) * 0x10001 + 77
        if number >> 8 & 3:
            if key in counts or len(counts) <= 200:
                counts[key] = counts.get(key, 0) + 1
        elif counts.pop(key, 0):
            removed += 1
    total = sum(key * count for key, count in counts.items())
    return removed << 48 | len(counts) << 32 | total & BITS32


def huffman() -> int:
    stream = numbers(14)
    letters = [
        min(number >> 28, number >> 20 & 15) for number in (next(stream) for _ in range(1200))
    ]
    weights = [1 + letters.count(i) for i in range(16)]
    # A letter's code grows by one bit whenever a tree that holds it is joined to another.
    trees = [(weight, letters.count(i)) for i, weight in enumerate(weights)]
    heapq.heapify(trees)
    bits = 0
    while len(trees) > 1:
        (one, held), (two, holds) = heapq.heappop(trees), heapq.heappop(trees)
        bits += held + holds
        heapq.heappush(trees, (one + two, held + holds))
    total = 0
    for letter in letters:
        total = (total * 31 + letter) & BITS32
    return bits << 32 | total


RESULTS = {
    function.__name__: function
    for function in (
        sha256,
        crc32,
        base64,
        bignum,
        chacha20,
        siphash,
        heapsort,
        matrix,
        softfloat,
        edit,
        routes,
        aes128,
        table,
        huffman,
    )
}


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_the_expected_results_are_right(name: str) -> None:
    assert EXPECTED[name]["result"] == hex(RESULTS[name]())


def test_every_program_has_a_source_and_bytecode() -> None:
    sources = {path.stem for path in FOLDER.glob("*.c")}
    assert sources == {path.stem for path in FOLDER.glob("*.hex")} == set(EXPECTED)
    assert len(sources) >= 12


def test_native_code_returns_what_is_expected(gcc: list[str]) -> None:
    for name, entry in EXPECTED.items():
        command = [*gcc, "-O1", "-include", str(FOLDER / f"{name}.c"), f"-DPROGRAM={name}"]
        program = compiled_once([*command, f"{FOLDER.parent}/native.c"], [FOLDER, FOLDER.parent])
        process = run(program, MEMORY)
        assert process.stdout == f"{entry['result']}\n", name


@pytest.mark.parametrize("form", FORMS)
def test_the_machine_returns_what_is_expected(form: str, build_vm: Callable[[str], Path]) -> None:
    vm = build_vm(form)
    for name, entry in EXPECTED.items():
        arguments = entry["args"]
        assert isinstance(arguments, list)
        process = run(vm, "run", *arguments, cwd=SUBJECT)
        assert (process.stdout, process.stderr) == (f"{entry['result']}\n", ""), name
