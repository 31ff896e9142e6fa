"""What V8's machine code does for JavaScript, by the names of its functions (V8's builtins, IC and
runtime functions have kept theirs since 2019)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple


class Work(NamedTuple):
    """A kind of work: the key of its cause and what V8 does, as the end of a sentence."""

    key: str
    does: str


#: Asked in this order, of names without ``Builtins_`` and ``v8::internal::``.
_KINDS: tuple[tuple[re.Pattern[str], Work], ...] = tuple(
    (re.compile(pattern), Work(key, does))
    for pattern, key, does in (
        (
            r"Isolate::(Throw|ReThrow|UnwindAndFindHandler|Capture\w+|CreateMessage\w*)|ErrorUtils::"
            r"|Error(Constructor|CaptureStackTrace)|CallSite|Runtime_(Throw|ReThrow)"
            r"|(CaptureSimpleStackTrace|CallSiteInfo|FrameSummary|OptimizedFrame::Summarize)",
            "exceptions",
            "keeps the stacks of errors and unwinds them",
        ),
        (
            r"CloneObjectIC|CopyDataProperties|SetDataProperties|(Clone|Extract)FastJSArray"
            r"|Copy(Fast|Elements|Object)|Array(Prototype)?(Slice|Concat|Splice|ToSp|ToReversed|With)"
            r"|Array(Prototype)?(Shift|Unshift)|Iterable(ToList|ToFixedArray)|ObjectAssign|MemMove"
            r"|Factory::Copy\w+|Heap::(Move|Copy)Range|(Runtime_)?(Move|Copy)\w*Elements"
            r"|\w*ElementsAccessor\w*::(Copy|Move|Splice|Slice)\w*|FastAssign|TypedArrayPrototypeSlice"
            r"|TypedArrayPrototypeSet|Runtime_CopyDataProperties\w*|ValueSerializer|ValueDeserializer",
            "copying",
            "copies objects or arrays",
        ),
        (
            r"BigInt|MutableBigInt|bigint::|Runtime_BigInt|NewHeapNumber|Factory::NewHeapNumber",
            "boxing",
            "makes objects for numbers",
        ),
        (r"Json|Runtime_Json", "string-work", "reads or writes JSON"),
        (r"RegExp|Irregexp|regexp::|Runtime_RegExp", "string-work", "matches regular expressions"),
        (
            r"String|SubString|Runtime_(Flatten)?String|Runtime_SubString|NumberToString|ParseInt|Utf8|Uri::"
            r"|NumberParse|Date(PrototypeTo|Parse)|ToDateString"
            r"|NumberPrototypeTo|DoubleTo\w*CString|Intl::|Collator|DateTimeFormat|NumberFormat",
            "string-work",
            "works through strings",
        ),
        (
            r"ArrayTimSort|MergeAt|Gallop|SortCompare|ArrayPrototype(Sort|ToSorted)",
            "more-work",
            "sorts",
        ),
        (
            r"Array(Prototype)?(Includes|(Last)?IndexOf|Find(Last)?(Index)?(?!\w*Loop))",
            "more-work",
            "searches arrays",
        ),
        (
            r"(Map|Set)Prototype(Get|Set|Has|Add|Delete)|FindOrderedHash|\w*OrderedHash",
            "more-work",
            "looks up keys of Maps and Sets",
        ),
        (
            r"(Keyed|Define\w+)?(Load|Store|Has|Own)IC(?!.*Handler)|LookupIterator|\w*Dictionary"
            r"|KeyedLoadIC|KeyedStoreIC|GetProperty|SetProperty|HasProperty|Runtime_(Get|Set)\w*Prop"
            r"|StubCache|IC::|DeleteProperty|JSObject::(Migrate|Normalize)\w*|Map::\w*Transition\w*",
            "more-work",
            "looks up properties by their names",
        ),
        (
            r"Proxy(Get|Set|Has|Delete)|CallProxy|JSProxy::",
            "more-calls",
            "calls the handlers of proxies",
        ),
        (r"ResumeGenerator|GeneratorPrototype", "more-calls", "resumes generators"),
        (
            r"RunMicrotasks|Promise|\w*Async(Function|Generator)|AwaitCaught|FulfillPromise"
            r"|ResolvePromise|PerformPromiseThen|NewPromiseCapability",
            "more-work",
            "settles promises and runs what awaits them",
        ),
        (
            r"Allocate|FastNew(Object|Closure|\w*Arguments|FunctionContext)|Factory::New|Heap::Allocate"
            r"|CreateShallow|GrowFast|Runtime_(Allocate|GrowArray)|\w*Allocator::",
            "allocation",
            "allocates objects",
        ),
        (
            r"Parser|PreParser|Scanner|interpreter::Bytecode(Generator|Array)|Compiler::|CompileLazy",
            "more-work",
            "compiles source",
        ),
        (r"\w+Handler$|InterpreterEntryTrampoline", "interpreter", "interprets bytecode"),
    )
)

#: V8's collector, of which its profile knows what the program's thread does, and what else V8's own
#: threads do at the same time.
_COLLECTOR = re.compile(
    r"Scaveng|MarkCompact|Sweep|Marking|ConcurrentMark|YoungGeneration|Evacuat|heap::|cppgc::"
    r"|HeapObject::SizeFromMap|PointersUpdating"
)
_ELSEWHERE = re.compile(rf"compiler::|maglev::|{_COLLECTOR.pattern}")


_FRONT = re.compile(r"^(Builtins_|v8::internal::(\(anonymous namespace\)::)?(Builtin_(Impl_)?)?)")


def bare(name: str) -> str:
    """A function's name without what V8's have in front."""
    return _FRONT.sub("", name)


def work_of(name: str) -> Work | None:
    """What one of V8's functions does for the program; None for another one."""
    if not name.startswith(("Builtins_", "v8::")) or _ELSEWHERE.match(bare(name)):
        return None
    return next((work for pattern, work in _KINDS if pattern.match(bare(name))), None)


#: Where the machine code of a JavaScript function begins; of compiled ones no name is known.
_JAVASCRIPT = re.compile(r"(\[unknown\])?$|Builtins_(\w+Handler|InterpreterEntry\w*)$")


def operation(names: Sequence[str]) -> str:
    """The function of V8 that JavaScript called, as far as its work is known: the outermost before
    the first of JavaScript. ``names`` are those of a stack, from the innermost outwards.

    Else the innermost function; empty where it has no name or collects garbage.
    """
    inside = list(takewhile(lambda name: not _JAVASCRIPT.match(name), names))
    if any(_ELSEWHERE.match(bare(name)) for name in inside):
        return ""
    known = [name for name in inside if work_of(name) is not None]
    return known[-1] if known else next(iter(names), "").removeprefix("[unknown]")


def collects(names: Sequence[str]) -> bool:
    """Whether a stack is of V8's collector, on whichever thread."""
    return any(name.startswith("v8::") and _COLLECTOR.match(bare(name)) for name in names)


def most_work(seconds: Mapping[str, float], least: float) -> tuple[Work, str] | None:
    """The kind of work that takes most of some seconds by function, with the function of it that
    takes most; None where none takes ``least``."""
    kinds: Counter[Work] = Counter()
    for name, taken in seconds.items():
        if (work := work_of(name)) is not None:
            kinds[work] += taken  # type: ignore[assignment]
    work, most = next(iter(kinds.most_common(1)), (None, 0.0))
    if work is None or most < least:
        return None
    mine = (n for n in seconds if work_of(n) == work)
    return work, bare(max(mine, key=lambda n: seconds[n]))


_GC = re.compile(r"^\[\d+:0x[0-9a-f]+\]\s+\d+ ms: (\w[\w-]*)", re.MULTILINE)
_DEOPT = re.compile(
    r"^\[bailout \(kind: (?:deopt-)?(\w+), reason: (.+?)\): begin\. deoptimizing \S+ <JSFunction "
    r"(\S+)?.*?>",
    re.MULTILINE,
)


def parse_traces(text: str) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """(collections of garbage by kind, deoptimisations by function, by reason)."""
    deoptimised, reasons = Counter[str](), Counter[str]()
    for _, reason, name in _DEOPT.findall(text):
        deoptimised[name if name and not name.startswith("(sfi") else "<module>"] += 1
        reasons[reason] += 1
    return Counter(_GC.findall(text)), deoptimised, reasons
