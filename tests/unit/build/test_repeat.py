"""The script of a provenance makes the very bytes again, in any folder, by plain sh."""

import hashlib
import subprocess
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import COMPILE, built, gcc, named, recipe

from whyfast.build.repeat import repeat_script
from whyfast.model.build import Build
from whyfast.model.variant import Variant
from whyfast.store.builds import BuildStore


def _script(compiler: str, *commands: str, root: str = "", **env: str) -> str:
    """The script of a build by that version of gcc."""
    provider = "debian" if root else "path"
    toolchain = {"version": f"gcc {compiler}.2.0", "name": f"{provider}:gcc-{compiler}"}
    provenance = {
        "digest": "0123456789abcdef",
        "variant": "fast",
        "toolchain": {**toolchain, **({"root": root} if root else {})},
        "program_sha256": "abc",
        "inputs": {"include": None},
        "env": env,
        "commands": commands,
    }
    return repeat_script(provenance, Path("/store/d1"))


def test_the_script_names_every_command(golden: Hear) -> None:
    env = {"LC_ALL": "C", "A": "b c", "HOME": "/store/d1/work", "TMPDIR": "/store/d1"}
    compile_ = "gcc -ffile-prefix-map=/store/d1/work=/whyfast -o vm src/*.c"
    golden(_script("12", "cd src", compile_, **env))


def _repeat(build: Build, folder: Path) -> subprocess.CompletedProcess[str]:
    folder.mkdir()
    script = repeat_script(build.provenance, build.program.parents[1])
    return subprocess.run(["sh"], input=script, cwd=folder, capture_output=True, text=True)


def _sha256_of_repeated(build: Build, folder: Path) -> str:
    done = _repeat(build, folder)
    assert done.returncode == 0, done.stderr
    return hashlib.sha256((folder / "vm").read_bytes()).hexdigest()


@pytest.mark.usefixtures("needs_gcc")
@pytest.mark.parametrize(
    ("steps", "variant"),
    [
        pytest.param(COMPILE, named("v", "-O2", "-g"), id="debug information"),
        pytest.param(COMPILE, named("v", '-DTEXT="it\'s $HOME"'), id="flags in quotes"),
        pytest.param(
            ("cd src; {cc} {cflags} -c main.c", "{cc} -o {program} src/main.o"),
            named("v", "-g"),
            id="a step that changes the folder",
        ),
        pytest.param(
            ('{cc} {cflags} "-DTEXT=\\"$GREETING\\"" -o {program} {source}/main.c',),
            Variant("v", "path:gcc", ("-g",), env={"GREETING": "good morning"}),
            id="a variable of the study",
        ),
        pytest.param(
            ("{cc} {cflags} -I{include} -include whyfast_turn.h -o {program} {source}/main.c",),
            named("v", "-g"),
            id="the header for turns",
        ),
        pytest.param(
            ("{cc} {cflags} -o {program} {source}/main.c  # all of it",),
            named("v", "-g"),
            id="a comment",
        ),
    ],
)
@pytest.mark.parametrize("store_name", ["builds", "my builds"])
def test_the_script_makes_the_same_bytes(
    source: Path, tmp_path: Path, steps: tuple[str, ...], variant: Variant, store_name: str
) -> None:
    made = recipe(source, steps=steps, variant=variant, compiler=gcc())
    build = built(made, BuildStore(tmp_path / store_name))
    assert _sha256_of_repeated(build, tmp_path / "by hand") == build.program_sha256


@pytest.mark.usefixtures("needs_gcc")
def test_flags_that_a_step_puts_in_double_quotes_are_repeated(source: Path, tmp_path: Path) -> None:
    steps = ('sh -c "{cc} {cflags} -o {program} {source}/main.c"',)
    made = recipe(source, steps=steps, variant=named("v", "-g"), compiler=gcc())
    build = built(made, BuildStore(tmp_path / "builds"))
    assert _sha256_of_repeated(build, tmp_path / "again") == build.program_sha256


def test_the_script_ends_at_the_first_step_that_fails(source: Path, tmp_path: Path) -> None:
    steps = (f"test -e '{tmp_path}/gate'", "cp {source}/main.c {program}")
    (tmp_path / "gate").touch()
    build = built(recipe(source, steps=steps), BuildStore(tmp_path / "builds"))
    (tmp_path / "gate").unlink()
    assert _repeat(build, tmp_path / "again").returncode == 1
    assert not (tmp_path / "again" / "vm").exists()


def test_steps_of_a_root_are_repeated_in_it(tmp_path: Path) -> None:
    (tmp_path / "root" / "usr").mkdir(parents=True)
    root = str(tmp_path / "root")
    compile_ = "gcc-14 -ffile-prefix-map=/store/d1/work=/whyfast -o vm src/*.c"
    last = _script("14", compile_, root=root).splitlines()[-1]
    assert last.startswith("bwrap --unshare-ipc --unshare-net --ro-bind ")
    assert f"--ro-bind {root}/usr /usr " in last
    assert last.endswith(
        '--bind "$here" "$here" --chdir "$here" -- /bin/sh -euc '
        """'gcc-14 -ffile-prefix-map="$here"=/whyfast -o vm src/*.c'"""
    )


def test_a_root_that_was_removed_is_named(tmp_path: Path, golden: Hear) -> None:
    script = _script("14", "gcc-14 -o vm src/*.c", root="/gone/root")
    done = subprocess.run(["sh"], input=script, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    golden(done.stderr)
    assert list(tmp_path.iterdir()) == []
