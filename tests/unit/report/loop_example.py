"""A result of ``timeit``: two statements on a sorted list, of which one sorts in place."""

from dataclasses import replace

from tests.unit.example_blocks import block
from tests.unit.report.example import STARTED, sample_result, verdict
from tests.unit.report.parts import changed

from whyfast.model.evidence import BytecodeLine, CallCount, ChangedVariable, Listing, LoopFacts
from whyfast.model.result import Found, Result
from whyfast.model.study import Commands
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Confound, LoopTime

SORTED, SORT = "sorted(x)", "x.sort()"
CODE = {
    SORTED: (
        BytecodeLine("LOAD_GLOBAL", "NULL + sorted", "LOAD_GLOBAL_BUILTIN"),
        BytecodeLine("LOAD_FAST", "x"),
        BytecodeLine("CALL", "", "CALL_BUILTIN_FAST_WITH_KEYWORDS"),
        BytecodeLine("POP_TOP"),
    ),
    SORT: (
        BytecodeLine("LOAD_FAST", "x"),
        BytecodeLine("LOAD_ATTR", "NULL|self + sort", "LOAD_ATTR_METHOD_NO_DICT"),
        BytecodeLine("CALL", "", "CALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS"),
        BytecodeLine("POP_TOP"),
    ),
}
WARNING = Confound(
    "statement",
    f"{SORT!r} changes x in its first loop; every loop after that finds what the one before left",
    "warning",
    (SORT,),
)


def loop_result() -> Result:
    """``whyfast timeit 'sorted(x)' 'x.sort()' -s 'x = list(range(1000))[::-1]'``."""
    setup = "x = list(range(1000))[::-1]"
    first = LoopFacts(
        SORTED,
        "CPython 3.13.0",
        SORTED,
        setup,
        value="[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1...",
        empty=7e-9,
        calls=(CallCount("C", "sorted", 1.0),),
        peak=8056,
        left=0.0,
        collections=0.0,
        time=LoopTime(5.1e-6, 5.0e-6, 5.2e-6, 0.99, 12),
        code=(Listing("statement", CODE[SORTED]),),
    )
    second = replace(
        first,
        variant=SORT,
        statement=SORT,
        value="None",
        changed=(ChangedVariable("x", "once"),),
        calls=(CallCount("C", "list.sort", 1.0),),
        peak=112,
        time=LoopTime(3.4e-6, 3.3e-6, 3.5e-6, 0.99, 12),
        code=(Listing("statement", CODE[SORT]),),
    )
    question = Commands(
        name="timeit",
        baselines=(SORTED,),
        margin=0.01,
        budget=20.0,
        variants=(Variant(SORTED), Variant(SORT)),
        benchmarks=(Benchmark("loop", "turn", ()),),
    )
    blocks = tuple(
        block(
            {SORTED: (5.1e-4 + i * 1e-7,) * 5, SORT: (3.4e-4 + i * 1e-7,) * 5},
            benchmark="loop",
            index=i,
            cpu=0,
            loops=100,
            started=STARTED + i,
        )
        for i in range(12)
    )
    result = changed(
        sample_result(),
        question=question,
        builds=(),
        toolchains=(),
        blocks=blocks,
        verdicts=(verdict(SORT, SORTED, "faster", 0.667, 0.66, 0.67, benchmark="loop"),),
        suites=(),
        evidence=(),
        confounds=(WARNING,),
        about="commands",
    )
    return replace(result, found=Found(loops=(first, second)))
