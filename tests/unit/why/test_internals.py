"""Names of internal functions in sentences."""

from pathlib import Path

import pytest

from whyfast.why.internals import changed_line, quoted


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("std::__detail::_Executor::_M_dfs", "std::regex"),
        ("std::_Rb_tree_increment", "std::map or std::set"),
        ("std::_Hashtable::_M_find_before_node", "std::unordered_map or std::unordered_set"),
        ("std::__unguarded_linear_insert", "sorting"),
        ("core::slice::sort::stable::quicksort::quicksort", "sorting"),
        ("sort.pdqsort_func", "sorting"),
        ("internal/runtime/maps.(*table).uncheckedPutSlot", "map"),
        ("core::fmt::num::fmt", "formatting"),
        ("sort.Slice", ""),
        ("main.sorted", ""),
        ("std::vector::push_back", ""),
    ],
)
def test_what_a_function_belongs_to(name: str, part: str) -> None:
    assert quoted(name) == (f"`{name}` ({part})" if part else f"`{name}`")


def test_the_one_line_in_which_sources_differ(tmp_path: Path) -> None:
    a, b = tmp_path / "a.py", tmp_path / "b.py"
    a.write_text("# quick\nimport re\np = re.compile('a+b')\n")
    b.write_text("# slow\n\nimport re\np = re.compile('(a|aa)+b')\n")
    said = "; their sources differ in `p = re.compile('(a|aa)+b')` (b.py:4), in `a` `p = re.comp"
    assert changed_line(str(a), str(b), "a").startswith(said)
    b.write_text("import os\np = re.compile('(a|aa)+b')\n")
    assert changed_line(str(a), str(b), "a") == ""
    assert changed_line(str(a), str(a), "a") == ""
    assert changed_line("<string>", str(b), "a") == ""
