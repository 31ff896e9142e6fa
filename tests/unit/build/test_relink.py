"""A real program linked again: it answers the same, from other addresses."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from tests.golden_files import Hear, refusal
from tests.unit.build.example import built
from tests.unit.build.layout_example import ANSWER, LINK, STEP, linked_recipe

from whyfast.build import relink as relink_module
from whyfast.build.incremental import build_checked, marked, slot_of
from whyfast.build.relink import CannotRelink, make_layouts, relink
from whyfast.model.build import Build
from whyfast.store.builds import BuildStore
from whyfast.toolchain import sandbox

pytestmark = pytest.mark.usefixtures("needs_gcc")


def _addresses(program: Path) -> dict[str, int]:
    with program.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {s.name: s["st_value"] for s in table.iter_symbols()}


def _answer(program: Path) -> bytes:
    return subprocess.run([program], capture_output=True, check=True).stdout


def test_layouts_answer_the_same_from_other_addresses(tmp_path: Path, store: BuildStore) -> None:
    recipe = linked_recipe(tmp_path)
    build = built(recipe, store)
    layouts = relink(recipe, build, store, [11, 22, 33])
    assert [_answer(p) for p in (build.program, *layouts)] == [ANSWER] * 4
    places = [
        tuple(_addresses(p)[n] for n in ("main", "one", "two", "three"))
        for p in (build.program, *layouts)
    ]
    assert len(set(places)) == 4
    assert all(address % 16 == 0 for place in places[1:] for address in place)


def test_a_link_that_takes_too_long_is_ended(tmp_path: Path, store: BuildStore) -> None:
    recipe = linked_recipe(tmp_path)
    build = built(recipe, store)
    slow = replace(recipe, link=f"sleep 60; {recipe.link}")
    with pytest.raises(CannotRelink, match="longer than"):
        relink(slow, build, store, [11], seconds=0.05)
    assert not list(build.program.parent.glob("*.layout-*"))


def test_a_layout_follows_from_its_seed_to_the_byte(tmp_path: Path, store: BuildStore) -> None:
    recipe = linked_recipe(tmp_path)
    build = built(recipe, store)
    (first,) = relink(recipe, build, store, [11])
    before = first.stat().st_mtime_ns, hashlib.sha256(first.read_bytes()).hexdigest()
    again, other = relink(recipe, build, store, [11, 22])
    assert again == first
    assert (first.stat().st_mtime_ns, hashlib.sha256(first.read_bytes()).hexdigest()) == before
    assert other.read_bytes() != first.read_bytes()

    first.unlink()
    relink(recipe, build, store, [11])
    assert hashlib.sha256(first.read_bytes()).hexdigest() == before[1]

    first.write_bytes(other.read_bytes())
    relink(recipe, build, store, [11])
    assert hashlib.sha256(first.read_bytes()).hexdigest() == before[1]


def test_what_the_linker_says_is_in_the_log(tmp_path: Path, store: BuildStore) -> None:
    recipe = linked_recipe(tmp_path)
    build = built(recipe, store)
    relink(recipe, build, store, [11])
    log = (store.folder(build.digest) / "log.txt").read_text()
    assert re.search(r"-Wl,-T,/\S+/layouts/[0-9a-f]{12}\.ld ", log.splitlines()[-1])


def test_a_link_that_fails_for_a_layout_is_told(tmp_path: Path, store: BuildStore) -> None:
    link = "case {program} in vm) {cc} -o {program} main.o {layout};; *) exit 3;; esac"
    recipe = linked_recipe(tmp_path, link=link)
    with pytest.raises(CannotRelink, match=r"^linking layout 11 ended with exit code 3$"):
        relink(recipe, built(recipe, store), store, [11])


def test_without_sections_nothing_is_placed(tmp_path: Path, store: BuildStore) -> None:
    recipe = linked_recipe(tmp_path, step=STEP.replace(" -ffunction-sections", ""))
    with pytest.raises(CannotRelink, match="compile with -ffunction-sections"):
        relink(recipe, built(recipe, store), store, [11])


def test_objects_that_the_link_does_not_use_are_told(tmp_path: Path, store: BuildStore) -> None:
    """Their layouts would all be the program as it is."""
    recipe = linked_recipe(
        tmp_path,
        step=f"{STEP} && {{cc}} -O1 -c {{source}}/main.c -o main.obj",
        link="{cc} -o {program} main.obj {layout} {ldflags}",
    )
    with pytest.raises(CannotRelink, match=r"^its linker placed none of the code as asked; "):
        relink(recipe, built(recipe, store), store, [11])


def test_sections_to_keep_that_are_nowhere(tmp_path: Path, store: BuildStore, golden: Hear) -> None:
    recipe = linked_recipe(tmp_path)
    build = built(recipe, store)
    golden(
        refusal(
            CannotRelink,
            lambda: relink(replace(recipe, keep=(".text.one", ".text.hot.*")), build, store, [11]),
        )
    )


def test_what_is_kept_stays_side_by_side_in_every_layout(tmp_path: Path, store: BuildStore) -> None:
    recipe = linked_recipe(tmp_path)
    build = built(recipe, store)
    plain = relink(recipe, build, store, [1, 2, 3, 4, 5, 6])
    kept = relink(
        replace(recipe, keep=(".text.three", ".text.one")), build, store, [1, 2, 3, 4, 5, 6]
    )
    assert not {*plain} & {*kept}
    distances = [a["one"] - a["three"] for a in map(_addresses, kept)]
    assert len({*distances}) == 1
    assert 0 < distances[0] <= 48
    assert len({_addresses(p)["one"] for p in kept}) > 1


LIBRARY = """
cd {source}
printf 'int inner(int x) {{ return x * 3; }} int unused(void) {{ return 9; }}' > inner.c
printf 'int inner(int); int outer(int x) {{ return inner(x) + 1; }}' > outer.c
printf 'int outer(int); int printf(const char *, ...);\n' > main.c
printf 'int main(void) {{ printf("%%d", outer(4)); }}' >> main.c
mkdir -p objects && {cc} -O1 -c inner.c -o objects/inner.o && {cc} -O1 -c outer.c -o outer.o
{cc} -O1 -c main.c -o main.o && ar rcs libparts.a objects/inner.o outer.o && rm outer.o
printf '../$(PROGRAM): main.o libparts.a\n\t$(CC) -o $@ main.o -L. -lparts $(LDFLAGS)\n' > Makefile
"""


def test_a_makefile_links_objects_and_libraries(tmp_path: Path, store: BuildStore) -> None:
    if shutil.which("make") is None or shutil.which("ar") is None:
        pytest.skip("needs make and ar")
    recipe = linked_recipe(
        tmp_path,
        step=LIBRARY,
        link="make -s -C {source} CC={cc} PROGRAM={program} LDFLAGS={layout} ../{program}",
    )
    build = built(recipe, store)
    programs = [build.program, *relink(recipe, build, store, list(range(1, 9)))]
    assert [_answer(p) for p in programs] == [b"13"] * 9
    orders = {
        tuple(sorted(("main", "inner", "outer"), key=_addresses(p).__getitem__)) for p in programs
    }
    assert len(orders) > 2
    # Objects are placed as a whole: what is in one of them keeps its distance.
    inside = {a["unused"] - a["inner"] for a in map(_addresses, programs)}
    assert len(inside) == 1


def test_no_objects_are_refused_with_the_flag_that_helps(tmp_path: Path, golden: Hear) -> None:
    recipe = linked_recipe(tmp_path)
    golden(refusal(CannotRelink, lambda: make_layouts(recipe, tmp_path, lambda step: 0, [1])))


EMITTING = """
{cc} {cflags} -flto -ffunction-sections -c {source}/main.c
{cc} {cflags} -flto -ffunction-sections -save-temps -o whole main.o
mkdir emitted && mv whole.ltrans*.ltrans.o emitted/
"""


def test_what_link_time_optimisation_emits_has_layouts(tmp_path: Path, store: BuildStore) -> None:
    """The objects hold no machine code; what the linker makes of them once does."""
    link = "{cc} -o {program} emitted/*.o {layout} {ldflags}"
    recipe = linked_recipe(tmp_path, step=EMITTING, link=link)
    build = built(recipe, store)
    assert [p.name for p in (build.program.parent / "emitted").iterdir()] != []
    first, second = relink(recipe, build, store, [1, 2])
    assert [_answer(p) for p in (first, second)] == [ANSWER] * 2
    assert first.read_bytes() != second.read_bytes()
    assert _addresses(first)["main"] != _addresses(second)["main"]


def test_a_link_that_optimises_anew_is_told(tmp_path: Path, store: BuildStore) -> None:
    """With code beside the bitcode, there is something to place, but that is not what is linked."""
    recipe = linked_recipe(
        tmp_path,
        step="{cc} {cflags} -flto -ffat-lto-objects -ffunction-sections -c {source}/main.c",
        link="{cc} {cflags} -flto -fno-function-sections -o {program} main.o {layout}",
    )
    with pytest.raises(CannotRelink, match=r"^its linker placed none of the code as asked; "):
        relink(recipe, built(recipe, store), store, [11])


@pytest.mark.parametrize("function", ["make_layouts", "exclusive"])
@pytest.mark.parametrize("seconds", [None, 60.0])
def test_files_that_cannot_be_written_are_a_reason(
    tmp_path: Path,
    store: BuildStore,
    monkeypatch: pytest.MonkeyPatch,
    function: str,
    seconds: float | None,
) -> None:
    recipe = linked_recipe(tmp_path)
    build = built(recipe, store)

    def full(*arguments: object) -> list[Path]:
        raise OSError(28, "No space left on device", "x.ld")

    monkeypatch.setattr(relink_module, function, full)
    with pytest.raises(CannotRelink, match=r"disk full .*x.ld"):
        relink(recipe, build, store, [11], seconds=seconds)


def test_an_interrupt_ends_the_linker(
    tmp_path: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = linked_recipe(tmp_path)
    build = built(recipe, store)
    ended: list[int] = []
    waitid, killpg = os.waitid, os.killpg

    def interrupted(*arguments: int) -> None:
        raise KeyboardInterrupt

    def ends(pid: int, number: int) -> None:
        killpg(pid, number)
        waitid(os.P_PID, pid, os.WEXITED)
        ended.append(number)

    monkeypatch.setattr(os, "waitid", interrupted)
    monkeypatch.setattr(os, "killpg", ends)
    with pytest.raises(KeyboardInterrupt):
        relink(recipe, build, store, [11])
    assert ended == [signal.SIGTERM]


def test_layouts_are_linked_in_a_sandbox_that_writes_in_the_build_folder_alone(
    tmp_path: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(sandbox.VARIABLE)
    if not sandbox.tools().bubblewrap:
        pytest.skip(sandbox.tools().no_bubblewrap)
    recipe = linked_recipe(tmp_path)
    build = built(recipe, store)
    assert build.provenance["sandbox"].startswith("bubblewrap")
    (program,) = relink(recipe, build, store, [11])
    assert program.parent == build.program.parent
    assert program.read_bytes() != build.program.read_bytes()
    kept = {path.suffix for path in (store.folder(build.digest) / "layouts").iterdir()}
    assert kept == {".ld", ".sha256", ".json"}


def test_what_cmake_or_meson_configured_is_linked_where_it_was(
    tmp_path: Path, store: BuildStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They write down the folder's name: a copy of it would be linked in the other."""
    monkeypatch.delenv(sandbox.VARIABLE, raising=False)
    if not sandbox.tools().bubblewrap:
        pytest.skip(sandbox.tools().no_bubblewrap)
    configured = f"touch CMakeCache.txt && pwd > where {{jobs}} && {STEP}"
    recipe = linked_recipe(tmp_path, step=configured, link=f'cd "$(cat where)" && {LINK}')
    (build,) = build_checked([recipe], store, lambda text: None)
    assert isinstance(build, Build)
    slot = slot_of(marked(recipe, True), store) / "work"
    assert (slot / "where").read_text().strip() == str(slot) != str(build.program.parent)
    before = sorted(slot.iterdir())
    (layout,) = relink(recipe, build, store, [11])
    assert (layout.parent, _answer(layout)) == (build.program.parent, ANSWER)
    assert sorted(slot.iterdir()) == before
    monkeypatch.setenv(sandbox.VARIABLE, "off")
    with pytest.raises(CannotRelink, match="bubblewrap"):
        relink(recipe, build, store, [22])
