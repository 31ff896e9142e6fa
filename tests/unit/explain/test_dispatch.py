"""How interpreters dispatch, and what their handlers save."""

from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.explain.disassembly import Instruction, Kind, Mark
from whyfast.explain.dispatch import form_of, saved
from whyfast.explain.interpreter_loop import LoopSearch
from whyfast.explain.program import explain_program, load
from whyfast.model.evidence import DispatchFacts, EntryFacts

Source = Callable[[str, int], str]
Compile = Callable[..., Path]

BOTH_FORMS = ["vm_run", "op_*"]
STYLES = {
    "switch": ("loop", "merged"),
    "goto": ("loop", "replicated"),
    "tail": ("tail-call", "replicated"),
}


def dispatch_of(program: Path) -> DispatchFacts:
    facts = explain_program(program, variant="v", dispatch=BOTH_FORMS).dispatch
    assert facts is not None
    return facts


@pytest.mark.parametrize(
    ("form", "jumps_and_targets"),
    [
        ("none", [(0, 40)]),
        ("merged", [(1, 1), (1, 40), (3, 40), (4, 40), (6, 120)]),
        ("partly merged", [(5, 40), (19, 40), (13, 120)]),
        ("replicated", [(20, 40), (2, 4), (218, 212)]),
    ],
)
def test_form(form: str, jumps_and_targets: list[tuple[int, int]]) -> None:
    assert {form_of(jumps, targets) for jumps, targets in jumps_and_targets} == {form}


@pytest.mark.parametrize(
    "flags",
    [
        *("-O2", "-O2 -no-pie -fno-pie", "-O2 -shared -fPIC", "-O2 -c"),
        *("-O2 -c -ffunction-sections -fno-pic", "-O2 -fcf-protection=full"),
    ],
)
@pytest.mark.parametrize("opcodes", [12, 40])
@pytest.mark.parametrize("source", ["switch", "goto", "tail"])
def test_gcc(gcc: Compile, interpreter: Source, source: str, opcodes: int, flags: str) -> None:
    facts = dispatch_of(gcc(interpreter(source, opcodes), *flags.split()))
    assert (facts.style, facts.form) == STYLES[source]
    # Of a switch, both 0 and values beyond the last opcode have places of their own. Of tail calls,
    # every handler jumps but the one that halts, and the entry vm_run.
    assert facts.targets == opcodes
    assert facts.indirect_jumps == (1 if source == "switch" else opcodes)
    assert facts.functions == (opcodes + 1 if source == "tail" else 1)


def test_a_handler_with_a_switch_is_still_a_handler(gcc: Compile, interpreter: Source) -> None:
    inner = " ".join(f"case {k}: acc = acc * {k + 3} + pc[{k}]; break;" for k in range(9))
    source = interpreter("tail", 40).replace("acc += 40604;", f"switch (acc) {{ {inner} }}")
    assert inner in source
    facts = dispatch_of(gcc(source, "-O2"))
    assert (facts.style, facts.form, facts.targets) == ("tail-call", "replicated", 40)
    assert facts.indirect_jumps > 40  # the switch's own, and what GCC duplicates behind it


def test_handlers_that_share_their_dispatch(gcc: Compile, interpreter: Source) -> None:
    source = interpreter("tail", 40).replace(
        "return table[*pc](pc + 1, acc);", "return go(pc, acc);"
    )
    shared = (
        "unsigned long go(const unsigned char *pc, unsigned long acc);\n"
        + source
        + "NOINLINE unsigned long go(const unsigned char *pc, unsigned long acc)"
        " { return table[*pc](pc + 1, acc); }"
    )
    program = gcc(shared, "-O2")
    facts = explain_program(program, variant="v", dispatch=["op_*", "go"]).dispatch
    assert facts is not None
    assert (facts.style, facts.form, facts.targets) == ("tail-call", "merged", 40)
    assert facts.indirect_jumps == 1


def test_dispatch_that_cannot_be_duplicated(gcc: Compile, interpreter: Source) -> None:
    """What Clang 19 did to computed goto, asked of GCC."""
    flags = ("-O2", "-fno-reorder-blocks", "-fno-reorder-blocks-and-partition", "-Os")
    facts = dispatch_of(gcc(interpreter("goto", 40), *flags))
    assert facts.form == "merged"
    assert facts.targets == 40


def test_small_switches_inside_handlers_do_not_count(gcc: Compile) -> None:
    inner = " ".join(f"case {k}: acc = acc * {k + 3} + pc[{k}]; break;" for k in range(7))
    cases = " ".join(
        f"case {i}: acc += {i * 77}; "
        + (f"switch (acc & 7) {{ {inner} }}" if i % 8 == 1 else "")
        + "break;"
        for i in range(1, 40)
    )
    source = (
        "unsigned long vm_run(const unsigned char *pc) { unsigned long acc = 1;"
        f" for (;;) switch (*pc++) {{ case 0: return acc; {cases} default: return 0; }} }}"
    )
    facts = dispatch_of(gcc(source, "-O2", "-c"))
    assert facts.form == "merged"
    assert facts.targets == 40
    assert facts.indirect_jumps == 6
    assert "5 smaller tables" in facts.reason


def test_a_switch_over_all_opcodes_in_a_handler_is_not_the_dispatch(gcc: Compile) -> None:
    """mruby has one for each of its prefixes; here it has 6 opcodes more than the dispatch."""
    labels = "".join(f"&&L{i}," for i in range(40))
    handlers = "".join(
        f"L{i}: acc += acc * {i + 3} + *pc; goto *table[*pc++];" for i in range(2, 40)
    )
    cases = "".join(f"case {i}: acc ^= {i * 77}; acc *= pc[{i}]; break;" for i in range(46))
    source = (
        "unsigned long vm_run(const unsigned char *pc) { unsigned long acc = 1;"
        f" static const void *const table[] = {{{labels}}}; goto *table[*pc++]; L0: return acc;"
        f" L1: switch (*pc++) {{ {cases} }} goto *table[*pc++]; {handlers} }}"
    )
    facts = dispatch_of(gcc(source, "-O2", "-c", "-fno-crossjumping"))
    assert (facts.form, facts.targets, facts.computed_goto) == ("replicated", 40, True)


def test_several_switches_over_all_opcodes_are_not_the_shared_dispatch(gcc: Compile) -> None:
    """As in mruby where its dispatch is merged: three such tables share four jumps."""
    labels = "".join(f"&&L{i}," for i in range(40))
    handlers = "".join(f"L{i}: acc += acc * {i + 3} + *pc; goto next;" for i in range(4, 40))
    prefixes = "".join(
        f"L{p}: switch (*pc++) {{"
        + "".join(f"case {i}: acc ^= {i * 77 + p}; acc *= pc[{i + p}]; break;" for i in range(46))
        + "} goto next;"
        for p in (1, 2, 3)
    )
    source = (
        "unsigned long vm_run(const unsigned char *pc) { unsigned long acc = 1;"
        f" static const void *const table[] = {{{labels}}};"
        " if (*pc) goto *table[*pc++]; if (!pc[1]) goto *table[pc[3]]; next: goto *table[*pc++];"
        f" L0: return acc; {prefixes} {handlers} }}"
    )
    facts = dispatch_of(gcc(source, "-O1", "-c"))
    assert (facts.form, facts.targets, facts.computed_goto) == ("merged", 40, True)


def test_addresses_stored_in_the_program_are_no_table(gcc: Compile) -> None:
    """R writes the addresses of its handlers into its code; the only table is a switch's."""
    labels = "".join(f"out[{i}] = &&L{i};" for i in range(40))
    handlers = "".join(f"L{i}: acc += acc * {i + 3}; goto **pc++;" for i in range(2, 40))
    cases = "".join(f"case {i}: acc ^= {i * 77}; acc *= acc + {i}; break;" for i in range(20))
    source = (
        "unsigned long vm_run(void **pc, void **out, int n) { unsigned long acc = 1;"
        f" if (out) {{ {labels} return 0; }} goto **pc++; L0: return acc;"
        f" L1: switch (n) {{ {cases} }} goto **pc++; {handlers} }}"
    )
    facts = dispatch_of(gcc(source, "-O2", "-fno-crossjumping", "-c"))
    assert (facts.form, facts.targets, facts.computed_goto) == ("replicated", None, True)


@pytest.mark.parametrize(("style", "written"), [("goto", True), ("switch", False)])
def test_a_stripped_library_tells_whether_its_source_has_computed_gotos(
    gcc: Compile, interpreter: Source, style: str, written: bool
) -> None:
    library = gcc(interpreter(style, 40), "-O2", "-fPIC", "-shared", "-s")
    program = load(library)
    search = LoopSearch(program)
    found = [
        e.dispatching.facts.computed_goto
        for e in map(search.examine, program.functions)
        if (e.dispatching.facts.targets or 0) >= 36
    ]
    assert found == [written]


def test_null_entries_do_not_end_a_table(gcc: Compile, interpreter: Source) -> None:
    source = interpreter("goto", 40)
    for i in range(40):
        source = source.replace(f"&&L{i},", f"[{3 * i}] = &&L{i},", 1)
    facts = dispatch_of(gcc(source, "-O2", "-c"))
    assert facts.targets == 40


@pytest.mark.parametrize("flags", [["-O2"], ["-O2", "-fno-pic"]], ids=" ".join)
def test_table_of_label_differences(gcc: Compile, interpreter: Source, flags: list[str]) -> None:
    source = interpreter("goto", 40).replace("static const void *const", "static const int")
    for i in range(40):
        source = source.replace(
            f"&&L{i}{',' if i < 39 else '}'}", f"&&L{i} - &&L0{',' if i < 39 else '}'}", 1
        )
    source = source.replace("goto *table[*pc++]", "goto *(&&L0 + table[*pc++])")
    facts = dispatch_of(gcc(source, *flags, "-c"))
    assert facts.targets == 40
    assert "label jump table" in facts.reason


def test_jumps_through_thunks_are_dispatch_too(gcc: Compile, interpreter: Source) -> None:
    facts = dispatch_of(gcc(interpreter("tail", 12), "-O2", "-mindirect-branch=thunk", "-c"))
    assert (facts.style, facts.form) == ("tail-call", "replicated")
    assert facts.indirect_jumps == 0
    assert "12 jumps by way of a retpoline thunk" in facts.reason


def test_cold_parts_belong_to_their_function(gcc: Compile, interpreter: Source) -> None:
    source = interpreter("goto", 40)
    for i in range(1, 40, 3):
        source = source.replace(
            f"L{i}: ", f"L{i}: if (acc == {i * 1001}) {{ log_it(acc); stop(); }} "
        )
    declared = (
        "void log_it(unsigned long) __attribute__((cold));"
        "void stop(void) __attribute__((cold, noreturn));\n" + source
    )
    program = gcc(declared, "-O2", "-c")
    evidence = explain_program(program, variant="v", dispatch=["vm_run"])
    assert evidence.dispatch is not None
    names = {f.name: f for f in evidence.functions}
    assert names.keys() == {"vm_run", "vm_run.cold"}
    assert evidence.dispatch.functions == 1
    assert evidence.dispatch.size == sum(f.size for f in names.values())
    assert names["vm_run"].tail_jumps == names["vm_run.cold"].tail_jumps == 0
    assert dict(names["vm_run.cold"].callees)["stop"] == 13


def test_no_indirect_jump(gcc: Compile) -> None:
    facts = dispatch_of(gcc("int vm_run(int a) { return a + 1; }", "-O2", "-c"))
    assert (facts.style, facts.form, facts.functions) == ("none", "none", 1)


def test_nothing_matches(gcc: Compile) -> None:
    evidence = explain_program(
        gcc("int other(int a) { return a + 1; }", "-O2", "-c"), variant="v", dispatch=BOTH_FORMS
    )
    assert evidence.dispatch is not None
    assert (evidence.dispatch.style, evidence.dispatch.form) == ("none", "unknown")
    assert evidence.missing == ("vm_run", "op_*")


def test_helpers_named_like_handlers_make_no_tail_calls(gcc: Compile, interpreter: Source) -> None:
    helpers = " ".join(f"long op_{i}(long a) {{ return a * {i + 3}; }}" for i in range(20))
    facts = dispatch_of(gcc(interpreter("goto", 40) + helpers, "-O2"))
    assert (facts.style, facts.form, facts.functions) == ("loop", "replicated", 1)


@pytest.mark.parametrize("target", ["x86_64-linux-gnu", "aarch64-linux-gnu"])
@pytest.mark.parametrize("flags", ["-O2", "-O2 -c"])
@pytest.mark.parametrize("source", ["switch", "goto", "tail"])
def test_clang(
    zig: Compile,
    zig_version: tuple[int, int],
    interpreter: Source,
    source: str,
    target: str,
    flags: str,
) -> None:
    """Clang 19 (zig 0.14) merges a computed goto that its neighbours replicate."""
    facts = dispatch_of(zig(interpreter(source, 40), "-target", target, *flags.split()))
    merges = source == "goto" and zig_version == (0, 14)
    assert (facts.style, facts.form) == STYLES["switch" if merges else source]
    assert facts.targets == 40


def _code(*steps: Mark | Kind) -> list[Instruction]:
    kinds = ("direct call", "conditional jump", "indirect jump")
    return [
        Instruction(4 * i, 4, step) if step in kinds else Instruction(4 * i, 4, "other", mark=step)  # type: ignore[arg-type]
        for i, step in enumerate(steps)
    ]


@pytest.mark.parametrize(
    ("code", "pushes", "spills"),
    [
        (_code("push", "push", "", "stack store", "indirect jump"), 2, 1),
        (_code("push", "direct call", "push", "stack store"), 1, 0),
        (_code("", "conditional jump", "push"), 0, 0),
        (_code("frame store", "indirect jump"), 0, 0),
    ],
)
def test_counts_up_to_the_first_branch(code: list[Instruction], pushes: int, spills: int) -> None:
    assert saved(code, 0) == (pushes, spills)


def test_stores_below_the_frame_pointer_are_spills_where_there_is_one() -> None:
    code = _code("push", "frame pointer", "frame store", "frame store", "indirect jump")
    assert saved(code, 0, framed=True) == (1, 2)
    assert saved(code, 2, framed=True) == (0, 2)


def test_handlers_with_nothing_to_save_save_nothing(gcc: Compile, interpreter: Source) -> None:
    for style, dispatch in (("goto", "vm_run"), ("tail", "op_*")):
        program = gcc(interpreter(style, 20), "-O2")
        entry = explain_program(program, variant="x", dispatch=(dispatch,)).entry
        assert entry == EntryFacts(20, 0, 0, 0.0, 0, 0.0)


def test_handlers_that_must_save_registers_do(gcc: Compile) -> None:
    signature = "(const unsigned char *pc, long *r, long acc)"
    handlers = " ".join(
        f"long op_{i}{signature} {{ r[{i}] += ext(acc + {i}); return table[*pc](pc + 1, r, acc); }}"
        for i in range(10)
    )
    source = (
        f"typedef long handler{signature}; extern handler *const table[]; long ext(long);"
        f" {handlers} handler *const table[] = {{{', '.join(f'op_{i}' for i in range(10))}}};"
    )
    found = explain_program(gcc(source, "-O2", "-c", suffix=".o"), variant="x", dispatch=("op_*",))
    assert found.entry is not None
    # pc, r and acc live across the call.
    assert (found.entry.handlers, found.entry.saving) == (10, 10)
    # Some versions of gcc push all of them, others one and store the rest.
    assert found.entry.pushes_median + found.entry.spills_median >= 3
