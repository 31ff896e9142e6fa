"""Whatever a file holds, it is a study or a UserError."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.study.conftest import Write

from whyfast.model.errors import StudyError
from whyfast.model.study import Study
from whyfast.study.load import load_study

from_fixtures = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

_WORDS = (
    *("clang18", "clang19-goto", "base", "taildup", "{program}", "{cc}", "{", "1%", "1s", "turn"),
    *("a:b", "src", "", "\0", "add", "extends", "only", "name", "compiler", "musttail", "/", ".."),
)
_scalar = st.one_of(
    st.sampled_from(_WORDS),
    st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=4),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.datetimes(),
)
_value = st.recursive(
    _scalar,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(_WORDS), inner, max_size=3)
    ),
    max_leaves=5,
)


def loads_or_explains(file: Path) -> Study | None:
    """The study; None after checking that what was raised can be shown to a user."""
    try:
        study = load_study(file)
    except StudyError as error:
        mistake = error
    else:
        check(study)
        return study
    lines = file.read_bytes().count(b"\n") + 1
    assert mistake.line is None or 1 <= mistake.line <= lines
    assert str(mistake).startswith(str(file))
    return None


def check(study: Study) -> None:
    """What everyone may rely on in a study."""
    names = [variant.name for variant in study.variants]
    assert len(set(names)) == len(names)
    assert set(study.baselines) <= set(names)
    assert 0 < study.margin < 1
    assert study.benchmarks
    assert all(variant.toolchain for variant in study.variants)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in the document with each of its keys or indices."""
    own: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        own = [(value, key) for key in value]
    elif isinstance(value, list):
        own = [(value, index) for index in range(len(value))]
    return own + [place for container, key in own for place in _places(container[key])]


@from_fixtures
@given(data=st.data())
def test_one_place_changed(data: st.DataObject, valid: str, write: Write) -> None:
    document = tomllib.loads(valid)
    for _ in range(data.draw(st.integers(1, 3))):
        places = _places(document)
        if not places:
            break
        container, key = data.draw(st.sampled_from(places))
        what = data.draw(st.sampled_from(("replace", "replace", "drop", "rename")))
        if what == "replace":
            container[key] = data.draw(_value)
        elif what == "drop":
            del container[key]
        elif isinstance(container, dict):
            container[data.draw(st.sampled_from(_WORDS))] = container.pop(key)
    loads_or_explains(write(tomlkit.dumps(document)))


@from_fixtures
@given(data=st.data())
def test_text_cut_and_pasted(data: st.DataObject, valid: str, write: Write) -> None:
    words = re.split(r"(\W)", valid)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(words) - 1))
        if data.draw(st.booleans()):
            words[at] = data.draw(st.sampled_from(words))
        else:
            words[at] = data.draw(st.text(max_size=2).filter(lambda t: t.isascii()))
    loads_or_explains(write("".join(words)))


@from_fixtures
@given(
    sections=st.dictionaries(st.sampled_from(("study", "variant", "axes", "benchmarks")), _value)
)
def test_sections_of_anything(sections: dict[str, Any], valid: str, write: Write) -> None:
    loads_or_explains(write(tomlkit.dumps({**tomllib.loads(valid), **sections})))


@from_fixtures
@given(raw=st.binary(max_size=60))
def test_any_bytes(raw: bytes, write: Write) -> None:
    file = write("")
    file.write_bytes(raw)
    assert loads_or_explains(file) is None


@from_fixtures
@given(extends=st.lists(st.lists(st.sampled_from("abcdef"), max_size=3, unique=True), max_size=6))
def test_any_ancestry(extends: list[list[str]], valid: str, write: Write) -> None:
    variants = [
        f'[variant.{name}]\ntoolchain = "path:{name}"\n'
        f'cflags.add = ["-{name}"]\nextends = {names}\n'
        for name, names in zip("abcdef", extends, strict=False)
    ]
    study = loads_or_explains(write(valid + "".join(variants)))
    if study is None:
        return
    for name, names in zip("abcdef", extends, strict=False):
        variant = study.variant(name)
        assert variant.toolchain == f"path:{name}"
        assert variant.cflags[-1] == f"-{name}"
        assert len(set(variant.cflags)) == len(variant.cflags)
        for parent in names:
            assert set(study.variant(parent).cflags) < set(variant.cflags)


def test_the_valid_study_is_valid(valid: str, write: Write) -> None:
    assert loads_or_explains(write(valid)) is not None


@pytest.mark.parametrize("end", range(0, 1300, 13))
def test_cut_short(end: int, valid: str, write: Write) -> None:
    loads_or_explains(write(valid[:end]))
