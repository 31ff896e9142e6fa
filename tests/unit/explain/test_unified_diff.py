from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.explain.source_lines import FileChange, Hunk, parse_diff

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
