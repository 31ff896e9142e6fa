"""What functions of V8 are for."""

from __future__ import annotations

import pytest

from whyfast.why.runtimes.v8 import most_work, operation, work_of


@pytest.mark.parametrize(
    ("name", "key", "word"),
    [
        ("Builtins_CloneObjectIC_Slow", "copying", "copies"),
        ("Builtins_ArrayPrototypeShift", "copying", "copies"),
        ("v8::internal::Builtin_ArrayShift", "copying", "copies"),
        ("Builtins_BigIntMultiplyNoThrow", "boxing", "numbers"),
        ("v8::internal::MutableBigInt_RightShiftAndCanonicalize", "boxing", "numbers"),
        ("v8::internal::Isolate::CaptureSimpleStackTrace", "exceptions", "errors"),
        ("v8::internal::JsonParser::ParseJsonValue", "string-work", "JSON"),
        ("Builtins_RegExpReplace", "string-work", "regular expressions"),
        ("Builtins_StringIndexOf", "string-work", "strings"),
        ("v8::internal::Builtin_DatePrototypeToISOString", "string-work", "strings"),
        ("Builtins_ResumeGeneratorTrampoline", "more-calls", "generators"),
        ("Builtins_KeyedLoadIC_Megamorphic", "more-work", "properties"),
        ("Builtins_FindOrderedHashMapEntry", "more-work", "Maps"),
        ("Builtins_ArrayIncludesSmiOrObject", "more-work", "searches"),
        ("Builtins_LdaNamedPropertyHandler", "interpreter", "bytecode"),
    ],
)
def test_work_of_a_function(name: str, key: str, word: str) -> None:
    work = work_of(name)
    assert work is not None
    assert (work.key, word in work.does) == (key, True)


@pytest.mark.parametrize(
    "name",
    [
        "StringIndexOf",  # of the program
        "Builtins_MathSin",
        "v8::internal::Scavenger::ScavengePage",
        "v8::internal::compiler::GraphReducer::Reduce",
    ],
)
def test_no_work_for_the_program(name: str) -> None:
    assert work_of(name) is None


def test_most_work_is_that_of_all_functions_of_a_kind() -> None:
    seconds = {
        "Builtins_CloneObjectIC": 0.2,
        "Builtins_CopyDataProperties": 0.3,
        "Builtins_StringIndexOf": 0.4,
    }
    found = most_work(seconds, 0.45)
    assert found is not None
    assert (found[0].key, found[1]) == ("copying", "CopyDataProperties")
    assert most_work(seconds, 0.6) is None


@pytest.mark.parametrize(
    ("stack", "called"),
    [
        (
            [
                "std::sort",
                "v8::internal::Runtime_CopyDataProperties",
                "Builtins_CloneObjectIC_Slow",
                "[unknown]",
                "Builtins_ArrayTimSort",
            ],
            "Builtins_CloneObjectIC_Slow",
        ),
        (["Builtins_Add", "Builtins_AddHandler", "Builtins_JsonParse"], "Builtins_Add"),
        (["Builtins_LdaZeroHandler", "[unknown]"], "Builtins_LdaZeroHandler"),
        (["memmove", "node::Buffer::Copy", ""], "memmove"),
        (["v8::internal::Scavenger::Process", "Builtins_JsonParse", "[unknown]"], ""),
        (["[unknown]", "Builtins_JsonParse"], ""),
    ],
)
def test_what_javascript_called(stack: list[str], called: str) -> None:
    assert operation(stack) == called
