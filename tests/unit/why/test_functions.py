"""User time by function: names that fit both sides, seconds that add up, trees of calls."""

from __future__ import annotations

import pytest

from whyfast.explain.objects import short_name
from whyfast.formats.profiles import StackFrame
from whyfast.measure.perf import SampledRun
from whyfast.model.why import Change, Frame
from whyfast.why.functions import (
    FunctionKey,
    FunctionTime,
    Names,
    call_tree,
    callers,
    function_times,
    plain_name,
    total_change,
)

LIBC = "/lib/x86_64-linux-gnu/libc.so.6"
USER = Change(1.0, 3.0, 1.9, 2.1)


def frame(name: str, path: str, place: int = 0x1000) -> StackFrame:
    return StackFrame(name, 0, path, place)


OLD, NEW = frame("work", "/old/vm"), frame("work", "/new/vm", 0x2000)
STRLEN_OLD, STRLEN_NEW = frame("__strlen_avx2", LIBC), frame("__strlen_evex", LIBC)


def runs() -> list[SampledRun]:
    """The fast side takes a second a run, of which `strlen` a quarter; the slow one three."""
    fast = [SampledRun("fast", {(OLD,): 0.75, (STRLEN_OLD, OLD): 0.25}) for _ in range(3)]
    slow = [SampledRun("slow", {(NEW,): 0.75, (STRLEN_NEW, NEW): 2.25}) for _ in range(3)]
    return fast + slow


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("main", "main"),
        ("std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector::push_back"),
        ("ns::Tree<ns::Node<int>*>::find(int) const", "ns::Tree::find"),
        ("void std::sort<int*, bool (*)(int, int)>(int*, int*, bool (*)(int, int))", "std::sort"),
        ("operator new(unsigned long)", "operator new"),
        ("Big::operator<(Big const&) const", "Big::operator<"),
        ("Big::operator<<(int)", "Big::operator<<"),
        ("Call::operator()(int) const", "Call::operator()"),
        ("(anonymous namespace)::step(int)", "(anonymous namespace)::step"),
        ("<alloc::vec::Vec<T> as core::ops::Index<I>>::index", "alloc::vec::Vec::index"),
        ("core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place"),
        ("float sum<float>(float const*, unsigned long)", "sum"),
        (
            "ns::run(int)::{lambda(int, char)#1}::operator()(int) const",
            "ns::run(int)::{lambda(int, char)#1}::operator()",
        ),
        (
            "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char)",
            "std::operator<<",
        ),
        ("non-virtual thunk to Shape::area() const", "Shape::area"),
        ("(below main)", "(below main)"),
        ("main.(*Tree).Insert", "main.(*Tree).Insert"),
        ("runtime.mallocgc", "runtime.mallocgc"),
    ],
)
def test_names_of_cpp_rust_and_go_without_parameters(name: str, short: str) -> None:
    assert short_name(name) == short


@pytest.mark.parametrize(
    ("symbol", "library", "name"),
    [
        ("work.part.0", "", "work"),
        ("work.constprop.1.isra.0", "", "work"),
        ("work.cold", "", "work"),
        ("fib'2", "", "fib"),
        ("_ZN4Tree6insertEi", "", "Tree::insert"),
        ("memcpy@@GLIBC_2.14", "libc.so.6", "memmove"),  # one code
        ("__memmove_avx_unaligned_erms", "libc.so.6", "memmove"),
        ("__strlen_sse2", "libc.so.6", "strlen"),
        ("__GI___pthread_mutex_lock", "libc.so.6", "pthread_mutex_lock"),
        ("___pthread_mutex_lock", "libc.so.6", "pthread_mutex_lock"),
        ("_IO_fprintf", "libc.so.6", "fprintf"),
        ("__GI__IO_file_write", "libc.so.6", "file_write"),
        ("_int_malloc", "libc.so.6", "_int_malloc"),
        ("__vdso_clock_gettime", "[vdso]", "clock_gettime"),  # as libc's, which calls it
        ("filter_avx2", "", "filter_avx2"),
        ("filter_avx2", "libmy.so.1", "filter_avx2"),
    ],
)
def test_plain_names_of_symbols(symbol: str, library: str, name: str) -> None:
    assert plain_name(symbol, library) == name


def test_files_that_both_sides_load_are_libraries_and_others_the_program() -> None:
    names = Names(
        {"fast": {"/old/vm", LIBC, "/usr/bin/tool"}, "slow": {"/new/vm2", LIBC, "/usr/bin/tool"}}
    )
    assert names.key("/old/vm", "work.part.0") == names.key("/new/vm2", "work") == ("", "work")
    assert names.key(LIBC, "__strlen_avx2") == ("libc.so.6", "strlen")
    assert names.key("/usr/bin/tool", "main") == ("tool", "main")
    assert names.key("/opt/new/libz.so.1", "inflate") == ("libz.so.1", "inflate")
    assert names.key("[vdso]", "__vdso_gettimeofday") == ("[vdso]", "gettimeofday")


def test_seconds_of_functions_add_up_to_the_timed_user_time() -> None:
    functions, slowdown, _ = function_times(runs(), "fast", "slow", Change(0.5, 1.5, 0.9, 1.1))
    assert [(f.key, f.time) for f in functions] == [
        (("libc.so.6", "strlen"), Change(0.125, 1.125, 1.0, 1.0)),
        (("", "work"), Change(0.375, 0.375, 0.0, 0.0)),
    ]
    assert slowdown == 2.0


def test_a_function_has_its_places_and_symbols_of_both_sides() -> None:
    functions = function_times(runs(), "fast", "slow", USER)[0]
    strlen, work = functions
    assert strlen.symbols == {"__strlen_avx2", "__strlen_evex"}
    assert strlen.places["slow"] == {LIBC: {0x1000: 2.25}}
    assert work.places == {"fast": {"/old/vm": {0x1000: 0.75}}, "slow": {"/new/vm": {0x2000: 0.75}}}


def test_the_interval_is_around_the_difference_of_means() -> None:
    fast = [SampledRun("fast", {(OLD,): s}) for s in (0.9, 1.0, 1.1)]
    slow = [SampledRun("slow", {(NEW,): s}) for s in (2.7, 2.7, 3.6)]
    (work,) = function_times([*fast, *slow], "fast", "slow", USER)[0]
    assert (work.time.fast, work.time.slow) == pytest.approx((1.0, 3.0))
    # variances 0.01/3 and 0.27/3: SE 0.3055, 2.148 degrees of freedom, t 4.0267
    assert (work.time.low, work.time.high) == pytest.approx((2 - 1.2302, 2 + 1.2302), abs=2e-3)


def test_a_side_that_does_not_run_a_function_spends_nothing_there() -> None:
    only = frame("lost_inline", "/new/vm", 0x3000)
    slow = [SampledRun("slow", {(NEW,): 1.0, (only, NEW): 2.0}) for _ in range(3)]
    fast = [SampledRun("fast", {(OLD,): 1.0}) for _ in range(3)]
    functions = function_times([*fast, *slow], "fast", "slow", USER)[0]
    assert functions[0].key == ("", "lost_inline")
    assert functions[0].time == Change(0.0, 2.0, 2.0, 2.0)
    assert functions[0].places["fast"] == {}


def test_no_samples_no_functions() -> None:
    assert function_times([], "fast", "slow", USER)[:2] == ([], 0.0)


def test_stacks_above_a_function_the_one_with_most_seconds_first() -> None:
    names = Names({"fast": {"/old/vm"}, "slow": {"/new/vm"}})
    main, parse = frame("main", "/new/vm"), frame("parse", "/new/vm")
    unknown = frame("", "[unknown]")
    run = SampledRun(
        "slow", {(NEW, main): 1.0, (NEW, unknown, parse, main): 2.0, (main,): 0.5, (unknown,): 0.1}
    )
    work, outer, inner = (FunctionKey("", n) for n in ("work", "main", "parse"))
    assert callers([run], "slow", names) == {
        work: [(inner, outer), (outer,)],
        outer: [()],
        FunctionKey("", "?"): [()],
    }
    assert callers([run], "fast", names) == {}


def test_the_tree_of_calls_has_both_sides_without_what_is_too_small() -> None:
    names = Names({"fast": {"/old/vm", LIBC}, "slow": {"/new/vm", LIBC}})
    main = frame("main", "/old/vm"), frame("main", "/new/vm")
    rare = frame("rare", "/new/vm")
    fast = SampledRun("fast", {(OLD, main[0]): 1.0})
    slow = [
        SampledRun("slow", {(NEW, main[1]): 1.0, (STRLEN_NEW, NEW, main[1]): 2.0}),
        SampledRun("slow", {(NEW, main[1]): 1.0, (rare, main[1]): 0.01}),
    ]
    tree = call_tree([fast, *slow], "fast", "slow", names)
    strlen = Frame("strlen", 0.0, 1.0)
    work = Frame("work", 1.0, 2.0, (strlen,))
    assert tree == Frame("all", 1.0, 2.005, (Frame("main", 1.0, 2.005, (work,)),))
    assert call_tree([], "fast", "slow", names) is None


def test_errors_of_functions_are_independent() -> None:
    times = Change(1.0, 4.0, 2.7, 3.3), Change(2.0, 1.0, -1.4, -0.6)
    functions = [FunctionTime(FunctionKey("", n), t) for n, t in zip("ab", times, strict=True)]
    total = total_change(functions)
    assert (total.fast, total.slow) == (3.0, 5.0)
    assert (total.low, total.high) == pytest.approx((1.5, 2.5))
