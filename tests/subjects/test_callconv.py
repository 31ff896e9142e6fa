"""The extension callconv on every CPython here: answers, what is lacking, hazards, evidence."""

import pytest
from tests.interpreters import Interpreter, interpreters
from tests.subjects.callconv_builds import ask

pytestmark = pytest.mark.skipif(not interpreters(), reason="no CPython with headers here")


@pytest.fixture(params=interpreters(), ids=str)
def python(request: pytest.FixtureRequest) -> Interpreter:
    found: Interpreter = request.param
    return found


ANSWERS = {"0": "None", "1": "a", "3": "c", "8": "h", "key": "a"}

BUILT_IN = {
    "dict_get-1": "value",
    "str_count-1": "2",
    "bit_length-0": "20",
    "utcoffset-1": "0:00:00",
}

#: Those with a list say the sum of its numbers, 0 to 999.
EXPRESSIONS = {
    "filter": "499500",
    "map": "499500",
    "sorted-key": "499500",
    "sorted": "499500",
    "bytes": "abc",
    "namedtuple-attr": "1234567",
    "object-setattr": "None",
    "object-getattribute": "1234567",
    "getattr": "1",
    "bound-method": "2",
    "unbound-method": "2",
    "func-0": "None",
    "func-3": "3",
}


def expected(name: str) -> str:
    if name in EXPRESSIONS:
        return EXPRESSIONS[name]
    for ending, answer in BUILT_IN.items():
        if name.endswith(ending):
            return answer
    return ANSWERS[name.rpartition("-")[2]]


def test_every_call_arrives(python: Interpreter) -> None:
    code = """
import benchmarks
answer = {}
for b in benchmarks.all_benchmarks(callconv):
    if b.lack is None:
        workload = b.make()
        answer[b.name] = [workload.answer(workload.run(loops)) for loops in (1, 10, 23)]
"""
    answers = ask(python, code)
    assert answers == {name: [expected(name)] * 3 for name in answers}
    assert set(EXPRESSIONS) < set(answers)


#: Benchmarks that a version has, of 353.
HAS = {(2, 7): 165, (3, 6): 196, (3, 7): 244, (3, 8): 289, (3, 9): 342, (3, 10): 342, (3, 11): 353}

#: One benchmark of each form that is not everywhere, and why it is not in the versions before.
REASONS = {
    "function-fastcall-1": {
        (2, 7): "METH_FASTCALL came with 3.6",
        (3, 6): "METH_FASTCALL of 3.6 always passes the names of keywords",
    },
    "function-fastcall_keywords-1": {(2, 7): "METH_FASTCALL came with 3.6"},
    "method-method-1": dict.fromkeys([(2, 7), (3, 6), (3, 7), (3, 8)], "METH_METHOD came with 3.9"),
    "state-onearg-1": dict.fromkeys(
        [(2, 7), (3, 6), (3, 7), (3, 8), (3, 9), (3, 10)], "PyType_GetModuleByDef came with 3.11"
    ),
    "object-vectorcall-1": dict.fromkeys([(2, 7), (3, 6), (3, 7)], "vectorcall came with 3.8"),
    "new-vectorcall-1": {
        (2, 7): "vectorcall came with 3.8",
        (3, 6): "vectorcall came with 3.8",
        (3, 7): "vectorcall came with 3.8",
        (3, 8): "3.8 calls no type through vectorcall",
    },
    "call-short-python-1": dict.fromkeys(
        [(2, 7), (3, 6), (3, 7), (3, 8)], "PyObject_CallOneArg came with 3.9"
    ),
    "call-vectorcall_dict-python-1": {(2, 7): "_PyObject_FastCallDict came with 3.6"},
    "call-vectorcall_offset-python-1": dict.fromkeys(
        [(2, 7), (3, 6), (3, 7)], "vectorcall came with 3.8"
    ),
    "callmethod-vectorcall-python-1": dict.fromkeys(
        [(2, 7), (3, 6), (3, 7), (3, 8)], "PyObject_VectorcallMethod came with 3.9"
    ),
    "callmethod-format-utcoffset-1": {(2, 7): "datetime.timezone came with 3.2"},
    "callmethod-format-fastcall-1": {
        (2, 7): "METH_FASTCALL came with 3.6",
        (3, 6): "METH_FASTCALL of 3.6 always passes the names of keywords",
    },
}


def test_what_a_version_lacks_it_says_why(python: Interpreter) -> None:
    code = """
import benchmarks
answer = [[b.name, b.lack] for b in benchmarks.all_benchmarks(callconv)]
"""
    listed = ask(python, code)
    lacks = dict(listed)
    assert len(listed) == len(lacks) == 353  # no name twice
    version = python.version[:2]
    had = sum(lack is None for lack in lacks.values())
    assert had == HAS.get(version, 353)
    assert {n: lacks[n] for n in REASONS} == {n: why.get(version) for n, why in REASONS.items()}


HAZARD = """
class Thing(object): pass
first, second = Thing(), Thing()
callconv.from_c(form, callconv.hold, (first,), 1)
held = callconv.held()
before = hash(held[0])
callconv.from_c(form, callconv.hold, (second,), 1)
held += callconv.held()
kept = [held[0][0] is first, held[1][0] is second, held[0] is held[1]]
"""


def test_a_cached_tuple_changes_under_a_callee_that_keeps_it(python: Interpreter) -> None:
    code = "answer = {}\nfor form in ('fresh', 'cached_checked', 'cached'):\n"
    code += "    exec(" + repr(HAZARD + "answer[form] = kept") + ")\n"
    assert ask(python, code) == {
        "fresh": [True, True, False],
        "cached_checked": [True, True, False],
        "cached": [False, True, True],
    }


def test_a_cached_tuple_may_keep_the_hash_of_its_former_items(python: Interpreter) -> None:
    """Since 3.14 a tuple remembers its hash, so a changed one is not even equal to its twin."""
    code = "form = 'cached'\n" + HAZARD + "answer = hash(held[0]) == hash((second,))"
    assert ask(python, code) is (python.version < (3, 14))


def test_a_cached_tuple_is_overwritten_by_a_call_within_the_call(python: Interpreter) -> None:
    code = """
def call(form, what, last):
    return callconv.from_c(form, callconv.through, (what, None, last), 1)

answer = {}
for form in ("fresh", "cached_checked", "cached"):
    inner = lambda: call(form, lambda: None, "inner")
    answer[form] = call(form, inner, "outer")
"""
    assert ask(python, code) == {"fresh": "outer", "cached_checked": "outer", "cached": "inner"}


def test_a_cached_tuple_keeps_its_last_arguments_alive(python: Interpreter) -> None:
    code = """
import sys
class Thing(object): pass
thing = Thing()
answer = [sys.getrefcount(thing)]
callconv.from_c("cached", callconv.varargs, (thing,), 5)
answer.append(sys.getrefcount(thing))
callconv.forget()
answer.append(sys.getrefcount(thing))
"""
    before, cached, forgotten = ask(python, code)
    assert (cached, forgotten) == (before + 1, before)


ERRORS = """
def error(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as e:
        return "%s: %s" % (type(e).__name__, e)
"""


def test_wrong_calls_are_errors(python: Interpreter) -> None:
    code = f"""{ERRORS}
from_c = callconv.from_c
answer = [
    error(callconv.varargs_keywords, kex=1),
    error(callconv.varargs_keywords, key=1, kex=2),
    error(callconv.noargs, 1),
    error(from_c, "nonesuch", len, (), 1),
    error(from_c, "fresh", len, (1, 2), 1),
    error(from_c, "format", callconv.varargs, (1,), 1, None, 1),
    error(from_c, "fresh", len, (), 1, "name"),
    error(from_c, "method_format", len, (), 1),
    error(from_c, "fresh", len, ([1, 2],), 1),
    error(from_c, "fresh", len, ([1, 2],), 0),
    error(from_c, "objargs", int, ("x",), 1).split(":")[0],
]
"""
    said = ask(python, code)
    assert said[:2] == ["TypeError: the only keyword is key"] * 2
    assert said[2].startswith("TypeError: ")
    assert said[3:] == [
        "ValueError: no form of call nonesuch",
        "ValueError: this form cannot pass these arguments",
        "ValueError: this form cannot pass these arguments",
        "ValueError: forms that call methods, and only those, need a name",
        "ValueError: forms that call methods, and only those, need a name",
        2,
        None,
        "ValueError",
    ]


def test_forms_with_keywords_refuse_another(python: Interpreter) -> None:
    code = f"""{ERRORS}
methods = callconv.Methods()
answer = {{}}
for form, lack in callconv.CALLEES.items():
    if form.endswith("keywords") or form == "method":
        answer[form] = lack or error(getattr(methods, form), kex=1)
for form, name in (("tp_call", "TpCall"), ("vectorcall", "Vectorcall")):
    answer[form] = callconv.OBJECTS[form] or error(getattr(callconv, name)(), kex=1)
for name, form in (("New", "tp_new"), ("Init", "tp_init"), ("Make", "vectorcall")):
    answer[name] = callconv.CONSTRUCTORS[form] or error(getattr(callconv, name), kex=1)
"""
    said = ask(python, code)
    assert len(said) == 8
    refused = {form: why for form, why in said.items() if " came with " not in why}
    refused.pop("Make" if python.version[:2] == (3, 8) else "", None)
    assert refused
    assert set(refused.values()) == {"TypeError: the only keyword is key"}


def test_a_form_that_is_lacking_cannot_be_called(python: Interpreter) -> None:
    code = f"""{ERRORS}
answer = [[lack, error(callconv.from_c, form, len, (), 1)]
          for form, of_methods, counts, lack in callconv.CALLERS if lack and not of_methods]
"""
    for lack, said in ask(python, code):
        assert said == f"NotImplementedError: {lack}"


EVIDENCE = """
import benchmarks, evidence
made = {b.name: b for b in benchmarks.all_benchmarks(callconv)}
answer = {}
for name in names:
    if made[name].lack is None:
        lines = evidence.evidence(callconv, made[name].make())
        answer[name] = {l.split(" ", 2)[2]: float(l.split()[1]) for l in lines
                        if l.startswith("figure")}
"""

#: Benchmark → allocations a call in the steady state, and with empty free lists, where all versions
#: from the given one on agree.
ALLOCATIONS = {
    "function-noargs-0": ((3, 6), 0, 0),
    "function-onearg-1": ((3, 6), 0, 0),
    "function-varargs-0": ((3, 6), 0, 0),
    "function-varargs-3": ((3, 6), 0, 1),
    "function-fastcall-3": ((3, 7), 0, 0),
    "function-varargs_keywords-key": ((3, 6), 0, 2),
    "function-fastcall_keywords-key": ((3, 7), 0, 0),
    "object-tp_call-3": ((3, 6), 0, 1),
    "object-vectorcall-3": ((3, 8), 0, 0),
    "new-tp_new-3": ((3, 6), 1, 2),
    "new-vectorcall-3": ((3, 9), 1, 1),
    "call-fresh-varargs-3": ((3, 6), 0, 1),
    "call-cached-varargs-3": ((3, 6), 0, 0),
    "call-vectorcall-fastcall-3": ((3, 8), 0, 0),
    "callmethod-objargs-python-1": ((3, 8), 0, 0),
    "callmethod-bound_objargs-python-1": ((3, 9), None, 1),
    "callmethod-format-python-1": ((3, 9), None, 2),
}


def test_allocations_are_those_that_the_convention_needs(python: Interpreter) -> None:
    if python.version < (3, 5):
        pytest.skip("hooks into the allocators came with 3.5")
    found = ask(python, f"names = {list(ALLOCATIONS)!r}\n" + EVIDENCE)
    for name, (since, steady, empty) in ALLOCATIONS.items():
        if python.version >= since:
            if steady is not None:
                assert found[name]["allocations a call"] == steady, name
            assert found[name]["allocations a call with empty free lists"] == empty, name


def test_a_bound_method_comes_from_a_free_list_but_for_3_9_to_3_13(python: Interpreter) -> None:
    if python.version < (3, 5):
        pytest.skip("hooks into the allocators came with 3.5")
    found = ask(python, "names = ['callmethod-bound_objargs-python-1']\n" + EVIDENCE)
    steady = found["callmethod-bound_objargs-python-1"]["allocations a call"]
    assert steady == ((3, 9) <= python.version < (3, 14))


def test_no_call_leaks(python: Interpreter) -> None:
    names = [
        *("func-3", "function-varargs-3", "function-varargs_keywords-key"),
        *("method-method-key", "state-method-3", "object-vectorcall-8", "new-tp_init-1"),
        *("new-vectorcall-key", "call-fresh-python-key", "call-cached-bound-3"),
        *("call-cached_checked-varargs-8", "call-vectorcall_dict-fastcall-key"),
        *("call-vectorcall_offset-bound-8", "callmethod-format-python-3"),
        *("callmethod-bound_format-varargs-1", "callmethod-vectorcall-python-8"),
    ]
    for name, figures in ask(python, f"names = {names!r}\n" + EVIDENCE).items():
        assert figures["references a call"] == 0, name
        assert figures.get("blocks of memory a call", 0) == 0, name


def test_a_leak_is_found(python: Interpreter) -> None:
    code = """
import evidence, workloads
class Thing(object): pass
lines = evidence.evidence(callconv, workloads.FromPython(
    "leak(thing)", {"leak": callconv.leak, "thing": Thing()}))
lines += evidence.evidence(callconv, workloads.FromC(callconv, "fresh", callconv.leak, (Thing(),)))
answer = [l for l in lines if l.endswith("references a call")]
"""
    assert ask(python, code) == ["figure 1 references a call"] * 2


def test_the_painted_stack_sees_what_a_call_uses(python: Interpreter) -> None:
    code = """
import workloads
def depths(size):
    made = workloads.FromPython("sink(size)", {"sink": callconv.sink, "size": size})
    return [callconv.stack_depth(callconv.sink, (size,)),
            callconv.call_depth(*made.painted(callconv)),
            callconv.call_depth(callconv.from_c, ("fresh", callconv.sink, (size,), 1))]
answer = [depths(1000), depths(3000), depths(50000)]
"""
    small, middle, large = ask(python, code)
    for one, two, three in zip(small, middle, large, strict=True):
        assert 1000 <= one < 1600
        assert two - one == pytest.approx(2000, abs=16)
        assert three - two == pytest.approx(47000, abs=16)


def test_stack_that_was_not_begun_cannot_be_measured(python: Interpreter) -> None:
    code = f"{ERRORS}\nanswer = error(callconv.call_depth, callconv.noargs, ())"
    said = "RuntimeError: no Painter and no form of from_c was reached"
    assert ask(python, code) == said


def test_an_exception_in_the_painted_thread_arrives(python: Interpreter) -> None:
    code = f"{ERRORS}\nanswer = error(callconv.stack_depth, int, ('x',)).split(':')[0]"
    assert ask(python, code) == "ValueError"


def test_python_calls_python_without_c_stack_since_3_11(python: Interpreter) -> None:
    found = ask(python, "names = ['func-3', 'call-objargs-python-1']\n" + EVIDENCE)
    level = "bytes of C stack a level of nesting"
    assert (found["func-3"][level] == 0) is (python.version >= (3, 11))
    assert found["call-objargs-python-1"][level] > 200


def test_instructions_that_call_are_named(python: Interpreter) -> None:
    """METH_METHOD has none of its own, in any version so far."""
    code = """
import benchmarks, evidence
made = {b.name: b for b in benchmarks.all_benchmarks(callconv)}
answer = {}
for name in ("method-onearg-1", "method-varargs-1", "method-method-1"):
    if made[name].lack is None:
        lines = evidence.evidence(callconv, made[name].make())
        answer[name] = [l for l in lines if "instructions" in l]
"""
    found = ask(python, code)
    if python.version < (3, 11):
        why = "missing instructions that call: instructions that specialise came with 3.11"
        assert [why] in found.values()
        assert all(lines == [why] for lines in found.values())
    else:
        assert found["method-method-1"] == found["method-varargs-1"]
        assert "METHOD_DESCRIPTOR_O" in found["method-onearg-1"][0]


def test_the_clock_goes_forward_in_nanoseconds(python: Interpreter) -> None:
    code = """
import time
start = callconv.clock()
time.sleep(0.01)
answer = callconv.clock() - start
"""
    assert ask(python, code) >= 10_000_000
