"""The second of two builds, which goes on from the first and is as if made anew."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.build.example import gcc, recipe

from whyfast.build.incremental import build_checked, marked
from whyfast.build.recipe import Recipe
from whyfast.model.build import Build, BuildFailure
from whyfast.store.builds import BuildStore

#: It knows nothing of headers.
MAKEFILE = """\
all: prog
prog: a.o b.o
\tgcc -o prog a.o b.o
%.o: %.c
\tgcc -c -g $< -o $@
"""
#: As configure looks which headers there are.
ABSENT = "printf '#include <absent.h>' > x.c; ! {cc} -c x.c 2> x && ! {cc} -E x.c > x 2>&1"
STEPS = (f"cd {{source}} && sh configure && {ABSENT}", "make -C {source} -j{jobs}")
COMPILED = {"a": "gcc -c -g a.c -o a.o", "b": "gcc -c -g b.c -o b.o"}
LINKED = "gcc -o prog a.o b.o"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two files, of which one reads a header, a script that comes first, and others."""
    files = {
        "Makefile": MAKEFILE,
        "configure": "echo configured",
        "a.c": '#include "h.h"\nint f(void);\nint main(void) { return f() + H; }\n',
        "b.c": "int f(void) { return 0; }\n",
        "h.h": "#define H 0\n",
        "doc/read.rst": "Text.\n",
        "lib/module.py": "x = 1\n",
    }
    for name, text in files.items():
        file = tmp_path / "subject" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "subject"


def _recipe(source: Path, steps: tuple[str, ...] = STEPS) -> Recipe:
    return recipe(source, steps=steps, program="src/prog", compiler=gcc())


def _build(source: Path, store: BuildStore) -> tuple[Build, list[str]]:
    """The build, and what its steps printed."""
    (made,) = build_checked([_recipe(source)], store, lambda text: None)
    assert isinstance(made, Build)
    log = store.folder(made.digest) / "log.txt"
    return made, [line for line in log.read_text().splitlines() if line[0] in "cg"]


def _status(made: Build) -> int:
    return subprocess.run([made.program], check=False).returncode


def test_what_reads_a_changed_file_is_compiled_and_nothing_else(
    source: Path, store: BuildStore
) -> None:
    first, said = _build(source, store)
    assert said == ["configured", *COMPILED.values(), LINKED]
    assert first.digest == marked(_recipe(source), True).digest
    (source / "b.c").write_text("int f(void) { return 3; }\n")
    second, said = _build(source, store)
    assert said == [COMPILED["b"], LINKED]
    (source / "h.h").write_text("#define H 4\n")  # which make does not know of
    third, said = _build(source, store)
    assert said == [COMPILED["a"], LINKED]
    assert [_status(made) for made in (first, second, third)] == [0, 3, 7]
    (source / "b.c").write_text("int f(void) { return 0; }\n")
    (source / "h.h").write_text("#define H 0\n")
    assert _build(source, store)[0].reused


@pytest.mark.parametrize("name", ["configure", "Makefile", "new.c"])
def test_what_is_not_only_compiled_or_comes_is_built_anew(
    source: Path, store: BuildStore, name: str
) -> None:
    _build(source, store)
    text = (source / name).read_text() if (source / name).exists() else ""
    (source / name).write_text(f"{text}\n# more\n")
    assert _build(source, store)[1] == ["configured", *COMPILED.values(), LINKED]
    (source / "b.c").write_text("int f(void) { return 3; }\n")
    assert _build(source, store)[1] == [COMPILED["b"], LINKED]


def test_what_no_step_reads_needs_no_build(source: Path, store: BuildStore) -> None:
    first, _ = _build(source, store)
    (source / "doc" / "read.rst").write_text("Other text.\n")
    (source / "doc" / "more.rst").write_text("More text.\n")
    same, _ = _build(source, store)
    assert (same.reused, same.digest) == (True, first.digest)
    # A program could read this one.
    kept = source / "lib" / "module.py"
    kept.write_text("x = 2\n")
    (source / "lib" / "more.py").write_text("y = 2\n")
    other, _ = _build(source, store)
    assert other.reused
    assert other.digest != first.digest
    assert (other.program.parent / "lib" / "module.py").read_text() == "x = 2\n"
    assert (other.program.parent / "lib" / "more.py").read_text() == "y = 2\n"
    assert (first.program.parent / "lib" / "module.py").read_text() == "x = 1\n"


def test_makefiles_that_do_not_compile_it_again_are_found_out(
    source: Path, store: BuildStore
) -> None:
    steps = (STEPS[0], "cd {source} && [ -e prog ] || make -j{jobs}")
    said: list[str] = []
    for text in ("return 0", "return 3"):
        (source / "b.c").write_text(f"int f(void) {{ {text}; }}\n")
        (made,) = build_checked([_recipe(source, steps)], store, said.append)
    assert isinstance(made, Build)
    assert _status(made) == 3
    assert any("src/b.c" in line and "not built incrementally" in line for line in said)


def test_steps_that_write_into_the_source_are_all_run(source: Path, store: BuildStore) -> None:
    steps = (f"{STEPS[0]} && echo >> h.h", STEPS[1])
    said: list[str] = []
    for text in ("return 0", "return 3"):
        (source / "b.c").write_text(f"int f(void) {{ {text}; }}\n")
        build_checked([_recipe(source, steps)], store, said.append)
    assert any("h.h" in line and "not built incrementally" in line for line in said)


def _waits(gate: Path) -> str:
    return f"test -e '{gate}' || exec sleep 9"


def test_what_the_limit_ends_is_gone_on_with(
    source: Path, store: BuildStore, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    made = _recipe(source, (STEPS[0], f"ls cut.c || :; echo > cut.c; {_waits(gate)}", STEPS[1]))
    (late,) = build_checked([made], store, lambda text: None, 1.0)
    assert isinstance(late, BuildFailure)
    assert late.kind == "late"
    gate.touch()
    (build,) = build_checked([made], store, lambda text: None)
    assert isinstance(build, Build)
    lines = (store.folder(build.digest) / "log.txt").read_text().splitlines()
    assert lines.count("configured") == 1
    assert "cut.c" not in lines
    # What has looked for files cut short was none of its steps.
    (source / "doc" / "more.rst").write_text("More text.\n")
    made = _recipe(source, made.steps)
    assert build_checked([made], store, lambda text: None)[0] == replace(build, reused=True)


def test_what_was_to_be_compiled_again_is_not_forgotten_when_it_is_ended(
    source: Path, store: BuildStore, tmp_path: Path
) -> None:
    gate, said = tmp_path / "gate", list[str]()
    steps = (STEPS[0], "cd {source} && [ -e prog ] || make -j{jobs}", _waits(gate))
    gate.touch()
    build_checked([_recipe(source, steps)], store, said.append)
    (source / "b.c").write_text("int f(void) { return 3; }\n")
    gate.unlink()
    (late,) = build_checked([_recipe(source, steps)], store, said.append, 1.0)
    assert isinstance(late, BuildFailure)
    gate.touch()
    (made,) = build_checked([_recipe(source, steps)], store, said.append)
    assert isinstance(made, Build)
    assert _status(made) == 3
    assert any("src/b.c" in line and "not built incrementally" in line for line in said)


def test_a_base_that_cannot_go_on_leaves_the_folder_to_the_head(
    source: Path, store: BuildStore, tmp_path: Path
) -> None:
    _build(source, store)
    base, head = (shutil.copytree(source, tmp_path / name / "subject") for name in ("b", "h"))
    (base / "configure").write_text("echo configured otherwise\n")
    (head / "b.c").write_text("int f(void) { return 3; }\n")
    recipes = [_recipe(folder) for folder in (base, head)]
    made = build_checked(recipes, store, lambda text: None)
    assert [m.digest for m in made if isinstance(m, Build)] == [
        recipes[0].digest,
        marked(recipes[1], True).digest,
    ]
    assert _build(head, store)[1] == [COMPILED["b"], LINKED]


def test_other_flags_do_not_make_its_folders_read(source: Path, store: BuildStore) -> None:
    _build(source, store)
    other = replace(_recipe(source), inputs={**_recipe(source).inputs, "cflags": ["-O1"]})
    (made,) = build_checked([other], store, lambda text: None)
    assert isinstance(made, Build)
    assert "doc" in made.provenance["unlisted"]
