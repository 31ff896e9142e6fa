"""What internal functions of standard libraries belong to, in the words of those who use them."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

#: Names of functions of libstdc++, libc++, Rust and Go, and what of theirs a program uses.
_PARTS = tuple(
    (re.compile(pattern), part)
    for pattern, part in (
        (
            r"std::__detail::_(Executor|Compiler|Scanner|NFA|BracketMatcher|State|Insert)",
            "std::regex",
        ),
        (r"std::(__cxx11::)?(__detail::__regex|regex|match_results|basic_regex)", "std::regex"),
        (r"std::_Rb_tree|std::__1::__tree", "std::map or std::set"),
        (
            r"std::_Hashtable|std::__detail::_(Hash|Map_base|Prime_rehash)|std::__1::__hash_table",
            "std::unordered_map or std::unordered_set",
        ),
        (r"std::_Function_handler|std::__1::__function", "std::function"),
        (r"std::_Deque|std::__1::deque", "std::deque"),
        (
            r"std::__(introsort|unguarded_|insertion_sort|final_insertion|adjust_heap|move_median"
            r"|merge_|inplace_stable|chunk_insertion|stable_sort|push_heap|heap_select)"
            r"|core::slice::sort::|(sort|slices)\.\w*(pdqsort|insertionSort|heapSort|siftDown|median"
            r"|partition|stable|symMerge)\w*",
            "sorting",
        ),
        (r"std::_Sp_counted|std::__shared", "std::shared_ptr"),
        (r"std::(num_(get|put)|__convert_to_v|basic_[io]?stream|basic_stringbuf)", "iostreams"),
        (r"hashbrown::|core::hash::sip|std::collections::hash", "HashMap or HashSet"),
        (r"alloc::collections::btree", "BTreeMap or BTreeSet"),
        (r"alloc::raw_vec|alloc::vec::Vec", "Vec"),
        (r"core::fmt|alloc::fmt", "formatting"),
        (
            r"internal/runtime/maps\.|runtime\.(map(access|assign|delete|iter)|memhash|strhash)",
            "map",
        ),
    )
)


def quoted(name: str) -> str:
    """A function's name in a sentence, with what an internal one belongs to:
    ``std::_Rb_tree_increment`` to ``std::map or std::set``."""
    part = next((part for pattern, part in _PARTS if pattern.match(name)), "")
    return f"`{name}` ({part})" if part else f"`{name}`"


#: Characters of a line of source that a sentence shows, and of those before what differs.
SHOWN, BEFORE = 60, 20


def changed_line(fast: str, slow: str, quoted: str) -> str:
    """The end of a sentence that tells in which one line the sides' files of source differ, empty
    lines and those of comments aside; empty where more differ, or a file cannot be read."""
    try:
        sides = [Path(file).read_text(encoding="utf-8").splitlines() for file in (fast, slow)]
    except (OSError, ValueError):
        return ""
    rows = [
        [(n, line.strip()) for n, line in enumerate(side, 1) if line.strip()[:1] not in ("", "#")]
        for side in sides
    ]
    differ = [(a[1], *b) for a, b in zip(*rows, strict=False) if a[1] != b[1]]
    if len(rows[0]) != len(rows[1]) or len(differ) != 1:
        return ""
    theirs, number, mine = differ[0]
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(theirs, mine, strict=False))
    first = max(0, sum(1 for _ in alike) - BEFORE)
    a, b = (
        "…" * (first > 0) + line[first:][:SHOWN] + "…" * (len(line) > first + SHOWN)
        for line in (theirs, mine)
    )
    return f"; their sources differ in `{b}` ({Path(slow).name}:{number}), in `{quoted}` `{a}`"
