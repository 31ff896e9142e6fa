"""The zig wheels that are known: which clang each holds, and the hashes that PyPI published."""

from __future__ import annotations

from whyfast.toolchain.wheels import Wheel


def _zig(clang: str, release: str, x86_64: str, aarch64: str) -> tuple[str, Wheel]:
    """``x86_64`` and ``aarch64`` are sha256 of its files for Linux."""
    return clang, Wheel("ziglang", release, (x86_64, aarch64))


#: By the name that a study uses: the version of clang inside, and the wheel.
WHEELS: dict[str, tuple[str, Wheel]] = {
    "clang-18": _zig(
        "18.1.6",
        "0.13.0",
        "3ce0c9f16547e5d61b32e0d226926e9a2552ef4b91fccf7ab5ea1a623a77824b",
        "5714a4d46f9246ba6180a0930e23df2bc8bc26e62b5fe0dc798b4afca1903308",
    ),
    "clang-19": _zig(
        "19.1.7",
        "0.14.1",
        "6eb9d4d759b292c83810dbee2e9e8e3fbfbf01d864e6e9811bae711fd74e1c2f",
        "7994b27f3cbfcedea43f9b7552e38b45857bdf0e9a45065474092dd74e7048cf",
    ),
    "clang-20": _zig(
        "20.1.2",
        "0.15.2",
        "806316453d1ede7174ed3fefb8e5348154629089c3bb5fe812dfd0e172fac130",
        "edc0aa60ec964a4cf462d40f68d7de242ddf37fd9a80f2afaee6397059463230",
    ),
    "clang-21": _zig(
        "21.1.0",
        "0.16.0",
        "9fcda73f62b851dd72a54b710ad40a209896db14cfb13649e62191243556342b",
        "e27d409812b11e0fb89ed0200cf2e55b6464d43f9461553104e4a4f9a94a1fd5",
    ),
    "clang-22": _zig(
        "22.1.8",
        "0.17.0",
        "97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b",
        "d2804f94f54f7fcf8169f4b212a619ad688a4e2e6592e976f0cf2e58e2cd8af3",
    ),
}
