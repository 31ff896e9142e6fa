"""Mistakes in a study file: each changes one place of the valid study."""

from __future__ import annotations

import pytest
from tests.golden_files import Hear
from tests.unit.study.conftest import Message

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
