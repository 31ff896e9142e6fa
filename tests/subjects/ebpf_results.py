"""What the shipped eBPF programs compute, once more and in Python."""

from collections.abc import Iterator

BITS32, BITS64 = 2**32 - 1, 2**64 - 1


def numbers(seed: int) -> Iterator[int]:
    while True:
        seed = (seed * 1664525 + 1013904223) & BITS32
        yield seed


def words32(seed: int, length: int) -> list[int]:
    return [number for number, _ in zip(numbers(seed), range(length // 4), strict=False)]


def collatz() -> int:
    def steps(n: int) -> int:
        count = 0
        while n != 1:
            n = 3 * n + 1 if n % 2 else n // 2
            count += 1
        return count

    best = max(range(1, 400), key=steps)
    return best << 32 | steps(best)


def sieve(length: int = 4096) -> int:
    primes = [n for n in range(2, length) if all(n % d for d in range(2, int(n**0.5) + 1))]
    return len(primes) << 32 | primes[-1]


def fnv1a(length: int = 4096) -> int:
    digest = 0xCBF29CE484222325
    for number, _ in zip(numbers(1), range(length), strict=False):
        digest = (digest ^ number >> 24) * 0x100000001B3 & BITS64
    return digest


def rotate(value: int, by: int, bits: int) -> int:
    mask: int = 2**bits - 1
    value &= mask
    return (value << by | value >> (bits - by)) & mask


def murmur3(length: int = 2048) -> int:
    digest = 0
    for _ in range(8):
        for word in words32(2, length):
            digest ^= rotate(word * 0xCC9E2D51, 15, 32) * 0x1B873593 & BITS32
            digest = rotate(digest, 13, 32) * 5 + 0xE6546B64 & BITS32
        digest ^= length
        digest = (digest ^ digest >> 16) * 0x85EBCA6B & BITS32
        digest = (digest ^ digest >> 13) * 0xC2B2AE35 & BITS32
        digest ^= digest >> 16
    return digest


def shellsort(length: int = 2048) -> int:
    total = 0
    for word in sorted(words32(3, length)):
        total = total * 31 + word & BITS64
    return total


def scanner() -> int:
    counts = {"word": 0, "number": 0, "string": 0, "comment": 0}
    state = "between"
    for number, _ in zip(numbers(4), range(3000), strict=False):
        c = chr(number >> 25)
        if state == "between":
            if "a" <= c <= "z":
                state = "word"
            elif c in "0123456789":
                state = "number"
            elif c in "\"'":
                state = "string"
            elif c in "#;":
                state = "comment"
            if state != "between":
                counts[state] += 1
        elif state == "escape":
            state = "string"
        elif state == "string" and c == "\\":
            state = "escape"
        elif (
            (state == "word" and not (c.isascii() and c.isalnum()))
            or (state == "number" and c not in "0123456789.")
            or (state == "string" and (c == '"' or ord(c) < 16))
            or (state == "comment" and ord(c) < 8)
        ):
            state = "between"
    return sum(count << 16 * place for place, count in enumerate(counts.values()))


PRIMES = [0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63]


def xxh64(length: int = 16384) -> int:
    def round64(lane: int, word: int) -> int:
        return rotate(lane + word * PRIMES[1], 31, 64) * PRIMES[0] & BITS64

    stream = numbers(5)
    words = [next(stream) << 32 | next(stream) for _ in range(length // 8)]
    lanes = [PRIMES[0] + PRIMES[1], PRIMES[1], 0, -PRIMES[0]]
    for i, word in enumerate(words):
        lanes[i % 4] = round64(lanes[i % 4], word)
    digest = sum(rotate(lane, by, 64) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True))
    for lane in lanes:
        digest = ((digest ^ round64(0, lane)) * PRIMES[0] + PRIMES[3]) & BITS64
    digest = digest + length & BITS64
    digest = (digest ^ digest >> 33) * PRIMES[1] & BITS64
    digest = (digest ^ digest >> 29) * PRIMES[2] & BITS64
    return digest ^ digest >> 32


def lanes() -> int:
    total = 0
    for lane in range(1, 9):
        for _ in range(3000):
            lane = (lane * 1664525 + 1013904223) & BITS64
        total += lane
    return total & BITS64


def chain() -> int:
    x = 0
    for _ in range(34):
        for i in range(200):
            x ^= x << 13 & BITS64
            x ^= x >> 7
            x ^= x << 17 & BITS64
            x = x + i & BITS64
        x = x + 1 & BITS64
    return x


RESULTS = {
    function.__name__: function
    for function in (collatz, scanner, sieve, fnv1a, murmur3, shellsort, xxh64, lanes, chain)
}
