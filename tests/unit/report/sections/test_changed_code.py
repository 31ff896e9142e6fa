"""How the functions are named that a change made different."""

import pytest

from whyfast.model.code import Check, CodeComparison, FunctionChange
from whyfast.report.sections.changed_code import changed_code


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("hot", "hot"),
        ("app::run(app::Options const&)", "app::run(app::Options const&)"),
        (
            "app::impl::(anonymous namespace)::node::evaluate(app::impl::(anonymous namespace)::"
            "context const&, app::impl::stack const&).cold",
            "app::impl::node::evaluate",
        ),
    ],
)
def test_a_name_that_is_a_line_by_itself_loses_its_parameters(name: str, shown: str) -> None:
    change = FunctionChange(name, "changed", (10, 12), True, (), (), ("-a", "+b"))
    again = FunctionChange(f"{name}.cold", "changed", (10, 12), True, (), (), ("-a", "+b"))
    functions = (change, again) if len(name) > 60 else (change,)
    check = Check("1", "2", "one", "two", CodeComparison(False, False, functions, traced=True))
    (said,) = changed_code(check)
    assert said == f"1 function changed: `{shown}`."
