"""What compilers say of the code that carries a difference: the flags that they recorded, and of
what whyfast builds what they did not do.

GCC writes its flags into ``DW_AT_producer`` of each unit of debug information, Clang with
``-grecord-command-line``, Go the flags of its compiler.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.explain.executed import LoadedFiles
from whyfast.explain.functions import base_name
from whyfast.explain.objects import short_name
from whyfast.explain.options import CompilerRecord, read_recorded
from whyfast.formats.opt_records import MissedOptimisation
from whyfast.model.why import Account, Cause

#: Flags that change no instruction: names of files and folders, warnings, debug information.
_SILENT = re.compile(
    r"-[IDUWg].*|-i(quote|system|prefix|multiarch|macros|dirafter)\b.*|-include.*|-[cEoS]"
    r"|-f(debug|file|macro|profile|canon)-prefix-map=.*|-frandom-seed=.*|-fdiagnostics.*|-fno-working"
    r"-directory|-f(no-)?(verbose-asm|ident)|-M.*|-dumpbase.*|-quiet|-p|-fdebug.*|-fmessage-length.*"
    r"|-trimpath|-buildid.*|-pack|-shared|-complete|-goversion|-nolocalimports|-importcfg"
)

#: Optimisation levels as the compiler reads them; none is -O0.
_LEVEL = re.compile(r"-O(.*)")

#: The flags that decide whether a cause can arise, by its key.
RELEVANT: Mapping[str, str] = {
    "vectorisation": r"-O.*|-f(no-)?(tree-)?(slp-|loop-)?vectorize|-f(no-)?tree-.*vector.*"
    r"|-m(arch|tune|prefer-vector-width|no-avx|no-sse|avx|sse).*|-f(no-)?vect-cost-model.*"
    r"|-f(no-)?(fast-math|associative-math|unsafe-math.*)|-Ofast",
    "inlining": r"-O.*|-f(no-)?inline.*|-f(no-)?lto.*|-l$|-f(no-)?ipa.*|-finline-limit.*|--param.*",
    "debug-build": r"-O.*|-N|-l",
    "unrolling": r"-O.*|-f(no-)?unroll.*|-f(no-)?peel-loops",
    "hardening": r"-f(no-)?stack.*|-f(no-)?cf-protection.*|-mindirect-branch.*|-mfunction-return.*"
    r"|-mretpoline.*|-f(no-)?trapv|-ftrivial-auto-var-init.*|-fzero-call-used-regs.*",
    "sanitizer": r"-f(no-)?sanitize.*",
    "x87": r"-mfpmath=.*|-msse.*|-mno-sse.*|-m32|-march.*|-ffloat-store|-fexcess-precision.*",
    "plt": r"-f(no-)?(plt|pic|PIC|pie|PIE|semantic-interposition|visibility).*",
    "jump-table": r"-f(no-)?jump-tables|-O.*|-mindirect-branch.*|-f(no-)?tree-switch-conversion",
    "bounds-checks": r"-f(no-)?(bounds-check.*|sanitize.*)|-B$",
    "spills": r"-O.*|-f(no-)?omit-frame-pointer|-f(no-)?unroll.*|-ffixed-.*|-f(no-)?schedule.*",
    "division": r"-O.*|-m(arch|tune).*|-f(no-)?(reciprocal-math|fast-math)",
}


def flag_remark(
    key: str, fast: str, fast_record: CompilerRecord, slow_record: CompilerRecord
) -> str:
    """How the compiler or its flags differ between the sides as far as it matters to a cause; empty
    where they are the same, or a side has no record. ``fast`` is the name of the faster side."""
    compilers = fast_record.compiler, slow_record.compiler
    texts = []
    if all(compilers) and compilers[0] != compilers[1]:
        texts.append(f"built by {compilers[1]}, {fast} by {compilers[0]}")
    if fast_record.flags and slow_record.flags:
        ours, theirs = _effective(slow_record.flags), _effective(fast_record.flags)
        level, other = ours.pop("-O"), theirs.pop("-O")
        pattern = re.compile(RELEVANT.get(key, r".*"))
        if level != other and pattern.fullmatch(level):
            texts.append(f"built with {level}, {fast} with {other}")
        given = [f for f in ours.values() if f not in theirs.values() and pattern.fullmatch(f)]
        lacks = [f for f in theirs.values() if f not in ours.values() and pattern.fullmatch(f)]
        if given:
            texts.append(f"{_listed(given)} given")
        lacks = [f for f in lacks if _stem(f) not in {_stem(g) for g in given}]
        if lacks:
            texts.append(f"without {' '.join(lacks[:3])}, which {fast} is built with")
    if not texts:
        return ""
    return f"{slow_record.compiler or 'the compiler'}: {'; '.join(texts)}"


def _listed(flags: Sequence[str]) -> str:
    return f"{' '.join(flags[:3])} {'is' if len(flags) == 1 else 'are'}"


def _effective(flags: Sequence[str]) -> dict[str, str]:
    """The last of each flag and its opposite; the level of optimisation under ``-O``."""
    last = {"-O": "-O0"}
    for flag in flags:
        if level := _LEVEL.fullmatch(flag):
            last["-O"] = "-O1" if level[1] == "" else flag
        elif not _SILENT.fullmatch(flag):
            last.pop(_stem(flag), None)
            last[_stem(flag)] = flag
    return last


def _stem(flag: str) -> str:
    """The same for a flag, its opposite and its other values."""
    return re.sub(r"^-([fm])no-", r"-\1", flag).split("=")[0]


Record = Callable[[str], CompilerRecord]


def records_of(programs: Sequence[str], files: LoadedFiles) -> Record:
    """The compiler's record of a function by its name, from the first of some files that has it.
    A file may be none with machine code: a script, or any other word of a command."""

    def record(function: str) -> CompilerRecord:
        for path in programs:
            code = files.get(path)
            pieces = code.by_name.get(function) if code else None
            if pieces:
                return read_recorded(Path(path), pieces[0].address)
        return CompilerRecord()

    return record


#: A flag that has every variable cleared where it begins.
_CLEARED = re.compile(r"-ftrivial-auto-var-init=(zero|pattern).* given")


def with_flags(account: Account, fast: Record, slow: Record) -> Account:
    """The account with remarks on causes in functions of the program. ``fast`` and ``slow`` give
    the compiler's record of a function by its name, an empty one where there is none."""

    def remarked(cause: Cause) -> Cause:
        function = cause.place.function
        if not function or cause.place.library or cause.remark:
            return cause
        remark = flag_remark(cause.key, account.fast, fast(function), slow(function))
        cleared = cause.key == "copying" and _CLEARED.search(remark)
        return replace(cause, key="hardening" if cleared else cause.key, remark=remark)

    return replace(account, causes=tuple(remarked(c) for c in account.causes))


#: Words of records that are about a cause, the most telling first, and those that tell nothing.
_ABOUT: Mapping[str, tuple[str, ...]] = {
    "vectorisation": ("not vectorized", "clobbers memory", "no vectype", "unsupported", "not supp"),
    "inlining": (
        "cannot inline",
        "not inlinable",
        "will not early inline",
        "will not inline",
        "not be inlined",
        "not inlined",
    ),
}


def with_records(
    account: Account,
    fast: Sequence[MissedOptimisation],
    slow: Sequence[MissedOptimisation],
    compiler: str,
) -> Account:
    """The account with what the compiler says that it did not do on the slow side alone."""
    known = {(m.symbols, _wording(m.text)) for m in fast}
    new = [m for m in slow if (m.symbols, _wording(m.text)) not in known]

    def remarked(cause: Cause) -> Cause:
        about = [m for word in _ABOUT.get(cause.key, ()) for m in new if word in m.text]
        mine = [m for m in about if _is_of(m, cause)]
        if not mine:
            return cause
        where = f" ({mine[0].file}:{mine[0].line})" if mine[0].line else ""
        text = f'{compiler}: "{mine[0].text}"{where}'
        return replace(cause, remark="; ".join(filter(None, (text, cause.remark))))

    return replace(account, causes=tuple(remarked(c) for c in account.causes))


def _wording(text: str) -> str:
    """Without numbers, of temporaries and others: they change with every line of the source."""
    return re.sub(r"\d+", "#", text)


def _is_of(missed: MissedOptimisation, cause: Cause) -> bool:
    """Whether it is about functions that the cause names: of a call, about caller or callee."""
    names = {short_name(base_name(symbol)) for symbol in missed.symbols}
    named = set(re.findall(r"`([^`]+)`", cause.sentence)) | {cause.place.function}
    if missed.file.endswith(".go"):  # which names functions without their package
        return any(n.endswith(f".{symbol}") for n in named for symbol in missed.symbols)
    if cause.key == "inlining":
        return len(names) > 1 and names <= named | {cause.place.function}
    return bool(names & named)
