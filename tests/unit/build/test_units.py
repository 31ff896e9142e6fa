"""Which functions of an object can be exchanged, by what its sections refer to."""

import pytest

from whyfast.build.units import CodeSection, ObjectGraph, Reference, Unit, find_units

#: Numbers of the sections of most graphs here.
F, G, LOCAL, DATA, TABLE = range(5)


def _graph(*references: Reference, changed: tuple[int, ...] = ()) -> ObjectGraph:
    """The global functions f and g, a local function, a variable and a constant table."""
    held = {F: ".text.f", G: ".text.g", LOCAL: ".text.local", DATA: ".bss.x", TABLE: ".rodata.t"}
    return ObjectGraph(
        {
            n: CodeSection(name, n <= LOCAL, n == DATA, f"{n}{' new' if n in changed else ''}")
            for n, name in held.items()
        },
        {"f": F, "g": G},
        {F: ("f",), G: ("g",), LOCAL: ("local",)},
        references,
    )


def _call(source: int, target: int) -> Reference:
    return Reference(source, target, call=True)


def _units(*references: Reference, changed: tuple[int, ...]) -> tuple[Unit, ...]:
    return find_units(_graph(*references), _graph(*references, changed=changed))


def test_only_functions_that_differ_are_units() -> None:
    assert _units(changed=(G,)) == (Unit(("g",), ("g",), ()),)


def test_a_local_function_is_copied_for_each_that_calls_it() -> None:
    assert _units(_call(F, LOCAL), _call(G, LOCAL), changed=(LOCAL,)) == (
        Unit(("f",), ("f",), ("local",)),
        Unit(("g",), ("g",), ("local",)),
    )


@pytest.mark.parametrize(
    "references",
    [
        (Reference(F, DATA), Reference(G, DATA)),  # both write the variable
        (Reference(F, LOCAL), _call(G, LOCAL)),  # one compares its address, perhaps
        (Reference(F, LOCAL), Reference(G, LOCAL)),
        (Reference(F, G),),  # not by its name: the linker cannot give it another g
        # By the local function, and by the table, both come to the variable.
        (_call(F, LOCAL), Reference(LOCAL, DATA), Reference(G, DATA)),
        (_call(F, LOCAL), _call(G, LOCAL), Reference(LOCAL, DATA)),
        (Reference(F, TABLE), Reference(G, TABLE), Reference(TABLE, LOCAL)),
    ],
)
def test_what_exists_once_keeps_its_users_together(references: tuple[Reference, ...]) -> None:
    (unit,) = _units(*references, changed=(G,))
    assert unit.symbols == ("f", "g")


@pytest.mark.parametrize(
    "references",
    [
        (Reference(F, G, "g", call=True),),  # by its name
        (Reference(F, G, "g"),),
        (Reference(F, TABLE), Reference(G, TABLE)),  # constants may exist twice
        (Reference(F, DATA),),  # one alone writes it
        # The table of a switch in the local function.
        (_call(F, LOCAL), _call(G, LOCAL), Reference(LOCAL, TABLE), Reference(TABLE, LOCAL)),
        (_call(F, LOCAL), Reference(LOCAL, TABLE), Reference(TABLE, LOCAL)),
    ],
)
def test_what_may_exist_twice_does_not(references: tuple[Reference, ...]) -> None:
    assert _units(*references, changed=(G,)) == (Unit(("g",), ("g",), ()),)


def test_a_variable_that_others_may_name_stays_with_its_users() -> None:
    def graph(changed: tuple[int, ...] = ()) -> ObjectGraph:
        plain = _graph(Reference(F, DATA, "x"), Reference(G, DATA, "x"), changed=changed)
        symbols = {**plain.symbols, "x": DATA}
        return ObjectGraph(plain.sections, symbols, plain.functions, plain.references)

    assert find_units(graph(), graph((F,))) == (Unit(("f", "g", "x"), ("f", "g"), ()),)


def test_what_goes_together_in_one_object_does_in_both() -> None:
    good = _graph(Reference(F, DATA), Reference(G, DATA))
    (unit,) = find_units(good, _graph(changed=(F,)))
    assert unit.symbols == ("f", "g")


def test_both_objects_have_the_same_symbols() -> None:
    good = _graph()
    bad = ObjectGraph(good.sections, {"f": F, "h": G}, good.functions, ())
    with pytest.raises(ValueError, match="g, h: in the object of one end alone"):
        find_units(good, bad)
