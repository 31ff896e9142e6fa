"""Mistakes in a study file: each changes one place of the valid study. Whatever a file holds, it is
a study or a UserError."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.golden_files import Hear
from tests.unit.study.conftest import Message, Write

from whyfast.model.errors import StudyError
from whyfast.model.study import Study
from whyfast.study.load import load_study

COMMAND = 'command = ["{program}", "turn", "{source}/collatz.hex"]\n'
STEPS = 'steps = ["{cc} {cflags} -o {program} {source}/*.c {ldflags}"]'
EXCLUDE = 'exclude = [{ compiler = "clang18", dispatch = "tail" }]'

#: By the part of the file: names of mistakes, a text that the valid study has once, and another.
MISTAKES = {
    "axes": {
        "exclude axis": ("exclude = [{ compiler =", "exclude = [{ compilr ="),
        "exclude value": ('compiler = "clang18", dispatch', 'compiler = "clang8", dispatch'),
        "exclude value in list": (
            'compiler = "clang18", dispatch',
            'compiler = ["clang18", "gcc"], dispatch',
        ),
        "exclude empty entry": ('{ compiler = "clang18", dispatch = "tail" }', "{}"),
        "only value": (
            'exclude = [{ compiler = "clang18", dispatch',
            'only = [{ compiler = "clang17", dispatch',
        ),
        "only nothing": (EXCLUDE, "only = []"),
        "exclude everything": (EXCLUDE, 'exclude = [{ dispatch = ["goto", "tail"] }]'),
        "both nothing": (
            EXCLUDE,
            'only = [{ dispatch = "goto" }]\nexclude = [{ dispatch = "goto" }]',
        ),
        "name axis": ('extends = "base"\nexclude', 'name = "{compiler}-{dispatcher}"\nexclude'),
        "name stray": ('extends = "base"\nexclude', 'name = "{compiler"\nexclude'),
        "name not unique": ('extends = "base"\nexclude', 'name = "{compiler}"\nexclude'),
        "axis no values": ("[axes.compiler.clang18]\n", "[axes.os]\n[axes.compiler.clang18]\n"),
        "axis value no table": ('extends = "base"\nexclude', "os.linux = 1\nexclude"),
        "axis value abstract": (
            "[axes.compiler.clang18]\n",
            "[axes.compiler.clang18]\nabstract = true\n",
        ),
        "axis value extends": (
            "[axes.compiler.clang18]\n",
            '[axes.compiler.clang18]\nextends = "base"\n',
        ),
    },
    "benchmarks": {
        "no command": (COMMAND, ""),
        "command empty": (COMMAND, "command = []\n"),
        "command string": (COMMAND, 'command = "{program} turn"\n'),
        "command without program": (COMMAND, 'command = ["true"]\n'),
        "command placeholder": ('"{source}/collatz.hex"', '"{sources}/collatz.hex"'),
        "command cc": ('"{source}/collatz.hex"', '"{cc}"'),
        "runner": ('runner = "turn"', 'runner = "turns"'),
        "runner unlike": ('runner = "turn"', 'runner = "xyz"'),
        "check type": ('check = "0x1f"', "check = 0x1f"),
        "check words": ('check = "0x1f"', 'check = "a b"'),
        "check without turn": ('runner = "turn"', 'runner = "command"'),
        "timeout bad": ('timeout = "10s"', 'timeout = "soon"'),
    },
    "inherit": {
        "toolchain missing by hand": (
            '[variant.taildup]\nextends = "clang19-goto"\ntoolchain = "zig:clang-19"',
            '[variant.taildup]\nextends = "base"',
        ),
        "toolchain missing in product": (
            '[axes.compiler.clang18]\ntoolchain = "zig:clang-18"',
            "[axes.compiler.clang18]",
        ),
        "extends missing": ('extends = "clang19-goto"', 'extends = "clang19-gotoo"'),
        "extends missing in list": ('extends = "clang19-goto"', 'extends = ["base",\n  "nothing"]'),
        "axes extend missing": ('extends = "base"\nexclude', 'extends = "bse"\nexclude'),
        "extends itself": ('extends = "clang19-goto"', 'extends = "taildup"'),
        "circle of two": ("abstract = true", 'abstract = true\nextends = "taildup"'),
        "circle of two only": (
            '[variant.taildup]\nextends = "clang19-goto"',
            '[variant.a]\nextends = "b"\n[variant.b]\nextends = "a"\n[variant.taildup]',
        ),
        "clash": ("[variant.taildup]", "[variant.clang19-tail]"),
    },
    "layer": {
        "toolchain form": ('toolchain = "zig:clang-18"', 'toolchain = "clang-18"'),
        "feature": ('requires = ["musttail"]\nexpect', 'requires = ["must-tail"]\nexpect'),
        "feature added": ('requires = ["musttail"]\nexpect', 'requires.add = ["tail"]\nexpect'),
        "package added": ('ldflags.add = ["-s"]', 'ldflags.add = ["-s"]\npackages.add = ["libX"]'),
        "expectation": ('dispatch = "replicated"', 'dispatch = "replicate"'),
    },
    "load": {
        "section": ("[evidence]", "[evidense]"),
        "study key": ('margin = "1%"', 'margn = "1%"'),
        "source key": ('path = "src"', 'path = "src"\nfolder = "src"'),
        "build key": ('program = "vm"', 'program = "vm"\nprogramm = "vm"'),
        "variant key": ('about = "one line"', 'cflag = ["-O2"]'),
        "flag list key": ('cflags.add = ["-DX"]', 'cflags.append = ["-DX"]'),
        "axis value key": ('toolchain = "zig:clang-18"', 'toolchian = "zig:clang-18"'),
        "axes key": ('extends = "base"\nexclude', 'extend = "base"\nexclude'),
        "claim key": ("claim = { variant", "claim = { varaint"),
        "benchmark key": ('timeout = "10s"', 'time_out = "10s"'),
        "measure key": ('budget = "3m"', 'bugdet = "3m"'),
        "evidence key": ('functions = ["vm_*"]', 'function = ["vm_*"]'),
        "expect key": ('dispatch = "replicated"', 'dispach = "replicated"'),
        "no source": ('[source]\npath = "src"\n', ""),
        "no benchmarks": (
            '[benchmarks.collatz]\nrunner = "turn"\n'
            'command = ["{program}", "turn", "{source}/collatz.hex"]\n'
            'check = "0x1f"\ntimeout = "10s"\n\n',
            "",
        ),
    },
    "question": {
        "control without link": ('margin = "1%"', 'margin = "1%"\ncontrol = true'),
        "old name of control without link": ('margin = "1%"', 'margin = "1%"\ntwin = true'),
        "control twice": ('margin = "1%"', 'margin = "1%"\ntwin = true\ncontrol = true'),
        "baseline empty": ('baseline = ["clang18-goto"]\n', "baseline = []\n"),
        "claim half": (
            'claim = { variant = "clang19-tail", baseline = "clang19-goto" }',
            'claim = { variant = "clang19-tail" }',
        ),
        "baseline unknown": ('baseline = ["clang18-goto"]', 'baseline = ["clang18-gto"]'),
        "baseline abstract": ('baseline = ["clang18-goto"]', 'baseline = "base"'),
        "baseline twice": (
            'baseline = ["clang18-goto"]',
            'baseline = ["clang18-goto", "clang18-goto"]',
        ),
        "baseline excluded": ('baseline = ["clang18-goto"]', 'baseline = ["clang18-tail"]'),
        "baseline type": ('baseline = ["clang18-goto"]', "baseline = 18"),
        "claim unknown": (
            'claim = { variant = "clang19-tail"',
            'claim = { variant = "clang19-tial"',
        ),
        "claim same": ('claim = { variant = "clang19-tail"', 'claim = { variant = "clang19-goto"'),
        'margin "1"': ('margin = "1%"', 'margin = "1"'),
        'margin "%"': ('margin = "1%"', 'margin = "%"'),
        'margin "-1%"': ('margin = "1%"', 'margin = "-1%"'),
        'margin "0%"': ('margin = "1%"', 'margin = "0%"'),
        'margin "100%"': ('margin = "1%"', 'margin = "100%"'),
        "margin 0": ('margin = "1%"', "margin = 0"),
        "margin 1": ('margin = "1%"', "margin = 1"),
        "margin -0.01": ('margin = "1%"', "margin = -0.01"),
        "margin nan": ('margin = "1%"', "margin = nan"),
        "margin true": ('margin = "1%"', "margin = true"),
        'margin ["1%"]': ('margin = "1%"', 'margin = ["1%"]'),
        "no title": ('title = "Is tail faster than goto?"\n', ""),
        "no baseline": ('baseline = ["clang18-goto"]\n', ""),
    },
    "sections": {
        "source empty": ('path = "src"\n', ""),
        "source both": ('path = "src"', 'path = "src"\nsubject = "x"'),
        "source gone": ('path = "src"', 'path = "srcs"'),
        "source file": ('path = "src"', 'path = "study.toml"'),
        "no steps": (STEPS + "\n", ""),
        "incremental": ('program = "vm"', 'program = "vm"\nincremental = "yes"'),
        "steps empty": (STEPS + "\n", "steps = []\n"),
        "flags without quotes": (STEPS, 'steps = ["make CC={cc} CFLAGS={cflags}"]'),
        "no program": ('program = "vm"\n', ""),
        "program absolute": ('program = "vm"', 'program = "/usr/bin/vm"'),
        "program outside": ('program = "vm"', 'program = "../vm"'),
        "step placeholder": ("{cflags} -o", "{cflag} -o"),
        "step unlike": ("{cflags} -o", "${HOME} -o"),
        "step stray": ("{cflags} -o", "{cflags -o"),
        "step end": ('{ldflags}"]', '{ldflags} }"]'),
        "turns type": ("turns = 40", 'turns = "40"'),
        "turns bool": ("turns = 40", "turns = true"),
        "turns zero": ("turns = 40", "turns = 0"),
        "layouts that decide nothing": ("turns = 40", "layouts = 11"),
        "stop": ('stop = "decided"', 'stop = "decide"'),
        "turn bad": ('turn = "1ms"', 'turn = "1msec"'),
        'budget "3 minutes"': ('budget = "3m"', 'budget = "3 minutes"'),
        'budget "3"': ('budget = "3m"', 'budget = "3"'),
        'budget "1w"': ('budget = "3m"', 'budget = "1w"'),
        'budget ""': ('budget = "3m"', 'budget = ""'),
        "budget 0": ('budget = "3m"', "budget = 0"),
        "budget -1": ('budget = "3m"', "budget = -1"),
        "budget inf": ('budget = "3m"', "budget = inf"),
        "budget false": ('budget = "3m"', "budget = false"),
        'budget "0s"': ('budget = "3m"', 'budget = "0s"'),
    },
    "toml_document": {
        "no equals": ('margin = "1%"', 'margin "1%"'),
        "unquoted": ('margin = "1%"', "margin = 1%"),
        "bare word": ('title = "Is tail faster than goto?"', "title = hello"),
        "open list": ('functions = ["vm_*"]', 'functions = ["vm_*"'),
        "open string": ('margin = "1%"', 'margin = "1%'),
        "key twice": ('margin = "1%"', 'margin = "1%"\nmargin = "2%"'),
        "table twice": ("[axes.compiler.clang19]", "[axes.compiler.clang18]"),
        "benchmark twice": ("[measure]", "[benchmarks.collatz]\n[measure]"),
        "list and add": ('cflags.add = ["-DX"]', 'cflags = []\ncflags.add = ["-DX"]'),
        "inline key twice": ('env = { SOURCE_DATE_EPOCH = "0" }', 'env = { A = "0", A = "1" }'),
    },
    "toml_table": {
        "title type": ('title = "Is tail faster than goto?"', 'title = ["x"]'),
        "title empty": ('title = "Is tail faster than goto?"', 'title = " "'),
        "flags no list": ('cflags = ["-O2", "-g"]', 'cflags = "-O2"'),
        "flags number": ('cflags = ["-O2", "-g"]', "cflags = 2"),
        "flag no string": ('cflags = ["-O2", "-g"]', 'cflags = ["-O2",\n  3]'),
        "flag table": ('cflags = ["-O2", "-g"]', "cflags = [{ a = 1 }]"),
        "added no list": ('ldflags.add = ["-s"]', 'ldflags.add = "-s"'),
        "added nothing": ('ldflags.add = ["-s"]', "ldflags = {}"),
        "abstract type": ("abstract = true", 'abstract = "yes"'),
        "env type": ('env = { SOURCE_DATE_EPOCH = "0" }', "env = { SOURCE_DATE_EPOCH = 0 }"),
        "env list": ('env = { SOURCE_DATE_EPOCH = "0" }', 'env = ["SOURCE_DATE_EPOCH=0"]'),
        "env name": ('env = { SOURCE_DATE_EPOCH = "0" }', 'env = { "A=B" = "0" }'),
        "exclude type": (EXCLUDE, 'exclude = { compiler = "clang18" }'),
        "exclude entry type": (EXCLUDE, 'exclude = ["clang18"]'),
        "exclude value type": (EXCLUDE, "exclude = [{ compiler = 18 }]"),
        "extends type": ('extends = "clang19-goto"', "extends = 3"),
        "extends twice": ('extends = "clang19-goto"', 'extends = ["base", "base"]'),
        "nul": ('about = "one line"', 'about = "one\\u0000line"'),
        "variant name": ("[variant.taildup]", '[variant."a/b"]'),
        "benchmark name": ("[benchmarks.collatz]", '[benchmarks."a b"]'),
        "axis value name": ("[axes.compiler.clang18]", '[axes.compiler."../x"]'),
    },
}


@pytest.mark.parametrize("part", MISTAKES)
def test_mistakes(part: str, valid: str, message: Message, golden: Hear) -> None:
    for name, (old, new) in MISTAKES[part].items():
        assert valid.count(old) == 1, name
        golden(f"{name}: {message(valid.replace(old, new))}")


from_fixtures = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
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
