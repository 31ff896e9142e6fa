"""Why functions grew, on programs that were made to grow for that reason alone."""

import platform
from pathlib import Path

import pytest
from tests.unit.explain.conftest import Compile

from whyfast.explain.growth import repeats, vector_bytes
from whyfast.explain.sizes import size_changes, sizes_of
from whyfast.model.cost import GrowthReason

pytestmark = pytest.mark.skipif(
    platform.system() != "Linux" or platform.machine() != "x86_64", reason="needs ELF of x86-64"
)

SUM = """
__attribute__((noinline)) unsigned long work(const unsigned *a, unsigned long n)
{
    unsigned long s = 0;
    UNROLL
    for (unsigned long i = 0; i < n; i++) s = s * 3 + (a[i] ^ (s >> 7));
    return s;
}
unsigned a[1000];
int main(int c, char **v) { return work(a, c) & 1; }
"""
FLOATS = """
__attribute__((noinline)) void work(float *restrict a, const float *restrict b, int n)
{
    for (int i = 0; i < n; i++) a[i] = a[i] * 3 + b[i];
}
float a[1000], b[1000];
int main(int c, char **v) { work(a, b, c); return a[0] > 1; }
"""
CALLEE = """
static INLINE unsigned find(const unsigned *a, unsigned x)
{
    unsigned at = 0, end = 1000;
    while (at < end) { unsigned m = (at + end) / 2; if (a[m] < x) at = m + 1; else end = m; }
    return at < 1000 && a[at] == x ? at : x * 2654435761u % 1000;
}
unsigned a[1000];
__attribute__((noinline)) unsigned work(unsigned x) { return find(a, x) + find(a, x + 7) * 3; }
int main(int c, char **v) { return work(c) & 1; }
"""
INLINED = "-DINLINE=inline __attribute__((always_inline))"
APART = "-DINLINE=__attribute__((noinline))"


def _reasons(*paths: Path) -> dict[str, GrowthReason | None]:
    """By function; what comes before one that grew may have other padding then."""
    sizes = {str(i): sizes_of({"p": path}) for i, path in enumerate(paths)}
    return {c.name: c.why for c in size_changes(sizes, [("1", "0")]) if c.of == "function"}


def test_an_unrolled_loop(gcc: Compile) -> None:
    paths = gcc(SUM, "-O2", "-DUNROLL="), gcc(SUM, "-O2", '-DUNROLL=_Pragma("GCC unroll 16")')
    assert _reasons(*paths)["work"] == GrowthReason("unrolled")
    assert _reasons(*reversed(paths))["work"] == GrowthReason("unrolled")


def test_a_loop_on_vectors_and_how_wide(gcc: Compile) -> None:
    plain, *wide = (
        gcc(FLOATS, "-O2", *flags)
        for flags in (["-fno-tree-vectorize"], ["-ftree-vectorize"], ["-ftree-vectorize", "-mavx2"])
    )
    assert _reasons(plain, wide[0])["work"] == GrowthReason("vectorised", amount=16)
    assert _reasons(plain, wide[1])["work"] == GrowthReason("vectorised", amount=32)


def test_an_inlined_callee_is_named_and_is_gone_for_that(gcc: Compile) -> None:
    paths = gcc(CALLEE, "-O2", APART), gcc(CALLEE, "-O2", INLINED)
    found = _reasons(*paths)
    assert found["work"] == GrowthReason("inlined", ("find",))
    assert found["find"] == GrowthReason("apart")
    assert _reasons(*reversed(paths)) == found


def test_an_inlined_callee_whose_own_callees_are_functions_now(gcc: Compile) -> None:
    """Where ``find`` is inlined, most of what it held is called instead."""
    held = "".join(f"x ^= a[x % {n}] * {n}u; if (x & {n}) x /= {n}; " for n in range(901, 931))
    text = CALLEE.replace("unsigned a[1000];", "").replace(
        "static INLINE",
        f"unsigned a[1000]; static HELD unsigned held(unsigned x) {{ {held} return x; }}\n"
        "static INLINE",
    )
    text = text.replace("? at :", "? held(at) :")
    inline, apart = INLINED.partition("=")[2], APART.partition("=")[2]
    paths = (
        gcc(text, "-O2", APART, f"-DHELD={inline}"),
        gcc(text, "-O2", INLINED, f"-DHELD={apart}"),
    )
    assert _reasons(*paths)["work"] == GrowthReason("inlined", ("find",))


def test_padding_of_loops(gcc: Compile) -> None:
    paths = (gcc(SUM, "-O2", "-DUNROLL=", f"-falign-loops={n}") for n in (1, 64))
    reason = _reasons(*paths)["work"]
    assert reason is not None
    assert reason.kind == "padding"
    assert 16 < reason.amount < 128


def test_a_function_of_one_build_alone(gcc: Compile) -> None:
    more = "int extra(int x) { return x * 7 + 1; }\n"
    paths = gcc(SUM, "-O2", "-DUNROLL="), gcc(more + SUM, "-O2", "-DUNROLL=")
    assert _reasons(*paths)["extra"] == GrowthReason("alone")


def test_other_work_has_no_reason(gcc: Compile) -> None:
    more = SUM.replace("return s;", "if (s % 7 == 3) s = s / n ^ a[n / 2] << 3;\n return s + n;")
    found = _reasons(gcc(SUM, "-O2", "-DUNROLL="), gcc(more, "-O2", "-DUNROLL="))
    assert found["work"] is None


def test_more_cases_of_a_switch_are_no_unrolled_loop(gcc: Compile) -> None:
    cases = [f"case {n * 7}: s ^= a[s % {n + 900}] * 3; s = f(s, {n}); break;" for n in range(9)]
    text = """
    unsigned a[1000];
    __attribute__((noinline)) unsigned f(unsigned x, unsigned y) { return x * a[y]; }
    __attribute__((noinline)) unsigned work(unsigned n, unsigned s)
    { switch (n) { CASES } return s; }
    int main(int c, char **v) { return work(c, 3) & 1; }
    """
    paths = [gcc(text.replace("CASES", " ".join(cases[:n])), "-O2") for n in (5, 9)]
    assert _reasons(*paths)["work"] is None


def test_repetitions_are_of_three_copies_and_no_rows_of_one_form() -> None:
    loop = ["mov R64, []", "add R64, R64", "xor R64, R64", "shl R64, #"]
    assert repeats(["push R64", *loop * 3, "ret"]) == 12
    assert repeats(["push R64", *loop * 2, "ret"]) == 0
    assert repeats(["mov [], R64"] * 30) == 0


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("addps xmm0, xmm1", 16),
        ("vpaddd ymm0, ymm1, [rax]", 32),
        ("vmovups zmm0, [rdi]", 64),
        ("addsd xmm0, xmm1", 0),
        ("cvtsi2sd xmm0, eax", 0),
        ("pxor xmm0, xmm0", 0),
        ("add rax, rbx", 0),
        ("fadd v0.4s, v1.4s, v2.4s", 16),
        ("ldp q0, q1, [x0]", 16),
        ("fadd d0, d1, d2", 0),
    ],
)
def test_how_wide_instructions_are(text: str, width: int) -> None:
    assert vector_bytes(text) == width
