"""In what interpreters differ beside their version."""

from __future__ import annotations

from pathlib import Path

from tests.golden_files import Hear

from whyfast.judge.confounds import interpreter_confounds
from whyfast.model.build import Build

PLAIN = {
    "compiler": "GCC 12.2.0",
    "flags": "-O3",
    "PGO": "without PGO",
    "LTO": "without LTO",
    "libpython": "shared",
    "build": "release",
}


def _build(variant: str, facts: dict[str, str] | None) -> Build:
    provenance = {} if facts is None else {"interpreter": {"facts": facts}}
    return Build(variant, "d", Path(variant), variant, provenance, False)


def test_each_fact_that_differs_is_named_with_its_groups(golden: Hear) -> None:
    builds = [
        _build("py3.12", PLAIN),
        _build("py3.13", PLAIN),
        _build("debian", {**PLAIN, "PGO": "not known", "libpython": "in the program"}),
    ]
    pgo, linked = interpreter_confounds(builds)
    assert (pgo.kind, pgo.severity, pgo.variants) == (
        "interpreter-pgo",
        "warning",
        ("py3.12", "py3.13", "debian"),
    )
    golden(pgo.text)
    assert (linked.kind, linked.severity) == ("interpreter-libpython", "note")


def test_equal_interpreters_and_builds_without_any_have_none() -> None:
    assert list(interpreter_confounds([_build("a", PLAIN), _build("b", PLAIN)])) == []
    assert list(interpreter_confounds([_build("a", None), _build("b", PLAIN)])) == []
