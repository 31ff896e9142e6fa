"""Functions aligned instruction by instruction."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.explain.code_diff import Listings, align, code_pair
from whyfast.explain.program import load
from whyfast.explain.source_lines import FileChange, Hunk, parse_diff
from whyfast.model.code import CodeDifference, CodeLine, CodeListing

Compile = Callable[..., Path]
Source = Callable[[str, int], str]

SUM = """
static int table[4] = {1, 2, 3, 4};
__attribute__((noinline)) int helper(int a) { return a * 77; }
__attribute__((noinline)) int sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += table[i & 3]%s;
    return s + helper(n);
}
int main(int c, char **v) { (void)v; return sum(c); }
"""


def _listing(*texts: str, function: str = "f") -> CodeListing:
    lines = (CodeLine(text, text.split("|")[0]) for text in texts)
    return CodeListing(function, tuple(lines))


def _shown(d: CodeDifference) -> list[tuple[str, str, str]]:
    return [(r.beside, r.a.text if r.a else "", r.b.text if r.b else "") for r in d.rows]


def test_what_both_have_lies_side_by_side() -> None:
    found = align(_listing("push", "mov", "add", "ret"), _listing("mov", "sub", "add", "ret"))
    assert _shown(found) == [
        ("only a", "push", ""),
        ("same", "mov", "mov"),
        ("only b", "", "sub"),
        ("same", "add", "add"),
        ("same", "ret", "ret"),
    ]
    assert found.changed == 2


def test_another_register_is_no_change() -> None:
    found = align(_listing("mov|rax", "ret"), _listing("mov|rbx", "ret"))
    assert _shown(found) == [("registers", "mov|rax", "mov|rbx"), ("same", "ret", "ret")]
    assert found.changed == 0


def test_what_differs_in_one_place_is_one_row() -> None:
    found = align(_listing("a", "b", "c"), _listing("a", "x", "c"))
    assert _shown(found) == [("same", "a", "a"), ("changed", "b", "x"), ("same", "c", "c")]


def test_labels_alone_do_not_differ() -> None:
    lines = (CodeLine("L1: mov", "mov"),), (CodeLine("L7: mov", "mov"),)
    assert align(CodeListing("f", lines[0]), CodeListing("f", lines[1])).changed == 0


def test_the_same_source_line_finds_its_handler_again() -> None:
    def handlers(*lines: int) -> CodeListing:
        found = [
            CodeLine(text, text, source=f"insns.inc:{n}" if text == "load" else "")
            for n in lines
            for text in ("load", "store", "jump")
        ]
        return CodeListing("run", tuple(found))

    found = align(handlers(1, 2, 3), handlers(1, 3))
    assert [row.beside for row in found.rows] == ["same"] * 3 + ["only a"] * 3 + ["same"] * 3


FORMS = st.lists(st.sampled_from("abcde"), max_size=40)


@given(FORMS, FORMS)
def test_every_instruction_of_both_is_there_once_and_in_order(a: list[str], b: list[str]) -> None:
    rows = align(_listing(*a), _listing(*b)).rows
    assert [r.a.text for r in rows if r.a] == a
    assert [r.b.text for r in rows if r.b] == b
    assert all(r.a.form == r.b.form for r in rows if r.a and r.b and r.beside == "same")


@given(FORMS)
def test_a_function_does_not_differ_from_itself(a: list[str]) -> None:
    assert align(_listing(*a), _listing(*a)).changed == 0


def test_only_the_function_that_changed_differs(gcc: Compile) -> None:
    a, b = (Listings(load(gcc(SUM % text, "-O2", "-g"))) for text in ("", " * 3"))
    found = code_pair(a, b, ("a", "b"))
    assert [d.function for d in found.differences] == ["sum"]
    (d,) = found.differences
    texts = [line.text for line in d.a.lines]
    assert any("[table]" in text for text in texts)
    assert any(text.endswith(" helper") for text in texts)
    assert not any("rip" in text for text in texts)
    assert any(line.source.endswith(".c:8") for line in d.a.lines)


def test_moved_code_is_the_same(gcc: Compile) -> None:
    before = "int early(int a) { return a ^ 91; }\n"
    a, b = (Listings(load(gcc(text + SUM % "", "-O2"))) for text in ("", before))
    found = code_pair(a, b, ("a", "b"))
    assert found.differences == ()
    assert found.only_in_b == ("early",)


def test_merged_dispatch_comes_first(gcc: Compile, interpreter: Source) -> None:
    a, b = (Listings(load(gcc(interpreter(s, 40), "-O2"))) for s in ("goto", "switch"))
    first = code_pair(a, b, ("a", "b")).differences[0]
    assert first.function == "vm_run"
    assert first.jumps[0] > 30
    assert first.jumps[1] == 1
    assert code_pair(a, b, ("a", "b"), ["nothing*"]).differences == ()


DIFF = """\
diff --git a/src/vm.c b/src/vm.c
index 1..2 100644
--- a/src/vm.c
+++ b/src/vm.c
@@ -3 +3,2 @@ int f(void)
-    return 1;
+    int x = 2;
+    return x;
@@ -9,2 +10,0 @@ int g(void)
---- a/looks/like/a/header
-+++ b/so/does/this
diff --git a/gone.c b/gone.c
deleted file mode 100644
--- a/gone.c
+++ /dev/null
@@ -1 +0,0 @@
-int x;
\\ No newline at end of file
diff --git a/new.h b/new.h
new file mode 100644
--- /dev/null
+++ b/new.h
@@ -0,0 +1 @@
+#define X
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git "a/\\303\\244.c" "b/\\303\\244.c"
--- "a/\\303\\244.c"
+++ "b/\\303\\244.c"
@@ -1 +1 @@
-a
+b
"""


def test_every_kind_of_change() -> None:
    assert parse_diff(DIFF) == [
        FileChange(
            "src/vm.c",
            False,
            (
                Hunk(3, 2, ("    return 1;", "    int x = 2;", "    return x;")),
                Hunk(10, 0, ("--- a/looks/like/a/header", "+++ b/so/does/this")),
            ),
        ),
        FileChange("gone.c", True, (Hunk(0, 0, ("int x;",)),)),
        FileChange("new.h", False, (Hunk(1, 1, ("#define X",)),)),
        FileChange("run.sh", False, ()),
        FileChange("ä.c", False, (Hunk(1, 1, ("a", "b")),)),
    ]


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    parse_diff(text)


@pytest.mark.parametrize(
    ("quoted", "path"),
    [
        (r'"b/\303\244\tx\"\\"', 'ä\tx"\\'),
        ('"b/ä\\"x"', 'ä"x'),  # with core.quotePath off letters stay as they are
        ('"b/x\\"', "x\\"),
        ('"', '"'),
    ],
)
def test_names_that_git_quotes(quoted: str, path: str) -> None:
    (change,) = parse_diff(f"diff --git a/x b/x\n--- a/x\n+++ {quoted}\n")
    assert change.path == path
