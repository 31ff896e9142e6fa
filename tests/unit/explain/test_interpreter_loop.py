"""The loop of an interpreter by its shape, with and without symbols, and what only looks alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.explain.conftest import Compile

from whyfast.explain.fetching import Origin
from whyfast.explain.interpreter_loop import LoopSearch, likeliest_note, seen_share
from whyfast.explain.loop_shape import LoopShape
from whyfast.explain.program import load, survey_program
from whyfast.report.pages.code_page import survey_headline

_NOINLINE = "__attribute__((noinline)) int f"
#: A ``switch`` of 40 cases, by what keeps it from being an interpreter's; each case ends as said.
SHAPES = {
    "its cases do not come back": (
        _NOINLINE + "(int x, int sum) { switch (x) { CASES } return sum; }",
        "break;",
    ),
    "a state machine": (
        "struct s { int mode; };"
        + _NOINLINE
        + "(struct s *s, int sum) { for (;;) switch (s->mode) { CASES default: return sum; } }",
        "s->mode = sum & 63; break;",
    ),
    "on what a call returned": (
        "int next(void);"
        + _NOINLINE
        + "(int sum) { for (;;) switch (next()) { CASES default: return sum; } }",
        "break;",
    ),
    "a small table": (
        "struct r { unsigned kind, value; };"
        + _NOINLINE
        + "(struct r *r, struct r *end, int sum) { for (; r != end; r++)"
        " switch (r->kind) { CASES default: __builtin_unreachable(); } return sum; }",
        "break;",
    ),
    "a generated parser": (
        "extern const unsigned char states[4096]; const unsigned char states[4096] = {1, 2, 3};"
        + _NOINLINE
        + "(unsigned start, int sum) { for (const unsigned char *p = states + start;;)"
        " switch (*p++) { CASES default: return sum; } }",
        "p += sum & 3; break;",
    ),
    "its cases name texts": (
        "int emit(const char *text);" + _NOINLINE + "(const unsigned char *pc, int sum) {"
        " for (;;) switch (*pc++) { CASES default: return sum; } }",
        'sum += emit("a text"); pc += sum & 3; break;',
    ),
    "on characters": (
        _NOINLINE + "(const unsigned char *s, int sum) {"
        " for (;;) switch (*s++ - 48) { CASES default: return sum; } }",
        "break;",
    ),
    "": (
        _NOINLINE + "(const unsigned char *pc, int sum) {"
        " for (;;) switch (*pc++) { CASES default: return sum; } }",
        "pc += sum & N; break;",
    ),
}


def source(shape: str) -> str:
    text, ending = SHAPES[shape]
    # What has different cases computes in as many ways.
    operations = "*" if shape == "a small table" else "*^|&-"
    cases = " ".join(
        f"case {n}: sum = (sum {operations[n % len(operations)]} {n + 43}) + (sum >> {n % 7 + 1});"
        f" {ending.replace('N', str(n * 3 + 1))}"
        for n in range(40)
    )
    return text.replace("CASES", cases) + "int main(void) { return 0; }"


@pytest.mark.parametrize("level", ["-O1", "-O2"])
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_a_switch(gcc: Compile, shape: str, level: str) -> None:
    program = load(gcc(source(shape), level, "-fno-crossjumping", "-c"))
    search = LoopSearch(program)
    found = search.examine(next(f for f in program.functions if f.name == "f")).shape
    assert found is not None
    assert found.targets >= 40
    assert found.why_not == shape
    assert (search.interpreter() is not None) == (shape == "")


@pytest.mark.parametrize(("targets", "reason"), [(40, "most values lead to one case"), (66, "")])
def test_most_characters_have_one_case_but_so_may_most_opcodes(targets: int, reason: str) -> None:
    shape = LoopShape(targets, targets, 1, (("fetched", 1),), commonest=0.7)
    assert shape.why_not == reason


@pytest.mark.parametrize(
    ("targets", "origin", "kinds", "reason"),
    [
        *((23, "fetched", 5, "a small table"), (24, "fetched", 5, "")),
        *((47, "fetched", 4, "a small table"), (48, "fetched", 4, "")),
        *((35, "unknown", 5, "a small table"), (36, "unknown", 5, "")),
        *((63, "unknown", 4, "a small table"), (64, "unknown", 4, "")),
        *((63, "characters", 5, "on characters"), (64, "characters", 5, "")),
        *((64, "fixed place", 4, "a state machine"), (280, "fixed place", 5, "")),
        (280, "constant table", 5, "a generated parser"),
    ],
)
def test_many_cases_that_compute_in_many_ways_interpret(
    targets: int, origin: Origin, kinds: int, reason: str
) -> None:
    assert LoopShape(targets, targets, 1, ((origin, 1),), kinds=kinds).why_not == reason


@pytest.mark.parametrize(
    ("targets", "jumps", "steering", "doubt"),
    [(99, 3, 1, "hardly any case jumps"), (100, 3, 1, ""), (99, 4, 1, ""), (99, 3, 2, "")],
)
def test_a_small_loop_whose_cases_do_not_jump_is_doubtful(
    targets: int, jumps: int, steering: int, doubt: str
) -> None:
    shape = LoopShape(targets, targets, jumps, (("fetched", 1),), steering=steering)
    assert (shape.doubt, shape.interprets) == (doubt, not doubt)


def test_the_likeliest_candidate_is_told(gcc: Compile) -> None:
    """Of a loop that goes from one opcode to the next, without a jump, and of one on characters."""
    doubtful = source("").replace("pc += ", "sum += ")
    for text, why in ((doubtful, "hardly any case jumps"), (source("on characters"), "characters")):
        program = gcc(text, "-O2", "-fno-crossjumping", "-s")
        search = LoopSearch(load(program))
        assert search.interpreter() is None
        note = likeliest_note(search.examined)
        assert "likeliest candidate is at 0x" in note
        assert why in note
        assert note in survey_program(program, variant="v").evidence.notes


@pytest.mark.parametrize(
    ("ending", "interprets"), [("at++; break;", False), ("at += sum & N; break;", True)]
)
def test_a_call_reads_an_instruction_where_cases_jump_in_its_argument(
    gcc: Compile, ending: str, interprets: bool
) -> None:
    """As an emulator reads the memory of its machine, and a scanner its text."""
    loop = (
        f"int get(int); {_NOINLINE}(int at, int sum)"
        " { for (;;) switch (get(at)) { CASES default: return sum; } }"
    )
    cases = " ".join(
        f"case {n}: sum = sum {'*^|&-'[n % 5]} {n + 43}; {ending.replace('N', str(n * 3 + 1))}"
        for n in range(40)
    )
    program = load(gcc(loop.replace("CASES", cases), "-O2", "-fno-crossjumping", "-c"))
    assert (LoopSearch(program).interpreter() is not None) == interprets


def test_a_loop_whose_switches_are_nested(gcc: Compile) -> None:
    """As of a processor whose instructions have two fields: the larger table is not the first."""
    inner = " ".join(f"case {n}: sum = sum {'*^|&-'[n % 5]} {n + 43}; break;" for n in range(40))
    # Text of the assembler keeps gcc 14 from joining the cases' ends.
    outer = " ".join(
        f'case {n}: sum = (sum >> {n}) + {n + 7}; pc += sum; __asm__("# {n}" : "+r"(pc)); break;'
        for n in range(1, 16)
    )
    program = load(
        gcc(
            f"{_NOINLINE}(const unsigned short *pc, int sum) {{ for (;;) {{ unsigned i = *pc++;"
            f" switch (i & 15) {{ case 0: switch (i >> 4) {{ {inner} default: return sum; }} break;"
            f" {outer} }} }} }} int main(void) {{ return 0; }}",
            *("-O2", "-fno-crossjumping", "-fno-move-loop-invariants", "-c"),
        )
    )
    found = LoopSearch(program).interpreter()
    assert found is not None
    assert (found.name, found.facts.targets) == ("f", 40)


@pytest.mark.parametrize(
    ("calls", "interprets"),
    [("while (x < 9) x = f(v[x], x, n);", True), ("x = f(v[x], x, n);", False)],
)
def test_one_instruction_a_call(gcc: Compile, calls: str, interprets: bool) -> None:
    """As in emulators: what a loop calls has the opcodes of a byte, which compute in many ways."""
    ways = ("x + y", "x * y", "x / y", "x & y", "x | y", "~x", "x << (y & 7)", "x >> (y & 7)", "-x")
    cases = " ".join(f"case {n}: return ({ways[n % 9]}) * {n + 43}u;" for n in range(230))
    program = gcc(
        f"static __attribute__((noinline)) unsigned f(unsigned char op, unsigned x, unsigned y)"
        f" {{ switch (op) {{ {cases} default: return 0; }} }} int main(int n, char **a)"
        f" {{ unsigned char *v = (void *)a[0]; unsigned x = n; {calls} return x; }}",
        *("-O2", "-s"),
    )
    assert (LoopSearch(load(program)).interpreter() is not None) == interprets


def test_direct_threading_of_a_loop_that_stores_its_addresses_by_a_switch(gcc: Compile) -> None:
    """As in R: the table is that of the start, and no later jump goes through it."""
    stored = " ".join(f'case {n}: table[{n}] = &&L{n}; set("{n}"); break;' for n in range(40))
    cases = " ".join(f"L{n}: sum = sum {'*^|&-'[n % 5]} {n + 43}; goto **pc++;" for n in range(40))
    program = gcc(
        f"void set(const char *); {_NOINLINE}(void **table, void ***pc, int sum) {{ if (table)"
        f" for (int n = sum; n < 99; n += sum) switch (n) {{ {stored} }} goto **pc++; {cases} }}",
        *("-O2", "-shared", "-fPIC", "-s"),
    )
    found = LoopSearch(load(program)).interpreter()
    assert found is not None
    assert found.facts.form == "replicated"


@pytest.mark.parametrize(("jumps", "reason"), [(20, ""), (19, "a state machine")])
def test_half_of_the_opcodes_jump_to_stored_addresses(jumps: int, reason: str) -> None:
    assert LoopShape(40, 40, jumps, (("fixed place", 1),), threaded=True).why_not == reason


def test_some_entries_of_a_table_lead_into_the_cold_part(gcc: Compile) -> None:
    """As for opcodes that cannot occur, in a program without symbols."""
    cases = " ".join(f"case {n}: return sum * {n + 43} + (sum >> {n % 7});" for n in range(4, 44))
    ends = " ".join(f"case {n}: fatal({n});" for n in (1, 2, 3))
    program = gcc(
        "#include <stdlib.h>\n"
        "__attribute__((cold, noreturn, noinline)) void fatal(int n) { exit(n); }"
        f"{_NOINLINE}(int x, int sum) {{ sum += rand();"  # a frame tells that the part is one
        f" switch (x) {{ {ends} {cases} }} return sum; }}"
        "int main(int n, char **a) { return f(n, **a); }",
        *("-O2", "-s"),
    )
    search = LoopSearch(load(program))
    search.loops()
    assert max(x.dispatching.facts.targets or 0 for x in search.examined) >= 40


def test_no_way_leads_on_behind_a_call_that_does_not_return(gcc: Compile) -> None:
    """As in scanners by flex: the call of what ends the program leaves no address of a table."""
    cases = " ".join(f".Lc{n}: add ${n + 1}, %rdi; jmp .Lloop;" for n in range(70))
    entries = " ".join(f".long .Lc{n} - .Ltable;" for n in range(70))
    code = (
        ".type f, @function; f: lea states(%rip), %r9; jmp .Lloop; .Lfatal: call abort;"
        " .Lloop: movzwl (%r9,%rdi,2), %eax; cmp $69, %eax; ja .Lfatal; lea .Ltable(%rip), %rdx;"
        f" movslq (%rdx,%rax,4), %rax; add %rdx, %rax; jmp *%rax; {cases} .size f, . - f;"
        f" .section .rodata; .Ltable: {entries} states: .zero 64; .text"
    )
    program = load(gcc(f'int main(void) {{ return 0; }} __asm__("{code}");', "-c"))
    found = LoopSearch(program).examine(next(f for f in program.functions if f.name == "f")).shape
    assert found is not None
    assert found.why_not == "a generated parser"


@pytest.mark.parametrize("more", [(), ("-s",)], ids=["with symbols", "stripped"])
def test_a_loop_in_the_cold_part_of_its_function(gcc: Compile, more: tuple[str, ...]) -> None:
    """As in CPython 3.13 by gcc 16, whose function begins with a little hot code."""
    loop = source("").replace("int f(", "int cold(").removesuffix("int main(void) { return 0; }")
    code = (
        '__attribute__((noinline)) int cold(const unsigned char *, int) __asm__("f.cold");'
        f"{loop} int f(const unsigned char *pc, int sum) {{ return sum ? cold(pc, sum) : 1; }}"
        "int main(int n, char **v) { return f((void *)v[0], n); }"
    )
    found = LoopSearch(load(gcc(code, "-O2", "-fno-inline", *more))).interpreter()
    assert found is not None
    assert found.facts.targets is not None
    assert found.facts.targets >= 40
    if not more:
        assert found.name == "f"


@pytest.mark.parametrize("style", ["goto", "switch"])
def test_the_same_loop_without_symbols(
    gcc: Compile, interpreter: Callable[[str, int], str], style: str
) -> None:
    named, stripped = (
        LoopSearch(load(gcc(interpreter(style, 40), "-O2", *more))).interpreter()
        for more in ((), ("-s",))
    )
    assert named is not None
    assert stripped is not None
    assert (named.name, stripped.name) == ("vm_run", f"{named.address:#x}")
    assert stripped.address == named.address
    assert stripped.facts.form == named.facts.form
    assert stripped.facts.targets == named.facts.targets
    assert stripped.facts.indirect_jumps == named.facts.indirect_jumps


EXPORTING = """\
int lib_configure(int what, int value) {
    switch (what) { CASES }
    return value;
}
"""


def test_no_exported_neighbour_gets_the_loop_of_a_function_without_name(
    gcc: Compile, interpreter: Callable[[str, int], str]
) -> None:
    cases = "".join(f"case {n}: return value * {n * n + 7} + {n};" for n in range(12))
    text = EXPORTING.replace("CASES", cases) + interpreter("switch", 40)
    hidden = text.replace("NOINLINE unsigned long vm_run", "static NOINLINE unsigned long vm_run")
    survey = survey_program(gcc(hidden, "-O2", "-s", "-shared", "-fPIC"), variant="lib.so")
    first, *others = survey.candidates
    assert first.interprets
    assert first.facts.name.startswith("0x")
    assert first.dispatch.targets in (40, 41)
    assert not any(c.interprets for c in others)
    assert "lib_configure" not in survey_headline(survey)


def test_code_of_no_known_function_is_told(
    gcc: Compile, interpreter: Callable[[str, int], str]
) -> None:
    flags = ("-O2", "-s", "-shared", "-fPIC", "-fno-asynchronous-unwind-tables")
    hidden = interpreter("goto", 40).replace("NOINLINE unsigned", "static NOINLINE unsigned")
    program = gcc(f"int visible(void) {{ return 1; }}\n{hidden}", *flags)
    assert seen_share(load(program)) < 0.5
    notes = survey_program(program, variant="v").evidence.notes
    assert any("was not looked at" in note for note in notes)


def test_a_stripped_program_is_compared_by_its_dispatch_alone(
    gcc: Compile, interpreter: Callable[[str, int], str]
) -> None:
    from whyfast.explain.functions import compare_functions

    a, b = (
        survey_program(gcc(interpreter(style, 40), "-O2", "-s"), variant=style)
        for style in ("goto", "switch")
    )
    assert not compare_functions(a.evidence, b.evidence)
    assert [s.candidates[0].dispatch.form for s in (a, b)] == ["replicated", "merged"]
