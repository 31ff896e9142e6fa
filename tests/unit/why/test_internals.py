"""Names of internal functions in sentences."""

import pytest

from whyfast.why.internals import quoted


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
