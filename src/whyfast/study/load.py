"""The way from WHERE to a Study."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyfast.model.errors import StudyError
from whyfast.model.study import Source, Study
from whyfast.model.variant import Variant
from whyfast.study.axes import span, spread_interpreters, spread_revisions
from whyfast.study.find import FILE, ROOT_FILE, find_study, read_otherwise
from whyfast.study.notation import quoted
from whyfast.study.question import check_question, control_key, read_benchmarks, read_question
from whyfast.study.sections import (
    hide,
    read_build,
    read_costs,
    read_evidence,
    read_measure,
    read_quick,
    read_ways,
)
from whyfast.study.source import read_source
from whyfast.study.toml_document import TomlDocument, read_document
from whyfast.study.toml_table import TomlTable
from whyfast.study.variants import (
    VariantRecipe,
    check_interpreters,
    check_running,
    check_vms,
    read_recipes,
    resolve,
)

_SECTIONS = (
    *("study", "source", "build", "variant", "axes"),
    *("benchmarks", "measure", "quick", "evidence", "ways", "costs"),
)


def load_study(where: str | Path) -> Study:
    """The study in a folder with study.toml, in that file, or bundled under that name.

    UserError when there is no such study; StudyError, with line, key and what would be right, for
    the first mistake in it. Nothing is written.
    """
    file = find_study(where)
    folder = Path(os.path.abspath(file)).parent
    document = read_included(read_document(file))
    document = spread_interpreters(spread_revisions(document, folder))
    top = TomlTable(document, (), document.data)
    top.check_keys(INCLUDE, *_SECTIONS)
    own_source = file.name == ROOT_FILE and "source" not in top
    for name in ("study", "build") if own_source else ("study", "source", "build"):
        top.require(name, f"the section [{name}]")
    check_question(top.table("study"))
    here = Source("path", ".", folder)
    source = here if own_source else read_source(top.table("source"), folder)
    variants, by_hand = _variants(top)
    build, variants, hidden = hide(read_build(top.table("build")), variants)
    question = read_question(top.table("study"), variants, by_hand)
    if question.evidence_only:
        variants = tuple(replace(v, evidence_only=True) for v in variants)
    if question.control and build.link is None:
        key = control_key(top.table("study"))
        hint = f"give [build] a link step, or remove {key}"
        raise top.error(("study", key), "the program cannot be linked again", hint)
    measure = read_measure(top.table("measure"))
    if measure.layouts and build.link is None:
        hint = "give [build] a link step, or remove layouts"
        raise top.error(("measure", "layouts"), "the program cannot be linked again", hint)
    measured = any(not v.evidence_only for v in variants)
    benchmarks = read_benchmarks(top.table("benchmarks"), needed=measured)
    evidence = read_evidence(top.table("evidence"), benchmarks, source)
    check_running(top, variants, benchmarks, evidence)
    check_vms(top, variants, benchmarks)
    check_interpreters(top, build, variants, benchmarks)
    return Study(
        name=folder.name if file.name in (FILE, ROOT_FILE) else file.stem,
        title=question.title,
        folder=folder,
        baselines=question.baselines,
        margin=question.margin,
        source=source,
        build=build,
        variants=variants,
        benchmarks=benchmarks,
        evidence=evidence,
        measure=measure,
        claim=question.claim,
        along=question.along,
        control=build.link is not None if question.control is None else question.control,
        quick=read_quick(top.table("quick"), variants, benchmarks),
        otherwise=read_otherwise(top.table("study"), folder),
        hidden=hidden,
        ways=read_ways(top.table("ways"), benchmarks),
        costs=read_costs(top.table("costs")),
    )


def _variants(top: TomlTable) -> tuple[tuple[Variant, ...], tuple[VariantRecipe, ...]]:
    product = span(top.table("axes")) if "axes" in top else ()
    by_hand = read_recipes(top.table("variant"))
    variants = resolve(top.document, product, by_hand)
    if not variants:
        what = "every variant is abstract" if by_hand else "a study needs variants"
        raise top.error(("variant",), what, 'write [variant.NAME] with toolchain = "path:gcc"')
    return variants, by_hand


#: ``include = "FILE"`` names a file with what several studies have in common.
INCLUDE = "include"


def read_included(document: TomlDocument) -> TomlDocument:
    """The document with the values of the file that it includes, its own over those.

    Tables are merged key by key, anything else is replaced. The included file may include another.
    """
    return _read(document, (document.file,))


def _read(document: TomlDocument, chain: tuple[Path, ...]) -> TomlDocument:
    if INCLUDE not in document.data:
        return document
    table = TomlTable(document, (), document.data)
    name = table.string(INCLUDE)
    file = Path(os.path.normpath(document.file.parent / os.path.expanduser(name)))
    if any(_same(file, other) for other in chain):
        raise table.error((INCLUDE,), f"{quoted(name)} includes itself")
    try:
        base = _read(read_document(file), (*chain, file))
    except StudyError as error:
        if error.file == file and error.line is None and error.key is None:  # no such file, say
            reason = f"{quoted(name)} {error.message}"
            raise table.error((INCLUDE,), reason, f"relative to {document.file.parent}") from None
        raise
    merged = _merged(base.data, document.data)
    return replace(document, data=merged, own_data=document.data, base=base)


def _same(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:
        return a == b


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Keys of the base first, in its order."""
    both = {**base, **over}
    for name in base.keys() & over.keys():
        if isinstance(base[name], dict) and isinstance(over[name], dict):
            both[name] = _merged(base[name], over[name])
    return both
